import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type DecidedOperation, faultsOfDecisions } from './decided.ts'

const made: DecidedOperation = {
  ...{ id: 'o', kind: 'charge', outcome: 'succeeded', isSettledBefore: true },
  verdicts: ['dismissed'],
}
const faults = (some: Partial<DecidedOperation>) =>
  faultsOfDecisions({ changes: [], operations: [{ ...made, ...some }] }).length

test('a success that stood before something about it was dismissed fits, whoever had settled it', () => {
  assert.equal(faults({}), 0)
  assert.equal(faults({ verdicts: ['succeeded', 'dismissed'] }), 0)
})

test('a success that came after it was dismissed, and that nobody accepted, does not fit', () => {
  assert.equal(faults({ isSettledBefore: false }), 1)
  assert.equal(faults({ isSettledBefore: false, verdicts: ['dismissed', 'succeeded'] }), 0)
})

test('what a person settled as not made, and stands as made, does not fit', () => {
  assert.equal(faults({ verdicts: ['not_made'] }), 1)
  assert.equal(faults({ verdicts: ['not_made'], isSettledBefore: false }), 1)
  assert.equal(faults({ verdicts: ['not_made'], kind: 'capture' }), 1)
})

test('a capture or void that the gateway reported after a person had said that it was not made, or dismissed it, fits', () => {
  for (const kind of ['capture', 'void'] as const) {
    assert.equal(faults({ verdicts: ['not_made'], isSettledBefore: false, kind }), 0)
    assert.equal(faults({ verdicts: ['not_made', 'dismissed'], isSettledBefore: false, kind }), 0)
  }
})
