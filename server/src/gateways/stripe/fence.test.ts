// What the fence may say, and what it leaves behind.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { type BenchCard, chargeWith, followUp, inTime, mustSucceed } from '../../../test/gateways/conformance/bench.ts'
import { openTestStripe } from '../../../test/support/stripe/gateway.ts'
import { charge as aCharge, intent, openPeer, response } from '../../../test/support/stripe/scripted-peer.ts'
import type { ChargeRequest, GatewayEntry } from '../../core/gateway.ts'
import type { OperationId } from '../../core/ids.ts'
import type { Currency } from '../../core/money.ts'

const card = (reference = 'pm_card_visa') => ({ reference }) as BenchCard
const challenged = card('pm_card_authenticationRequired')
const hourMs = 3_600_000
const keyIs =
  (id: string) =>
  ({ key }: { readonly key: string | null }): boolean =>
    key === id

/** As ours are: it begins with its time. */
function newId(): OperationId {
  const time = Date.now().toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}` as OperationId
}

test('a charge that broke down without a trace is not fenced before Stripe has forgotten its key', async context => {
  const { stripe, gateway } = await openTestStripe(context)
  const charge = await chargeWith(gateway, card(), { id: newId() })
  stripe.faults.next({ kind: 'breakdown', at: 'during' }, keyIs(charge.id))
  assert.equal((await gateway.send(charge, inTime())).kind, 'unknown')
  const sendings = () => stripe.asked.filter(({ key, form }) => key === charge.id && form.confirm === 'true').length
  assert.equal(await gateway.fence(charge, inTime()), false)
  assert.equal(sendings(), 1, 'a fence sends nothing again')
  stripe.forgetKeys()
  assert.equal(await gateway.fence(charge, inTime()), true)
  assert.notEqual((await gateway.send(charge, inTime())).kind, 'succeeded')
  assert.deepEqual(await gateway.lookup(charge, inTime()), { kind: 'absent' })
})

test('a list that lags behind is no fence, and what it did not show is found later', async context => {
  const { stripe, gateway } = await openTestStripe(context)
  const charge = await chargeWith(gateway, card(), { id: newId() })
  stripe.state.listsLag = true
  const done = await mustSucceed(gateway, charge)
  const refund = { ...followUp('refund', charge, done, 1n), id: newId() }
  const givenBack = await mustSucceed(gateway, refund)
  for (const request of [charge, refund]) {
    assert.deepEqual(await gateway.lookup(request, inTime()), { kind: 'absent' })
    assert.equal(await gateway.fence(request, inTime()), false)
  }
  stripe.state.listsLag = false
  for (const [request, outcome] of [
    [charge, done],
    [refund, givenBack],
  ] as const) {
    assert.equal(await gateway.fence(request, inTime()), true)
    assert.deepEqual(await gateway.lookup(request, inTime()), outcome)
  }
})

test('a charge that is still running is not fenced, and then succeeds', async context => {
  const { stripe, gateway } = await openTestStripe(context)
  const charge = await chargeWith(gateway, card())
  const held = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const until = (): Promise<void> => {
    begun.resolve()
    return held.promise
  }
  stripe.faults.next({ kind: 'hold', until }, keyIs(charge.id))
  const sending = gateway.send(charge, inTime())
  await begun.promise
  assert.equal(await gateway.fence(charge, inTime()), false)
  held.resolve()
  assert.equal((await sending).kind, 'succeeded')
  assert.equal(await gateway.fence(charge, inTime()), true)
  assert.equal((await gateway.lookup(charge, inTime())).kind, 'succeeded')
})

test('a fence put up twice stands, its tombstone is deleted, and is no payment', async context => {
  const { stripe, gateway } = await openTestStripe(context)
  const charge = await chargeWith(gateway, card())
  assert.equal(await gateway.fence(charge, inTime()), true)
  assert.equal(await gateway.fence(charge, inTime()), true)
  const tombstones = stripe.state.all('customer').filter(({ metadata }) => metadata.tillbell_fence === charge.id)
  const [tombstone, ...others] = tombstones
  assert.ok(tombstone !== undefined && others.length === 0)
  assert.equal(tombstone.metadata.tillbell_gateway, 'gw_scripted')
  const isDeletion = ({ method, path }: { method: string; path: string }) =>
    method === 'DELETE' && path.endsWith(tombstone.id)
  assert.ok(stripe.asked.some(isDeletion))
  const entries: GatewayEntry[] = []
  for await (const entry of gateway.list({ from: new Date(0), to: new Date(Date.now() + hourMs) }, inTime())) {
    entries.push(entry)
  }
  assert.deepEqual(entries, [])
})

test('a tombstone that could not be deleted fences all the same', async context => {
  const { stripe, gateway } = await openTestStripe(context)
  const charge = await chargeWith(gateway, card())
  stripe.faults.always({ kind: 'breakdown', at: 'before' }, ({ method }) => method === 'DELETE')
  assert.equal(await gateway.fence(charge, inTime()), true)
  assert.notEqual((await gateway.send(charge, inTime())).kind, 'succeeded')
})

test('a fence stands whatever the amount, also one that Stripe would not take in that currency', async context => {
  const { gateway } = await openTestStripe(context)
  const sold = await chargeWith(gateway, card())
  const done = await mustSucceed(gateway, sold)
  for (const request of [
    { ...sold, id: newId(), currency: 'LBP' as Currency },
    { ...sold, id: newId(), amountMinor: 999_999_999_999n },
    followUp('refund', sold, done, 1n),
  ]) {
    assert.equal(await gateway.fence(request, inTime()), true)
    assert.deepEqual(await gateway.lookup(request, inTime()), { kind: 'absent' })
  }
})

test('an authorisation behind a fence is still held, and can be captured', async context => {
  const { gateway } = await openTestStripe(context)
  const charge = await chargeWith(gateway, card(), { capture: false })
  const held = await mustSucceed(gateway, charge)
  assert.equal(await gateway.fence(charge, inTime()), true)
  assert.deepEqual(await gateway.lookup(charge, inTime()), held)
  await mustSucceed(gateway, followUp('capture', charge, held, charge.amountMinor))
})

test('a declined charge is called off, and keeps its reason behind a fence', async context => {
  const { stripe, gateway } = await openTestStripe(context)
  const charge = await chargeWith(gateway, card('pm_card_chargeCustomerFail'))
  const declined = await gateway.send(charge, inTime())
  assert.equal(await gateway.fence(charge, inTime()), true)
  assert.deepEqual(await gateway.lookup(charge, inTime()), declined)
  assert.equal(stripe.state.all('payment_intent')[0]?.status, 'canceled')
})

test('a charge that waits is called off also when its key was forgotten long ago', async context => {
  const { stripe, gateway } = await openTestStripe(context)
  const charge = await chargeWith(gateway, challenged)
  assert.equal((await gateway.send(charge, inTime())).kind, 'further_action')
  stripe.forgetKeys()
  assert.equal(await gateway.fence(charge, inTime()), true)
  const made = stripe.state.all('payment_intent').filter(({ metadata }) => metadata.tillbell_operation === charge.id)
  assert.deepEqual(
    made.map(({ status }) => status),
    ['canceled'],
  )
})

test('a waiting charge that cannot be called off is not fenced', async context => {
  const { stripe, gateway } = await openTestStripe(context)
  const charge = await chargeWith(gateway, challenged)
  assert.equal((await gateway.send(charge, inTime())).kind, 'further_action')
  stripe.faults.next({ kind: 'breakdown', at: 'during' }, ({ path }) => path.endsWith('/cancel'))
  assert.equal(await gateway.fence(charge, inTime()), false)
  assert.equal(await gateway.fence(charge, inTime()), true)
})

test('a charge that pays while it is called off has paid', async context => {
  const { stripe, gateway } = await openTestStripe(context)
  const charge = await chargeWith(gateway, challenged)
  const waiting = await gateway.send(charge, inTime())
  assert.ok(waiting.kind === 'further_action')
  await gateway.customerStep?.(charge, 'https://shop.example/back', inTime())
  const until = async () => void (await stripe.dashboard.answerChallenge(waiting.gatewayRef, 'pass'))
  stripe.faults.next({ kind: 'hold', until }, ({ path }) => path.endsWith('/cancel'))
  assert.equal(await gateway.fence(charge, inTime()), true)
  assert.equal((await gateway.lookup(charge, inTime())).kind, 'succeeded')
})

const tombstone = { id: 'cus_9', object: 'customer', metadata: { tillbell_fence: aCharge.id } }
const list = (...data: readonly string[]): string => `{"object":"list","has_more":false,"data":[${data}]}`

/** Whether a fence stands at a peer that answers so, and what was asked. */
async function fencedBy(made: object, listed: string, now: string, request: ChargeRequest = aCharge) {
  const { gateway, heard, close } = await openPeer((socket, head) => {
    const looked = head.includes('?customer=') ? listed : now
    socket.write(response(200, head.startsWith('POST /v1/customers') ? JSON.stringify(made) : looked))
  })
  const stands = await gateway.fence(request, inTime())
  close()
  return { stands, heard }
}

test('only a tombstone of its own is a fence', async () => {
  for (const [change, stands] of [
    [{}, true],
    [{ metadata: { tillbell_fence: randomUUID() } }, false],
    [{ metadata: {} }, false],
    [{ object: 'payment_intent' }, false],
  ] as const) {
    assert.equal((await fencedBy({ ...tombstone, ...change }, list(), '{}')).stands, stands)
  }
})

test('a list that cannot be read is no fence', async () => {
  assert.equal((await fencedBy(tombstone, '{}', '{}')).stands, false)
})

for (const [status, stands, isCalledOff] of [
  ['succeeded', true, false],
  ['requires_capture', true, false],
  ['canceled', true, false],
  ['processing', false, false],
  ['a_new_one', false, false],
  ['requires_payment_method', false, true],
  ['requires_confirmation', false, true],
  ['requires_action', false, true],
] as const) {
  test(`what stays ${status} ${stands ? 'is over' : 'is no fence'}, and is ${isCalledOff ? '' : 'not '}called off`, async () => {
    const now = intent({ status })
    const { stands: found, heard } = await fencedBy(tombstone, list(now), now)
    assert.equal(found, stands)
    assert.equal(heard.includes('POST /v1/payment_intents/pi_1/cancel'), isCalledOff)
  })
}
