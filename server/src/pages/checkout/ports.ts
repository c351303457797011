// What the page of an offer needs from the rest of the service.

import type { CheckoutSecret } from '../../core/checkout.ts'
import type { CardFields, EnteredCard } from '../../core/gateway.ts'
import type { CardToken, OfferId, TransactionId } from '../../core/ids.ts'
import type { Look } from '../../core/look.ts'
import type { NotForSale, Offer } from '../../core/offer.ts'
import type { Card, Customer, Entered, Merchant } from '../../core/people.ts'
import type { KnownPayment } from '../../core/ports.ts'
import type { Sale } from '../../core/sale.ts'
import type { TransactionStatus } from '../../core/transaction.ts'
import type { Try } from '../../core/tries.ts'

export interface FoundOffer {
  readonly offer: Offer
  readonly merchant: Merchant
  readonly look: Look
  /** Mail to its customers goes out: they can prove their addresses. */
  readonly isMailed: boolean
}

/** How a checkout stands when its page is opened. */
export interface Visit {
  /** How a new card is entered; null: the gateway is not active, or there is none. */
  readonly fields: CardFields | null
  /** How many tries were made and failed: the number of the next one. */
  readonly attempt: number
  /** What became of the newest try, or of the one that did not fail; null: there was none. */
  readonly standing: Sale | null
  /** Who has proven to be here; null: nobody. */
  readonly proven: ProvenCustomer | null
}

export interface ProvenCustomer {
  readonly email: string
  /** What is known of them, to fill the form; null: they are new here. */
  readonly customer: Customer | null
  /** Their stored cards that can pay for this offer, the newest first. */
  readonly cards: readonly Card[]
}

/** What the customer sent from the page, read and checked as far as the page can. */
export interface Order {
  readonly secret: CheckoutSecret
  readonly attempt: number
  readonly quantity: number
  readonly email: string
  readonly entered: Entered
  readonly pays: PaysWith
  /** The payment that they were told of, and besides which they want to pay; null: they were told of none. */
  readonly besides: KnownPayment | null
  readonly referrerContext: string | null
  /** The payment by mail that this goes on with; null: it is a payment of its own. */
  readonly resumes: TransactionId | null
  /** Where the request came from on the network. */
  readonly address: string
}

export type PaysWith =
  /** `keeps`: the box was ticked, and the card is stored for later. */
  | { readonly kind: 'new'; readonly card: EnteredCard; readonly keeps: boolean }
  | { readonly kind: 'stored'; readonly token: CardToken }

export type Paid =
  /** There is a payment, and its page says how it stands. */
  | { readonly kind: 'see'; readonly transactionId: TransactionId }
  /** It failed, and another card may do. `attempt` is the number of the next try. */
  | { readonly kind: 'failed'; readonly sale: Sale; readonly attempt: number }
  /** The gateway does not take this card; `sentence` is its own, in English. */
  | { readonly kind: 'card_refused'; readonly sentence: string }
  /** There is a payment that this may repeat by mistake: was a second one meant? */
  | {
      readonly kind: 'paid_before'
      readonly payment: KnownPayment
      readonly status: TransactionStatus
      readonly isByMail: boolean
      /** It was made with this card; false: with any, for an offer that is for one customer. */
      readonly isSameCard: boolean
    }
  | { readonly kind: 'too_many_tries'; readonly retryAfterS: number }
  | { readonly kind: 'not_for_sale'; readonly why: NotForSale }
  /** The payment was asked for with a token that was used or revoked since. */
  | { readonly kind: 'token_used' }
  /** The stored card is gone, has expired, or was never proven to be theirs. */
  | { readonly kind: 'card_not_usable' }
  /** The payment by mail went on without this, or waits no more: its page says how it stands. */
  | { readonly kind: 'waits_no_more'; readonly transactionId: TransactionId }
  /** Another request of the same checkout takes long: the page says how it ended. */
  | { readonly kind: 'busy' }
  /** Nothing was charged, and it may work later. */
  | { readonly kind: 'not_now'; readonly cause: string }

export interface ProofAsked {
  readonly email: string
  readonly quantity: number
  readonly referrerContext: string | null
  /** The payment by mail that is to be gone on with. */
  readonly resumes: TransactionId | null
  /** The checkout of this browser, whose saved card is to be confirmed; null: to use a card that is stored. */
  readonly savedCardOf: CheckoutSecret | null
  readonly address: string
  /** The page's language: the mail is in it. */
  readonly language: string
}

/** What a mailed link was asked for. */
export interface Proof {
  readonly email: string
  readonly offerId: OfferId
  readonly quantity: number
  readonly referrerContext: string | null
  /** The payment by mail that it goes on with; null: it is for one that begins on the page. */
  readonly resumes: TransactionId | null
  /** It was asked for by the checkout of this browser, to confirm the card that was saved there. */
  readonly isForSavedCard: boolean
  readonly state: 'open' | 'used' | 'expired'
}

export interface CheckoutPorts {
  /** Null: there is no such offer. */
  find(offerId: OfferId): Promise<FoundOffer | null>
  /** A payment by mail that waits for its customer. Null: there is none, or it waits no more. */
  findWaiting(offerId: OfferId, transactionId: TransactionId): Promise<Sale | null>
  /** `secret` null: a browser that was not here before. */
  visit(found: FoundOffer, secret: CheckoutSecret | null): Promise<Visit>
  pay(found: FoundOffer, order: Order): Promise<Paid>
  /**
   * Whether somebody at this address on the network may still guess whom an offer is for. Wrong guesses count as tries; who
   * has none left does not learn that a guess is right, either.
   */
  mayGuess(found: FoundOffer, address: string, isRight: boolean): Promise<Try>
  /** For offers of merchants whose customers are mailed. */
  readonly proofs: ProofPorts
  newSecret(): CheckoutSecret
  /** Proves that a form was sent from a page of ours, about one thing. */
  formToken(about: string): string
  isFormToken(about: string, given: string): boolean
  readonly isSandbox: boolean
  baseUrl(): string
  now(): Date
}

export interface ProofPorts {
  /** Mails a link to the address, whoever it is; not where it was asked for too often. */
  ask(found: FoundOffer, asked: ProofAsked): Promise<Try>
  /** `checkout`: that of the browser that asks. Null: there is no such link for this offer. */
  find(found: FoundOffer, secret: string, checkout: CheckoutSecret | null): Promise<Proof | null>
  /** Whom an open link proves to be there, when its button is pressed. */
  whoIs(found: FoundOffer, email: string): Promise<ProvenCustomer>
  /** What a payment by mail of theirs is confirmed with: by the token that asked for it, in hex. Null: there is no such card. */
  cardToConfirm(found: FoundOffer, email: string, tokenSha256: string | null): Promise<Card | null>
  /** Uses the link up: from now on who has the checkout's secret has proven the address. False: it was used or is over. */
  use(found: FoundOffer, secret: string, checkout: CheckoutSecret): Promise<boolean>
  /**
   * Uses the link up: from now on whoever proves its address can pay with the card that this checkout has saved under that address,
   * and paid with. The checkout itself is not proven: its secret was in a cookie before. False: it was used or is over.
   */
  confirmCard(found: FoundOffer, secret: string, checkout: CheckoutSecret): Promise<boolean>
}
