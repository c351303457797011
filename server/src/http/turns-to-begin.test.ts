import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MerchantId } from '../core/ids.ts'
import { aloneAfterMs, createTurnsToBegin, inTurnMax } from './turns-to-begin.ts'

const [one, other] = ['one', 'other'] as MerchantId[] as [MerchantId, MerchantId]

/** Time goes by only as told, and so do turns of the event loop. */
function world() {
  let nowMs = 1_000_000
  let ends: (() => void)[] = []
  const begun: MerchantId[] = []
  const turns = createTurnsToBegin({ nowMs: () => nowMs, afterTurn: then => void ends.push(then) })
  return {
    begun,
    pass(ms: number) {
      nowMs += ms
    },
    ask(merchantId: MerchantId, count = 1) {
      for (let i = 0; i < count; i++) {
        const turn = turns.take(merchantId)
        if (turn === null) begun.push(merchantId)
        else void turn.then(() => begun.push(merchantId))
      }
    },
    /** How many began in it. */
    async turn(tookMs: number): Promise<number> {
      nowMs += tookMs
      const before = begun.length
      const now = ends
      ends = []
      for (const end of now) end()
      await new Promise(resolve => setImmediate(resolve))
      return begun.length - before
    },
  }
}

test('a merchant that is the only one begins all at once', () => {
  const { ask, begun } = world()
  ask(one, 500)
  assert.equal(begun.length, 500)
})

test('where another asked, only so many begin in a turn, and the rest in the next ones', async () => {
  const { ask, begun, turn } = world()
  ask(one)
  ask(other)
  ask(one, 100)
  assert.equal(begun.length, inTurnMax + 1)
  assert.equal(await turn(1), inTurnMax)
  assert.equal(await turn(1), inTurnMax)
  assert.equal(await turn(1), 102 - (3 * inTurnMax + 1))
})

test('who comes after a hundred of another begins in the next turn', async () => {
  const { ask, begun, turn } = world()
  ask(one)
  ask(other)
  ask(one, 100)
  ask(other, 2)
  await turn(1)
  assert.equal(begun.filter(merchantId => merchantId === other).length, 3)
})

test('after long turns fewer begin, but always one, and after short ones more again', async () => {
  const { ask, turn } = world()
  ask(one)
  ask(other)
  ask(one, 1_000)
  const counts = []
  for (const tookMs of [20, 20, 20, 20, 20, 20, 7, 1, 1]) counts.push(await turn(tookMs))
  assert.deepEqual(counts, [16, 8, 4, 2, 1, 1, 1, 2, 3])
})

test('a merchant that has been alone for a while waits for nobody, once those that wait have begun', async () => {
  const { ask, begun, turn, pass } = world()
  ask(one)
  ask(other)
  ask(one, 40)
  pass(aloneAfterMs)
  ask(one, 100)
  assert.equal(begun.length, inTurnMax + 1, 'nobody passes those who wait')
  for (let i = 0; i < 10; i++) await turn(1)
  const before = begun.length
  pass(1)
  ask(one, 100)
  assert.equal(begun.length, before + 100)
})
