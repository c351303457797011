import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultsOfCheckout, faultsOfLentCard, type TriedCheckout } from './page.ts'

const tried = (...statuses: TriedCheckout['tries'][number]['status'][]): TriedCheckout => ({
  tries: statuses.map((status, index) => ({ transactionId: `t${index}`, status, wasAccepted: false })),
})

test('a checkout pays once, whatever became of the payment', () => {
  assert.deepEqual(faultsOfCheckout(tried('Failed', 'Failed', 'Successful')), [])
  for (const status of ['Processing', 'Further Action Required', 'Authorized', 'Voided', 'Refunded'] as const) {
    assert.deepEqual(faultsOfCheckout(tried(status, 'Failed', 'Successful')), [
      'has paid 2 times: transactions t0, t2.',
    ])
  }
})

test('a late success that a person accepted is no surprise', () => {
  const tries = tried('Successful', 'Successful').tries.map((each, index) => ({ ...each, wasAccepted: index === 0 }))
  assert.deepEqual(faultsOfCheckout({ tries }), [])
})

test('a card given for one payment has three days to go, and all that it is needed for', () => {
  const createdAt = new Date('2026-11-01T00:00:00Z')
  const judge = (at: string, isNeeded = false) => faultsOfLentCard({ createdAt, at: new Date(at), isNeeded })
  assert.deepEqual(judge('2026-11-04T00:00:00Z'), [])
  assert.equal(judge('2026-11-04T00:00:01Z').length, 1)
  assert.deepEqual(judge('2026-12-01T00:00:00Z', true), [])
})
