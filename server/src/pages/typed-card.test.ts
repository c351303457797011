import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noon } from '../../test/support/sale-samples.ts'
import { typedCard } from './typed-card.ts'

type Fields = Parameters<typeof typedCard>[0]
const numbers: Fields = { kind: 'number' }
const named = { kind: 'stripe', tokenPattern: /^pm_\w{1,100}$/ } as Fields
const right = { number: '4111 1111-1111 1111', expiry: '08/29', cvc: ' 123 ' }
const read = (form: { readonly [name: string]: string }, fields: Fields = numbers) => typedCard(fields, form, noon)

test('a card is read as people write it', () => {
  const card = { number: '4111111111111111', cvc: '123', expiryMonth: 8, expiryYear: 2029 }
  assert.deepEqual(read(right), { card })
  for (const expiry of ['8/29', '0829', '08 / 2029', ' 08/29 ', '2029-08'])
    assert.deepEqual(read({ ...right, expiry }), { card })
})

test('everything that is wrong is found at once', () => {
  assert.deepEqual(read({}), { wrong: { number: 'number', expiry: 'expiry', cvc: 'cvc' } })
  assert.deepEqual(read({}, named), { wrong: { reference: 'reference' } })
})

test('a number with a wrong digit, a month that is none, a year that is past and a short code are wrong', () => {
  for (const [form, wrong] of [
    [{ number: '4111111111111112' }, { number: 'number' }],
    [{ number: '41111111111' }, { number: 'number' }],
    [{ number: '4111x11111111111' }, { number: 'number' }],
    [{ expiry: '13/29' }, { expiry: 'expiry' }],
    [{ expiry: '00/29' }, { expiry: 'expiry' }],
    [{ expiry: '08/1929' }, { expiry: 'expiry' }],
    [{ expiry: '10/26' }, { expiry: 'expired' }],
    [{ cvc: '12' }, { cvc: 'cvc' }],
    [{ cvc: '12345' }, { cvc: 'cvc' }],
    [{ cvc: '1234' }, { cvc: 'cvc' }],
  ] as const) {
    assert.deepEqual(read({ ...right, ...form }), { wrong }, JSON.stringify(form))
  }
  assert.ok('card' in read({ ...right, expiry: '11/26' }), 'good to the end of its month')
})

test('what the gateway’s fields made of a card is taken, and nothing else in its place', () => {
  assert.deepEqual(read({ reference: 'pm_1' }, named), { card: { fieldsToken: 'pm_1' } })
  for (const reference of ['', 'a b', '4111111111111111', 'x'.repeat(256), 'cus_1', 'cus_1/pm_1', 'pm_1/x', 'pm_1\n'])
    assert.deepEqual(read({ reference }, named), { wrong: { reference: 'reference' } })
})
