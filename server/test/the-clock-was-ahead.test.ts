// The database's clock is ahead for a while, and is then set right: by NTP, or because a standby that is behind took over.
// What was created meanwhile seems younger than it is, or to begin only later. It is carried out once at Stripe, or ended, and never
// after Stripe has forgotten its key.

import assert from 'node:assert/strict'
import { after, afterEach, test } from 'node:test'
import type { MerchantId } from '../src/core/ids.ts'
import { answered } from './support/answers.ts'
import { audited } from './support/audited.ts'
import { startTestService } from './support/service.ts'
import { connectStripe } from './support/stripe/connected.ts'
import type { Asked } from './support/stripe/faults.ts'
import { startStripe } from './support/stripe/server.ts'
import { until as untilWithin } from './support/until.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** What a clock that was ahead has put off is looked for every ten seconds. */
const until = (what: string, isTrue: () => Promise<boolean>) => untilWithin(what, isTrue, 40_000)

/** By how much the database's time of day differs from that of the world. */
let jumpMs = 0
const service = await startTestService({}, () => jumpMs)
const stripe = await startStripe()
const shop = await service.newMerchant()
const connected = await connectStripe(shop, stripe, [])
const { sql } = service.database
afterEach(() => {
  jumpMs = 0
  stripe.faults.clear()
})
after(async () => {
  await audited(sql, shop.merchant as MerchantId)
  await service.stop()
  await stripe.close()
})

async function newPayment(card: string): Promise<string> {
  const offer = await shop.makeOffer({ title: 'Bell', amount: '100.00' })
  return answered(await shop.charge(offer, card), 200).json.transaction.id
}

/** A charge that Stripe never hears of, or whose answer is lost, while the clock is ahead. */
async function lostCharge(at: 'before' | 'after', aheadMs: number): Promise<string> {
  const card = await connected.card()
  const isCharge = ({ method, path }: Asked) => method === 'POST' && path === '/v1/payment_intents'
  stripe.faults.next({ kind: 'reset', at }, isCharge)
  jumpMs = aheadMs
  const { id } = answered(await shop.charge(await shop.makeOffer(), card), 202).json.transaction
  return id
}

async function pendingRefund(aheadMs: number): Promise<string> {
  const id = await newPayment(await connected.card('pm_card_pendingRefund'))
  jumpMs = aheadMs
  answered(await shop.ask('transactions/refunds', { form: { transaction: id, amount: '40.00' } }), 202)
  return id
}

const statusOf = async (id: string) => answered(await shop.ask(`transactions/${id}`), 200).json.transaction.status
const madeFor = (id: string, kind: 'payment_intent' | 'refund') =>
  stripe.state.all(kind).filter(({ metadata }) => metadata.tillbell_transaction === id)

/** The clock shows this much more than the time of the world, and what is in doubt was asked about since. */
async function askedAt(id: string, aheadMs: number): Promise<void> {
  const lastAsk = async () => {
    const [row] = await sql<{ number: number }[]>`select coalesce(max(a.number), 0)::int as number
      from ask a join operation o on o.merchant_id = a.merchant_id and o.id = a.operation_id
      where o.transaction_id = ${id} and a.at between ${new Date(Date.now() + aheadMs - minuteMs)} and ${new Date(Date.now() + aheadMs + minuteMs)}`
    return row?.number ?? 0
  }
  const before = await lastAsk()
  jumpMs = aheadMs
  await until(`it is asked about at ${aheadMs / hourMs} h`, async () => (await lastAsk()) > before)
}

test('a refund that Stripe holds back for a day, asked for while the clock was two hours ahead, is made once', async () => {
  const id = await pendingRefund(2 * hourMs)
  jumpMs = 0
  for (const ms of [3 * hourMs, 12 * hourMs, 23 * hourMs]) await askedAt(id, ms)
  stripe.forgetKeys()
  await askedAt(id, 24 * hourMs + 5 * minuteMs)
  const [refund, ...others] = madeFor(id, 'refund')
  assert.deepEqual([refund?.status, others], ['pending', []])
  await stripe.dashboard.settleRefund(refund?.id ?? assert.fail())
  jumpMs = 26 * hourMs
  await until('it is found', async () => (await statusOf(id)) === 'Partially Refunded')
})

test('a charge whose answer was lost while the clock was 25 hours ahead is found at once, and made once', async () => {
  const id = await lostCharge('after', 25 * hourMs)
  jumpMs = 0
  await until('it is found', async () => (await statusOf(id)) === 'Successful')
  assert.equal(madeFor(id, 'payment_intent').length, 1)
})

test('a charge that got lost while the clock was two hours ahead is ended at once, and not carried out hours later', async () => {
  const id = await lostCharge('before', 2 * hourMs)
  jumpMs = 0
  await until('it is ended', async () => (await statusOf(id)) === 'Failed')
  assert.deepEqual(madeFor(id, 'payment_intent'), [])
})

test('so is one whose process died meanwhile: nobody holds it for two hours', async () => {
  const id = await lostCharge('before', 2 * hourMs)
  await sql`update operation set lease_until = now() + interval '2 hours' where transaction_id = ${id}`
  jumpMs = 0
  await until('its lease is as long as any', async () => {
    const rows =
      await sql`select from operation where transaction_id = ${id} and lease_until < now() + interval '3 minutes'`
    return rows.length === 1
  })
  assert.equal(await statusOf(id), 'Processing', 'it is not taken from who holds it')
  await sql`update operation set lease_until = now() where transaction_id = ${id}`
  await until('it is ended', async () => (await statusOf(id)) === 'Failed')
  assert.deepEqual(madeFor(id, 'payment_intent'), [])
})

test('what was asked about while the clock was five hours ahead does not wait for five hours', async () => {
  const id = await pendingRefund(0)
  await askedAt(id, 5 * hourMs)
  await askedAt(id, 0)
  assert.equal(madeFor(id, 'refund').length, 1)
})
