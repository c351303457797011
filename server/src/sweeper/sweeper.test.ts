import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Ports } from '../core/ports.ts'
import { createSweeper, type SweepStore } from './sweeper.ts'

/** A sweeper whose store has nothing to do but to forget, which ends when the test says so. */
function forgettingSweeper() {
  const forgets: { readonly now: Date; end(): void }[] = []
  const world = { forgets, nowMs: 0, looks: 0, broughtForwardAt: [] as number[] }
  const store = {
    bringForward: async (now: Date) => world.broughtForwardAt.push(now.getTime()),
    findMerchantsDue: async () => {
      world.looks += 1
      return { transactions: [], operations: [], cards: [], wanting: [] }
    },
    endSilentListeners: async () => 0,
    forgetWhatIsOver: async (now: Date) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      forgets.push({ now, end: resolve })
      await promise
      return 0
    },
  } as unknown as SweepStore
  const ports = { now: () => new Date(world.nowMs) } as unknown as Ports
  const sweeper = createSweeper(ports, store, {
    swept() {},
    cardNotRemoved() {},
    failed: error => assert.fail(String(error)),
  })
  return Object.assign(world, { sweeper })
}

const soon = () => new Promise(setImmediate)

test('what is over is forgotten by one sweep at a time, and the next waits for it', async t => {
  const world = forgettingSweeper()
  const { sweeper, forgets } = world
  const began = async (count: number) => {
    while (forgets.length < count) await soon()
  }
  const first = sweeper.sweepOnce()
  await began(1)
  world.nowMs = 120_000
  let isOver = false
  const second = sweeper.sweepOnce().then(() => {
    isOver = true
  })
  for (let turns = 0; turns < 20; turns++) await soon()
  assert.deepEqual([forgets.length, isOver], [1, false])
  forgets[0]?.end()
  await first
  await began(2)
  assert.deepEqual([forgets[1]?.now.getTime(), isOver], [120_000, false])
  forgets[1]?.end()
  await second
  t.after(() => sweeper.stop())
})

test('what a clock that was ahead has put off is looked for every ten seconds, and at once when it was set right', async t => {
  const world = forgettingSweeper()
  t.after(() => world.sweeper.stop())
  for (const nowMs of [50_000, 59_999, 60_000, 7_260_000, 7_265_000, 61_000]) {
    world.nowMs = nowMs
    const swept = world.sweeper.sweepOnce()
    while (world.looks === 0) await soon()
    for (let turns = 0; turns < 5; turns++) await soon()
    for (const { end } of world.forgets) end()
    await swept
    world.looks = 0
  }
  assert.deepEqual(world.broughtForwardAt, [50_000, 60_000, 7_260_000, 61_000])
})

test('what was left behind is looked for while much is forgotten, and a stop waits for that', async t => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const world = forgettingSweeper()
  world.sweeper.start()
  for (let second = 0; second < 5; second++) {
    for (let turns = 0; turns < 20; turns++) await soon()
    t.mock.timers.tick(1_000)
  }
  await soon()
  assert.deepEqual([world.looks, world.forgets.length], [6, 1])
  let isOver = false
  const stopped = world.sweeper.stop().then(() => {
    isOver = true
  })
  for (let turns = 0; turns < 20; turns++) await soon()
  assert.equal(isOver, false)
  world.forgets[0]?.end()
  await stopped
})
