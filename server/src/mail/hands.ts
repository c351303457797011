// Hands: takes what is due in hand, merchant by merchant, a few at a time, and does it. Whatever is in hand when the process
// dies is freed by another's heart, and taken up there. One that failed by a bug of ours stays held for a while, and is then
// tried again: not over and over.

import type { MerchantId, WorkerId } from '../core/ids.ts'

export interface Held {
  readonly merchantId: MerchantId
  readonly id: string
}

export interface HandsStore<Thing extends Held> {
  /** Merchants with something to claim, the longest due first. */
  listDue(now: Date): Promise<readonly MerchantId[]>
  claim(
    merchantId: MerchantId,
    claim: { readonly holder: WorkerId; readonly now: Date; readonly limit: number },
  ): Promise<readonly Thing[]>
  /** Gives back what this worker holds without having it in hand; how many. */
  freeOthers(holder: WorkerId, inHand: readonly string[]): Promise<number>
}

export interface HandsWorld<Thing extends Held> {
  readonly store: HandsStore<Thing>
  readonly work: (thing: Thing) => Promise<void>
  readonly inHandMax: number
  /** So that one merchant's slow work leaves room for another's. Where many hands are full, it is as many as are free. */
  readonly perMerchantMax: number
  /** Who holds what this process claims; its heart beats. */
  readonly holder: () => Promise<WorkerId>
  readonly now: () => Date
  readonly freed: (count: number) => void
  readonly failed: (error: unknown) => void
}

export interface Hands {
  start(): void
  /** Something may be due now. */
  wake(): void
  /** Does all that is due, and answers when it is done: how many were taken in hand for it. */
  doDue(): Promise<number>
  /** Finishes what is in hand. */
  stop(): Promise<void>
}

const everyMs = 1_000
const tidyEveryMs = 5_000
const failedRestMs = 30_000

export function createHands<Thing extends Held>(world: HandsWorld<Thing>): Hands {
  const { store } = world
  const inHand = new Map<Thing, Promise<void>>()
  /** What failed, until it is freed. */
  const resting = new Set<string>()
  let timer: NodeJS.Timeout | null = null
  let looking: Promise<number> | null = null
  let wokenMeanwhile = false
  let goes = false
  let stopping = false
  let tidiedAtMs = performance.now()

  /** One round over the merchants with something due: how many were taken in hand. Never two at the same time. */
  function look(): Promise<number> {
    looking ??= claimSome().finally(() => {
      looking = null
    })
    return looking
  }

  async function claimSome(): Promise<number> {
    const [holder, now] = [await world.holder(), world.now()]
    await tidy(holder)
    let taken = 0
    const due = await store.listDue(now)
    // Whoever has the least in hand comes first, however long others have waited: theirs may be what takes so long.
    for (const merchantId of due.toSorted((one, other) => ownOf(one) - ownOf(other))) {
      const limit = roomFor(merchantId)
      if (limit === 0) continue
      const held = await store.claim(merchantId, { holder, now, limit })
      for (const each of held) takeInHand(each)
      taken += held.length
    }
    return taken
  }

  const ownOf = (merchantId: MerchantId) => [...inHand.keys()].filter(held => held.merchantId === merchantId).length

  /** Half of what is free beside its own, as for HTTP requests: several whose work hangs leave some to the next. */
  function roomFor(merchantId: MerchantId): number {
    if (stopping) return 0
    const own = ownOf(merchantId)
    const free = world.inHandMax - inHand.size
    return Math.max(0, Math.min(Math.ceil((free - own) / 2), world.perMerchantMax - own))
  }

  function takeInHand(held: Thing): void {
    const working = world
      .work(held)
      .catch(error => {
        world.failed(error)
        rest(held.id)
      })
      .then(() => {
        inHand.delete(held)
        wake()
      })
    inHand.set(held, working)
  }

  function rest(id: string): void {
    resting.add(id)
    setTimeout(() => resting.delete(id), failedRestMs).unref()
  }

  /** Held in our name, but not in hand: a commit that went through unheard, or a bug. */
  async function tidy(holder: WorkerId): Promise<void> {
    if (performance.now() - tidiedAtMs < tidyEveryMs) return
    tidiedAtMs = performance.now()
    const own = [...inHand.keys()].map(({ id }) => id)
    const count = await store.freeOthers(holder, [...own, ...resting])
    if (count > 0) world.freed(count)
  }

  function wake(): void {
    if (looking !== null) wokenMeanwhile = true
    else lookAfter(0)
  }

  function lookAfter(afterMs: number): void {
    if (!goes) return
    if (timer !== null) clearTimeout(timer)
    timer = setTimeout(round, afterMs)
  }

  function round(): void {
    timer = null
    wokenMeanwhile = false
    void look()
      .catch(world.failed)
      .then(() => lookAfter(wokenMeanwhile ? 0 : everyMs))
  }

  return {
    start() {
      goes = true
      lookAfter(0)
    },
    wake,
    async doDue() {
      for (let done = 0; ; ) {
        const taken = await look()
        done += taken
        if (inHand.size === 0 && taken === 0) return done
        await Promise.all(inHand.values())
        if (stopping) return done
      }
    },
    async stop() {
      stopping = true
      goes = false
      if (timer !== null) clearTimeout(timer)
      await looking?.catch(() => null)
      await Promise.all(inHand.values())
    },
  }
}
