// Stripe's words for why a card was declined, in ours. `decline_code` is the bank's reason, `code` is Stripe's own and
// less exact: the reason is looked at first. What is not in the table is a decline without a reason worth telling.

import type { DeclineCode } from '../../core/gateway.ts'

export interface StripeDecline {
  readonly code: string | null
  readonly declineCode: string | null
}

const ours: { readonly [theirs: string]: DeclineCode } = {
  insufficient_funds: 'insufficient_funds',
  expired_card: 'expired_card',
  expired_payment_method: 'expired_card',
  invalid_expiry_month: 'expired_card',
  invalid_expiry_year: 'expired_card',
  incorrect_cvc: 'incorrect_cvc',
  invalid_cvc: 'incorrect_cvc',
  lost_card: 'lost_card',
  stolen_card: 'stolen_card',
  fraudulent: 'fraud_suspected',
  merchant_blacklist: 'fraud_suspected',
  card_velocity_exceeded: 'limit_exceeded',
  withdrawal_count_limit_exceeded: 'limit_exceeded',
  card_decline_rate_limit_exceeded: 'limit_exceeded',
  charge_exceeds_source_limit: 'limit_exceeded',
  charge_exceeds_transaction_limit: 'limit_exceeded',
  card_not_supported: 'card_not_supported',
  currency_not_supported: 'card_not_supported',
  transaction_not_allowed: 'card_not_supported',
  invalid_card_type: 'card_not_supported',
  processing_error: 'processing_error',
  issuer_not_available: 'processing_error',
  try_again_later: 'processing_error',
  reenter_transaction: 'processing_error',
  approve_with_id: 'processing_error',
  authentication_required: 'authentication_failed',
  authentication_failure: 'authentication_failed',
  authentication_not_handled: 'authentication_failed',
  payment_intent_authentication_failure: 'authentication_failed',
  mobile_device_authentication_required: 'authentication_failed',
}

export function declineCodeOf({ code, declineCode }: StripeDecline): DeclineCode {
  for (const theirs of [declineCode, code]) {
    if (theirs !== null && Object.hasOwn(ours, theirs)) return ours[theirs] ?? 'card_declined'
  }
  return 'card_declined'
}

/** The bank wants its customer to confirm: not an end, but a step that can still be taken. */
export function wantsAuthentication({ code, declineCode }: StripeDecline): boolean {
  return code === 'authentication_required' || declineCode === 'authentication_required'
}
