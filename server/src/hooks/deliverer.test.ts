import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, mock, test } from 'node:test'
import type { Attempt, HeldDelivery } from '../core/delivery.ts'
import type { DeliveryId, EndpointId, WorkerId } from '../core/ids.ts'
import { createDeliverer, type Deliverer } from './deliverer.ts'
import { FakeStore } from './fake-store.test.ts'
import { limits } from './lanes.ts'
import { attemptWith, noon } from './samples.test.ts'

interface OnWire {
  readonly held: HeldDelivery
  answer(status: number | null): void
  break(error: Error): void
}

let store: FakeStore
let nowMs = 0

/** Every attempt hangs until the test answers it, unless `answers` does. */
function delivererOn(name: string, answers: (held: HeldDelivery) => number | null | undefined = () => undefined) {
  const wire: OnWire[] = []
  const seen = { attempted: [] as DeliveryId[], tooLate: 0, freed: 0, errors: [] as unknown[], paused: 0, firsts: 0 }
  let ids = 0
  let othersWoken = 0
  const deliverer = createDeliverer({
    store,
    attempt(held) {
      const status = answers(held)
      if (status !== undefined) return Promise.resolve(attemptWith(status))
      const { promise, resolve, reject } = Promise.withResolvers<Attempt>()
      wire.push({ held, answer: status => resolve(attemptWith(status)), break: reject })
      return promise
    },
    cutOff() {
      for (const { answer } of wire) answer(null)
    },
    now: () => noon,
    newWorkerId: () => `${name}${++ids}` as WorkerId,
    wakeOthers: () => {
      othersWoken += 1
    },
    observe: {
      attempted: ({ id }) => void seen.attempted.push(id),
      firstAttempt: () => {
        seen.firsts += 1
      },
      paused: () => {
        seen.paused += 1
      },
      tooLate: count => {
        seen.tooLate += count
      },
      freed: count => {
        seen.freed += count
      },
      failed: error => void seen.errors.push(error),
    },
  })
  return { deliverer, wire, seen, othersWoken: () => othersWoken }
}

const aTurn = () => new Promise(resolve => setImmediate(resolve))

/** Time passes, in small steps. */
async function pass(timeMs: number): Promise<void> {
  for (let passedMs = 0; passedMs < timeMs; passedMs += 10) {
    nowMs += 10
    mock.timers.tick(10)
    await aTurn()
  }
}

async function passUntil(what: string, isTrue: () => boolean): Promise<void> {
  for (let waits = 0; !isTrue(); waits++) {
    assert.ok(waits < 6_000, `not within a minute: ${what}`)
    await pass(10)
  }
}

async function passUntilEnd<T>(work: Promise<T>): Promise<T> {
  let isOver = false
  const ended = work.finally(() => {
    isOver = true
  })
  await passUntil('it ends', () => isOver)
  return ended
}

const statesOf = () => [...store.rows.values()].map(({ held }) => held.state)
const areAllDelivered = () => statesOf().every(state => state === 'delivered')
const never = new Promise<never>(() => {})

describe('a deliverer', () => {
  let deliverers: Deliverer[]
  const begin = async (name: string, answers?: (held: HeldDelivery) => number | null | undefined) => {
    const made = delivererOn(name, answers)
    deliverers.push(made.deliverer)
    await made.deliverer.start()
    await pass(20)
    return made
  }
  beforeEach(() => {
    store = new FakeStore()
    deliverers = []
    nowMs = 1_000_000
    mock.timers.enable({ apis: ['setTimeout'] })
    mock.method(performance, 'now', () => nowMs)
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
    await passUntil('it is settled', areAllDelivered)
    assert.deepEqual([seen.firsts, row.attempts, row.holder], [1, 1, null])
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

  test('leaves for a claim what does not fit into the lane, and sends it as soon as there is room', async () => {
    const { deliverer, wire, seen } = await begin('w')
    for (let i = 0; i < 26; i++) store.bear(deliverer.outbox, 'a.1')
    assert.deepEqual([wire.length, store.held.length], [8, 16])
    await pass(100)
    // It has looked, and found no room. From here on only the ends of attempts can bring the rest.
    store.listLanes = () => never
    await passUntil('all are sent', () => {
      for (const { answer } of wire) answer(200)
      return areAllDelivered()
    })
    assert.deepEqual([seen.attempted.length, new Set(seen.attempted).size], [26, 26])
    deliverers = [] // it looks for ever
  })

  test('that does not send wakes others for what it owes', async () => {
    const { deliverer, othersWoken } = delivererOn('api')
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
    await pass(60)
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
        return areAllDelivered()
      })
      assert.deepEqual([seen.tooLate, wire.length], [8, 20])
      assert.ok([...store.rows.values()].every(({ attempts }) => attempts === 1))
    })
  })

  describe('what is held in its name but not in hand', () => {
    test('because its commit went unheard, is freed and sent', async () => {
      const { deliverer, seen } = await begin('w', () => 200)
      const row = store.commit(deliverer.outbox, 'a.1')
      assert.notEqual(row.holder, null)
      await passUntil('it is sent', areAllDelivered)
      assert.deepEqual([seen.freed, row.attempts], [1, 1])
    })

    test('for a moment only, because it is on its way, is left alone', async () => {
      const { deliverer, wire, seen } = await begin('w')
      await pass(2_500) // it looks for strays every five seconds: once while this is on its way
      const row = store.commit(deliverer.outbox, 'a.1')
      await pass(4_900)
      deliverer.outbox.born([row.held], false)
      await pass(15_000)
      assert.deepEqual([seen.freed, wire.length], [0, 1])
    })

    test('because something unforeseen was thrown, is freed and tried again; the others go on', async () => {
      store.owe('a.1', 12)
      const { wire, seen } = await begin('w')
      wire[0]?.break(new Error('unforeseen'))
      for (const { answer } of wire.slice(1)) answer(200)
      await passUntil('it is tried again', () => {
        for (const { answer } of wire) answer(200)
        return areAllDelivered()
      })
      assert.match(String(seen.errors), /unforeseen/)
      assert.equal(seen.freed, 1)
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
      await passUntil('all are aside', () => count(({ parked, held }) => parked || held.state === 'canceled') === 190)
      assert.equal(seen.attempted.length, 3)
    })

    test('whose resuming was left half done goes on', async () => {
      for (const row of store.owe('a.1', 25)) row.parked = true
      await begin('w', () => 200)
      await passUntil('all are delivered', areAllDelivered)
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
      await passUntil('the other has sent them', areAllDelivered)
    })

    test('does not wait for an attempt that hangs; another makes it again', async () => {
      store.owe('a.1', 1)
      const { deliverer } = await begin('w')
      await passUntilEnd(deliverer.stop())
      await begin('other', () => 200)
      await passUntil('the other has sent it', areAllDelivered)
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

  describe('memory', () => {
    test('holds a bounded number however many lanes there are: those that are longest due', async () => {
      const lanes = 400
      for (let lane = 0; lane < lanes; lane++) {
        // In an order that is neither that of time nor its reverse.
        store.owe(`m${lane}.1`, 16, new Date(noon.getTime() - ((lane * 7) % lanes) * 1_000))
      }
      const { deliverer, wire } = await begin('w')
      assert.deepEqual([wire.length, store.held.length], [limits.all, 2 * limits.all])
      const inMemory = Math.max(...store.held.map(({ dueAt }) => dueAt?.getTime() ?? 0))
      const left = Math.min(
        ...store.pending.filter(({ holder }) => holder === null).map(({ dueAt }) => dueAt?.getTime() ?? 0),
      )
      assert.ok(inMemory <= left)
      assert.equal(deliverer.outbox.holder(), null, 'what is born now waits in the database too')
      await passUntil('all are delivered', () => {
        for (const { answer } of wire.splice(0)) answer(200)
        return areAllDelivered()
      })
      assert.notEqual(deliverer.outbox.holder(), null)
      assert.ok(store.heldMax <= 2 * limits.all + 1)
    })
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
    await passUntil('all are delivered', areAllDelivered)
    assert.match(String(seen.errors[0]), /away/)
  })
})

describe('to deliver what is due', () => {
  beforeEach(() => {
    store = new FakeStore()
  })

  test('sends all of it, however much more that is than fits into memory, and counts the attempts', async () => {
    for (let lane = 0; lane < 40; lane++) store.owe(`m${lane}.1`, 150)
    const { deliverer } = delivererOn('w', () => 200)
    assert.equal(await deliverer.deliverDue(), 6_000)
    assert.ok(areAllDelivered())
    assert.equal(await deliverer.deliverDue(), 0)
    await deliverer.stop()
  })

  test('sets aside the lanes that are closed', async () => {
    store.owe('a.1', 35)
    store.closed.set('a.1' as EndpointId, 'deleted')
    const { deliverer } = delivererOn('w', () => 200)
    assert.equal(await deliverer.deliverDue(), 0)
    assert.ok(statesOf().every(state => state === 'canceled'))
    await deliverer.stop()
  })

  test('ends though another worker took what was left while the database was away for a moment', async () => {
    store.owe('a.1', 40)
    const claim = store.claim.bind(store)
    store.claim = async (lane, how) => {
      if (store.claims === 0) return claim(lane, how)
      for (const row of store.pending) if (row.holder === null) row.holder = 'other' as WorkerId
      store.claim = claim
      throw new Error('away')
    }
    const { deliverer } = delivererOn('w', () => 200)
    assert.equal(await deliverer.deliverDue(), 16)
    await deliverer.stop()
  })

  test('can be asked for again when the database was away the first time', async () => {
    store.owe('a.1', 1)
    const { register } = store.workers
    Object.assign(store.workers, { register: () => Promise.reject(new Error('away')) })
    const { deliverer } = delivererOn('w', () => 200)
    await assert.rejects(deliverer.deliverDue(), /away/)
    Object.assign(store.workers, { register })
    assert.equal(await deliverer.deliverDue(), 1)
    await deliverer.stop()
  })
})
