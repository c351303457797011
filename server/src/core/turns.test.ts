// So many of one name at once, so many wait in the order in which they came, and no name waits for another.

import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { createTurns, endAfterRest, inTurn, inTurnWithin, type Turn } from './turns.ts'

const [atOnceMax, waitingMax] = [2, 32]

test('a few have their turn at once, as many as fit wait, and the rest are refused; others are not concerned', async () => {
  const turns = createTurns(atOnceMax, waitingMax)
  const enter = (name: string) => turns.enter(name)
  const running = Array.from({ length: atOnceMax }, () => enter('one') as Turn)
  assert.ok(running.every(turn => 'end' in turn))
  const order: number[] = []
  const waiting = Array.from({ length: waitingMax }, (_, index) => {
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

test('a work that fails gives its turn back, and the next one has it', async () => {
  const turns = createTurns(1)
  const held = Promise.withResolvers<void>()
  const [first, second] = [inTurn(turns, 'one', () => held.promise), inTurn(turns, 'one', async () => 'second')]
  held.reject(new Error('down'))
  await assert.rejects(first, /down/)
  assert.equal(await second, 'second')
  assert.equal(await inTurn(turns, 'one', async () => 'third'), 'third')
})

test('a work whose turn does not come in time, or that finds too many waiting, is not done and blocks nobody', async () => {
  const turns = createTurns(1, 1)
  const first = Promise.withResolvers<string>()
  const done = inTurnWithin(turns, 'one', 1, () => first.promise)
  const late = inTurnWithin(turns, 'one', 1, async () => assert.fail('it was late'))
  assert.equal(await inTurnWithin(turns, 'one', 1, async () => assert.fail('too many wait')), null)
  assert.equal(await late, null)
  first.resolve('first')
  assert.equal(await done, 'first')
  assert.equal(await inTurnWithin(turns, 'one', 60_000, async () => 'next'), 'next')
})

test('a turn in which much was read ends later, and any other at once', t => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.after(() => mock.timers.reset())
  let ended = 0
  const turn = {
    end() {
      ended += 1
    },
  }
  endAfterRest(turn, 0)
  endAfterRest(turn, 5_000)
  assert.equal(ended, 2)
  endAfterRest(turn, 1_000_000)
  mock.timers.tick(599)
  assert.equal(ended, 2)
  mock.timers.tick(1)
  assert.equal(ended, 3)
})
