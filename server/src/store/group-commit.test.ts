import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import * as fc from 'fast-check'
import { createGroups } from './group-commit.ts'

/** What is written in one transaction, and is there when it is committed. */
type Scope = number[]

class Lost extends Error {}

/** `committed` has one list for each transaction. Each waits for `let` of the test, if there is one. */
function testWorld(isLost: () => boolean = () => false) {
  const committed: number[][] = []
  let begun = 0
  let gate: Promise<void> | null = null
  const together = createGroups<Scope>({
    async begin(work) {
      begun += 1
      const scope: Scope = []
      const value = await work(scope)
      await gate
      if (isLost()) throw new Lost('nobody knows')
      if (scope.length > 0) committed.push(scope)
      return value
    },
    waitBrieflyForLocks: async () => {},
    isInDoubt: error => error instanceof Lost,
  })
  const write = (number: number, name = 'm') =>
    together(name, async scope => {
      scope.push(number)
      return number * 10
    })
  const close = () => {
    const closed = Promise.withResolvers<void>()
    gate = closed.promise
    return () => {
      gate = null
      closed.resolve()
    }
  }
  return { together, write, committed, close, begun: () => begun }
}

test('what comes alone goes at once, and by its own way', async () => {
  const world = testWorld()
  assert.equal(await world.write(1), 10)
  assert.equal(
    await world.together(
      'm',
      async () => 'shared',
      async () => 'alone',
    ),
    'alone',
  )
  assert.deepEqual(world.committed, [[1]])
})

test('what comes while two are under way is committed together, in its order, and each hears its own', async () => {
  const world = testWorld()
  const open = world.close()
  const all = [1, 2, 3, 4, 5].map(number => world.write(number))
  await turn()
  open()
  assert.deepEqual(await Promise.all(all), [10, 20, 30, 40, 50])
  assert.deepEqual(world.committed, [[1], [2], [3, 4, 5]])
})

test('no group is larger than thirty-two', async () => {
  const world = testWorld()
  await Promise.all(Array.from({ length: 80 }, (_, number) => world.write(number)))
  assert.deepEqual(
    world.committed.flat().sort((a, b) => a - b),
    [...Array(80).keys()],
  )
  assert.ok(world.committed.every(group => group.length <= 32))
  assert.ok(world.committed.length < 10)
})

test('those of another name do not wait, and share nothing', async () => {
  const world = testWorld()
  const open = world.close()
  const stuck = [1, 2, 3, 4].map(number => world.write(number, 'stuck'))
  await turn()
  open()
  const others = [11, 12, 13, 14].map(number => world.write(number, 'other'))
  await Promise.all([...stuck, ...others])
  for (const group of world.committed) assert.equal(new Set(group.map(number => number > 10)).size, 1)
})

test('of a group of which one fails, each is done again alone: the others are committed, and that one is told', async () => {
  const world = testWorld()
  const failing = () =>
    world.together('m', async scope => {
      scope.push(99)
      throw new Error('refused')
    })
  const ended = await Promise.allSettled([world.write(1), world.write(2), world.write(3), failing(), world.write(4)])
  assert.deepEqual(
    ended.map(each => (each.status === 'fulfilled' ? each.value : each.reason.message)),
    [10, 20, 30, 'refused', 40],
  )
  assert.deepEqual(world.committed, [[1], [2], [3], [4]])
})

test('a group of which nobody knows whether it was committed is not done again: each is told', async () => {
  let lost = false
  const world = testWorld(() => lost)
  const open = world.close()
  const first = [world.write(1), world.write(2)]
  const rest = [3, 4, 5].map(number => world.write(number))
  open()
  await Promise.all(first)
  lost = true
  for (const each of await Promise.allSettled(rest))
    assert.ok(each.status === 'rejected' && each.reason instanceof Lost)
  assert.equal(world.begun(), 3)
})

test('what takes long keeps nobody back: after a moment the next begin beside it', async t => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.after(() => mock.timers.reset())
  const world = testWorld()
  const never = () => world.together('m', () => new Promise(() => {}))
  never()
  never()
  const third = world.write(3)
  await turn()
  assert.deepEqual(world.committed, [])
  mock.timers.tick(200)
  assert.equal(await third, 30)
})

test('whatever fails beside it, each ends as it would alone, and is committed once', async () => {
  const jobs = fc.array(fc.record({ name: fc.constantFrom('a', 'b'), fails: fc.boolean(), turns: fc.nat(3) }), {
    maxLength: 40,
  })
  await fc.assert(
    fc.asyncProperty(jobs, async jobs => {
      const world = testWorld()
      const ended = await Promise.allSettled(
        jobs.map(async ({ name, fails, turns }, number) => {
          for (let left = turns; left > 0; left--) await turn()
          return world.together(name, async scope => {
            await turn()
            scope.push(number)
            if (fails) throw new Error(`${number} fails`)
            return number
          })
        }),
      )
      assert.deepEqual(
        ended.map(each => (each.status === 'fulfilled' ? each.value : each.reason.message)),
        jobs.map(({ fails }, number) => (fails ? `${number} fails` : number)),
      )
      const right = jobs.flatMap(({ fails }, number) => (fails ? [] : [number]))
      assert.deepEqual(
        world.committed.flat().sort((a, b) => a - b),
        right,
      )
    }),
    { numRuns: 100 },
  )
})
