// What the fence may say, and what it leaves behind.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { type StripeServer, startStripe } from '../../../test/support/stripe/server.ts'
import type { ChargeRequest, Gateway, GatewayEntry } from '../../core/gateway.ts'
import type { OperationId } from '../../core/ids.ts'
import { type BenchCard, chargeWith, followUp, inTime, mustSucceed } from '../conformance/bench.ts'
import { charge as aCharge, intent, openAt, openPeer, saying } from './scripted-peer.ts'

const card = (reference = 'pm_card_visa') => ({ reference }) as BenchCard
const hourMs = 3_600_000

async function open(context: TestContext): Promise<{ stripe: StripeServer; gateway: Gateway }> {
  const stripe = await startStripe()
  const { secret_key: secretKey, webhook_secret: webhookSecret } = stripe.credentials
  const gateway = openAt(stripe.url, { secretKey, webhookSecret })
  context.after(async () => {
    gateway.close()
    await stripe.close()
  })
  return { stripe, gateway }
}

/** As ours are: it begins with its time. */
function idOf(ageMs: number): OperationId {
  const time = (Date.now() - ageMs).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}` as OperationId
}

/** Stripe broke down while it carried the charge out, did nothing, and repeats that for ever. */
async function brokenCharge({ stripe, gateway }: { stripe: StripeServer; gateway: Gateway }, ageMs: number) {
  const charge = await chargeWith(gateway, card(), { id: idOf(ageMs) })
  stripe.faults.next({ kind: 'breakdown', at: 'during' }, ({ key }) => key === charge.id)
  assert.equal((await gateway.send(charge, inTime())).kind, 'unknown')
  return charge
}

const sendings = ({ asked }: StripeServer, { id }: ChargeRequest): number =>
  asked.filter(({ key, form }) => key === id && form.confirm === 'true').length

test('a charge that broke down without a trace is fenced by the answer that Stripe repeats', async context => {
  const bench = await open(context)
  const charge = await brokenCharge(bench, 0)
  assert.equal(await bench.gateway.fence(charge, inTime()), true)
  assert.deepEqual(await bench.gateway.lookup(charge, inTime()), { kind: 'absent' })
})

test('a charge that is still running is not fenced, and then succeeds', async context => {
  const { stripe, gateway } = await open(context)
  const charge = await chargeWith(gateway, card(), { id: idOf(0) })
  const held = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const until = (): Promise<void> => {
    begun.resolve()
    return held.promise
  }
  stripe.faults.next({ kind: 'hold', until }, ({ key }) => key === charge.id)
  const sending = gateway.send(charge, inTime())
  await begun.promise
  assert.equal(await gateway.fence(charge, inTime()), false)
  held.resolve()
  assert.equal((await sending).kind, 'succeeded')
  assert.equal(await gateway.fence(charge, inTime()), true)
  assert.equal((await gateway.lookup(charge, inTime())).kind, 'succeeded')
})

test('what may be older than its key is never sent again to see, and is fenced when the key is forgotten', async context => {
  const bench = await open(context)
  const { stripe, gateway } = bench
  for (const ageMs of [24 * hourMs, 48 * hourMs]) {
    const charge = await brokenCharge(bench, ageMs)
    assert.equal(await gateway.fence(charge, inTime()), false)
    assert.equal(sendings(stripe, charge), 1)
    stripe.forgetKeys()
    assert.equal(await gateway.fence(charge, inTime()), true)
    assert.notEqual((await gateway.send(charge, inTime())).kind, 'succeeded')
    assert.deepEqual(await gateway.lookup(charge, inTime()), { kind: 'absent' })
  }
})

test('a fence put up twice stands, its tombstone is cancelled, listed nowhere, and no payment of ours', async context => {
  const { stripe, gateway } = await open(context)
  const charge = await chargeWith(gateway, card())
  assert.equal(await gateway.fence(charge, inTime()), true)
  assert.equal(await gateway.fence(charge, inTime()), true)
  const [tombstone, ...others] = stripe.state.all('payment_intent')
  assert.ok(tombstone !== undefined && others.length === 0)
  assert.equal(tombstone.status, 'canceled')
  const entries: GatewayEntry[] = []
  for await (const entry of gateway.list({ from: new Date(0), to: new Date(Date.now() + hourMs) }, inTime())) {
    entries.push(entry)
  }
  assert.deepEqual(entries, [])
  assert.equal(await gateway.notices?.payment(tombstone.id, inTime()), null)
})

test('a tombstone that could not be cancelled fences all the same', async context => {
  const { stripe, gateway } = await open(context)
  const charge = await chargeWith(gateway, card())
  stripe.faults.always({ kind: 'breakdown', at: 'during' }, ({ path }) => path.endsWith('/cancel'))
  assert.equal(await gateway.fence(charge, inTime()), true)
  assert.notEqual((await gateway.send(charge, inTime())).kind, 'succeeded')
})

test('an authorisation behind a fence is still held, and can be captured', async context => {
  const { gateway } = await open(context)
  const charge = await chargeWith(gateway, card(), { capture: false })
  const held = await mustSucceed(gateway, charge)
  assert.equal(await gateway.fence(charge, inTime()), true)
  assert.deepEqual(await gateway.lookup(charge, inTime()), held)
  await mustSucceed(gateway, followUp('capture', charge, held, charge.amountMinor))
})

test('a declined charge keeps its reason behind a fence', async context => {
  const { stripe, gateway } = await open(context)
  const charge = await chargeWith(gateway, card('pm_card_chargeCustomerFail'))
  const declined = await gateway.send(charge, inTime())
  assert.equal(await gateway.fence(charge, inTime()), true)
  assert.deepEqual(await gateway.lookup(charge, inTime()), declined)
  assert.ok(!stripe.asked.some(({ path }) => path.endsWith('/cancel')))
})

test('a waiting charge that cannot be called off is not fenced', async context => {
  const { stripe, gateway } = await open(context)
  const charge = await chargeWith(gateway, card('pm_card_authenticationRequired'), { id: idOf(0) })
  assert.equal((await gateway.send(charge, inTime())).kind, 'further_action')
  stripe.faults.next({ kind: 'breakdown', at: 'during' }, ({ path }) => path.endsWith('/cancel'))
  assert.equal(await gateway.fence(charge, inTime()), false)
  assert.equal(await gateway.fence(charge, inTime()), true)
})

test('only a tombstone of its own is a fence', async () => {
  const own = { status: 'requires_payment_method', metadata: { tillbell_fence: aCharge.id } }
  for (const [change, stands] of [
    [own, true],
    [{ ...own, metadata: { tillbell_fence: randomUUID() } }, false],
    [{ ...own, metadata: {} }, false],
    [{ ...own, object: 'customer' }, false],
  ] as const) {
    const { gateway, close } = await openPeer(saying(200, intent(change)))
    assert.equal(await gateway.fence(aCharge, inTime()), stands)
    close()
  }
})
