import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createHearing } from './stuck.ts'

const stops = 'the database system is shutting down'
const recovers = 'the database system is in recovery mode'

/** One word of PostgreSQL's a second; who was told to quit. */
async function told(words: readonly (string | null)[], pidAt: (second: number) => number = () => 7): Promise<number[]> {
  const quit: number[] = []
  let second = 0
  const hear = createHearing(
    { folder: '/data', stuckAfterMs: 3_000, log: () => {} },
    () => second * 1_000,
    async pid => void quit.push(pid),
  )
  for (const says of words) {
    await hear({ pid: pidAt(second), socketFolder: '/data' }, says)
    second += 1
  }
  return quit
}

test('one that says for too long that it stops is told to quit, and again if it still does', async () => {
  assert.deepEqual(await told(Array(4).fill(stops)), [])
  assert.deepEqual(await told(Array(5).fill(stops)), [7])
  assert.deepEqual(await told(Array(10).fill(stops)), [7, 7])
})

test('one that recovers, or lets somebody in, is left alone however long it takes', async () => {
  assert.deepEqual(await told(Array(60).fill(recovers)), [])
  assert.deepEqual(await told([stops, stops, stops, null, stops, stops, stops]), [])
  assert.deepEqual(await told([stops, stops, stops, recovers, stops, stops, stops]), [])
})

test('the time of one that has ended is not counted for the next', async () => {
  assert.deepEqual(await told(Array(6).fill(stops), second => (second < 3 ? 7 : 8)), [])
})
