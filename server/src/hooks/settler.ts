// Results are written many at a time: what comes in within a few milliseconds goes in one statement per merchant. A result
// that cannot be written, because the database is away, is kept and tried again; its delivery stays in hand meanwhile.

import { setTimeout as delay } from 'node:timers/promises'
import type { AttemptResult } from '../core/delivery.ts'
import type { DeliveryId, MerchantId } from '../core/ids.ts'

export interface Settler {
  add(result: AttemptResult): void
  has(id: DeliveryId): boolean
  readonly unsettled: number
  /** When all is written. */
  settled(): Promise<void>
}

const collectForMs = 4
const rowsMax = 256
const againAfterMs = 500

export function createSettler(world: {
  write(merchantId: MerchantId, results: readonly AttemptResult[]): Promise<void>
  /** There is room for more. */
  wrote(): void
  failed(error: unknown): void
}): Settler {
  const collected = new Map<MerchantId, AttemptResult[]>()
  /** By id the newest: one whose worker was taken for dead may be taken up again before its old result is refused. */
  const inHand = new Map<DeliveryId, AttemptResult>()
  let unsettled = 0
  /** Each merchant's batches go one after the other, so that one that is slow is followed by a larger one. */
  const writing = new Map<MerchantId, Promise<void>>()
  let timer: NodeJS.Timeout | null = null

  function flush(): void {
    timer = null
    for (const merchantId of collected.keys()) {
      if (!writing.has(merchantId)) writing.set(merchantId, writeAll(merchantId))
    }
  }

  async function writeAll(merchantId: MerchantId): Promise<void> {
    for (let waiting = collected.get(merchantId); waiting !== undefined; waiting = collected.get(merchantId)) {
      const batch = waiting.splice(0, rowsMax)
      if (waiting.length === 0) collected.delete(merchantId)
      await written(merchantId, batch)
      for (const result of batch) if (inHand.get(result.held.id) === result) inHand.delete(result.held.id)
      unsettled -= batch.length
      world.wrote()
    }
    writing.delete(merchantId)
  }

  async function written(merchantId: MerchantId, batch: readonly AttemptResult[]): Promise<void> {
    for (;;) {
      try {
        return await world.write(merchantId, batch)
      } catch (error) {
        world.failed(error)
        // A process that ends does not wait for a database that is away: what is not written is sent again.
        await delay(againAfterMs, null, { ref: false })
      }
    }
  }

  return {
    add(result) {
      const { merchantId, id } = result.held
      inHand.set(id, result)
      unsettled += 1
      const waiting = collected.get(merchantId)
      if (waiting === undefined) collected.set(merchantId, [result])
      else waiting.push(result)
      timer ??= setTimeout(flush, collectForMs)
    },
    has: id => inHand.has(id),
    get unsettled() {
      return unsettled
    },
    async settled() {
      while (unsettled > 0) {
        if (timer !== null) clearTimeout(timer)
        flush()
        await Promise.all(writing.values())
      }
    },
  }
}
