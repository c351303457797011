// The port to a payment gateway. One operation is one request that moves money (charge, capture, void, refund); its id
// is the idempotency key at the gateway. Expected outcomes are values: an adapter throws only for a bug of its own.

import type { GatewayId, MerchantId, OperationId, TransactionId } from './ids.ts'
import type { Currency } from './money.ts'
import type { Json } from './offer.ts'

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

/** Why an operation was certainly not carried out: as stable as the declines. The sentence goes on with what was not done. */
export const notSentCodes = {
  gateway_not_reached: 'The payment gateway could not be reached',
  gateway_credentials_refused: "The payment gateway refused the merchant's credentials",
  gateway_account_suspended: "The payment gateway has suspended the merchant's account",
  gateway_busy: 'The payment gateway takes no more requests at the moment',
  gateway_refused: 'The payment gateway refused the request',
} as const
export type NotSentCode = keyof typeof notSentCodes

export function notSentSentence(code: NotSentCode, kind: OperationKind): string {
  return `${notSentCodes[code]}; ${kind === 'charge' ? 'the card was not charged' : `the ${kind} was not carried out`}.`
}

export function cardNotSentSentence(code: NotSentCode): string {
  return `${notSentCodes[code]}; the card was not stored.`
}

interface Request {
  readonly id: OperationId
  readonly transactionId: TransactionId
  readonly amountMinor: bigint
  readonly currency: Currency
  /** What `prepare` made of it when its row was written; missing: nothing, or its row is from before that was stored. */
  readonly wire?: Json
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
  readonly code: NotSentCode
  /** In the adapter's words, for whoever looks into it: no card number, no key. */
  readonly cause: string
  /** How long the gateway asked to be left alone. */
  readonly retryAfterMs?: number
}
/** It may have happened. Never taken for a failure, never repeated under a new id. */
export interface Unknown {
  readonly kind: 'unknown'
  readonly cause: string
  readonly retryAfterMs?: number
}
/** The gateway does not know the operation. Proof only behind a fence: the request may still be on its way. */
export interface Absent {
  readonly kind: 'absent'
}

export type GatewayOutcome = Succeeded | FurtherAction | Declined | NotSent | Unknown
export type LookupOutcome = Succeeded | FurtherAction | Declined | Absent | Unknown

/** Whether a reference at the gateway is that of an operation: its record there names the operation, or another one, or none. */
export type ReferenceOwner = { readonly kind: 'ours' | 'not_ours' } | Unknown

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
/**
 * A card by its name at the gateway, given by the merchant: no number passes through us. It may have existed there before,
 * as any customer's, so only a request with the merchant's credentials may carry one.
 */
export interface CardReference {
  readonly reference: string
}
/**
 * What the gateway's own card fields made of a card in a visitor's browser. Anybody can post any text in its place: an
 * adapter takes only what is new and belongs to nobody yet.
 */
export interface CardFieldsToken {
  readonly fieldsToken: string
}
/** A card that a visitor of a page has just entered. */
export type EnteredCard = CardDetails | CardFieldsToken
export type GivenCard = EnteredCard | CardReference
/** What the gateway says about the card itself: nobody need try again with it. */
export interface RefusedCard {
  readonly kind: 'refused'
  readonly sentence: string
}
export type DescribeCardOutcome = StoredCard | RefusedCard | Unknown
/** `not_sent`: for a reason that is not the card's. `unknown`: it may be stored, and storing it again finds out. */
export type StoreCardOutcome = DescribeCardOutcome | NotSent
export type RemoveCardOutcome = { readonly kind: 'removed' } | { readonly kind: 'unknown'; readonly cause: string }
/** `not_ours`: it was in the vault before, or nobody can tell; it is left there. */
export type RemoveOwnCardOutcome = RemoveCardOutcome | { readonly kind: 'not_ours' }

/** How a customer enters a card for this gateway on a page of ours. */
export type CardFields =
  /** By its number, which comes to us: the sandbox alone, where no number is anybody's. */
  | { readonly kind: 'number' }
  | StripeCardFields
  /** Not on a page of ours: the merchant's own dealings with the gateway name the card. */
  | { readonly kind: 'none' }
/** Stripe's own fields, in frames of its own: the page gets a name for what was typed there. */
export interface StripeCardFields {
  readonly kind: 'stripe'
  readonly publishableKey: string
  readonly scriptUrl: string
  /** What those names look like: a page passes nothing else on. */
  readonly tokenPattern: RegExp
  /** Where that script may come from, show frames of and call, as sources of a Content-Security-Policy. */
  readonly reaches: {
    readonly scripts: readonly string[]
    readonly frames: readonly string[]
    readonly calls: readonly string[]
  }
}

export const cardTypes = ['visa', 'master', 'american_express', 'discover', 'other'] as const
export type CardType = (typeof cardTypes)[number]

/** Where the customer goes on: the page of the card's bank, or nowhere, because it is settled by now. */
export type CustomerStep =
  | { readonly kind: 'redirect'; readonly url: string }
  | { readonly kind: 'settled' }
  | { readonly kind: 'unknown'; readonly cause: string }

/** A gateway's own word, authenticated, that something is new. What is new is then asked: notices come late, twice and in any order. */
export type GatewayNotice =
  | { readonly kind: 'payment'; readonly chargeRef: string; readonly news: PaymentNews }
  | { readonly kind: 'card'; readonly cardRef: string }
  /** Authentic, and nothing to us. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'not_authentic'; readonly sentence: string }

/** success: the charge was made, or captured. charge: anything else of it. */
export type PaymentNews = 'success' | 'charge' | 'refund' | 'dispute'

export interface ReportedRefund {
  readonly gatewayRef: string
  /** Ours, where its record there says so; null: made at the gateway itself. */
  readonly operationId: OperationId | null
  readonly amountMinor: bigint
  readonly currency: Currency
  readonly state: 'succeeded' | 'pending' | 'failed'
  readonly reason: string | null
}
export const disputeStatuses = ['open', 'won', 'lost'] as const
export interface ReportedDispute {
  readonly gatewayRef: string
  readonly amountMinor: bigint
  readonly currency: Currency
  readonly status: (typeof disputeStatuses)[number]
  readonly reason: string | null
  readonly openedAt: Date
}
export interface PaymentIds {
  readonly transactionId: TransactionId
  readonly operationId: OperationId
}
/** All that a gateway has to say about one payment. */
export interface ReportedPayment extends PaymentIds {
  readonly kind: 'payment'
  /** What the gateway calls the payment: the reference of its charge. */
  readonly gatewayRef: string
  readonly charge: Succeeded | FurtherAction | Declined | Unknown
  /** What became of an authorisation. Null: not captured; not released. */
  readonly captured: Pick<Succeeded, 'gatewayRef' | 'amountMinor' | 'feeMinor'> | null
  readonly released: boolean
  readonly refunds: readonly ReportedRefund[]
  readonly disputes: readonly ReportedDispute[]
}

/** One line of a gateway's own list. */
export interface GatewayEntry {
  readonly kind: 'charge' | 'refund'
  readonly gatewayRef: string
  /** Ours, where its record there says so. */
  readonly operationId: OperationId | null
  /** Of a refund: what the gateway calls the payment that it gives back, so that one made there is known for ours. */
  readonly chargeRef?: string
  readonly state: 'succeeded' | 'authorized' | 'voided' | 'failed' | 'open'
  /** What was taken, held or given back; of one that failed, what was asked. */
  readonly amountMinor: bigint
  readonly currency: Currency
  readonly at: Date
}

/** Hears one line for each exchange with the gateway: what was asked, what came back; no card number, no key. */
export type Note = (exchange: string) => void

export interface Gateway {
  readonly promises: GatewayPromises
  /**
   * All that `send` puts on the wire for this operation and that the operation's own columns do not say: parameters, constants
   * of this release, settings. It is stored with the row and given back as `wire`, so that a repetition is identical whatever
   * has changed since. Null: there is nothing. Asks nobody.
   */
  prepare(request: OperationRequest): Json | null
  /** Carries the operation out, or says again what became of it. Bounded by `signal`: an aborted one is `unknown`. */
  send(request: OperationRequest, signal: AbortSignal, note?: Note): Promise<GatewayOutcome>
  lookup(request: OperationRequest, signal: AbortSignal, note?: Note): Promise<LookupOutcome>
  /** All that it has carried out under this operation's id, of which there should be one. Null: an id is never used twice there. */
  readonly listUnderId:
    | ((request: OperationRequest, signal: AbortSignal, note?: Note) => Promise<readonly Succeeded[] | Unknown>)
    | null
  /** Reads what the gateway has under this reference. Only for a charge or a refund: nothing else is found by its reference. */
  checkReference(
    request: OperationRequest,
    gatewayRef: string,
    signal: AbortSignal,
    note?: Note,
  ): Promise<ReferenceOwner>
  /** Makes the gateway refuse this operation id for ever, unless it has happened. True: the fence stands. */
  fence(request: OperationRequest, signal: AbortSignal, note?: Note): Promise<boolean>
  readonly cardFields: CardFields
  /** Refuses a `fieldsToken` that names anything but a card that was just entered: nothing is changed at the gateway then. */
  storeCard(card: GivenCard, signal: AbortSignal): Promise<StoreCardOutcome>
  /** A stored card as the gateway knows it now: banks replace cards and change their expiry. */
  describeCard(cardRef: string, signal: AbortSignal): Promise<DescribeCardOutcome>
  /** Whoever put it there: for the merchant's own request. */
  removeCard(cardRef: string, signal: AbortSignal): Promise<RemoveCardOutcome>
  /** Only a card that `storeCard` put into the vault: for what is removed without the merchant's asking. */
  removeOwnCard(cardRef: string, signal: AbortSignal): Promise<RemoveOwnCardOutcome>
  /** Begins the customer's own step of a charge that waits for it. Null: no charge here ever waits. */
  readonly customerStep:
    | ((charge: ChargeRequest, returnUrl: string, signal: AbortSignal) => Promise<CustomerStep>)
    | null
  /** What it tells by itself. Null: nothing. */
  readonly notices: {
    read(body: Buffer, headers: { readonly [name: string]: string | string[] | undefined }): Promise<GatewayNotice>
    /**
     * Null: there is no such payment, or it is none of ours. `ours`: whose it is by our own rows; that counts where the payment
     * itself bears no ids.
     */
    payment(chargeRef: string, signal: AbortSignal, ours?: PaymentIds | null): Promise<ReportedPayment | Unknown | null>
  } | null
  /** All of its payments and refunds made in a span of time, oldest or newest first. Throws when it cannot be read to its end. */
  list(span: { readonly from: Date; readonly to: Date }, signal: AbortSignal): AsyncIterable<GatewayEntry>
  /** Lets go of idle connections; calls under way go on. */
  close(): void
}

/** Of a merchant. A gateway is never deleted, because payments name it. */
export const gatewaysMax = 100

/** A merchant's account at a gateway, as the merchant sees it: credentials are write-only. */
export interface GatewayAccount {
  readonly merchantId: MerchantId
  readonly id: GatewayId
  readonly type: string
  readonly isDefault: boolean
  /** Its place among those tried next, where another declined or could not be reached; null: it is none of them. */
  readonly fallback: number | null
  readonly status: 'active' | 'inactive'
  readonly createdAt: Date
}
