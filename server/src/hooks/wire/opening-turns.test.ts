// Merchants take turns at opening connections where a thread has more to do than it can.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { limitOf } from './limit.ts'
import { OpeningTurns } from './opening-turns.ts'

const within = (ms: number) => limitOf(performance.now(), ms)

function mockTimers(t: TestContext): (ms: number) => Promise<void> {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  return async ms => {
    t.mock.timers.tick(ms)
    await turn()
  }
}

/** Turns of a thread that is as busy as is said, and who has begun, in order. */
function turnsOf(busy: { share: number }) {
  const turns = new OpeningTurns(() => busy.share)
  const begun: string[] = []
  const ends: (() => void)[] = []
  const begin = (merchant: string, limit = within(60_000)) =>
    void turns.take(merchant, limit).then(end => {
      begun.push(end === null ? `${merchant} too late` : merchant)
      if (end !== null) ends.push(end)
    })
  return { begun, ends, begin }
}

/** Nothing but the least is left to be opened at once. */
async function saturated(t: TestContext) {
  const pass = mockTimers(t)
  const busy = { share: 1 }
  const world = turnsOf(busy)
  world.begin('first')
  await pass(50)
  await pass(50)
  await turn()
  world.begun.splice(0)
  for (const end of world.ends.splice(0)) end()
  return { ...world, pass, busy }
}

test('where there is time, twice as many begin each time', async t => {
  const pass = mockTimers(t)
  const { begin, begun } = turnsOf({ share: 0.1 })
  for (let number = 0; number < 1_000; number += 1) begin('a')
  await turn()
  assert.equal(begun.length, 32)
  await pass(50)
  assert.equal(begun.length, 64)
  await pass(50)
  assert.equal(begun.length, 128)
})

test('where there is none, eight begin, and the next in turns by merchant', async t => {
  const { begin, begun, ends } = await saturated(t)
  for (let number = 0; number < 20; number += 1) begin('busy')
  for (const other of ['a', 'b']) begin(other)
  await turn()
  assert.deepEqual(begun, Array(8).fill('busy'))
  for (let number = 0; number < 4; number += 1) ends.shift()?.()
  await turn()
  assert.deepEqual(begun.slice(8), ['busy', 'a', 'b', 'busy'])
})

test('an opening that waits for the other side stands in nobody’s way', async t => {
  const { begin, begun, pass } = await saturated(t)
  for (let number = 0; number < 8; number += 1) begin('silent')
  begin('a')
  await turn()
  assert.equal(begun.includes('a'), false)
  await pass(250)
  assert.equal(begun.includes('a'), true)
})

test('where there is time again, more begin', async t => {
  const { begin, begun, pass, busy } = await saturated(t)
  for (let number = 0; number < 20; number += 1) begin('busy')
  await turn()
  assert.equal(begun.length, 8)
  busy.share = 0.1
  await pass(50)
  assert.equal(begun.length, 16)
})

test('whose turn does not come in time is told so', async t => {
  const { begin, begun, pass } = await saturated(t)
  for (let number = 0; number < 8; number += 1) begin('busy')
  begin('late', within(100))
  await pass(120)
  assert.deepEqual(begun.slice(8), ['late too late'])
})
