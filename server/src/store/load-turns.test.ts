import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { madeCharge, sale } from '../../test/support/sale-samples.ts'
import type { MerchantId } from '../core/ids.ts'
import { createLoadTurns, lengthOfEarlier, lengthOfSale } from './load-turns.ts'

const [one, other] = ['one', 'other'] as MerchantId[] as [MerchantId, MerchantId]
const promisesSettle = () => new Promise(resolve => setImmediate(resolve))

/** Loads so many of that length, and says how many were begun. */
function loading(lengthOf: () => number) {
  const inLoadTurn = createLoadTurns()
  const begun = new Map<MerchantId, number>()
  const load = (merchantId: MerchantId, count: number) => {
    const begin = async () => void begun.set(merchantId, (begun.get(merchantId) ?? 0) + 1)
    for (let i = 0; i < count; i++) void inLoadTurn(merchantId, begin, lengthOf)
  }
  return { begun, load }
}

test('small ones are loaded one after the other without a rest', async () => {
  const { begun, load } = loading(() => 2_000)
  load(one, 20)
  await promisesSettle()
  assert.equal(begun.get(one), 20)
})

test('after a large one its merchant’s next waits, and nobody else', async t => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.after(() => mock.timers.reset())
  const { begun, load } = loading(() => 1_000_000)
  load(one, 9)
  load(other, 1)
  await promisesSettle()
  assert.deepEqual([begun.get(one), begun.get(other)], [4, 1])
  mock.timers.tick(599)
  await promisesSettle()
  assert.equal(begun.get(one), 4)
  mock.timers.tick(1)
  await promisesSettle()
  assert.equal(begun.get(one), 8)
})

test('one that fails gives its turn back', async () => {
  const inLoadTurn = createLoadTurns()
  const fails = () => Promise.reject(new Error('no database'))
  for (let i = 0; i < 6; i++) await assert.rejects(inLoadTurn(one, fails, () => 0))
})

test('notes of refunds count, and a kept answer counts by its text', () => {
  const refund = { ...madeCharge, refundedBy: 'x'.repeat(255), refundedReason: 'y'.repeat(5_000) }
  const large = { ...sale, operations: Array.from({ length: 100 }, () => refund) }
  assert.ok(lengthOfSale(large) > 500_000)
  assert.ok(lengthOfSale(sale) < 2_000)
  assert.deepEqual([lengthOfSale(null), lengthOfEarlier(null)], [0, 0])
  const earlier = { argumentsHash: 'h', transactionId: sale.transaction.id }
  const first = { kind: 'answer', status: 200, text: 'x'.repeat(70_000) } as const
  assert.equal(lengthOfEarlier({ ...earlier, first }), 70_000)
  const standing = { kind: 'standing', sale: large, operation: null, running: false } as const
  assert.equal(lengthOfEarlier({ ...earlier, first: standing }), lengthOfSale(large))
})
