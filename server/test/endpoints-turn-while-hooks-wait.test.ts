// What becomes of deliveries when their endpoint is paused, resumed or deleted, when they are resent, and when their
// endpoint does nothing but fail: also while a worker has them in hand.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, beforeEach, describe, test } from 'node:test'
import type { HeldDelivery } from '../src/core/delivery.ts'
import type { ClaimId, MerchantId, WorkerId } from '../src/core/ids.ts'
import { settleAttempts } from '../src/store/attempt-results.ts'
import { laneLock, takeFromLane } from '../src/store/claims.ts'
import type { Database, Scope } from '../src/store/database.ts'
import { findParkedInVain, listLanes, setLaneAside, unparkLane } from '../src/store/deliveries.ts'
import { askResend, askResends } from '../src/store/resends.ts'
import { type Bench, openBench } from './support/bench.ts'
import { after5Min, at, newLane, noon, OwedLane, owe, resultOf } from './support/owed.ts'
import { whileHeld } from './support/while-held.ts'

let bench: Bench
let merchantId: MerchantId
let lane: OwedLane
const one = randomUUID() as WorkerId
const dayMs = 86_400_000

before(async () => {
  bench = await openBench()
})
after(() => bench.close())
beforeEach(async () => {
  merchantId = (await bench.newShop()).merchantId
  lane = new OwedLane(bench.sql, await newLane(bench.sql, merchantId))
})

const own = async () => (await listLanes(bench.sql)).filter(each => each.merchantId === merchantId)

describe('an endpoint that is deleted', () => {
  test('while an attempt fails ends the delivery: it is canceled', async () => {
    await lane.owe(1)
    const held = await lane.claimOne(one)
    await lane.turn('deleted')
    assert.deepEqual((await lane.settle(held, one, 500)).ids, [held.id])
    const { state, attempts, dueAt, settledAt } = await lane.row()
    assert.deepEqual(
      { state, attempts, dueAt, settledAt },
      { state: 'canceled', attempts: 1, dueAt: null, settledAt: noon },
    )
  })

  test('while an attempt is accepted does not undo that it was delivered', async () => {
    await lane.owe(1)
    const held = await lane.claimOne(one)
    await lane.turn('deleted')
    await lane.settle(held, one, 200)
    assert.equal((await lane.row()).state, 'delivered')
  })

  test('ends what waits and what is parked, in bites, and leaves what is in hand to its worker', async () => {
    await lane.owe(5)
    await lane.turn('paused')
    assert.equal(await setLaneAside(bench.sql, lane.name, 'paused', { now: noon, limit: 2 }), 2)
    await lane.turn('enabled')
    const held = await lane.claimOne(one)
    await lane.turn('deleted')
    assert.equal((await own())[0]?.closed, 'deleted')
    const by = { now: noon, limit: 3 }
    assert.deepEqual(
      [
        await setLaneAside(bench.sql, lane.name, 'deleted', by),
        await setLaneAside(bench.sql, lane.name, 'deleted', by),
      ],
      [3, 1],
    )
    const states =
      await bench.sql`select state, count(*)::int as count from whole_delivery where merchant_id = ${merchantId} group by 1 order by 1`
    assert.deepEqual(
      states.map(each => ({ ...each })),
      [
        { state: 'canceled', count: 4 },
        { state: 'pending', count: 1 },
      ],
    )
    assert.deepEqual((await lane.settle(held, one, 200)).ids, [held.id])
  })
})

describe('an endpoint that is paused', () => {
  test('parks what waits; resumed, each goes on where it stood', async () => {
    await lane.owe(2)
    await lane.settle(await lane.claimOne(one), one, 500)
    await lane.turn('paused')
    assert.equal((await own())[0]?.closed, 'paused')
    assert.equal(await setLaneAside(bench.sql, lane.name, 'paused', { now: noon, limit: 10 }), 2)
    assert.deepEqual(await own(), [])
    await lane.turn('enabled')
    assert.equal(await unparkLane(bench.sql, lane.name, 10), 2)
    const held = await lane.claim(one, 10, after5Min)
    assert.deepEqual(held.map(({ scheduledMade }) => scheduledMade).sort(), [0, 1])
  })

  test('while an attempt fails parks it with its place in the schedule', async () => {
    await lane.owe(1)
    const held = await lane.claimOne(one)
    await lane.turn('paused')
    await lane.settle(held, one, 500)
    const { parked, dueAt, scheduledMade } = await lane.row()
    assert.deepEqual({ parked, dueAt, scheduledMade }, { parked: true, dueAt: after5Min, scheduledMade: 1 })
  })

  test('while an attempt is accepted parks nothing', async () => {
    await lane.owe(1)
    const held = await lane.claimOne(one)
    await lane.turn('paused')
    await lane.settle(held, one, 200)
    const { parked, state } = await lane.row()
    assert.deepEqual({ parked, state }, { parked: false, state: 'delivered' })
  })

  test('is not set aside any more when it was resumed meanwhile', async () => {
    await lane.owe(1)
    assert.equal(await setLaneAside(bench.sql, lane.name, 'paused', { now: noon, limit: 10 }), 0)
    assert.equal(await setLaneAside(bench.sql, lane.name, 'deleted', { now: noon, limit: 10 }), 0)
  })

  test('and whose resuming or deleting was left half done is found', async () => {
    const ownParked = async () => (await findParkedInVain(bench.sql)).filter(each => each.merchantId === merchantId)
    await lane.owe(3)
    await lane.turn('paused')
    await setLaneAside(bench.sql, lane.name, 'paused', { now: noon, limit: 10 })
    assert.deepEqual(await ownParked(), [])
    await lane.turn('enabled')
    assert.deepEqual(await ownParked(), [{ ...lane.name, deleted: false }])
    await lane.turn('deleted')
    assert.deepEqual(await ownParked(), [{ ...lane.name, deleted: true }])
    await setLaneAside(bench.sql, lane.name, 'deleted', { now: noon, limit: 10 })
    assert.deepEqual(await ownParked(), [])
  })
})

describe('a resend', () => {
  const range = { createdAfter: new Date(0), createdBefore: null, state: null }
  const ask = (id: HeldDelivery['id'], now: Date) => bench.sql.begin(scope => askResend(scope, merchantId, id, now))

  test('that is asked for while an attempt is in hand is kept, and made after it', async () => {
    await lane.owe(1)
    await lane.settle(await lane.claimOne(one), one, 500)
    const held = await lane.claimOne(one, after5Min)
    assert.equal(await ask(held.id, at(301_234)), 'asked')
    await lane.settle(held, one, 200, after5Min)
    const { state, resendAt, dueAt } = await lane.row()
    assert.deepEqual({ state, resendAt, dueAt }, { state: 'delivered', resendAt: at(301_234), dueAt: at(301_234) })
    const again = await lane.claimOne(one, at(302_000))
    assert.deepEqual(again.resendAt, at(301_234))
    await lane.settle(again, one, null, at(302_000))
    const over = await lane.row()
    assert.deepEqual(
      [over.state, over.resendAt, over.dueAt, over.attempts, over.scheduledMade],
      ['delivered', null, null, 3, 2],
    )
    assert.deepEqual(over.settledAt, after5Min, 'it was settled when it was delivered')
  })

  test('that fails leaves the schedule where it was', async () => {
    await lane.owe(1)
    const held = await lane.claimOne(one)
    const { id } = held
    await lane.giveBack(held)
    await lane.settle(await lane.claimOne(one), one, 500)
    await ask(id, at(60_000))
    await lane.settle(await lane.claimOne(one, at(60_000)), one, 500, at(60_000))
    const { dueAt, scheduledMade, attempts, resendAt } = await lane.row()
    assert.deepEqual(
      { dueAt, scheduledMade, attempts, resendAt },
      { dueAt: after5Min, scheduledMade: 1, attempts: 2, resendAt: null },
    )
  })

  test('is made once, though it is asked for twice', async () => {
    await lane.owe(1)
    const held = await lane.claimOne(one)
    await lane.settle(held, one, 200)
    await ask(held.id, at(1_000))
    await ask(held.id, at(2_000))
    await lane.settle(await lane.claimOne(one, at(3_000)), one, 200, at(3_000))
    assert.equal((await lane.claim(one, 10, at(10_000))).length, 0)
    assert.equal((await lane.row()).attempts, 2)
  })

  for (const [of, askFor] of [
    ['one', (id: HeldDelivery['id']) => ask(id, at(1_000))],
    ['a range', () => askResends(bench.sql, merchantId, { ...range, endpointId: lane.name.endpointId }, at(1_000))],
  ] as const) {
    for (const status of [200, 500]) {
      test(`of ${of} that comes while a result (${status}) is being committed has the number after it`, async () => {
        await lane.owe(1)
        await lane.settle(await lane.claimOne(one), one, 500)
        const held = await lane.claimOne(one, after5Min)
        const written = (scope: Scope) => {
          const own = Object.assign(scope, { begin: (work: (scope: Scope) => Promise<unknown>) => work(scope) })
          return settleAttempts(own as Database, merchantId, one, [resultOf(held, after5Min, status)])
        }
        await whileHeld(bench.sql, written, async () => void (await askFor(held.id)))
        const again = await lane.claimOne(one, at(301_000))
        assert.deepEqual([again.attempts, again.resendAt], [2, at(1_000)])
        assert.deepEqual((await lane.settle(again, one, 200, at(301_000))).ids, [held.id])
        const made = await bench.sql`select number from attempt where merchant_id = ${merchantId} order by number`
        assert.deepEqual(
          made.map(({ number }) => number),
          [1, 2, 3],
        )
      })
    }
  }

  test('that is just being claimed when its endpoint is deleted is left to the claim, and its result is written', async () => {
    await lane.owe(1)
    const first = await lane.claimOne(one)
    const { id } = first
    await lane.settle(first, one, 200)
    await ask(id, at(1_000))
    const claiming = { id: randomUUID() as ClaimId, holder: one, now: at(2_000), limit: 1, goesOn: false }
    let taken: readonly { readonly id: string }[] = []
    const claim = async (scope: Scope) => {
      await laneLock(scope, lane.name)
      taken = await takeFromLane(scope, lane.name, claiming)
      await lane.turn('deleted')
    }
    const aside = () => setLaneAside(bench.sql, lane.name, 'deleted', { now: at(3_000), limit: 10 })
    assert.equal(await whileHeld(bench.sql, claim, aside, ['advisory']), 0)
    assert.deepEqual(
      taken.map(each => each.id),
      [id],
    )
    const held = heldBy(taken[0] as Partial<HeldDelivery>, claiming.id)
    assert.deepEqual((await lane.settle(held, one, 500, at(4_000))).ids, [id])
    const { state, dueAt, attempts } = await lane.row()
    assert.deepEqual({ state, dueAt, attempts }, { state: 'delivered', dueAt: null, attempts: 2 })
  })

  /** As a claim would have handed it over. */
  const heldBy = (row: Partial<HeldDelivery>, claimId: ClaimId) =>
    ({ ...row, ...lane.name, claimId, holder: one, url: 'http://merchant.test/' }) as HeldDelivery

  test('of an endpoint that was deleted meanwhile is not made', async () => {
    await lane.owe(1)
    const held = await lane.claimOne(one)
    await lane.settle(held, one, 200)
    await ask(held.id, at(1_000))
    await lane.turn('deleted')
    await setLaneAside(bench.sql, lane.name, 'deleted', { now: at(2_000), limit: 10 })
    const { state, dueAt, resendAt, settledAt } = await lane.row()
    assert.deepEqual(
      { state, dueAt, resendAt, settledAt },
      { state: 'delivered', dueAt: null, resendAt: null, settledAt: noon },
    )
  })
})

describe('the days of failures that pause an endpoint', () => {
  const attemptAt = async (time: Date, status: number | null) => {
    await lane.owe(1)
    return lane.settle(await lane.claimOne(one, time), one, status, time)
  }
  const endpoint = async () => {
    const [found] =
      await bench.sql`select status, paused_because, failing_since from hook_endpoint where id = ${lane.name.endpointId}`
    return { ...found }
  }

  test('are five, from the first failure: a moment less does not', async () => {
    await attemptAt(noon, 500)
    assert.deepEqual((await endpoint()).failingSince, noon)
    assert.deepEqual((await attemptAt(at(5 * dayMs - 1), null)).paused, [])
    assert.equal((await endpoint()).status, 'enabled')
    const { paused } = await attemptAt(at(5 * dayMs), 404)
    assert.deepEqual(paused, [{ endpointId: lane.name.endpointId, url: 'http://merchant.test/' }])
    assert.deepEqual(await endpoint(), { status: 'paused', pausedBecause: 'failing', failingSince: noon })
  })

  test('are announced once', async () => {
    await lane.owe(3)
    const [first, second, third] = (await lane.claim(one, 3)) as [HeldDelivery, HeldDelivery, HeldDelivery]
    await lane.settle(first, one, 500)
    assert.equal((await lane.settle(second, one, 500, at(6 * dayMs))).paused.length, 1)
    assert.equal((await lane.settle(third, one, 500, at(6 * dayMs))).paused.length, 0)
  })

  test('begin anew with a success', async () => {
    await attemptAt(noon, 500)
    await attemptAt(at(dayMs), 200)
    assert.equal((await endpoint()).failingSince, null)
    await attemptAt(at(2 * dayMs), 500)
    assert.deepEqual((await attemptAt(at(6 * dayMs), 500)).paused, [])
    assert.equal((await attemptAt(at(7 * dayMs), 500)).paused.length, 1)
  })

  test('end with one success among failures that are written together', async () => {
    await attemptAt(noon, 500)
    await lane.owe(3)
    const held = await lane.claim(one, 3)
    const results = held.map((each, index) => resultOf(each, at(6 * dayMs), index === 1 ? 200 : 500))
    assert.deepEqual((await settleAttempts(bench.sql, merchantId, one, results)).paused, [])
    assert.deepEqual(await endpoint(), { status: 'enabled', pausedBecause: null, failingSince: null })
  })

  test('are counted for each endpoint by itself', async () => {
    const other = await newLane(bench.sql, merchantId)
    await attemptAt(noon, 500)
    await lane.owe(1)
    await owe(bench.sql, other, 1, noon)
    const time = at(6 * dayMs)
    const held = [...(await lane.claim(one, 1)), ...(await new OwedLane(bench.sql, other).claim(one, 1))]
    const { paused } = await settleAttempts(
      bench.sql,
      merchantId,
      one,
      held.map(each => resultOf(each, time, 500)),
    )
    assert.deepEqual(
      paused.map(({ endpointId }) => endpointId),
      [lane.name.endpointId],
    )
  })
})
