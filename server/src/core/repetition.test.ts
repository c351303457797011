import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeWorld } from '../../test/support/fake-world.ts'
import {
  charge,
  failed,
  madeCharge,
  merchantId,
  processing,
  sale,
  successful,
} from '../../test/support/sale-samples.ts'
import type { FirstAnswer, Repetition, Standing } from './ports.ts'
import { earlierReply } from './repetition.ts'

const byKey: Repetition = { operation: 'transactions', key: 'k', argumentsHash: 'h' }
const equalGet: Repetition = { operation: 'GET transactions', key: 'h', argumentsHash: 'h', replayedForMs: 60_000 }

const standing: Standing = { kind: 'standing', sale, operation: null, running: false }

async function replyTo(first: Partial<Standing> | FirstAnswer, repetition = byKey, argumentsHash = 'h') {
  const world = new FakeWorld()
  const whole = first.kind === 'answer' ? first : { ...standing, ...first }
  const found = { argumentsHash, transactionId: sale.transaction.id, first: whole }
  world.earlier.set('transactions k', found).set('GET transactions h', found)
  return earlierReply(world.ports, merchantId, repetition)
}

test('a first request has no earlier answer', async () => {
  assert.equal(await earlierReply(new FakeWorld().ports, merchantId, null), null)
  assert.equal(await earlierReply(new FakeWorld().ports, merchantId, byKey), null)
})

test('the first answer comes again byte for byte, and says that it does', async () => {
  const answer = { status: 402, text: '{ "as": "it was" }\n' }
  assert.deepEqual(await replyTo({ kind: 'answer', ...answer }), { ...answer, replayed: true })
})

test('the same key with other arguments is refused, even while the first runs', async () => {
  for (const running of [true, false]) {
    const reply = await replyTo({ running }, byKey, 'other')
    assert.equal(reply?.status, 422)
    assert.match(reply?.text ?? '', /Idempotency-Key was already used with other arguments\./)
  }
})

test('while the first still runs the answer is 409', async () => {
  for (const repetition of [byKey, equalGet]) {
    const reply = await replyTo({ running: true }, repetition)
    assert.deepEqual([reply?.status, reply?.replayed, reply?.retryAfterMs], [409, repetition === equalGet, 1_000])
  }
})

test('when the first one’s process died, or its outcome is in doubt, the answer is 202 with the record', async () => {
  for (const repetition of [byKey, equalGet]) {
    const reply = await replyTo({ sale: { ...sale, transaction: processing } }, repetition)
    assert.deepEqual([reply?.status, reply?.replayed], [202, repetition === equalGet])
    assert.equal(JSON.parse(reply?.text ?? '').transaction.status, 'Processing')
  }
})

test('once settled it is that state’s row of the table', async () => {
  assert.equal((await replyTo({ sale: { ...sale, transaction: successful } }))?.status, 200)
  assert.equal((await replyTo({ sale: { ...sale, transaction: failed } }))?.status, 402)
})

test('a follow-up is answered by its own operation, not by its transaction', async () => {
  const refund = { ...charge, kind: 'refund' as const }
  const sold = { ...sale, transaction: successful, operations: [madeCharge, refund] }
  assert.equal((await replyTo({ sale: sold, operation: refund }))?.status, 202)
  const notSent = { ...refund, outcome: 'not_sent' as const, settledAt: refund.createdAt }
  assert.equal((await replyTo({ sale: sold, operation: notSent }))?.status, 502)
})
