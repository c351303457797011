import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { inTime } from '../../../test/gateways/conformance/bench.ts'
import { openTestStripe } from '../../../test/support/stripe/gateway.ts'
import { openPeer, saying } from '../../../test/support/stripe/scripted-peer.ts'

async function open(context: TestContext) {
  const { stripe, gateway } = await openTestStripe(context)
  return { stripe, gateway, store: (reference: string) => gateway.storeCard({ reference }, inTime()) }
}

test('brands are told in our words', async context => {
  const { store } = await open(context)
  for (const [reference, type] of [
    ['pm_card_visa', 'visa'],
    ['pm_card_mastercard', 'master'],
    ['pm_card_amex', 'american_express'],
    ['pm_card_discover', 'discover'],
    ['pm_card_jcb', 'other'],
  ] as const) {
    const stored = await store(reference)
    assert.ok(stored.kind === 'stored')
    assert.equal(stored.type, type)
    assert.match(stored.cardRef, /^cus_\w+\/pm_\w+$/)
  }
})

test('a card that a customer of the merchant’s already has is taken as it is', async context => {
  const { stripe, store } = await open(context)
  const stored = await store('pm_card_visa')
  assert.ok(stored.kind === 'stored')
  const before = stripe.asked.length
  assert.deepEqual(await store(stored.cardRef), stored)
  assert.deepEqual(
    stripe.asked.slice(before).map(({ method }) => method),
    ['GET'],
  )
})

test('a card of another customer, one that is not there, and what is no reference are refused', async context => {
  const { store } = await open(context)
  const [one, other] = [await store('pm_card_visa'), await store('pm_card_visa')]
  assert.ok(one.kind === 'stored' && other.kind === 'stored')
  const mixed = `${one.cardRef.split('/')[0]}/${other.cardRef.split('/')[1]}`
  for (const [reference, sentence] of [
    [mixed, 'The card is not attached to that customer at Stripe.'],
    ['cus_1/pm_nowhere', 'Stripe does not know the card.'],
    ['pm_nowhere', 'Stripe does not know the card.'],
    ['tok_visa', "The card's reference is none of Stripe's: it is pm_… or cus_…/pm_…."],
    ['pm_1/../../customers', "The card's reference is none of Stripe's: it is pm_… or cus_…/pm_…."],
  ] as const) {
    assert.deepEqual(await store(reference), { kind: 'refused', sentence })
  }
})

test('a card that its bank declines is refused with the reason, and leaves no customer behind', async context => {
  const { stripe, store } = await open(context)
  assert.deepEqual(await store('pm_card_visa_chargeDeclinedInsufficientFunds'), {
    kind: 'refused',
    sentence: 'The card was declined: insufficient funds.',
  })
  assert.deepEqual(
    stripe.asked.map(({ method }) => method),
    ['POST', 'POST', 'DELETE'],
  )
})

test('an expiry that the bank changed is seen', async context => {
  const { stripe, gateway, store } = await open(context)
  const stored = await store('pm_card_visa')
  assert.ok(stored.kind === 'stored')
  await stripe.dashboard.updateCard(stored.cardRef.split('/')[1] ?? '', { month: 3, year: 2044 })
  assert.deepEqual(await gateway.describeCard(stored.cardRef, inTime()), {
    ...stored,
    expiryMonth: 3,
    expiryYear: 2044,
  })
})

test('a card is removed when Stripe says that it is, or that there is none', async context => {
  const { stripe, gateway, store } = await open(context)
  const stored = await store('pm_card_visa')
  assert.ok(stored.kind === 'stored')
  stripe.faults.next({ kind: 'breakdown', at: 'before' })
  assert.equal((await gateway.removeCard(stored.cardRef, inTime())).kind, 'unknown')
  assert.equal((await gateway.removeCard(stored.cardRef, inTime())).kind, 'removed')
  assert.equal((await gateway.removeCard('cus_1/pm_nowhere', inTime())).kind, 'removed')
  assert.equal((await gateway.removeCard('card_7', inTime())).kind, 'unknown')
})

test('what is no card, or not understood, is not stored', async () => {
  const card = { last4: '4242', brand: 'visa', exp_month: 1, exp_year: 2040, fingerprint: 'x' }
  const good = { id: 'pm_1', object: 'payment_method', type: 'card', customer: 'cus_1', card }
  for (const [change, kind] of [
    [{}, 'stored'],
    [{ type: 'sepa_debit' }, 'refused'],
    [{ object: 'customer' }, 'unknown'],
    [{ card: { ...card, last4: '4242424242424242' } }, 'unknown'],
    [{ card: { ...card, exp_month: '1' } }, 'unknown'],
    [{ customer: null }, 'refused'],
  ] as const) {
    const { gateway, close } = await openPeer(saying(200, JSON.stringify({ ...good, ...change })))
    assert.equal((await gateway.describeCard('cus_1/pm_1', inTime())).kind, kind)
    close()
  }
})

test('a card that Stripe does not describe just now is not taken for gone', async () => {
  const missing = {
    error: { type: 'invalid_request_error', code: 'resource_missing', message: 'No such payment method' },
  }
  for (const [status, body, kind] of [
    [503, {}, 'unknown'],
    [429, {}, 'unknown'],
    [404, missing, 'refused'],
  ] as const) {
    const { gateway, close } = await openPeer(saying(status, JSON.stringify(body)))
    assert.equal((await gateway.describeCard('cus_1/pm_1', inTime())).kind, kind)
    close()
  }
})
