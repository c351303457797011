// How much of this thread's CPU time the endpoints of one merchant may take. Certificates and DNS answers are written by the
// other side; some take half a second to verify, which nothing can interrupt. A merchant whose connections cost too much has
// those ended that are being opened. From then on it opens one at a time, and rests in between: it gets a sixth of the thread
// at most, however many endpoints it has.

import { type Limit, leftMs } from './limit.ts'
import type { Meter } from './metered-socket.ts'
import { type Reading, ReadingTurns, restTimes } from './reading-turns.ts'

/** An ordinary connection takes 2 to 5 ms. The first of a thread takes more, and one beside a garbage collection. */
const ordinaryMs = 10
/** What a merchant's connections may take beyond that. One that is ordinary makes up for a millisecond. */
const excessMaxMs = 50
/** Since the last such connection. */
const rememberedMs = 600_000

export const tooMuchComputing =
  'Connecting to this merchant’s endpoints takes too much computing: use a usual certificate and DNS entry.'

interface Account {
  readonly opening: Set<Share>
  excessMs: number
  /** One at a time until then. */
  costlyUntilMs: number
  /** Done when the next one may begin. */
  tail: Promise<unknown>
}

export class ComputingShares {
  readonly #accounts = new Map<string, Account>()
  readonly #turns = new ReadingTurns()

  /** Null: the merchant's turn did not come within the limit. */
  async begin(merchant: string, limit: Limit): Promise<Share | null> {
    const account = this.#accountOf(merchant)
    const share = new Share(account, {
      inTurn: read => this.#turns.take(merchant, read, () => performance.now() < account.costlyUntilMs),
      whenOver: () => this.#forget(merchant, account),
    })
    account.opening.add(share)
    if (performance.now() >= account.costlyUntilMs) return share
    const before = account.tail
    account.tail = Promise.all([before, share.over])
    if (await isInTime(before, limit)) return share
    share.end()
    return null
  }

  #accountOf(merchant: string): Account {
    const known = this.#accounts.get(merchant)
    if (known !== undefined) return known
    const account = { opening: new Set<Share>(), excessMs: 0, costlyUntilMs: 0, tail: Promise.resolve() }
    this.#accounts.set(merchant, account)
    return account
  }

  #forget(merchant: string, { opening, excessMs, costlyUntilMs }: Account): void {
    if (opening.size === 0 && excessMs === 0 && performance.now() >= costlyUntilMs) this.#accounts.delete(merchant)
  }
}

interface AroundShare {
  inTurn(read: Reading): void
  whenOver(): void
}

/** One connection: what it has cost, and whether it may still be opened. */
export class Share implements Meter {
  /** Done when the merchant's next one may begin. */
  readonly over: Promise<void>
  /** Called when it has cost too much itself. */
  onCostly: (() => void) | null = null
  /** Called at most once, while the connection is being opened. */
  onCut: (() => void) | null = null
  isCut = false

  readonly #account: Account
  readonly #around: AroundShare
  readonly #resolve: () => void
  #spentMs = 0
  #hasEnded = false

  constructor(account: Account, around: AroundShare) {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.over = promise
    this.#resolve = resolve
    this.#account = account
    this.#around = around
  }

  inTurn(read: Reading): void {
    this.#around.inTurn(read)
  }

  spend(cpuMs: number): void {
    const account = this.#account
    const before = Math.max(this.#spentMs, ordinaryMs)
    this.#spentMs += cpuMs
    if (this.#spentMs <= before) return
    account.excessMs += this.#spentMs - before
    if (account.excessMs <= excessMaxMs) return
    this.#limitMerchant()
    // What is said after the handshake may cost as much.
    this.onCostly?.()
  }

  /** It is open: from now on it is not cut for what others cost. */
  opened(): void {
    this.#account.opening.delete(this)
    this.onCut = null
  }

  /** The exchange is over, or will not be. */
  end(): void {
    const account = this.#account
    account.opening.delete(this)
    if (this.#hasEnded) return
    this.#hasEnded = true
    const isOrdinary = this.#spentMs <= ordinaryMs
    if (isOrdinary) account.excessMs = Math.max(0, account.excessMs - 1)
    if (isOrdinary) this.#resolve()
    else setTimeout(this.#resolve, this.#spentMs * restTimes).unref()
    this.#around.whenOver()
  }

  #limitMerchant(): void {
    const account = this.#account
    if (performance.now() >= account.costlyUntilMs) account.tail = Promise.all([account.tail, this.over])
    account.costlyUntilMs = performance.now() + rememberedMs
    account.excessMs = 0
    for (const other of account.opening) if (other !== this) other.#cut()
  }

  #cut(): void {
    if (this.isCut) return
    this.isCut = true
    this.onCut?.()
  }
}

async function isInTime(turn: Promise<unknown>, limit: Limit): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(resolve, leftMs(limit), false)
  try {
    return await Promise.race([promise, turn.then(() => true)])
  } finally {
    clearTimeout(timer)
  }
}
