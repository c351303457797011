// Promises about money: once per operation id, just what was asked, never more than there is.

import assert from 'node:assert/strict'
import type { Currency } from '../../../src/core/money.ts'
import { amountMinor, chargeWith, followUp, inTime, mustBeDeclined, mustSucceed, type Promised } from './bench.ts'

export function chargesOnce(promised: Promised): void {
  promised('the same operation id charges once', ['idempotency', 'lookup'], async ({ gateway, cards, chargesOf }) => {
    const charge = await chargeWith(gateway, cards.succeeding)
    const first = await mustSucceed(gateway, charge)
    assert.deepEqual(await gateway.send(charge, inTime()), first)
    assert.deepEqual(await gateway.lookup(charge, inTime()), first)
    if (chargesOf) assert.equal(await chargesOf(charge.transactionId), 1)
  })

  promised('the same operation id charges once when sent twenty times at once', ['idempotency'], async bench => {
    const { gateway, cards, chargesOf } = bench
    const charge = await chargeWith(gateway, cards.succeeding)
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => gateway.send(charge, inTime())))
    // Some gateways turn away a request whose twin is still running. That is doubt, not a decline.
    for (const { kind } of outcomes) assert.ok(kind === 'succeeded' || kind === 'unknown', kind)
    const refs = outcomes.flatMap(outcome => (outcome.kind === 'succeeded' ? [outcome.gatewayRef] : []))
    assert.equal(new Set(refs).size, 1)
    if (chargesOf) assert.equal(await chargesOf(charge.transactionId), 1)
  })

  promised(
    'the same operation id with another amount charges nothing more',
    ['idempotency', 'lookup'],
    async ({ gateway, cards, chargesOf }) => {
      const charge = await chargeWith(gateway, cards.succeeding)
      const first = await mustSucceed(gateway, charge)
      const other = await gateway.send({ ...charge, amountMinor: amountMinor * 2n }, inTime())
      assert.equal(other.kind, 'unknown')
      assert.deepEqual(await gateway.lookup(charge, inTime()), first)
      if (chargesOf) assert.equal(await chargesOf(charge.transactionId), 1)
    },
  )

  promised('a decline is kept under its operation id', ['idempotency', 'lookup'], async ({ gateway, cards }) => {
    const charge = await chargeWith(gateway, cards.declined)
    const first = await gateway.send(charge, inTime())
    assert.equal(first.kind, 'declined')
    assert.deepEqual(await gateway.send(charge, inTime()), first)
    assert.deepEqual(await gateway.lookup(charge, inTime()), first)
  })
}

export function answersWhatWasAsked(promised: Promised): void {
  for (const currency of ['USD', 'EUR', 'JPY'] as Currency[]) {
    promised(`amount and currency come back as sent, ${currency}`, [], async ({ gateway, cards, settle }) => {
      const charge = await chargeWith(gateway, cards.succeeding, { currency, amountMinor: 12_345n })
      const done = await mustSucceed(gateway, charge)
      await settle?.(charge, done.gatewayRef)
      assert.equal(done.amountMinor, 12_345n)
      assert.equal(done.currency, currency)
      const refunded = await mustSucceed(gateway, followUp('refund', charge, done, 345n))
      assert.equal(refunded.amountMinor, 345n)
      assert.equal(refunded.currency, currency)
    })
  }
}

export function tellsWhatWasTaken(promised: Promised): void {
  promised(
    'another amount than was asked is told as it is',
    ['wrong amounts'],
    async ({ gateway, cards, otherAmount }) => {
      const charge = await chargeWith(gateway, cards.succeeding, await otherAmount?.())
      const outcome = await gateway.send(charge, inTime())
      assert.equal(outcome.kind, 'succeeded')
      assert.ok(outcome.amountMinor !== charge.amountMinor || outcome.currency !== charge.currency)
    },
  )
}

export function keepsToWhatWasTaken(promised: Promised): void {
  promised('a refund of more than was taken is declined', [], async ({ gateway, cards, settle }) => {
    const charge = await chargeWith(gateway, cards.succeeding)
    const done = await mustSucceed(gateway, charge)
    await settle?.(charge, done.gatewayRef)
    await mustBeDeclined(gateway, followUp('refund', charge, done, amountMinor + 1n), 'amount_too_large')
    await mustSucceed(gateway, followUp('refund', charge, done, amountMinor - 1n))
    await mustBeDeclined(gateway, followUp('refund', charge, done, 2n), 'amount_too_large')
    await mustSucceed(gateway, followUp('refund', charge, done, 1n))
  })

  promised('the same refund sent again gives back once', ['idempotency', 'lookup'], async ({ gateway, cards }) => {
    const charge = await chargeWith(gateway, cards.succeeding)
    const done = await mustSucceed(gateway, charge)
    const refund = followUp('refund', charge, done, amountMinor / 2n)
    const first = await mustSucceed(gateway, refund)
    assert.deepEqual(await gateway.send(refund, inTime()), first)
    assert.deepEqual(await gateway.lookup(refund, inTime()), first)
    await mustSucceed(gateway, followUp('refund', charge, done, amountMinor / 2n))
  })

  promised(
    'refunds at once that add up to twice the amount give back no more than it',
    ['idempotency'],
    async ({ gateway, cards }) => {
      const charge = await chargeWith(gateway, cards.succeeding)
      const done = await mustSucceed(gateway, charge)
      const refunds = Array.from({ length: 10 }, () => followUp('refund', charge, done, amountMinor / 5n))
      await Promise.all(refunds.map(refund => gateway.send(refund, inTime())))
      const settled = await Promise.all(refunds.map(refund => gateway.send(refund, inTime())))
      assert.equal(settled.filter(({ kind }) => kind === 'succeeded').length, 5)
      assert.equal(settled.filter(({ kind }) => kind === 'declined').length, 5)
    },
  )
}

export function keepsToTheStates(promised: Promised): void {
  promised(
    'an authorisation is captured once, for no more than it holds',
    ['idempotency'],
    async ({ gateway, cards }) => {
      const charge = await chargeWith(gateway, cards.succeeding, { capture: false })
      const held = await mustSucceed(gateway, charge)
      await mustBeDeclined(gateway, followUp('refund', charge, held, 1n), 'wrong_state')
      await mustBeDeclined(gateway, followUp('capture', charge, held, amountMinor + 1n), 'amount_too_large')
      const capture = followUp('capture', charge, held, amountMinor - 100n)
      const captured = await mustSucceed(gateway, capture)
      assert.equal(captured.amountMinor, amountMinor - 100n)
      assert.deepEqual(await gateway.send(capture, inTime()), captured)
      await mustBeDeclined(gateway, followUp('capture', charge, held, 100n), 'wrong_state')
      await mustBeDeclined(gateway, followUp('void', charge, held, amountMinor), 'wrong_state')
      await mustBeDeclined(gateway, followUp('refund', charge, held, amountMinor), 'amount_too_large')
      await mustSucceed(gateway, followUp('refund', charge, held, amountMinor - 100n))
    },
  )

  promised(
    'a voided authorisation can neither be captured nor voided again',
    ['idempotency'],
    async ({ gateway, cards }) => {
      const charge = await chargeWith(gateway, cards.succeeding, { capture: false })
      const held = await mustSucceed(gateway, charge)
      const release = followUp('void', charge, held, amountMinor)
      const released = await mustSucceed(gateway, release)
      assert.equal(released.amountMinor, amountMinor)
      assert.deepEqual(await gateway.send(release, inTime()), released)
      await mustBeDeclined(gateway, followUp('capture', charge, held, amountMinor), 'wrong_state')
      await mustBeDeclined(gateway, followUp('void', charge, held, amountMinor), 'wrong_state')
      await mustBeDeclined(gateway, followUp('refund', charge, held, 1n), 'wrong_state')
    },
  )

  promised('a sale can be neither captured nor voided', [], async ({ gateway, cards }) => {
    const charge = await chargeWith(gateway, cards.succeeding)
    const done = await mustSucceed(gateway, charge)
    await mustBeDeclined(gateway, followUp('capture', charge, done, amountMinor), 'wrong_state')
    await mustBeDeclined(gateway, followUp('void', charge, done, amountMinor), 'wrong_state')
  })
}
