import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sparingly } from './sparingly.ts'

test('slow work is not done again before twenty times its duration has passed', async () => {
  let nowMs = 0
  let times = 0
  let tookMs = 1_000
  const ask = sparingly(
    async () => {
      times += 1
      nowMs += tookMs
    },
    () => nowMs,
  )
  await ask()
  nowMs = 20_999
  await ask()
  assert.equal(times, 1)
  nowMs = 21_000
  tookMs = 250
  await ask()
  assert.equal(times, 2)
  await ask()
  assert.equal(times, 3, 'what was quick is done whenever it is asked for')
})

test('who asks while it is being done waits for it', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  let times = 0
  const ask = sparingly(() => {
    times += 1
    return promise
  })
  const both = Promise.all([ask(), ask()])
  resolve()
  await both
  assert.equal(times, 1)
})

test('work that fails is told, and may be asked for again', async () => {
  let nowMs = 0
  const ask = sparingly(
    async () => {
      throw new Error('away')
    },
    () => nowMs,
  )
  await assert.rejects(ask(), /away/)
  nowMs = 1
  await assert.rejects(ask(), /away/)
})
