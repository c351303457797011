import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  amountMinor,
  chargeWith,
  followUp,
  inTime,
  mustBeDeclined,
  mustSucceed,
} from '../../../test/gateways/conformance/bench.ts'
import { gatewayConformance } from '../../../test/gateways/conformance/suite.ts'
import { gatewayAt, openPeer, openTestGateway } from '../../../test/support/braintree/gateway.ts'
import { openFakeBraintree } from '../../../test/support/braintree/server.ts'
import { expiry } from '../../../test/support/braintree/vault.ts'
import { type CuttingProxy, openCuttingProxy } from '../../../test/support/cutting-proxy.ts'
import type { Currency } from '../../core/money.ts'

const shown = (mask: string) => ({ mask, expiryMonth: expiry.month, expiryYear: expiry.year })
const plainCard = { reference: 'fake-valid-visa-nonce', ...shown('1881') }
const declinedCard = { reference: 'fake-processor-declined-visa-nonce', ...shown('1115') }

gatewayConformance('braintree', async () => {
  const fake = await openFakeBraintree()
  const silent = await openPeer(() => {})
  const resetting = await openPeer(socket => socket.resetAndDestroy())
  const gone = await openPeer(() => {})
  await gone.close()
  let line: CuttingProxy | null = null
  return {
    gateway: gatewayAt(fake.port),
    cards: {
      succeeding: plainCard,
      declined: declinedCard,
      refused: { reference: 'fake-consumed-nonce', ...shown('0000') },
      challenged: null,
    },
    namesOf: cardRef => [`token:${cardRef}`, `customer_${cardRef}`],
    async cardOfMerchant() {
      const stored = await gatewayAt(fake.port).storeCard(plainCard, inTime())
      return stored.kind === 'stored' ? `token:${stored.cardRef}` : assert.fail()
    },
    settle: async () => fake.settleAll(),
    secrets: [String(fake.credentials.public_key), String(fake.credentials.private_key)],
    chargesOf: async transactionId => fake.ledger().filter(row => row.transactionId === transactionId).length,
    network: {
      refusing: async () => gone.gateway,
      silent: async () => silent.gateway,
      resetting: async () => resetting.gateway,
      async delayed() {
        line = await openCuttingProxy(fake.port)
        line.arm('request', 0, 'hold')
        return { gateway: gatewayAt(line.port), deliver: line.deliver }
      },
    },
    async otherAmount() {
      fake.approvePartly()
      return {}
    },
    async close() {
      await line?.close()
      await silent.close()
      await resetting.close()
      await fake.close()
    },
  }
})

test('a decline is found again by its order id, a charge with what it took', async context => {
  const { gateway } = await openTestGateway(context)
  const declined = await chargeWith(gateway, declinedCard)
  const outcome = await gateway.send(declined, inTime())
  assert.deepEqual(outcome, { kind: 'declined', code: 'card_declined' })
  assert.deepEqual(await gateway.lookup(declined, inTime()), outcome)
  const charge = await chargeWith(gateway, plainCard)
  const done = await mustSucceed(gateway, charge)
  assert.deepEqual(await gateway.lookup(charge, inTime()), done)
})

test('an authorisation is captured once, for no more than it holds', async context => {
  const { gateway } = await openTestGateway(context)
  const charge = await chargeWith(gateway, plainCard, { capture: false })
  const held = await mustSucceed(gateway, charge)
  await mustBeDeclined(gateway, followUp('refund', charge, held, amountMinor), 'wrong_state')
  await mustBeDeclined(gateway, followUp('capture', charge, held, amountMinor + 1n), 'amount_too_large')
  const capture = followUp('capture', charge, held, amountMinor - 100n)
  assert.deepEqual(await gateway.lookup(capture, inTime()), { kind: 'absent' })
  const captured = await mustSucceed(gateway, capture)
  assert.equal(captured.amountMinor, amountMinor - 100n)
  assert.deepEqual(await gateway.lookup(capture, inTime()), captured)
  await mustBeDeclined(gateway, followUp('capture', charge, held, 100n), 'wrong_state')
  await mustBeDeclined(gateway, followUp('void', charge, held, amountMinor), 'wrong_state')
})

test('an authorisation that was let go can neither be captured nor voided again', async context => {
  const { gateway, fake } = await openTestGateway(context)
  const charge = await chargeWith(gateway, plainCard, { capture: false })
  const held = await mustSucceed(gateway, charge)
  const release = followUp('void', charge, held, amountMinor)
  assert.deepEqual(await gateway.lookup(release, inTime()), { kind: 'absent' })
  const released = await mustSucceed(gateway, release)
  assert.equal(released.amountMinor, amountMinor)
  assert.deepEqual(await gateway.lookup(release, inTime()), released)
  assert.equal(fake.balanceOf(charge.transactionId), 0n)
  const capture = followUp('capture', charge, held, amountMinor)
  await mustBeDeclined(gateway, capture, 'wrong_state')
  assert.deepEqual(await gateway.lookup(capture, inTime()), { kind: 'declined', code: 'wrong_state' })
  await mustBeDeclined(gateway, followUp('void', charge, held, amountMinor), 'wrong_state')
})

test('before settlement all of a charge is given back by a void, and a part is declined', async context => {
  const { gateway, fake } = await openTestGateway(context)
  const charge = await chargeWith(gateway, plainCard)
  const done = await mustSucceed(gateway, charge)
  await mustBeDeclined(gateway, followUp('refund', charge, done, amountMinor - 1n), 'wrong_state')
  await mustBeDeclined(gateway, followUp('refund', charge, done, amountMinor + 1n), 'amount_too_large')
  const refund = followUp('refund', charge, done, amountMinor)
  assert.deepEqual(await gateway.lookup(refund, inTime()), { kind: 'absent' })
  const refunded = await mustSucceed(gateway, refund)
  assert.deepEqual([refunded.amountMinor, refunded.gatewayRef], [amountMinor, `void:${done.gatewayRef}`])
  assert.deepEqual(await gateway.lookup(refund, inTime()), refunded)
  assert.equal(fake.balanceOf(charge.transactionId), 0n)
  await mustBeDeclined(gateway, followUp('refund', charge, done, amountMinor), 'wrong_state')
})

test('after settlement a part is given back, and found by its order id', async context => {
  const { gateway, fake } = await openTestGateway(context)
  const charge = await chargeWith(gateway, plainCard)
  const done = await mustSucceed(gateway, charge)
  fake.settleAll()
  const refund = followUp('refund', charge, done, 10_00n)
  assert.deepEqual(await gateway.lookup(refund, inTime()), { kind: 'absent' })
  const refunded = await mustSucceed(gateway, refund)
  assert.deepEqual(await gateway.lookup(refund, inTime()), refunded)
  assert.equal(fake.balanceOf(charge.transactionId), 15_00n)
})

test('a currency without a merchant account of its own is charged by the default one only if that is for it', async context => {
  const fake = await openFakeBraintree()
  context.after(fake.close)
  const gateway = gatewayAt(fake.port, { merchant_accounts: { JPY: 'shop_jpy' } })
  const charge = await chargeWith(gateway, plainCard)
  await mustSucceed(gateway, charge)
  await mustSucceed(gateway, await chargeWith(gateway, plainCard))
  assert.equal(fake.asked.filter(line => line.includes('merchant_accounts')).length, 1)
  const inEuros = await gateway.send({ ...charge, currency: 'EUR' as Currency }, inTime())
  assert.ok(inEuros.kind === 'not_sent' && inEuros.code === 'gateway_refused')
  assert.equal(fake.ledger().length, 2)
})

test('a charge carries its operation and its transaction, and is initiated by the merchant', async context => {
  const { gateway, fake } = await openTestGateway(context)
  const charge = await chargeWith(gateway, plainCard, { currency: 'EUR' as Currency })
  const done = await mustSucceed(gateway, charge)
  const { orderId, merchantAccountId } = fake.entry(done.gatewayRef)
  assert.deepEqual([orderId, merchantAccountId], [`${charge.transactionId}/${charge.id}`, 'shop_eur'])
})

test('each exchange is noted in one line', async context => {
  const { gateway } = await openTestGateway(context)
  const charge = await chargeWith(gateway, plainCard)
  const notes: string[] = []
  const done = await gateway.send(charge, inTime(), line => notes.push(line))
  await gateway.lookup(charge, inTime(), line => notes.push(line))
  assert.ok(done.kind === 'succeeded')
  assert.deepEqual(notes, [
    `POST /transactions: HTTP 201, ${done.gatewayRef} is submitted_for_settlement`,
    'POST /transactions/advanced_search_ids: HTTP 200, understood',
    'POST /transactions/advanced_search: HTTP 200, understood',
  ])
})
