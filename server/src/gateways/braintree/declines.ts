// Braintree's words for a decline, in ours. https://developer.paypal.com/braintree/docs/reference/general/processor-responses

import type { DeclineCode } from '../../core/gateway.ts'

/** Processor response codes; those that are not here say no more than that the card was declined. */
const byProcessorCode: { readonly [code: string]: DeclineCode } = {
  2001: 'insufficient_funds',
  2002: 'limit_exceeded',
  2003: 'limit_exceeded',
  2004: 'expired_card',
  2010: 'incorrect_cvc',
  2012: 'lost_card',
  2013: 'stolen_card',
  2014: 'fraud_suspected',
  2015: 'card_not_supported',
  2021: 'fraud_suspected',
  2023: 'card_not_supported',
  2024: 'card_not_supported',
  2047: 'stolen_card',
  2053: 'stolen_card',
  2057: 'card_not_supported',
  2099: 'authentication_failed',
}

export function declineByProcessor(code: string | null): DeclineCode {
  if (code === null) return 'card_declined'
  // From 3000 on it is the network of the processors that failed, not the card.
  if (/^3[0-9]{3}$/.test(code)) return 'processing_error'
  return Object.hasOwn(byProcessorCode, code) ? (byProcessorCode[code] ?? 'card_declined') : 'card_declined'
}

/** What the merchant's own settings at Braintree rejected. */
const byRejection: { readonly [reason: string]: DeclineCode } = {
  cvv: 'incorrect_cvc',
  avs_and_cvv: 'incorrect_cvc',
  fraud: 'fraud_suspected',
  risk_threshold: 'fraud_suspected',
  three_d_secure: 'authentication_failed',
  application_incomplete: 'processing_error',
  token_issuance: 'processing_error',
}

export function declineByRejection(reason: string | null): DeclineCode {
  return reason !== null && Object.hasOwn(byRejection, reason)
    ? (byRejection[reason] ?? 'card_declined')
    : 'card_declined'
}

/** Codes of validation errors, which are said before anything is done. */
export const refusals = {
  /** 91504 cannot be voided, 91505 is a credit, 91506 not settled, 91507 not authorised, 91574 settling. */
  wrong_state: ['91504', '91505', '91506', '91507', '91574'],
  /** 91512 already refunded, 91521 more than is left, 91522 more than is authorised. */
  amount_too_large: ['91512', '91521', '91522'],
  /** The merchant account, for charges and for refunds. */
  suspended: ['91514', '91538'],
} as const
