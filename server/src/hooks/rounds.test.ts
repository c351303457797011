import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, mock, test } from 'node:test'
import { createRounds } from './rounds.ts'

const aTurn = () => new Promise(resolve => setImmediate(resolve))

let nowMs = 0

async function pass(timeMs: number): Promise<void> {
  nowMs += timeMs
  mock.timers.tick(timeMs)
  await aTurn()
}

function counted(round: () => Promise<boolean> = async () => false) {
  const seen = { begun: 0, errors: 0 }
  const rounds = createRounds(
    () => {
      seen.begun += 1
      return round()
    },
    () => {
      seen.errors += 1
    },
  )
  return { rounds, seen }
}

describe('rounds', () => {
  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout'] })
    mock.method(performance, 'now', () => nowMs)
  })
  afterEach(() => {
    mock.timers.reset()
    mock.restoreAll()
  })

  test('begin at once, and come every half second', async () => {
    const { rounds, seen } = counted()
    await pass(1_000)
    rounds.wake()
    await pass(1_000)
    assert.equal(seen.begun, 0, 'not before they begin, woken or not')
    rounds.begin()
    await pass(1)
    assert.equal(seen.begun, 1)
    await pass(499)
    assert.equal(seen.begun, 1)
    await pass(1)
    assert.equal(seen.begun, 2)
  })

  test('come at once when woken', async () => {
    const { rounds, seen } = counted()
    rounds.begin()
    await pass(1)
    await pass(100)
    rounds.wake()
    await pass(1)
    assert.equal(seen.begun, 2)
    rounds.wake()
    await pass(19)
    assert.equal(seen.begun, 2, 'but for a rest')
    await pass(1)
    assert.equal(seen.begun, 3)
  })

  test('that take long rest four times as long, woken or not', async () => {
    const gate = Promise.withResolvers<boolean>()
    const { rounds, seen } = counted(() => (seen.begun === 1 ? gate.promise : Promise.resolve(false)))
    rounds.begin()
    await pass(1)
    await pass(1_000)
    gate.resolve(true)
    await aTurn()
    rounds.wake()
    await pass(3_999)
    assert.equal(seen.begun, 1)
    await pass(1)
    assert.equal(seen.begun, 2)
  })

  test('are never two at a time; one that was woken meanwhile is followed by another after a rest', async () => {
    const gates = [Promise.withResolvers<boolean>(), Promise.withResolvers<boolean>()]
    const { rounds, seen } = counted(() => gates[seen.begun - 1]?.promise ?? Promise.resolve(false))
    rounds.begin()
    await pass(1)
    for (let i = 0; i < 5; i++) {
      rounds.wake()
      await pass(100)
    }
    assert.equal(seen.begun, 1)
    gates[0]?.resolve(false)
    await aTurn()
    rounds.wake()
    await pass(1_999)
    assert.equal(seen.begun, 1, 'it rests, though it is woken')
    await pass(1)
    assert.equal(seen.begun, 2)
    gates[1]?.resolve(false)
    await aTurn()
    await pass(499)
    assert.equal(seen.begun, 2, 'the wakes before it were for it')
  })

  test('that leave some come again after a rest', async () => {
    const { rounds, seen } = counted(async () => seen.begun < 3)
    rounds.begin()
    await pass(1)
    await pass(20)
    await pass(20)
    await pass(20)
    assert.equal(seen.begun, 3)
  })

  test('go on after one that failed', async () => {
    const { rounds, seen } = counted(() => Promise.reject(new Error('away')))
    rounds.begin()
    await pass(1)
    await pass(500)
    assert.deepEqual(seen, { begun: 2, errors: 2 })
  })

  test('end when the one that is under way is over', async () => {
    const gate = Promise.withResolvers<boolean>()
    const { rounds, seen } = counted(() => gate.promise)
    rounds.begin()
    await pass(1)
    let isOver = false
    const ended = rounds.end().then(() => {
      isOver = true
    })
    await pass(1_000)
    assert.equal(isOver, false)
    gate.resolve(true)
    await ended
    rounds.wake()
    await pass(1_000)
    assert.equal(seen.begun, 1)
  })

  test('that end while none is under way do not come again', async () => {
    const { rounds, seen } = counted()
    rounds.begin()
    await pass(1)
    await rounds.end()
    await pass(1_000)
    assert.equal(seen.begun, 1)
  })
})
