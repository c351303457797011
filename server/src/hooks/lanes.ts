// Who goes next. Deliveries wait in lanes, one per endpoint. Merchants take turns, and with each turn of a merchant its lanes do: many
// endpoints of one are one to the others. A lane whose endpoint fails narrows down to a few attempts at a time, and failing lanes together
// never fill the house: a dead neighbour costs a working endpoint nothing, be it of another merchant or of the same. An attempt that takes
// long is taken for one that will fail: it gives its place back while it still waits, so that many endpoints that begin to hang at once
// stop nobody. Of the room for those that fail a merchant has as much as is free, so that another's endpoint that failed once is tried again.

import type { HeldDelivery, LaneName } from '../core/delivery.ts'
import type { DeliveryId, EndpointId, MerchantId } from '../core/ids.ts'
import { Chain } from './chain.ts'
import {
  count,
  depthMin,
  type Lack,
  type Lane,
  type Load,
  left,
  type Merchant,
  meanOf,
  newLane,
  newlyTaken,
  newMerchant,
  type Taken,
} from './lane.ts'
import { type Limits, limits } from './limits.ts'

export interface Lanes {
  add(held: HeldDelivery): void
  /** The next to send, by turns; null: nothing waits that there is room for. */
  next(): Taken | null
  /** Its attempt is over; null: it was not made. */
  done(taken: Taken, accepted: boolean | null): void
  /** Its result is on the way into the database, and is there. */
  unsettled(held: LaneName): void
  settled(held: LaneName): void
  /** A round: attempts that take long by now give their places back, and failing lanes may go on. */
  noteRound(): void
  /** Takes out what waits beyond what its lane may hold: one that narrowed is slow to come to them. */
  surplusOf(lane: LaneName): HeldDelivery[]
  /** How many more of this lane may be taken into memory. */
  roomIn(lane: LaneName): number
  /** Worth another claim. */
  hasRoomForMore(lane: LaneName): boolean
  fullLanes(merchantId: MerchantId): EndpointId[]
  /** Of all that are in memory. */
  ids(): Set<DeliveryId>
  /** Takes out all that wait. */
  empty(): HeldDelivery[]
  readonly inFlight: number
  readonly waiting: number
  /** No lane has room in memory. */
  readonly isFull: boolean
}

/** A waiting later attempt goes after so many firsts of its lane: a busy lane must not starve its retries. */
const firstsInARow = 3

export function createLanes(max: Limits = limits, nowMs: () => number = () => performance.now()): Lanes {
  const lanes = new Map<EndpointId, Lane>()
  const merchants = new Map<MerchantId, Merchant>()
  const atRest = new Set<Lane>()
  /** In the order in which they began. */
  const onWire = new Chain<Taken>()
  const all: Load = { inFlight: 0, waiting: 0 }
  /** Of the lanes that fail now. */
  const failing: Load = { inFlight: 0, waiting: 0 }
  /** Of all merchants. Many that began well and then take long are more than a merchant may have: they do not count against others. */
  let failingOrSlow = 0
  const failingOrSlowOfOne = Math.ceil(max.failing / 2)
  let laterInFlight = 0
  let slow = 0
  /** Merchants with a lane that is ready. */
  const ring: Merchant[] = []
  const short = { failing: new Set<Merchant>(), later: [] as Lane[], round: [] as Lane[] }

  function laneOf({ merchantId, endpointId, endpointFails }: HeldDelivery): Lane {
    const known = lanes.get(endpointId)
    if (known !== undefined) return known
    const merchant = merchants.get(merchantId) ?? newMerchant(merchantId)
    const lane = newLane(endpointId, merchant, endpointFails, endpointFails ? max.laneMin : max.laneStart)
    merchants.set(merchantId, merchant)
    merchant.lanes.add(lane)
    lanes.set(endpointId, lane)
    return lane
  }

  function load(lane: Lane, inFlight: number, waiting: number): void {
    count(lane, inFlight, waiting)
    count(lane.merchant, inFlight, waiting)
    count(all, inFlight, waiting)
    if (!lane.failing) return
    count(failing, inFlight, waiting)
    countFailingOrSlow(lane.merchant, inFlight)
  }

  function countFailingOrSlow(merchant: Merchant, by: number): void {
    failingOrSlow -= Math.min(merchant.failingOrSlow, failingOrSlowOfOne)
    merchant.failingOrSlow += by
    failingOrSlow += Math.min(merchant.failingOrSlow, failingOrSlowOfOne)
  }

  function countSlow(lane: Lane, by: 1 | -1): void {
    slow += by
    lane.slow += by
    lane.merchant.slow += by
    countFailingOrSlow(lane.merchant, by)
  }

  function setFailing(lane: Lane, fails: boolean): void {
    if (lane.failing === fails) return
    const { inFlight, waiting } = lane
    load(lane, -inFlight, -waiting)
    lane.failing = fails
    load(lane, inFlight, waiting)
  }

  /** How many times its width a lane may have in memory: each of them takes as long as an attempt. */
  const depthOf = ({ tookMs }: Lane) => Math.min(max.depth, Math.max(depthMin, Math.floor(max.waitMs / tookMs)))

  function roomFor({ endpointId, merchantId }: LaneName): number {
    const lane = lanes.get(endpointId)
    const rooms = [
      left((lane === undefined ? max.depth : depthOf(lane)) * (lane?.width ?? max.laneStart), lane) - (lane?.slow ?? 0),
      left(max.depth * max.merchant, merchants.get(merchantId)),
      left(max.depth * max.all, all),
      lane?.failing ? left(max.depth * max.failing, failing) : Number.POSITIVE_INFINITY,
    ]
    return Math.max(0, Math.min(...rooms))
  }

  const isTaken = (lane: Lane) => lane.inFlight + lane.slow >= lane.width
  const merchantIsTaken = (merchant: Merchant) =>
    merchant.inFlight >= max.merchant ||
    merchant.inFlight + merchant.slow >= max.merchantSockets ||
    merchant.inFlight + merchant.unsettled >= max.merchantUnwritten
  /** Half of it alone, two that come at once a third each: there is always some left for the next. */
  const failingIsTaken = (merchant: Merchant) => merchant.failingOrSlow >= max.failing - failingOrSlow

  /** To the end of its merchant's, if it has something to send and is wide enough. */
  function enqueue(lane: Lane): boolean {
    if (lane.waitsIn !== null || lane.waiting === 0 || isTaken(lane)) return false
    lane.waitsIn = 'ring'
    if (lane.merchant.ready.push(lane) === 1) ring.push(lane.merchant)
    return true
  }

  /** Whose turn it is; its merchant has the next one after all others. */
  function nextReady(): Lane | null {
    const merchant = ring.shift()
    const lane = merchant?.ready.shift()
    if (merchant === undefined || lane === undefined) return null
    if (merchant.ready.length > 0) ring.push(merchant)
    return lane
  }

  /** What a lane lacks room in; null: it can go. */
  function lacks(lane: Lane): Lack | null {
    if (lane.failing && lane.begun >= max.failingPerRound) return 'round'
    if (merchantIsTaken(lane.merchant)) return 'merchant'
    if (lane.failing && failingIsTaken(lane.merchant)) return 'failing'
    return lane.firsts.first === null && laterInFlight >= max.later ? 'later' : null
  }

  function waitFor(room: Lack, lane: Lane): void {
    lane.waitsIn = room
    if (room === 'failing') short.failing.add(lane.merchant)
    queueFor(room, lane).push(lane)
  }

  const queueFor = (room: Lack, { merchant }: Lane): Lane[] =>
    room === 'merchant' || room === 'failing' ? merchant.short[room] : short[room]

  /**
   * Wherever there is room, one lane that waits for it gets its turn. Looked at whenever an attempt ends and whenever a
   * lane had its turn, whether or not that one used the room: so no lane is forgotten, and nobody goes through all.
   */
  function wakeWhereThereIsRoom(merchant: Merchant): void {
    if (!merchantIsTaken(merchant)) wakeOne(merchant.short.merchant)
    if (failingOrSlow < max.failing) wakeOneThatFails()
    if (laterInFlight < max.later) wakeOne(short.later)
  }

  /** False: none that still has something to send. */
  function wakeOne(queue: Lane[]): boolean {
    for (let lane = queue.shift(); lane !== undefined; lane = queue.shift()) {
      lane.waitsIn = null
      if (enqueue(lane)) return true
      rest(lane)
    }
    return false
  }

  /** Merchants take turns at this, too. All whose share is taken together have no more than there is room. */
  function wakeOneThatFails(): void {
    for (const merchant of short.failing) {
      if (failingIsTaken(merchant)) continue
      const isAwake = wakeOne(merchant.short.failing)
      short.failing.delete(merchant)
      if (merchant.short.failing.length > 0) short.failing.add(merchant)
      if (isAwake) return
    }
  }

  /** It needs the room no more that it waited for. */
  function leave(room: Lack, lane: Lane): void {
    const queue = queueFor(room, lane)
    queue.splice(queue.indexOf(lane), 1)
    lane.waitsIn = null
    if (lane.merchant.short.failing.length === 0) short.failing.delete(lane.merchant)
  }

  /** With nothing to do it is remembered for what it learned; of many, the one that rests longest is forgotten. */
  function rest(lane: Lane): void {
    if (lane.waitsIn !== null || lane.inFlight + lane.slow + lane.waiting > 0) return
    atRest.add(lane)
    const [longest] = atRest
    if (atRest.size <= max.atRest || longest === undefined) return
    atRest.delete(longest)
    lanes.delete(longest.endpointId)
    longest.merchant.lanes.delete(longest)
    forgetIfIdle(longest.merchant)
  }

  function forgetIfIdle(merchant: Merchant): void {
    if (merchant.lanes.size === 0 && merchant.unsettled === 0) merchants.delete(merchant.id)
  }

  function pick(lane: Lane): Taken | null {
    lane.picks += 1
    const { first } = lane.firsts
    const later = laterInFlight < max.later ? lane.later.first : null
    return first === null || (later !== null && lane.picks % (firstsInARow + 1) === 0) ? later : first
  }

  /** What goes in this lane's turn, if anything can. */
  function takeTurn(lane: Lane): Taken | null {
    lane.waitsIn = null
    // It may have narrowed or been emptied while it waited.
    if (lane.waiting === 0 || isTaken(lane)) return null
    const room = lacks(lane)
    if (room !== null) waitFor(room, lane)
    const taken = room === null ? pick(lane) : null
    if (taken === null) return null
    takeOut(taken)
    load(lane, 1, 0)
    lane.begun += Number(lane.failing)
    laterInFlight += Number(taken.isLater)
    taken.begunMs = nowMs()
    onWire.add(taken)
    enqueue(lane)
    return taken
  }

  /** It waits no more. */
  function takeOut(taken: Taken): void {
    const { lane } = taken
    const queue = taken.isLater ? lane.later : lane.firsts
    queue.remove(taken)
    load(lane, 0, -1)
  }

  /** It is off the wire. */
  function end(taken: Taken): void {
    onWire.remove(taken)
    if (taken.isSlow) countSlow(taken.lane, -1)
    else giveBackPlace(taken)
  }

  function giveBackPlace({ lane, isLater }: Taken): void {
    load(lane, -1, 0)
    laterInFlight -= Number(isLater)
  }

  const widestOf = ({ tookMs }: Lane) => (tookMs < max.quickMs ? max.quickLane : max.lane)

  function judge(lane: Lane, accepted: boolean): void {
    setFailing(lane, !accepted)
    lane.width = accepted ? Math.min(widestOf(lane), lane.width + 1) : Math.max(max.laneMin, lane.width >> 1)
    if (!accepted) return
    lane.begun = 0
    if (lane.waitsIn === 'failing' || lane.waitsIn === 'round') leave(lane.waitsIn, lane)
  }

  /** From now on it is counted among those that fail. */
  function slowDown(taken: Taken): void {
    const { lane } = taken
    giveBackPlace(taken)
    taken.isSlow = true
    countSlow(lane, 1)
    judge(lane, false)
    enqueue(lane)
    wakeWhereThereIsRoom(lane.merchant)
  }

  const allWaiting = () => [...lanes.values()].flatMap(({ firsts, later }) => [...firsts, ...later])

  return {
    add(held) {
      const lane = laneOf(held)
      atRest.delete(lane)
      const taken = newlyTaken(held, lane, nowMs())
      const queue = taken.isLater ? lane.later : lane.firsts
      queue.add(taken)
      load(lane, 0, 1)
      if (lane.waitsIn === 'later' && !taken.isLater) leave('later', lane)
      enqueue(lane)
    },
    next() {
      while (all.inFlight < max.all && all.inFlight + slow < max.sockets) {
        const lane = nextReady()
        if (lane === null) return null
        const taken = takeTurn(lane)
        rest(lane)
        wakeWhereThereIsRoom(lane.merchant)
        if (taken !== null) return taken
      }
      return null
    },
    done(taken, accepted) {
      const { lane } = taken
      end(taken)
      if (accepted !== null) {
        lane.tookMs = meanOf(lane.tookMs, nowMs() - taken.begunMs)
        judge(lane, accepted)
      }
      enqueue(lane)
      rest(lane)
      wakeWhereThereIsRoom(lane.merchant)
    },
    unsettled({ merchantId }) {
      const merchant = merchants.get(merchantId)
      if (merchant !== undefined) merchant.unsettled += 1
    },
    settled({ merchantId }) {
      const merchant = merchants.get(merchantId)
      if (merchant === undefined || merchant.unsettled === 0) return
      merchant.unsettled -= 1
      wakeWhereThereIsRoom(merchant)
      forgetIfIdle(merchant)
    },
    noteRound() {
      for (const lane of lanes.values()) lane.begun = 0
      for (let count = short.round.length; count > 0; count--) wakeOne(short.round)
      const sinceMs = nowMs() - max.takesLongMs
      for (const taken of onWire) {
        if (taken.begunMs > sinceMs) return
        if (!taken.isSlow) slowDown(taken)
      }
    },
    surplusOf({ endpointId }) {
      const lane = lanes.get(endpointId)
      const surplus: HeldDelivery[] = []
      while (lane !== undefined && lane.inFlight + lane.slow + lane.waiting > max.depth * lane.width) {
        const taken = lane.later.last ?? lane.firsts.last
        if (taken === null) break
        takeOut(taken)
        surplus.push(taken.held)
      }
      return surplus
    },
    roomIn: roomFor,
    hasRoomForMore({ endpointId }) {
      const lane = lanes.get(endpointId)
      return lane === undefined || lane.inFlight + lane.slow + lane.waiting <= (depthOf(lane) / 2) * lane.width
    },
    fullLanes(merchantId) {
      const ids = [...(merchants.get(merchantId)?.lanes ?? [])].map(({ endpointId }) => endpointId)
      return ids.filter(endpointId => roomFor({ merchantId, endpointId }) === 0)
    },
    ids: () => new Set([...onWire, ...allWaiting()].map(({ held }) => held.id)),
    empty() {
      const waiting = allWaiting()
      for (const taken of waiting) takeOut(taken)
      return waiting.map(({ held }) => held)
    },
    get inFlight() {
      return all.inFlight + slow
    },
    get waiting() {
      return all.waiting
    },
    get isFull() {
      return left(max.depth * max.all, all) <= 0
    },
  }
}
