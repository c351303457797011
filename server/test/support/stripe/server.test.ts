// The look-alike, asked by Stripe's own SDK: a test that leans on it must be able to trust it.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, afterEach, before, test } from 'node:test'
import { declines } from './cards.ts'
import { type Fault, suspended } from './faults.ts'
import { newKey, refusal, type Sdk, sdkFor } from './sdk.ts'
import { type StripeServer, startStripe } from './server.ts'
import type { Moment } from './webhooks.ts'

let server: StripeServer
let sdk: Sdk
before(async () => {
  server = await startStripe()
  sdk = sdkFor(server)
})
after(() => server.close())
afterEach(() => {
  server.faults.clear()
  assert.deepEqual(server.complaints, [])
})

test('parameters that Stripe does not document are refused, and complained of', async () => {
  const { hostname, port } = new URL(server.url)
  const post = async (path: string, body: string) => {
    const headers = { authorization: `Bearer ${server.credentials.secret_key}` }
    const answer = await fetch(`http://${hostname}:${port}/v1/${path}`, { method: 'POST', body, headers })
    const { error } = (await answer.json()) as { error: { code?: string; param?: string } }
    return [answer.status, error.code, error.param]
  }
  const amount = 'amount=2500&currency=usd'
  assert.deepEqual(await post('payment_intents', `${amount}&colour=red`), [400, 'parameter_unknown', 'colour'])
  assert.deepEqual(await post('payment_intents', 'currency=usd'), [400, 'parameter_missing', 'amount'])
  assert.deepEqual(await post('payment_intents', 'currency=usd&amount=1.5'), [
    400,
    'parameter_invalid_integer',
    'amount',
  ])
  const nested = 'payment_method_options[card][colour]'
  assert.deepEqual(await post('payment_intents', `${amount}&${nested}=1`), [400, 'parameter_unknown', nested])
  const old = [400, 'payment_method_types_no_longer_supported', 'payment_method_types']
  assert.deepEqual(await post('payment_intents', `${amount}&payment_method_types[]=card`), old)
  assert.equal((await post('payment_intents/search', 'query=x'))[0], 404)
  assert.equal(server.complaints.splice(0).length, 6)
})

test('lists go newest first, page by page, within a time, and expand', async () => {
  const card = await sdk.storedCard()
  const made: string[] = []
  for (let each = 0; each < 7; each++) made.unshift((await sdk.pay(card)).id)
  const first = await sdk.stripe.paymentIntents.list({ customer: card.customer, limit: 3 })
  assert.deepEqual([first.data.map(({ id }) => id), first.has_more], [made.slice(0, 3), true])
  const all: string[] = []
  const how = { customer: card.customer, limit: 3, expand: ['data.latest_charge.balance_transaction'] }
  for await (const { id, latest_charge: charge } of sdk.stripe.paymentIntents.list(how)) {
    all.push(id)
    assert.ok(charge !== null && typeof charge === 'object' && charge.balance_transaction !== null)
    assert.ok(typeof charge.balance_transaction === 'object')
    assert.equal(charge.balance_transaction.fee, 103)
  }
  assert.deepEqual(all, made)
  const never = await sdk.stripe.paymentIntents.list({ customer: card.customer, created: { lt: 1_000_000_000 } })
  assert.equal(never.data.length, 0)
})

test('an authorisation is captured in part, and the rest let go, or cancelled', async () => {
  const held = await sdk.pay({ ...(await sdk.storedCard()), capture_method: 'manual' })
  assert.deepEqual([held.status, held.amount_capturable], ['requires_capture', 2500])
  const { code, param } = await refusal(sdk.stripe.paymentIntents.capture(held.id, { amount_to_capture: 2501 }))
  assert.deepEqual([code, param], ['amount_too_large', 'amount_to_capture'])
  assert.equal((await refusal(sdk.stripe.refunds.create({ payment_intent: held.id }))).status, 400)
  const taken = await sdk.stripe.paymentIntents.capture(held.id, { amount_to_capture: 2000 })
  assert.deepEqual([taken.status, taken.amount_received], ['succeeded', 2000])
  const over = await refusal(sdk.stripe.refunds.create({ payment_intent: held.id, amount: 2001 }))
  assert.deepEqual([over.status, over.param], [400, 'amount'])
  assert.equal((await sdk.stripe.refunds.create({ payment_intent: held.id })).amount, 2000)
  const again = await refusal(sdk.stripe.paymentIntents.cancel(held.id))
  assert.deepEqual([again.code, again.intent?.status], ['payment_intent_unexpected_state', 'succeeded'])

  for (const [isOld, released] of [
    [false, []],
    [true, [[2500, null]]],
  ] as const) {
    server.state.releasesAreRefunds = isOld
    const dropped = await sdk.pay({ ...(await sdk.storedCard()), capture_method: 'manual' })
    assert.equal((await sdk.stripe.paymentIntents.cancel(dropped.id)).status, 'canceled')
    const { data } = await sdk.stripe.refunds.list({ payment_intent: dropped.id })
    assert.deepEqual(
      data.map(({ amount, balance_transaction: entry }) => [amount, entry]),
      released,
    )
  }
  server.state.releasesAreRefunds = false
})

test('a card that wants its holder: off session refused, on session through the page of its bank', async () => {
  for (const [result, status, redirected] of [
    ['pass', 'succeeded', 'succeeded'],
    ['fail', 'requires_payment_method', 'failed'],
  ] as const) {
    const card = await sdk.storedCard('pm_card_authenticationRequired')
    const asked = await refusal(sdk.pay(card))
    assert.deepEqual([asked.status, asked.code], [402, 'authentication_required'])
    const id = asked.intent?.id ?? assert.fail()
    const waiting = await sdk.stripe.paymentIntents.confirm(id, {
      payment_method: card.payment_method,
      return_url: 'http://shop.test/back?a=1',
    })
    assert.equal(waiting.status, 'requires_action')
    const page = waiting.next_action?.redirect_to_url?.url ?? assert.fail()
    assert.match(await (await fetch(page)).text(), /<form method="post"/)
    const body = new URLSearchParams({ result })
    const back = await fetch(page, { method: 'POST', body, redirect: 'manual' })
    const location = new URL(back.headers.get('location') ?? '')
    assert.deepEqual([location.host, location.searchParams.get('a')], ['shop.test', '1'])
    assert.deepEqual(location.searchParams.get('redirect_status'), redirected)
    const settled = await sdk.stripe.paymentIntents.retrieve(id)
    assert.equal(settled.status, status)
    if (result === 'fail') assert.equal(settled.last_payment_error?.code, 'payment_intent_authentication_failure')
    assert.equal((await fetch(page)).status, 410)
  }
})

test('a challenge that was called off charges nothing, even when it is passed', async () => {
  const how = { off_session: false, return_url: 'http://shop.test/back' }
  const waiting = await sdk.pay({ ...(await sdk.storedCard('pm_card_authenticationRequired')), ...how })
  assert.equal(waiting.status, 'requires_action')
  await sdk.stripe.paymentIntents.cancel(waiting.id)
  assert.equal(await server.dashboard.answerChallenge(waiting.id, 'pass'), false)
  assert.equal((await sdk.stripe.paymentIntents.retrieve(waiting.id)).status, 'canceled')
})

test('declines say why; a card that is declined at once cannot be attached; one that was detached cannot pay', async () => {
  const { status, decline } = await refusal(sdk.storedCard('pm_card_visa_chargeDeclinedLostCard'))
  assert.deepEqual([status, decline], [402, 'lost_card'])
  const card = await sdk.storedCard()
  server.dashboard.setBank(card.payment_method, declines('insufficient_funds'))
  const refused = await refusal(sdk.pay(card))
  assert.deepEqual([refused.status, refused.code, refused.decline], [402, 'card_declined', 'insufficient_funds'])
  assert.equal(refused.intent?.last_payment_error?.decline_code, 'insufficient_funds')
  await sdk.stripe.paymentMethods.detach(card.payment_method)
  assert.equal((await refusal(sdk.pay(card))).code, 'payment_method_unexpected_state')
})

test('wrong keys, suspended accounts and nonsense are as Stripe and the way to it would have them', async () => {
  assert.equal((await refusal(sdkFor(server, 'sk_test_wrong').stripe.customers.create())).status, 401)
  const card = await sdk.storedCard()
  for (const status of [400, 403] as const) {
    server.faults.next(suspended(status))
    assert.equal((await refusal(sdk.pay(card))).status, status)
  }
  const lost: Fault[] = [
    { kind: 'reset', at: 'after' },
    { kind: 'cut' },
    { kind: 'truncate' },
    { kind: 'page', status: 200, at: 'after' },
    { kind: 'page', status: 502, at: 'after' },
    { kind: 'error_inside', at: 'after' },
  ]
  for (const fault of lost) {
    const key = newKey()
    // Always, because the SDK sends once more by itself after a reset, even where it is told not to.
    server.faults.always(fault)
    await assert.rejects(sdk.pay(card, key), fault.kind)
    server.faults.clear()
    const again = await sdk.pay(card, key)
    assert.deepEqual([again.status, again.lastResponse.headers['idempotent-replayed']], ['succeeded', 'true'])
  }
  server.faults.always({ kind: 'reset', at: 'before' })
  await assert.rejects(sdk.pay(card))
  server.faults.clear()
  const made = await sdk.stripe.paymentIntents.list({ customer: card.customer, limit: 100 })
  assert.equal(made.data.length, lost.length)
})

test("webhooks carry a signature that Stripe's SDK accepts, at the moment that was asked for, until they are taken", async t => {
  const heard: string[] = []
  let refusals = 1
  const receiver = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const signature = String(request.headers['stripe-signature'])
    const event = sdk.stripe.webhooks.constructEvent(
      Buffer.concat(chunks),
      signature,
      server.credentials.webhook_secret,
    )
    heard.push(event.type)
    response.writeHead(refusals-- > 0 ? 503 : 200).end()
  })
  await new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', resolve))
  t.after(() => receiver.close().closeAllConnections())
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
  server.webhooks.register(url, server.credentials.webhook_secret, ['payment_intent.succeeded', 'charge.refunded'])

  const card = await sdk.storedCard()
  const paid = await sdk.pay(card)
  await server.webhooks.settled()
  assert.deepEqual(heard.splice(0), ['payment_intent.succeeded', 'payment_intent.succeeded'])

  let moments: readonly Moment[] = ['before', 'before']
  server.webhooks.moments = () => moments
  await sdk.pay(card)
  assert.equal(heard.splice(0).length, 2)

  moments = ['held']
  await sdk.pay(card)
  await server.dashboard.refund(paid.id, 500)
  assert.deepEqual(heard, [])
  await server.webhooks.release(events => events.toReversed())
  assert.deepEqual(heard, ['charge.refunded', 'payment_intent.succeeded'])
})

test('the ledger says what was held, taken and given back', async () => {
  const card = await sdk.storedCard()
  const metadata = { tillbell_transaction: 'one' }
  const paid = await sdk.pay({ ...card, metadata })
  await server.dashboard.refund(paid.id, 700)
  const failed = await server.dashboard.refund(paid.id, 300)
  await server.dashboard.failRefund(failed)
  const line = { charges: 1, currency: 'usd', held: 0, taken: 2500, refunded: 700 }
  assert.deepEqual(server.ledger().get('one'), line)
})
