import assert from 'node:assert/strict'
import { test } from 'node:test'
import { charge, madeCharge, sale } from '../../test/support/sale-samples.ts'
import type { OperationId } from './ids.ts'
import { answerText } from './json.ts'
import { isoTime, withOperation } from './sale.ts'

test('time has milliseconds and a numeric offset, not Z', () => {
  assert.equal(isoTime(new Date('2026-11-15T10:00:00.123Z')), '2026-11-15T10:00:00.123+00:00')
  assert.equal(isoTime(new Date('2026-11-15T10:00:00+02:00')), '2026-11-15T08:00:00.000+00:00')
})

test('an operation is written over its earlier state, or added, oldest first', () => {
  const later = { ...charge, id: `${charge.id.slice(0, -1)}9` as OperationId }
  const both = withOperation(withOperation(sale, later), charge)
  assert.deepEqual(both.operations, [charge, later])
  assert.deepEqual(withOperation(both, madeCharge).operations, [madeCharge, later])
  assert.deepEqual(sale.operations, [], 'the sale itself is not touched')
})

test('an answer is indented for people and ends with a line feed', () => {
  assert.equal(
    answerText({ transaction: null, errors: { a: 'b' } }),
    '{\n  "transaction": null,\n  "errors": {\n    "a": "b"\n  }\n}\n',
  )
})
