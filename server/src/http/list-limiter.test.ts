// So many lists of one name at once, so many wait in the order in which they came, and no name waits for another.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createListLimiter, type ListTurn, listsAtOnce, listsWaitingMax } from './list-limiter.ts'

test('a few have their turn at once, as many as fit wait, and the rest are refused; others are not concerned', async () => {
  const limiter = createListLimiter()
  const enter = (name: string) => limiter.enter(name)
  const running = Array.from({ length: listsAtOnce }, () => enter('one') as ListTurn)
  assert.ok(running.every(turn => 'end' in turn))
  const order: number[] = []
  const waiting = Array.from({ length: listsWaitingMax }, (_, index) => {
    const entered = enter('one')
    assert.ok(entered instanceof Promise)
    return entered.then(turn => {
      order.push(index)
      return turn
    })
  })
  assert.equal(enter('one'), null)
  assert.ok(!(enter('other') instanceof Promise))
  running[0]?.end()
  running[0]?.end() // gives one turn, not two
  const first = await waiting[0]
  assert.deepEqual(order, [0])
  assert.ok(enter('one') instanceof Promise, 'there is room for one more to wait')
  assert.equal(enter('one'), null)
  first?.end()
  for (const turn of running) turn.end()
  for (const each of waiting) (await each).end()
  assert.deepEqual(
    order,
    [...order].sort((a, b) => a - b),
  )
})
