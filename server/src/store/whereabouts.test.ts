// Which of several servers is written to, when they change places or one comes back that was taken over.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { createWhereabouts, type Seen } from './whereabouts.ts'

const away = new Error('away')

/** Servers by name, and what each says when it is looked at. */
function servers(say: { [name: string]: number | Error | Promise<never | number> }) {
  const moves: string[] = []
  const where = createWhereabouts({
    hosts: Object.keys(say) as [string, ...string[]],
    nameOf: name => name,
    async look(name): Promise<Seen> {
      const said = await say[name]
      if (typeof said === 'number') return { system: 'one', timeline: said }
      throw said
    },
    moved: to => void moves.push(to),
  })
  return { say, where, moves }
}

const silence = new Promise<never>(() => {})

test('the one that takes writes is used until something goes wrong there, and then the one that does by then', async () => {
  const { say, where, moves } = servers({ one: 1, two: away })
  assert.equal(await where.find(), 'one')
  Object.assign(say, { one: away, two: 2 })
  assert.equal(await where.find(), 'one')
  where.doubt('two') // which is not the one in use
  assert.equal(await where.find(), 'one')
  where.doubt('one')
  assert.equal(await where.find(), 'two')
  assert.deepEqual(moves, ['two'])
})

test('what goes wrong while it is looked for is not forgotten with what was heard before', async () => {
  const { say, where } = servers({ one: 1, two: away })
  await where.find()
  const looking = where.lookAround()
  where.doubt('one')
  await looking
  Object.assign(say, { one: away, two: 2 })
  assert.equal(await where.find(), 'two')
})

test('one that has no connection left to be looked at by is kept, unless another takes writes', async () => {
  const full = Object.assign(new Error('too many connections'), { code: '53300' })
  const { say, where } = servers({ one: 1, two: away })
  await where.find()
  say.one = full
  where.doubt('one')
  assert.equal(await where.find(), 'one')
  say.two = 2
  assert.equal(await where.find(), 'two')
  await assert.rejects(servers({ one: full, two: away }).where.find(), /none of the 2 servers/)
})

test('one that is silent delays nobody who waits for another', async () => {
  const { say, where } = servers({ one: 1, two: 2 })
  assert.equal(await where.find(), 'two')
  say.one = silence
  where.doubt('two')
  assert.equal(await where.find(), 'two')
})

test('a server that was promoted is found, also where it is slower to answer than the one that it was promoted over', async () => {
  const slowly = (timeline: number) => delay(400, timeline)
  const { where } = servers({ one: 1, two: slowly(2) })
  assert.equal(await where.find(), 'two', 'at first')
  const later = servers({ one: 1, two: away })
  assert.equal(await later.where.find(), 'one')
  later.say.two = slowly(2)
  await later.where.lookAround()
  assert.deepEqual([later.where.at, later.moves], ['two', ['two']], 'by looking around')
})

test('none takes writes: each is named, with its reason', async () => {
  const { where } = servers({ one: away, two: new Error('a standby') })
  await assert.rejects(where.find(), /none of the 2 servers takes writes \(one: away; two: a standby\)/)
})

test('of two that take writes the later promoted is used, also where the other comes first', async () => {
  const { where } = servers({ one: 1, two: 2 })
  assert.equal(await where.find(), 'two')
})

test('one that was taken over is not gone back to, even where it alone answers', async () => {
  const { say, where } = servers({ one: 1, two: 2 })
  assert.equal(await where.find(), 'two')
  say.two = away
  where.doubt('two')
  await assert.rejects(where.find(), /one takes writes, but another server was promoted in its place/)
  say.two = 2
  assert.equal(await where.find(), 'two')
})

test('another that was promoted is found although nothing went wrong', async () => {
  const { say, where, moves } = servers({ one: 1, two: away })
  assert.equal(await where.find(), 'one')
  say.two = 2
  await where.lookAround()
  assert.deepEqual([await where.find(), moves], ['two', ['two']])
})

test('where there is one only, it is never looked at', async () => {
  const { where } = servers({ only: away })
  where.doubt('only')
  await where.lookAround()
  assert.equal(await where.find(), 'only')
})
