// What workers do with deliveries in the database: each is in one hand at a time, and a result counts only from that hand.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, beforeEach, describe, test } from 'node:test'
import type { HeldDelivery, LaneName } from '../src/core/delivery.ts'
import type { MerchantId, WorkerId } from '../src/core/ids.ts'
import { settleAttempts } from '../src/store/attempt-results.ts'
import { endClaims, listClaims } from '../src/store/claims.ts'
import { listLanes } from '../src/store/deliveries.ts'
import { findDeadHolders, freeHeld, registerWorker } from '../src/store/workers.ts'
import { type Bench, openBench } from './support/bench.ts'
import { after5Min, at, newLane, noon, OwedLane, owe, resultOf } from './support/owed.ts'

let bench: Bench
let merchantId: MerchantId
let lane: OwedLane
const [one, two] = [randomUUID() as WorkerId, randomUUID() as WorkerId]

before(async () => {
  bench = await openBench()
})
after(() => bench.close())
beforeEach(async () => {
  merchantId = (await bench.newShop()).merchantId
  lane = new OwedLane(bench.sql, await newLane(bench.sql, merchantId))
})

describe('a claim', () => {
  test('of two workers at once gives each delivery to one of them, and all of them', async () => {
    await lane.owe(500)
    const claims = await Promise.all(Array.from({ length: 40 }, (_, i) => lane.claim(i % 2 === 0 ? one : two, 20)))
    while (claims.flat().length < 500) {
      const more = await lane.claim(one, 100)
      assert.notEqual(more.length, 0, 'what was passed over is still there')
      claims.push(more)
    }
    assert.equal(new Set(claims.flat().map(({ id }) => id)).size, 500)
    assert.equal((await lane.claim(two, 100)).length, 0)
  })

  test('takes no more than asked for, the longest due first, and nothing that is not due', async () => {
    for (const minutes of [3, 1, 2, 6]) await lane.owe(1, at(minutes * 60_000))
    const held = await lane.claim(one, 2, after5Min)
    const dueAt = async ({ id }: HeldDelivery) =>
      (await bench.sql<{ dueAt: Date }[]>`select due_at from owed_delivery where id = ${id}`)[0]?.dueAt
    assert.deepEqual(await Promise.all(held.map(dueAt)), [at(60_000), at(120_000)])
    assert.equal((await lane.claim(one, 10, after5Min)).length, 1)
  })

  test('brings all that an attempt needs', async () => {
    await lane.owe(1)
    const { id, keyId, claimId, ...held } = await lane.claimOne(one)
    const [key] = await bench.sql`select id from merchant_key where merchant_id = ${merchantId} and state = 'current'`
    assert.equal(keyId, key?.id)
    assert.notEqual(claimId, null)
    assert.deepEqual(held, {
      ...lane.name,
      ...{
        holder: one,
        attempts: 0,
        url: 'http://merchant.test/',
        timeoutMs: 15_000,
        standardWebhooks: false,
        sendsJson: false,
        endpointFails: false,
      },
      ...{ details: '{}', state: 'pending', scheduledMade: 0, originalAt: null, lastAt: null, resendAt: null },
    })
  })

  test('of an endpoint that fails says so', async () => {
    await lane.owe(2)
    await lane.settle(await lane.claimOne(one), one, 500)
    assert.equal((await lane.claimOne(one)).endpointFails, true)
  })

  test('of what is no longer kept says that there is nothing to say', async () => {
    await lane.owe(1)
    await bench.sql`update event set details = null where merchant_id = ${merchantId}`
    assert.equal((await lane.claimOne(one)).details, '')
  })

  test('leaves to another what that one took, until it has ended', async () => {
    await lane.owe(3)
    const first = await lane.claim(one, 2)
    assert.equal((await lane.claim(two, 10)).length, 1)
    assert.equal((await lane.claim(two, 10)).length, 0)
    await endClaims(bench.sql, merchantId, [first[0]?.claimId ?? assert.fail()])
    assert.deepEqual((await lane.claim(two, 10)).map(({ id }) => id).sort(), first.map(({ id }) => id).sort())
  })

  test('takes up again what is due once more, while the claim before it is still there', async () => {
    await lane.owe(2)
    const [tried] = (await lane.claim(one, 2)) as [HeldDelivery]
    await lane.settle(tried, one, 500)
    const [again] = await lane.claim(two, 10, after5Min)
    assert.deepEqual([again?.id, again?.attempts], [tried.id, 1])
    assert.deepEqual((await lane.settle(tried, one, 200, after5Min)).ids, [], 'the claim before has no second attempt')
  })

  test('takes nothing of an endpoint that is paused or deleted', async () => {
    await lane.owe(1)
    await lane.turn('paused')
    assert.equal((await lane.claim(one, 1)).length, 0)
    await lane.turn('enabled')
    await lane.turn('deleted')
    assert.equal((await lane.claim(one, 1)).length, 0)
  })
})

describe('a result', () => {
  test('of whoever has it in hand is written, with its attempt', async () => {
    await lane.owe(1)
    const held = await lane.claimOne(one)
    assert.deepEqual(await lane.settle(held, one, 500), { ids: [held.id], paused: [] })
    assert.deepEqual(await lane.row(), {
      ...{ state: 'pending', attempts: 1, scheduledMade: 1, dueAt: after5Min, resendAt: null, parked: false },
      ...{ holder: null, settledAt: null },
    })
    const again = await lane.claimOne(one, after5Min)
    assert.deepEqual([again.attempts, again.scheduledMade, again.originalAt, again.lastAt], [1, 1, noon, noon])
    await lane.settle(again, one, 204, after5Min)
    const settled = await lane.row()
    assert.deepEqual([settled.state, settled.dueAt, settled.settledAt], ['delivered', null, after5Min])
    const attempts = await bench.sql`select number, at, status, reason, duration_ms, response from attempt
      where merchant_id = ${merchantId} order by number`
    assert.deepEqual(
      attempts.map(each => ({ ...each })),
      [
        { number: 1, at: noon, status: 500, reason: null, durationMs: 5, response: 'answer' },
        { number: 2, at: after5Min, status: 204, reason: null, durationMs: 5, response: 'answer' },
      ],
    )
  })

  for (const status of [200, 500]) {
    test(`of ${status} is refused for what its claim gave back, and written for what the claim kept`, async () => {
      await lane.owe(3)
      const held = await lane.claim(one, 3)
      const [back, ...kept] = held as [HeldDelivery, ...HeldDelivery[]]
      await lane.giveBack(back)
      const settled = await settleAttempts(
        bench.sql,
        merchantId,
        one,
        held.map(each => resultOf(each, noon, status)),
      )
      assert.deepEqual([...settled.ids].sort(), kept.map(({ id }) => id).sort())
      assert.equal((await lane.claimOne(two)).id, back.id)
    })
  }

  test('of an old claim is refused, also from the same worker', async () => {
    await lane.owe(1)
    const old = await lane.claimOne(one)
    await lane.giveBack(old)
    const held = await lane.claimOne(one)
    assert.deepEqual((await lane.settle(old, one, 200)).ids, [])
    assert.equal((await lane.row()).state, 'pending')
    assert.deepEqual((await lane.settle(held, one, 200)).ids, [held.id])
  })

  test('of a worker that does not hold it any more is refused', async () => {
    await lane.owe(1)
    const old = await lane.claimOne(one)
    await lane.giveBack(old)
    const held = await lane.claimOne(two)
    assert.deepEqual((await lane.settle({ ...held }, one, 200)).ids, [])
    assert.deepEqual((await lane.settle(held, two, 200)).ids, [held.id])
  })

  test('that is written twice, because its commit went unheard, counts once', async () => {
    await lane.owe(1)
    const held = await lane.claimOne(one)
    await lane.settle(held, one, 500)
    assert.deepEqual((await lane.settle(held, one, 500)).ids, [])
    assert.equal((await lane.row()).attempts, 1)
  })

  test('of many deliveries comes in one statement, refused ones beside written ones', async () => {
    await lane.owe(3)
    const held = await lane.claim(one, 3)
    const [lost] = held as [HeldDelivery]
    await lane.giveBack(lost)
    const { ids } = await settleAttempts(
      bench.sql,
      merchantId,
      one,
      held.map((each, index) => resultOf(each, noon, index === 1 ? null : 200)),
    )
    assert.deepEqual([...ids].sort(), [held[1]?.id, held[2]?.id].sort())
  })

  test('of many that were all accepted names those that were written, and no others', async () => {
    const settle = (some: readonly HeldDelivery[]) =>
      settleAttempts(
        bench.sql,
        merchantId,
        one,
        some.map(each => resultOf(each, noon, 200)),
      )
    const idsOf = (some: readonly HeldDelivery[]) => some.map(({ id }) => id).sort()
    await lane.owe(515)
    const many = await lane.claim(one, 512)
    assert.deepEqual([...(await settle(many)).ids].sort(), idsOf(many), 'all of them')
    const [lost, first, second] = (await lane.claim(one, 3)) as [HeldDelivery, HeldDelivery, HeldDelivery]
    await lane.giveBack(lost)
    assert.deepEqual((await settle([lost])).ids, [], 'none of them')
    assert.deepEqual((await settle([lost, first])).ids, [first.id], 'some of them')
    assert.deepEqual((await settle([second, second])).ids, [second.id], 'one of them twice')
    const [{ count } = { count: 0 }] = await bench.sql<{ count: number }[]>`
      select count(*)::int as count from attempt where merchant_id = ${merchantId}`
    assert.equal(count, 514)
  })
})

describe('what a dead worker held', () => {
  test('is found, and freed in bites for others; what the living hold is not', async () => {
    const [living, dead] = [randomUUID() as WorkerId, randomUUID() as WorkerId]
    await registerWorker(bench.sql, living)
    await lane.owe(6)
    await lane.claim(living, 1)
    const lost = [...(await lane.claim(dead, 2)), ...(await lane.claim(dead, 2)), ...(await lane.claim(dead, 1))]
    const holders = (await findDeadHolders(bench.sql)).filter(each => each.merchantId === merchantId)
    assert.deepEqual(
      holders.map(each => ({ ...each })),
      [{ holder: dead, merchantId }],
    )
    const free = () => freeHeld(bench.sql, merchantId, dead, 2)
    const freed = [await free(), await free(), await free()]
    assert.deepEqual([freed.reduce((sum, count) => sum + count), freed.at(-1)], [5, 0], 'two claims at a time')
    assert.equal((await listClaims(bench.sql, living)).length, 1)
    assert.equal((await listClaims(bench.sql, dead)).length, 0)
    for (const old of lost) assert.deepEqual((await lane.settle(old, dead, 200)).ids, [])
    const again = await lane.claim(living, 10)
    assert.deepEqual(again.map(({ id }) => id).sort(), lost.map(({ id }) => id).sort())
  })
})

test('a lane is listed with the earliest that is in nobody’s hand, and not where all are', async () => {
  await lane.owe(2, at(1_000))
  await lane.owe(1, at(60_000))
  const listed = async () => (await listLanes(bench.sql)).filter(each => each.merchantId === merchantId)
  const [held] = await lane.claim(one, 2, after5Min)
  assert.deepEqual(
    (await listed()).map(({ dueAt }) => dueAt),
    [at(60_000)],
  )
  await lane.claim(two, 10, after5Min)
  assert.deepEqual(await listed(), [])
  assert.ok(held !== undefined)
  await lane.settle(held, one, 500, at(2_000))
  assert.deepEqual(
    (await listed()).map(({ dueAt }) => dueAt),
    [at(302_000)],
    'it waits for its next attempt, while its claim is still there',
  )
})

test('every lane is listed once, with its earliest, whatever it holds', async () => {
  const lanes = await Promise.all(Array.from({ length: 30 }, () => newLane(bench.sql, merchantId)))
  for (const [index, each] of lanes.entries()) {
    await owe(bench.sql, each, 5, at(index * 60_000 + 1_000))
    await owe(bench.sql, each, 1, at(index * 60_000))
  }
  const neighbour = (await bench.newShop()).merchantId
  await owe(bench.sql, await newLane(bench.sql, neighbour), 2, noon)
  const listed = (await listLanes(bench.sql)).filter(each => each.merchantId === merchantId)
  const expected = lanes.map(({ endpointId }, index) => ({
    merchantId,
    endpointId,
    dueAt: at(index * 60_000),
    closed: null,
  }))
  const byId = (a: LaneName, b: LaneName) => (a.endpointId < b.endpointId ? -1 : 1)
  assert.deepEqual(listed.sort(byId), expected.sort(byId))
  assert.equal((await listLanes(bench.sql)).filter(each => each.merchantId === neighbour).length, 1)
})
