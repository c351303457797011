// LISTEN, for all who listen in this process, on one connection of its own, which is opened again when it is lost. Nothing may be said on it for
// hours, and a server that vanished says no goodbye: so it is asked every second whether it is there.

import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from 'pg'
import { ConnectionLostError } from './loss.ts'

export interface Listening {
  unlisten(): Promise<void>
}

export interface Listener {
  /** `onListening` is called each time it begins to listen: what was said while nobody did is not said again. */
  listen(channel: string, onNotice: (says: string) => void, onListening: () => void): Promise<Listening>
  end(): Promise<void>
}

interface Ear {
  readonly channel: string
  readonly onNotice: (says: string) => void
  readonly onListening: () => void
}

const reconnectEveryMs = 500
const farewellMaxMs = 1_000
/** Named, for whoever looks at what is connected. */
const pulse = 'select /* listening */'
const pulseEveryMs = 1_000
const answerMaxMs = 2_000

/** What it listens on. */
export type ListeningClient = Pick<Client, 'connect' | 'end' | 'on' | 'once' | 'query' | 'escapeIdentifier'> & {
  cutOff(): void
}

export function createListener<C extends ListeningClient>(
  newClient: () => Promise<C>,
  /** The connection ended, or could not be had, for that reason. */
  lost: (client: C, error?: unknown) => void,
): Listener {
  const stopping = new AbortController()
  const ears = new Set<Ear>()
  let client: C | null = null
  let opening: Promise<C> | null = null

  async function open(): Promise<C> {
    const next = await newClient()
    next.on('error', () => {})
    next.on('notification', ({ channel, payload = '' }) => {
      for (const ear of ears) if (ear.channel === channel) ear.onNotice(payload)
    })
    const ended = new Promise<void>(resolve => next.once('end', resolve))
    try {
      await next.connect()
      for (const channel of new Set([...ears].map(ear => ear.channel))) await listenOn(next, channel)
    } catch (error) {
      lost(next, error)
      next.cutOff()
      throw error
    }
    client = next
    void ended.then(() => {
      lost(next)
      return reopen()
    })
    void watch(next)
    return next
  }

  async function watch(watched: C): Promise<void> {
    while (client === watched && !stopping.signal.aborted) {
      const isThere = await answered(watched, pulse).then(
        () => true,
        () => false,
      )
      if (!isThere) return watched.cutOff()
      await delay(pulseEveryMs, null, { ref: false, signal: stopping.signal }).catch(() => null)
    }
  }

  function opened(): Promise<C> {
    if (client !== null) return Promise.resolve(client)
    opening ??= open().finally(() => {
      opening = null
    })
    return opening
  }

  async function reopen(): Promise<void> {
    client = null
    while (!stopping.signal.aborted) {
      const isOpen = await opened().then(
        () => true,
        () => false,
      )
      if (isOpen) {
        for (const ear of ears) ear.onListening()
        return
      }
      await delay(reconnectEveryMs, null, { signal: stopping.signal }).catch(() => null)
    }
  }

  return {
    async listen(channel, onNotice, onListening) {
      const ear = { channel, onNotice, onListening }
      ears.add(ear)
      // Also where it is listened on already: to say so twice does no harm, and the one before may be about to end.
      try {
        await listenOn(await opened(), channel)
      } catch (error) {
        ears.delete(ear)
        throw error
      }
      onListening()
      return {
        async unlisten() {
          ears.delete(ear)
        },
      }
    },
    async end() {
      stopping.abort()
      // A server that does not answer must not hold the end up; its socket goes with the pool's.
      await Promise.race([client?.end(), delay(farewellMaxMs, null, { ref: false })])
    },
  }
}

async function listenOn(client: ListeningClient, channel: string): Promise<void> {
  await answered(client, `listen ${client.escapeIdentifier(channel)}`)
}

/** Whoever vanishes between being connected and being asked would otherwise be waited for as long as the network tries: minutes. */
async function answered(client: ListeningClient, text: string): Promise<void> {
  const isAnswered = await Promise.race([
    client.query(text).then(() => true),
    delay(answerMaxMs, false, { ref: false }),
  ])
  if (!isAnswered) throw new ConnectionLostError('the server does not answer')
}
