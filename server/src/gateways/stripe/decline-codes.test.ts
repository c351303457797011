import assert from 'node:assert/strict'
import { test } from 'node:test'
import { declineCodeOf, wantsAuthentication } from './decline-codes.ts'

const reasons = {
  insufficient_funds: 'insufficient_funds',
  lost_card: 'lost_card',
  stolen_card: 'stolen_card',
  expired_card: 'expired_card',
  incorrect_cvc: 'incorrect_cvc',
  invalid_cvc: 'incorrect_cvc',
  fraudulent: 'fraud_suspected',
  merchant_blacklist: 'fraud_suspected',
  card_velocity_exceeded: 'limit_exceeded',
  withdrawal_count_limit_exceeded: 'limit_exceeded',
  card_not_supported: 'card_not_supported',
  currency_not_supported: 'card_not_supported',
  transaction_not_allowed: 'card_not_supported',
  processing_error: 'processing_error',
  issuer_not_available: 'processing_error',
  try_again_later: 'processing_error',
  authentication_required: 'authentication_failed',
  generic_decline: 'card_declined',
  do_not_honor: 'card_declined',
  a_reason_of_next_year: 'card_declined',
  toString: 'card_declined',
}
for (const [declineCode, ours] of Object.entries(reasons)) {
  test(`${declineCode} is ${ours}`, () => {
    assert.equal(declineCodeOf({ code: 'card_declined', declineCode }), ours)
  })
}

test('without the reason of the bank, Stripe’s own code is looked at', () => {
  assert.equal(declineCodeOf({ code: 'expired_card', declineCode: null }), 'expired_card')
  assert.equal(
    declineCodeOf({ code: 'payment_intent_authentication_failure', declineCode: null }),
    'authentication_failed',
  )
  assert.equal(declineCodeOf({ code: null, declineCode: null }), 'card_declined')
})

test('a wish for authentication is seen in either place', () => {
  assert.ok(wantsAuthentication({ code: 'authentication_required', declineCode: null }))
  assert.ok(wantsAuthentication({ code: 'card_declined', declineCode: 'authentication_required' }))
  assert.ok(!wantsAuthentication({ code: 'payment_intent_authentication_failure', declineCode: null }))
})
