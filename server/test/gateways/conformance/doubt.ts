// Promises about doubt: what is proof and what is not. A service that believes these ends up with each payment made or
// not made, and never asks for the same money twice.

import assert from 'node:assert/strict'
import type { Gateway, LookupOutcome, OperationRequest } from '../../../src/core/gateway.ts'
import {
  amountMinor,
  type ConformanceBench,
  chargeWith,
  followUp,
  inTime,
  mustSucceed,
  type Promised,
} from './bench.ts'

const impatientMs = 200

/** Absent or called off: which one is the gateway's choice. */
function isProofOfNothing({ kind }: LookupOutcome): boolean {
  return kind === 'absent' || kind === 'declined'
}

async function assertOwnRef(
  gateway: Gateway,
  request: OperationRequest,
  own: string,
  others: readonly string[],
): Promise<void> {
  assert.deepEqual(await gateway.checkReference(request, own, inTime()), { kind: 'ours' })
  for (const ref of others) {
    assert.deepEqual(await gateway.checkReference(request, ref, inTime()), { kind: 'not_ours' }, ref)
  }
}

export function fences(promised: Promised): void {
  promised('lookup of what was never sent says absent', ['lookup'], async ({ gateway, cards }) => {
    const charge = await chargeWith(gateway, cards.succeeding)
    assert.deepEqual(await gateway.lookup(charge, inTime()), { kind: 'absent' })
    const refund = followUp('refund', charge, await mustSucceed(gateway, charge), 1n)
    assert.deepEqual(await gateway.lookup(refund, inTime()), { kind: 'absent' })
  })

  promised('a reference is that of the operation which its record names, and of no other', ['lookup'], async bench => {
    const { gateway, cards } = bench
    const [charge, other] = [await chargeWith(gateway, cards.succeeding), await chargeWith(gateway, cards.succeeding)]
    const [made, others] = [await mustSucceed(gateway, charge), await mustSucceed(gateway, other)]
    await assertOwnRef(gateway, charge, made.gatewayRef, [others.gatewayRef, 'never_made', `${made.gatewayRef}x`])
    await assertOwnRef(gateway, charge, made.gatewayRef, ['../refunds', `${made.gatewayRef}?expand=1`, 'é'])
    const refund = followUp('refund', charge, made, amountMinor)
    const othersRefund = followUp('refund', other, others, amountMinor)
    const [back, othersBack] = [await mustSucceed(gateway, refund), await mustSucceed(gateway, othersRefund)]
    await assertOwnRef(gateway, refund, back.gatewayRef, [othersBack.gatewayRef, made.gatewayRef, 'never_made'])
    const unheard = await gateway.checkReference(charge, made.gatewayRef, AbortSignal.abort())
    assert.equal(unheard.kind, 'unknown')
  })

  promised('behind a fence a charge stays absent, also when it arrives late', ['fence', 'lookup'], async bench => {
    const { gateway, cards, chargesOf } = bench
    const charge = await chargeWith(gateway, cards.succeeding)
    assert.equal(await gateway.fence(charge, inTime()), true)
    const before = await gateway.lookup(charge, inTime())
    assert.ok(isProofOfNothing(before), before.kind)
    const late = await gateway.send(charge, inTime())
    assert.ok(late.kind !== 'succeeded' && late.kind !== 'further_action', late.kind)
    assert.deepEqual(await gateway.lookup(charge, inTime()), before)
    if (chargesOf) assert.equal(await chargesOf(charge.transactionId), 0)
  })

  promised(
    'behind a fence a refund gives nothing back, also when it arrives late',
    ['fence', 'lookup'],
    async ({ gateway, cards }) => {
      const charge = await chargeWith(gateway, cards.succeeding)
      const done = await mustSucceed(gateway, charge)
      const refund = followUp('refund', charge, done, 1n)
      assert.equal(await gateway.fence(refund, inTime()), true)
      assert.notEqual((await gateway.send(refund, inTime())).kind, 'succeeded')
      assert.ok(isProofOfNothing(await gateway.lookup(refund, inTime())))
      await mustSucceed(gateway, followUp('refund', charge, done, amountMinor))
    },
  )

  promised('all that is under the id of an operation is what it made, once', ['lookup'], async ({ gateway, cards }) => {
    if (gateway.listUnderId === null) return
    const charge = await chargeWith(gateway, cards.succeeding)
    assert.deepEqual(await gateway.listUnderId(charge, inTime()), [])
    const done = await mustSucceed(gateway, charge)
    const refund = followUp('refund', charge, done, amountMinor)
    const listed = await gateway.listUnderId(charge, inTime())
    assert.ok(!('kind' in listed))
    assert.deepEqual(
      listed.map(({ gatewayRef }) => gatewayRef),
      [done.gatewayRef],
    )
    assert.deepEqual(await gateway.listUnderId(refund, inTime()), [])
  })

  promised('a fence never undoes what happened', ['fence', 'lookup'], async ({ gateway, cards }) => {
    const charge = await chargeWith(gateway, cards.succeeding)
    const done = await mustSucceed(gateway, charge)
    await gateway.fence(charge, inTime())
    assert.deepEqual(await gateway.lookup(charge, inTime()), done)
    const refund = followUp('refund', charge, done, amountMinor)
    const refunded = await mustSucceed(gateway, refund)
    await gateway.fence(refund, inTime())
    assert.deepEqual(await gateway.lookup(refund, inTime()), refunded)
  })

  promised(
    'a charge delayed on its way, and delivered after the fence, does not charge',
    ['fence', 'lookup', 'network'],
    async ({ gateway, cards, network, chargesOf }) => {
      assert.ok(network !== undefined)
      const charge = await chargeWith(gateway, cards.succeeding)
      const delayed = await network.delayed()
      assert.equal((await delayed.gateway.send(charge, AbortSignal.timeout(impatientMs))).kind, 'unknown')
      assert.equal(await gateway.fence(charge, inTime()), true)
      const before = await gateway.lookup(charge, inTime())
      assert.ok(isProofOfNothing(before), before.kind)
      await delayed.deliver()
      assert.deepEqual(await gateway.lookup(charge, inTime()), before)
      if (chargesOf) assert.equal(await chargesOf(charge.transactionId), 0)
    },
  )

  promised(
    'a fence and a charge at once: one of them wins, and lookup says which',
    ['fence', 'lookup'],
    async bench => {
      const { gateway, cards, chargesOf } = bench
      const charge = await chargeWith(gateway, cards.succeeding)
      const [sent] = await Promise.all([gateway.send(charge, inTime()), gateway.fence(charge, inTime())])
      const found = await gateway.lookup(charge, inTime())
      if (sent.kind === 'succeeded') assert.equal(found.kind, 'succeeded')
      else assert.ok(isProofOfNothing(found), `${sent.kind}, then ${found.kind}`)
      if (chargesOf) assert.equal(await chargesOf(charge.transactionId), sent.kind === 'succeeded' ? 1 : 0)
    },
  )
}

export function authenticates(promised: Promised): void {
  for (const capture of [true, false]) {
    promised(`3-D Secure passed: ${capture ? 'charged' : 'authorised'}`, ['3-D Secure'], async bench => {
      const { gateway, charge, challenge } = await waitingCharge(bench, capture)
      await challenge('pass')
      const done = await mustSucceed(gateway, charge)
      assert.deepEqual(await gateway.lookup(charge, inTime()), done)
      await mustSucceed(gateway, followUp(capture ? 'refund' : 'capture', charge, done, amountMinor))
    })
  }

  promised('3-D Secure failed: declined', ['3-D Secure'], async bench => {
    const { gateway, charge, challenge } = await waitingCharge(bench, true)
    await challenge('fail')
    const declined = { kind: 'declined', code: 'authentication_failed' }
    assert.deepEqual(await gateway.lookup(charge, inTime()), declined)
    assert.deepEqual(await gateway.send(charge, inTime()), declined)
  })

  promised(
    'a fence calls off 3-D Secure, and passing it later charges nothing',
    ['3-D Secure', 'fence'],
    async bench => {
      const { gateway, charge, challenge } = await waitingCharge(bench, true)
      assert.equal(await gateway.fence(charge, inTime()), true)
      const before = await gateway.lookup(charge, inTime())
      assert.ok(isProofOfNothing(before), before.kind)
      await challenge('pass')
      assert.deepEqual(await gateway.lookup(charge, inTime()), before)
      assert.notEqual((await gateway.send(charge, inTime())).kind, 'succeeded')
    },
  )
  callsOffWhatFailed(promised)
}

function callsOffWhatFailed(promised: Promised): void {
  promised(
    'a fence after 3-D Secure failed: passing it later charges nothing, and it stays declined',
    ['3-D Secure', 'fence'],
    async bench => {
      const { gateway, charge, challenge } = await waitingCharge(bench, true)
      await challenge('fail')
      assert.equal(await gateway.fence(charge, inTime()), true)
      await challenge('pass')
      const declined = { kind: 'declined', code: 'authentication_failed' }
      assert.deepEqual(await gateway.lookup(charge, inTime()), declined)
      assert.deepEqual(await gateway.send(charge, inTime()), declined)
      if (bench.chargesOf) assert.equal(await bench.chargesOf(charge.transactionId), 0)
    },
  )
}

async function waitingCharge({ gateway, cards, challenge }: ConformanceBench, capture: boolean) {
  assert.ok(cards.challenged !== null && challenge !== undefined)
  const charge = await chargeWith(gateway, cards.challenged, { capture })
  const waiting = await gateway.send(charge, inTime())
  assert.equal(waiting.kind, 'further_action')
  assert.deepEqual(await gateway.send(charge, inTime()), waiting)
  assert.deepEqual(await gateway.lookup(charge, inTime()), waiting)
  return { gateway, charge, challenge: (result: 'pass' | 'fail') => challenge(charge, result) }
}

export function tellsDoubtFromRefusal(promised: Promised): void {
  promised('what was asked and what came back is noted', ['network'], async ({ gateway, cards, notes }) => {
    const charge = await chargeWith(gateway, cards.succeeding)
    await mustSucceed(gateway, charge)
    assert.ok(notes.length > 0)
    const sent = notes.length
    await gateway.lookup(charge, inTime())
    assert.ok(notes.length > sent)
  })

  promised('a signal that is already aborted is unknown', [], async ({ gateway, cards }) => {
    const charge = await chargeWith(gateway, cards.succeeding)
    assert.equal((await gateway.send(charge, AbortSignal.abort())).kind, 'unknown')
    assert.equal((await gateway.lookup(charge, AbortSignal.abort())).kind, 'unknown')
    assert.equal(await gateway.fence(charge, AbortSignal.abort()), false)
  })

  promised('a signal that aborts on the way is never taken for not_sent or declined', [], async bench => {
    const { gateway, cards } = bench
    const charge = await chargeWith(gateway, cards.succeeding)
    const hurry = new AbortController()
    const sending = gateway.send(charge, hurry.signal)
    hurry.abort()
    const { kind } = await sending
    assert.ok(kind === 'unknown' || kind === 'succeeded', kind)
  })

  promised(
    'a refused connection is not_sent, to a lookup unknown, and no fence',
    ['network'],
    async ({ gateway, cards, network }) => {
      const charge = await chargeWith(gateway, cards.succeeding)
      assert.ok(network !== undefined)
      const nowhere = await network.refusing()
      assert.equal((await nowhere.send(charge, inTime())).kind, 'not_sent')
      assert.equal((await nowhere.lookup(charge, inTime())).kind, 'unknown')
      assert.equal(await nowhere.fence(charge, inTime()), false)
      assert.equal((await nowhere.removeCard(charge.cardRef, inTime())).kind, 'unknown')
      assert.equal((await nowhere.storeCard(cards.succeeding, inTime())).kind, 'not_sent')
      assert.equal((await nowhere.describeCard(charge.cardRef, inTime())).kind, 'unknown')
    },
  )

  for (const peer of ['silent', 'resetting'] as const) {
    promised(`a ${peer} peer is unknown, and no fence`, ['network'], async ({ gateway, cards, network }) => {
      const charge = await chargeWith(gateway, cards.succeeding)
      assert.ok(network !== undefined)
      const bad = await network[peer]()
      assert.equal((await bad.send(charge, AbortSignal.timeout(impatientMs))).kind, 'unknown')
      assert.equal((await bad.lookup(charge, AbortSignal.timeout(impatientMs))).kind, 'unknown')
      assert.equal(await bad.fence(charge, AbortSignal.timeout(impatientMs)), false)
      assert.equal((await bad.storeCard(cards.succeeding, AbortSignal.timeout(impatientMs))).kind, 'unknown')
      assert.equal((await bad.describeCard(charge.cardRef, AbortSignal.timeout(impatientMs))).kind, 'unknown')
    })
  }
}
