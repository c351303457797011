import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import { delivererOn } from '../../test/support/deliverer-bench.ts'
import { FakeStore } from '../../test/support/fake-delivery-store.ts'
import type { EndpointId, WorkerId } from '../core/ids.ts'
import { limits } from './limits.ts'

let store: FakeStore

describe('to deliver what is due', () => {
  beforeEach(() => {
    store = new FakeStore()
  })

  test('sends all of it, however much more that is than fits into memory, and counts the attempts', async () => {
    for (let lane = 0; lane < 40; lane++) store.owe(`m${lane}.1`, 150)
    const { deliverer } = delivererOn(store, 'w', () => 200)
    assert.equal(await deliverer.deliverDue(), 6_000)
    assert.ok(store.areAllDelivered)
    assert.equal(await deliverer.deliverDue(), 0)
    await deliverer.stop()
  })

  test('sets aside the lanes that are closed', async () => {
    store.owe('a.1', 35)
    store.closed.set('a.1' as EndpointId, 'deleted')
    const { deliverer } = delivererOn(store, 'w', () => 200)
    assert.equal(await deliverer.deliverDue(), 0)
    assert.ok([...store.rows.values()].every(({ held }) => held.state === 'canceled'))
    await deliverer.stop()
  })

  test('ends though another worker took what was left while the database was away for a moment', async () => {
    const first = limits.depth * limits.laneStart
    store.owe('a.1', first + 8)
    const claim = store.claim.bind(store)
    store.claim = async (lane, how) => {
      if (store.claims === 0) return claim(lane, how)
      for (const row of store.pending) if (row.holder === null) row.holder = 'other' as WorkerId
      store.claim = claim
      throw new Error('away')
    }
    const { deliverer } = delivererOn(store, 'w', () => 200)
    assert.equal(await deliverer.deliverDue(), first)
    await deliverer.stop()
  })

  test('waits for what is claimed already and not heard of yet', async () => {
    const first = limits.depth * limits.laneStart
    store.owe('a.1', first + 8)
    const claim = store.claim.bind(store)
    const heard = Promise.withResolvers<void>()
    store.claim = async (lane, claiming) => {
      const held = await claim(lane, claiming)
      if (store.claims === 2) await heard.promise
      return held
    }
    const { deliverer } = delivererOn(store, 'w', () => 200)
    const delivered = deliverer.deliverDue()
    setTimeout(heard.resolve, 200)
    assert.equal(await delivered, first + 8)
    await deliverer.stop()
  })

  test('can be asked for again when the database was away the first time', async () => {
    store.owe('a.1', 1)
    const { register } = store.workers
    Object.assign(store.workers, { register: () => Promise.reject(new Error('away')) })
    const { deliverer } = delivererOn(store, 'w', () => 200)
    await assert.rejects(deliverer.deliverDue(), /away/)
    Object.assign(store.workers, { register })
    assert.equal(await deliverer.deliverDue(), 1)
    await deliverer.stop()
  })
})
