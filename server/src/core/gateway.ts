// The port to a payment gateway. One operation is one request that moves money (charge, capture, void, refund); its id
// is the idempotency key at the gateway. Expected outcomes are values: an adapter throws only for a bug of its own.

import type { GatewayId, MerchantId, OperationId, TransactionId } from './ids.ts'
import type { Currency } from './money.ts'

/** Stable codes that a merchant may build on. Adapters map their gateway's own codes to these. */
export const declineCodes = {
  card_declined: 'The card was declined.',
  insufficient_funds: 'The card was declined: insufficient funds.',
  expired_card: 'The card was declined: it has expired.',
  incorrect_cvc: 'The card was declined: its security code is wrong.',
  lost_card: 'The card was declined: it is reported lost.',
  stolen_card: 'The card was declined: it is reported stolen.',
  fraud_suspected: 'The card was declined: the payment looks fraudulent.',
  limit_exceeded: 'The card was declined: its limit is exceeded.',
  card_not_supported: 'The card was declined: it does not support this kind of payment.',
  authentication_failed: 'The card was declined: its holder was not authenticated.',
  processing_error: 'The gateway could not process the card.',
  amount_too_large: 'The gateway refused: the amount is larger than what is left.',
  wrong_state: 'The gateway refused: the payment is not in a state that allows this.',
} as const
export type DeclineCode = keyof typeof declineCodes

interface Request {
  readonly id: OperationId
  readonly transactionId: TransactionId
  readonly amountMinor: bigint
  readonly currency: Currency
}
export interface ChargeRequest extends Request {
  readonly kind: 'charge'
  /** The card's name in the gateway's vault. */
  readonly cardRef: string
  /** False: authorise only, to be captured later. */
  readonly capture: boolean
}
export interface FollowUpRequest extends Request {
  readonly kind: 'capture' | 'void' | 'refund'
  /** The operation that charged or authorised, and the gateway's own name for it. */
  readonly chargeId: OperationId
  readonly chargeRef: string
}
export type OperationRequest = ChargeRequest | FollowUpRequest
export type OperationKind = OperationRequest['kind']

export interface Succeeded {
  readonly kind: 'succeeded'
  /** The gateway's own name of what it did. */
  readonly gatewayRef: string
  readonly amountMinor: bigint
  readonly currency: Currency
  /** What the gateway keeps for itself, where it says so. */
  readonly feeMinor: bigint | null
}
export interface FurtherAction {
  readonly kind: 'further_action'
  readonly gatewayRef: string
  /** What the customer has to do: authenticate with the card's bank. */
  readonly action: 'three_d_secure'
}
export interface Declined {
  readonly kind: 'declined'
  readonly code: DeclineCode
}
/** Refused before anything could happen (no connection, bad credentials): proof of nothing charged, if it answers the only sending. */
export interface NotSent {
  readonly kind: 'not_sent'
  readonly cause: string
}
/** It may have happened. Never taken for a failure, never repeated under a new id. */
export interface Unknown {
  readonly kind: 'unknown'
  readonly cause: string
}
/** The gateway does not know the operation. Proof only behind a fence: the request may still be on its way. */
export interface Absent {
  readonly kind: 'absent'
}

export type GatewayOutcome = Succeeded | FurtherAction | Declined | NotSent | Unknown
export type LookupOutcome = Succeeded | FurtherAction | Declined | Absent | Unknown

/** What an adapter can do about doubt. What it lacks is left to a person. */
export interface GatewayPromises {
  /** How long the gateway keeps idempotency keys; 0: it has none, and nothing is ever sent twice. */
  readonly idempotentForMs: number
  readonly lookup: boolean
  readonly fence: boolean
}

export interface CardDetails {
  readonly number: string
  readonly cvc: string | null
  readonly expiryMonth: number
  readonly expiryYear: number
}
export interface StoredCard {
  readonly kind: 'stored'
  readonly cardRef: string
  readonly mask: string
  readonly type: CardType
  readonly expiryMonth: number
  readonly expiryYear: number
  /** Says that two cards are the same one, within one gateway account, without saying which. */
  readonly fingerprint: string
}
export type StoreCardOutcome = StoredCard | { readonly kind: 'refused'; readonly sentence: string }
export type RemoveCardOutcome = { readonly kind: 'removed' } | { readonly kind: 'unknown'; readonly cause: string }

export const cardTypes = ['visa', 'master', 'american_express', 'discover', 'other'] as const
export type CardType = (typeof cardTypes)[number]

export interface Gateway {
  readonly promises: GatewayPromises
  /** Carries the operation out, or says again what became of it. Bounded by `signal`: an aborted one is `unknown`. */
  send(request: OperationRequest, signal: AbortSignal): Promise<GatewayOutcome>
  lookup(request: OperationRequest, signal: AbortSignal): Promise<LookupOutcome>
  /** Makes the gateway refuse this operation id for ever, unless it has happened. True: the fence stands. */
  fence(request: OperationRequest, signal: AbortSignal): Promise<boolean>
  storeCard(card: CardDetails, signal: AbortSignal): Promise<StoreCardOutcome>
  removeCard(cardRef: string, signal: AbortSignal): Promise<RemoveCardOutcome>
  /** Lets go of idle connections; calls under way go on. */
  close(): void
}

/** A merchant's account at a gateway, as the merchant sees it: credentials are write-only. */
export interface GatewayAccount {
  readonly merchantId: MerchantId
  readonly id: GatewayId
  readonly type: string
  readonly isDefault: boolean
  readonly status: 'active' | 'inactive'
  readonly createdAt: Date
}
