import assert from 'node:assert/strict'
import { afterEach, beforeEach, mock, test } from 'node:test'
import { createSharedTurns } from './shared-turns.ts'

beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }))
afterEach(() => mock.timers.reset())

test('a name has as many turns as are free, and names take turns for the rest', async () => {
  const turns = createSharedTurns<string>(4)
  const order: string[] = []
  const enter = (name: string, who: string) => turns.enter(name)?.then(() => void order.push(who)) ?? null
  assert.deepEqual([enter('a', 'a1'), enter('a', 'a2')], [null, null])
  const waiting = [enter('a', 'a3'), enter('a', 'a4')]
  assert.equal(enter('b', 'b1'), null, 'others have a turn at once')
  waiting.push(enter('b', 'b2'))
  for (const name of ['a', 'a', 'b', 'a']) turns.leave(name)
  await Promise.all(waiting)
  assert.deepEqual(order, ['a3', 'b2', 'a4'])
})

test('who waits too long is told so, and keeps nobody behind it waiting', async () => {
  const turns = createSharedTurns<string>(1)
  assert.equal(turns.enter('a'), null)
  const first = assert.rejects(turns.enter('a', 1_000) ?? Promise.resolve(), /no turn came free within 1000 ms/)
  const second = turns.enter('a', 3_000)
  mock.timers.tick(1_000)
  await first
  turns.leave('a')
  await second
  mock.timers.tick(10_000)
  turns.leave('a')
  assert.ok(turns.isFreeFor('a'))
})

test('a name of which all gave up waits for nothing when it comes again', async () => {
  const turns = createSharedTurns<string>(1)
  turns.enter('a')
  const gaveUp = assert.rejects(turns.enter('b', 1_000) ?? Promise.resolve())
  mock.timers.tick(1_000)
  await gaveUp
  turns.leave('a')
  assert.equal(turns.enter('b'), null)
})
