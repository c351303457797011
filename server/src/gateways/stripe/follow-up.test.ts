// What Stripe's answers to captures, voids and refunds prove.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { type BenchCard, chargeWith, followUp, inTime, mustSucceed } from '../../../test/gateways/conformance/bench.ts'
import { openTestStripe } from '../../../test/support/stripe/gateway.ts'
import { intent, openPeer, refund, response, saying, sentTo } from '../../../test/support/stripe/scripted-peer.ts'
import type { FollowUpRequest } from '../../core/gateway.ts'

test('why a follow-up was refused: by its code, or by the state that the payment is in', async () => {
  const latest_charge = { status: 'succeeded', amount: 1_000, amount_captured: 1_000, amount_refunded: 400 }
  const taken = intent({ latest_charge })
  const held = intent({ status: 'requires_capture', amount_received: 0, amount_capturable: 900 })
  const cases: [error: object, now: string, request: FollowUpRequest, expected: object][] = [
    [{ code: 'charge_already_refunded' }, '{}', refund, { kind: 'declined', code: 'amount_too_large' }],
    [{ code: 'charge_disputed' }, '{}', refund, { kind: 'declined', code: 'wrong_state' }],
    [{}, taken, refund, { kind: 'declined', code: 'amount_too_large' }],
    [{}, held, refund, { kind: 'declined', code: 'wrong_state' }],
    [{}, held, { ...refund, kind: 'capture' }, { kind: 'declined', code: 'amount_too_large' }],
    [{}, taken, { ...refund, kind: 'capture' }, { kind: 'declined', code: 'wrong_state' }],
    [{}, taken, { ...refund, kind: 'void' }, { kind: 'declined', code: 'wrong_state' }],
  ]
  for (const [error, now, request, expected] of cases) {
    const refused = response(400, JSON.stringify({ error: { type: 'invalid_request_error', ...error } }))
    const outcome = await sentTo(
      (socket, head) => void socket.write(head.startsWith('POST') ? refused : response(200, now)),
      request,
    )
    assert.deepEqual(outcome, expected)
  }
  const other = await sentTo(
    (socket, head) =>
      void socket.write(
        head.startsWith('POST')
          ? response(400, '{"error":{"type":"invalid_request_error","code":"balance_insufficient"}}')
          : response(200, taken),
      ),
    { ...refund, amountMinor: 600n },
  )
  assert.ok(other.kind === 'not_sent' && other.code === 'gateway_refused')
})

const goodRefund = {
  id: 're_1',
  object: 'refund',
  status: 'succeeded',
  created: 1_790_000_000,
  amount: 1_000,
  currency: 'usd',
  payment_intent: 'pi_1',
  metadata: { tillbell_operation: refund.id },
}
for (const [status, kind] of [
  ['succeeded', 'succeeded'],
  ['pending', 'unknown'],
  ['requires_action', 'unknown'],
  ['failed', 'declined'],
  ['canceled', 'declined'],
] as const) {
  test(`a refund that is ${status} is ${kind}`, async () => {
    const outcome = await sentTo(saying(200, JSON.stringify({ ...goodRefund, status })), refund)
    assert.equal(outcome.kind, kind)
  })
}

test('a refund that is pending is asked about by its name before anything is decided', async () => {
  const first = { ...goodRefund, status: 'pending' }
  for (const [now, kind] of [
    [{ ...first, status: 'succeeded' }, 'succeeded'],
    [{ ...first, status: 'failed' }, 'declined'],
    [first, 'unknown'],
    [{ ...first, status: 'succeeded', metadata: {} }, 'unknown'],
    [{ ...first, status: 'succeeded', payment_intent: 'pi_2' }, 'unknown'],
  ] as const) {
    const { gateway, heard, close } = await openPeer(
      (socket, head) => void socket.write(response(200, JSON.stringify(head.startsWith('POST') ? first : now))),
    )
    const { kind: found } = await gateway.send(refund, inTime())
    close()
    assert.equal(found, kind, inspect(now))
    assert.deepEqual(heard, ['POST /v1/refunds', 'GET /v1/refunds/re_1'])
  }
  const gone = response(404, '{"error":{"type":"invalid_request_error","code":"resource_missing"}}')
  const lost = await sentTo(
    (socket, head) => void socket.write(head.startsWith('POST') ? response(200, JSON.stringify(first)) : gone),
    refund,
  )
  assert.equal(lost.kind, 'unknown')
})

test('a refund that Stripe has finished since is settled when it is sent again', async context => {
  const { stripe, gateway } = await openTestStripe(context)
  const charge = await chargeWith(gateway, { reference: 'pm_card_pendingRefund' } as BenchCard)
  const back = followUp('refund', charge, await mustSucceed(gateway, charge), 1n)
  assert.equal((await gateway.send(back, inTime())).kind, 'unknown')
  await stripe.dashboard.settleRefund(stripe.state.all('refund')[0]?.id ?? '')
  await mustSucceed(gateway, back)
  assert.equal(stripe.state.all('refund').length, 1)
})

test('a refund of another payment or operation is unknown', async () => {
  for (const change of [{ payment_intent: 'pi_2' }, { metadata: {} }, { object: 'charge' }, { amount: null }]) {
    const outcome = await sentTo(saying(200, JSON.stringify({ ...goodRefund, ...change })), refund)
    assert.equal(outcome.kind, 'unknown', inspect(change))
  }
})

test('a capture or a void that is answered with another payment, or another state, is unknown', async () => {
  for (const [kind, change] of [
    ['capture', { id: 'pi_2', metadata: { tillbell_capture: refund.id } }],
    ['capture', { metadata: {} }],
    ['capture', { status: 'requires_capture', metadata: { tillbell_capture: refund.id } }],
    ['void', { id: 'pi_2', status: 'canceled' }],
    ['void', { status: 'requires_capture' }],
  ] as const) {
    const outcome = await sentTo(saying(200, intent(change)), { ...refund, kind })
    assert.equal(outcome.kind, 'unknown', inspect(change))
  }
})

const held = { status: 'requires_capture', amount_received: 0, amount_capturable: 1_000 }
const wrongState = { kind: 'declined', code: 'wrong_state' }
for (const [kind, what, change, expected] of [
  ['capture', 'by us', { metadata: { tillbell_capture: refund.id } }, 'succeeded'],
  ['capture', 'by another', { metadata: { tillbell_capture: randomUUID() } }, wrongState],
  ['capture', 'of what was let go of', { status: 'canceled' }, wrongState],
  ['capture', 'of what is still held', held, 'absent'],
  ['void', 'of what was let go of', { status: 'canceled' }, 'succeeded'],
  ['void', 'of what was captured', {}, wrongState],
  ['void', 'of what is still held', held, 'absent'],
  ['void', 'of what waits', { status: 'requires_action' }, 'unknown'],
] as const) {
  test(`looked up: a ${kind} ${what}`, async () => {
    const { gateway, close } = await openPeer(saying(200, intent(change)))
    const found = await gateway.lookup({ ...refund, kind }, inTime())
    close()
    if (typeof expected === 'string') assert.equal(found.kind, expected)
    else assert.deepEqual(found, expected)
  })
}
