// Keys of the look-alike, asked by Stripe's own SDK: which answers they keep, for what, and how long.

import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { busy } from './faults.ts'
import { newKey, refusal, type Sdk, sdkFor } from './sdk.ts'
import { type StripeServer, startStripe } from './server.ts'

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

test('the same key gives the same answer and one charge, also when it was a decline', async () => {
  const card = await sdk.storedCard()
  const key = newKey()
  const first = await sdk.pay(card, key)
  const again = await sdk.pay(card, key)
  assert.equal(again.id, first.id)
  assert.equal(again.lastResponse.headers['idempotent-replayed'], 'true')
  assert.notEqual((await sdk.pay(card, newKey())).id, first.id)

  const bad = await sdk.storedCard('pm_card_chargeCustomerFail')
  const badKey = newKey()
  const declined = await refusal(sdk.pay(bad, badKey))
  server.dashboard.setBank(bad.payment_method, { kind: 'pays' })
  assert.deepEqual(await refusal(sdk.pay(bad, badKey)), declined)
  assert.equal((await sdk.pay(bad, newKey())).status, 'succeeded')
})

test('a key belongs to its endpoint and its parameters, and is free again when forgotten or never begun', async () => {
  const card = await sdk.storedCard()
  const key = newKey()
  const { id } = await sdk.pay(card, key)
  const misused = { status: 400, code: undefined, type: 'StripeIdempotencyError' }
  for (const other of [
    () => sdk.pay({ ...card, amount: 2600 }, key),
    () => sdk.stripe.refunds.create({ payment_intent: id }, { idempotencyKey: key }),
  ]) {
    const { status, code, type } = await refusal(other())
    assert.deepEqual({ status, code, type }, misused)
  }
  const plain = { idempotencyKey: newKey() }
  await sdk.stripe.paymentMethods.detach(card.payment_method, {}, plain)
  assert.equal((await refusal(sdk.stripe.paymentIntents.cancel(id, {}, plain))).type, misused.type)
  server.forgetKeys()
  const another = await sdk.storedCard()
  assert.notEqual((await sdk.pay(another, key)).id, id)

  const free = newKey()
  server.faults.next(busy(7))
  const { status } = await refusal(sdk.pay(another, free))
  assert.equal(status, 429)
  await refusal(sdk.pay({ amount: 0 }, free))
  assert.equal(server.complaints.splice(0).length, 1)
  assert.equal((await sdk.pay({ ...another, amount: 999 }, free)).amount, 999)
})

test('twins under one key: one runs, the other is told that it does', async () => {
  const card = await sdk.storedCard()
  const key = newKey()
  const reached = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const until = () => {
    reached.resolve()
    return released.promise
  }
  server.faults.next({ kind: 'hold', until })
  const first = sdk.pay(card, key)
  await reached.promise
  const { status, code } = await refusal(sdk.pay(card, key))
  assert.deepEqual([status, code], [409, 'idempotency_key_in_use'])
  released.resolve()
  const { id } = await first
  assert.equal((await sdk.pay(card, key)).id, id)
})

test('a breakdown is kept under the key once execution began, whether or not anything happened', async () => {
  for (const [at, charges, keeps] of [
    ['before', 0, false],
    ['during', 0, true],
    ['after', 1, true],
  ] as const) {
    const card = await sdk.storedCard()
    const key = newKey()
    server.faults.next({ kind: 'breakdown', at })
    assert.equal((await refusal(sdk.pay(card, key))).status, 500)
    const made = await sdk.stripe.paymentIntents.list({ customer: card.customer })
    assert.equal(made.data.length, charges)
    if (keeps) assert.equal((await refusal(sdk.pay(card, key))).status, 500)
    else assert.equal((await sdk.pay(card, key)).status, 'succeeded')
  }
})
