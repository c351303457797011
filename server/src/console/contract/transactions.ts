// Transactions as the dashboard lists them, and one with its whole story.

import type { CardType, DeliveryState, TransactionRecord, TransactionStatus } from './records.ts'

/** Whether the merchant's endpoints know all that they were owed: the worst of it. */
export type Told = 'none' | 'delivered' | 'pending' | 'dropped'

/** Why somebody may have to see to it: what the list is asked for. */
export type SaleNeed = 'in_doubt' | 'disputed' | 'untold' | 'dropped'

/** GET /console/transactions */
export interface TransactionRow {
  readonly id: string
  readonly created_at: string
  readonly status: TransactionStatus
  readonly source: TransactionRecord['source']
  readonly in_doubt: boolean
  readonly amount: string
  /** Of an authorisation, what was taken of it. */
  readonly captured: string
  readonly refunded: string
  readonly currency: string
  readonly customer: { readonly id: string; readonly name: string | null; readonly email: string | null }
  /** Null: none is at hand yet. */
  readonly card: { readonly mask: string; readonly type: CardType } | null
  readonly offer: { readonly id: string; readonly title: string; readonly ref_id: string | null }
  readonly told: Told
}

/** GET /console/transactions/:id */
export interface WholeTransaction {
  readonly transaction: TransactionRecord
  readonly currency: string
  readonly customer: { readonly id: string }
  /** How much of each could be asked for now; null: none. */
  readonly possible: { readonly refund: string | null; readonly capture: string | null; readonly void: string | null }
  /** Oldest first. */
  readonly timeline: readonly Moment[]
}

export type OperationKind = 'charge' | 'capture' | 'void' | 'refund'

interface OfOperation {
  readonly operation: string
  readonly what: OperationKind
  readonly amount: string
}

/** Something that happened, and when. */
export type Moment =
  | LetterCame
  | Created
  | PreSaleAsked
  | OperationBegun
  | AskedAgain
  | Resolved
  | OperationEnded
  | StatusChanged
  | Notified
  | Mailed
  | Disputed
  | Expires

export interface LetterCame {
  readonly kind: 'letter'
  readonly at: string
  readonly letter: string
  readonly from: string | null
  readonly proven: boolean
}

export interface Created {
  readonly kind: 'created'
  readonly at: string
  /** `web`: by REST or on a page; which of them went with its customer. */
  readonly way: 'rest' | 'page' | 'web' | 'mail'
  readonly amount: string
  readonly quantity: number
  readonly authorization_only: boolean
}

export interface PreSaleAsked {
  readonly kind: 'pre_sale'
  readonly at: string
  readonly delivery: string
  readonly url: string
  readonly state: 'pending' | 'let_through' | 'stopped' | 'no_answer'
  readonly status: number | null
  readonly duration_ms: number | null
  readonly reason: string | null
  /** Its beginning. */
  readonly response: string | null
}

export interface OperationBegun extends OfOperation {
  readonly kind: 'operation_begun'
  readonly at: string
  readonly gateway: string
  /** Of a refund: who asked for it, and why. */
  readonly by: string | null
  readonly reason: string | null
  /** What is known while it is not known how it ended; null: it has ended. */
  readonly open: {
    readonly outcome: 'pending' | 'unknown'
    readonly heard: string | null
    readonly for_person: string | null
    readonly more_for_person: readonly string[]
    readonly next_ask_at: string | null
  } | null
}

/** In doubt, the gateway was asked. */
export interface AskedAgain extends OfOperation {
  readonly kind: 'asked_again'
  readonly at: string
  readonly number: number
  readonly step: 'send_again' | 'fence_and_look_up' | 'look_up' | 'leave_to_a_person'
  readonly heard: readonly string[]
}

/** A person settled it. */
export interface Resolved extends OfOperation {
  readonly kind: 'resolved'
  readonly at: string
  readonly verdict: 'succeeded' | 'not_made' | 'dismissed'
  readonly by: string
  readonly note: string
}

export interface OperationEnded extends OfOperation {
  readonly kind: 'operation_ended'
  readonly at: string
  readonly outcome: 'succeeded' | 'declined' | 'not_sent'
  readonly code: string | null
  readonly gateway: string
  readonly gateway_ref: string | null
}

export interface StatusChanged {
  readonly kind: 'status'
  readonly at: string
  readonly from: TransactionStatus
  readonly to: TransactionStatus
  /** Where it failed, and stands so. */
  readonly error_code: string | null
  readonly sentence: string | null
}

export interface Notified {
  readonly kind: 'notification'
  readonly at: string
  readonly notification: 'transaction' | 'far' | 'error' | 'update'
  readonly type: string
  readonly deliveries: readonly ToldDeliveryRecord[]
}

export interface ToldDeliveryRecord {
  readonly id: string
  readonly url: string
  readonly state: DeliveryState
  readonly attempts: number
  readonly next_attempt_at: string | null
  /** The newest of the attempts, oldest first. */
  readonly made: readonly {
    readonly number: number
    readonly at: string
    readonly status: number | null
    readonly duration_ms: number | null
    readonly reason: string | null
    readonly resend: boolean
  }[]
}

/** To the customer. */
export interface Mailed {
  readonly kind: 'mail'
  readonly at: string
  readonly letter: string
  readonly mail: 'receipt' | 'further_action' | 'error'
  readonly state: 'waiting' | 'sent' | 'dropped' | 'skipped'
  readonly cause: string | null
}

export interface Disputed {
  readonly kind: 'dispute'
  readonly at: string
  readonly status: 'open' | 'won' | 'lost'
  readonly amount: string
  readonly reason: string | null
}

/** In the future: when it fails unless its customer acts. */
export interface Expires {
  readonly kind: 'expires'
  readonly at: string
}
