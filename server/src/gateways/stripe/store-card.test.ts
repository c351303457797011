import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { inTime } from '../../../test/gateways/conformance/bench.ts'
import { methodNamed } from '../../../test/support/stripe/cards.ts'
import { busy, suspended, unauthorized } from '../../../test/support/stripe/faults.ts'
import { openTestStripe } from '../../../test/support/stripe/gateway.ts'
import type { StripeServer } from '../../../test/support/stripe/server.ts'

async function open(context: TestContext) {
  const { stripe, gateway } = await openTestStripe(context)
  return {
    stripe,
    gateway,
    store: (reference: string) => gateway.storeCard({ reference }, inTime()),
    enter: (fieldsToken: string) => gateway.storeCard({ fieldsToken }, inTime()),
  }
}

const isAttach = ({ path }: { path: string }) => path.endsWith('/attach')
const isRetrieve = ({ method }: { method: string }) => method === 'GET'

/** The name that Stripe's own fields give a card. */
function newName({ state }: StripeServer): string {
  return methodNamed(state, 'pm_card_visa')?.id ?? assert.fail()
}

test('a card whose attaching is not answered is found where it was attached', async context => {
  const { stripe, store } = await open(context)
  for (const fault of [{ kind: 'reset', at: 'after' }, { kind: 'breakdown', at: 'after' }, { kind: 'cut' }] as const) {
    stripe.faults.next(fault, isAttach)
    assert.equal((await store(newName(stripe))).kind, 'stored', fault.kind)
  }
  assert.ok(!stripe.asked.some(({ method }) => method === 'DELETE'))
})

test('a card that is not seen attached is in doubt, and stored by asking again', async context => {
  const { stripe, store } = await open(context)
  const name = newName(stripe)
  stripe.faults.next({ kind: 'reset', at: 'before' }, isAttach)
  assert.equal((await store(name)).kind, 'unknown')
  assert.equal((await store(name)).kind, 'stored')
})

test('a card that was attached unseen is stored by asking again, as the same one each time', async context => {
  const { stripe, store, gateway } = await open(context)
  const name = newName(stripe)
  stripe.faults.next({ kind: 'reset', at: 'after' }, isAttach)
  stripe.faults.next({ kind: 'breakdown', at: 'before' }, isRetrieve)
  assert.equal((await store(name)).kind, 'unknown')
  const stored = await store(name)
  assert.ok(stored.kind === 'stored')
  assert.deepEqual(await store(name), stored)
  assert.deepEqual(await gateway.describeCard(stored.cardRef, inTime()), stored)
})

test('a card that somebody else attached to a customer is not taken from there', async context => {
  const { stripe, gateway, store } = await open(context)
  const stored = await store(newName(stripe))
  assert.ok(stored.kind === 'stored')
  const [customer = '', name = ''] = stored.cardRef.split('/')
  const theirs = stripe.state.find('customer', customer) ?? assert.fail()
  const sentence = 'The card is attached to a customer at Stripe: give it as cus_…/pm_….'
  for (const metadata of [{}, { tillbell_gateway: 'gw_of_another_merchant' }]) {
    Object.assign(theirs, { metadata })
    assert.deepEqual(await store(name), { kind: 'refused', sentence })
  }
  stripe.faults.next({ kind: 'breakdown', at: 'before' }, isRetrieve)
  assert.equal((await store(name)).kind, 'unknown')
  assert.deepEqual(await store(stored.cardRef), stored)
  await gateway.removeCard(stored.cardRef, inTime())
  const gone = 'Stripe stores the card under this name no more: it was used or removed before.'
  assert.deepEqual(await store(name), { kind: 'refused', sentence: gone })
})

test('what is not the card’s fault is not said of the card', async context => {
  const { stripe, store } = await open(context)
  for (const [fault, code] of [
    [unauthorized, 'gateway_credentials_refused'],
    [suspended(400), 'gateway_account_suspended'],
    [suspended(403), 'gateway_account_suspended'],
    [busy(7), 'gateway_busy'],
  ] as const) {
    for (const [reference, at] of [
      ['pm_card_visa', () => true],
      ['pm_card_visa', isAttach],
      ['cus_1/pm_1', isRetrieve],
    ] as const) {
      stripe.faults.next(fault, at)
      const outcome = await store(reference)
      assert.equal(outcome.kind === 'not_sent' && outcome.code, code, reference)
    }
  }
})

const again = { kind: 'refused', sentence: 'Please enter your card again.' }

test('a card from a page whose attaching is not answered is found at the customer that was made for it', async context => {
  const { stripe, enter } = await open(context)
  for (const fault of [{ kind: 'reset', at: 'after' }, { kind: 'breakdown', at: 'after' }, { kind: 'cut' }] as const) {
    stripe.faults.next(fault, isAttach)
    assert.equal((await enter(newName(stripe))).kind, 'stored', fault.kind)
  }
  const name = newName(stripe)
  stripe.faults.next({ kind: 'reset', at: 'before' }, isAttach)
  assert.equal((await enter(name)).kind, 'unknown')
  assert.equal((await enter(name)).kind, 'stored')
  assert.deepEqual(await enter(name), again)
})

test('of a card from a page that is sent many times at once one is stored, and the others are refused', async context => {
  const { stripe, enter } = await open(context)
  const name = newName(stripe)
  const outcomes = await Promise.all(Array.from({ length: 5 }, () => enter(name)))
  assert.equal(outcomes.filter(({ kind }) => kind === 'stored').length, 1)
  assert.deepEqual(
    outcomes.filter(({ kind }) => kind !== 'stored'),
    Array(4).fill(again),
  )
  const stored = outcomes.find(outcome => outcome.kind === 'stored')
  const { customer } = stripe.state.find('payment_method', name) ?? assert.fail()
  assert.equal(stored?.cardRef, `${customer}/${name}`)
})

test('a card from a page that Stripe does not describe just now is not attached', async context => {
  const { stripe, enter } = await open(context)
  stripe.faults.next({ kind: 'breakdown', at: 'before' }, isRetrieve)
  assert.equal((await enter(newName(stripe))).kind, 'unknown')
  stripe.faults.next(busy(7), isRetrieve)
  assert.equal((await enter(newName(stripe))).kind, 'not_sent')
  assert.ok(stripe.asked.every(isRetrieve))
})

test('a card whose customer Stripe does not tell just now is not taken for somebody else’s', async context => {
  const { stripe, gateway, enter } = await open(context)
  const stored = await enter(newName(stripe))
  assert.ok(stored.kind === 'stored')
  stripe.faults.next({ kind: 'breakdown', at: 'before' }, isRetrieve)
  assert.equal((await gateway.removeOwnCard(stored.cardRef, inTime())).kind, 'unknown')
  assert.equal((await gateway.removeOwnCard(stored.cardRef, inTime())).kind, 'removed')
})
