import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countOneByOne } from './one-by-one.ts'

test('a statement that fails keeps none behind it from being run', async () => {
  const ran: string[] = []
  const statement = (name: string, run: () => number): PromiseLike<{ count: number }> => ({
    // biome-ignore lint/suspicious/noThenProperty: a query begins when somebody waits for it
    then: (done, failed) => {
      ran.push(name)
      return Promise.resolve()
        .then(() => ({ count: run() }))
        .then(done, failed)
    },
  })
  const fails = () => {
    throw new Error('out of order')
  }
  assert.equal(await countOneByOne([statement('one', () => 2), statement('two', () => 3)]), 5)
  const statements = [statement('three', fails), statement('four', () => 1)]
  await assert.rejects(countOneByOne(statements), /out of order/)
  assert.deepEqual(ran, ['one', 'two', 'three', 'four'])
})
