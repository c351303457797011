import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fewAtOnce } from './few-at-once.ts'

test('so many run, so many wait, and the rest are told to come again', async () => {
  const few = fewAtOnce(2, 3)
  const begun: number[] = []
  const gates = Array.from({ length: 7 }, () => Promise.withResolvers<void>())
  const results = gates.map(({ promise }, index) =>
    few(async () => {
      begun.push(index)
      await promise
      return index
    }),
  )
  assert.deepEqual(await Promise.all(results.slice(5)), ['busy', 'busy'])
  assert.deepEqual(begun, [0, 1])
  gates[1]?.resolve()
  await results[1]
  assert.deepEqual(begun, [0, 1, 2], 'in the order in which they came')
  for (const gate of gates) gate.resolve()
  assert.deepEqual(await Promise.all(results.slice(0, 5)), [0, 1, 2, 3, 4])
})

test('work that fails gives its place back', async () => {
  const few = fewAtOnce(1, 0)
  await assert.rejects(
    few(async () => assert.fail('broken')),
    /broken/,
  )
  assert.equal(await few(async () => 'done'), 'done')
})
