import assert from 'node:assert/strict'
import { test } from 'node:test'
import { labelEvery, ticksTo } from './chart-scale.ts'

test('the numbers of an axis are round, begin at nothing and reach beyond the largest', () => {
  assert.deepEqual(ticksTo(1_180), [0, 500, 1_000, 1_500])
  assert.deepEqual(ticksTo(4), [0, 1, 2, 3, 4])
  assert.deepEqual(ticksTo(0.3), [0, 0.1, 0.2, 0.3])
  assert.deepEqual(ticksTo(9), [0, 2.5, 5, 7.5, 10])
})

test('where there is nothing yet the axis is still one', () => {
  assert.deepEqual(ticksTo(0), [0, 1])
})

test('labels that would touch are left out', () => {
  assert.equal(labelEvery(30, 300, 60), 6)
  assert.equal(labelEvery(3, 300, 60), 1)
  assert.equal(labelEvery(30, 10, 60), 30)
})
