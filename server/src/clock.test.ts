import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createClock, type Reading } from './clock.ts'

/** A database whose time is its own, and whose answers take so long to come and go. */
function databaseAt(timeMs: number) {
  const world = { timeMs, counterMs: 5_000, askMs: 1, answerMs: 1, offsetMs: 0 }
  const pass = (ms: number) => {
    world.timeMs += ms
    world.counterMs += ms
  }
  const read = async (): Promise<Reading> => {
    const fromMs = world.counterMs
    pass(world.askMs)
    const { timeMs: read } = world
    pass(world.answerMs)
    return { timeMs: read, fromMs, toMs: world.counterMs, offsetMs: world.offsetMs }
  }
  const wentBackMs: number[] = []
  const open = () =>
    createClock(
      read,
      () => world.counterMs,
      byMs => wentBackMs.push(byMs),
    )
  return { world, pass, wentBackMs, open }
}

describe('the clock', () => {
  test('says the time of the database, and goes on by itself', async () => {
    const { world, pass, open } = databaseAt(1_000_000)
    const clock = await open()
    assert.equal(clock.now().getTime(), world.timeMs)
    pass(60_000)
    assert.equal(clock.now().getTime(), world.timeMs)
  })

  test('does not care what the machine takes for the time of day', async t => {
    const { world, open } = databaseAt(1_000_000)
    const clock = await open()
    t.mock.method(Date, 'now', () => 7)
    assert.equal(clock.now().getTime(), world.timeMs)
    await clock.refresh()
    assert.equal(clock.now().getTime(), world.timeMs)
  })

  test('believes the quickest of its first readings', async () => {
    const { world, open } = databaseAt(1_000_000)
    world.askMs = 400
    const opening = open()
    // The first reading is under way; the next ones are quick.
    world.askMs = 1
    const clock = await opening
    assert.equal(clock.now().getTime(), world.timeMs)
  })

  test('is set only by a reading that it cannot be right beside', async () => {
    const { world, open } = databaseAt(1_000_000)
    const clock = await open()
    world.answerMs = 2_000
    await clock.refresh()
    assert.equal(clock.now().getTime(), world.timeMs, 'a slow answer says nothing against it')
    world.answerMs = 1
    world.timeMs += 3_600_000
    await clock.refresh()
    assert.ok(Math.abs(clock.now().getTime() - world.timeMs) <= 1, 'the database went an hour ahead')
    world.timeMs -= 86_400_000
    await clock.refresh()
    assert.ok(Math.abs(clock.now().getTime() - world.timeMs) <= 1, 'and a day back')
  })

  test('says by how much the database’s time went back, once, and nothing of less than some seconds', async () => {
    const { world, pass, wentBackMs, open } = databaseAt(10_000_000)
    const clock = await open()
    for (const jumpMs of [-7_200_000, 0, 7_200_000, -4_000, 0]) {
      world.timeMs += jumpMs
      pass(10_000)
      await clock.refresh()
    }
    assert.deepEqual(
      wentBackMs.map(ms => Math.round(ms / 1_000)),
      [7_200],
    )
  })

  test('is set by no more than a slow reading proves', async () => {
    const { world, open } = databaseAt(1_000_000)
    const clock = await open()
    for (const [driftMs, askMs, answerMs] of [
      [-3, 1, 15_000],
      [3, 15_000, 1],
    ] as const) {
      Object.assign(world, { timeMs: world.timeMs + driftMs, askMs, answerMs })
      await clock.refresh()
      assert.ok(Math.abs(clock.now().getTime() - world.timeMs) <= 3, `${clock.now().getTime() - world.timeMs} ms`)
    }
  })

  test('is moved forward by the sandbox, and never back', async () => {
    const { world, open } = databaseAt(1_000_000)
    const clock = await open()
    world.offsetMs = 9_000
    await clock.refresh()
    assert.deepEqual([clock.now().getTime(), clock.offsetMs()], [world.timeMs + 9_000, 9_000])
    world.offsetMs = 8_000
    await clock.refresh()
    assert.equal(clock.offsetMs(), 9_000)
    assert.equal(clock.worldNow().getTime(), world.timeMs, 'the world goes on as before')
  })
})
