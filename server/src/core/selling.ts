// How offers sell, up to a number: counting all of a million sales would make a page wait.

import type { OfferId } from './ids.ts'
import type { Page } from './lists.ts'
import type { Offer } from './offer.ts'

export interface OfferFilter extends Page<OfferId> {
  /** An id, the merchant's own id, or how a title begins. */
  readonly search: string | null
  readonly active: boolean | null
}

export interface Sold {
  /** How often. */
  readonly sold: number
  readonly capturedMinor: bigint
  /** More than were counted. */
  readonly isMore: boolean
}

export interface SoldOffer extends Sold {
  readonly offer: Offer
}

export interface SoldInDetail extends Sold {
  readonly units: number
  readonly refundedMinor: bigint
  /** Authorised, and not captured yet. */
  readonly heldMinor: bigint
  readonly failed: number
  readonly lastAt: Date | null
}
