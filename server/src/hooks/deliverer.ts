// Claim, sign, send, settle. A notification that a charge of this process owes goes out from memory at once; all others are
// claimed from the database, lane by lane, in bites that fit into memory. What is in hand when the process dies is freed by
// another and sent again: at least once, never zero times.

import type { Attempt, AttemptResult, HeldDelivery, LaneName, Outbox } from '../core/delivery.ts'
import type { ClaimId, DeliveryId, EndpointId, MerchantId, WorkerId } from '../core/ids.ts'
import { afterAttempt, isAccepted } from '../core/retry-schedule.ts'
import { createClaims } from './claims.ts'
import type { DelivererWorld } from './deliverer-world.ts'
import { createHeart } from './heart.ts'
import type { Taken } from './lane.ts'
import { createLanes } from './lanes.ts'
import { limits } from './limits.ts'
import { createPace } from './pace.ts'
import { createRounds } from './rounds.ts'
import { createSettler } from './settler.ts'
import { strayCatcher } from './strays.ts'

export interface Deliverer {
  readonly outbox: Outbox
  /** Begins to send what is owed, whoever owes it. */
  start(): Promise<void>
  /** Whose name this process holds things by: its heart beats from now on. */
  holder(): Promise<WorkerId>
  /** Something may be due now. */
  wake(): void
  /** Sends all that is due, and answers when its results are written: how many attempts that took. */
  deliverDue(): Promise<number>
  /** Lets what is on the wire end, for a moment; frees the rest. */
  stop(): Promise<void>
}

const tidyEveryMs = 5_000
const biteMax = 512
const lanesAtOnce = 8
/** What waited longer in memory is looked up again: its endpoint may have been paused, moved or deleted, its key replaced. */
const staleAfterMs = 1_000
const endWithinMs = 5_000

export function createDeliverer(world: DelivererWorld): Deliverer {
  const { store, observe } = world
  const lanes = createLanes()
  const pace = createPace(world.isAwaited)
  const settler = createSettler({
    write: writeResults,
    isAway: store.isAway,
    isMoreToCome,
    wrote,
    failed: observe.failed,
  })
  const heart = createHeart({
    store: store.workers,
    newId: world.newWorkerId,
    lost: forgetAll,
    freed: observe.freed,
    failed: observe.failed,
  })
  const rounds = createRounds(lookAndTidy, observe.failed)
  const claims = createClaims((merchantId, id) => void store.endClaims(merchantId, [id]).catch(observe.failed))
  const freeStrayNewborn = strayCatcher<DeliveryId>({
    list: holder => store.listNewborn(holder),
    free: (merchantId, holder, ids) => store.freeNewborn(merchantId, holder, ids),
    inHand: () => new Set([...lanes.ids(), ...settler.ids()]),
    freed: observe.freed,
  })
  const endStrayClaims = strayCatcher<ClaimId>({
    list: holder => store.listClaims(holder),
    free: (merchantId, _, ids) => store.endClaims(merchantId, ids),
    inHand: claims.ids,
    freed: observe.freed,
  })
  /** Whose attempt threw what nobody foresaw: given back with the next tidying, not at once, or it would be thrown without end. */
  const broken: HeldDelivery[] = []
  /** Lanes of which more is due than fitted into memory. */
  const moreIn = new Set<EndpointId>()
  /** Lanes whose next claim begins at the beginning: a round has come, or something of them was given back. */
  let fromStart = new Set<EndpointId>()
  /** There was no room in memory for some lane, whatever it holds itself. */
  let wasFull = false
  const refills = new Map<EndpointId, Promise<number>>()
  let pumpsSoon = false
  let onWire = 0
  let wireIsClear = Promise.withResolvers<void>()
  let beating: Promise<void> | null = null
  let sends = false
  let stopping = false
  let isOver = false
  let attempts = 0
  let tidiedAtMs = 0

  async function writeResults(merchantId: MerchantId, results: readonly AttemptResult[]): Promise<void> {
    // A worker that was buried goes on under another name.
    for (const [holder, own] of Map.groupBy(results, ({ held }) => held.holder)) {
      const { ids, paused } = await store.settle(merchantId, holder, own)
      if (ids.length < own.length) observe.tooLate(own.length - ids.length)
      for (const { held, after } of own) {
        if (held.state === 'pending' && after.state === 'dropped' && ids.includes(held.id)) observe.dropped(held)
      }
      for (const endpoint of paused) {
        observe.paused(merchantId, endpoint)
        // Rounds do the rest.
        await store.setLaneAside({ merchantId, endpointId: endpoint.endpointId }, 'paused').catch(observe.failed)
      }
    }
  }

  function isMoreToCome(): boolean {
    return onWire > 0 || lanes.waiting > 0
  }

  /** What waits is in other hands; what is on the wire ends, and its result is refused. */
  function forgetAll(): void {
    lanes.empty()
    claims.forgetAll()
  }

  function wrote(results: readonly AttemptResult[]): void {
    for (const { held } of results) {
      lanes.settled(held)
      claims.leave(held)
    }
    pump()
  }

  function takeIn(held: readonly HeldDelivery[]): void {
    for (const delivery of held) lanes.add(delivery)
    pump()
  }

  function pump(): void {
    while (!stopping) {
      if (!pace.hasRoom()) {
        pumpSoon()
        return
      }
      const taken = lanes.next()
      if (taken === null) return
      pace.begun(taken.held.details)
      onWire += 1
      void send(taken)
    }
  }

  /** Attempts that end in one turn of the event loop are followed together: who receives them is woken once for all. */
  function pumpSoon(): void {
    if (pumpsSoon) return
    pumpsSoon = true
    setImmediate(() => {
      pumpsSoon = false
      pace.newTurn()
      pump()
    })
  }

  async function send(taken: Taken): Promise<void> {
    const { held } = taken
    let accepted: boolean | null = null // no attempt was made, or none that counts
    try {
      const isFresh = taken.begunMs - taken.sinceMs < staleAfterMs
      const sending = isFresh ? held : await sendingOf(held)
      if (sending !== null) {
        const attempt = await world.attempt(sending)
        // One that we cut off ourselves is made again by the next worker, under the same number.
        if (!isOver) accepted = note(sending, attempt)
      }
    } catch (error) {
      observe.failed(error)
      broken.push(held)
      accepted = false
    }
    lanes.done(taken, accepted)
    if (accepted === false) await free(lanes.surplusOf(held)).catch(observe.failed)
    leaveWire(held)
  }

  /** Sends the result of an attempt on its way into the database, and says whether it was accepted. */
  function note(held: HeldDelivery, attempt: Attempt): boolean {
    attempts += 1
    const accepted = isAccepted(attempt.status)
    lanes.unsettled(held)
    const after = afterAttempt(held, { at: attempt.at, accepted })
    held.details = ''
    settler.add({ held, attempt, after })
    tell(held, attempt)
    return accepted
  }

  function leaveWire(held: HeldDelivery): void {
    pumpSoon()
    if (moreIn.has(held.endpointId) && lanes.hasRoomForMore(held)) refill(held).catch(observe.failed)
    if (wasFull && lanes.inFlight + lanes.waiting <= limits.all) rounds.wake()
    onWire -= 1
    if (onWire > 0) return
    if (!isMoreToCome()) settler.noneToCome()
    wireIsClear.resolve()
    wireIsClear = Promise.withResolvers()
  }

  /** Its result is on its way by now, whatever becomes of this. */
  function tell(held: HeldDelivery, attempt: Attempt): void {
    try {
      observe.attempted(held, attempt)
    } catch (error) {
      observe.failed(error)
    }
  }

  /** As its endpoint and key are now. Null: it may not go now, and is given back; a round sets it aside. */
  async function sendingOf(held: HeldDelivery): Promise<HeldDelivery | null> {
    const sending = await store.findSending(held)
    if (sending !== null) return { ...held, ...sending }
    await free([held])
    return null
  }

  /** Whether or not the database hears of it, they are not in hand any more: what it was not told is free when their claim ends. */
  async function free(some: readonly HeldDelivery[]): Promise<void> {
    try {
      for (const [merchantId, own] of Map.groupBy(some, held => held.merchantId)) await freeOf(merchantId, own)
    } finally {
      for (const held of some) {
        claims.leave(held)
        fromStart.add(held.endpointId)
      }
    }
  }

  async function freeOf(merchantId: MerchantId, own: readonly HeldDelivery[]): Promise<void> {
    const claimed = own.filter(({ claimId }) => claimId !== null)
    const claimIds = [...new Set(claimed.flatMap(({ claimId }) => claimId ?? []))]
    if (claimIds.length > 0) await store.cutClaims(merchantId, claimIds, idsOf(claimed))
    const newborn = own.filter(({ claimId }) => claimId === null)
    for (const [holder, mine] of Map.groupBy(newborn, held => held.holder)) {
      await store.freeNewborn(merchantId, holder, idsOf(mine))
    }
  }

  function refill(lane: LaneName): Promise<number> {
    const running = refills.get(lane.endpointId)
    if (running !== undefined) return running
    const refilled = claimSome(lane).finally(() => refills.delete(lane.endpointId))
    refills.set(lane.endpointId, refilled)
    return refilled
  }

  async function claimSome(lane: LaneName): Promise<number> {
    if (stopping) return 0
    const { endpointId } = lane
    const limit = biteOf(lanes.roomIn(lane))
    const goesOn = limit > 0 && !fromStart.delete(endpointId)
    const holder = heart.id
    const claim = { id: world.newClaimId(), holder, now: world.now(), limit, goesOn }
    const held = limit === 0 ? [] : await store.claim(lane, claim)
    if (holder !== heart.id) return 0 // it was taken for dead meanwhile, and this is in other hands
    claims.take(held)
    wasFull ||= lanes.isFull
    takeIn(held)
    if (held.length === limit) moreIn.add(endpointId)
    else if (goesOn) return held.length + (await claimRest(lane))
    else moreIn.delete(endpointId)
    return held.length
  }

  /** After the claims there is no more: what is left was given back, or came late. */
  function claimRest(lane: LaneName): Promise<number> {
    fromStart.add(lane.endpointId)
    return claimSome(lane)
  }

  /** One round over all lanes: how many deliveries were taken up, and how many set aside. */
  async function look(): Promise<{ taken: number; setAside: number }> {
    lanes.noteRound()
    pump()
    const now = world.now()
    const due = (await store.listLanes()).filter(({ dueAt, closed }) => dueAt <= now || closed !== null)
    const dueIds = new Set(due.map(({ endpointId }) => endpointId))
    for (const endpointId of moreIn) if (!dueIds.has(endpointId)) moreIn.delete(endpointId)
    fromStart = dueIds
    wasFull = false
    let taken = 0
    let setAside = 0
    // The longest due first: where there is not room for all, nobody is always the last.
    const next = due.sort((a, b) => a.dueAt.getTime() - b.dueAt.getTime()).values()
    const work = async () => {
      for (const lane of next) {
        if (lane.closed === null) taken += await refill(lane)
        else setAside += await store.setLaneAside(lane, lane.closed)
      }
    }
    await Promise.all(Array.from({ length: lanesAtOnce }, work))
    return { taken, setAside }
  }

  async function lookAndTidy(): Promise<boolean> {
    const { setAside } = await look()
    return (await tidy()) || setAside > 0
  }

  /** Whether there may be more. */
  async function tidy(): Promise<boolean> {
    if (performance.now() - tidiedAtMs < tidyEveryMs) return false
    if ((await store.mend()) > 0) return true
    tidiedAtMs = performance.now()
    await freeBroken()
    for (const { merchantId, id, left } of claims.outlasting()) await store.cutClaims(merchantId, [id], left)
    await freeStrayNewborn(heart.id)
    await endStrayClaims(heart.id)
    return false
  }

  async function freeBroken(): Promise<void> {
    const some = broken.splice(0)
    if (some.length === 0) return
    await free(some)
    observe.freed(some.length)
  }

  /** One that could not begin is begun anew. */
  function alive(): Promise<void> {
    beating ??= heart.start().catch(error => {
      beating = null
      throw error
    })
    return beating
  }

  return {
    outbox: {
      holder: () => (sends && !stopping && !lanes.isFull ? heart.id : null),
      fullLanes: merchantId => lanes.fullLanes(merchantId),
      born(held, unheld) {
        takeIn(held)
        if (!unheld) return
        if (sends) rounds.wake()
        else world.wakeOthers()
      },
    },
    async start() {
      await alive()
      sends = true
      rounds.begin()
    },
    async holder() {
      await alive()
      return heart.id
    },
    wake: rounds.wake,
    async deliverDue() {
      await alive()
      const before = attempts
      for (;;) {
        const { taken, setAside } = await look()
        while (onWire + settler.unsettled + refills.size > 0) {
          await Promise.allSettled(refills.values())
          if (onWire > 0) await wireIsClear.promise
          await settler.settled()
        }
        if (stopping || taken + setAside + moreIn.size + lanes.waiting === 0) return attempts - before
      }
    },
    async stop() {
      stopping = true
      await rounds.end()
      await Promise.allSettled(refills.values())
      await within(endWithinMs, (onWire > 0 ? wireIsClear.promise : Promise.resolve()).then(settler.settled))
      isOver = true
      world.cutOff()
      if (beating !== null) await heart.stop()
    },
  }
}

function idsOf(held: readonly HeldDelivery[]): DeliveryId[] {
  return held.map(({ id }) => id)
}

/** One of a few sizes: each is a statement that the database plans by itself. */
function biteOf(room: number): number {
  return room < 1 ? 0 : Math.min(biteMax, 2 ** Math.floor(Math.log2(room)))
}

async function within(timeMs: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise(resolve => {
    timer = setTimeout(resolve, timeMs)
  })
  await Promise.race([work, over])
  clearTimeout(timer)
}
