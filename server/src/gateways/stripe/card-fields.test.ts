import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cardFields } from './card-fields.ts'

test('Stripe’s fields come from Stripe, over https, and from nowhere else', () => {
  const { scriptUrl, reaches, publishableKey } = cardFields('pk_test_1', null)
  assert.equal(publishableKey, 'pk_test_1')
  assert.equal(new URL(scriptUrl).origin, 'https://js.stripe.com')
  assert.ok(reaches.scripts.includes(new URL(scriptUrl).origin))
  for (const source of Object.values(reaches).flat())
    assert.match(source, /^https:\/\/(\*\.)?(js|hooks|api)\.(js\.)?stripe\.com$/)
})

test('what stands in for Stripe has everything in one place', () => {
  const { scriptUrl, reaches } = cardFields('pk_test_1', new URL('http://127.0.0.1:12111'))
  assert.equal(scriptUrl, 'http://127.0.0.1:12111/stripe.js')
  assert.deepEqual(new Set(Object.values(reaches).flat()), new Set(['http://127.0.0.1:12111']))
})
