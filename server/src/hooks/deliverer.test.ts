import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, mock, test } from 'node:test'
import {
  type Answers,
  delivererOn,
  pass,
  passUntil,
  passUntilEnd,
  stopTime,
} from '../../test/support/deliverer-bench.ts'
import { heldFor, merchantOf, noon } from '../../test/support/delivery-samples.ts'
import { type FakeRow, FakeStore } from '../../test/support/fake-delivery-store.ts'
import type { HeldDelivery } from '../core/delivery.ts'
import type { ClaimId, EndpointId, WorkerId } from '../core/ids.ts'
import type { Deliverer } from './deliverer.ts'
import { limits } from './limits.ts'
import { inTurnMax } from './pace.ts'

const never = new Promise<never>(() => {})
let store: FakeStore

describe('a deliverer', () => {
  let deliverers: Deliverer[]
  const begin = async (name: string, answers?: Answers, isAwaited?: () => boolean) => {
    const made = delivererOn(store, name, answers, isAwaited)
    deliverers.push(made.deliverer)
    await made.deliverer.start()
    await pass(20)
    return made
  }
  beforeEach(() => {
    store = new FakeStore()
    deliverers = []
    stopTime()
  })
  afterEach(async () => {
    await passUntilEnd(Promise.all(deliverers.map(deliverer => deliverer.stop())))
    mock.timers.reset()
    mock.restoreAll()
  })

  test('sends what a charge of its process owes at once, without a look into the database', async () => {
    const { deliverer, wire, seen } = await begin('w')
    store.listLanes = () => never
    store.claim = () => never
    const row = store.bear(deliverer.outbox, 'a.1')
    assert.deepEqual(
      wire.map(({ held }) => held.id),
      [row.held.id],
    )
    wire[0]?.answer(200)
    await passUntil('it is settled', () => store.areAllDelivered)
    assert.deepEqual([seen.attempted.length, row.attempts, row.holder], [1, 1, null])
    deliverers = [] // it looks for ever
  })

  test('claims what is due, and tries again what failed when its time has come', async () => {
    const [row] = store.owe('a.1', 1)
    await begin('w', () => 500)
    await passUntil('it was tried', () => row?.attempts === 1)
    assert.deepEqual([row?.held.state, row?.dueAt], ['pending', new Date(noon.getTime() + 300_000)])
    await pass(2_000)
    assert.equal(row?.attempts, 1, 'its next time has not come')
  })

  test('lets go of what a delivery says as soon as it was sent: until its result is written, only the rest is needed', async () => {
    const { deliverer, wire } = await begin('w')
    const settle = mock.method(store, 'settle')
    const row = store.bear(deliverer.outbox, 'a.1')
    assert.equal(wire[0]?.held.details, '{}')
    wire[0]?.answer(500)
    await passUntil('it is settled', () => row.attempts === 1)
    const results = settle.mock.calls.flatMap(call => call.arguments[2])
    assert.deepEqual(
      results.map(({ held }) => [held.id, held.details]),
      [[row.held.id, '']],
    )
  })

  test('leaves for a claim what does not fit into the lane, and sends it as soon as there is room', async () => {
    const { deliverer, wire, seen } = await begin('w')
    for (let i = 0; i < 80; i++) store.bear(deliverer.outbox, 'a.1')
    assert.deepEqual([wire.length, store.held.length], [limits.laneStart, limits.depth * limits.laneStart])
    await pass(100)
    // It has looked, and found no room. From here on only the ends of attempts can bring the rest.
    store.listLanes = () => never
    await passUntil('all are sent', () => {
      for (const { answer } of wire) answer(200)
      return store.areAllDelivered
    })
    assert.deepEqual([seen.attempted.length, new Set(seen.attempted).size], [80, 80])
    deliverers = [] // it looks for ever
  })

  describe('of a long lane', () => {
    test('goes on where its claims end, and looks from the beginning when there is no more', async () => {
      store.owe('a.1', 200)
      const claimed: [goesOn: boolean, count: number][] = []
      const claim = store.claim.bind(store)
      store.claim = async (lane, claiming) => {
        const held = await claim(lane, claiming)
        claimed.push([claiming.goesOn, held.length])
        return held
      }
      const { wire } = await begin('w')
      const listLanes = store.listLanes.bind(store)
      store.listLanes = async () => [] // rounds bring nothing from here on
      await passUntil('all are sent', () => {
        for (const { answer } of wire) answer(200)
        return store.areAllDelivered
      })
      store.listLanes = listLanes
      const [first, ...later] = claimed
      assert.deepEqual(first, [false, limits.depth * limits.laneStart])
      assert.ok(later.length > 1)
      assert.deepEqual(
        later.map(([goesOn]) => goesOn),
        later.map((_, index) => index < later.length - 1),
        'the last one looks for what the one before it has passed by',
      )
    })

    test('writes the last results as soon as the last attempt is over', async () => {
      const { deliverer, seen } = await begin('w', () => 200)
      store.owe('a.1', 100)
      deliverer.wake()
      await passUntil('all are sent', () => seen.attempted.length === 100)
      await pass(10)
      assert.ok(store.areAllDelivered)
    })

    test('looks from the beginning with the next claim when a round came while it went on', async () => {
      store.owe('a.1', 5_000)
      const claim = store.claim.bind(store)
      const slow = Promise.withResolvers<void>()
      const begun: boolean[] = []
      store.claim = async (lane, claiming) => {
        begun.push(claiming.goesOn)
        if (claiming.goesOn) await slow.promise
        return claim(lane, claiming)
      }
      const { wire } = await begin('w')
      await passUntil('it goes on', () => {
        for (const { answer } of wire.splice(0)) answer(200)
        return begun.at(-1) === true
      })
      await pass(600)
      assert.equal(begun.at(-1), true)
      const before = begun.length
      slow.resolve()
      await passUntil('it claims again', () => {
        for (const { answer } of wire.splice(0)) answer(200)
        return begun.length > before
      })
      assert.equal(begun[before], false)
      for (const { answer } of wire) answer(200)
    })

    /** Whether each claim went on. */
    function claimsSeen(): boolean[] {
      const seen: boolean[] = []
      const claim = store.claim.bind(store)
      store.claim = (lane, claiming) => {
        seen.push(claiming.goesOn)
        return claim(lane, claiming)
      }
      return seen
    }

    test('looks from the beginning with the next claim when a round found no room', async () => {
      store.owe('a.1', 500)
      const goesOn = claimsSeen()
      const { wire } = await begin('w')
      await pass(600)
      store.listLanes = () => never
      await passUntil('it claims again', () => {
        for (const { answer } of wire.splice(0)) answer(200)
        return goesOn.length > 2
      })
      assert.deepEqual(goesOn.slice(0, 3), [false, false, true])
      deliverers = [] // it looks for ever
    })

    test('looks from the beginning with the next claim when it gave something back', async () => {
      store.owe('a.1', 500)
      const goesOn = claimsSeen()
      const { wire } = await begin('w')
      store.listLanes = () => never
      wire.shift()?.answer(500)
      await passUntil('it claims again', () => {
        for (const { answer } of wire.splice(0)) answer(200)
        return goesOn.length > 3
      })
      assert.equal(goesOn.filter(each => !each).length, 2, 'the first, and one after that')
      deliverers = [] // it looks for ever
    })

    test('passes by little of what is given back over and over', async () => {
      const rows = store.owe('a.1', 2_000)
      await begin('w', () => 500)
      await pass(20_000)
      const reached = rows.findLastIndex(({ attempts }) => attempts > 0)
      assert.ok(reached > 200)
      const passedBy = rows.slice(0, reached).filter(({ attempts, holder }) => attempts === 0 && holder === null)
      assert.ok(passedBy.length <= limits.depth * limits.laneMin, `${passedBy.length} of ${reached}`)
    })

    test('sends what is due before all that is claimed with the next round, though there is always more', async () => {
      store.owe('a.1', 100)
      const late = store.owe('a.1', 1)[0] ?? assert.fail()
      store.owe('a.1', 5_000)
      late.dueAt = null
      const { wire, seen } = await begin('w')
      await passUntil('all that came before it were sent', () => {
        for (const { answer } of wire.splice(0)) answer(200)
        return seen.attempted.length > 150
      })
      late.dueAt = noon
      await passUntil('it is on the wire', () => {
        const isThere = wire.some(({ held }) => held.id === late.held.id)
        if (!isThere) for (const { answer } of wire.splice(0, 4)) answer(200)
        return isThere
      })
      assert.ok(store.pending.length > 100, 'and there was more')
      for (const { answer } of wire) answer(200)
    })
  })

  test('that does not send wakes others for what it owes', async () => {
    const { deliverer, othersWoken } = delivererOn(store, 'api')
    const row = store.bear(deliverer.outbox, 'a.1')
    assert.deepEqual([row.holder, othersWoken()], [null, 1])
  })

  test('sends what comes while it looks: a wake meanwhile is not lost', async () => {
    const { deliverer, seen } = await begin('w', () => 200)
    const listLanes = store.listLanes.bind(store)
    const slow = Promise.withResolvers<void>()
    store.listLanes = async () => {
      const listed = await listLanes()
      await slow.promise
      return listed
    }
    deliverer.wake()
    await pass(20)
    store.owe('a.1', 1)
    deliverer.wake()
    store.listLanes = listLanes
    slow.resolve()
    await pass(200)
    assert.equal(seen.attempted.length, 1)
  })

  describe('that was taken for dead', () => {
    test('drops what waits, has old results refused, and goes on under another name: nothing is lost', async () => {
      store.owe('a.1', 12)
      const { deliverer, wire, seen } = await begin('w')
      assert.deepEqual([wire.length, store.held.length], [8, 12])
      const first = deliverer.outbox.holder()
      store.living.delete(first as WorkerId)
      await passUntil('it has another name', () => deliverer.outbox.holder() !== first)
      const second = deliverer.outbox.holder()
      await passUntil('its own are taken up again', () => store.held.every(({ holder }) => holder === second))
      for (const { answer } of wire) answer(200)
      await passUntil('the old results are refused', () => seen.tooLate === 8)
      await passUntil('all are delivered', () => {
        for (const { answer } of wire) answer(200)
        return store.areAllDelivered
      })
      assert.deepEqual([seen.tooLate, wire.length], [8, 20])
      assert.ok([...store.rows.values()].every(({ attempts }) => attempts === 1))
    })
  })

  test('that was taken for dead, and of which nothing was freed yet, can still say how its attempts ended', async () => {
    store.owe('a.1', 2)
    const { deliverer, wire, seen } = await begin('w')
    const first = deliverer.outbox.holder()
    Object.assign(store.workers, { findDeadHolders: async () => [] })
    store.living.delete(first as WorkerId)
    await passUntil('it has another name', () => deliverer.outbox.holder() !== first)
    for (const { answer } of wire) answer(200)
    await passUntil('they are settled', () => store.areAllDelivered)
    assert.equal(seen.tooLate, 0)
  })

  describe('what is held in its name but not in hand', () => {
    test('because its commit went unheard, is freed and sent', async () => {
      const { deliverer, seen } = await begin('w', () => 200)
      const row = store.commit(deliverer.outbox, 'a.1')
      assert.notEqual(row.holder, null)
      await passUntil('it is sent', () => store.areAllDelivered)
      assert.deepEqual([seen.freed, row.attempts], [1, 1])
    })

    test('for a moment only, because it is on its way, is left alone', async () => {
      const { deliverer, wire, seen } = await begin('w')
      await pass(2_500) // it looks for strays every five seconds: once while this is on its way
      const row = store.commit(deliverer.outbox, 'a.1')
      await pass(4_900)
      deliverer.outbox.born([{ ...row.held }], false)
      await pass(15_000)
      assert.deepEqual([seen.freed, wire.length], [0, 1])
    })

    test('because something unforeseen was thrown, is freed and tried again; the others go on', async () => {
      const { deliverer, wire, seen } = await begin('w')
      for (let i = 0; i < 12; i++) store.bear(deliverer.outbox, 'a.1')
      await breakFirst(wire)
      assert.match(String(seen.errors), /unforeseen/)
      assert.equal(seen.freed, 1)
    })

    test('because something unforeseen was thrown, is given back by its claim and tried again, but not at once', async () => {
      store.owe('a.1', 12)
      const { wire, seen } = await begin('w')
      const beganMs = performance.now()
      await breakFirst(wire)
      assert.ok(performance.now() - beganMs >= 1_000, 'or it would be thrown without end')
      assert.match(String(seen.errors), /unforeseen/)
      await passUntil('no claim is left', () => store.inClaims.size === 0)
    })

    test('because the database was away when it should have been given back, is sent when it is there again', async () => {
      store.owe('a.1', 32)
      const { wire } = await begin('w')
      const { findSending, cutClaims, listLanes, claim } = store
      const away = () => Promise.reject(new Error('away'))
      await pass(1_500)
      Object.assign(store, { findSending: away, cutClaims: away, listLanes: away, claim: away })
      for (const { answer } of wire) answer(200)
      await pass(3_000)
      Object.assign(store, { findSending, cutClaims, listLanes, claim })
      await passUntil('all are sent', () => {
        for (const { answer } of wire) answer(200)
        return store.areAllDelivered
      })
      await passUntil('no claim is left', () => store.inClaims.size === 0)
    })

    test('because a narrowing lane could not give it back, is sent when its claim has ended', async () => {
      const rows = store.owe('a.1', 32)
      const { wire } = await begin('w')
      const { cutClaims } = store
      store.cutClaims = () => Promise.reject(new Error('away'))
      wire[0]?.answer(500)
      await pass(100)
      store.cutClaims = cutClaims
      await passUntil('all were tried', () => {
        for (const { answer } of wire) answer(200)
        return rows.every(({ attempts }) => attempts > 0)
      })
    })

    async function breakFirst(wire: Awaited<ReturnType<typeof begin>>['wire']): Promise<void> {
      wire[0]?.break(new Error('unforeseen'))
      for (const { answer } of wire.slice(1)) answer(200)
      await passUntil('it is tried again', () => {
        for (const { answer } of wire) answer(200)
        return store.areAllDelivered
      })
    }

    test('is ended, where it is a claim of which nobody knows', async () => {
      const { deliverer, seen } = await begin('w', () => 200)
      store.owe('a.1', 3)
      const lane = heldFor('a.1')
      const claim = {
        id: 'unheard' as ClaimId,
        holder: deliverer.outbox.holder() as WorkerId,
        now: noon,
        limit: 3,
        goesOn: false,
      }
      await store.claim(lane, claim)
      await passUntil('they are sent', () => store.areAllDelivered)
      assert.deepEqual([seen.freed, seen.attempted.length], [3, 3])
    })
  })

  describe('a lane that is closed', () => {
    test('is set aside, however long it is, while others are sent', async () => {
      store.owe('a.paused', 95)
      store.owe('a.deleted', 95)
      store.owe('b.1', 3)
      store.closed.set('a.paused' as EndpointId, 'paused')
      store.closed.set('a.deleted' as EndpointId, 'deleted')
      const { seen } = await begin('w', () => 200)
      assert.equal(seen.attempted.length, 3)
      const count = (isMeant: (row: { parked: boolean; held: HeldDelivery }) => boolean) =>
        [...store.rows.values()].filter(isMeant).length
      // Ten at a time, and no half second between.
      await pass(400)
      assert.equal(
        count(({ parked, held }) => parked || held.state === 'canceled'),
        190,
      )
      assert.equal(seen.attempted.length, 3)
    })

    test('whose resuming was left half done goes on', async () => {
      for (const row of store.owe('a.1', 25)) row.parked = true
      await begin('w', () => 200)
      await pass(200)
      assert.ok([...store.rows.values()].every(({ parked }) => !parked))
      await passUntil('all are delivered', () => store.areAllDelivered)
    })

    test('because it did nothing but fail is told', async () => {
      store.owe('a.1', 1)
      const settle = store.settle.bind(store)
      store.settle = async (merchantId, holder, results) => ({
        ...(await settle(merchantId, holder, results)),
        paused: [{ endpointId: 'a.1' as EndpointId, url: 'http://a.1.test/' }],
      })
      const { seen } = await begin('w', () => 500)
      await passUntil('it is told', () => seen.paused === 1)
    })
  })

  describe('that stops', () => {
    test('lets what is on the wire end and be written, sends nothing more, and leaves the rest to others', async () => {
      store.owe('a.1', 12)
      const { deliverer, wire } = await begin('w')
      const stopped = deliverer.stop()
      await pass(50)
      for (const { answer } of wire) answer(200)
      await passUntilEnd(stopped)
      assert.deepEqual([wire.length, store.pending.length, store.living.size], [8, 4, 0])
      const row = store.bear(deliverer.outbox, 'a.1')
      assert.equal(row.holder, null)
      await begin('other', () => 200)
      await passUntil('the other has sent them', () => store.areAllDelivered)
    })

    test('does not wait for an attempt that hangs; another makes it again', async () => {
      store.owe('a.1', 1)
      const { deliverer } = await begin('w')
      await passUntilEnd(deliverer.stop())
      await begin('other', () => 200)
      await passUntil('the other has sent it', () => store.areAllDelivered)
    })

    test('is stopped although the last attempt threw', async () => {
      store.owe('a.1', 1)
      const { deliverer, wire } = await begin('w')
      const stopped = deliverer.stop()
      wire[0]?.break(new Error('unforeseen'))
      await passUntilEnd(stopped)
      assert.equal(store.living.size, 0)
    })
  })

  test('leaves time between hooks while somebody waits for an answer of this process, and a second longer', async () => {
    for (let lane = 0; lane < 20; lane++) store.owe(`a.${lane}`, 16)
    let inTurn = 0
    let mostInTurn = 0
    const attempted = () => {
      if (inTurn === 0) {
        setImmediate(() => {
          inTurn = 0
        })
      }
      inTurn += 1
      mostInTurn = Math.max(mostInTurn, inTurn)
      return 200
    }
    let awaited = [true]
    await begin('w', attempted, () => awaited.shift() ?? false)
    await passUntil('all are delivered', () => store.areAllDelivered)
    assert.equal(mostInTurn, inTurnMax)

    awaited = []
    await pass(1_000)
    for (let lane = 0; lane < 20; lane++) store.owe(`a.${lane}`, 16)
    await passUntil('all are delivered', () => store.areAllDelivered)
    assert.ok(mostInTurn > inTurnMax, `${mostInTurn} in one turn`)
  })

  describe('memory', () => {
    test('holds a bounded number however many lanes there are: those that are longest due', async () => {
      const lanes = 400
      for (let lane = 0; lane < lanes; lane++) {
        // In an order that is neither that of time nor its reverse.
        store.owe(`m${lane}.1`, 32, new Date(noon.getTime() - ((lane * 7) % lanes) * 1_000))
      }
      const { deliverer, wire } = await begin('w')
      assert.deepEqual([wire.length, store.held.length], [limits.all, limits.depth * limits.all])
      const inMemory = Math.max(...store.held.map(({ dueAt }) => dueAt?.getTime() ?? 0))
      const left = Math.min(
        ...store.pending.filter(({ holder }) => holder === null).map(({ dueAt }) => dueAt?.getTime() ?? 0),
      )
      assert.ok(inMemory <= left)
      assert.equal(deliverer.outbox.holder(), null, 'what is born now waits in the database too')
      // As soon as half of it is free, the next come: without waiting for the next half second.
      for (let i = 0; i < 40; i++) {
        for (const { answer } of wire.splice(0)) answer(200)
        await pass(10)
      }
      assert.ok(store.areAllDelivered)
      assert.notEqual(deliverer.outbox.holder(), null)
      assert.ok(store.heldMax <= limits.depth * limits.all)
    })

    test('holds a bounded number of results that the database does not take, and stops that merchant alone', async () => {
      for (let lane = 0; lane < 64; lane++) store.owe(`a.${lane}`, 16)
      store.owe('b.1', 16)
      const { settle } = store
      const away = async (...given: Parameters<typeof settle>) => {
        if (given[0] === merchantOf('a.1')) throw new Error('its rows are locked')
        return settle.apply(store, given)
      }
      Object.assign(store, { settle: away })
      const { seen, deliverer } = await begin('w', () => 200)
      await pass(3_000)
      const own = (row: FakeRow) => row.held.merchantId === merchantOf('b.1')
      assert.equal(seen.attempted.length, limits.merchantUnwritten + 16)
      assert.ok(
        store.pending.every(row => !own(row)),
        'the other merchant was told',
      )
      assert.notEqual(deliverer.outbox.holder(), null)
      Object.assign(store, { settle })
      await passUntil('all are delivered', () => store.areAllDelivered)
      assert.equal(seen.attempted.length, 65 * 16)
    })
  })

  describe('what waited in memory', () => {
    /** One more than a lane takes at once: the last waits until the others are over. */
    async function withOneWaiting() {
      const begun = await begin('w')
      const rows = Array.from({ length: limits.laneStart + 1 }, () => store.bear(begun.deliverer.outbox, 'a.1'))
      assert.equal(begun.wire.length, limits.laneStart)
      return { ...begun, last: rows.at(-1) as FakeRow }
    }

    test('goes where its endpoint is now, signed with the key that is current', async () => {
      const { wire, last } = await withOneWaiting()
      await pass(1_000)
      store.changed.set(last.held.endpointId, { url: 'http://moved.test/', keyId: 'next' })
      wire[0]?.answer(200)
      await pass(20)
      const { url, keyId, id } = wire.at(-1)?.held ?? assert.fail()
      assert.deepEqual([id, url, keyId], [last.held.id, 'http://moved.test/', 'next'])
      for (const { answer } of wire) answer(200)
    })

    test('is not sent to an endpoint that was closed meanwhile, and not lost', async () => {
      const { wire, last } = await withOneWaiting()
      await pass(1_000)
      store.closed.set(last.held.endpointId, 'paused')
      for (const { answer } of wire) answer(200)
      await passUntil('it waits', () => last.parked)
      assert.deepEqual([wire.length, last.attempts, last.holder], [limits.laneStart, 0, null])
    })

    test('is given back where its lane narrows, so that it is not held for a long time', async () => {
      const { deliverer, wire } = await begin('w')
      for (let i = 0; i < limits.depth * limits.laneStart; i++) store.bear(deliverer.outbox, 'a.1')
      assert.equal(store.held.length, limits.depth * limits.laneStart)
      wire[0]?.answer(500)
      await pass(100)
      assert.equal(store.held.length, (limits.depth * limits.laneStart) / 2, 'as deep as its width is now')
      for (const { answer } of wire) answer(200)
    })
  })

  test('lets others go while many endpoints begin to hang at once', async () => {
    for (let merchant = 0; merchant < 8; merchant++) {
      for (let lane = 0; lane < 16; lane++) store.owe(`m${merchant}.${lane}`, 16)
    }
    const { deliverer, wire } = await begin('w')
    assert.equal(wire.length, limits.all)
    const late = store.bear(deliverer.outbox, 'late.1')
    await passUntil('it is on the wire', () => wire.some(({ held }) => held.id === late.held.id))
    for (const { answer } of wire) answer(200)
    await pass(100)
    for (const { answer } of wire) answer(200)
  })

  test('goes on when the database was away', async () => {
    const { seen } = await begin('w', () => 200)
    const { listLanes, settle } = store
    Object.assign(store, {
      listLanes: () => Promise.reject(new Error('away')),
      settle: () => Promise.reject(new Error('away')),
    })
    store.owe('a.1', 5)
    await pass(3_000)
    Object.assign(store, { listLanes, settle })
    await passUntil('all are delivered', () => store.areAllDelivered)
    assert.match(String(seen.errors[0]), /away/)
  })
})
