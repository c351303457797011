// What Stripe says about a payment and lists for a span of time, after whatever was done there.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type BenchCard, chargeWith, followUp, inTime, mustSucceed } from '../../../test/gateways/conformance/bench.ts'
import { gatewayAt, openTestStripe } from '../../../test/support/stripe/gateway.ts'
import { intent, openPeer, response, saying } from '../../../test/support/stripe/scripted-peer.ts'
import type { ChargeRequest, Gateway, GatewayEntry, PaymentIds, ReportedPayment } from '../../core/gateway.ts'
import type { GatewayId } from '../../core/ids.ts'

async function open(context: TestContext) {
  const { stripe, gateway } = await openTestStripe(context)
  async function charged(more: Partial<ChargeRequest> = {}, reference = 'pm_card_visa') {
    const charge = await chargeWith(gateway, { reference } as BenchCard, more)
    return { charge, sent: await gateway.send(charge, inTime()) }
  }
  async function report(chargeRef: string): Promise<ReportedPayment> {
    const reported = await gateway.notices?.payment(chargeRef, inTime())
    assert.ok(reported?.kind === 'payment')
    return reported
  }
  const listed = (from?: Date, to?: Date): Promise<GatewayEntry[]> => listOf(gateway, from, to)
  return { stripe, gateway, charged, report, listed }
}

async function listOf(gateway: Gateway, from = new Date(0), to = new Date(Date.now() + 60_000)) {
  const entries: GatewayEntry[] = []
  for await (const entry of gateway.list({ from, to }, inTime())) entries.push(entry)
  return entries
}

test('a sale, what was given back and what is disputed', async context => {
  const { stripe, gateway, charged, report } = await open(context)
  const { charge, sent } = await charged()
  assert.ok(sent.kind === 'succeeded')
  assert.equal(sent.feeMinor, 103n)
  const ours = followUp('refund', charge, sent, 500n)
  const back = await mustSucceed(gateway, ours)
  const theirs = await stripe.dashboard.refund(sent.gatewayRef, 300)
  await stripe.dashboard.failRefund(theirs)
  const dispute = await stripe.dashboard.openDispute(sent.gatewayRef, 700)
  const { refunds, disputes, ...rest } = await report(sent.gatewayRef)
  const { transactionId, id: operationId } = charge
  const named = { transactionId, operationId, gatewayRef: sent.gatewayRef }
  assert.deepEqual(rest, { kind: 'payment', ...named, charge: sent, captured: null, released: false })
  const common = { currency: 'USD' }
  assert.deepEqual(refunds, [
    {
      ...common,
      gatewayRef: theirs,
      operationId: null,
      amountMinor: 300n,
      state: 'failed',
      reason: 'requested_by_customer',
    },
    {
      ...common,
      gatewayRef: back.gatewayRef,
      operationId: ours.id,
      amountMinor: 500n,
      state: 'succeeded',
      reason: null,
    },
  ])
  const [opened] = disputes
  assert.ok(opened !== undefined && disputes.length === 1)
  assert.ok(Math.abs(opened.openedAt.getTime() - Date.now()) < 60_000)
  const { openedAt: _, ...facts } = opened
  assert.deepEqual(facts, { ...common, gatewayRef: dispute, amountMinor: 700n, status: 'open', reason: 'fraudulent' })
  await stripe.dashboard.closeDispute(dispute, 'lost')
  assert.equal((await report(sent.gatewayRef)).disputes[0]?.status, 'lost')
})

test('an authorisation: held, captured in part, or let go of, and what is let go of is no refund', async context => {
  const { stripe, charged, report } = await open(context)
  const held = await charged({ capture: false })
  assert.ok(held.sent.kind === 'succeeded')
  const waiting = await report(held.sent.gatewayRef)
  assert.deepEqual([waiting.charge, waiting.captured, waiting.released], [held.sent, null, false])

  await stripe.dashboard.capture(held.sent.gatewayRef, 2_000)
  const captured = await report(held.sent.gatewayRef)
  assert.ok(captured.charge.kind === 'succeeded')
  assert.equal(captured.charge.amountMinor, 25_00n)
  const { gatewayRef } = held.sent
  assert.deepEqual(captured.captured, { gatewayRef, amountMinor: 20_00n, feeMinor: 88n })
  assert.deepEqual([captured.released, captured.refunds], [false, []])

  const other = await charged({ capture: false })
  assert.ok(other.sent.kind === 'succeeded')
  await stripe.dashboard.cancel(other.sent.gatewayRef)
  const released = await report(other.sent.gatewayRef)
  assert.deepEqual([released.charge, released.captured, released.released], [other.sent, null, true])
  assert.deepEqual(released.refunds, [])
})

test('a payment that is none of ours, or that is not there, is null; a list that fails is unknown', async context => {
  const { stripe, gateway, charged } = await open(context)
  const { sent } = await charged()
  assert.ok(sent.kind === 'succeeded' && gateway.notices !== null)
  assert.equal(await gateway.notices.payment('pi_nowhere', inTime()), null)
  for (const path of ['/v1/refunds', '/v1/disputes', `/v1/payment_intents/${sent.gatewayRef}`]) {
    stripe.faults.next({ kind: 'breakdown', at: 'before' }, asked => asked.path === path)
    assert.equal((await gateway.notices.payment(sent.gatewayRef, inTime()))?.kind, 'unknown', path)
  }
  const foreign = await openPeer(saying(200, intent({ metadata: {} })))
  assert.equal(await foreign.gateway.notices?.payment('pi_1', inTime()), null)
  assert.equal(foreign.heard.length, 1)
  foreign.close()
})

test('a payment without our metadata is the one that our own rows say, unless it bears other ids', async context => {
  const { stripe, gateway, charged } = await open(context)
  const { charge, sent } = await charged()
  assert.ok(sent.kind === 'succeeded')
  const made = stripe.state.find('payment_intent', sent.gatewayRef) ?? assert.fail('no intent')
  const whole = made.metadata
  const { tillbell_gateway, tillbell_operation, tillbell_transaction, ...others } = whole
  const ours = { transactionId: charge.transactionId, operationId: charge.id }
  const another = '0192aaaa-0000-7000-8000-00000000dead'
  const report = async (given: typeof whole, known: PaymentIds | null) => {
    made.metadata = given
    const reported = await gateway.notices?.payment(sent.gatewayRef, inTime(), known)
    if (reported?.kind !== 'payment') return reported
    return { transactionId: reported.transactionId, operationId: reported.operationId }
  }
  for (const left of [
    {},
    others,
    { tillbell_operation },
    { tillbell_transaction },
    { tillbell_gateway },
    whole,
  ] as const) {
    assert.deepEqual(await report(left as typeof whole, ours), ours)
  }
  for (const other of [
    { tillbell_gateway: 'gw_another' },
    { tillbell_operation: another },
    { tillbell_transaction: another },
  ]) {
    assert.equal(await report(other, ours), null)
  }
  const theirs = { tillbell_operation: another, tillbell_transaction: another }
  assert.deepEqual(await report(theirs, ours), { operationId: another, transactionId: another })
  assert.equal(await report({}, null), null)
})

test('two gateways that share one account at Stripe: each takes the other’s payments and refunds for foreign', async context => {
  const { stripe, gateway, charged, report } = await open(context)
  const other = gatewayAt(stripe, 'gw_another' as GatewayId)
  context.after(other.close)
  const { charge, sent } = await charged()
  assert.ok(sent.kind === 'succeeded')
  const own = followUp('refund', charge, sent, 5_00n)
  await mustSucceed(gateway, own)
  await mustSucceed(other, followUp('refund', charge, sent, 3_00n))
  assert.equal(await other.notices?.payment(sent.gatewayRef, inTime()), null)
  const operationsOf = (made: readonly { readonly operationId: string | null }[]) =>
    made.map(({ operationId }) => operationId)
  assert.deepEqual(operationsOf((await report(sent.gatewayRef)).refunds), [null, own.id])
  assert.deepEqual(operationsOf(await listOf(gateway)), [charge.id, null, own.id])
  const theirs = await listOf(other)
  assert.deepEqual(
    theirs.map(({ kind, operationId }) => [kind, operationId !== null]),
    [
      ['charge', false],
      ['refund', true],
      ['refund', false],
    ],
  )
})

test('a payment from before gateways were named there is ours by its operation', async context => {
  const { stripe, charged, report, listed } = await open(context)
  const { charge, sent } = await charged()
  assert.ok(sent.kind === 'succeeded')
  const made = stripe.state.find('payment_intent', sent.gatewayRef)
  assert.ok(made?.metadata.tillbell_gateway === 'gw_scripted')
  const { tillbell_gateway: _, ...before } = made.metadata
  made.metadata = before
  assert.equal((await report(sent.gatewayRef)).operationId, charge.id)
  assert.equal((await listed())[0]?.operationId, charge.id)
})

test('the list has every payment and refund in its state, with its amount', async context => {
  const { stripe, gateway, charged, listed } = await open(context)
  const sale = await charged()
  const held = await charged({ capture: false })
  const voided = await charged({ capture: false })
  const captured = await charged({ capture: false })
  const declined = await charged({}, 'pm_card_chargeCustomerFail')
  const waiting = await charged({}, 'pm_card_authenticationRequired')
  assert.ok(sale.sent.kind === 'succeeded' && voided.sent.kind === 'succeeded' && captured.sent.kind === 'succeeded')
  await mustSucceed(gateway, followUp('void', voided.charge, voided.sent, 25_00n))
  await mustSucceed(gateway, followUp('capture', captured.charge, captured.sent, 20_00n))
  const refund = followUp('refund', sale.charge, sale.sent, 7_00n)
  await mustSucceed(gateway, refund)
  await stripe.dashboard.refund(sale.sent.gatewayRef, 200)
  const entries = await listed()
  assert.deepEqual(
    entries.map(({ kind, operationId, state, amountMinor }) => [kind, operationId, state, amountMinor]),
    [
      ['charge', waiting.charge.id, 'open', 25_00n],
      ['charge', declined.charge.id, 'failed', 25_00n],
      ['charge', captured.charge.id, 'succeeded', 20_00n],
      ['charge', voided.charge.id, 'voided', 25_00n],
      ['charge', held.charge.id, 'authorized', 25_00n],
      ['charge', sale.charge.id, 'succeeded', 25_00n],
      ['refund', null, 'succeeded', 2_00n],
      ['refund', refund.id, 'succeeded', 7_00n],
    ],
  )
  assert.deepEqual(await listed(new Date(Date.now() + 30_000)), [])
  assert.deepEqual(await listed(new Date(0), new Date(Date.now() - 600_000)), [])
})

test('a list is read to its end, or not at all', async context => {
  const { stripe, gateway, listed } = await open(context)
  const first = await chargeWith(gateway, { reference: 'pm_card_visa' } as BenchCard)
  for (let count = 0; count < 51; count++) {
    const id = first.id.replace(/.{3}$/, String(count).padStart(3, '0')) as typeof first.id
    await mustSucceed(gateway, { ...first, id })
  }
  assert.equal((await listed()).length, 51)
  stripe.faults.next({ kind: 'breakdown', at: 'before' }, ({ form }) => form.starting_after !== undefined)
  await assert.rejects(listed(), /could not be read to its end/)
})

test('a list with a record of ours that cannot be read is not given; one of somebody else is left out', async context => {
  const { stripe, charged, listed } = await open(context)
  const { sent } = await charged()
  assert.ok(sent.kind === 'succeeded')
  const made = stripe.state.find('payment_intent', sent.gatewayRef)
  assert.ok(made !== null)
  Object.assign(made, { currency: 'no currency' })
  await assert.rejects(listed(), /cannot be read/)
  made.metadata = { ...made.metadata, tillbell_gateway: 'gw_another' }
  assert.deepEqual(await listed(), [])
})

for (const [captureMethod, counted] of [
  ['manual', ['re_1', 're_3']],
  ['automatic', ['re_1', 're_2', 're_3']],
] as const) {
  test(`a refund that moved no balance and is none of ours, of a payment with ${captureMethod} capture`, async () => {
    const refund = { object: 'refund', status: 'succeeded', created: 1, amount: 100, currency: 'usd' }
    const refunds = [
      { ...refund, id: 're_1', balance_transaction: 'txn_1' },
      { ...refund, id: 're_2', balance_transaction: null },
      { ...refund, id: 're_3', balance_transaction: null, status: 'pending' },
    ].map(each => ({ ...each, payment_intent: 'pi_1' }))
    const list = (data: object[]): string => JSON.stringify({ object: 'list', has_more: false, data })
    const peer = await openPeer((socket, head) => {
      const isOf = (path: string): boolean => head.startsWith(`GET ${path}`)
      const other = isOf('/v1/payment_intents/pi_1') ? intent({ capture_method: captureMethod }) : list([])
      socket.write(response(200, isOf('/v1/refunds') ? list(refunds) : other))
    })
    const reported = await peer.gateway.notices?.payment('pi_1', inTime())
    assert.ok(reported?.kind === 'payment')
    const listed: string[] = []
    for (const { gatewayRef } of await listOf(peer.gateway)) listed.push(gatewayRef)
    peer.close()
    assert.deepEqual(
      reported.refunds.map(({ gatewayRef }) => gatewayRef),
      counted,
    )
    assert.deepEqual(listed, counted)
  })
}
