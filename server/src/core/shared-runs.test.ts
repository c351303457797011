import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runsAtOnce, shareRuns } from './shared-runs.ts'

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

/** As many as run at once, under this key. */
function begin(share: ReturnType<typeof shareRuns<number>>, run: () => Promise<number>): Promise<number>[] {
  return Array.from({ length: runsAtOnce }, () => share('a', run))
}

test('who comes while many are running shares the next, which begins after they came', async () => {
  const { ends, run } = heldRuns()
  const share = shareRuns<number>()
  const first = begin(share, run)
  const others = [share('a', run), share('a', run), share('a', run)]
  await turn()
  assert.equal(ends.length, runsAtOnce)
  ends[1]?.()
  await turn()
  assert.equal(ends.length, runsAtOnce + 1, 'one for all who waited')
  const late = share('a', run)
  await turn()
  assert.equal(ends.length, runsAtOnce + 1, 'who comes later does not share it')
  for (const end of ends) end()
  await turn()
  ends.at(-1)?.()
  assert.deepEqual(await Promise.all(first), [1, 2, 3, 4])
  assert.deepEqual(await Promise.all(others), Array(3).fill(runsAtOnce + 1))
  assert.equal(await late, runsAtOnce + 2)
  const alone = share('a', run)
  assert.equal(ends.length, runsAtOnce + 3, 'nobody is waited for any more')
  ends.at(-1)?.()
  assert.equal(await alone, runsAtOnce + 3)
})

test('a run that waits for what another notice of the same payment comes to is not waited for by it', async () => {
  const share = shareRuns<string>()
  const outer = share('a', async () => `after ${await share('a', async () => 'inner')}`)
  assert.equal(await outer, 'after inner')
})

test('what is done under another key is not waited for', async () => {
  const { ends, run } = heldRuns()
  const share = shareRuns<number>()
  const all = [...begin(share, run), share('b', run)]
  assert.equal(ends.length, runsAtOnce + 1)
  for (const end of ends) end()
  assert.equal((await Promise.all(all)).length, runsAtOnce + 1)
})

test('who waits does not fail with the one before', async () => {
  const { ends, run } = heldRuns()
  const share = shareRuns<number>()
  const [first, ...others] = begin(share, run)
  const waits = share('a', run)
  ends[0]?.(new Error('down'))
  await assert.rejects(first ?? assert.fail(), /down/)
  await turn()
  for (const end of ends.slice(1)) end()
  await Promise.all(others)
  assert.equal(await waits, runsAtOnce + 1)
})
