import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLargeBodies } from './large-bodies.ts'

test('bodies of one name are read one after the other, with a rest twice as long between; those of others meanwhile', () => {
  let nowMs = 0
  const turns: (() => void)[] = []
  const rests: { readonly ms: number; readonly then: () => void }[] = []
  const bodies = createLargeBodies(2, {
    nowMs: () => nowMs,
    afterTurn: (sinceMs, then) => turns.push(() => then(nowMs - sinceMs)),
    after: (ms, then) => rests.push({ ms, then }),
  })
  const read: string[] = []
  const reads = (name: string, body: string) =>
    bodies.read(name, () => {
      read.push(body)
      nowMs += 10
    })
  const endTurn = () => {
    for (const end of turns.splice(0)) end()
    return rests.map(({ ms }) => ms)
  }
  assert.deepEqual(
    ['1', '2', '3', '4'].map(body => reads('a', body)),
    [true, true, true, false],
  )
  assert.equal(reads('b', 'other'), true)
  assert.deepEqual(read.splice(0), ['1', 'other'])
  // What was done for the other in the same turn counts for both.
  assert.deepEqual(endTurn(), [40, 20])
  const [restOfA, restOfB] = rests.splice(0)
  restOfB?.then()
  assert.deepEqual(read, [], 'the other has no more')
  for (const [body, rest] of [
    ['2', restOfA],
    ['3', null],
  ] as const) {
    const ended = rest ?? rests.shift()
    ended?.then()
    assert.deepEqual(read.splice(0), [body])
    assert.deepEqual(endTurn(), [20])
  }
  rests.shift()?.then()
  assert.equal(reads('a', '5'), true)
  assert.deepEqual(read, ['5'], 'who has rested is read at once')
})
