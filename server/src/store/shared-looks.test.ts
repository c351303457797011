import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shareLooks } from './shared-looks.ts'

test('who wants the same while it is looked up shares the look; the next one is a new look', async () => {
  const looks: { readonly key: string; readonly over: PromiseWithResolvers<number> }[] = []
  const ask = shareLooks(
    (key: string) => key,
    key => {
      const over = Promise.withResolvers<number>()
      looks.push({ key, over })
      return over.promise
    },
  )
  const all = Promise.all([ask('a'), ask('b'), ask('a')])
  assert.deepEqual(
    looks.map(({ key }) => key),
    ['a', 'b'],
  )
  for (const [number, { over }] of looks.entries()) over.resolve(number)
  assert.deepEqual(await all, [0, 1, 0])
  const again = ask('a')
  assert.equal(looks.length, 3)
  looks[2]?.over.reject(new Error('away'))
  await assert.rejects(again, /away/)
  void ask('a')
  assert.equal(looks.length, 4, 'a look that failed is not kept')
})
