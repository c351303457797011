// What the rules need from the world. Time, chance, the database, gateways and the merchant's endpoints are all handed
// in: nothing in core reaches out by itself.

import type { Gateway, NotSentCode, ReportedDispute } from './gateway.ts'
import type { DetailsType, EventKind } from './hook-details.ts'
import type {
  CardToken,
  CustomerId,
  EndpointId,
  EventId,
  GatewayId,
  LetterId,
  MerchantId,
  OfferId,
  OperationId,
  TransactionId,
} from './ids.ts'
import type { HeldLetter, MailKind } from './letter.ts'
import type { MailLimits } from './mail-limits.ts'
import type { Offer } from './offer.ts'
import type { HeldOperation, Operation } from './operation.ts'
import type { Card, CardVault, Customer, Merchant } from './people.ts'
import type { Sale, ServiceFacts } from './sale.ts'
import type { Transaction } from './transaction.ts'

/** A finished answer: its text is fixed, and is what a repetition gets byte for byte. */
export interface Reply {
  readonly status: number
  readonly text: string
  readonly replayed: boolean
  /** When to ask again: the gateway said so, or the first request is still running. Not kept: a repetition comes at a time of its own. */
  readonly retryAfterMs?: number
}

/**
 * How a repeated request is recognised: by the client's key. A GET without one has a key that is made from its credentials
 * and arguments, because proxies and HTTP libraries repeat a GET by themselves.
 */
export interface Repetition {
  readonly operation: string
  readonly key: string
  readonly argumentsHash: string
  /** Only for a GET without a key: how long after its operation was settled an equal one is a repetition. */
  readonly replayedForMs?: number
}

/** What is known of an earlier request. */
export interface EarlierRequest {
  readonly argumentsHash: string
  readonly transactionId: TransactionId
  readonly first: FirstAnswer | Standing
}

/** What it was answered with, once that is settled. */
export interface FirstAnswer {
  readonly kind: 'answer'
  readonly status: number
  readonly text: string
}

/** How what it asked for stands. */
export interface Standing {
  readonly kind: 'standing'
  readonly sale: Sale
  /** The follow-up it asked for; null: it asked for the charge itself. */
  readonly operation: Operation | null
  /** Whether the process that does it still holds its lease. */
  readonly running: boolean
}

export interface PreSaleEndpoint {
  readonly id: EndpointId
  readonly url: string
  readonly timeoutMs: number
  readonly paused: boolean
  readonly standardWebhooks: boolean
  readonly sendsJson: boolean
  /** The merchant's key that signs now. */
  readonly keyId: string
}

/** What is asked before the sale, and whom. Its sending is recorded before it is sent. */
export interface PreSale {
  readonly endpoints: readonly PreSaleEndpoint[]
  readonly details: string
  readonly at: Date
}

/** One endpoint's answer, kept as evidence. `status` null: no answer, and `reason` says why. */
export interface PreSaleAnswer {
  readonly endpointId: EndpointId
  readonly status: number | null
  readonly reason: string | null
  readonly durationMs: number
  readonly answer: string
}

/** What a gateway is opened with. Core hands it on, and looks into nothing of it. */
export interface GatewayAccess {
  readonly type: string
  readonly credentialsSealed: Uint8Array
}

export interface GatewayFacts {
  readonly id: GatewayId
  readonly access: GatewayAccess
  readonly active: boolean
  /** The card's name in its vault; null: the card is not stored there. */
  readonly cardRef: string | null
}

/** What is at hand to charge an offer with a card; null where the merchant has no such thing. */
export interface ChargeFacts {
  readonly merchant: Merchant
  readonly offer: Offer | null
  readonly card: Card | null
  readonly customer: Customer | null
  readonly gateway: GatewayFacts | null
  /**
   * Where the same card is stored as well, and may be charged when the first gateway declined or was not reached: in the
   * order in which they are tried; none where the offer names its gateway.
   */
  readonly fallbacks: readonly CardVault[]
  readonly preSaleEndpoints: readonly PreSaleEndpoint[]
}

/** A customer pays with a token. Whether it is used up by that, or for this customer alone, the token's own row says. */
export interface TokenUse {
  readonly boxSha256: string
  readonly customerId: CustomerId
}

export interface OwedEvent {
  readonly id: EventId
  readonly kind: EventKind
  readonly type: DetailsType
  readonly details: string
  readonly at: Date
  /** What the customer is told by mail, in the same commit; null: nothing. */
  readonly mail: MailKind | null
}

/** The first commit of a charge. With an operation it is chargeable at once; else Pre-Sale comes first. */
export interface FirstCommit {
  readonly sale: Sale
  readonly operation: Operation | null
  readonly preSale: PreSale | null
  /** How long nobody else may take it over. */
  readonly leaseMs: number
}

/** A sale that begins: written whole or not at all. */
export interface NewSale extends FirstCommit {
  readonly repetition: Repetition | null
  /** What asked for it, and is done with this. */
  readonly letter?: ForLetter
  /** Null, or left out: whether it was paid before is no matter. */
  readonly onlyIfUnpaid?: OnlyIfUnpaid | null
}

/** An offer that is meant to be paid once: the commit is refused where it was paid, or may have been, after `since`; null: ever. */
export interface OnlyIfUnpaid {
  readonly since: Date | null
  readonly besides: KnownPayment | null
}

/** A payment that its customer was told of, and besides which they want to pay: neither it nor an older one stands against that. */
export interface KnownPayment {
  readonly id: TransactionId
  /** When it was made; when it was asked for, where it was open. */
  readonly at: Date
}

export interface ForLetter {
  readonly held: HeldLetter
  readonly uses: readonly TokenUse[]
  /** What its customer may pay by mail; null: nothing is charged by this commit, or they have given their word. */
  readonly limits: MailLimits | null
  /** The other copy of its mail that is done, where there is one: the commit is refused where it is not this one. */
  readonly doneCopy: LetterId | null
}

/** A sale that a letter asked for and that ends, or waits for its customer, before anything is charged. */
export interface UnchargedSale {
  readonly sale: Sale
  readonly held: HeldLetter
  /** As for a charge. */
  readonly doneCopy: LetterId | null
  readonly after: Transaction
  readonly event: OwedEvent
  /** SHA-256 of the box of a token that lets it go on. */
  readonly verifiedBy: string | null
}

/** What it wanted of its customer is there: the commit that makes it chargeable. */
export interface GoingOn {
  readonly before: Transaction
  readonly first: FirstCommit
  readonly uses: readonly TokenUse[]
  readonly repetition: Repetition | null
  /** What brought what was wanted; null: the page did. Its limits hold; its token's uses are among `uses`. */
  readonly letter: ForLetter | null
  readonly onlyIfUnpaid: OnlyIfUnpaid | null
}

/** What every repetition gets from now on. `of`: the charge, or the follow-up operation. */
export interface FixedAnswer {
  readonly of: TransactionId | OperationId
  readonly status: number
  readonly text: string
}

/** What was asked in doubt, and what was heard: kept, and shown to whoever settles it. */
export interface Ask {
  readonly operationId: OperationId
  readonly number: number
  readonly at: Date
  readonly step: 'send_again' | 'fence_and_look_up' | 'look_up' | 'leave_to_a_person'
  /** One line for each exchange. */
  readonly heard: readonly string[]
}

/** What a recheck of a settled operation came to. */
export interface Recheck {
  /** Null: it is not asked about again. */
  readonly nextAskAt: Date | null
  readonly ask: Ask
  /** Why a person has to look at it; null: nobody has to. */
  readonly forPerson: string | null
}

export const verdicts = ['succeeded', 'not_made', 'dismissed'] as const
/** How a person settled what no proof did. */
export interface Resolution {
  readonly operationId: OperationId
  readonly at: Date
  readonly verdict: (typeof verdicts)[number]
  readonly by: string
  readonly note: string
  /** The sentence that is dismissed: only that one is no news later. Null: nothing is, or it was decided in an older release. */
  readonly answers: string | null
}

/** One step of a transaction: state, operation, evidence, event, the fixed answer and stock, in one commit. */
export interface Change {
  readonly before: Transaction
  readonly after: Transaction
  readonly begins?: { readonly operation: Operation; readonly leaseMs: number; readonly repetition: Repetition | null }
  readonly settles?: { readonly held: HeldOperation; readonly operation: Operation }
  /** Settled at the gateway without us: written as they ended. */
  readonly reported?: readonly Operation[]
  /** What was settled once, and ends differently: a refund that failed later, a late success that a person accepts. */
  readonly revises?: { readonly before: Operation; readonly operation: Operation }
  readonly dispute?: ReportedDispute
  readonly ask?: Ask
  readonly resolution?: Resolution
  readonly preSaleAnswers?: readonly PreSaleAnswer[]
  readonly event?: OwedEvent
  /** Where no event is owed, and the customer is told all the same. */
  readonly mail?: MailKind | null
  readonly answer?: FixedAnswer
  /** Below zero: taken again, also where fewer are left. */
  readonly givesBackUnits?: number
  /** Of a token that a failure gave back and a late success takes again. Where another payment has it by now, it stays with that. */
  readonly takesTokenAgain?: readonly TokenUse[]
  /** Of a payment that failed, and of which a person says that it stays so. */
  readonly givesTokenBack?: true
}

/** token_used: by another payment, or it was revoked. */
export type Created = 'begun' | 'repeated' | 'sold_out' | UnchargedBecause
/**
 * letter_lost: somebody else has the letter by now. paid_meanwhile: what is meant to be paid once may have been. copy_done: another copy
 * of the mail than `doneCopy` has come to something.
 */
export type UnchargedBecause = 'letter_lost' | 'token_used' | 'over_limit' | 'paid_meanwhile' | 'copy_done'
/** stale: the transaction changed since it was read. lease_lost: someone else may have settled it. operation_open: one is enough. */
export type Committed = 'committed' | 'stale' | 'lease_lost' | 'operation_open' | 'repeated'

export interface SaleStore {
  chargeFacts(merchantId: MerchantId, offerId: OfferId | null, cardToken: CardToken | null): Promise<ChargeFacts>
  create(newSale: NewSale): Promise<Created>
  createUncharged(uncharged: UnchargedSale): Promise<'created' | 'letter_lost' | 'copy_done'>
  goOn(going: GoingOn): Promise<Created | 'stale'>
  commit(change: Change): Promise<Committed>
  load(merchantId: MerchantId, transactionId: TransactionId): Promise<Sale | null>
  /** Without its refunds: strangers may look at a payment as often as they like, and refunds may have megabytes. */
  loadForCustomer(merchantId: MerchantId, transactionId: TransactionId): Promise<Sale | null>
  findEarlier(merchantId: MerchantId, repetition: Repetition): Promise<EarlierRequest | null>
  /** Takes an open operation over. Null: it is settled, or somebody is at it just now. */
  claimOperation(operation: Operation, leaseMs: number): Promise<HeldOperation | null>
  /** Counts a sending before it leaves; false: the lease is lost, and so is the right to send. */
  countSending(held: HeldOperation): Promise<boolean>
  /** Gives back what could not be written down, to be asked about again at this time. */
  releaseOperation(held: HeldOperation, next: { readonly nextAskAt: Date; readonly cause: string }): Promise<void>
  /** Ends a recheck of a settled operation. True: its sentence is kept for a person from now on. */
  recordRecheck(held: HeldOperation, recheck: Recheck): Promise<boolean>
  /** A success came for something already settled as not done: kept for a person, never dropped. False: it is known, or just this was dismissed. */
  keepLateSuccess(operation: Operation, sentence: string): Promise<boolean>
  /** Word that it was not made came for what a person had settled as succeeded: kept for a person likewise. */
  keepContrary(operation: Operation, sentence: string): Promise<boolean>
  /** Lists what is settled, whoever settled it. False: it is listed so already, or somebody has dismissed just this. */
  keepForPerson(operation: Operation, sentence: string): Promise<boolean>
}

export interface Ports {
  readonly store: SaleStore
  readonly service: ServiceFacts
  readonly now: () => Date
  readonly newTransactionId: () => TransactionId
  readonly newOperationId: () => OperationId
  readonly newEventId: () => EventId
  /** Where its access is not at hand, it is read. */
  readonly openGateway: (merchantId: MerchantId, gatewayId: GatewayId, access?: GatewayAccess) => Promise<Gateway>
  /** Asks all endpoints at the same time, each once. Null: it was too late to begin, and nobody was asked. */
  readonly askPreSale: (
    merchantId: MerchantId,
    endpoints: readonly PreSaleEndpoint[],
    details: string,
    askBy: AbortSignal,
  ) => Promise<readonly PreSaleAnswer[] | null>
  /** For what a person must hear of. */
  readonly alert: (sentence: string, facts: { readonly [name: string]: unknown }) => void
  /** The gateway refused it, or was not reached; its cause says why, to whoever looks into it. */
  readonly notSent: (operation: Operation, code: NotSentCode) => void
}
