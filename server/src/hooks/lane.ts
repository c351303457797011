// What is known of a lane while something of it is in memory, and of the merchant whose lanes they are.

import type { HeldDelivery } from '../core/delivery.ts'
import type { EndpointId, MerchantId } from '../core/ids.ts'
import { Chain, type Linked } from './chain.ts'

/** How many times its width a lane has in memory at the least: one part is on the wire, one waits. */
export const depthMin = 2

/** A delivery in memory: it waits in its lane, or its attempt is under way. */
export interface Taken extends Linked<Taken> {
  readonly held: HeldDelivery
  /** Since when it is here. */
  readonly sinceMs: number
  readonly lane: Lane
  readonly isLater: boolean
  /** When its attempt began. */
  begunMs: number
  isSlow: boolean
}

export interface Load {
  /** Without those that take long. */
  inFlight: number
  waiting: number
}

export interface Merchant extends Load {
  readonly id: MerchantId
  readonly lanes: Set<Lane>
  /** Attempts that were made, and whose results are not written yet. */
  unsettled: number
  /** Attempts in flight that take long. */
  slow: number
  /** With these, those in flight of lanes that fail. */
  failingOrSlow: number
  /** Lanes whose turn it is, one after the other, with each turn of the merchant. */
  readonly ready: Lane[]
  /** Lanes that wait for room among this merchant's attempts, and among those that fail. */
  readonly short: { readonly merchant: Lane[]; readonly failing: Lane[] }
}

export interface Lane extends Load {
  readonly endpointId: EndpointId
  readonly merchant: Merchant
  readonly firsts: Chain<Taken>
  readonly later: Chain<Taken>
  /** Attempts in flight that take long. */
  slow: number
  width: number
  /** How long its attempts take: the mean of all, the newest counting most. */
  tookMs: number
  failing: boolean
  /** Attempts begun since the last round, while it fails. */
  begun: number
  /** Where it waits for its turn, for room, or for the next round; null: nowhere. */
  waitsIn: 'ring' | Lack | null
  picks: number
}

/** What a lane can lack room in. */
export type Lack = 'merchant' | 'failing' | 'later' | 'round'

export function newMerchant(id: MerchantId): Merchant {
  return {
    ...{ id, inFlight: 0, waiting: 0, unsettled: 0, slow: 0, failingOrSlow: 0, lanes: new Set() },
    ...{ ready: [], short: { merchant: [], failing: [] } },
  }
}

export function newLane(endpointId: EndpointId, merchant: Merchant, failing: boolean, width: number): Lane {
  return {
    ...{ endpointId, merchant, firsts: new Chain(), later: new Chain(), inFlight: 0, waiting: 0, slow: 0, begun: 0 },
    ...{ waitsIn: null, picks: 0, tookMs: 0, width, failing },
  }
}

/** The newest counts for an eighth. */
export function meanOf(tookMs: number, newestMs: number): number {
  return tookMs + (newestMs - tookMs) / 8
}

export function newlyTaken(held: HeldDelivery, lane: Lane, nowMs: number): Taken {
  const isLater = held.scheduledMade > 0 || held.resendAt !== null
  return { held, sinceMs: nowMs, lane, isLater, begunMs: 0, isSlow: false, before: null, after: null }
}

export function count(each: Load, inFlight: number, waiting: number): void {
  each.inFlight += inFlight
  each.waiting += waiting
}

export function left(inMemoryMax: number, { inFlight, waiting }: Load = { inFlight: 0, waiting: 0 }): number {
  return inMemoryMax - inFlight - waiting
}
