// What a gateway said that a person has to look into stays listed until just that is answered, whatever else the gateway says
// before or after. The decisions are made by a command, and read from its list, as a person would.

import assert from 'node:assert/strict'
import { afterEach, type TestContext, test } from 'node:test'
import { answered } from './support/answers.ts'
import { openCommandLine } from './support/command.ts'
import type { PaymentIntent } from './support/stripe/objects.ts'
import { openStripeShop } from './support/stripe/shop.ts'
import { until } from './support/until.ts'

const tillbell = openCommandLine()

const { service, stripe, shop, connected, record } = await openStripeShop()
const { sql } = service.database

afterEach(() => {
  stripe.webhooks.moments = () => ['after']
})

async function command(t: TestContext, ...words: string[]): Promise<string> {
  const place = { DATABASE_URL: service.database.url, TILLBELL_DATA: service.dataFolder, TILLBELL_LOG: 'error' }
  const { code, stdout, stderr } = await tillbell(t, words, place)
  assert.deepEqual([code, stderr], [0, ''])
  return stdout
}

const decide = (t: TestContext, operation: string, as: string, ...more: string[]) =>
  command(t, ...['doubt', 'resolve', operation, '--as', as, '--by', 'Ada', '--note', 'Seen there.', ...more])

/** The sentences of a transaction that `tillbell doubt list` prints, in their order. */
async function listed(t: TestContext, transaction: string): Promise<string[]> {
  const lines = (await command(t, 'doubt', 'list')).split('\n')
  const start = lines.findIndex(line => line.includes(`transaction ${transaction}`))
  if (start < 0) return []
  const below = lines.slice(start)
  const end = below.findIndex(line => !line.startsWith('  '))
  const marker = '  for a person: '
  return below
    .slice(0, end < 0 ? undefined : end)
    .filter(line => line.startsWith(marker))
    .map(line => line.slice(marker.length))
}

async function chargeOf(transaction: string): Promise<{ readonly id: string; readonly nextAskAt: Date | null }> {
  const [row] = await sql<{ id: string; nextAskAt: Date | null }[]>`
    select id, next_ask_at from operation where transaction_id = ${transaction} and kind = 'charge'`
  return row ?? assert.fail('no charge')
}

const asksOf = async (operation: string) => (await sql`select from ask where operation_id = ${operation}`).length

/** Dismisses one sentence, and waits for the ask that follows, so that the list is as that leaves it. */
async function dismiss(t: TestContext, transaction: string, sentence: string): Promise<void> {
  const { id } = await chargeOf(transaction)
  const before = await asksOf(id)
  await decide(t, id, 'dismissed', '--answers', sentence)
  await until('the gateway was asked once more', async () => (await asksOf(id)) > before)
  await until('nothing is left to be asked', async () => (await chargeOf(transaction)).nextAskAt === null)
}

/** A payment at Stripe under the ids of a charge of ours, beside the one that it is a copy of. */
function copyOf(payment: PaymentIntent, metadata: object = {}): PaymentIntent {
  const made = stripe.state.all('charge').find(each => each.id === payment.latest_charge) ?? assert.fail()
  const [ref, charge] = [stripe.state.newId('pi'), stripe.state.newId('ch')]
  stripe.state.add({ ...structuredClone(made), id: charge, payment_intent: ref })
  const copied = structuredClone(payment)
  const copy = { ...copied, id: ref, latest_charge: charge, metadata: { ...copied.metadata, ...metadata } }
  stripe.state.add(copy)
  return copy
}

async function tell(payment: PaymentIntent): Promise<void> {
  const created = Math.floor(Date.now() / 1_000)
  const event = { object: 'event', type: 'payment_intent.succeeded', created, data: { object: payment } }
  await stripe.webhooks.send({ ...event, id: stripe.state.newId('evt') } as never)
  await stripe.webhooks.settled()
}

async function sold(card?: string): Promise<string> {
  const paid = await shop.charge(await shop.makeOffer(), card ?? (await connected.card()))
  const { transaction } = answered(paid, 200).json
  await stripe.webhooks.settled()
  return transaction.id
}

const names = (payment: PaymentIntent) => (sentence: string) => sentence.includes(`: ${payment.id}, beside `)

test('of two payments beside the one that is written down, each is listed until it is answered', async t => {
  const id = await sold()
  const first = connected.intentOf(id)
  const [second, third] = [copyOf(first), copyOf(first)]
  await tell(second)
  await tell(third)
  const both = await listed(t, id)
  const ofThird = both.find(names(third)) ?? assert.fail('the third payment is not listed')
  const ofSecond = both.find(names(second)) ?? assert.fail('the second payment is not listed')
  assert.equal(both.length, 2)
  const { id: operation } = await chargeOf(id)
  const shown = await command(t, 'doubt', 'show', operation)
  await assert.rejects(decide(t, operation, 'dismissed'), (error: Error) => {
    return both.every(each => error.message.includes(`--answers '${each}'`) && shown.includes(`for person: ${each}\n`))
  })

  await dismiss(t, id, ofThird)
  assert.deepEqual(await listed(t, id), [ofSecond])
  await tell(third)
  assert.deepEqual(await listed(t, id), [ofSecond], 'what was answered is no news')
  await dismiss(t, id, ofSecond)
  assert.deepEqual(await listed(t, id), [])
})

/** Settled as not made while Stripe was away, and three payments turn up under its id. */
async function latePayments(t: TestContext) {
  const card = await connected.card()
  const model = connected.intentOf(await sold(card))
  stripe.faults.always({ kind: 'reset', at: 'before' })
  const { transaction } = answered(await shop.charge(await shop.makeOffer(), card), 202).json
  const { id: operation } = await chargeOf(transaction.id)
  await decide(t, operation, 'not-made')
  const ids = { tillbell_operation: operation, tillbell_transaction: transaction.id }
  const [first, second, third] = [copyOf(model, ids), copyOf(model, ids), copyOf(model, ids)]
  stripe.faults.clear()
  for (const each of [first, second, third]) await tell(each)
  return { id: transaction.id as string, operation, first, second, third }
}

test('a refund of one late payment does not take the others from the list', async t => {
  const { id, first, second, third } = await latePayments(t)
  await stripe.dashboard.refund(first.id)
  await stripe.webhooks.settled()
  const all = await listed(t, id)
  assert.ok(all.some(names(second)) && all.some(names(third)), 'the others are listed')
  const late = all.find(sentence => /reports a success for a charge that was settled as not_sent/.test(sentence))
  await dismiss(t, id, late ?? assert.fail('the first payment is not listed'))
  const left = await listed(t, id)
  assert.deepEqual([left.length, left.some(names(second)), left.some(names(third))], [2, true, true])
  for (const each of left) await dismiss(t, id, each)
  assert.deepEqual([await listed(t, id), (await record(id)).status], [[], 'Failed'])
})

test('who accepts one late payment still has to look into the others', async t => {
  const { id, operation, second, third } = await latePayments(t)
  await decide(t, operation, 'succeeded')
  await until('nothing is left to be asked', async () => (await chargeOf(id)).nextAskAt === null)
  const left = await listed(t, id)
  assert.deepEqual([left.length, left.some(names(second)), left.some(names(third))], [2, true, true])
  assert.equal((await record(id)).status, 'Successful')
  for (const each of left) await dismiss(t, id, each)
  assert.deepEqual(await listed(t, id), [])
})

test('after a dismissal all payments under the id of a charge are looked up, also those that nobody told of', async t => {
  const id = await sold()
  const first = connected.intentOf(id)
  const others = Array.from({ length: 4 }, () => copyOf(first))
  const [told, ...untold] = others
  await tell(told ?? assert.fail())
  const [sentence, ...more] = await listed(t, id)
  assert.deepEqual(more, [])
  await dismiss(t, id, sentence ?? assert.fail())
  const found = await listed(t, id)
  assert.deepEqual([found.length, untold.every(each => found.some(names(each)))], [3, true])
  for (const each of found) await dismiss(t, id, each)
  assert.deepEqual(await listed(t, id), [])
})
