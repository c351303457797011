// Looks every second for what dead processes and silent gateways left behind, and has core settle it; takes cards that were
// given for one payment out of their vaults; ends what customers did not go on with, and listeners that have gone; forgets what is over. Work is claimed merchant by merchant in small bounded
// bites, so that one merchant's trouble does not hold up another's.

import { longestLeaseMs } from '../core/call-gateway.ts'
import { endUnwanted } from '../core/go-on.ts'
import type { CardToken, MerchantId, TransactionId } from '../core/ids.ts'
import { type HeldOperation, isOpen } from '../core/operation.ts'
import type { Ports } from '../core/ports.ts'
import { recheck } from '../core/recheck.ts'
import { askAgain, endInterrupted } from '../core/recover.ts'
import type { WorksFor } from '../core/works-for.ts'

/** What the sweeper needs of the store, beside the rules' own. */
export interface SweepStore {
  /** Does the work in the name of this merchant. */
  worksFor<T>(merchant: WorksFor, work: () => T): T
  findMerchantsDue(now: Date): Promise<{
    transactions: readonly MerchantId[]
    operations: readonly MerchantId[]
    cards: readonly MerchantId[]
    wanting: readonly MerchantId[]
  }>
  /** What would wait for a time that the database's clock showed when it was ahead. */
  bringForward(now: Date): Promise<number>
  claimAbandoned(merchantId: MerchantId, claim: { limit: number; leaseMs: number }): Promise<TransactionId[]>
  claimOperations(
    merchantId: MerchantId,
    claim: { now: Date; limit: number; leaseMs: number },
  ): Promise<HeldOperation[]>
  /** Those whose customer did not go on in time. */
  findOverdue(merchantId: MerchantId, find: { now: Date; limit: number }): Promise<TransactionId[]>
  /** Those given for one payment that is over. */
  claimSpentCards(merchantId: MerchantId, claim: { now: Date; limit: number }): Promise<CardToken[]>
  /** Out of every vault. Unknown: a gateway did not confirm, and is asked again later. */
  removeCard(merchantId: MerchantId, token: CardToken): Promise<'removed' | 'unknown'>
  /** Those who have not asked for too long. */
  endSilentListeners(now: Date): Promise<number>
  forgetWhatIsOver(now: Date): Promise<number>
}

export interface SweepLog {
  swept(what: 'transactions' | 'operations' | 'cards' | 'wanting' | 'listeners' | 'forgotten', count: number): void
  cardNotRemoved(merchantId: MerchantId): void
  failed(error: unknown): void
}

const everyMs = 1_000
const forgetEveryMs = 60_000
/** As often as the clock is compared with the database's. */
const bringForwardEveryMs = 10_000
const bite = 16

export interface Sweeper {
  start(): void
  /** Takes up everything that is due; the number of things taken up. */
  sweepOnce(): Promise<number>
  /** Finishes what is in hand. */
  stop(): Promise<void>
}

export function createSweeper(ports: Ports, store: SweepStore, log: SweepLog): Sweeper {
  // By merchant, so that a gateway that hangs delays its own merchant's next bite and nobody else's.
  const inHand = new Map<string, Promise<number>>()
  let timer: NodeJS.Timeout | null = null
  let looking: Promise<void> = Promise.resolve()
  let stopped = false
  // On the service's clock: where the sandbox moves it, what is over on the way is forgotten with it.
  let forgotAtMs = Number.NEGATIVE_INFINITY

  function takeUp(what: string, merchantId: MerchantId, work: Work): void {
    const name = `${what} ${merchantId}`
    if (inHand.has(name)) return
    const begun = store.worksFor({ merchantId }, () => work(ports, store, merchantId, log))
    const done = begun.finally(() => inHand.delete(name))
    inHand.set(name, done)
    done.catch(error => log.failed(error))
  }

  let broughtForwardAtMs = Number.NEGATIVE_INFINITY
  /** At once when the clock has jumped, either way. */
  async function bringForward(): Promise<void> {
    const now = ports.now()
    if (Math.abs(now.getTime() - broughtForwardAtMs) < bringForwardEveryMs) return
    await store.bringForward(now)
    broughtForwardAtMs = now.getTime()
  }

  async function look(): Promise<void> {
    await bringForward()
    const due = await store.findMerchantsDue(ports.now())
    for (const id of due.transactions) takeUp('transactions', id, sweepAbandoned)
    for (const id of due.operations) takeUp('operations', id, sweepOperations)
    for (const id of due.cards) takeUp('cards', id, sweepCards)
    for (const id of due.wanting) takeUp('wanting', id, sweepWanting)
    const ended = await store.endSilentListeners(ports.now())
    if (ended > 0) log.swept('listeners', ended)
  }

  let forgetting: Promise<void> = Promise.resolve()
  let isForgetting = false
  /** One at a time: of two, the one that finds nothing more to do would be done before the other. */
  function forget(): Promise<void> {
    forgetting = forgetting.catch(() => {}).then(forgetAll)
    return forgetting
  }

  /** Beside the looks for what has been left behind, which do not wait for it. */
  function forgetMeanwhile(): void {
    if (isForgetting) return
    isForgetting = true
    forget()
      .catch(error => log.failed(error))
      .finally(() => {
        isForgetting = false
      })
  }

  async function forgetAll(): Promise<void> {
    const now = ports.now()
    if (Math.abs(now.getTime() - forgotAtMs) < forgetEveryMs) return
    // Bite by bite until nothing is left: one bite a minute would fall behind a busy merchant's keys.
    for (let count = 1; count > 0 && !stopped; ) {
      count = await store.forgetWhatIsOver(now)
      if (count > 0) log.swept('forgotten', count)
    }
    forgotAtMs = now.getTime()
  }

  function tick(): void {
    looking = look()
      .then(forgetMeanwhile)
      .catch(error => log.failed(error))
      .then(() => {
        if (!stopped) timer = setTimeout(tick, everyMs)
      })
  }

  return {
    start: tick,
    async sweepOnce() {
      await look()
      const counts = await Promise.all(inHand.values())
      await forget()
      return counts.reduce((total, count) => total + count, 0)
    },
    async stop() {
      stopped = true
      await looking
      if (timer !== null) clearTimeout(timer)
      await Promise.allSettled([...inHand.values(), forgetting])
    },
  }
}

type Work = (ports: Ports, store: SweepStore, merchantId: MerchantId, log: SweepLog) => Promise<number>

async function sweepAbandoned(ports: Ports, store: SweepStore, merchantId: MerchantId, log: SweepLog): Promise<number> {
  const claimed = await store.claimAbandoned(merchantId, { limit: bite, leaseMs: longestLeaseMs })
  const ends = claimed.map(async id => {
    const sale = await ports.store.load(merchantId, id)
    if (sale !== null) await endInterrupted(ports, sale)
  })
  await each(ends, log)
  if (claimed.length > 0) log.swept('transactions', claimed.length)
  return claimed.length
}

async function sweepOperations(
  ports: Ports,
  store: SweepStore,
  merchantId: MerchantId,
  log: SweepLog,
): Promise<number> {
  const claimed = await store.claimOperations(merchantId, { now: ports.now(), limit: bite, leaseMs: longestLeaseMs })
  const asks = claimed.map(async held => {
    const sale = await ports.store.load(merchantId, held.transactionId)
    if (sale !== null) await (isOpen(held) ? askAgain(ports, sale, held) : recheck(ports, sale, held))
  })
  await each(asks, log)
  if (claimed.length > 0) log.swept('operations', claimed.length)
  return claimed.length
}

async function sweepWanting(ports: Ports, store: SweepStore, merchantId: MerchantId, log: SweepLog): Promise<number> {
  const overdue = await store.findOverdue(merchantId, { now: ports.now(), limit: bite })
  const ends = overdue.map(async id => {
    const sale = await ports.store.load(merchantId, id)
    if (sale !== null && sale.transaction.actionWants !== null) await endUnwanted(ports, sale)
  })
  await each(ends, log)
  if (overdue.length > 0) log.swept('wanting', overdue.length)
  return overdue.length
}

async function sweepCards(ports: Ports, store: SweepStore, merchantId: MerchantId, log: SweepLog): Promise<number> {
  const claimed = await store.claimSpentCards(merchantId, { now: ports.now(), limit: bite })
  const removals = claimed.map(async token => {
    if ((await store.removeCard(merchantId, token)) === 'unknown') log.cardNotRemoved(merchantId)
  })
  await each(removals, log)
  if (claimed.length > 0) log.swept('cards', claimed.length)
  return claimed.length
}

/** One that fails (a bug of an adapter) must not take the others with it; its lease ends, and it is taken up again. */
async function each(work: readonly Promise<void>[], log: SweepLog): Promise<void> {
  for (const result of await Promise.allSettled(work)) {
    if (result.status === 'rejected') log.failed(result.reason)
  }
}
