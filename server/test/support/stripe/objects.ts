// What Stripe's API shows, as far as this look-alike goes: each object in the shape of its public reference, with
// references to others as ids. Amounts are Stripe's own minor units.

export interface Metadata {
  readonly [name: string]: string
}

interface Common {
  readonly id: string
  readonly created: number
  readonly livemode: false
  metadata: Metadata
}

export interface Customer extends Common {
  readonly object: 'customer'
  readonly email: string | null
  readonly name: string | null
  readonly description: string | null
}

export interface PaymentMethod extends Common {
  readonly object: 'payment_method'
  readonly type: 'card'
  readonly card: {
    readonly brand: string
    readonly last4: string
    exp_month: number
    exp_year: number
    readonly fingerprint: string
    readonly funding: 'credit'
    readonly country: 'US'
  }
  customer: string | null
}

export type IntentStatus =
  | 'requires_payment_method'
  | 'requires_confirmation'
  | 'requires_action'
  | 'requires_capture'
  | 'canceled'
  | 'succeeded'

export interface PaymentIntent extends Common {
  readonly object: 'payment_intent'
  readonly amount: number
  amount_capturable: number
  amount_received: number
  readonly currency: string
  capture_method: string
  readonly confirmation_method: 'automatic'
  readonly client_secret: string
  readonly customer: string | null
  readonly description: string | null
  payment_method: string | null
  readonly payment_method_types: readonly string[]
  status: IntentStatus
  canceled_at: number | null
  cancellation_reason: string | null
  latest_charge: string | null
  last_payment_error: ErrorBody | null
  next_action: NextAction | null
}

export type NextAction =
  | {
      readonly type: 'redirect_to_url'
      readonly redirect_to_url: { readonly url: string; readonly return_url: string }
    }
  | { readonly type: 'use_stripe_sdk'; readonly use_stripe_sdk: object }

export interface Charge extends Common {
  readonly object: 'charge'
  readonly amount: number
  amount_captured: number
  amount_refunded: number
  readonly currency: string
  balance_transaction: string | null
  captured: boolean
  readonly customer: string | null
  disputed: boolean
  readonly failure_code: string | null
  readonly failure_message: string | null
  readonly paid: boolean
  readonly payment_intent: string
  readonly payment_method: string
  refunded: boolean
  readonly status: 'succeeded' | 'failed'
}

export interface Refund extends Common {
  readonly object: 'refund'
  readonly amount: number
  readonly currency: string
  /** Null: of money that was held and never taken. Letting go of it moves no balance. */
  readonly balance_transaction: string | null
  readonly charge: string
  readonly payment_intent: string
  readonly reason: string | null
  status: 'succeeded' | 'pending' | 'failed' | 'canceled'
  failure_reason?: string
}

export interface BalanceTransaction extends Common {
  readonly object: 'balance_transaction'
  readonly amount: number
  readonly currency: string
  readonly fee: number
  readonly net: number
  readonly source: string
  readonly type: 'charge' | 'refund'
  readonly status: 'pending'
}

export interface Dispute extends Common {
  readonly object: 'dispute'
  readonly amount: number
  readonly currency: string
  readonly charge: string
  readonly payment_intent: string
  readonly reason: string
  status: 'needs_response' | 'warning_needs_response' | 'warning_closed' | 'won' | 'lost'
}

export interface Kinds {
  readonly customer: Customer
  readonly payment_method: PaymentMethod
  readonly payment_intent: PaymentIntent
  readonly charge: Charge
  readonly refund: Refund
  readonly balance_transaction: BalanceTransaction
  readonly dispute: Dispute
}
export type Kind = keyof Kinds
export type StripeObject = Kinds[Kind]

/** An error in Stripe's shape. */
export interface ErrorBody {
  readonly type: 'api_error' | 'card_error' | 'idempotency_error' | 'invalid_request_error'
  readonly message: string
  readonly code?: string
  readonly decline_code?: string
  readonly param?: string
  readonly charge?: string
  readonly payment_intent?: PaymentIntent
  readonly payment_method?: PaymentMethod
}
