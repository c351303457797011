import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, mock, test } from 'node:test'
import type { MerchantId, WorkerId } from '../core/ids.ts'
import { createHeart, type Heart, type WorkerStore } from './heart.ts'

const everyMs = 2_000

/** The table of workers and what they hold, as the database has them. */
class Cemetery implements WorkerStore {
  readonly beats = new Map<WorkerId, bigint>()
  readonly held: { holder: WorkerId; merchantId: MerchantId; count: number }[] = []
  readonly bites: number[] = []
  isAway = false

  #reach(): void {
    if (this.isAway) throw new Error('away')
  }
  async register(id: WorkerId) {
    this.#reach()
    if (!this.beats.has(id)) this.beats.set(id, 0n)
  }
  async beat(id: WorkerId) {
    this.#reach()
    const before = this.beats.get(id)
    if (before !== undefined) this.beats.set(id, before + 1n)
    return before !== undefined
  }
  async list() {
    this.#reach()
    return [...this.beats].map(([id, beats]) => ({ id, beats }))
  }
  async bury({ id, beats }: { id: WorkerId; beats: bigint }) {
    this.#reach()
    if (this.beats.get(id) === beats) this.beats.delete(id)
  }
  async retire(id: WorkerId) {
    this.#reach()
    this.beats.delete(id)
  }
  async findDeadHolders() {
    this.#reach()
    return this.held.filter(({ holder, count }) => count > 0 && !this.beats.has(holder))
  }
  async free(merchantId: MerchantId, holder: WorkerId) {
    this.#reach()
    const row = this.held.find(each => each.holder === holder && each.merchantId === merchantId)
    const count = Math.min(10, row?.count ?? 0)
    if (row !== undefined) row.count -= count
    this.bites.push(count)
    return count
  }
}

function heartOn(store: WorkerStore, name: string) {
  let ids = 0
  const seen = { lost: 0, freed: 0, errors: 0 }
  const heart = createHeart({
    store,
    newId: () => `${name}${++ids}` as WorkerId,
    lost: () => {
      seen.lost += 1
    },
    freed: count => {
      seen.freed += count
    },
    failed: () => {
      seen.errors += 1
    },
  })
  return { heart, seen }
}

const aTurn = () => new Promise(resolve => setImmediate(resolve))
const worker = (id: string) => id as WorkerId

async function rounds(count: number, eachTime: () => void = () => {}): Promise<void> {
  for (let i = 0; i < count; i++) {
    eachTime()
    mock.timers.tick(everyMs)
    await aTurn()
  }
}

describe('a heart', () => {
  let store: Cemetery
  let hearts: Heart[]
  const begin = async (name: string, on: WorkerStore = store) => {
    const made = heartOn(on, name)
    hearts.push(made.heart)
    await made.heart.start()
    await aTurn()
    return made
  }
  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout'] })
    store = new Cemetery()
    hearts = []
  })
  afterEach(async () => {
    store.isAway = false
    await Promise.all(hearts.map(heart => heart.stop()))
    mock.timers.reset()
  })

  test('beats once a round', async () => {
    const { heart } = await begin('a')
    const before = store.beats.get(heart.id) ?? 0n
    await rounds(3)
    assert.equal(store.beats.get(heart.id), before + 3n)
  })

  test('buries who has not beaten for five of its rounds, and nobody else, least of all itself', async () => {
    store.beats.set(worker('silent'), 7n)
    store.beats.set(worker('slow'), 7n)
    const { heart } = await begin('a')
    const { heart: other } = await begin('b')
    await rounds(4, () => {})
    assert.ok(store.beats.has(worker('silent')), 'four rounds of silence are not five')
    store.beats.set(worker('slow'), 8n)
    await rounds(1)
    assert.deepEqual([...store.beats.keys()].sort(), [heart.id, other.id, worker('slow')].sort())
  })

  test('that was stopped itself for long looks again before it judges', async () => {
    store.beats.set(worker('living'), 1n)
    await begin('a')
    await rounds(4)
    // An hour in which no round of ours passed, and the other beat.
    store.beats.set(worker('living'), 1_800n)
    await rounds(4)
    assert.ok(store.beats.has(worker('living')))
  })

  test('buries only if it has not beaten since it was seen', async () => {
    store.beats.set(worker('waking'), 1n)
    const bury = store.bury.bind(store)
    store.bury = async seen => {
      store.beats.set(worker('waking'), 2n)
      return bury(seen)
    }
    await begin('a')
    await rounds(8)
    assert.ok(store.beats.has(worker('waking')))
  })

  test('frees what the dead hold, in bites, until nothing is left; what the living hold it leaves', async () => {
    store.beats.set(worker('living'), 1n)
    for (const [holder, merchant] of [
      ['dead', 'm1'],
      ['dead', 'm2'],
      ['living', 'm1'],
    ] as const) {
      store.held.push({ holder: worker(holder), merchantId: merchant as MerchantId, count: 25 })
    }
    const { seen } = await begin('a')
    await rounds(1)
    assert.deepEqual(
      store.held.map(({ count }) => count),
      [0, 0, 25],
    )
    assert.equal(seen.freed, 50)
    assert.ok(Math.max(...store.bites) <= 10)
  })

  test('that others have buried says so, once, and goes on under another name', async () => {
    const { heart, seen } = await begin('a')
    const first = heart.id
    store.beats.delete(first)
    await rounds(1)
    assert.notEqual(heart.id, first)
    assert.deepEqual([seen.lost, store.beats.has(first), store.beats.has(heart.id)], [1, false, true])
    const second = heart.id
    await rounds(3)
    assert.deepEqual([seen.lost, heart.id], [1, second])
  })

  test('finds its way back when the database goes away just as it takes another name', async () => {
    const { heart, seen } = await begin('a')
    store.beats.delete(heart.id)
    const register = store.register.bind(store)
    store.register = () => Promise.reject(new Error('away'))
    await rounds(1)
    store.register = register
    await rounds(2)
    assert.ok(store.beats.has(heart.id))
    assert.deepEqual([seen.errors, seen.lost], [1, 2])
  })

  test('buries nobody because the database was away', async () => {
    const { heart, seen } = await begin('a')
    const { heart: other } = await begin('b')
    await rounds(2)
    store.isAway = true
    await rounds(30)
    assert.ok(seen.errors >= 30)
    store.isAway = false
    await rounds(10)
    assert.deepEqual([...store.beats.keys()].sort(), [heart.id, other.id].sort())
    assert.equal(seen.lost, 0)
  })

  test('does not stand still while it frees what many held', async () => {
    const never = Promise.withResolvers<number>()
    store.free = () => never.promise
    store.held.push({ holder: worker('dead'), merchantId: 'm1' as MerchantId, count: 1 })
    const { heart } = await begin('a')
    const before = store.beats.get(heart.id) ?? 0n
    await rounds(6)
    assert.equal(store.beats.get(heart.id), before + 6n)
    never.resolve(0)
  })

  test('that stops is gone at once: nobody has to wait for its silence', async () => {
    const { heart } = await begin('a')
    await heart.stop()
    assert.deepEqual([...store.beats.keys()], [])
    await rounds(3)
    assert.deepEqual([...store.beats.keys()], [], 'and it does not beat again')
  })

  test('that is stopped in the middle of a round ends with it', async () => {
    const { heart } = await begin('a')
    const slow = Promise.withResolvers<boolean>()
    let beats = 0
    store.beat = () => {
      beats += 1
      return slow.promise
    }
    await rounds(1)
    const stopped = heart.stop()
    slow.resolve(true)
    await stopped
    await rounds(3)
    assert.equal(beats, 1)
  })

  test('that cannot begin says so', async () => {
    store.isAway = true
    await assert.rejects(heartOn(store, 'a').heart.start(), /away/)
  })
})
