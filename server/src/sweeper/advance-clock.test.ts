// The sandbox clock's steps, in a world where looking at the others takes ten seconds each time.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { advanceClock, type ClockWorld } from './advance-clock.ts'

const lookTakesMs = 10_000

/** `busyLooks`: how often others are seen to be busy at each of the moments (in minutes) at which something falls due. */
function worldOf(t: TestContext, busyLooks: { readonly [minute: number]: number }) {
  let elapsedMs = 0
  const pass = (ms: number) => {
    elapsedMs += ms
  }
  t.mock.method(performance, 'now', () => elapsedMs)
  const told: string[] = []
  const seen = new Map<number, number>()
  let minute = 0
  const world: ClockWorld = {
    now: () => new Date(minute * 60_000),
    async nextDueAt(from, to) {
      const minutes = Object.keys(busyLooks).map(each => Number(each) * 60_000)
      const next = minutes.find(each => each > from.getTime() && each <= to.getTime())
      return next === undefined ? null : new Date(next)
    },
    async moveTo(time) {
      minute = time.getTime() / 60_000
      told.push(`it is ${minute}`)
    },
    doWhatIsDue: async () => 0,
    async othersAreBusy() {
      pass(lookTakesMs)
      const times = (seen.get(minute) ?? 0) + 1
      seen.set(minute, times)
      const isBusy = times <= (busyLooks[minute] ?? 0)
      told.push(isBusy ? 'busy' : 'idle')
      return isBusy
    },
  }
  return { world, told, pass }
}

test('the clock stops at each moment at which something falls due, and at its end', async t => {
  const { world, told } = worldOf(t, { 5: 0, 15: 0, 30: 0 })
  assert.deepEqual(await advanceClock(20 * 60_000, world), new Date(20 * 60_000))
  assert.deepEqual(told, ['idle', 'it is 5', 'idle', 'it is 15', 'idle', 'it is 20', 'idle'])
})

test('others are waited for at each moment anew, however long they took at those before', async t => {
  const { world, told } = worldOf(t, { 5: 3, 15: 3, 30: 3 })
  await advanceClock(30 * 60_000, world)
  const moment = (minute: number) => [`it is ${minute}`, 'busy', 'busy', 'busy', 'idle']
  assert.deepEqual(told, ['idle', ...moment(5), ...moment(15), ...moment(30)])
})

test('one who never gets done is waited for 40 seconds', async t => {
  const { world, told } = worldOf(t, { 5: Number.POSITIVE_INFINITY, 15: 0 })
  await advanceClock(15 * 60_000, world)
  assert.deepEqual(told, ['idle', 'it is 5', 'busy', 'busy', 'busy', 'busy', 'it is 15', 'idle'])
})

test('what takes long here does not shorten the time that others have', async t => {
  const { world, told, pass } = worldOf(t, { 5: 3 })
  let left = 1
  const doWhatIsDue = async () => {
    if (left === 0 || told.at(-1) !== 'it is 5') return 0
    pass(60_000)
    return left--
  }
  await advanceClock(5 * 60_000, { ...world, doWhatIsDue })
  assert.deepEqual(told, ['idle', 'it is 5', 'busy', 'busy', 'busy', 'idle'])
})

test('what falls due while it looks is not stepped over', async () => {
  const due = new Set([5_000, 5_003, 35_000])
  const done: string[] = []
  let nowMs = 0
  await advanceClock(60_000, {
    now: () => new Date(nowMs),
    async nextDueAt(from, to) {
      const next = [...due].find(each => each > from.getTime() && each <= to.getTime())
      return next === undefined ? null : new Date(next)
    },
    async moveTo(time) {
      nowMs = Math.max(nowMs, time.getTime())
    },
    async doWhatIsDue() {
      const found = [...due].filter(each => each <= nowMs)
      done.push(...found.map(each => `${each} at ${nowMs}`))
      for (const each of found) due.delete(each)
      // So long a look takes.
      nowMs += 2
      return found.length
    },
    othersAreBusy: async () => false,
  })
  assert.deepEqual(done, ['5000 at 5000', '5003 at 5004', '35000 at 35000'])
})
