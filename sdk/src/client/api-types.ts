// Written from the service's OpenAPI document: UPDATE_DOCS=1 npm test -- server/test/the-sdk-client.test.ts

import type { Listing } from './listing.ts'
import type { CallOptions } from './settings.ts'

export interface CreateTransactionArguments {
  /** Identifier of the Offer object. */
  readonly service_offer: string
  /** Identifier of the stored credit card object. */
  readonly token: string
  /** Units to buy; 1 by default. */
  readonly quantity?: number | undefined
  /** Authorise now, capture later. */
  readonly authorization_only?: boolean | undefined
  /** Comes back in every hook. */
  readonly referrer_context?: string | undefined
}

export interface Transaction {
  /** UUID. */
  readonly id: string
  /** ISO 8601 with milliseconds and a numeric UTC offset. */
  readonly created_at: string
  readonly status:
    | 'Processing'
    | 'Further Action Required'
    | 'Authorized'
    | 'Successful'
    | 'Partially Refunded'
    | 'Refunded'
    | 'Voided'
    | 'Failed'
  /** Decimal number as text, in the decimals of the currency. */
  readonly amount: string
  /** Decimal number as text, in the decimals of the currency. */
  readonly net_amount: string | null
  readonly merchant: string
  readonly gateway: string
  readonly source: 'Web Transaction' | 'Email Transaction'
  readonly offer: {
    readonly id: string
    readonly ref_id: string | null
    readonly details: string | null
    readonly item_name: string
    readonly signup_url: string
    readonly campaign: string | null
    readonly tag: string | null
    readonly form: string | null
  }
  readonly customer: {
    readonly first_name: string
    readonly last_name: string
    readonly email: string
    readonly sms_number: string | null
    readonly billing_address: string
    /** The last four digits; this and the three below are empty where no card is at hand yet. */
    readonly card_mask: string
    readonly card_type: 'visa' | 'master' | 'american_express' | 'discover' | 'other' | ''
    /** The first day of the expiry month. */
    readonly expiration_date: string
    readonly service_token: string
  }
  readonly user_data: {
    readonly billing: {
      readonly state: string
      readonly city: string
      readonly street: string
      readonly street2: string
      readonly zip: string
      readonly phone: string
      /** Where it is known. */
      readonly country?: string
    }
    readonly shipping: {
      readonly state: string
      readonly city: string
      readonly street: string
      readonly street2: string
      readonly zip: string
      readonly phone: string
      /** Where it is known. */
      readonly country?: string
    } | null
    readonly custom_data: {
      readonly [name: string]: unknown
    }
    /** As given to the offer. */
    readonly amount: string
    readonly demo: '0' | '1'
    readonly offer_confined_gateway: string
  }
  /** Why it failed, in a sentence. */
  readonly error?: string
  /** Why it failed; stable. */
  readonly error_code?: string
  readonly further_action?: {
    readonly amount: number
    readonly email: string
    readonly signup_url: string
    readonly mail_to: string | null
  }
  /** True while it is not known what the gateway did: the charge, or a later operation. */
  readonly in_doubt?: boolean
  /** What was captured of an authorisation; decimal number as text. */
  readonly captured_amount?: string
  readonly refund?: {
    /** ISO 8601 with milliseconds and a numeric UTC offset. */
    readonly refunded_at: string
    readonly refunded_by: string | null
    readonly refunded_reason: string | null
    /** The id of the refund. */
    readonly refunded_token: string
    /** Decimal number as text, in the decimals of the currency. */
    readonly refunded_amount: string
  }
  readonly refunds?: readonly {
    /** ISO 8601 with milliseconds and a numeric UTC offset. */
    readonly refunded_at: string
    readonly refunded_by: string | null
    readonly refunded_reason: string | null
    /** The id of the refund. */
    readonly refunded_token: string
    /** Decimal number as text, in the decimals of the currency. */
    readonly refunded_amount: string
  }[]
  readonly dispute?: {
    readonly status: 'open' | 'won' | 'lost'
    /** Decimal number as text, in the decimals of the currency. */
    readonly amount: string
    /** In the gateway's words. */
    readonly reason: string | null
    /** ISO 8601 with milliseconds and a numeric UTC offset. */
    readonly opened_at: string
  }
  readonly disputes?: readonly {
    readonly status: 'open' | 'won' | 'lost'
    /** Decimal number as text, in the decimals of the currency. */
    readonly amount: string
    /** In the gateway's words. */
    readonly reason: string | null
    /** ISO 8601 with milliseconds and a numeric UTC offset. */
    readonly opened_at: string
  }[]
}

export interface ListTransactionsArguments {
  /** How many to list at most; 25 by default. */
  readonly limit?: number | undefined
  /** The id of the last row seen. */
  readonly after?: string | undefined
  /** Only those in this state. */
  readonly status?:
    | 'Processing'
    | 'Further Action Required'
    | 'Authorized'
    | 'Successful'
    | 'Partially Refunded'
    | 'Refunded'
    | 'Voided'
    | 'Failed'
    | undefined
  /** Only those from this source. */
  readonly source?: 'Web Transaction' | 'Email Transaction' | undefined
  /** Only those of this offer. */
  readonly offer?: string | undefined
  /** Only those of this customer. */
  readonly email?: string | undefined
  /** Only those created after this time. */
  readonly created_after?: string | undefined
  /** Only those created before this time. */
  readonly created_before?: string | undefined
}

export interface RefundTransactionArguments {
  /** Identifier of the Transaction. */
  readonly transaction: string
  /** How much to refund; all that is left by default. */
  readonly amount?: string | undefined
  /** Who asks for the refund. */
  readonly user?: string | undefined
  /** Why. */
  readonly notes?: string | undefined
}

export interface CaptureTransactionArguments {
  /** How much to capture, at most what is authorised; all of it by default. */
  readonly amount?: string | undefined
}

export interface MakeOfferArguments {
  /** What one unit costs. */
  readonly amount: string
  /** What is sold; "Payment of $100.00." by default. */
  readonly title?: string | undefined
  /** More about it. */
  readonly details?: string | undefined
  /** The merchant's own id. */
  readonly ref_id?: string | undefined
  /** Comes back in the record. */
  readonly campaign?: string | undefined
  /** Comes back in the record. */
  readonly tag?: string | undefined
  /** Comes back in the record. */
  readonly form?: string | undefined
  /** ISO 4217; the merchant's own by default. */
  readonly currency?: string | undefined
  /** Units there are; without end by default. */
  readonly stock?: number | undefined
  /** When it can no longer be bought. */
  readonly expires_at?: string | undefined
  /** The only gateway to charge it at. */
  readonly gateway?: string | undefined
  /** A page of the merchant's own instead of ours. */
  readonly page_url?: string | undefined
  /** What else to ask the customer. */
  readonly custom_fields?:
    | readonly {
        readonly name: string
        readonly required?: boolean | undefined
      }[]
    | undefined
  /** The address to ask for, or both. */
  readonly address?: 'shipping' | 'billing' | 'shipping,billing' | undefined
  /** Comes back in every hook. */
  readonly custom_user_data?: string | undefined
  /** Comes back in every hook. */
  readonly fulfillment?: number | undefined
  /** Only this customer may use it. */
  readonly email?: string | undefined
  /** Authorise when bought, capture later. */
  readonly authorization_only?: boolean | undefined
  /** Comes back in every hook. In a form each member is an argument: `custom_data[key]=value`. */
  readonly custom_data?:
    | {
        readonly [name: string]: unknown
      }
    | undefined
}

export interface Offer {
  readonly offer_id: string
  readonly title: string
  /** Decimal number as text, in the decimals of the currency. */
  readonly amount: string
  readonly currency: string
  /** The offer's page. */
  readonly pcp_url: string
  /** Opens an email that asks to pay; with a personal token where the offer is for one customer. Null: no mail comes here. */
  readonly mail_to: string | null
  /** The offer's page as a picture, PNG; with .svg at its end, SVG. */
  readonly qr_code: string
  /** A button for mails, in the colours of the payment page. */
  readonly button_html: string
  readonly merchant: string
  readonly ref_id: string | null
  readonly details: string | null
  readonly campaign: string | null
  readonly tag: string | null
  readonly form: string | null
  readonly stock: number | null
  /** ISO 8601 with milliseconds and a numeric UTC offset. */
  readonly expires_at: string | null
  readonly gateway: string | null
  readonly custom_fields: readonly {
    readonly name: string
    readonly required: boolean
  }[]
  readonly address: 'shipping' | 'billing' | 'shipping,billing' | null
  readonly custom_user_data: string | null
  readonly fulfillment: number | null
  readonly email: string | null
  readonly authorization_only: boolean
  readonly custom_data: {
    readonly [name: string]: unknown
  }
  readonly active: boolean
  /** ISO 8601 with milliseconds and a numeric UTC offset. */
  readonly created_at: string
}

export interface ListOffersArguments {
  /** How many to list at most; 25 by default. */
  readonly limit?: number | undefined
  /** The id of the last row seen. */
  readonly after?: string | undefined
}

export interface MakeOfferLinkArguments {
  /** The one customer who can pay with it. */
  readonly email: string
}

export interface Link {
  /** UUID of the offer. */
  readonly offer: string
  /** The one customer who can pay with it. */
  readonly email: string
  /** The token as it stands in the email. It is for that customer: put it on no page. */
  readonly token: string
  /** Opens an email that pays at once; null: no mail comes here. */
  readonly mail_to: string | null
  /** A button for an email to that customer. */
  readonly button_html: string
  /** ISO 8601 with milliseconds and a numeric UTC offset. */
  readonly expires_at: string | null
}

export interface RegisterTokenArguments {
  /** As it stands in a mail, with both @. */
  readonly token: string
}

export interface RegisterTokenAnswer {
  /** UUID of the offer. */
  readonly id: string
  /** The offer's page. */
  readonly url: string
}

export interface RevokeTokenArguments {
  /** As it stands in a mail, with both @. */
  readonly token: string
}

export interface Revocation {
  /** ISO 8601 with milliseconds and a numeric UTC offset. */
  readonly revoked_at: string
  /** UUID of what it stood for; null: nobody had shown it. */
  readonly offer: string | null
}

export interface InspectTokenArguments {
  /** As it stands in a mail, with both @. */
  readonly token: string
}

export interface Token {
  readonly state: 'open' | 'used' | 'expired' | 'revoked' | 'inactive' | 'closed'
  /** Why nobody can pay with it; null: it is open. */
  readonly reason: string | null
  /** UUID of the Private Key that it was made with. */
  readonly private_key: string | null
  readonly authorization_only: boolean | null
  readonly target: {
    readonly kind: 'email' | 'card' | 'url'
    readonly value: string
  } | null
  readonly group: string | null
  /** Decimal number as text; in the decimals of the currency, where that is known. */
  readonly amount: string | null
  readonly currency: string | null
  /** ISO 8601 with milliseconds and a numeric UTC offset. */
  readonly expires_at: string | null
  readonly user_data: {
    readonly [name: string]: unknown
  } | null
  /** UUID of what it stands for; null: nobody has shown it. */
  readonly offer: string | null
  /** ISO 8601 with milliseconds and a numeric UTC offset. */
  readonly revoked_at: string | null
}

export interface ListCardsArguments {
  /** How many to list at most; 25 by default. */
  readonly limit?: number | undefined
  /** The id of the last row seen. */
  readonly after?: string | undefined
  /** Only those of this customer, and of these only confirmed ones. */
  readonly email?: string | undefined
  /** With email: also those that were entered under it by somebody who has not proven it. */
  readonly include_unconfirmed?: boolean | undefined
}

export interface Card {
  readonly service_token: string
  /** The last four digits. */
  readonly card_mask: string
  readonly card_type: 'visa' | 'master' | 'american_express' | 'discover' | 'other'
  /** The first day of the expiry month. */
  readonly expiration_date: string
  readonly gateway: string
  /** Where it is stored: its own gateway, then those it was copied to. */
  readonly gateways: readonly string[]
  readonly first_name: string
  readonly last_name: string
  readonly email: string
  readonly billing_address: string
  /** False: it was entered on a page under this email by somebody who has not proven that the email is theirs. */
  readonly confirmed: boolean
  /** ISO 8601 with milliseconds and a numeric UTC offset. */
  readonly created_at: string
}

export interface StoreCardArguments {
  /** The customer's address. */
  readonly email: string
  /** The customer's first name. */
  readonly first_name?: string | undefined
  /** The customer's last name. */
  readonly last_name?: string | undefined
  /** The card's name at the gateway: never its number. */
  readonly reference: string
  /** Where it is stored; the default gateway by default. */
  readonly gateway?: string | undefined
  /** The service_token of the same card, stored at another gateway: this is its copy. */
  readonly card?: string | undefined
}

export interface MakeCardLinkArguments {
  /** The customer's address. */
  readonly email: string
  /** The customer's first name. */
  readonly first_name?: string | undefined
  /** The customer's last name. */
  readonly last_name?: string | undefined
  /** Where the card is stored; the default gateway by default. */
  readonly gateway?: string | undefined
  /** Where the customer may go on afterwards. */
  readonly return_url?: string | undefined
}

export interface CardLink {
  /** Where the customer enters the card, once. */
  readonly url: string
  /** ISO 8601 with milliseconds and a numeric UTC offset. */
  readonly expires_at: string
}

export interface EraseCustomerArguments {
  /** Whom to erase. */
  readonly email: string
}

export interface Erasure {
  readonly erased: boolean
}

export interface ListGatewaysArguments {
  /** How many to list at most; 25 by default. */
  readonly limit?: number | undefined
  /** The id of the last row seen. */
  readonly after?: string | undefined
}

export interface Gateway {
  readonly id: string
  readonly type: string
  readonly default: boolean
  /** Its place among those that are tried next. */
  readonly fallback: number | null
  readonly status: 'active' | 'inactive'
  /** Where the gateway is to post its own events; null: it has none. */
  readonly events_url: string | null
  /** ISO 8601 with milliseconds and a numeric UTC offset. */
  readonly created_at: string
}

export interface ConnectGatewayArguments {
  /** The kind of gateway. */
  readonly type: string
  /** What the gateway gave the merchant; write-only. */
  readonly credentials?:
    | {
        readonly [name: string]: unknown
      }
    | undefined
  /** Store new cards here. */
  readonly default?: boolean | undefined
  /** Its place among those that are tried next, lowest first, where a card is stored at them too and another gateway declined or was not reached; 0 or empty: it is not tried next. */
  readonly fallback?: number | null | undefined
  /** An inactive gateway charges nothing; its refunds still go through. */
  readonly status?: 'active' | 'inactive' | undefined
}

export interface ChangeGatewayArguments {
  /** Those that change; write-only. A member that is not given stays as it is, and null removes one that is optional. */
  readonly credentials?:
    | {
        readonly [name: string]: unknown
      }
    | undefined
  /** Store new cards here. */
  readonly default?: boolean | undefined
  /** Its place among those that are tried next, lowest first, where a card is stored at them too and another gateway declined or was not reached; 0 or empty: it is not tried next. */
  readonly fallback?: number | null | undefined
  /** An inactive gateway charges nothing; its refunds still go through. */
  readonly status?: 'active' | 'inactive' | undefined
}

export interface ListHookDeliveriesArguments {
  /** How many to list at most; 25 by default. */
  readonly limit?: number | undefined
  /** The id of the last row seen. */
  readonly after?: string | undefined
  /** Only those in this state. */
  readonly state?: 'pending' | 'delivered' | 'dropped' | 'canceled' | undefined
  /** Only those of this kind; generic: those that went to such an endpoint. */
  readonly kind?: 'pre_sale' | 'transaction' | 'far' | 'error' | 'generic' | 'update' | undefined
  /** Only those to this endpoint. */
  readonly endpoint?: string | undefined
  /** Only those about this Transaction; the UUID of zeros alone: tests. */
  readonly transaction?: string | undefined
  /** Only those created after this time. */
  readonly created_after?: string | undefined
  /** Only those created before this time. */
  readonly created_before?: string | undefined
}

export interface HookDelivery {
  /** UUID. */
  readonly id: string
  readonly kind: 'pre_sale' | 'transaction' | 'far' | 'error' | 'update'
  /** UUID of the endpoint. */
  readonly endpoint: string
  /** Where its newest attempt went; before the first, the endpoint's. */
  readonly url: string
  /** UUID; of zeros alone in a test. */
  readonly transaction: string
  readonly state: 'pending' | 'delivered' | 'dropped' | 'canceled'
  /** How many were made. */
  readonly attempts: number
  /** ISO 8601 with milliseconds and a numeric UTC offset. */
  readonly next_attempt_at: string | null
  /** ISO 8601 with milliseconds and a numeric UTC offset. */
  readonly created_at: string
}

export interface WholeHookDelivery {
  /** UUID. */
  readonly id: string
  readonly kind: 'pre_sale' | 'transaction' | 'far' | 'error' | 'update'
  /** UUID of the endpoint. */
  readonly endpoint: string
  /** Where its newest attempt went; before the first, the endpoint's. */
  readonly url: string
  /** UUID; of zeros alone in a test. */
  readonly transaction: string
  readonly state: 'pending' | 'delivered' | 'dropped' | 'canceled'
  readonly attempts: readonly {
    readonly number: number
    /** ISO 8601 with milliseconds and a numeric UTC offset. */
    readonly at: string
    readonly status: number | null
    readonly duration_ms: number | null
    /** Why it was not accepted; null where it was. */
    readonly reason: string | null
    /** Its first 16 KiB; null where nothing came back, and once it is no longer kept. */
    readonly response: string | null
    /** Where it went. */
    readonly url: string
    /** Asked for by hand, outside the schedule. */
    readonly resend: boolean
  }[]
  /** ISO 8601 with milliseconds and a numeric UTC offset. */
  readonly next_attempt_at: string | null
  /** ISO 8601 with milliseconds and a numeric UTC offset. */
  readonly created_at: string
  /** As sent; null once it was erased. */
  readonly details: string | null
  /** With the Private Key that is current now. */
  readonly signature: string | null
}

export interface ResendHooksArguments {
  /** Whose deliveries. */
  readonly endpoint: string
  /** Only those created after this time. */
  readonly created_after: string
  /** Only those created before this time. */
  readonly created_before?: string | undefined
  /** Only those in this state; all by default. */
  readonly state?: 'pending' | 'delivered' | 'dropped' | undefined
}

export interface ResendHooksAnswer {
  readonly resent: number
}

export interface ListHookEndpointsArguments {
  /** How many to list at most; 25 by default. */
  readonly limit?: number | undefined
  /** The id of the last row seen. */
  readonly after?: string | undefined
}

export interface HookEndpoint {
  /** UUID. */
  readonly id: string
  readonly kind: 'pre_sale' | 'transaction' | 'far' | 'error' | 'generic' | 'update'
  readonly url: string
  readonly status: 'enabled' | 'paused'
  /** How long an attempt may take in all. */
  readonly timeout_s: number
  /** true: the three headers beside the form; json: with a JSON body instead of the form. */
  readonly standard_webhooks: boolean | 'json'
  /** ISO 8601 with milliseconds and a numeric UTC offset. */
  readonly created_at: string
  /** By hand, or by itself after five days of nothing but failures; null: it is not paused. */
  readonly paused_because: 'asked' | 'failing' | null
  /** The Standard Webhooks secret, in the answer that made it and never again. */
  readonly secret?: string
}

export interface AddHookEndpointArguments {
  /** What it is told. */
  readonly kind: 'pre_sale' | 'transaction' | 'far' | 'error' | 'generic' | 'update'
  /** Where to: http or https, without credentials. */
  readonly url: string
  /** What a paused endpoint is owed waits until it is resumed. */
  readonly status?: 'enabled' | 'paused' | undefined
  /** How long an attempt may take in all; 10 by default for Pre-Sale, else 15. */
  readonly timeout_s?: number | undefined
  /** true: send the Standard Webhooks headers too, with a secret of its own. json: send them with a JSON body {type, timestamp, data} instead of the form. */
  readonly standard_webhooks?: boolean | undefined
}

export interface ChangeHookEndpointArguments {
  /** Where to: http or https, without credentials. */
  readonly url?: string | undefined
  /** What a paused endpoint is owed waits until it is resumed. */
  readonly status?: 'enabled' | 'paused' | undefined
  /** How long an attempt may take in all; 10 by default for Pre-Sale, else 15. */
  readonly timeout_s?: number | undefined
  /** true: send the Standard Webhooks headers too, with a secret of its own. json: send them with a JSON body {type, timestamp, data} instead of the form. */
  readonly standard_webhooks?: boolean | undefined
}

export interface StartHookListenerArguments {
  /** Of the machine that listens: its deliveries have the URL `listen://NAME`. */
  readonly name?: string | undefined
  /** What it wants; by default all but generic, which would be a second copy, and in live mode but Pre-Sale. */
  readonly kinds?: readonly string[] | undefined
  /** Send it also what happened in the last so many seconds; never Pre-Sale. */
  readonly backfill_s?: number | undefined
  /** An earlier listener that has ended: send it also what that one missed, and nothing that has reached it. */
  readonly replaces?: string | undefined
}

export interface HookListener {
  /** UUID. */
  readonly id: string
  readonly merchant: string
  readonly mode: 'sandbox' | 'live'
  /** Of the machine that listens, as it stands in `listen://NAME`, the URL of its deliveries. */
  readonly name: string
  readonly kinds: readonly ('pre_sale' | 'transaction' | 'far' | 'error' | 'generic' | 'update')[]
  /** ISO 8601 with milliseconds and a numeric UTC offset. */
  readonly created_at: string
  /** When it begins: how many notifications it is owed that happened before. */
  readonly backfilled?: number
}

export interface TakeHookRequestsArguments {
  /** How long to wait for something, in seconds; 25 by default. */
  readonly wait?: number | undefined
}

export interface HookRequest {
  /** UUID, to answer it by. */
  readonly id: string
  readonly kind: 'pre_sale' | 'transaction' | 'far' | 'error' | 'generic' | 'update'
  /** Names and values, as a hook has them beside Host and Content-Length. */
  readonly headers: readonly (readonly string[])[]
  /** As it is signed: pass it on byte for byte. */
  readonly body: string
  /** ISO 8601 with milliseconds and a numeric UTC offset. */
  readonly deadline: string
  /** How long until then. */
  readonly timeout_ms: number
}

export interface AnswerHookRequestArguments {
  /** The id of the request. */
  readonly request: string
  /** What the app answered. */
  readonly status?: number | undefined
  /** The beginning of its answer. */
  readonly body?: string | undefined
  /** How long the app took. */
  readonly duration_ms?: number | undefined
  /** Instead of a status: why there is no answer. */
  readonly reason?: string | undefined
}

export interface AnsweredHookRequest {
  /** UUID. */
  readonly id: string
  readonly taken: boolean
}

export interface ListLettersArguments {
  /** How many to list at most; 25 by default. */
  readonly limit?: number | undefined
  /** The id of the last row seen. */
  readonly after?: string | undefined
  /** Only those that this Transaction came of. */
  readonly transaction?: string | undefined
  /** Only those from this address. */
  readonly email?: string | undefined
  /** Only those whose sender was believed, or was not. */
  readonly proven?: boolean | undefined
}

export interface Letter {
  /** UUID. */
  readonly id: string
  /** ISO 8601 with milliseconds and a numeric UTC offset. */
  readonly received_at: string
  /** UUID of the offer that it asked for. */
  readonly offer: string
  /** Whom it is from; null: nobody can tell, or the customer was erased. */
  readonly from: string | null
  /** Whether the sender was believed. */
  readonly proven: boolean
  readonly state: 'waiting' | 'done'
  /** UUID; null: it waits, or came to nothing. */
  readonly transaction: string | null
  /** Why it came to nothing; null: it waits, or came to a Transaction. */
  readonly closed_because: string | null
  readonly verdict: {
    /** The one address in From; null: there is not exactly one. */
    readonly sender: string | null
    /** Every rule holds: the sender is believed. */
    readonly proven: boolean
    /** SPF or DKIM fits the sender, who therefore may be answered. */
    readonly aligned: boolean
    readonly rules: readonly {
      readonly rule:
        | 'one_of_each_header'
        | 'one_from'
        | 'aligned_signature'
        | 'whole_body_signed'
        | 'headers_signed'
        | 'to_payment_address'
        | 'known_charset'
        | 'date_within_48_hours'
        | 'signed_within_48_hours'
        | 'own_words'
      readonly holds: boolean
      /** It does not hold; null where it does. */
      readonly why: string | null
    }[]
    /** Null: it came before this was judged. */
    readonly consent: {
      /** Every rule holds: its words say that its sender wants to pay. */
      readonly given: boolean
      readonly rules: readonly {
        readonly rule: 'new_mail' | 'own_sender' | 'signed_subject' | 'one_text' | 'expected_words'
        readonly holds: boolean
        /** It does not hold; null where it does. */
        readonly why: string | null
      }[]
    } | null
    /** In the words of RFC 8601. */
    readonly spf: string
    /** In the words of RFC 8601. */
    readonly dmarc: string
    readonly signatures: readonly {
      readonly domain: string
      readonly selector: string
      readonly result: string
      readonly aligned: boolean
      readonly comment: string | null
    }[]
  } | null
  readonly mails: readonly {
    readonly kind: 'receipt' | 'further_action' | 'error'
    readonly state: 'waiting' | 'sent' | 'dropped' | 'skipped'
    /** How many were made. */
    readonly attempts: number
    /** ISO 8601 with milliseconds and a numeric UTC offset. */
    readonly created_at: string
    /** Why it was not sent, or not yet. */
    readonly cause: string | null
  }[]
}

export interface PaymentPage {
  readonly name: string
  /** Where its bytes are; another logo has another address. */
  readonly logo_url: string | null
  /** #rrggbb; null: ours. */
  readonly button_color: string | null
  /** #rrggbb; null: ours. */
  readonly background_color: string | null
  readonly support_email: string | null
  /** Where a customer may go on after paying. */
  readonly return_url: string | null
  /** Origins that may show the pages in a frame. */
  readonly frame_ancestors: readonly string[]
}

export interface ChangePaymentPageArguments {
  /** What customers know the merchant by. */
  readonly name?: string | undefined
  /** Shown in place of the name: base64 of a PNG, JPEG or WebP. */
  readonly logo?: string | null | undefined
  /** Of what is pressed; the letters on it are black or white by themselves. */
  readonly button_color?: string | null | undefined
  /** Behind everything. */
  readonly background_color?: string | null | undefined
  /** Whom a customer may ask. */
  readonly support_email?: string | null | undefined
  /** Where a customer may go on after paying. */
  readonly return_url?: string | null | undefined
  /** Origins that may show the pages in a frame; in a form with blanks or commas between them. */
  readonly frame_ancestors?: readonly string[] | undefined
}

export interface MailSettings {
  /** Whether customers may pay by mail at all. */
  readonly payments: boolean
  /** What a customer may pay with one mail; null: no limit. */
  readonly amount_max: string | null
  /** What a customer may pay by mail in a day; null: no limit. */
  readonly day_amount_max: string | null
  /** How often a customer may pay by mail in a day; null: no limit. */
  readonly day_payments_max: number | null
  /** Whether emails to public addresses charge at once, where their words are those of the link. */
  readonly public_charge_at_once: boolean
  /** Whether emails with personal tokens charge at once, where their words are those of the link. */
  readonly personal_charge_at_once: boolean
  /** What else emails may say that charge at once. */
  readonly sentences: readonly string[]
  readonly receipts: boolean
  readonly further_actions: boolean
  readonly errors: boolean
  /** Whether tokens of version 2 open that do not say authorization_only in user_data. */
  readonly unsigned_authorizations: boolean
}

export interface ChangeMailSettingsArguments {
  /** Whether customers may pay by mail at all. */
  readonly payments?: boolean | undefined
  /** What a customer may pay with one mail; null or empty text for no limit. */
  readonly amount_max?: string | null | undefined
  /** What a customer may pay by mail in a day; null or empty text for no limit. */
  readonly day_amount_max?: string | null | undefined
  /** How often a customer may pay by mail in a day; null or empty text for no limit. */
  readonly day_payments_max?: number | null | undefined
  /** Whether emails to public addresses, and with public tokens, charge at once where their words are those of the link. Risk: anybody can put such an address into an email that your customer answers. Off by default: each payment is confirmed by a link. */
  readonly public_charge_at_once?: boolean | undefined
  /** Whether emails with personal tokens charge at once where their words are those of the link. On by default; off, each payment is confirmed by a link. */
  readonly personal_charge_at_once?: boolean | undefined
  /** What else emails may say that charge at once, such as the text of links made by older tools. */
  readonly sentences?: readonly string[] | undefined
  /** Whether customers get a receipt for each payment by mail. */
  readonly receipts?: boolean | undefined
  /** Whether they are told by mail what is left to do. */
  readonly further_actions?: boolean | undefined
  /** Whether they are told by mail that a payment was not made. */
  readonly errors?: boolean | undefined
  /** Whether tokens of version 2 open that do not say authorization_only in user_data, as older clients make them. Whoever has a token of an older client can add the version, and so turn a sale into a hold. Whether this is on or off, they can remove it, and so turn a hold into a sale. */
  readonly unsigned_authorizations?: boolean | undefined
}

export interface AdvanceSandboxClockArguments {
  /** How far to move the clock forward, in seconds. */
  readonly advance_s: number
}

export interface SandboxClock {
  /** ISO 8601 with milliseconds and a numeric UTC offset. */
  readonly now: string
}

export interface StoreTestCardArguments {
  /** One of the test cards. */
  readonly number: string
  /** Month of expiry. */
  readonly expiry_month: number
  /** Year of expiry. */
  readonly expiry_year: number
  /** Security code. */
  readonly cvc?: string | undefined
  /** The customer's address. */
  readonly email: string
  /** The customer's first name. */
  readonly first_name?: string | undefined
  /** The customer's last name. */
  readonly last_name?: string | undefined
  /** Where to store it; the default gateway by default. */
  readonly gateway?: string | undefined
}

export interface DisputeTransactionArguments {
  /** Identifier of the Transaction, charged by a gateway of type `test`. */
  readonly transaction: string
  /** How it stands, for you; open by default. */
  readonly status?: 'open' | 'won' | 'lost' | undefined
  /** How much is disputed; by default all that was captured. */
  readonly amount?: string | undefined
  /** In the gateway's words; fraudulent by default. */
  readonly reason?: string | undefined
}

export interface TransactionsMethods {
  /**
   * Create a Transaction. Look at its `status`.
   *
   * 202: The customer must act first; or the outcome is in doubt, and a hook follows when it is known.
   */
  create(asked: CreateTransactionArguments, options?: CallOptions): Promise<Transaction>
  /** List Transactions. */
  list(asked?: ListTransactionsArguments, options?: CallOptions): Listing<Transaction>
  /** Show a Transaction. */
  get(id: string, options?: CallOptions): Promise<Transaction>
  /**
   * Refund a Transaction. Look at its `status`.
   *
   * 202: The customer must act first; or the outcome is in doubt, and a hook follows when it is known.
   */
  refund(asked: RefundTransactionArguments, options?: CallOptions): Promise<Transaction>
  /**
   * Capture an authorisation. Look at its `status`.
   *
   * 202: The customer must act first; or the outcome is in doubt, and a hook follows when it is known.
   */
  capture(id: string, asked?: CaptureTransactionArguments, options?: CallOptions): Promise<Transaction>
  /**
   * Release an authorisation. Look at its `status`.
   *
   * 202: The customer must act first; or the outcome is in doubt, and a hook follows when it is known.
   */
  void(id: string, options?: CallOptions): Promise<Transaction>
}

export interface OffersMethods {
  /** Make an offer. */
  create(asked: MakeOfferArguments, options?: CallOptions): Promise<Offer>
  /** List offers. */
  list(asked?: ListOffersArguments, options?: CallOptions): Listing<Offer>
  /** Show an offer. */
  get(id: string, options?: CallOptions): Promise<Offer>
  /** Deactivate an offer. */
  deactivate(id: string, options?: CallOptions): Promise<Offer>
  /** Make a link with which one customer pays an offer by email. */
  createLink(id: string, asked: MakeOfferLinkArguments, options?: CallOptions): Promise<Link>
}

export interface TokenMethods {
  /** Register a token that was made offline. */
  register(asked: RegisterTokenArguments, options?: CallOptions): Promise<RegisterTokenAnswer>
  /** Revoke a token, and end the offer that was made from it. */
  revoke(asked: RevokeTokenArguments, options?: CallOptions): Promise<Revocation>
  /** Show what a token of yours says, or why it does not open. */
  inspect(asked: InspectTokenArguments, options?: CallOptions): Promise<Token>
}

export interface CreditCardsMethods {
  /** List stored cards. */
  list(asked?: ListCardsArguments, options?: CallOptions): Listing<Card>
  /** Store a card by its reference. */
  store(asked: StoreCardArguments, options?: CallOptions): Promise<Card>
  /** Show a stored card. */
  get(serviceToken: string, options?: CallOptions): Promise<Card>
  /** Remove a stored card. */
  remove(serviceToken: string, options?: CallOptions): Promise<Card>
  /** Make a link on which a customer enters a card. */
  createLink(asked: MakeCardLinkArguments, options?: CallOptions): Promise<CardLink>
}

export interface CustomersMethods {
  /** Erase a customer. */
  erase(asked: EraseCustomerArguments, options?: CallOptions): Promise<Erasure>
}

export interface GatewaysMethods {
  /** List gateways. */
  list(asked?: ListGatewaysArguments, options?: CallOptions): Listing<Gateway>
  /** Connect a gateway. */
  connect(asked: ConnectGatewayArguments, options?: CallOptions): Promise<Gateway>
  /** Change a gateway. */
  update(id: string, asked: ChangeGatewayArguments, options?: CallOptions): Promise<Gateway>
}

export interface HookDeliveriesMethods {
  /** List hook deliveries. */
  list(asked?: ListHookDeliveriesArguments, options?: CallOptions): Listing<HookDelivery>
  /** Show a hook delivery. */
  get(id: string, options?: CallOptions): Promise<WholeHookDelivery>
  /** Send a hook again: one attempt outside the schedule. */
  resend(id: string, options?: CallOptions): Promise<HookDelivery>
  /** Send an endpoint's hooks of a time range again. */
  resendMany(asked: ResendHooksArguments, options?: CallOptions): Promise<ResendHooksAnswer>
}

export interface HookEndpointsMethods {
  /** List hook endpoints. */
  list(asked?: ListHookEndpointsArguments, options?: CallOptions): Listing<HookEndpoint>
  /** Add a hook endpoint. */
  create(asked: AddHookEndpointArguments, options?: CallOptions): Promise<HookEndpoint>
  /** Show a hook endpoint. */
  get(id: string, options?: CallOptions): Promise<HookEndpoint>
  /** Change, pause or resume a hook endpoint. */
  update(id: string, asked: ChangeHookEndpointArguments, options?: CallOptions): Promise<HookEndpoint>
  /** Delete a hook endpoint. */
  delete(id: string, options?: CallOptions): Promise<HookEndpoint>
  /** Replace the Standard Webhooks secret; the old one signs beside it for 24 hours. */
  rotateSecret(id: string, options?: CallOptions): Promise<HookEndpoint>
  /** Send a test to a hook endpoint, and show its first attempt. */
  test(id: string, options?: CallOptions): Promise<WholeHookDelivery>
}

export interface HookListenersMethods {
  /** Listen for hooks. */
  start(asked?: StartHookListenerArguments, options?: CallOptions): Promise<HookListener>
  /** Wait for hooks; a listener that has not asked for a minute is over. */
  takeRequests(id: string, asked?: TakeHookRequestsArguments, options?: CallOptions): Promise<readonly HookRequest[]>
  /** Answer a hook, as an endpoint would. */
  answer(id: string, asked: AnswerHookRequestArguments, options?: CallOptions): Promise<AnsweredHookRequest>
  /** Stop listening. */
  end(id: string, options?: CallOptions): Promise<HookListener>
}

export interface LettersMethods {
  /** List the mails that asked to pay. */
  list(asked?: ListLettersArguments, options?: CallOptions): Listing<Letter>
  /** Show a mail that asked to pay. */
  get(id: string, options?: CallOptions): Promise<Letter>
}

export interface PaymentPageMethods {
  /** Show how the pages look. */
  get(options?: CallOptions): Promise<PaymentPage>
  /** Change how the pages look. */
  update(asked: ChangePaymentPageArguments, options?: CallOptions): Promise<PaymentPage>
}

export interface MailSettingsMethods {
  /** Show the settings of mail. */
  get(options?: CallOptions): Promise<MailSettings>
  /** Change the settings of mail. */
  update(asked: ChangeMailSettingsArguments, options?: CallOptions): Promise<MailSettings>
}

export interface SandboxMethods {
  /** Move the sandbox clock forward. */
  advanceClock(asked: AdvanceSandboxClockArguments, options?: CallOptions): Promise<SandboxClock>
  /** Store a test card. */
  storeCard(asked: StoreTestCardArguments, options?: CallOptions): Promise<Card>
  /** Dispute a Transaction, as the bank of its card would. */
  dispute(asked: DisputeTransactionArguments, options?: CallOptions): Promise<Transaction>
}

/** All that a client has, by what it is about. */
export interface Resources {
  readonly transactions: TransactionsMethods
  readonly offers: OffersMethods
  readonly token: TokenMethods
  readonly creditCards: CreditCardsMethods
  readonly customers: CustomersMethods
  readonly gateways: GatewaysMethods
  readonly hookDeliveries: HookDeliveriesMethods
  readonly hookEndpoints: HookEndpointsMethods
  readonly hookListeners: HookListenersMethods
  readonly letters: LettersMethods
  readonly paymentPage: PaymentPageMethods
  readonly mailSettings: MailSettingsMethods
  readonly sandbox: SandboxMethods
}
