// What was sent, as a merchant sees it: a Pre-Sale request is shown among the deliveries, as one that is sent once.

import type { EventKind } from './hook-details.ts'
import type { HookEndpoint } from './hook-endpoint.ts'
import type { DeliveryId, EndpointId, TransactionId } from './ids.ts'
import type { Page } from './lists.ts'
import type { DeliveryState } from './retry-schedule.ts'

export interface ShownDelivery {
  readonly id: DeliveryId
  /** The notification's: a copy that goes to a generic endpoint keeps its kind. */
  readonly kind: EventKind | 'pre_sale'
  readonly endpointId: EndpointId
  readonly url: string
  /** Null: a test. */
  readonly transactionId: TransactionId | null
  readonly state: DeliveryState
  readonly attempts: number
  readonly nextAttemptAt: Date | null
  readonly createdAt: Date
}

export interface ShownAttempt {
  readonly number: number
  readonly at: Date
  readonly status: number | null
  /** Null: it was lost with the process that made it. */
  readonly durationMs: number | null
  readonly reason: string | null
  /** Null once retention has emptied it. */
  readonly response: string | null
}

export interface WholeDelivery extends ShownDelivery {
  /** Null once retention or erasure has emptied it. */
  readonly details: string | null
  readonly made: readonly ShownAttempt[]
}

export interface DeliveryFilter extends Page<DeliveryId> {
  readonly state: DeliveryState | null
  /** `generic`: those that went to generic endpoints, whatever they tell. */
  readonly kind: HookEndpoint['kind'] | null
  readonly endpoint: EndpointId | null
  /** The nil UUID: tests. */
  readonly transaction: TransactionId | null
}

/** Which deliveries of an endpoint are sent again. */
export interface ResendRange {
  readonly endpointId: EndpointId
  readonly createdAfter: Date
  readonly createdBefore: Date | null
  readonly state: Exclude<DeliveryState, 'canceled'> | null
}

export type NotResent = 'not known' | 'pre_sale' | 'deleted' | 'paused' | 'emptied'

export const notResentSays: { readonly [why in Exclude<NotResent, 'not known'>]: string } = {
  pre_sale: 'Pre-Sale is asked once, before the sale, and never again.',
  deleted: 'The endpoint was deleted.',
  paused: 'The endpoint is paused: resume it first.',
  emptied: 'The details of this notification were erased, and cannot be sent again.',
}
