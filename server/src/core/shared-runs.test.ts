import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shareRuns } from './shared-runs.ts'

/** Runs that end when they are told to. */
function heldRuns() {
  const ends: ((error?: Error) => void)[] = []
  const run = () =>
    new Promise<number>((resolve, reject) => {
      const number = ends.length + 1
      ends.push(error => (error === undefined ? resolve(number) : reject(error)))
    })
  return { ends, run }
}

const turn = () => new Promise(resolve => setImmediate(resolve))

test('who comes while one is running shares the next, which begins after they came', async () => {
  const { ends, run } = heldRuns()
  const share = shareRuns<number>()
  const first = share('a', run)
  const others = [share('a', run), share('a', run), share('a', run)]
  await turn()
  assert.equal(ends.length, 1, 'one at a time')
  ends[0]?.()
  await turn()
  const late = share('a', run)
  assert.equal(ends.length, 2)
  ends[1]?.()
  await turn()
  ends[2]?.()
  assert.deepEqual(await Promise.all([first, ...others, late]), [1, 2, 2, 2, 3])
  const alone = share('a', run)
  assert.equal(ends.length, 4, 'nobody is waited for any more')
  ends[3]?.()
  assert.equal(await alone, 4)
})

test('what is done under another key is not waited for', async () => {
  const { ends, run } = heldRuns()
  const share = shareRuns<number>()
  const both = [share('a', run), share('b', run)]
  assert.equal(ends.length, 2)
  for (const end of ends) end()
  assert.deepEqual(await Promise.all(both), [1, 2])
})

test('who waits does not fail with the one before', async () => {
  const { ends, run } = heldRuns()
  const share = shareRuns<number>()
  const [first, second] = [share('a', run), share('a', run)]
  ends[0]?.(new Error('down'))
  await assert.rejects(first, /down/)
  await turn()
  ends[1]?.()
  assert.equal(await second, 2)
})
