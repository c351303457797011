// Results are written many at a time: what comes in within a few milliseconds goes in one statement per merchant. A result
// that cannot be written, because the database is away, is kept and tried again; its delivery stays in hand meanwhile. One
// that the database refuses must not keep others back: what fails together a few times is then written one by one.

import type { AttemptResult } from '../core/delivery.ts'
import type { DeliveryId, MerchantId } from '../core/ids.ts'

export interface Settler {
  add(result: AttemptResult): void
  has(id: DeliveryId): boolean
  readonly unsettled: number
  /** When all is written. */
  settled(): Promise<void>
}

const collectForMs = 16
const rowsMax = 256
const againAfterMs = 500
const triesTogether = 4

export function createSettler(world: {
  write(merchantId: MerchantId, results: readonly AttemptResult[]): Promise<void>
  /** They are there. */
  wrote(results: readonly AttemptResult[]): void
  failed(error: unknown): void
}): Settler {
  const collected = new Map<MerchantId, AttemptResult[]>()
  /** By id the newest: one whose worker was taken for dead may be taken up again before its old result is refused. */
  const inHand = new Map<DeliveryId, AttemptResult>()
  let unsettled = 0
  /** Each merchant's batches go one after the other, so that one that is slow is followed by a larger one. */
  const writing = new Map<MerchantId, Promise<void>>()
  const alone = new Set<Promise<void>>()
  let timer: NodeJS.Timeout | null = null

  function flush(): void {
    timer = null
    for (const merchantId of collected.keys()) {
      if (!writing.has(merchantId)) writing.set(merchantId, writeSome(merchantId))
    }
  }

  async function writeSome(merchantId: MerchantId): Promise<void> {
    const waiting = collected.get(merchantId) ?? []
    const batch = waiting.splice(0, rowsMax)
    if (waiting.length === 0) collected.delete(merchantId)
    if (await isWritten(merchantId, batch, triesTogether)) over(batch)
    else for (const result of batch) writeOneByOne(merchantId, result)
    writing.delete(merchantId)
    if (collected.has(merchantId)) flushSoon()
  }

  /** What came in while others were written is collected as well: a statement costs more than its rows. */
  function flushSoon(): void {
    timer ??= setTimeout(flush, collectForMs)
  }

  function writeOneByOne(merchantId: MerchantId, result: AttemptResult): void {
    const written = isWritten(merchantId, [result], Number.POSITIVE_INFINITY).then(() => {
      alone.delete(written)
      over([result])
    })
    alone.add(written)
  }

  function over(results: readonly AttemptResult[]): void {
    for (const result of results) if (inHand.get(result.held.id) === result) inHand.delete(result.held.id)
    unsettled -= results.length
    world.wrote(results)
  }

  async function isWritten(
    merchantId: MerchantId,
    batch: readonly AttemptResult[],
    triesMax: number,
  ): Promise<boolean> {
    for (let tries = 1; ; tries++) {
      try {
        await world.write(merchantId, batch)
        return true
      } catch (error) {
        world.failed(error)
        if (tries >= triesMax) return false
        // A process that ends does not wait for a database that is away: what is not written is sent again.
        await new Promise(resolve => setTimeout(resolve, againAfterMs).unref())
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
      flushSoon()
    },
    has: id => inHand.has(id),
    get unsettled() {
      return unsettled
    },
    async settled() {
      while (unsettled > 0) {
        if (timer !== null) clearTimeout(timer)
        flush()
        await Promise.all([...writing.values(), ...alone])
      }
    },
  }
}
