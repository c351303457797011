// A claim that goes on where the others of its lane end: it passes by what is in hand without a look, and still nothing is in two hands, and
// nothing is left behind for good.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, beforeEach, describe, test } from 'node:test'
import fc from 'fast-check'
import type { HeldDelivery } from '../src/core/delivery.ts'
import type { DeliveryId, MerchantId, WorkerId } from '../src/core/ids.ts'
import { endClaims } from '../src/store/claims.ts'
import { setLaneAside, unparkLane } from '../src/store/deliveries.ts'
import { askResend } from '../src/store/resends.ts'
import { freeHeld } from '../src/store/workers.ts'
import { type Bench, openBench } from './support/bench.ts'
import { at, newLane, noon, OwedLane } from './support/owed.ts'
import { repetitions } from './support/repetitions.ts'

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

const idsOf = (held: readonly HeldDelivery[]) => held.map(({ id }) => id)
const end = (held: HeldDelivery | undefined) => endClaims(bench.sql, merchantId, held?.claimId ? [held.claimId] : [])
const resend = (id: DeliveryId, now: Date) => bench.sql.begin(scope => askResend(scope, merchantId, id, now))

/** In the order of the lane. */
async function allIds(): Promise<DeliveryId[]> {
  const rows = await bench.sql<{ id: DeliveryId }[]>`
    select id from owed_delivery where merchant_id = ${merchantId} order by due_at, id`
  return rows.map(({ id }) => id)
}

describe('a claim that goes on', () => {
  test('takes what follows, of many that are due at the same time as well, whoever has the rest', async () => {
    await lane.owe(6)
    await lane.owe(6, at(1))
    const taken: HeldDelivery[] = []
    for (const holder of [one, two, one, two]) taken.push(...(await lane.claimOn(holder, 3, at(1))))
    assert.deepEqual(idsOf(taken), await allIds())
    assert.deepEqual(await lane.claimOn(one, 3, at(1)), [])
  })

  test('of many at once gives each delivery to one of them', async () => {
    await lane.owe(400)
    const claims = await Promise.all(Array.from({ length: 40 }, (_, i) => lane.claimOn(i % 2 === 0 ? one : two, 10)))
    assert.deepEqual(idsOf(claims.flat()).sort(), (await allIds()).sort())
  })

  test('takes nothing that is not due', async () => {
    await lane.owe(2)
    await lane.owe(1, at(1))
    assert.equal((await lane.claimOn(one, 10)).length, 2)
    assert.equal((await lane.claimOn(one, 10)).length, 0)
    assert.equal((await lane.claimOn(one, 10, at(1))).length, 1)
  })

  test('passes by what was given back and what came late: one from the beginning has them', async () => {
    await lane.owe(4, at(1))
    const [first] = await lane.claimOn(one, 2, at(1))
    assert.ok(first !== undefined)
    await lane.giveBack(first)
    await lane.owe(1)
    assert.equal((await lane.claimOn(two, 10, at(1))).length, 2)
    assert.equal((await lane.claimOn(two, 10, at(1))).length, 0)
    const left = idsOf(await lane.claim(two, 10, at(1)))
    assert.equal(left.length, 2)
    assert.ok(left.includes(first.id))
  })

  test('begins at the beginning where nothing is claimed, and behind the others when the furthest has ended', async () => {
    await lane.owe(6)
    const [a, b, c, d] = await allIds()
    const first = await lane.claimOn(one, 2)
    const second = await lane.claimOn(one, 2)
    assert.deepEqual(
      [idsOf(first), idsOf(second)],
      [
        [a, b],
        [c, d],
      ],
    )
    for (const held of second) await lane.settle(held, one, 200)
    await end(second[0])
    const third = await lane.claimOn(one, 1)
    assert.deepEqual(idsOf(third), (await allIds()).slice(2, 3))
  })

  test('leaves to its worker what is in hand and was asked for again meanwhile', async () => {
    await lane.owe(1)
    const held = await lane.claimOne(one)
    await lane.settle(held, one, 200)
    await end(held)
    await resend(held.id, at(1))
    const again = await lane.claimOne(one, at(1))
    await resend(held.id, at(2))
    await lane.owe(1, at(3))
    const next = await lane.claimOn(two, 10, at(3))
    assert.equal(next.length, 1)
    assert.notEqual(next[0]?.id, held.id)
    await lane.settle(again, one, 500, at(4))
    assert.deepEqual(idsOf(await lane.claim(two, 10, at(4))), [held.id], 'when that attempt is over, it is made')
  })

  test('finds nothing behind a claim that does not say where it ends', async () => {
    await lane.owe(4)
    await lane.claim(one, 1)
    await bench.sql`update claim set ends_due_at = default, ends_id = default where merchant_id = ${merchantId}`
    assert.equal((await lane.claimOn(two, 10)).length, 0)
    assert.equal((await lane.claim(two, 10)).length, 3)
  })
})

/** What workers, merchants and time do to a lane; numbers choose among what is there. */
type Step =
  | { readonly do: 'owe'; readonly count: number; readonly early: boolean }
  | { readonly do: 'claim'; readonly by: WorkerId; readonly limit: number; readonly goesOn: boolean }
  | { readonly do: 'settle'; readonly which: number; readonly status: number }
  | { readonly do: 'give back' | 'resend'; readonly which: number }
  | { readonly do: 'die'; readonly by: WorkerId }
  | { readonly do: 'pause and resume' | 'wait' }

const which = fc.nat(99)
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('owe' as const), count: fc.integer({ min: 1, max: 4 }), early: fc.boolean() }),
  {
    arbitrary: fc.record({
      ...{ do: fc.constant('claim' as const), by: fc.constantFrom(one, two) },
      ...{ limit: fc.integer({ min: 1, max: 3 }), goesOn: fc.boolean() },
    }),
    weight: 3,
  },
  {
    arbitrary: fc.record({ do: fc.constant('settle' as const), which, status: fc.constantFrom(200, 200, 500) }),
    weight: 2,
  },
  fc.record({ do: fc.constantFrom('give back' as const, 'resend' as const), which }),
  fc.record({ do: fc.constant('die' as const), by: fc.constantFrom(one, two) }),
  fc.record({ do: fc.constantFrom('pause and resume' as const, 'wait' as const) }),
)

/** Time goes on by the longest step of the schedule that counts here: a second attempt. */
const waitMs = 300_000
const manyEnough = 1_000

class Model {
  readonly lane: OwedLane
  readonly hand = new Map<DeliveryId, HeldDelivery>()
  readonly done: DeliveryId[] = []
  timeMs = 1

  constructor(inLane: OwedLane) {
    this.lane = inLane
  }

  get now(): Date {
    return at(this.timeMs)
  }

  async take(each: Step): Promise<void> {
    this.timeMs += 1
    if (each.do === 'owe') await this.lane.owe(each.count, each.early ? noon : this.now)
    else if (each.do === 'claim') await this.claim(each)
    else if (each.do === 'settle') await this.settle(chosen(each.which, [...this.hand.values()]), each.status)
    else if (each.do === 'give back') await this.giveBack(chosen(each.which, [...this.hand.values()]))
    else if (each.do === 'resend') await this.resend(chosen(each.which, [...this.hand.keys(), ...this.done]))
    else if (each.do === 'die') await this.die(each.by)
    else if (each.do === 'pause and resume') await this.pauseAndResume()
    else this.timeMs += waitMs
  }

  async claim({ by, limit, goesOn }: Step & { do: 'claim' }): Promise<number> {
    const taken = await (goesOn ? this.lane.claimOn(by, limit, this.now) : this.lane.claim(by, limit, this.now))
    for (const held of taken) {
      assert.ok(!this.hand.has(held.id), 'it is in one hand')
      this.hand.set(held.id, held)
    }
    return taken.length
  }

  async settle(held: HeldDelivery | undefined, status: number): Promise<void> {
    if (held === undefined) return
    assert.deepEqual((await this.lane.settle(held, held.holder, status, this.now)).ids, [held.id])
    if (status === 200) this.done.push(held.id)
    await this.leave(held)
  }

  async giveBack(held: HeldDelivery | undefined): Promise<void> {
    if (held === undefined) return
    await this.lane.giveBack(held)
    await this.leave(held)
  }

  /** As a worker does: a claim of which nothing is in hand ends. */
  async leave(held: HeldDelivery): Promise<void> {
    this.hand.delete(held.id)
    if (![...this.hand.values()].some(({ claimId }) => claimId === held.claimId)) await end(held)
  }

  async resend(id: DeliveryId | undefined): Promise<void> {
    if (id !== undefined) await resend(id, this.now)
  }

  /** What it held is freed. */
  async die(holder: WorkerId): Promise<void> {
    await freeHeld(bench.sql, merchantId, holder, manyEnough)
    for (const held of this.hand.values()) if (held.holder === holder) this.hand.delete(held.id)
  }

  async pauseAndResume(): Promise<void> {
    await this.lane.turn('paused')
    await setLaneAside(bench.sql, this.lane.name, 'paused', { now: this.now, limit: manyEnough })
    await this.lane.turn('enabled')
    await unparkLane(bench.sql, this.lane.name, manyEnough)
  }

  async claimAll(): Promise<void> {
    this.timeMs += waitMs
    while ((await this.claim({ do: 'claim', by: one, limit: 3, goesOn: false })) > 0) {}
  }
}

function chosen<Value>(index: number, among: readonly Value[]): Value | undefined {
  return among[index % among.length]
}

test('whatever workers and merchants do, nothing is in two hands and nothing that is due is out of reach', async () => {
  const all = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async steps => {
    const model = new Model(new OwedLane(bench.sql, await newLane(bench.sql, (await bench.newShop()).merchantId)))
    merchantId = model.lane.name.merchantId
    for (const each of steps) await model.take(each)
    await model.claimAll()
    const due = await bench.sql<{ id: DeliveryId }[]>`
      select id from owed_delivery where merchant_id = ${merchantId} and due_at <= ${model.now} order by id`
    assert.deepEqual(
      due.map(({ id }) => id),
      [...model.hand.keys()].sort(),
    )
  })
  await fc.assert(all, { numRuns: repetitions(30, 300) })
})
