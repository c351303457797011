import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signatureOf } from '../../../test/support/stripe/webhooks.ts'
import type { GatewayNotice } from '../../core/gateway.ts'
import { readNotice } from './notices.ts'

const secret = 'whsec_ours'
const nowS = (): number => Math.floor(Date.now() / 1_000)

function read(type: string, object: object): Promise<GatewayNotice> {
  const body = JSON.stringify({ id: 'evt_1', object: 'event', type, data: { object } })
  return readNotice(Buffer.from(body), { 'stripe-signature': signatureOf(body, secret, nowS()) }, secret)
}

const payment = { object: 'payment_intent', id: 'pi_1' }
const refund = { object: 'refund', id: 're_1', payment_intent: 'pi_1' }
const charge = { object: 'charge', id: 'ch_1', payment_intent: { id: 'pi_1', object: 'payment_intent' } }
const dispute = { object: 'dispute', id: 'du_1', payment_intent: 'pi_1' }
for (const [type, object, news] of [
  ['payment_intent.succeeded', payment, 'success'],
  ['payment_intent.payment_failed', payment, 'charge'],
  ['payment_intent.canceled', payment, 'charge'],
  ['payment_intent.amount_capturable_updated', payment, 'charge'],
  ['payment_intent.requires_action', payment, 'charge'],
  ['charge.refunded', charge, 'refund'],
  ['charge.refund.updated', refund, 'refund'],
  ['refund.created', refund, 'refund'],
  ['refund.updated', refund, 'refund'],
  ['refund.failed', refund, 'refund'],
  ['charge.dispute.created', dispute, 'dispute'],
  ['charge.dispute.updated', dispute, 'dispute'],
  ['charge.dispute.closed', dispute, 'dispute'],
  ['charge.dispute.funds_withdrawn', dispute, 'dispute'],
  ['charge.dispute.funds_reinstated', dispute, 'dispute'],
] as const) {
  test(`${type} is news of the payment’s ${news}`, async () => {
    assert.deepEqual(await read(type, object), { kind: 'payment', chargeRef: 'pi_1', news })
  })
}

test('a card that its bank replaced is news of the card', async () => {
  for (const type of ['payment_method.automatically_updated', 'payment_method.updated']) {
    const method = { object: 'payment_method', id: 'pm_1', customer: 'cus_1' }
    assert.deepEqual(await read(type, method), { kind: 'card', cardRef: 'cus_1/pm_1' })
    assert.deepEqual(await read(type, { ...method, customer: null }), { kind: 'nothing' })
  }
})

test('what is none of ours is nothing', async () => {
  assert.deepEqual(await read('customer.created', { object: 'customer', id: 'cus_1' }), { kind: 'nothing' })
  assert.deepEqual(await read('payment_intent.created', payment), { kind: 'nothing' })
  assert.deepEqual(await read('charge.refunded', { ...charge, payment_intent: null }), { kind: 'nothing' })
})

test('what Stripe did not sign, or signed long ago, is not authentic', async () => {
  const body = JSON.stringify({ type: 'payment_intent.succeeded', data: { object: payment } })
  const good = signatureOf(body, secret, nowS())
  for (const [text, signature] of [
    [body.replace('pi_1', 'pi_2'), good],
    [body, signatureOf(body, 'whsec_another', nowS())],
    [body, signatureOf(body, secret, nowS() - 301)],
    [body, undefined],
    [body, ''],
    [body, [good, good]],
    [body, good.replace('v1=', 'v0=')],
    ['', good],
    ['not JSON', signatureOf('not JSON', secret, nowS())],
  ] as const) {
    const header = typeof signature === 'object' ? [...signature] : signature
    const notice = await readNotice(Buffer.from(text), { 'stripe-signature': header }, secret)
    assert.equal(notice.kind, 'not_authentic')
    assert.ok(notice.kind === 'not_authentic' && /^The notice .*\.$/.test(notice.sentence))
  }
})

test('without a secret nothing is believed, however it is signed', async () => {
  const body = JSON.stringify({ id: 'evt_1', object: 'event', type: 'payment_intent.succeeded', data: { object: {} } })
  for (const key of ['', 'null', 'undefined']) {
    const headers = { 'stripe-signature': signatureOf(body, key, nowS()) }
    assert.equal((await readNotice(Buffer.from(body), headers, null)).kind, 'not_authentic')
  }
})
