// LISTEN, for all who listen in this process, on one connection of its own, which is opened again when it is lost.

import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from 'pg'

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

export function createListener(newClient: () => Client): Listener {
  const stopping = new AbortController()
  const ears = new Set<Ear>()
  let client: Client | null = null
  let opening: Promise<Client> | null = null

  async function open(): Promise<Client> {
    const next = newClient()
    next.on('error', () => {})
    next.on('notification', ({ channel, payload = '' }) => {
      for (const ear of ears) if (ear.channel === channel) ear.onNotice(payload)
    })
    const lost = new Promise<void>(resolve => next.once('end', resolve))
    try {
      await next.connect()
      for (const channel of new Set([...ears].map(ear => ear.channel))) await listenOn(next, channel)
    } catch (error) {
      await next.end().catch(() => {})
      throw error
    }
    client = next
    void lost.then(reopen)
    return next
  }

  function opened(): Promise<Client> {
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

async function listenOn(client: Client, channel: string): Promise<void> {
  await client.query(`listen ${client.escapeIdentifier(channel)}`)
}
