// All that was written down about one transaction, to be told as a story.

import type { DetailsType, EventKind } from './hook-details.ts'
import type { DeliveryId, EventId, LetterId } from './ids.ts'
import type { Ask, Resolution } from './ports.ts'
import type { DeliveryState } from './retry-schedule.ts'
import type { Sale } from './sale.ts'
import type { ShownAttempt } from './shown-delivery.ts'
import type { ShownLetter, ShownMail } from './shown-letter.ts'
import type { TransactionStatus } from './transaction.ts'

export interface SaleHistory {
  readonly sale: Sale
  /** All oldest first. */
  readonly letters: readonly Pick<ShownLetter, 'id' | 'receivedAt' | 'sender' | 'isProven'>[]
  readonly preSale: readonly AskedBefore[]
  readonly changes: readonly StatusChange[]
  readonly asks: readonly Ask[]
  readonly resolutions: readonly Resolution[]
  readonly events: readonly ToldEvent[]
  readonly mails: readonly (ShownMail & { readonly letterId: LetterId })[]
}

/** What an endpoint was asked before the sale. */
export interface AskedBefore {
  readonly id: DeliveryId
  readonly url: string
  readonly recordedAt: Date
  /** Null: it has not answered, or the answer was lost. */
  readonly answeredAt: Date | null
  readonly status: number | null
  readonly durationMs: number | null
  readonly reason: string | null
  readonly answer: string | null
}

export interface StatusChange {
  readonly version: number
  readonly fromStatus: TransactionStatus
  readonly toStatus: TransactionStatus
  /** On the database's clock, which the sandbox does not move. */
  readonly at: Date
}

export interface ToldEvent {
  readonly id: EventId
  readonly kind: EventKind
  readonly type: DetailsType
  readonly at: Date
  /** That of the change that owes it; null: no change of status does. */
  readonly version: number | null
  readonly deliveries: readonly ToldDelivery[]
}

export interface ToldDelivery {
  readonly id: DeliveryId
  readonly url: string
  readonly state: DeliveryState
  /** How many were made; `made` are the newest of them. */
  readonly attempts: number
  readonly nextAttemptAt: Date | null
  readonly made: readonly Omit<ShownAttempt, 'response'>[]
}
