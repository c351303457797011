// What each answer proves, and each that is none.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chargeWith, followUp, inTime, mustSucceed } from '../../../test/gateways/conformance/bench.ts'
import type { Answers } from '../../../test/support/braintree/faults.ts'
import { gatewayAt, openTestGateway } from '../../../test/support/braintree/gateway.ts'
import type { Currency } from '../../core/money.ts'
import { minorOf } from './transaction.ts'

const plainCard = { reference: 'fake-valid-nonce', mask: '1111', expiryMonth: 12, expiryYear: 2036 }
const anySale = /^POST \/transactions$/
const impatientMs = 300

const declinedAmounts = [
  [2000_00n, 'card_declined'],
  [2001_00n, 'insufficient_funds'],
  [2002_00n, 'limit_exceeded'],
  [2003_00n, 'limit_exceeded'],
  [2004_00n, 'expired_card'],
  [2010_00n, 'incorrect_cvc'],
  [2012_00n, 'lost_card'],
  [2013_00n, 'stolen_card'],
  [2014_00n, 'fraud_suspected'],
  [2015_00n, 'card_not_supported'],
  [2053_00n, 'stolen_card'],
  [2099_00n, 'authentication_failed'],
  [2999_99n, 'card_declined'],
  [3000_00n, 'processing_error'],
] as const

test('a decline has the code of its reason', async context => {
  const { gateway } = await openTestGateway(context)
  const { cardRef } = await chargeWith(gateway, plainCard)
  for (const [amountMinor, code] of declinedAmounts) {
    const charge = { ...(await chargeWith(gateway, plainCard, { amountMinor })), cardRef }
    assert.deepEqual(await gateway.send(charge, inTime()), { kind: 'declined', code }, String(amountMinor))
    assert.deepEqual(await gateway.lookup(charge, inTime()), { kind: 'declined', code }, String(amountMinor))
  }
  const rejected = await chargeWith(gateway, { ...plainCard, reference: 'fake-gateway-rejected-fraud-nonce' })
  assert.deepEqual(await gateway.send(rejected, inTime()), { kind: 'declined', code: 'fraud_suspected' })
})

const refusing: readonly [number, string][] = [
  [401, 'gateway_credentials_refused'],
  [403, 'gateway_credentials_refused'],
  [404, 'gateway_refused'],
  [426, 'gateway_refused'],
  [429, 'gateway_busy'],
]
for (const [status, code] of refusing) {
  test(`HTTP ${status} is not_sent: ${code}`, async context => {
    const { gateway, fake } = await openTestGateway(context)
    const charge = await chargeWith(gateway, plainCard)
    fake.failNext({ at: anySale, executes: false, answers: status })
    const outcome = await gateway.send(charge, inTime())
    assert.ok(outcome.kind === 'not_sent' && outcome.code === code, JSON.stringify(outcome))
    assert.deepEqual(fake.ledger(), [])
  })
}

const leavingDoubt: readonly Answers[] = [
  ...[400, 408, 409, 500, 502, 503, 504, 302, 422],
  ...(['reset', 'silence', 'drip', 'html', 'broken json'] as const),
  ...(['truncated', 'other xml', 'nothing', 'endless', 'another transaction'] as const),
]
for (const answers of leavingDoubt) {
  for (const executes of [true, false]) {
    if (answers === 'another transaction' && !executes) continue
    test(`${answers} ${executes ? 'after' : 'before'} the charge leaves doubt, which a lookup ends only if it was made`, async context => {
      const { gateway, fake } = await openTestGateway(context)
      const charge = await chargeWith(gateway, plainCard)
      fake.failNext({ at: anySale, executes, answers })
      const outcome = await gateway.send(charge, AbortSignal.timeout(impatientMs))
      assert.equal(outcome.kind, 'unknown', JSON.stringify(outcome))
      const found = await gateway.lookup(charge, inTime())
      assert.equal(found.kind, executes ? 'succeeded' : 'absent')
      assert.equal(fake.ledger().length, executes ? 1 : 0)
    })
  }
}

test('an answer that is too large or no XML is cut short, and named', async context => {
  const { gateway, fake } = await openTestGateway(context)
  const charge = await chargeWith(gateway, plainCard)
  for (const [answers, cause] of [
    ['endless', 'The answer of Braintree is too large.'],
    ['html', 'The answer of Braintree is not XML.'],
  ] as const) {
    fake.failNext({ at: anySale, executes: false, answers })
    assert.deepEqual(await gateway.send(charge, inTime()), { kind: 'unknown', cause })
  }
})

test('a gateway that asks to be left alone is heard', async context => {
  const { gateway, fake } = await openTestGateway(context)
  const charge = await chargeWith(gateway, plainCard)
  for (const status of [429, 503]) {
    fake.failNext({ at: anySale, executes: false, answers: status, headers: { 'retry-after': '120' } })
    const outcome = await gateway.send(charge, inTime())
    assert.equal('retryAfterMs' in outcome && outcome.retryAfterMs, 120_000)
  }
  fake.failNext({ at: /search/, executes: false, answers: 503, headers: { 'retry-after': '60' } })
  const found = await gateway.lookup(charge, inTime())
  assert.ok(found.kind === 'unknown' && found.retryAfterMs === 60_000)
})

test('a validation error is not_sent, and one of a suspended account says so', async context => {
  const { gateway, fake } = await openTestGateway(context)
  const charge = await chargeWith(gateway, plainCard)
  const noCard = await gateway.send({ ...charge, cardRef: 'nobody' }, inTime())
  assert.ok(noCard.kind === 'not_sent' && noCard.code === 'gateway_refused')
  assert.match(noCard.cause, /91518/)
  fake.failNext({ at: anySale, executes: false, answers: 'suspended account' })
  const suspended = await gateway.send(charge, inTime())
  assert.ok(suspended.kind === 'not_sent' && suspended.code === 'gateway_account_suspended')
  fake.failNext({ at: anySale, executes: false, answers: 'error in a 200' })
  const refused = await gateway.send(charge, inTime())
  assert.ok(refused.kind === 'not_sent' && refused.code === 'gateway_refused')
})

test('all that has the order id of a charge is listed, where a lookup cannot tell which one it is', async context => {
  const { gateway } = await openTestGateway(context)
  const charge = await chargeWith(gateway, plainCard)
  const first = await mustSucceed(gateway, charge)
  const second = await mustSucceed(gateway, { ...charge, amountMinor: charge.amountMinor + 1n })
  assert.equal((await gateway.lookup(charge, inTime())).kind, 'unknown')
  const listed = (await gateway.listUnderId?.(charge, inTime())) ?? assert.fail()
  assert.ok(!('kind' in listed))
  assert.deepEqual(listed.map(({ gatewayRef }) => gatewayRef).sort(), [first.gatewayRef, second.gatewayRef].sort())
})

test('one taken for a duplicate is in doubt, and the other is found', async context => {
  const { gateway, fake } = await openTestGateway(context)
  const charge = await chargeWith(gateway, plainCard)
  const done = await mustSucceed(gateway, charge)
  assert.equal((await gateway.send(charge, inTime())).kind, 'unknown')
  assert.equal(fake.ledger().length, 2)
  assert.deepEqual(await gateway.lookup(charge, inTime()), done)
})

test('several with one order id, or one with another, prove nothing', async context => {
  const { gateway, fake } = await openTestGateway(context)
  const charge = await chargeWith(gateway, plainCard)
  await mustSucceed(gateway, charge)
  fake.failNext({ at: /advanced_search$/, executes: true, answers: 'another transaction' })
  const strange = await gateway.lookup(charge, inTime())
  assert.ok(strange.kind === 'unknown' && /other order ids/.test(strange.cause))
  await gateway.send(charge, inTime())
  fake.turn(fake.ledger()[1]?.gatewayRef ?? '', 'settled')
  const several = await gateway.lookup(charge, inTime())
  assert.ok(several.kind === 'unknown' && /several/.test(several.cause))
})

test('what was voided by somebody else settles only what it can settle', async context => {
  const { gateway, fake } = await openTestGateway(context)
  const charge = await chargeWith(gateway, plainCard, { capture: false })
  const held = await mustSucceed(gateway, charge)
  const capture = followUp('capture', charge, held, charge.amountMinor)
  await mustSucceed(gateway, capture)
  fake.turn(held.gatewayRef, 'voided')
  assert.equal((await gateway.lookup(capture, inTime())).kind, 'unknown')
  const part = followUp('refund', charge, held, 1n)
  assert.deepEqual(await gateway.lookup(part, inTime()), { kind: 'absent' })
})

test('a void that can no longer be done is declined, one that still can is not found', async context => {
  const { gateway, fake } = await openTestGateway(context)
  const charge = await chargeWith(gateway, plainCard, { capture: false })
  const held = await mustSucceed(gateway, charge)
  const release = followUp('void', charge, held, charge.amountMinor)
  for (const [status, kind] of [
    ['submitted_for_settlement', 'absent'],
    ['settling', 'declined'],
    ['settled', 'declined'],
    ['authorization_expired', 'declined'],
  ] as const) {
    fake.turn(held.gatewayRef, status)
    assert.equal((await gateway.lookup(release, inTime())).kind, kind, status)
  }
})

test('amounts are read by their digits', () => {
  for (const [text, currency, minor] of [
    ['25.00', 'USD', 25_00n],
    ['25', 'USD', 25_00n],
    ['25.5', 'USD', 25_50n],
    ['25.005', 'USD', null],
    ['0.29', 'USD', 29n],
    ['90071992547409.93', 'USD', 9007199254740993n],
    ['1200', 'JPY', 1200n],
    ['1200.00', 'JPY', 1200n],
    ['1200.50', 'JPY', null],
    ['1.234', 'KWD', 1234n],
    ['', 'USD', null],
    ['-1.00', 'USD', null],
    ['1e3', 'USD', null],
  ] as const) {
    assert.equal(minorOf(text, currency as Currency), minor, text)
  }
})

test('a charge that is in another state than was asked is in doubt', async context => {
  const { gateway, fake } = await openTestGateway(context)
  for (const [capture, status] of [
    [true, 'authorized'],
    [true, 'voided'],
    [true, 'authorizing'],
    [false, 'submitted_for_settlement'],
    [false, 'authorization_expired'],
  ] as const) {
    const charge = await chargeWith(gateway, plainCard, { capture })
    const done = await mustSucceed(gateway, charge)
    fake.turn(done.gatewayRef, status)
    const found = await gateway.lookup(charge, inTime())
    assert.ok(found.kind === 'unknown' && found.cause.includes(status), status)
  }
})

test('where the charge cannot be read first, nothing was sent', async context => {
  const { gateway, fake } = await openTestGateway(context)
  const charge = await chargeWith(gateway, plainCard)
  const done = await mustSucceed(gateway, charge)
  const refund = followUp('refund', charge, done, charge.amountMinor)
  const reading = /^GET \/transactions/
  for (const answers of [500, 'reset', 'html', 'other xml'] as const) {
    fake.failNext({ at: reading, executes: true, answers })
    const outcome = await gateway.send(refund, inTime())
    assert.ok(outcome.kind === 'not_sent' && outcome.code === 'gateway_not_reached', String(answers))
  }
  fake.failNext({ at: reading, executes: true, answers: 'silence' })
  assert.equal((await gateway.send(refund, AbortSignal.timeout(impatientMs))).kind, 'unknown')
  const strange = await gateway.send({ ...refund, chargeRef: '../elsewhere' }, inTime())
  assert.ok(strange.kind === 'not_sent' && strange.code === 'gateway_refused')
  assert.equal(fake.balanceOf(charge.transactionId), charge.amountMinor)
})

for (const kind of ['capture', 'void', 'refund'] as const) {
  for (const executes of [true, false]) {
    test(`a ${kind} whose answer is lost ${executes ? 'after' : 'before'} it is looked up`, async context => {
      const { gateway, fake } = await openTestGateway(context)
      const charge = await chargeWith(gateway, plainCard, { capture: kind === 'refund' })
      const done = await mustSucceed(gateway, charge)
      for (const isSettled of kind === 'refund' ? [false, true] : [false]) {
        if (isSettled && executes) continue
        if (isSettled) fake.settleAll()
        const request = followUp(kind, charge, done, charge.amountMinor)
        fake.failNext({ at: /^(PUT|POST) \/transactions\/\w+\/\w+$/, executes, answers: 'reset' })
        assert.equal((await gateway.send(request, inTime())).kind, 'unknown')
        const found = await gateway.lookup(request, inTime())
        assert.equal(found.kind, executes ? 'succeeded' : 'absent')
      }
    })
  }
}

test('with keys that are not accepted nothing is charged, and nothing is found out', async context => {
  const { gateway, fake } = await openTestGateway(context)
  const charge = await chargeWith(gateway, plainCard)
  await mustSucceed(gateway, charge)
  const other = gatewayAt(fake.port, { private_key: 'wrong' })
  const outcome = await other.send(charge, inTime())
  assert.ok(outcome.kind === 'not_sent' && outcome.code === 'gateway_credentials_refused')
  assert.equal((await other.lookup(charge, inTime())).kind, 'unknown')
  assert.equal((await other.removeCard(charge.cardRef, inTime())).kind, 'unknown')
})
