import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import { heldFor, merchantOf, resultOf } from '../../test/support/delivery-samples.ts'
import type { AttemptResult } from '../core/delivery.ts'
import type { MerchantId } from '../core/ids.ts'
import { createSettler } from './settler.ts'

type Write = (merchantId: MerchantId, results: readonly AttemptResult[]) => Promise<void>

function settlerOn(write: Write, isMoreToCome = () => true) {
  const batches: { merchantId: MerchantId; ids: string[] }[] = []
  const errors: unknown[] = []
  let wrote = 0
  const settler = createSettler({
    async write(merchantId, results) {
      await write(merchantId, results)
      batches.push({ merchantId, ids: results.map(({ held }) => held.id) })
    },
    isMoreToCome,
    isAway: error => error instanceof Error && error.message === 'away',
    wrote: () => {
      wrote += 1
    },
    failed: error => errors.push(error),
  })
  return { settler, batches, errors, wrote: () => wrote }
}

const results = (endpoint: string, count: number) => Array.from({ length: count }, () => resultOf(heldFor(endpoint)))
const idsOf = (list: readonly AttemptResult[]) => list.map(({ held }) => String(held.id))
/** What was waiting for a promise that is settled has gone on. */
const aTurn = () => new Promise(resolve => setImmediate(resolve))

describe('results', () => {
  test('that come together are written in one batch per merchant, in their order', async () => {
    const { settler, batches, wrote } = settlerOn(async () => {})
    const [ofA, ofB] = [results('a.1', 3), results('b.1', 2)]
    for (const result of [...ofA, ...ofB]) settler.add(result)
    assert.equal(settler.unsettled, 5)
    await settler.settled()
    assert.deepEqual(batches, [
      { merchantId: merchantOf('a.1'), ids: idsOf(ofA) },
      { merchantId: merchantOf('b.1'), ids: idsOf(ofB) },
    ])
    assert.deepEqual([settler.unsettled, wrote()], [0, 2])
  })

  test('are written without being asked for, a moment later', async () => {
    const written = Promise.withResolvers<void>()
    const { settler, batches } = settlerOn(async () => written.resolve())
    settler.add(resultOf(heldFor('a.1')))
    assert.equal(batches.length, 0)
    await written.promise
  })

  test('of a merchant that was written before are written too', async () => {
    const { settler, batches } = settlerOn(async () => {})
    for (const result of results('a.1', 2)) {
      settler.add(result)
      await settler.settled()
    }
    assert.equal(batches.length, 2)
  })

  test('of which there are many go in bounded batches', async () => {
    const { settler, batches } = settlerOn(async () => {})
    const many = results('a.1', 1_200)
    for (const result of many) settler.add(result)
    await settler.settled()
    assert.deepEqual(
      batches.map(({ ids }) => ids.length),
      [512, 512, 176],
    )
    assert.deepEqual(
      batches.flatMap(({ ids }) => ids),
      idsOf(many),
    )
  })

  test('that are as many as one batch takes wait for no more, also behind one that is being written', async t => {
    t.mock.timers.enable({ apis: ['setTimeout'] }) // no time passes
    const slow = Promise.withResolvers<void>()
    const begun: number[] = []
    const { settler } = settlerOn((_, batch) => {
      begun.push(batch.length)
      return begun.length === 1 ? slow.promise : Promise.resolve()
    })
    const add = (count: number) => {
      for (const result of results('a.1', count)) settler.add(result)
    }
    add(511)
    await aTurn()
    assert.deepEqual(begun, [])
    add(1)
    assert.deepEqual(begun, [512])
    add(1_030)
    await aTurn()
    assert.deepEqual(begun, [512])
    slow.resolve()
    await aTurn()
    assert.deepEqual(begun, [512, 512, 512])
    t.mock.timers.runAll()
    await aTurn()
    assert.deepEqual([begun, settler.unsettled], [[512, 512, 512, 6], 0])
  })

  test('that are many wait for no more when none is to come, also behind one that is being written', async t => {
    t.mock.timers.enable({ apis: ['setTimeout'] }) // no time passes
    let isMoreToCome = true
    let slow = Promise.withResolvers<void>()
    const begun: number[] = []
    const write: Write = (_, batch) => {
      begun.push(batch.length)
      return slow.promise
    }
    const { settler } = settlerOn(write, () => isMoreToCome)
    const addLast = (endpoint: string, count: number) => {
      isMoreToCome = true
      for (const result of results(endpoint, count)) settler.add(result)
      isMoreToCome = false
      settler.noneToCome()
    }
    addLast('few.1', 63)
    assert.deepEqual(begun, [])
    addLast('many.1', 64)
    assert.deepEqual(begun, [64])
    addLast('many.1', 65)
    await aTurn()
    assert.deepEqual(begun, [64])
    slow.resolve()
    slow = Promise.withResolvers()
    await aTurn()
    assert.deepEqual(begun, [64, 65])
    slow.resolve()
    t.mock.timers.runAll()
    await aTurn()
    assert.deepEqual([begun, settler.unsettled], [[64, 65, 63], 0])
  })

  test('of a merchant wait for its batch before, and go together; another merchant’s do not wait', async () => {
    const slow = Promise.withResolvers<void>()
    const begun: string[] = []
    const { settler, batches } = settlerOn(async merchantId => {
      begun.push(merchantId)
      if (merchantId === merchantOf('a.1') && begun.length === 1) await slow.promise
    })
    const [first, second, third] = results('a.1', 3) as [AttemptResult, AttemptResult, AttemptResult]
    settler.add(first)
    const all = settler.settled()
    settler.add(second)
    settler.add(third)
    const [other] = results('b.1', 1) as [AttemptResult]
    settler.add(other)
    const others = settler.settled()
    await aTurn()
    assert.deepEqual(batches, [{ merchantId: merchantOf('b.1'), ids: idsOf([other]) }])
    slow.resolve()
    await Promise.all([all, others])
    assert.deepEqual(
      batches.slice(1).map(({ ids }) => ids),
      [idsOf([first]), idsOf([second, third])],
    )
  })

  test('are in hand until they are written', async () => {
    const slow = Promise.withResolvers<void>()
    const { settler } = settlerOn(() => slow.promise)
    const [result] = results('a.1', 1) as [AttemptResult]
    assert.equal(settler.ids().has(result.held.id), false)
    settler.add(result)
    assert.equal(settler.ids().has(result.held.id), true)
    let isSettled = false
    const settled = settler.settled().then(() => {
      isSettled = true
    })
    await aTurn()
    assert.deepEqual([settler.ids().has(result.held.id), settler.unsettled, isSettled], [true, 1, false])
    slow.resolve()
    await settled
    assert.deepEqual([settler.ids().has(result.held.id), settler.unsettled], [false, 0])
  })

  test('of a delivery that was taken up again while its old result waits are both waited for', async () => {
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let writes = 0
    const { settler } = settlerOn(async () => gates[writes++]?.promise)
    const old = resultOf(heldFor('a.1'))
    settler.add(old)
    const settled = settler.settled()
    settler.add(resultOf({ ...old.held, attempts: 3 }))
    gates[0]?.resolve()
    await aTurn()
    assert.deepEqual([settler.unsettled, settler.ids().has(old.held.id)], [1, true])
    gates[1]?.resolve()
    await settled
    assert.deepEqual([settler.unsettled, settler.ids().has(old.held.id)], [0, false])
  })
})

test('while the database is away nothing is lost: results are tried again, and later ones after them', async () => {
  const late = results('a.1', 2)
  let failures = 0
  const { settler, batches, errors, wrote } = settlerOn(async () => {
    if (failures === 3) return
    failures += 1
    if (failures === 1) for (const result of late) settler.add(result)
    throw new Error('away')
  })
  const early = results('a.1', 2)
  for (const result of early) settler.add(result)
  await settler.settled()
  assert.deepEqual(
    batches.map(({ ids }) => ids),
    [idsOf(early), idsOf(late)],
  )
  assert.deepEqual([errors.length, settler.unsettled, wrote()], [3, 0, 2])
})

test('one that the database refuses for good keeps no other back, neither beside it nor after it', async t => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const [bad, ...good] = results('a.1', 4)
  let isMended = false
  const { settler, batches } = settlerOn(async (_, batch) => {
    if (!isMended && batch.includes(bad as AttemptResult)) throw new Error('refused')
  })
  for (const result of [bad, ...good]) settler.add(result as AttemptResult)
  const passing = async () => {
    t.mock.timers.tick(500)
    for (let turns = 0; turns < 5; turns++) await aTurn()
  }
  for (let times = 0; times < 6; times++) await passing()
  assert.deepEqual(batches.flatMap(({ ids }) => ids).sort(), idsOf(good).sort())
  const [after] = results('a.1', 1)
  settler.add(after as AttemptResult)
  await passing()
  assert.equal(batches.at(-1)?.ids[0], after?.held.id)
  assert.equal(settler.unsettled, 1)
  isMended = true
  await passing()
  assert.equal(settler.unsettled, 0)
})

test('what the database refuses is written one after the other; what it takes of that is over at once', async t => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const gates: PromiseWithResolvers<void>[] = []
  let writing = 0
  let writingMax = 0
  const [bad, ...good] = results('a.1', 40)
  const { settler, wrote } = settlerOn(async (_, batch) => {
    if (batch.length > 1 || batch[0] === bad) throw new Error('refused')
    writing += 1
    writingMax = Math.max(writingMax, writing)
    const gate = Promise.withResolvers<void>()
    gates.push(gate)
    await gate.promise
    writing -= 1
  })
  for (const result of [bad, ...good]) settler.add(result as AttemptResult)
  for (let times = 0; times < 6; times++) {
    t.mock.timers.tick(500)
    for (let turns = 0; turns < 5; turns++) await aTurn()
  }
  for (const [index, result] of good.entries()) {
    assert.equal(settler.ids().has(result.held.id), true)
    gates[index]?.resolve()
    for (let turns = 0; turns < 3; turns++) await aTurn()
    assert.equal(settler.ids().has(result.held.id), false)
  }
  assert.deepEqual([writingMax, settler.unsettled, wrote()], [1, 1, good.length])
  assert.equal(settler.ids().has((bad as AttemptResult).held.id), true)
})

test('a database that is away for long is asked again with all of them, not with each', async t => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let isAway = true
  const asked: number[] = []
  const { settler, batches } = settlerOn(async (_, batch) => {
    asked.push(batch.length)
    if (isAway) throw new Error('away')
  })
  for (const result of results('a.1', 3)) settler.add(result)
  const passing = async () => {
    t.mock.timers.tick(500)
    for (let turns = 0; turns < 5; turns++) await aTurn()
  }
  for (let times = 0; times < 20; times++) await passing()
  assert.deepEqual(asked, Array(20).fill(3))
  isAway = false
  await passing()
  assert.deepEqual([batches.length, settler.unsettled], [1, 0])
})

test('a process that ends does not wait for a database that is away', async () => {
  const script = `
    import { createSettler } from '${import.meta.resolve('./settler.ts')}'
    const settler = createSettler({ write: async () => { throw new Error('away') }, isAway: () => true, isMoreToCome: () => false, wrote() {}, failed: () => console.log('away') })
    settler.add({ held: { id: 'd', merchantId: 'a' } })`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const deadline = setTimeout(() => child.kill(), 20_000)
  const [[code]] = await Promise.all([once(child, 'exit'), once(child.stdout, 'data')])
  clearTimeout(deadline)
  assert.equal(code, 0)
})
