// Results are written many at a time: what comes in within a few milliseconds goes in one statement per merchant. A result
// that cannot be written, because the database is away, is kept and tried again; its delivery stays in hand meanwhile. One
// that the database refuses must not keep others back: what fails together a few times is then written one by one.

import type { AttemptResult } from '../core/delivery.ts'
import type { DeliveryId, MerchantId } from '../core/ids.ts'

export interface Settler {
  add(result: AttemptResult): void
  /** Of all that are not written yet. */
  ids(): Set<DeliveryId>
  readonly unsettled: number
  /** When all is written. */
  settled(): Promise<void>
}

/** A merchant's batches go one after the other, so that one that is slow is followed by a larger one. */
interface Desk {
  readonly waiting: AttemptResult[]
  /** What is being written. */
  batch: readonly AttemptResult[]
  writing: Promise<void> | null
}

const collectForMs = 32
const rowsMax = 512
const againAfterMs = 500
const triesTogether = 4

export function createSettler(world: {
  write(merchantId: MerchantId, results: readonly AttemptResult[]): Promise<void>
  /** They are there. */
  wrote(results: readonly AttemptResult[]): void
  failed(error: unknown): void
}): Settler {
  const desks = new Map<MerchantId, Desk>()
  const alone = new Map<Promise<void>, AttemptResult>()
  let unsettled = 0
  let timer: NodeJS.Timeout | null = null

  function flush(): void {
    timer = null
    for (const [merchantId, desk] of desks) desk.writing ??= writeSome(merchantId, desk)
  }

  async function writeSome(merchantId: MerchantId, desk: Desk): Promise<void> {
    const batch = desk.waiting.splice(0, rowsMax)
    desk.batch = batch
    if (await isWritten(merchantId, batch, triesTogether)) over(batch)
    else for (const result of batch) writeOneByOne(merchantId, result)
    desk.batch = []
    desk.writing = null
    if (desk.waiting.length > 0) flushSoon()
    else desks.delete(merchantId)
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
    alone.set(written, result)
  }

  function over(results: readonly AttemptResult[]): void {
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
      const { merchantId } = result.held
      unsettled += 1
      const desk = desks.get(merchantId)
      if (desk === undefined) desks.set(merchantId, { waiting: [result], batch: [], writing: null })
      else desk.waiting.push(result)
      flushSoon()
    },
    ids() {
      const unwritten = [...desks.values()].flatMap(({ waiting, batch }) => [...batch, ...waiting])
      return new Set([...unwritten, ...alone.values()].map(({ held }) => held.id))
    },
    get unsettled() {
      return unsettled
    },
    async settled() {
      while (unsettled > 0) {
        if (timer !== null) clearTimeout(timer)
        flush()
        await Promise.all([...[...desks.values()].map(({ writing }) => writing), ...alone.keys()])
      }
    },
  }
}
