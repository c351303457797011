import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keptAWhile } from './kept-a-while.ts'

function world() {
  let [ms, asked] = [0, 0]
  const kept = keptAWhile<number>(() => ms)
  return {
    pass: (byMs: number) => {
      ms += byMs
    },
    ask: (tookMs: number, name = 'one') =>
      kept(name, async () => {
        asked += 1
        const answer = asked
        await Promise.resolve()
        ms += tookMs
        return answer
      }),
  }
}

test('what is quick is worked out each time', async () => {
  const { ask } = world()
  assert.deepEqual([await ask(300), await ask(300)], [1, 2])
})

test('what is slow is kept, the longer the slower it was, and for each name by itself', async () => {
  const { ask, pass } = world()
  assert.equal(await ask(800), 1)
  pass(9_999)
  assert.deepEqual([await ask(800), await ask(0, 'another')], [1, 2])
  pass(1)
  assert.equal(await ask(100_000), 3)
  pass(59_999)
  assert.equal(await ask(0), 3)
  pass(1)
  assert.equal(await ask(0), 4, 'a minute at most')
})

test('asked for by many at once it is worked out once, and what failed is not kept', async () => {
  const { ask } = world()
  assert.deepEqual(await Promise.all([ask(0), ask(0), ask(0)]), [1, 1, 1])
  const kept = keptAWhile<number>()
  await assert.rejects(kept('one', async () => Promise.reject(new Error('no'))))
  assert.equal(await kept('one', async () => 7), 7)
})
