import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ReadingTurns } from './reading-turns.ts'

const turn = () => new Promise(resolve => setImmediate(resolve))

test('what takes little is read at once', () => {
  const turns = new ReadingTurns()
  let read = 0
  for (let at = 0; at < 4; at += 1) {
    turns.take('a', () => {
      read += 1
      return 1
    })
    assert.equal(read, at + 1)
  }
})

test('a merchant with much to read leaves the others their turns, and each its order', async () => {
  const turns = new ReadingTurns()
  const read: string[] = []
  const take = (merchant: string, name: string, tookMs: number) =>
    turns.take(merchant, () => {
      read.push(name)
      return tookMs
    })
  for (let at = 0; at < 10; at += 1) take('much', `much ${at}`, 10)
  for (const each of [0, 1]) take('b', `b ${each}`, 1)
  take('c', 'c 0', 1)
  assert.deepEqual(read, ['much 0'], 'the others wait for the next turn of the event loop')
  for (let at = 0; at < 20; at += 1) await turn()
  assert.deepEqual(read.slice(0, 6), ['much 0', 'much 1', 'b 0', 'c 0', 'much 2', 'b 1'])
  assert.deepEqual(
    read.filter(name => name.startsWith('much')),
    Array.from({ length: 10 }, (_, at) => `much ${at}`),
  )
})

test('in one turn of the event loop so much is read and no more', async () => {
  const turns = new ReadingTurns()
  let read = 0
  for (let at = 0; at < 20; at += 1)
    turns.take('a', () => {
      read += 1
      return 2
    })
  const after: number[] = []
  while (read < 20) {
    after.push(read)
    await turn()
  }
  for (const [at, count] of after.entries()) assert.ok(count - (after[at - 1] ?? 0) <= 3, `${after}`)
})

test('a merchant whose reading costs too much rests, and the others do not wait for it', async () => {
  const turns = new ReadingTurns()
  const read: string[] = []
  const take = (merchant: string, isCostly: boolean, tookMs: number) =>
    turns.take(
      merchant,
      () => {
        read.push(merchant)
        return tookMs
      },
      () => isCostly,
    )
  const startedMs = performance.now()
  for (let at = 0; at < 3; at += 1) take('costly', true, 10)
  for (let at = 0; at < 3; at += 1) take('honest', false, 1)
  for (let at = 0; at < 5; at += 1) await turn()
  assert.deepEqual(read, ['costly', 'honest', 'honest', 'honest'])
  while (read.length < 6) await turn()
  assert.ok(performance.now() - startedMs >= 100, 'five times as long, twice')
})
