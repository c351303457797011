// Who goes next. Deliveries wait in lanes, one per endpoint, and lanes take turns. A lane whose endpoint fails narrows down
// to one attempt at a time, and failing lanes together never fill the house: a dead neighbour costs a working endpoint
// nothing, be it of another merchant or of the same.

import type { HeldDelivery, LaneName } from '../core/delivery.ts'
import type { DeliveryId, EndpointId, MerchantId } from '../core/ids.ts'

/** Attempts in flight, per process. In memory there are at most twice as many: what is due beyond that stays in the database. */
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
  /** Lanes with nothing to do whose width is remembered. */
  atRest: 10_000,
} as const

type Limits = { readonly [Name in keyof typeof limits]: number }

interface Load {
  inFlight: number
  waiting: number
}

interface Merchant extends Load {
  readonly id: MerchantId
  readonly lanes: Set<Lane>
  /** Lanes that wait for room among this merchant's attempts. */
  readonly short: Lane[]
}

interface Lane extends Load {
  readonly endpointId: EndpointId
  readonly merchant: Merchant
  readonly firsts: HeldDelivery[]
  readonly later: HeldDelivery[]
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
  /** No lane has room in memory. */
  readonly isFull: boolean
}

/** A waiting later attempt goes after so many firsts of its lane: a busy lane must not starve its retries. */
const firstsInARow = 3

export function createLanes(max: Limits = limits): Lanes {
  const lanes = new Map<EndpointId, Lane>()
  const merchants = new Map<MerchantId, Merchant>()
  const atRest = new Set<Lane>()
  /** By id the newest: one that was lost and is taken up again may still be on the wire as well. */
  const inMemory = new Map<DeliveryId, HeldDelivery>()
  const all: Load = { inFlight: 0, waiting: 0 }
  /** Of the lanes that fail now. */
  const failing: Load = { inFlight: 0, waiting: 0 }
  let laterInFlight = 0
  const ring: Lane[] = []
  const short = { failing: [] as Lane[], later: [] as Lane[] }

  function laneOf({ merchantId, endpointId, endpointFails }: HeldDelivery): Lane {
    const known = lanes.get(endpointId)
    if (known !== undefined) return known
    const merchant = merchants.get(merchantId) ?? newMerchant(merchantId)
    const lane: Lane = {
      ...{ endpointId, merchant, firsts: [], later: [], inFlight: 0, waiting: 0, waitsIn: null, picks: 0 },
      ...{ width: endpointFails ? 1 : max.laneStart, failing: endpointFails },
    }
    merchants.set(merchantId, merchant)
    merchant.lanes.add(lane)
    lanes.set(endpointId, lane)
    return lane
  }

  function load(lane: Lane, inFlight: number, waiting: number): void {
    const loads: Load[] = lane.failing ? [lane, lane.merchant, all, failing] : [lane, lane.merchant, all]
    for (const each of loads) {
      each.inFlight += inFlight
      each.waiting += waiting
    }
  }

  function setFailing(lane: Lane, fails: boolean): void {
    const { inFlight, waiting } = lane
    load(lane, -inFlight, -waiting)
    lane.failing = fails
    load(lane, inFlight, waiting)
  }

  function roomFor({ endpointId, merchantId }: LaneName): number {
    const lane = lanes.get(endpointId)
    const rooms = [
      left(lane?.width ?? max.laneStart, lane),
      left(max.merchant, merchants.get(merchantId)),
      left(max.all, all),
      lane?.failing ? left(max.failing, failing) : Number.POSITIVE_INFINITY,
    ]
    return Math.max(0, Math.min(...rooms))
  }

  /** To the end of the ring, if it has something to send and is wide enough. */
  function enqueue(lane: Lane): boolean {
    if (lane.waitsIn !== null || lane.waiting === 0 || lane.inFlight >= lane.width) return false
    lane.waitsIn = 'ring'
    ring.push(lane)
    return true
  }

  /** What a lane lacks room in; null: it can go. */
  function lacks(lane: Lane): 'merchant' | 'failing' | 'later' | null {
    if (lane.merchant.inFlight >= max.merchant) return 'merchant'
    if (lane.failing && failing.inFlight >= max.failing) return 'failing'
    return lane.firsts.length === 0 && laterInFlight >= max.later ? 'later' : null
  }

  function waitFor(room: 'merchant' | 'failing' | 'later', lane: Lane): void {
    lane.waitsIn = room
    const queue = room === 'merchant' ? lane.merchant.short : short[room]
    queue.push(lane)
  }

  /**
   * Wherever there is room, one lane that waits for it gets its turn. Looked at whenever an attempt ends and whenever a
   * lane had its turn, whether or not that one used the room: so no lane is forgotten, and nobody goes through all.
   */
  function wakeWhereThereIsRoom(merchant: Merchant): void {
    if (merchant.inFlight < max.merchant) wakeOne(merchant.short)
    if (failing.inFlight < max.failing) wakeOne(short.failing)
    if (laterInFlight < max.later) wakeOne(short.later)
  }

  function wakeOne(queue: Lane[]): void {
    for (let lane = queue.shift(); lane !== undefined; lane = queue.shift()) {
      lane.waitsIn = null
      if (enqueue(lane)) return
      rest(lane)
    }
  }

  /** It needs the room no more that it waited for. */
  function leave(queue: Lane[], lane: Lane): void {
    queue.splice(queue.indexOf(lane), 1)
    lane.waitsIn = null
  }

  /** With nothing to do it is remembered for what it learned; of many, the one that rests longest is forgotten. */
  function rest(lane: Lane): void {
    if (lane.waitsIn !== null || lane.inFlight + lane.waiting > 0) return
    atRest.add(lane)
    const [longest] = atRest
    if (atRest.size <= max.atRest || longest === undefined) return
    atRest.delete(longest)
    lanes.delete(longest.endpointId)
    longest.merchant.lanes.delete(longest)
    if (longest.merchant.lanes.size === 0) merchants.delete(longest.merchant.id)
  }

  function pick(lane: Lane): HeldDelivery | undefined {
    lane.picks += 1
    const laterCanGo = lane.later.length > 0 && laterInFlight < max.later
    const laterFirst = laterCanGo && lane.picks % (firstsInARow + 1) === 0
    const picked = laterFirst ? undefined : lane.firsts.shift()
    return picked ?? (laterCanGo ? lane.later.shift() : lane.firsts.shift())
  }

  /** What goes in this lane's turn, if anything can. */
  function takeTurn(lane: Lane): HeldDelivery | null {
    lane.waitsIn = null
    // It may have narrowed or been emptied while it waited.
    if (lane.waiting === 0 || lane.inFlight >= lane.width) return null
    const room = lacks(lane)
    if (room !== null) waitFor(room, lane)
    const held = room === null ? pick(lane) : undefined
    if (held === undefined) return null
    load(lane, 1, -1)
    laterInFlight += Number(isLater(held))
    enqueue(lane)
    return held
  }

  return {
    add(held) {
      const lane = laneOf(held)
      atRest.delete(lane)
      inMemory.set(held.id, held)
      ;(isLater(held) ? lane.later : lane.firsts).push(held)
      load(lane, 0, 1)
      if (lane.waitsIn === 'later' && !isLater(held)) leave(short.later, lane)
      enqueue(lane)
    },
    next() {
      while (all.inFlight < max.all) {
        const lane = ring.shift()
        if (lane === undefined) return null
        const held = takeTurn(lane)
        rest(lane)
        wakeWhereThereIsRoom(lane.merchant)
        if (held !== null) return held
      }
      return null
    },
    done(held, accepted) {
      const lane = laneOf(held)
      if (inMemory.get(held.id) === held) inMemory.delete(held.id)
      load(lane, -1, 0)
      laterInFlight -= Number(isLater(held))
      setFailing(lane, !accepted)
      lane.width = accepted ? Math.min(max.lane, lane.width + 1) : Math.max(1, lane.width >> 1)
      if (accepted && lane.waitsIn === 'failing') leave(short.failing, lane)
      enqueue(lane)
      rest(lane)
      wakeWhereThereIsRoom(lane.merchant)
    },
    roomIn: roomFor,
    isHalfEmpty({ endpointId }) {
      const lane = lanes.get(endpointId)
      return lane === undefined || lane.inFlight + lane.waiting <= lane.width
    },
    fullLanes(merchantId) {
      const ids = [...(merchants.get(merchantId)?.lanes ?? [])].map(({ endpointId }) => endpointId)
      return ids.filter(endpointId => roomFor({ merchantId, endpointId }) === 0)
    },
    has: id => inMemory.has(id),
    empty() {
      const taken = [...lanes.values()].flatMap(lane => {
        load(lane, 0, -lane.waiting)
        return [...lane.firsts.splice(0), ...lane.later.splice(0)]
      })
      for (const held of taken) if (inMemory.get(held.id) === held) inMemory.delete(held.id)
      return taken
    },
    get inFlight() {
      return all.inFlight
    },
    get waiting() {
      return all.waiting
    },
    get isFull() {
      return left(max.all, all) <= 0
    },
  }
}

function newMerchant(id: MerchantId): Merchant {
  return { id, inFlight: 0, waiting: 0, lanes: new Set(), short: [] }
}

/** Until there is twice as much in memory as may be in flight. */
function left(inFlightMax: number, { inFlight, waiting }: Load = { inFlight: 0, waiting: 0 }): number {
  return 2 * inFlightMax - inFlight - waiting
}

function isLater({ scheduledMade, resendAt }: HeldDelivery): boolean {
  return scheduledMade > 0 || resendAt !== null
}
