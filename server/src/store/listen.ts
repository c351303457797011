// LISTEN on a connection of its own, opened again when it is lost.

import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from 'pg'

export interface Listening {
  unlisten(): Promise<void>
}

const reconnectEveryMs = 500
const farewellMaxMs = 1_000

/** `onListening` is called each time it begins to listen: what was said while nobody did is not said again. */
export async function listenTo(
  newClient: () => Client,
  channel: string,
  onNotice: () => void,
  onListening: () => void,
): Promise<Listening> {
  const stopping = new AbortController()
  let client: Client | null = null

  async function open(): Promise<void> {
    const next = newClient()
    next.on('error', () => {})
    next.on('notification', onNotice)
    const lost = new Promise<void>(resolve => next.once('end', resolve))
    try {
      await next.connect()
      await next.query(`listen ${next.escapeIdentifier(channel)}`)
    } catch (error) {
      await next.end().catch(() => {})
      throw error
    }
    if (stopping.signal.aborted) return next.end()
    client = next
    onListening()
    void lost.then(reopen)
  }

  async function reopen(): Promise<void> {
    client = null
    while (!stopping.signal.aborted) {
      if (
        await open().then(
          () => true,
          () => false,
        )
      )
        return
      await delay(reconnectEveryMs, null, { signal: stopping.signal }).catch(() => null)
    }
  }

  await open()
  return {
    async unlisten() {
      stopping.abort()
      // A server that does not answer must not hold the end up; its socket goes with the pool's.
      await Promise.race([client?.end(), delay(farewellMaxMs, null, { ref: false })])
    },
  }
}
