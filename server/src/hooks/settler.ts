// Results are written many at a time: what comes in within a few milliseconds goes in one statement per merchant. A result
// that cannot be written, because the database is away, is kept and tried again; its delivery stays in hand meanwhile.

import { setTimeout as delay } from 'node:timers/promises'
import type { AttemptResult } from '../core/delivery.ts'
import type { DeliveryId, MerchantId } from '../core/ids.ts'

export interface Settler {
  add(result: AttemptResult): void
  has(id: DeliveryId): boolean
  readonly unsettled: number
  /** When all that was added so far is written. */
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
  const inHand = new Set<DeliveryId>()
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
      for (const { held } of batch) inHand.delete(held.id)
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
        await delay(againAfterMs)
      }
    }
  }

  return {
    add(result) {
      const { merchantId, id } = result.held
      inHand.add(id)
      const waiting = collected.get(merchantId)
      if (waiting === undefined) collected.set(merchantId, [result])
      else waiting.push(result)
      timer ??= setTimeout(flush, collectForMs)
    },
    has: id => inHand.has(id),
    get unsettled() {
      return inHand.size
    },
    async settled() {
      while (inHand.size > 0) {
        if (timer !== null) clearTimeout(timer)
        flush()
        await Promise.all(writing.values())
      }
    },
  }
}
