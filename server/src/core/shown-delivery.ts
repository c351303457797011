// What was sent, as a merchant sees it: a Pre-Sale request is shown among the deliveries, as one that is sent once.

import type { EventKind } from './hook-details.ts'
import type { HookEndpoint } from './hook-endpoint.ts'
import type { DeliveryId, EndpointId, TransactionId } from './ids.ts'
import type { Page } from './lists.ts'
import { type DeliveryState, isAccepted } from './retry-schedule.ts'

export interface ShownDelivery {
  readonly id: DeliveryId
  /** The notification's: a copy that goes to a generic endpoint keeps its kind. */
  readonly kind: EventKind | 'pre_sale'
  readonly endpointId: EndpointId
  /** Where its newest attempt went; without one, where the next will go. */
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
  /** Why it was not accepted; null: it was. */
  readonly reason: string | null
  /** Null where nothing came back, and once retention has emptied it. */
  readonly response: string | null
  readonly url: string
  /** Outside the schedule, because somebody asked for it. */
  readonly resend: boolean
}

/** Only where there is no whole answer is a reason kept: a status says its own. */
export function whyNotAccepted({ status, reason }: Pick<ShownAttempt, 'status' | 'reason'>): string | null {
  if (reason !== null || status === null || isAccepted(status)) return reason
  return status >= 300 && status <= 399 ? 'A redirect is not followed.' : `The endpoint answered ${status}.`
}

/** Nothing at all came back: that is not an answer with an empty body. */
export function shownResponse({ status, response }: Pick<ShownAttempt, 'status' | 'response'>): string | null {
  return status === null && response === '' ? null : response
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
  readonly createdAfter: Date | null
  readonly createdBefore: Date | null
}

/** Which deliveries of an endpoint are sent again. */
export interface ResendRange {
  readonly endpointId: EndpointId
  readonly createdAfter: Date
  readonly createdBefore: Date | null
  readonly state: Exclude<DeliveryState, 'canceled'> | null
}

export type NotResent = 'not known' | 'pre_sale' | 'deleted' | 'ended' | 'paused' | 'emptied'

export const notResentSays: { readonly [why in Exclude<NotResent, 'not known'>]: string } = {
  pre_sale: 'Pre-Sale is asked once, before the sale, and never again.',
  deleted: 'The endpoint was deleted.',
  ended: 'Nobody listens there any more. `tillbell listen --backfill 1h` sends it again to one that does.',
  paused: 'The endpoint is paused: resume it first.',
  emptied: 'The details of this notification were erased, and cannot be sent again.',
}
