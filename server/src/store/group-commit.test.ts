import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import * as fc from 'fast-check'
import { createGroups } from './group-commit.ts'

/** What is written in one transaction, and is there when it is committed. */
type Scope = number[]

class Lost extends Error {}
class Spoiled extends Error {}

/**
 * `committed` has one list for each transaction. `close` keeps the transactions that hold such a number open until it is called. `lose` says
 * of a transaction whether its connection breaks, and if its commit was made.
 */
function testWorld(lose: (scope: Scope) => 'before' | 'after' | null = () => null) {
  const committed: number[][] = []
  let begun = 0
  let gate: { isFor(number: number): boolean; readonly promise: Promise<void> } | null = null
  const together = createGroups<Scope>({
    async begin(work) {
      begun += 1
      const scope: Scope = []
      const value = await work(scope)
      if (gate !== null && scope.some(gate.isFor)) await gate.promise
      const lost = lose(scope)
      if (lost === 'before') throw new Lost('nobody knows')
      if (scope.length > 0) committed.push(scope)
      if (lost === 'after') throw new Lost('nobody knows')
      return value
    },
    waitBrieflyForLocks: async () => {},
    isInDoubt: error => error instanceof Lost,
    isSpoiled: error => error instanceof Spoiled,
  })
  const write = (number: number, name = 'm') =>
    together(name, async scope => {
      scope.push(number)
      return number * 10
    })
  const close = (isFor: (number: number) => boolean = () => true) => {
    const closed = Promise.withResolvers<void>()
    gate = { isFor, promise: closed.promise }
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
  const open = world.close(number => number < 10)
  const stuck = [1, 2, 3, 4].map(number => world.write(number, 'stuck'))
  const others = [11, 12, 13, 14].map(number => world.write(number, 'other'))
  await Promise.all(others)
  assert.deepEqual(world.committed, [[11], [12], [13, 14]])
  open()
  await Promise.all(stuck)
  assert.deepEqual(world.committed.slice(3), [[1], [2], [3, 4]])
})

function refusing(world: ReturnType<typeof testWorld>, number: number) {
  return world.together('m', async scope => {
    scope.push(number)
    throw new Error(`${number} is refused`)
  })
}

const outcomeOf = (ended: PromiseSettledResult<unknown>) =>
  ended.status === 'fulfilled' ? ended.value : ended.reason.message

test('of a group of which one fails, it is done again alone and told, and the others are committed as a group', async () => {
  const world = testWorld()
  const works = [world.write(1), world.write(2), world.write(3), refusing(world, 4), world.write(5)]
  const ended = await Promise.allSettled(works)
  assert.deepEqual(ended.map(outcomeOf), [10, 20, 30, '4 is refused', 50])
  assert.deepEqual(world.committed, [[1], [2], [3, 5]])
})

test('who is in a second group that fails is done alone', async () => {
  const world = testWorld()
  let tries = 0
  const secondTime = () =>
    world.together('m', async scope => {
      tries += 1
      scope.push(6)
      if (tries === 2) throw new Error('refused the second time')
      return 60
    })
  const works = [world.write(1), world.write(2), world.write(3), refusing(world, 4), world.write(5), secondTime()]
  const ended = await Promise.allSettled(works)
  assert.deepEqual(ended.map(outcomeOf), [10, 20, 30, '4 is refused', 50, 60])
  assert.deepEqual(world.committed, [[1], [2], [3], [5], [6]])
})

test('who only failed because another had is not taken for the one that did', async () => {
  const world = testWorld()
  let tries = 0
  const spoiled = () =>
    world.together('m', async scope => {
      tries += 1
      if (tries === 1) throw new Spoiled('the transaction is aborted')
      scope.push(5)
      return 50
    })
  const works = [world.write(1), world.write(2), world.write(3), refusing(world, 4), spoiled()]
  const ended = await Promise.allSettled(works)
  assert.deepEqual(ended.map(outcomeOf), [10, 20, 30, '4 is refused', 50])
  assert.deepEqual(world.committed, [[1], [2], [3, 5]])
})

for (const moment of ['before', 'after'] as const) {
  test(`a group that is lost ${moment} its commit is not done again: each is told`, async () => {
    const world = testWorld(scope => (scope.includes(3) ? moment : null))
    const works = [1, 2, 3, 4, 5].map(number => world.write(number))
    const ended = await Promise.allSettled(works)
    assert.deepEqual(ended.map(outcomeOf), [10, 20, 'nobody knows', 'nobody knows', 'nobody knows'])
    assert.deepEqual(world.committed, moment === 'after' ? [[1], [2], [3, 4, 5]] : [[1], [2]])
    assert.equal(world.begun(), 3)
  })
}

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

test('a group that fails after its place was given away is done again all the same', async t => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.after(() => mock.timers.reset())
  const world = testWorld()
  const held = Promise.withResolvers<void>()
  const first = [world.write(1), world.write(2)]
  const slow = world.together('m', async scope => {
    scope.push(3)
    await held.promise
    throw new Error('3 is refused')
  })
  const beside = world.write(4)
  await Promise.all(first)
  await turn()
  mock.timers.tick(200)
  await turn()
  held.resolve()
  assert.deepEqual((await Promise.allSettled([slow, beside])).map(outcomeOf), ['3 is refused', 40])
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
