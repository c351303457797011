import assert from 'node:assert/strict'
import { test } from 'node:test'
import { credentialsFrom, credentialsOf, typesIn } from './types.ts'

test('where money is real there is no sandbox, and nothing stands in for a gateway', () => {
  assert.deepEqual(typesIn('live'), ['stripe', 'braintree'])
  const names = credentialsOf('stripe', 'live').map(({ name }) => name)
  assert.deepEqual(names, ['secret_key', 'publishable_key', 'webhook_secret'])
})

test('what is left empty is not sent, so that a change leaves it as it is', () => {
  assert.deepEqual(credentialsFrom('stripe', 'sandbox', { secret_key: ' sk_test_1 ', webhook_secret: ' ' }), {
    secret_key: 'sk_test_1',
  })
})

test('merchant accounts are typed a line for each currency, and the environment is that of the service', () => {
  const typed = { merchant_id: 'm', merchant_accounts: 'eur shop_eur\n\nUSD=shop' }
  assert.deepEqual(credentialsFrom('braintree', 'live', typed), {
    merchant_id: 'm',
    merchant_accounts: { EUR: 'shop_eur', USD: 'shop' },
    environment: 'production',
  })
})
