// What a customer may type, and what goes no further than the page.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ada, goodCard } from '../../../test/support/fake-checkout-ports.ts'
import { card, cardToken, customer, noon, offer } from '../../../test/support/sale-samples.ts'
import type { Offer } from '../../core/offer.ts'
import { testCards } from '../../gateways/sandbox/test-cards.ts'
import { parseExpiry } from '../typed-card.ts'
import type { Form } from './typed-line.ts'
import { type OrderFor, readOrder } from './typed-order.ts'

const one: Form = { quantity: '1', total: '10000', ...ada, ...goodCard }

function read(form: Form, change: Partial<Offer> = {}, ways: Partial<OrderFor> = {}) {
  const open: OrderFor = {
    offer: { ...offer, ...change },
    proven: null,
    fields: { kind: 'number' },
    cards: [],
    now: noon,
  }
  return readOrder({ ...open, ...ways }, form)
}

const problemsOf = (...given: Parameters<typeof read>) => read(...given).problems

test('a form that is filled in right is an order, its address in small letters and its card without blanks', () => {
  const { order, problems } = read({ ...one, referrer_context: 'mail-7', consent: 'yes' })
  assert.deepEqual(problems, {})
  assert.deepEqual(order, {
    quantity: 1,
    email: 'ada@example.com',
    entered: { firstName: 'Ada', lastName: 'Lovelace', billing: null, shipping: null, answers: {} },
    pays: {
      kind: 'new',
      card: { number: '4111111111111111', cvc: '123', expiryMonth: 8, expiryYear: 2029 },
      keeps: true,
    },
    besides: null,
    referrerContext: 'mail-7',
  })
})

test('everything that is wrong is found at once, in the order of the page', () => {
  const asks: Partial<Offer> = { address: 'billing', customFields: [{ name: 'Size', required: true }] }
  const { order, problems } = read({ quantity: '1', total: '10000', country: 'US' }, asks)
  assert.equal(order, null)
  assert.deepEqual(Object.entries(problems), [
    ['email', 'email'],
    ['first_name', 'required'],
    ['street', 'required'],
    ['city', 'required'],
    ['state', 'required'],
    ['zip', 'required'],
    ['answer_1', 'required'],
    ['number', 'number'],
    ['expiry', 'expiry'],
    ['cvc', 'cvc'],
  ])
})

test('nobody pays an amount that was not shown', () => {
  const isOther = (form: Form) => read({ ...one, ...form }).isOtherTotal
  assert.equal(isOther({ quantity: '3', total: '30000' }), false)
  for (const form of [
    { quantity: '3' },
    { total: '9999' },
    { quantity: '0', total: '0' },
    { quantity: '-1', total: '-10000' },
  ])
    assert.equal(isOther(form), true, JSON.stringify(form))
  assert.equal(isOther({ quantity: '1e0' }), true)
  const dear = { amountMinor: 500_000_000_000n }
  assert.equal(read({ ...one, quantity: '2', total: '1000000000000' }, dear).isOtherTotal, true, 'more than fits')
})

test('who typed another quantity than the one whose total was shown does not pay yet', () => {
  const four = { ...one, quantity: '4', total: '40000' }
  assert.equal(read({ ...four, units: '4' }).order?.quantity, 4)
  assert.equal(read({ ...four, units: ' 04 ' }).order?.quantity, 4)
  for (const units of ['1', '3']) assert.equal(read({ ...four, units }).isOtherTotal, true, units)
  for (const units of ['', '0', '1e2', '2.0', '-1', '99999', 'four']) {
    const { order, problems, isOtherTotal } = read({ ...four, units })
    assert.deepEqual(
      { order, problems, isOtherTotal },
      { order: null, problems: { units: 'units' }, isOtherTotal: false },
    )
  }
})

test('an offer for one address takes no other', () => {
  assert.deepEqual(problemsOf(one, { email: 'ada@example.com' }), {})
  assert.deepEqual(problemsOf(one, { email: 'eve@example.com' }), { email: 'notForThem' })
})

test('a state and a ZIP code are asked for where an address needs them', () => {
  const home = { ...one, street: '1 Main St', city: 'Springfield' }
  const asks = { address: 'shipping' } as const
  assert.deepEqual(problemsOf({ ...home, country: 'US' }, asks), { state: 'required', zip: 'required' })
  assert.deepEqual(problemsOf({ ...home, country: 'XX' }, asks), { country: 'country' })
  const { order } = read({ ...home, country: 'DE', phone: ' ' }, asks)
  assert.deepEqual(order?.entered.shipping, { street: '1 Main St', city: 'Springfield', country: 'DE' })
  assert.equal(order?.entered.billing, null)
})

test('an offer that asks for both addresses takes each from fields of its own', () => {
  const asks = { address: 'shipping,billing' } as const
  const to = { shipping_street: '1 Main St', shipping_city: 'Springfield', shipping_country: 'DE' }
  const from = { billing_street: '2 High St', billing_city: 'Oxford', billing_country: 'US' }
  const { order } = read({ ...one, ...to, ...from, billing_state: 'MS', billing_zip: '38655' }, asks)
  assert.deepEqual(order?.entered.shipping, { street: '1 Main St', city: 'Springfield', country: 'DE' })
  assert.deepEqual(order?.entered.billing, {
    street: '2 High St',
    city: 'Oxford',
    state: 'MS',
    zip: '38655',
    country: 'US',
  })
  assert.deepEqual(problemsOf({ ...one, ...to, ...from }, asks), { billing_state: 'required', billing_zip: 'required' })
  assert.deepEqual(
    Object.keys(problemsOf({ ...one, ...from, billing_country: 'DE', street: 'x', country: 'DE' }, asks)),
    [...['shipping_street', 'shipping_city', 'shipping_country']],
  )
})

test('an address that the offer does not ask for is not taken', () => {
  const { order } = read({ ...one, street: '1 Main St', country: 'DE' })
  assert.deepEqual([order?.entered.shipping, order?.entered.billing], [null, null])
})

test('answers are kept by the name of their field, whatever that is', () => {
  const names = ['__proto__', 'email', 'Größe', 'left empty']
  const customFields = names.map(name => ({ name, required: false }))
  const { order } = read({ ...one, answer_1: 'a', answer_2: 'b', answer_3: ' c ', answer_4: '' }, { customFields })
  assert.deepEqual(Object.entries(order?.entered.answers ?? {}), [
    ['__proto__', 'a'],
    ['email', 'b'],
    ['Größe', 'c'],
  ])
})

test('a card number in a field where none belongs goes no further', () => {
  const customFields = [{ name: 'Note', required: false }]
  const typed = { ...one, first_name: 'Ada 4111111111111111', answer_1: 'my card: 4111 1111 1111 1111' }
  const { order } = read(typed, { customFields })
  assert.equal(order?.entered.answers.Note, 'my card: **** **** **** 1111')
  assert.equal(order?.entered.firstName, 'Ada ************1111')
  assert.deepEqual(problemsOf({ ...one, email: '4111111111111111@example.com' }), { email: 'email' })
})

test('what is too long, or no text, is refused', () => {
  const customFields = Array.from({ length: 20 }, (_, index) => ({ name: `${index}`, required: false }))
  assert.deepEqual(problemsOf({ ...one, answer_3: 'x'.repeat(501) }, { customFields }), { answer_3: 'tooLong' })
  assert.deepEqual(problemsOf({ ...one, last_name: 'a\0b' }), { last_name: 'characters' })
  const all = Object.fromEntries(
    customFields.map((_, index) => [`answer_${index + 1}`, 'x'.repeat(index === 7 ? 500 : 400)]),
  )
  assert.deepEqual(problemsOf({ ...one, ...all }, { customFields }), { answer_8: 'answersTooLong' })
})

test('every test card is taken for a number, and a wrong digit is seen', () => {
  for (const { number, type } of testCards) {
    const cvc = type === 'american_express' ? '1234' : '123'
    assert.deepEqual(problemsOf({ ...one, number, cvc }), {}, number)
    const wrong = number.slice(0, -1) + ((Number(number.at(-1)) + 1) % 10)
    assert.deepEqual(problemsOf({ ...one, number: wrong, cvc: '123' }).number, 'number')
  }
  for (const number of ['', '4111', '41111111111111', 'abcd', '4111111111111111x', '37828224631000'])
    assert.deepEqual(problemsOf({ ...one, number }).number, 'number', number)
})

test('the security code is as long as its brand’s', () => {
  const amex = { ...one, number: '3782 822463 10005' }
  assert.deepEqual(problemsOf({ ...amex, cvc: '123' }), { cvc: 'cvc' })
  assert.deepEqual(problemsOf({ ...amex, cvc: '1234' }), {})
  assert.deepEqual(problemsOf({ ...one, cvc: '1234' }), { cvc: 'cvc' })
})

test('an expiry may be typed in many ways, and a past one is seen', () => {
  for (const text of ['08/29', '8/29', '08/2029', ' 08 / 29 ', '0829', '082029', '8-29', '2029-08'])
    assert.deepEqual(parseExpiry(text), { expiryMonth: 8, expiryYear: 2029 }, text)
  for (const text of ['', '13/29', '00/29', '8', '829', '08/1929', '08/29/30', 'x'])
    assert.equal(parseExpiry(text), null, text)
  assert.deepEqual(problemsOf({ ...one, expiry: '10/26' }), { expiry: 'expired' })
  assert.deepEqual(problemsOf({ ...one, expiry: '11/26' }), {}, 'good to the end of its month')
})

test('only a card that was shown to its owner can be chosen', () => {
  const proven = { email: 'ada@example.com', customer, cards: [card] }
  const ways = { proven, cards: [card] }
  const stored = { ...one, card: cardToken, number: '', expiry: '', cvc: '' }
  assert.deepEqual(read(stored, {}, ways).order?.pays, { kind: 'stored', token: cardToken })
  assert.deepEqual(problemsOf(stored), { card: 'card' }, 'nobody has proven anything')
  assert.deepEqual(problemsOf({ ...stored, card: 'A'.repeat(24) }, {}, ways), { card: 'card' })
  assert.deepEqual(problemsOf({ ...stored, email: 'eve@example.com' }, {}, ways), { email: 'otherThanProven' })
  const { card: _, ...unchosen } = stored
  assert.deepEqual(problemsOf(unchosen, {}, ways), { card: 'card' })
  assert.equal(read({ ...one, card: 'new' }, {}, ways).order?.pays.kind, 'new')
})

test('where the gateway has fields of its own, a number is not taken', () => {
  const reaches = { scripts: [], frames: [], calls: [] }
  const known = { kind: 'stripe', publishableKey: 'pk', scriptUrl: 'https://js.example', reaches } as const
  const fields = { ...known, tokenPattern: /^pm_\w{1,100}$/ }
  assert.deepEqual(read({ ...one, reference: 'pm_1' }, {}, { fields }).order?.pays, {
    kind: 'new',
    card: { fieldsToken: 'pm_1' },
    keeps: false,
  })
  for (const reference of ['', '4111111111111111', 'a b', 'x'.repeat(256), 'cus_1/pm_1'])
    assert.deepEqual(problemsOf({ ...one, reference }, {}, { fields }), { reference: 'reference' }, reference)
  assert.deepEqual(problemsOf(one, {}, { fields: { kind: 'none' } }), { card: 'card' })
})
