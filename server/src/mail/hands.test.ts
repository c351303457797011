import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { until } from '../../test/support/until.ts'
import type { MerchantId, WorkerId } from '../core/ids.ts'
import { createHands, type Held } from './hands.ts'

interface Work extends Held {
  finish(): void
}

/** Merchants with so much that is due, the longest due first. What is taken in hand hangs until it is finished. */
function startHands(t: TestContext, due: { readonly [merchant: string]: number }, inHandMax: number) {
  const left = new Map(Object.entries(due)) as Map<MerchantId, number>
  const inHand: Work[] = []
  const hands = createHands<Held>({
    store: {
      listDue: async () => [...left].filter(([, count]) => count > 0).map(([merchantId]) => merchantId),
      async claim(merchantId, { limit }) {
        const count = Math.min(limit, left.get(merchantId) ?? 0)
        left.set(merchantId, (left.get(merchantId) ?? 0) - count)
        return Array.from({ length: count }, () => ({ merchantId, id: crypto.randomUUID() }))
      },
      freeOthers: async () => 0,
    },
    work: held => new Promise(finish => inHand.push({ ...held, finish })),
    inHandMax,
    perMerchantMax: 4,
    holder: async () => 'me' as WorkerId,
    now: () => new Date(),
    freed: count => assert.fail(`${count} freed`),
    failed: error => assert.fail(String(error)),
  })
  hands.start()
  t.after(async () => {
    left.clear()
    for (const { finish } of inHand) finish()
    await hands.stop()
  })
  const of = (merchant: string) => inHand.filter(({ merchantId }) => merchantId === merchant)
  return {
    of,
    inHand,
    finishOne(merchant: string): void {
      const work = of(merchant)[0] ?? assert.fail(`nothing of ${merchant} is in hand`)
      inHand.splice(inHand.indexOf(work), 1)
      work.finish()
    },
    owe(merchant: string, count: number): void {
      left.set(merchant as MerchantId, count)
      hands.wake()
    },
    /** Of each merchant that has any. */
    counts: () => Object.fromEntries(Object.keys(due).map(merchant => [merchant, of(merchant).length])),
  }
}

test('a merchant has four in hand, however many are free', async t => {
  const hands = startHands(t, { one: 9 }, 32)
  await until('some are in hand', async () => hands.of('one').length > 0)
  assert.deepEqual(hands.counts(), { one: 4 })
})

test('merchants whose work hangs leave room to the next one', async t => {
  const hands = startHands(t, { one: 9, two: 9, three: 9, four: 0 }, 12)
  await until('three have some in hand', async () => hands.of('three').length > 0)
  assert.deepEqual(hands.counts(), { one: 4, two: 4, three: 2, four: 0 })
  hands.owe('four', 1)
  await until('the fourth has its turn', async () => hands.of('four').length === 1)
})

test('what is free goes to those who have least in hand, however long others have waited', async t => {
  const hands = startHands(t, { one: 9, two: 9, three: 9, four: 0 }, 4)
  await until('three have some in hand', async () => hands.of('three').length > 0)
  assert.deepEqual(hands.counts(), { one: 2, two: 1, three: 1, four: 0 })
  hands.owe('four', 9)
  hands.finishOne('one')
  hands.finishOne('two')
  await until('all places are taken again', async () => hands.inHand.length === 4)
  assert.deepEqual(hands.counts(), { one: 1, two: 1, three: 1, four: 1 })
})
