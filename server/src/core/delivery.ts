// A delivery: an event owed to one endpoint. Here is what a worker holds while it sends one, and what it learned.

import type { ClaimId, DeliveryId, EndpointId, MerchantId, WorkerId } from './ids.ts'
import type { AfterAttempt, DeliveryState } from './retry-schedule.ts'

/** A lane: what is owed to one endpoint. One lane's trouble is no other's. */
export interface LaneName {
  readonly merchantId: MerchantId
  readonly endpointId: EndpointId
}

/** In the hand of one worker, for its next attempt. */
export interface HeldDelivery extends LaneName {
  readonly id: DeliveryId
  readonly holder: WorkerId
  /** What it was taken up by; null: it was born in this hand. */
  readonly claimId: ClaimId | null
  /** How many were made: a result counts only if none came before it. */
  readonly attempts: number
  readonly url: string
  readonly timeoutMs: number
  readonly standardWebhooks: boolean
  /** With Standard Webhooks: a JSON body instead of the form. */
  readonly sendsJson: boolean
  /** Its last attempts failed, as far as was known when this was taken up. */
  readonly endpointFails: boolean
  /** The merchant's key that is current: it signs. */
  readonly keyId: string
  /** Empty: no longer kept, or let go of because its attempt is over. */
  details: string
  readonly state: DeliveryState
  readonly scheduledMade: number
  readonly originalAt: Date | null
  readonly lastAt: Date | null
  /** Asked for outside the schedule; null: the schedule's own attempt. */
  readonly resendAt: Date | null
}

/** How a worker takes up some of a lane. */
export interface Claiming {
  readonly id: ClaimId
  readonly holder: WorkerId
  readonly now: Date
  readonly limit: number
  /** With what comes after all that is claimed; or else from the lane's beginning, where what was given back or came late is. */
  readonly goesOn: boolean
}

/** One HTTP try. `status` null: no whole answer, and `reason` says why. */
export interface Attempt {
  readonly at: Date
  readonly status: number | null
  readonly reason: string | null
  readonly durationMs: number
  readonly response: string
}

export interface AttemptResult {
  readonly held: HeldDelivery
  readonly attempt: Attempt
  readonly after: AfterAttempt
}

/** Where the deliveries go that a commit makes: they are born in the hand of the worker of this process, if it has one. */
export interface Outbox {
  holder(): WorkerId | null
  /** Endpoints for which there is no room in memory: theirs are left for a claim. */
  fullLanes(merchantId: MerchantId): readonly EndpointId[]
  /** After the commit. `unheld`: others were made that somebody has to claim. */
  born(held: readonly HeldDelivery[], unheld: boolean): void
}
