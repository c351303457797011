// Who goes next. Deliveries wait in lanes, one per endpoint, and lanes take turns. A lane whose endpoint fails narrows down
// to one attempt at a time, and failing lanes together never fill the house: a dead neighbour costs a working endpoint
// nothing, be it of another merchant or of the same.

import type { HeldDelivery, LaneName } from '../core/delivery.ts'
import type { DeliveryId, EndpointId, MerchantId } from '../core/ids.ts'

/** Attempts in flight, per process. */
export const limits = {
  /** A new lane begins here; each success widens it by one, each failure halves it. */
  laneStart: 8,
  lane: 64,
  merchant: 128,
  all: 1_024,
  /** All failing lanes together: the rest is room for those that work. */
  failing: 512,
  /** All attempts that are not the first: the rest is room for first attempts. */
  later: 768,
} as const

type Limits = { readonly [Name in keyof typeof limits]: number }

interface Lane extends LaneName {
  readonly firsts: HeldDelivery[]
  readonly later: HeldDelivery[]
  inFlight: number
  width: number
  failing: boolean
  /** Where it waits for its turn, or for room; null: nowhere. */
  waitsIn: 'ring' | 'merchant' | 'failing' | 'later' | null
  picks: number
}

export interface Lanes {
  add(held: HeldDelivery): void
  /** The next to send, by turns; null: nothing waits that there is room for. */
  next(): HeldDelivery | null
  /** Its attempt is over. */
  done(held: HeldDelivery, accepted: boolean): void
  /** How many more of this lane may be taken into memory. */
  roomIn(lane: LaneName): number
  /** Worth another claim. */
  isHalfEmpty(lane: LaneName): boolean
  fullLanes(merchantId: MerchantId): EndpointId[]
  has(id: DeliveryId): boolean
  /** Takes out all that wait. */
  empty(): HeldDelivery[]
  readonly inFlight: number
  readonly waiting: number
}

/** A waiting later attempt goes after so many firsts of its lane: a busy lane must not starve its retries. */
const firstsInARow = 3

export function createLanes(max: Limits = limits): Lanes {
  const lanes = new Map<EndpointId, Lane>()
  const lanesOf = new Map<MerchantId, Lane[]>()
  const ids = new Set<DeliveryId>()
  const inFlightOf = new Map<MerchantId, number>()
  const count = { all: 0, failing: 0, later: 0, waiting: 0 }
  /** How each attempt in flight was counted: its lane may recover or fail meanwhile. */
  const countedAs = new Map<DeliveryId, { readonly failing: boolean; readonly later: boolean }>()
  const ring: Lane[] = []
  const short = { failing: [] as Lane[], later: [] as Lane[], merchant: new Map<MerchantId, Lane[]>() }

  function laneOf({ merchantId, endpointId }: LaneName): Lane {
    const known = lanes.get(endpointId)
    if (known !== undefined) return known
    const lane: Lane = {
      ...{ merchantId, endpointId, firsts: [], later: [] },
      ...{ inFlight: 0, width: max.laneStart, failing: false, waitsIn: null, picks: 0 },
    }
    lanes.set(endpointId, lane)
    lanesOf.set(merchantId, [...(lanesOf.get(merchantId) ?? []), lane])
    return lane
  }

  const waitingIn = (lane: Lane) => lane.firsts.length + lane.later.length
  const merchantInFlight = (lane: Lane) => inFlightOf.get(lane.merchantId) ?? 0

  const isFull = (lane: Lane) => lane.inFlight + waitingIn(lane) >= 2 * lane.width

  function enqueue(lane: Lane): void {
    if (lane.waitsIn !== null || waitingIn(lane) === 0 || lane.inFlight >= lane.width) return
    lane.waitsIn = 'ring'
    ring.push(lane)
  }

  /** What a lane lacks room in; null: it can go. */
  function lacks(lane: Lane): 'merchant' | 'failing' | 'later' | null {
    if (merchantInFlight(lane) >= max.merchant) return 'merchant'
    if (lane.failing && count.failing >= max.failing) return 'failing'
    return lane.firsts.length === 0 && count.later >= max.later ? 'later' : null
  }

  /** Where the end of an attempt looks for one that can go now. */
  function waitFor(room: 'merchant' | 'failing' | 'later', lane: Lane): void {
    lane.waitsIn = room
    if (room !== 'merchant') return void short[room].push(lane)
    const queue = short.merchant.get(lane.merchantId) ?? []
    short.merchant.set(lane.merchantId, queue)
    queue.push(lane)
  }

  function pick(lane: Lane): HeldDelivery | undefined {
    lane.picks += 1
    const laterCanGo = lane.later.length > 0 && count.later < max.later
    const laterFirst = laterCanGo && lane.picks % (firstsInARow + 1) === 0
    const picked = laterFirst ? undefined : lane.firsts.shift()
    return picked ?? (laterCanGo ? lane.later.shift() : lane.firsts.shift())
  }

  function begin(lane: Lane, held: HeldDelivery): void {
    const as = { failing: lane.failing, later: isLater(held) }
    countedAs.set(held.id, as)
    lane.inFlight += 1
    inFlightOf.set(lane.merchantId, merchantInFlight(lane) + 1)
    count.all += 1
    count.failing += Number(as.failing)
    count.later += Number(as.later)
    count.waiting -= 1
  }

  function back(queue: Lane[] | undefined): void {
    const lane = queue?.shift()
    if (lane === undefined) return
    lane.waitsIn = null
    enqueue(lane)
  }

  function end(lane: Lane, held: HeldDelivery): void {
    const as = countedAs.get(held.id)
    countedAs.delete(held.id)
    ids.delete(held.id)
    lane.inFlight -= 1
    const left = merchantInFlight(lane) - 1
    if (left === 0) inFlightOf.delete(lane.merchantId)
    else inFlightOf.set(lane.merchantId, left)
    count.all -= 1
    count.failing -= Number(as?.failing === true)
    count.later -= Number(as?.later === true)
    back(short.merchant.get(lane.merchantId))
    back(short.failing)
    back(short.later)
  }

  return {
    add(held) {
      const lane = laneOf(held)
      ids.add(held.id)
      ;(isLater(held) ? lane.later : lane.firsts).push(held)
      count.waiting += 1
      // It waited for room that a first attempt does not need.
      if (lane.waitsIn === 'later' && !isLater(held)) back(short.later.splice(short.later.indexOf(lane), 1))
      enqueue(lane)
    },
    next() {
      while (count.all < max.all) {
        const lane = ring.shift()
        if (lane === undefined) return null
        const room = lacks(lane)
        if (room !== null) {
          waitFor(room, lane)
          continue
        }
        lane.waitsIn = null
        const held = pick(lane)
        if (held === undefined) continue
        begin(lane, held)
        enqueue(lane)
        return held
      }
      return null
    },
    done(held, accepted) {
      const lane = laneOf(held)
      end(lane, held)
      lane.failing = !accepted
      lane.width = accepted ? Math.min(max.lane, lane.width + 1) : Math.max(1, lane.width >> 1)
      enqueue(lane)
    },
    roomIn(name) {
      const lane = lanes.get(name.endpointId)
      return lane === undefined ? 2 * max.laneStart : Math.max(0, 2 * lane.width - lane.inFlight - waitingIn(lane))
    },
    isHalfEmpty(name) {
      const lane = lanes.get(name.endpointId)
      return lane === undefined || lane.inFlight + waitingIn(lane) <= lane.width
    },
    fullLanes: merchantId => (lanesOf.get(merchantId) ?? []).filter(isFull).map(({ endpointId }) => endpointId),
    has: id => ids.has(id),
    empty() {
      const all = [...lanes.values()].flatMap(lane => [...lane.firsts.splice(0), ...lane.later.splice(0)])
      for (const { id } of all) ids.delete(id)
      count.waiting = 0
      return all
    },
    get inFlight() {
      return count.all
    },
    get waiting() {
      return count.waiting
    },
  }
}

function isLater({ scheduledMade, resendAt }: HeldDelivery): boolean {
  return scheduledMade > 0 || resendAt !== null
}
