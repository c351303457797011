// What the routes need from the rest of the service. main.ts hands it in.

import type { NewCardLink } from '../core/card-link.ts'
import type { CardReference, GatewayAccount, GivenCard, StoreCardOutcome, StoredCard } from '../core/gateway.ts'
import type { EndpointChange, HookEndpoint } from '../core/hook-endpoint.ts'
import type { HookListener, RelayAnswer, RelayRequest } from '../core/hook-listener.ts'
import type {
  CardToken,
  DeliveryId,
  EndpointId,
  GatewayId,
  LetterId,
  ListenerId,
  MerchantId,
  OfferId,
  RelayId,
} from '../core/ids.ts'
import type { Page, SaleFilter } from '../core/lists.ts'
import type { Look } from '../core/look.ts'
import type { MailSettings } from '../core/mail-settings.ts'
import type { Offer } from '../core/offer.ts'
import type { KeptLink } from '../core/offer-link.ts'
import type { CardFilter, CardOfCustomer, Merchant } from '../core/people.ts'
import type { Ports, Repetition } from '../core/ports.ts'
import type { Sale } from '../core/sale.ts'
import type { DeliveryFilter, NotResent, ResendRange, ShownDelivery, WholeDelivery } from '../core/shown-delivery.ts'
import type { LetterFilter, ShownLetter } from '../core/shown-letter.ts'
import type { InspectedToken } from '../core/token.ts'
import type { Caller, DoAlone, GivenAnswer, KeyedAnswer } from '../http/answering.ts'
import type { PaymentPageChange } from '../http/look-arguments.ts'

/** Writes that belong to one commit. */
export interface ApiWrites {
  /** With the Private Key that its token was made with. */
  insertOffer(offer: Offer, keyId: string): Promise<void>
  deactivateOffer(merchantId: MerchantId, id: OfferId): Promise<Offer | null>
  /** The token of the link that this customer has, or from now on of this one. */
  keepOfferLink(link: NewOfferLink, offer: Offer): Promise<KeptLink>
  /** The name that stands in the link's address. */
  insertCardLink(link: NewCardLink): Promise<string>
  askResend(merchantId: MerchantId, id: DeliveryId): Promise<WholeDelivery | NotResent>
}

/** Writes that give access or decide where money goes: in one commit with a second look at whether the caller still may. */
export interface SettingsWrites {
  /** `connected`: the merchant has this account connected already. */
  insertGateway(gateway: GatewayAccount, opens: OpenedAccount): Promise<GatewayAccount | 'connected' | 'too many'>
  /** Null: its credentials are not those any more that the new ones were made from. */
  updateGateway(merchantId: MerchantId, id: GatewayId, change: GatewayChange): Promise<GatewayAccount | null>
  /** As it then is. */
  changePaymentPage(merchantId: MerchantId, change: PaymentPageChange): Promise<PaymentPage>
  /** As they then are. */
  changeMailSettings(merchantId: MerchantId, change: Partial<MailSettings>): Promise<MailSettings>
  /** With its secret, where it has one. */
  insertEndpoint(endpoint: HookEndpoint): Promise<{ readonly secret: string | null } | 'too many' | 'too many Pre-Sale'>
  /** With the secret that it made necessary. */
  changeEndpoint(merchantId: MerchantId, id: EndpointId, change: EndpointChange): Promise<ChangedEndpoint | null>
  /** As it was. */
  deleteEndpoint(merchantId: MerchantId, id: EndpointId): Promise<HookEndpoint | null>
  rotateSecret(
    merchantId: MerchantId,
    id: EndpointId,
  ): Promise<{ readonly endpoint: HookEndpoint; readonly secret: string } | 'not known' | 'has none' | 'too many'>
}

/** An offer's own token. */
export interface MadeToken {
  /** Empty: the amount is too large for one. */
  readonly content: string
  /** The Private Key that it was made with. */
  readonly keyId: string
}

/** A token with which one customer pays an offer. */
export interface NewOfferLink {
  readonly merchantId: MerchantId
  readonly offerId: OfferId
  /** In lower case. */
  readonly email: string
  /** The token as it stands in an email. */
  readonly content: string
  readonly boxSha256: Buffer
  /** The Private Key that it was made with. */
  readonly keyId: string
  /** Null: never. */
  readonly expiresAt: Date | null
}

export interface PaymentPage {
  /** The merchant's, as its customers read it. */
  readonly name: string
  readonly look: Look
}

/** Credentials as the text that is sealed, and the account that they lead to. */
export interface OpenedAccount {
  readonly credentials: string
  readonly account: string
}

/** Made from credentials that are still there when these are written: what another request changed is not lost. */
export interface ReopenedAccount extends OpenedAccount {
  readonly over: Buffer
}

export interface GatewayChange {
  readonly status?: string
  readonly isDefault?: boolean
  /** Null: not tried next any more. */
  readonly fallback?: number | null
  readonly opens?: ReopenedAccount
}

export interface ChangedEndpoint {
  readonly before: HookEndpoint
  readonly after: HookEndpoint
  readonly secret: string | null
}

export interface ApiStore {
  findApiKey(key: string): Promise<{ merchantId: MerchantId; secretSha256: Buffer } | null>
  /** Noted later, and only now and then. */
  keyUsed(merchantId: MerchantId, key: string): void
  findMerchant(id: MerchantId): Promise<Merchant | null>
  findLook(merchantId: MerchantId): Promise<Look>
  readMailSettings(merchantId: MerchantId): Promise<MailSettings>
  listSales(merchantId: MerchantId, filter: SaleFilter): Promise<Sale[]>
  findOffer(merchantId: MerchantId, id: OfferId): Promise<Offer | null>
  listOffers(merchantId: MerchantId, page: Page<OfferId>): Promise<Offer[]>
  findCard(merchantId: MerchantId, token: CardToken): Promise<CardOfCustomer | null>
  listCards(merchantId: MerchantId, filter: Page<CardToken> & CardFilter): Promise<CardOfCustomer[]>
  listGateways(merchantId: MerchantId, page: Page<GatewayId>): Promise<GatewayAccount[]>
  findGateway(merchantId: MerchantId, id: GatewayId): Promise<GatewayAccount | null>
  findDefaultGateway(merchantId: MerchantId): Promise<GatewayAccount | null>
  listEndpoints(merchantId: MerchantId, page: Page<EndpointId>): Promise<HookEndpoint[]>
  findEndpoint(merchantId: MerchantId, id: EndpointId): Promise<HookEndpoint | null>
  listDeliveries(merchantId: MerchantId, filter: DeliveryFilter): Promise<ShownDelivery[]>
  findDelivery(merchantId: MerchantId, id: DeliveryId): Promise<WholeDelivery | null>
  listLetters(merchantId: MerchantId, filter: LetterFilter): Promise<ShownLetter[]>
  findLetter(merchantId: MerchantId, id: LetterId): Promise<ShownLetter | null>
  /** What this key got before; null: nothing, or there is no key. For what must be asked elsewhere before `doOnce`. */
  earlierAnswer(
    merchantId: MerchantId,
    key: Repetition | null,
  ): Promise<(GivenAnswer & { replayed: boolean }) | 'otherArguments' | null>
  readonly doAlone: DoAlone
  /** Does the work once per idempotency key, in one commit with its answer. */
  doOnce(
    merchantId: MerchantId,
    key: Repetition | null,
    work: (writes: ApiWrites) => Promise<KeyedAnswer>,
  ): Promise<(GivenAnswer & { replayed: boolean }) | 'otherArguments'>
  /** As `doOnce`. Throws where the caller was removed, demoted, signed out or revoked after the request was let in. */
  changeSettings(
    caller: Caller,
    key: Repetition | null,
    work: (writes: SettingsWrites) => Promise<KeyedAnswer>,
  ): Promise<(GivenAnswer & { replayed: boolean }) | 'otherArguments'>
}

export interface NewCustomerCard {
  readonly email: string
  readonly firstName: string | null
  readonly lastName: string | null
  /** Null: the default one. */
  readonly gatewayId: GatewayId | null
  readonly card: GivenCard
}

/** Why a card was not stored; what the gateway said, or did not say. */
export type NotStored =
  | Exclude<StoreCardOutcome, StoredCard>
  | { readonly kind: 'no gateway' }
  | { readonly kind: 'gateway inactive' }

export type CopyRefusal = 'there already' | 'another card' | 'a card of its own' | 'gone'

export type Identified =
  | { readonly kind: 'account'; readonly account: string }
  | { readonly kind: 'refused'; readonly says: string }
  | { readonly kind: 'unknown'; readonly sentence: string }

/** What is wrong, in the rest of a sentence that begins with the field, or with the member of it that is to blame. */
export interface WrongAccount {
  readonly field: 'type' | 'credentials'
  readonly member?: string
  readonly says: string
}

export interface GatewayPorts {
  /** Why these cannot be credentials for a gateway of this type; null: they can. */
  readonly whyNotCredentials: (type: string, credentials: unknown) => WrongAccount | null
  /** A member that no credentials of this type have; null: all are known. */
  readonly unknownCredential: (type: string, credentials: object) => WrongAccount | null
  /** Which account credentials lead to, in the gateway's own words. */
  readonly identify: (
    gateway: Pick<GatewayAccount, 'merchantId' | 'id' | 'type'>,
    credentials: object,
  ) => Promise<Identified>
  /** Changes put into the credentials that a gateway has: what is null is left out. */
  readonly completed: (
    gateway: GatewayAccount,
    changes: object,
  ) => Promise<{ readonly whole: object } & Pick<ReopenedAccount, 'over'>>
  /** Which account a gateway is: as it was kept, or as its credentials say where nobody has asked before. */
  readonly accountOf: (gateway: GatewayAccount) => Promise<Identified>
  /** Whether a gateway of this type tells by itself what is new there. */
  readonly hasNotices: (type: string) => boolean
}

/** What was done to an endpoint, for the deliveries that it is owed. */
export type EndpointTurn = 'paused' | 'resumed' | 'deleted'

export interface HookPorts {
  /** The rest of a sentence that begins with `url`; null: hooks may go there. */
  readonly whyNotUrl: (url: string) => string | null
  readonly newEndpointId: () => EndpointId
  /** Sets the endpoint's deliveries aside, or takes them up again. Never rejects: what is left undone, a worker does. */
  readonly followTurn: (endpoint: HookEndpoint, turn: EndpointTurn) => Promise<void>
  readonly wakeWorkers: () => Promise<void>
  /** What `details` are signed with now. */
  readonly signatureOf: (merchantId: MerchantId, details: string) => Promise<string>
  /** A test, and its first attempt; null: the endpoint is paused; `busy`: too many of this merchant's wait for their turn. */
  readonly sendTest: (endpoint: HookEndpoint) => Promise<WholeDelivery | 'busy' | null>
  /** How many are sent again; `busy`: a range of this merchant's is being asked for just now. */
  readonly resendRange: (merchantId: MerchantId, range: ResendRange) => Promise<number | 'busy'>
}

export interface NewListener {
  readonly name: string
  readonly kinds: HookListener['kinds']
  readonly backfillS: number
  /** An earlier one, whose place it takes. */
  readonly replaces: ListenerId | null
}

export interface Poll {
  readonly merchantId: MerchantId
  /** The API key that asks: its revocation ends the poll. */
  readonly key: string
  readonly id: ListenerId
  readonly waitS: number
  /** Whoever asks is not there any more. */
  readonly gone: AbortSignal
  readonly stopped: AbortSignal
}

/** What a poll brought. */
export interface TakenRequests {
  readonly requests: readonly RelayRequest[]
  /** They did not reach the listener: its next poll takes them. */
  readonly giveBack: () => Promise<void>
}

/** `replaced`: by a newer poll of the same listener. */
export type Polled = TakenRequests | 'replaced' | 'key revoked' | 'ended'

export interface ListenerPorts {
  readonly start: (
    merchantId: MerchantId,
    asked: NewListener,
  ) => Promise<{ readonly listener: HookListener; readonly backfilled: number } | 'too many'>
  /** Waits until there is something, or so long, or until `stopped`. */
  readonly poll: (asked: Poll) => Promise<Polled>
  /** False: nobody waits for it any more. */
  readonly answer: (merchantId: MerchantId, id: ListenerId, request: RelayId, answer: RelayAnswer) => Promise<boolean>
  /** As it was; null: it had ended. */
  readonly end: (merchantId: MerchantId, id: ListenerId) => Promise<HookListener | null>
}

/** Null: it does not open, has expired, was used up or revoked, or is another merchant's. */
export interface TokenPorts {
  readonly register: (text: string) => Promise<OfferId | null>
  readonly revoke: (
    merchantId: MerchantId,
    text: string,
  ) => Promise<{ readonly revokedAt: Date; readonly offerId: OfferId | null } | null>
  readonly inspect: (merchant: Pick<Merchant, 'id' | 'partnerId'>, text: string) => Promise<InspectedToken>
}

export interface ApiPorts {
  readonly core: Ports
  readonly store: ApiStore
  readonly hooks: HookPorts
  readonly listeners: ListenerPorts
  readonly requestsPerS: number
  /** Null: no mail comes here from outside. */
  readonly mailDomain: string | null
  readonly newOfferId: () => OfferId
  readonly newGatewayId: () => GatewayId
  /** The token that stands for an offer in a mail; empty where the amount is too large for one. */
  readonly offerToken: (merchant: Merchant, offer: Omit<Offer, 'tokenContent'>) => Promise<MadeToken>
  /** A new token for this customer alone; null: the amount is too large for one. */
  readonly offerLink: (merchant: Merchant, offer: Offer, email: string) => Promise<NewOfferLink | null>
  readonly tokens: TokenPorts
  readonly gateways: GatewayPorts
  /** One that is stored for this customer already is answered as it is. */
  readonly storeCard: (
    merchantId: MerchantId,
    card: NewCustomerCard,
  ) => Promise<{ stored: CardOfCustomer } | NotStored | { readonly kind: 'of another customer' }>
  /** Stores the same card at another gateway. `gone`: it was removed meanwhile. */
  readonly copyCard: (
    merchantId: MerchantId,
    card: CardOfCustomer,
    asked: CardReference & { readonly gatewayId: GatewayId | null },
  ) => Promise<{ stored: CardOfCustomer } | NotStored | { readonly kind: CopyRefusal }>
  /** From every vault that it is in. */
  readonly removeCard: (merchantId: MerchantId, card: CardOfCustomer) => Promise<'removed' | 'unknown'>
  /** `gateway silent`: a card of theirs could not be removed, and nothing was erased yet. */
  readonly eraseCustomer: (merchantId: MerchantId, email: string) => Promise<'erased' | 'not known' | 'gateway silent'>
  /** Null in live mode. The demo merchant alone may move the clock for all. */
  readonly sandbox: {
    readonly isDemo: (merchantId: MerchantId) => Promise<boolean>
    readonly advanceClock: (byMs: number) => Promise<Date>
  } | null
  /** Work that must be finished before the service stops, also when its client has gone. */
  readonly finish: <T>(work: Promise<T>) => Promise<T>
  readonly isReady: () => Promise<string | null>
  readonly observeRequest: (method: string, route: string, status: number, durationMs: number) => void
}
