// alert: a mail to people of the merchant's about what they should know at once. Each chooses which.

import type { OperationKind } from './gateway.ts'
import type { EventKind } from './hook-details.ts'
import type { DeliveryId, MerchantId, OperationId, TransactionId } from './ids.ts'
import type { Language } from './login.ts'
import type { Currency } from './money.ts'
import type { PausedEndpoint } from './paused-endpoint.ts'

export const alertKinds = ['hook_dropped', 'endpoint_paused', 'in_doubt'] as const
export type AlertKind = (typeof alertKinds)[number]

/** Somebody who wants a kind. */
export interface AlertReader {
  readonly email: string
  readonly language: Language | null
}

/** So long a gateway may take to prove something before anybody is mailed about it: mostly it does. */
export const doubtToldAfterMs = 5 * 60_000

interface Told {
  readonly merchantId: MerchantId
  readonly merchantName: string
  /** Nobody: it counts as told. */
  readonly readers: readonly AlertReader[]
}

/** Several of a kind in one mail. */
interface Digest<Thing> extends Told {
  /** What is told of; at most so many are named one by one. */
  readonly count: number
  /** There are more than were counted, and all of them count as told. */
  readonly andMore: boolean
  /** The oldest few. */
  readonly first: readonly Thing[]
}

export interface DroppedHook {
  readonly id: DeliveryId
  readonly kind: EventKind
  readonly url: string
  /** Null: a test. */
  readonly transactionId: TransactionId | null
}

export interface DoubtfulOperation {
  readonly id: OperationId
  readonly kind: OperationKind
  readonly amountMinor: bigint
  readonly currency: Currency
  readonly createdAt: Date
  /** Only a person can settle it. */
  readonly isForPerson: boolean
}

export interface DroppedAlert extends Digest<DroppedHook> {
  readonly kind: 'hook_dropped'
  readonly ids: readonly DeliveryId[]
}

export interface DoubtAlert extends Digest<DoubtfulOperation> {
  readonly kind: 'in_doubt'
  /** Those that the gateway may still prove, and those that only a person can settle. */
  readonly unknownIds: readonly OperationId[]
  readonly personIds: readonly OperationId[]
}

export interface PauseAlert extends Told {
  readonly kind: 'endpoint_paused'
  readonly endpoint: PausedEndpoint
}

export type Alert = DroppedAlert | DoubtAlert | PauseAlert

/** An alert in one reader's words. */
export interface AlertMail {
  readonly id: string
  readonly email: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** One that the relay has not taken yet. */
export interface OwedAlert extends AlertMail {
  readonly merchantId: MerchantId
  readonly kind: AlertKind
  /** With the one that is begun. */
  readonly tries: number
}

/** Of those that the relay answered: the last is a day after the first or so. */
export const alertTriesMax = 30

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const unansweredForMs = 14 * 24 * hourMs

/** How long one that no relay has answered for waits for the next try; null: nobody needs the news any more. */
export function waitUnansweredMs({ id }: Pick<OwedAlert, 'id'>, now: Date): number | null {
  const ageMs = now.getTime() - madeAtMs(id)
  return ageMs >= unansweredForMs ? null : Math.min(Math.max(ageMs, minuteMs), hourMs)
}

/** Its id begins with it. */
function madeAtMs(id: string): number {
  return Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)
}
