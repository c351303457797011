import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { ChargeRequest, FollowUpRequest, OperationRequest } from '../../core/gateway.ts'
import type { OperationId, TransactionId } from '../../core/ids.ts'
import type { Currency } from '../../core/money.ts'
import type { Draft, Entry } from './books.ts'
import { challenge, feeMinorOf, fence, lookup, type Sent, send } from './engine.ts'
import type { BehaviourName } from './test-cards.ts'

const newId = (): OperationId => randomUUID() as OperationId

function charge(more: Partial<ChargeRequest> = {}): ChargeRequest {
  return {
    kind: 'charge',
    id: newId(),
    transactionId: randomUUID() as TransactionId,
    amountMinor: 1_000n,
    currency: 'USD' as Currency,
    cardRef: 'card_1',
    capture: true,
    ...more,
  }
}

function after(request: ChargeRequest, kind: FollowUpRequest['kind'], amountMinor: bigint): FollowUpRequest {
  const { id: chargeId, transactionId, currency } = request
  const chargeRef = `sandbox_charge_${chargeId}`
  return { kind, id: newId(), transactionId, amountMinor, currency, chargeId, chargeRef }
}

/** A book that remembers, so that a test reads as a story. */
function book(card: BehaviourName | null = 'success') {
  let entries: readonly Entry[] = []
  const write = <T>({ append, result }: Draft<T>): T => {
    entries = [...entries, ...append]
    return result
  }
  return {
    send: (request: OperationRequest): Sent => write(send(entries, request, card)),
    lookup: (request: OperationRequest) => lookup(entries, request.id),
    fence: (request: OperationRequest) => write(fence(entries, request)),
    challenge: (request: OperationRequest, result: 'pass' | 'fail') => write(challenge(entries, request.id, result)),
    entries: () => entries,
  }
}

test('the fee is 2.9 % rounded half up and 30, and never more than the amount', () => {
  const fees: [bigint, bigint][] = [
    [1n, 1n],
    [30n, 30n],
    [31n, 31n], // 0.899 -> 1, and 30
    [32n, 31n],
    [500n, 45n], // 14.5 -> 15
    [499n, 44n], // 14.471 -> 14
    [10_000n, 320n],
    [999_999_999_999n, 29_000_000_030n],
  ]
  for (const [amountMinor, feeMinor] of fees) assert.equal(feeMinorOf(amountMinor), feeMinor, String(amountMinor))
})

test('a fee is told for what takes money, and for nothing else', () => {
  const feeOf = ({ answer }: Sent): bigint | null => {
    assert.equal(answer?.kind, 'succeeded')
    return answer.feeMinor
  }
  const sale = charge()
  const sold = book()
  assert.equal(feeOf(sold.send(sale)), 59n)
  assert.equal(feeOf(sold.send(after(sale, 'refund', 10n))), null)
  const hold = charge({ capture: false })
  const held = book()
  assert.equal(feeOf(held.send(hold)), null)
  assert.equal(feeOf(held.send(after(hold, 'capture', 500n))), 45n)
  const other = charge({ capture: false })
  const voided = book()
  voided.send(other)
  assert.equal(feeOf(voided.send(after(other, 'void', 1_000n))), null)
})

test('the same id with any other argument is a conflict and writes nothing', () => {
  const request = charge()
  const others: Partial<ChargeRequest>[] = [
    { amountMinor: 999n },
    { currency: 'EUR' as Currency },
    { capture: false },
    { cardRef: 'card_2' },
    { transactionId: randomUUID() as TransactionId },
  ]
  for (const other of others) {
    const { send, entries } = book()
    send(request)
    assert.equal(send({ ...request, ...other }).answer?.kind, 'conflict', Object.keys(other).join())
    assert.equal(entries().length, 1)
  }
  const { send } = book()
  send(request)
  const refund = after(request, 'refund', 1_000n)
  assert.equal(send({ ...refund, id: request.id }).answer?.kind, 'conflict')
  send(refund)
  assert.equal(send({ ...refund, kind: 'capture' }).answer?.kind, 'conflict')
})

test('nonsense is refused, and leaves its id free', () => {
  const request = charge()
  const { send, entries } = book()
  assert.equal(send({ ...request, amountMinor: 0n }).answer?.kind, 'refused')
  assert.equal(send({ ...request, amountMinor: -1n }).answer?.kind, 'refused')
  assert.equal(send(request).answer?.kind, 'succeeded')
  const refund = after(request, 'refund', 10n)
  assert.equal(send({ ...refund, currency: 'EUR' as Currency }).answer?.kind, 'refused')
  assert.equal(send({ ...refund, chargeRef: 'sandbox_charge_other' }).answer?.kind, 'refused')
  assert.equal(send(refund).answer?.kind, 'succeeded')
  assert.equal(entries().length, 2)
})

test('nothing follows a charge that is not there, was declined, fenced or waits', () => {
  const wrongState = { kind: 'declined', code: 'wrong_state' }
  const request = charge()
  const refund = (): FollowUpRequest => after(request, 'refund', 10n)
  assert.deepEqual(book().send(refund()).answer, wrongState)
  for (const card of ['card_declined', 'three_d_secure', null] as const) {
    const { send } = book(card)
    send(request)
    assert.deepEqual(send(refund()).answer, wrongState, String(card))
    assert.deepEqual(send(after(request, 'void', 1_000n)).answer, wrongState, String(card))
  }
  const fenced = book()
  fenced.fence(request)
  assert.deepEqual(fenced.send(refund()).answer, wrongState)
})

test('a tombstone is looked up as absent and declines its id for ever', () => {
  const request = charge()
  const { send, lookup, fence, entries } = book()
  fence(request)
  fence(request)
  assert.deepEqual(lookup(request), { kind: 'absent' })
  for (const late of [request, { ...request, amountMinor: 7n }]) {
    assert.deepEqual(send(late).answer, { kind: 'declined', code: 'wrong_state' })
  }
  assert.deepEqual(lookup(request), { kind: 'absent' })
  assert.equal(entries().length, 1)
})

test('a charge that never arrives can be fenced, and is then answered', () => {
  const request = charge()
  const { send, fence, entries } = book('time_out_before')
  assert.deepEqual(send(request), { answer: null, travel: { kind: 'lost' } })
  assert.deepEqual(send(request), { answer: null, travel: { kind: 'lost' } })
  assert.equal(entries().length, 0)
  fence(request)
  assert.deepEqual(send(request), { answer: { kind: 'declined', code: 'wrong_state' }, travel: { kind: 'prompt' } })
})

test('a challenge is settled once', () => {
  const request = charge()
  const { send, challenge, fence, lookup } = book('three_d_secure')
  assert.equal(challenge(request, 'pass'), false)
  assert.equal(send(request).answer?.kind, 'further_action')
  assert.equal(challenge(request, 'fail'), true)
  assert.equal(challenge(request, 'fail'), true)
  assert.equal(challenge(request, 'pass'), false)
  fence(request)
  assert.deepEqual(lookup(request), { kind: 'declined', code: 'authentication_failed' })
})

test('after a fence a challenge cannot be passed', () => {
  const request = charge()
  const { send, challenge, fence, lookup } = book('three_d_secure')
  send(request)
  fence(request)
  assert.equal(challenge(request, 'pass'), false)
  assert.deepEqual(lookup(request), { kind: 'declined', code: 'authentication_failed' })
  assert.deepEqual(send(request).answer, { kind: 'declined', code: 'authentication_failed' })
})

test('each switch by amount works for each kind of operation', () => {
  const travels = [
    [410_002n, { kind: 'slow', afterMs: 200 }],
    [420_002n, { kind: 'lost' }],
    [420_003n, { kind: 'reset' }],
    [420_004n, { kind: 'twice' }],
  ] as const
  for (const [amountMinor, travel] of travels) {
    const sale = charge({ amountMinor: 900_000n })
    const hold = charge({ amountMinor: 900_000n, capture: false })
    const exact = charge({ amountMinor, capture: false })
    const cases: [string, OperationRequest[]][] = [
      ['charge', [exact]],
      ['refund', [sale, after(sale, 'refund', amountMinor)]],
      ['capture', [hold, after(hold, 'capture', amountMinor)]],
      // The void's own amount is beside the point.
      ['void', [exact, after(exact, 'void', 1n)]],
    ]
    for (const [kind, requests] of cases) {
      const { send } = book()
      const [last] = requests.map(send).reverse()
      assert.equal(last?.answer?.kind, 'succeeded', kind)
      assert.deepEqual(last.travel, travel, kind)
      const [again] = requests.map(send).reverse()
      assert.deepEqual(again, { answer: last.answer, travel: { kind: 'prompt' } }, kind)
    }
  }
})

test('a capture, refund or void that never arrives changes nothing', () => {
  const lost = { answer: null, travel: { kind: 'lost' } }
  const sale = charge({ amountMinor: 900_000n })
  const sold = book()
  sold.send(sale)
  assert.deepEqual(sold.send(after(sale, 'refund', 420_001n)), lost)
  assert.equal(sold.send(after(sale, 'refund', 900_000n)).answer?.kind, 'succeeded')
  const hold = charge({ amountMinor: 900_000n, capture: false })
  const held = book()
  held.send(hold)
  assert.deepEqual(held.send(after(hold, 'capture', 420_001n)), lost)
  assert.equal(held.send(after(hold, 'void', 900_000n)).answer?.kind, 'succeeded')
})

test('a card’s own behaviour comes before the amount’s', () => {
  const { send } = book('lost_card')
  assert.deepEqual(send(charge({ amountMinor: 420_001n })).answer, { kind: 'declined', code: 'lost_card' })
})

test('a wrong amount is booked as it is told, and what follows keeps to it', () => {
  const request = charge({ amountMinor: 420_005n })
  const { send, lookup } = book()
  const { answer } = send(request)
  assert.equal(answer?.kind, 'succeeded')
  assert.equal(answer.amountMinor, 420_004n)
  assert.deepEqual(lookup(request), answer)
  assert.deepEqual(send(after(request, 'refund', 420_005n)).answer, { kind: 'declined', code: 'amount_too_large' })
  const least = book('wrong_amount').send(charge({ amountMinor: 1n })).answer
  assert.equal(least?.kind === 'succeeded' && least.amountMinor, 2n)
})

test('a refund can be declined by its amount, and the money stays refundable', () => {
  const request = charge({ amountMinor: 500_000n })
  const { send } = book()
  send(request)
  assert.deepEqual(send(after(request, 'refund', 400_010n)).answer, { kind: 'declined', code: 'processing_error' })
  assert.equal(send(after(request, 'refund', 500_000n)).answer?.kind, 'succeeded')
})

test('a void answers what it released, whatever it was asked', () => {
  const request = charge({ capture: false })
  const { send } = book()
  send(request)
  const { answer } = send(after(request, 'void', 1n))
  assert.equal(answer?.kind === 'succeeded' && answer.amountMinor, 1_000n)
})

test('only a charge waits for 3-D Secure', () => {
  const request = charge({ amountMinor: 900_000n })
  const { send } = book()
  send(request)
  assert.equal(send(after(request, 'refund', 430_001n)).answer?.kind, 'succeeded')
})
