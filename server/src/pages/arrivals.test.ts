import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createArrivals, type Waiter } from './arrivals.ts'

const longMs = 3_600_000

/** Whether it is over by now. */
async function isOver({ over }: Waiter): Promise<boolean> {
  const notYet = new Promise<false>(resolve => setImmediate(() => resolve(false)))
  return Promise.race([over.then(() => true), notYet])
}

test('an arrival ends the wait of everybody who is there, and of nobody who comes later', async () => {
  const arrivals = createArrivals()
  const [one, two] = [arrivals.enter(longMs), arrivals.enter(longMs)]
  assert.deepEqual([await isOver(one), await isOver(two)], [false, false])
  arrivals.arrived()
  assert.deepEqual([await isOver(one), await isOver(two)], [true, true])
  const late = arrivals.enter(longMs)
  assert.equal(await isOver(late), false)
  late.leave()
})

test('who leaves waits no longer', async () => {
  const arrivals = createArrivals()
  const waiter = arrivals.enter(longMs)
  waiter.leave()
  assert.equal(await isOver(waiter), true)
})

test('nobody waits longer than they may', async t => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const waiter = createArrivals().enter(20_000)
  t.mock.timers.tick(19_999)
  assert.equal(await isOver(waiter), false)
  t.mock.timers.tick(1)
  assert.equal(await isOver(waiter), true)
})

test('when it closes, nobody waits any more, and nobody begins to', async () => {
  const arrivals = createArrivals()
  const before = arrivals.enter(longMs)
  arrivals.close()
  assert.equal(await isOver(before), true)
  await arrivals.enter(longMs).over
})
