// The REST records, as /console/rest answers them: what docs/interface.md says of each, as types.

export interface TransactionRecord {
  readonly id: string
  readonly created_at: string
  readonly status: TransactionStatus
  readonly amount: string
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
    /** This and the three below are empty where no card is at hand yet. */
    readonly card_mask: string
    readonly card_type: CardType | ''
    readonly expiration_date: string
    readonly service_token: string
  }
  readonly user_data: {
    readonly billing: AddressRecord
    readonly shipping: AddressRecord | null
    readonly custom_data: { readonly [name: string]: unknown }
    readonly amount: string
    readonly demo: '0' | '1'
    readonly offer_confined_gateway: string
  }
  readonly error?: string
  readonly error_code?: string
  readonly further_action?: {
    readonly amount: number
    readonly email: string
    readonly signup_url: string
    readonly mail_to: string | null
  }
  readonly in_doubt?: true
  readonly captured_amount?: string
  readonly refund?: RefundRecord
  readonly refunds?: readonly RefundRecord[]
  readonly dispute?: DisputeRecord
  readonly disputes?: readonly DisputeRecord[]
}

export type TransactionStatus =
  | 'Processing'
  | 'Successful'
  | 'Authorized'
  | 'Failed'
  | 'Further Action Required'
  | 'Voided'
  | 'Partially Refunded'
  | 'Refunded'

export type CardType = 'visa' | 'master' | 'american_express' | 'discover' | 'other'

export interface AddressRecord {
  readonly state: string
  readonly city: string
  readonly street: string
  readonly street2: string
  readonly zip: string
  readonly phone: string
  readonly country?: string
}

export interface RefundRecord {
  readonly refunded_at: string
  readonly refunded_by: string | null
  readonly refunded_reason: string | null
  readonly refunded_token: string
  readonly refunded_amount: string
}

export interface DisputeRecord {
  readonly status: 'open' | 'won' | 'lost'
  readonly amount: string
  readonly reason: string | null
  readonly opened_at: string
}

export interface OfferRecord {
  readonly offer_id: string
  readonly title: string
  readonly amount: string
  readonly currency: string
  readonly pcp_url: string
  readonly mail_to: string | null
  readonly qr_code: string
  readonly button_html: string
  readonly merchant: string
  readonly ref_id: string | null
  readonly details: string | null
  readonly campaign: string | null
  readonly tag: string | null
  readonly form: string | null
  readonly stock: number | null
  readonly expires_at: string | null
  readonly gateway: string | null
  readonly custom_fields: readonly { readonly name: string; readonly required: boolean }[]
  readonly address: 'shipping' | 'billing' | 'shipping,billing' | null
  readonly custom_user_data: string | null
  readonly fulfillment: number | null
  readonly email: string | null
  readonly authorization_only: boolean
  readonly custom_data: { readonly [name: string]: unknown }
  readonly active: boolean
  readonly created_at: string
}

export interface CardRecord {
  readonly service_token: string
  readonly card_mask: string
  readonly card_type: CardType
  readonly expiration_date: string
  readonly gateway: string
  readonly gateways: readonly string[]
  readonly first_name: string
  readonly last_name: string
  readonly email: string
  readonly billing_address: string
  readonly created_at: string
}

export interface GatewayRecord {
  readonly id: string
  readonly type: string
  readonly default: boolean
  readonly fallback: number | null
  readonly status: 'active' | 'inactive'
  readonly events_url: string | null
  readonly created_at: string
}

export interface PaymentPageRecord {
  readonly name: string
  readonly logo_url: string | null
  readonly button_color: string | null
  readonly background_color: string | null
  readonly support_email: string | null
  readonly return_url: string | null
  readonly frame_ancestors: readonly string[]
}

/** A link with which one customer pays an offer by email. */
export interface OfferLinkRecord {
  readonly offer: string
  readonly email: string
  readonly token: string
  readonly mail_to: string | null
  readonly button_html: string
  readonly expires_at: string | null
}

export interface MailSettingsRecord {
  readonly payments: boolean
  readonly amount_max: string | null
  readonly day_amount_max: string | null
  readonly day_payments_max: number | null
  readonly public_charge_at_once: boolean
  readonly personal_charge_at_once: boolean
  readonly sentences: readonly string[]
  readonly receipts: boolean
  readonly further_actions: boolean
  readonly errors: boolean
  readonly unsigned_authorizations: boolean
}

export type HookKind = 'pre_sale' | 'transaction' | 'far' | 'error' | 'generic' | 'update'

export interface HookEndpointRecord {
  readonly id: string
  readonly kind: HookKind
  readonly url: string
  readonly status: 'enabled' | 'paused'
  readonly timeout_s: number
  readonly standard_webhooks: boolean | 'json'
  readonly created_at: string
  readonly paused_because: 'asked' | 'failing' | null
  readonly secret?: string
}

export type DeliveryState = 'pending' | 'delivered' | 'dropped' | 'canceled'

export interface DeliveryRecord {
  readonly id: string
  readonly kind: Exclude<HookKind, 'generic'>
  readonly endpoint: string
  readonly url: string
  readonly transaction: string
  readonly state: DeliveryState
  readonly attempts: number
  readonly next_attempt_at: string | null
  readonly created_at: string
}

export interface AttemptRecord {
  readonly number: number
  readonly at: string
  readonly status: number | null
  readonly duration_ms: number | null
  readonly reason: string | null
  readonly response: string | null
  readonly url: string
  readonly resend: boolean
}

export interface WholeDeliveryRecord extends Omit<DeliveryRecord, 'attempts'> {
  readonly details: string | null
  readonly signature: string | null
  readonly attempts: readonly AttemptRecord[]
}

export interface LetterRecord {
  readonly id: string
  readonly received_at: string
  readonly offer: string
  readonly from: string | null
  readonly proven: boolean
  readonly state: 'waiting' | 'done'
  readonly transaction: string | null
  readonly closed_because: string | null
  readonly verdict: {
    readonly sender: string | null
    readonly proven: boolean
    readonly aligned: boolean
    readonly rules: readonly { readonly rule: string; readonly holds: boolean; readonly why: string | null }[]
    readonly spf: unknown
    readonly dmarc: unknown
    /** Null: it came before this was judged. */
    readonly consent: {
      readonly given: boolean
      readonly rules: readonly { readonly rule: string; readonly holds: boolean; readonly why: string | null }[]
    } | null
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
    readonly attempts: number
    readonly created_at: string
    readonly cause: string | null
  }[]
}
