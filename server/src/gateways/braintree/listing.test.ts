import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chargeWith, followUp, inTime, mustSucceed } from '../../../test/gateways/conformance/bench.ts'
import { openTestGateway } from '../../../test/support/braintree/gateway.ts'
import type { Gateway, GatewayEntry } from '../../core/gateway.ts'

const plainCard = { reference: 'fake-valid-nonce', mask: '1111', expiryMonth: 12, expiryYear: 2036 }
const always = { from: new Date(Date.now() - 3_600_000), to: new Date(Date.now() + 3_600_000) }

async function entriesOf(gateway: Gateway, span = always): Promise<GatewayEntry[]> {
  const entries: GatewayEntry[] = []
  for await (const entry of gateway.list(span, inTime())) entries.push(entry)
  return entries
}

test('the list has every payment and refund, with what became of it, over several pages', async context => {
  const { gateway, fake } = await openTestGateway(context, { pageSize: 2 })
  const authorised = await chargeWith(gateway, plainCard, { capture: false })
  await mustSucceed(gateway, authorised)
  const released = await chargeWith(gateway, plainCard, { capture: false })
  await mustSucceed(gateway, followUp('void', released, await mustSucceed(gateway, released), released.amountMinor))
  const declined = await chargeWith(gateway, { ...plainCard, reference: 'fake-processor-declined-visa-nonce' })
  await gateway.send(declined, inTime())
  const sold = await chargeWith(gateway, plainCard)
  const done = await mustSucceed(gateway, sold)
  fake.settleAll()
  const refund = followUp('refund', sold, done, 5_00n)
  const refunded = await mustSucceed(gateway, refund)

  const entries = await entriesOf(gateway)
  assert.deepEqual(
    entries.map(({ kind, operationId, state, amountMinor }) => [kind, operationId, state, amountMinor]),
    [
      ['refund', refund.id, 'succeeded', 5_00n],
      ['charge', sold.id, 'succeeded', 25_00n],
      ['charge', declined.id, 'failed', 25_00n],
      ['charge', released.id, 'voided', 25_00n],
      ['charge', authorised.id, 'authorized', 25_00n],
    ],
  )
  assert.deepEqual([entries[0]?.gatewayRef, entries[0]?.chargeRef], [refunded.gatewayRef, done.gatewayRef])
})

test('what was given back by a void is listed as taken and given back, under the name that the refund has', async context => {
  const { gateway } = await openTestGateway(context)
  const charge = await chargeWith(gateway, plainCard)
  const done = await mustSucceed(gateway, charge)
  const refunded = await mustSucceed(gateway, followUp('refund', charge, done, charge.amountMinor))
  const entries = await entriesOf(gateway)
  assert.deepEqual(
    entries.map(({ kind, gatewayRef, operationId, state }) => [kind, gatewayRef, operationId, state]),
    [
      ['charge', done.gatewayRef, charge.id, 'succeeded'],
      ['refund', refunded.gatewayRef, null, 'succeeded'],
    ],
  )
})

test('what was given back by a void is dated by the void, and found where its payment is of another day', async context => {
  const { gateway, fake } = await openTestGateway(context)
  const charge = await chargeWith(gateway, plainCard)
  const done = await mustSucceed(gateway, charge)
  fake.entry(done.gatewayRef).createdAt.setTime(Date.now() - 86_400_000)
  const refunded = await mustSucceed(gateway, followUp('refund', charge, done, charge.amountMinor))
  const voided = fake.entry(done.gatewayRef).history.find(({ status }) => status === 'voided') ?? assert.fail()
  const voidedAt = new Date(Math.floor(voided.timestamp.getTime() / 1_000) * 1_000)
  const yesterday = { from: new Date(always.from.getTime() - 86_400_000), to: always.from }
  const [today, before] = [await entriesOf(gateway), await entriesOf(gateway, yesterday)]
  assert.deepEqual(
    today.map(({ kind, gatewayRef, chargeRef, at }) => [kind, gatewayRef, chargeRef, at]),
    [['refund', refunded.gatewayRef, done.gatewayRef, voidedAt]],
  )
  assert.deepEqual(
    before.map(({ kind, gatewayRef, state }) => [kind, gatewayRef, state]),
    [['charge', done.gatewayRef, 'succeeded']],
  )
})

test('a span begins with its first moment and ends before its last', async context => {
  const { gateway, fake } = await openTestGateway(context)
  const { gatewayRef } = await mustSucceed(gateway, await chargeWith(gateway, plainCard))
  const at = new Date(Math.floor(fake.entry(gatewayRef).createdAt.getTime() / 1_000) * 1_000)
  const later = new Date(at.getTime() + 1_000)
  assert.equal((await entriesOf(gateway, { from: at, to: later })).length, 1)
  assert.equal((await entriesOf(gateway, { from: later, to: always.to })).length, 0)
  assert.equal((await entriesOf(gateway, { from: always.from, to: at })).length, 0)
})

test('a list that cannot be read to its end throws, and is not taken for a short one', async context => {
  const { gateway, fake } = await openTestGateway(context, { pageSize: 1 })
  for (let count = 0; count < 3; count++) await mustSucceed(gateway, await chargeWith(gateway, plainCard))
  for (const answers of [500, 'reset', 'other xml', 'nothing', 'html'] as const) {
    for (const at of [/advanced_search_ids/, /advanced_search$/]) {
      fake.failNext({ at, executes: true, answers })
      await assert.rejects(entriesOf(gateway), /could not be read/, `${answers} ${at}`)
    }
  }
  fake.failNext({ at: /advanced_search$/, executes: true, answers: 'an empty page' })
  await assert.rejects(entriesOf(gateway), /to its end/)
  assert.equal((await entriesOf(gateway)).length, 3)
})

test('where Braintree cuts its results off, the span is read in halves', async context => {
  const { gateway, fake } = await openTestGateway(context)
  const charges = []
  for (let count = 0; count < 3; count++) {
    const charge = await chargeWith(gateway, plainCard)
    const { gatewayRef } = await mustSucceed(gateway, charge)
    fake.entry(gatewayRef).createdAt.setTime(always.from.getTime() + (count + 1) * 1_000_000)
    charges.push(charge.id)
  }
  // The whole, then its later half: as if each had more than is told.
  for (let count = 0; count < 2; count++)
    fake.failNext({ at: /advanced_search_ids/, executes: true, answers: 'ten thousand ids' })
  const entries = await entriesOf(gateway)
  assert.deepEqual(entries.map(({ operationId }) => operationId).sort(), charges.sort())
})
