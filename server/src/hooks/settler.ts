// Results are written many at a time: what comes in within a few milliseconds goes in one statement per merchant, and at once where it is as many
// as one takes, or where many are there and no more is to come.
//
// While the database is away they are kept and tried again together; their deliveries stay in hand meanwhile. One that the database refuses must not keep others
// back: what it refuses together a few times is written one by one, and what it refuses even so is tried again beside all that follows.

import type { AttemptResult } from '../core/delivery.ts'
import type { DeliveryId, MerchantId } from '../core/ids.ts'

export interface Settler {
  add(result: AttemptResult): void
  /** The last has come, for now: what is worth a statement waits for no more. */
  noneToCome(): void
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
  batch: AttemptResult[]
  writing: Promise<void> | null
  /** What the database does not take, even by itself. */
  readonly refused: AttemptResult[]
  retrying: Promise<void> | null
}

const collectForMs = 32
const rowsMax = 512
/** So many cost more than their statement. */
const rowsWorthIt = 64
const againAfterMs = 500
const triesTogether = 4

export function createSettler(world: {
  write(merchantId: MerchantId, results: readonly AttemptResult[]): Promise<void>
  /** Nobody was there to take it: nothing is wrong with what was to be written. */
  isAway(error: unknown): boolean
  /** Attempts are on the wire, or wait for it. */
  isMoreToCome(): boolean
  /** They are there. */
  wrote(results: readonly AttemptResult[]): void
  failed(error: unknown): void
}): Settler {
  const desks = new Map<MerchantId, Desk>()
  let unsettled = 0
  let timer: NodeJS.Timeout | null = null

  function flush(): void {
    timer = null
    for (const [merchantId, desk] of desks) if (desk.waiting.length > 0) desk.writing ??= writeSome(merchantId, desk)
  }

  async function writeSome(merchantId: MerchantId, desk: Desk): Promise<void> {
    desk.batch = desk.waiting.splice(0, rowsMax)
    if (await isWritten(merchantId, desk.batch, triesTogether)) over(desk.batch)
    else await writeApart(merchantId, desk, desk.batch)
    desk.batch = []
    desk.writing = null
    if (desk.refused.length > 0) desk.retrying ??= retry(merchantId, desk)
    if (desk.waiting.length > 0) writeFullOrSoon(merchantId, desk)
    else leave(merchantId, desk)
  }

  /** What came in while others were written is collected as well: a statement costs more than its rows. One that is full, or the last, waits for nothing. */
  function writeFullOrSoon(merchantId: MerchantId, desk: Desk): void {
    if (desk.waiting.length >= (world.isMoreToCome() ? rowsMax : rowsWorthIt))
      desk.writing ??= writeSome(merchantId, desk)
    else timer ??= setTimeout(flush, collectForMs)
  }

  async function retry(merchantId: MerchantId, desk: Desk): Promise<void> {
    while (desk.refused.length > 0) {
      await aMoment()
      await writeApart(merchantId, desk, desk.refused)
    }
    desk.retrying = null
    leave(merchantId, desk)
  }

  /** One by one, and one after the other: at the same time they would take every connection. */
  async function writeApart(merchantId: MerchantId, desk: Desk, results: AttemptResult[]): Promise<void> {
    for (const result of [...results]) {
      const isThere = await isWritten(merchantId, [result], 1)
      results.shift()
      if (isThere) over([result])
      else desk.refused.push(result)
    }
  }

  function leave(merchantId: MerchantId, desk: Desk): void {
    if (desk.writing === null && desk.retrying === null && desk.waiting.length === 0) desks.delete(merchantId)
  }

  function over(results: readonly AttemptResult[]): void {
    unsettled -= results.length
    world.wrote(results)
  }

  /** False: the database refused it so often. */
  async function isWritten(
    merchantId: MerchantId,
    batch: readonly AttemptResult[],
    refusalsMax: number,
  ): Promise<boolean> {
    for (let refusals = 0; ; await aMoment()) {
      try {
        await world.write(merchantId, batch)
        return true
      } catch (error) {
        world.failed(error)
        refusals += Number(!world.isAway(error))
        if (refusals === refusalsMax) return false
      }
    }
  }

  return {
    add(result) {
      const { merchantId } = result.held
      unsettled += 1
      const desk = desks.get(merchantId) ?? newDesk()
      desks.set(merchantId, desk)
      desk.waiting.push(result)
      writeFullOrSoon(merchantId, desk)
    },
    noneToCome() {
      for (const [merchantId, desk] of desks) if (desk.waiting.length > 0) writeFullOrSoon(merchantId, desk)
    },
    ids() {
      const unwritten = [...desks.values()].flatMap(({ waiting, batch, refused }) => [...batch, ...waiting, ...refused])
      return new Set(unwritten.map(({ held }) => held.id))
    },
    get unsettled() {
      return unsettled
    },
    async settled() {
      while (unsettled > 0) {
        if (timer !== null) clearTimeout(timer)
        flush()
        await Promise.all([...desks.values()].flatMap(({ writing, retrying }) => [writing, retrying]))
      }
    },
  }
}

function newDesk(): Desk {
  return { waiting: [], batch: [], writing: null, refused: [], retrying: null }
}

/** A process that ends does not wait for a database that is away: what is not written is sent again. */
function aMoment(): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, againAfterMs).unref())
}
