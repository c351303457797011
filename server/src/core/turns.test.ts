import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTurns } from './turns.ts'

const turn = () => new Promise(resolve => setImmediate(resolve))

/** Works that end when they are told to, in the order in which they began. */
function heldWorks() {
  const begun: { readonly name: string; readonly end: (error?: Error) => void }[] = []
  const work = (name: string) => () =>
    new Promise<string>((resolve, reject) => {
      begun.push({ name, end: error => (error === undefined ? resolve(name) : reject(error)) })
    })
  return { begun, work, names: () => begun.map(({ name }) => name) }
}

test('so many at once, the others in the order in which they came, and other names do not wait', async () => {
  const inTurn = createTurns(2)
  const { begun, work, names } = heldWorks()
  const all = ['a1', 'a2', 'a3', 'a4', 'b1'].map(name => inTurn(name.slice(0, 1), work(name)))
  await turn()
  assert.deepEqual(names(), ['a1', 'a2', 'b1'])
  begun[1]?.end()
  await turn()
  assert.deepEqual(names(), ['a1', 'a2', 'b1', 'a3'])
  for (const { end } of begun) end()
  await turn()
  assert.equal(names().at(-1), 'a4')
  begun.at(-1)?.end()
  assert.deepEqual(await Promise.all(all), ['a1', 'a2', 'a3', 'a4', 'b1'])
})

test('a work that fails gives its turn back', async () => {
  const inTurn = createTurns(1)
  const { begun, work } = heldWorks()
  const [first, second] = [inTurn('a', work('first')), inTurn('a', work('second'))]
  await turn()
  begun[0]?.end(new Error('down'))
  await assert.rejects(first, /down/)
  await turn()
  begun[1]?.end()
  assert.equal(await second, 'second')
  const alone = inTurn('a', work('third'))
  await turn()
  begun[2]?.end()
  assert.equal(await alone, 'third')
})
