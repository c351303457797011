import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { after, charge, noon, usd } from '../../test/support/sale-samples.ts'
import { declineCodes, type GatewayOutcome, type LookupOutcome, type Succeeded } from './gateway.ts'
import type { Currency } from './money.ts'
import { isOpen, type Operation, operationOutcomes, provenAbsent, provenBy } from './operation.ts'

const later = after(noon, 1_000)
const success: Succeeded = {
  kind: 'succeeded',
  gatewayRef: 'gateway_1',
  amountMinor: 10_000n,
  currency: usd,
  feeMinor: null,
}
const kinds = ['charge', 'capture', 'void', 'refund'] as const

describe('proof', () => {
  test('a success of just what was asked settles, however often it was sent', () => {
    for (const kind of kinds) {
      for (const sendings of [1, 2, 7]) {
        const proven = provenBy({ ...charge, kind, sendings }, success, later)
        assert.equal(proven.outcome, 'succeeded')
        assert.equal(proven.gatewayRef, 'gateway_1')
        assert.deepEqual([proven.settledAt, proven.nextAskAt, proven.forPerson], [later, null, null])
      }
    }
  })

  test('a decline settles with its stable code, also after an earlier sending: the gateway keeps it under this id', () => {
    for (const code of Object.keys(declineCodes) as (keyof typeof declineCodes)[]) {
      const proven = provenBy({ ...charge, sendings: 3 }, { kind: 'declined', code }, later)
      assert.deepEqual([proven.outcome, proven.declineCode, proven.settledAt], ['declined', code, later])
    }
  })

  test('word that nothing was sent settles only the one and only sending', () => {
    const notSent = { kind: 'not_sent', code: 'gateway_not_reached', cause: 'refused' } as const
    const first = provenBy({ ...charge, sendings: 1 }, notSent, later)
    assert.deepEqual([first.outcome, first.settledAt, first.cause], ['not_sent', later, 'refused'])
    const second = provenBy({ ...charge, sendings: 2 }, notSent, later)
    assert.deepEqual([second.outcome, second.settledAt, second.cause], ['unknown', null, 'refused'])
  })

  test('absence is no proof: the request may still be on its way', () => {
    const proven = provenBy(charge, { kind: 'absent' }, later)
    assert.deepEqual([proven.outcome, proven.settledAt, proven.forPerson], ['unknown', null, null])
  })

  test('absence behind a fence is proof that it did not happen and cannot', () => {
    const proven = provenAbsent({ ...charge, sendings: 4, outcome: 'unknown' }, later)
    assert.deepEqual([proven.outcome, proven.settledAt, proven.nextAskAt], ['not_sent', later, null])
  })

  test('a time-out is no proof', () => {
    const proven = provenBy(charge, { kind: 'unknown', cause: 'no answer in 30 s' }, later)
    assert.deepEqual([proven.outcome, proven.settledAt, proven.cause], ['unknown', null, 'no answer in 30 s'])
  })

  test('a customer who has to act leaves it pending, with the gateway’s name for it', () => {
    const answer = { kind: 'further_action', gatewayRef: 'gateway_1', action: 'three_d_secure' } as const
    const proven = provenBy({ ...charge, outcome: 'unknown' }, answer, later)
    assert.deepEqual([proven.outcome, proven.settledAt, proven.gatewayRef], ['pending', null, 'gateway_1'])
  })
})

test('a customer who has to act on anything but a charge is for a person', () => {
  const answer = { kind: 'further_action', gatewayRef: 'gateway_1', action: 'three_d_secure' } as const
  for (const kind of ['capture', 'void', 'refund'] as const) {
    const proven = provenBy({ ...charge, kind }, answer, later)
    const sentence = `The gateway asks the customer to act on a ${kind}.`
    assert.deepEqual([proven.outcome, proven.settledAt, proven.forPerson], ['unknown', null, sentence])
    assert.equal(proven.nextAskAt, null)
  }
})

describe('a success of something else than was asked', () => {
  const wrong: readonly [Partial<Succeeded>, string][] = [
    [{ amountMinor: 9_999n }, 'The gateway reports $99.99 where $100.00 was asked.'],
    [{ amountMinor: 10_001n }, 'The gateway reports $100.01 where $100.00 was asked.'],
    [{ amountMinor: 0n }, 'The gateway reports $0.00 where $100.00 was asked.'],
    [{ currency: 'EUR' as Currency }, 'The gateway reports 100.00 EUR where $100.00 was asked.'],
    [{ currency: 'JPY' as Currency }, 'The gateway reports 10000 JPY where $100.00 was asked.'],
  ]
  for (const [difference, sentence] of wrong) {
    test(`goes to a person: ${sentence}`, () => {
      for (const kind of kinds) {
        const proven = provenBy({ ...charge, kind }, { ...success, ...difference }, later)
        assert.deepEqual([proven.outcome, proven.settledAt, proven.forPerson], ['unknown', null, sentence])
        assert.equal(proven.gatewayRef, 'gateway_1', 'the person has to find it there')
      }
    })
  }
})

const answer: fc.Arbitrary<GatewayOutcome | LookupOutcome> = fc.oneof(
  fc.record({
    kind: fc.constant('succeeded' as const),
    gatewayRef: fc.string({ minLength: 1 }),
    amountMinor: fc.constantFrom(10_000n, 9_999n),
    currency: fc.constantFrom(usd, 'EUR' as Currency),
    feeMinor: fc.constant(null),
  }),
  fc.constantFrom(
    { kind: 'declined', code: 'card_declined' } as const,
    { kind: 'not_sent', code: 'gateway_not_reached', cause: 'refused' } as const,
    { kind: 'unknown', cause: 'silence' } as const,
    { kind: 'absent' } as const,
    { kind: 'further_action', gatewayRef: 'gateway_1', action: 'three_d_secure' } as const,
  ),
)
const open: fc.Arbitrary<Operation> = fc
  .record({
    kind: fc.constantFrom(...kinds),
    outcome: fc.constantFrom('pending' as const, 'unknown' as const),
    sendings: fc.integer({ min: 1, max: 5 }),
  })
  .map(some => ({ ...charge, ...some }))

test('whatever is heard, the row fits what the database demands, and what was asked stays as it was', () => {
  fc.assert(
    fc.property(open, answer, (operation, heard) => {
      const proven = provenBy(operation, heard, later)
      assert.equal(proven.settledAt === null, isOpen(proven))
      assert.equal(proven.outcome === 'declined', proven.declineCode !== null)
      if (proven.outcome === 'succeeded') assert.notEqual(proven.gatewayRef, null)
      if (proven.forPerson !== null) assert.ok(isOpen(proven), 'only doubt is left to a person')
      const { id, kind, amountMinor, currency, sendings, asks } = proven
      const asked = { id, kind, amountMinor, currency, sendings, asks }
      assert.deepEqual({ ...operation, ...asked }, operation)
    }),
  )
})

test('open means pending or unknown', () => {
  const isOpenBy = operationOutcomes.map(outcome => [outcome, isOpen({ ...charge, outcome })])
  const expected = { pending: true, succeeded: false, declined: false, not_sent: false, unknown: true }
  assert.deepEqual(Object.fromEntries(isOpenBy), expected)
})
