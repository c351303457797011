import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Ports } from '../core/ports.ts'
import { createSweeper, type SweepStore } from './sweeper.ts'

test('what is over is forgotten by one sweep at a time, and the next waits for it', async t => {
  const forgets: { readonly now: Date; end(): void }[] = []
  const store = {
    findMerchantsDue: async () => ({ transactions: [], operations: [], cards: [], wanting: [] }),
    endSilentListeners: async () => 0,
    forgetWhatIsOver: async (now: Date) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      forgets.push({ now, end: resolve })
      await promise
      return 0
    },
  } as unknown as SweepStore
  let nowMs = 0
  const ports = { now: () => new Date(nowMs) } as unknown as Ports
  const sweeper = createSweeper(ports, store, {
    swept() {},
    cardNotRemoved() {},
    failed: error => assert.fail(String(error)),
  })
  const began = async (count: number) => {
    while (forgets.length < count) await new Promise(setImmediate)
  }
  const first = sweeper.sweepOnce()
  await began(1)
  nowMs = 120_000
  let isOver = false
  const second = sweeper.sweepOnce().then(() => {
    isOver = true
  })
  for (let turns = 0; turns < 20; turns++) await new Promise(setImmediate)
  assert.deepEqual([forgets.length, isOver], [1, false])
  forgets[0]?.end()
  await first
  await began(2)
  assert.deepEqual([forgets[1]?.now.getTime(), isOver], [120_000, false])
  forgets[1]?.end()
  await second
  t.after(() => sweeper.stop())
})
