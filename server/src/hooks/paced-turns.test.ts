import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PacedTurns } from './paced-turns.ts'

const aTurn = () => new Promise(resolve => setImmediate(resolve))

/** Enters so many times; `begun` are those that have their turn, in order. */
function entering(turns: PacedTurns<string>) {
  const begun: string[] = []
  const enter = (name: string, count: number) =>
    Array.from({ length: count }, () => {
      const entry = turns.enter(name)
      void entry.entered.then(entered => void begun.push(entered ? name : `not ${name}`))
      return entry
    })
  return { begun, enter }
}

const countOf = (names: readonly string[], name: string) => names.filter(each => each === name).length

test('no more than so many begin in a turn of the event loop', async () => {
  const { begun, enter } = entering(new PacedTurns(100, 8))
  enter('a', 20)
  await Promise.resolve()
  assert.equal(begun.length, 8)
  for (const expected of [16, 20]) {
    await aTurn()
    assert.equal(begun.length, expected)
  }
})

test('who comes after many of another begins in the next turn', async () => {
  const { begun, enter } = entering(new PacedTurns(1_000, 8))
  enter('a', 200)
  enter('b', 3)
  await aTurn()
  assert.equal(countOf(begun, 'b'), 3)
  assert.equal(begun.length, 16)
})

test('alone it has half of the places, and its others wait until one of its own is over', async () => {
  const turns = new PacedTurns<string>(8, 100)
  const { begun, enter } = entering(turns)
  enter('a', 6)
  enter('b', 1)
  for (let turn = 0; turn < 3; turn++) await aTurn()
  assert.deepEqual([countOf(begun, 'a'), countOf(begun, 'b')], [4, 1])
  turns.leave('a')
  await aTurn()
  assert.equal(countOf(begun, 'a'), 5)
  turns.leave('b')
  await aTurn()
  assert.equal(countOf(begun, 'a'), 5, 'four are free, and four under way')
})

test('who gives up takes no place, and whoever waits behind it is next', async () => {
  const turns = new PacedTurns<string>(2, 100)
  const { begun, enter } = entering(turns)
  const [, second, third] = enter('a', 3)
  await aTurn()
  second?.giveUp()
  second?.giveUp()
  turns.leave('a')
  await aTurn()
  assert.deepEqual(begun, ['a', 'not a', 'a'])
  third?.giveUp() // it has its turn
  turns.leave('a')
  enter('b', 1)
  await aTurn()
  assert.equal(begun.at(-1), 'b')
})
