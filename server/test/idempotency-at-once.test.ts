// The same request many times at the same moment, and while the first is still under way: one charge.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { answeredAbout, booked, refused } from './support/answers.ts'
import type { Answer } from './support/client.ts'
import { startTestService, type TestService } from './support/service.ts'
import { until } from './support/until.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.stop())

const times = (count: number, ask: (index: number) => Promise<Answer>) =>
  Promise.all(Array.from({ length: count }, (_, index) => ask(index)))

async function transactionsOf(offer: string): Promise<string[]> {
  const rows = await service.database.sql<{ id: string }[]>`select id from transaction where offer_id = ${offer}`
  return rows.map(({ id }) => id)
}

/** All were told the one answer, or that it is still being worked on. */
function oneAnswer(answers: readonly Answer[]): void {
  const done = answers.filter(({ status }) => status === 200)
  assert.ok(done.length >= 1)
  assert.equal(new Set(done.map(({ text }) => text)).size, 1)
  for (const answer of answers) if (answer.status !== 200) refused(answeredAbout(answer, 409), 409, ['general'])
}

test('two hundred identical requests with one key are one charge', async () => {
  const { demo, database } = service
  const offer = await demo.makeOffer()
  const ask = (index: number) =>
    demo.charge(offer, demo.card, { key: 'once', method: index % 2 === 0 ? 'GET' : 'POST' })
  const answers = await times(200, ask)
  oneAnswer(answers)
  const transactions = await transactionsOf(offer)
  assert.equal(transactions.length, 1)
  assert.deepEqual(await booked(database.sql, 'charge', transactions), { count: 1, sumMinor: 10_000n })
  const late = await ask(0)
  assert.equal(late.text, answers.find(({ status }) => status === 200)?.text)
})

test('fifty identical refunds with one key are one refund', async () => {
  const { demo, database } = service
  const { id } = (await demo.charge(demo.offer, demo.card)).json.transaction
  const form = { transaction: id, amount: '30.00' }
  const headers = { 'idempotency-key': 'refund-once' }
  oneAnswer(await times(50, () => demo.ask('transactions/refunds', { form, headers })))
  assert.deepEqual(await booked(database.sql, 'refund', [id]), { count: 1, sumMinor: 3_000n })
})

test('fifty identical offers with one key are one offer', async () => {
  const { demo, database } = service
  const headers = { 'idempotency-key': 'offer-once' }
  const answers = await times(50, () => demo.ask('offers', { form: { amount: '5.00', ref_id: 'once' }, headers }))
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
  assert.equal(new Set(answers.map(({ text }) => text)).size, 1)
  assert.equal((await database.sql`select from offer where ref_id = 'once'`).length, 1)
})

test('repetitions that arrive while a decline gives its unit back wait for it, and no one fails', async () => {
  const { demo, database } = service
  const card = await demo.storeCard('4012888888881881')
  for (let round = 0; round < 10; round++) {
    const offer = await demo.makeOffer({ stock: 3 })
    const method = round % 2 === 0 ? 'POST' : 'GET'
    const key = method === 'POST' ? { key: `declined-${round}` } : {}
    for (const answer of await times(15, () => demo.charge(offer, card, { method, ...key }))) {
      answeredAbout(answer, answer.status === 409 ? 409 : 402)
    }
    const [row] = await database.sql`select stock_left from offer where id = ${offer}`
    assert.equal(row?.stockLeft, 3)
  }
})

test('a repetition is never told that the units are used up which its own first request took', async () => {
  const { demo } = service
  for (let round = 0; round < 5; round++) {
    const offer = await demo.makeOffer({ stock: 1 })
    oneAnswer(await times(100, () => demo.charge(offer, demo.card, { key: `last-${round}` })))
  }
})

/** A charge that the gateway answers late, seen in the database while it is under way. */
async function slowly(ask: (offer: string) => Promise<Answer>): Promise<{ offer: string; first: Promise<Answer> }> {
  const offer = await service.demo.makeOffer({ amount: '4100.15' })
  const first = ask(offer)
  await until('the first is at the gateway', async () => {
    const rows = await service.database.sql`select from sandbox_entry e
      join transaction t on t.id = e.transaction_id and t.offer_id = ${offer}`
    return rows.length > 0
  })
  return { offer, first }
}

test('while the first runs, its key is 409 with the time to wait, and afterwards its answer', async () => {
  const { demo } = service
  const ask = (offer: string) => demo.charge(offer, demo.card, { key: 'running' })
  const { offer, first } = await slowly(ask)
  const again = await ask(offer)
  refused(answeredAbout(again, 409), 409, ['general'])
  assert.equal(again.headers['retry-after'], '1')
  const answer = answeredAbout(await first, 200)
  assert.equal((await ask(offer)).text, answer.text)
  assert.equal((await transactionsOf(offer)).length, 1)
})

test('a GET without a key that equals one under way is its repetition: 409', async () => {
  const { demo } = service
  const ask = (offer: string) => demo.charge(offer, demo.card, { method: 'GET' })
  const { offer, first } = await slowly(ask)
  for (const again of await times(5, () => ask(offer))) {
    refused(answeredAbout(again, 409), 409, ['general'])
    assert.equal(again.headers['idempotent-replayed'], 'true')
  }
  answeredAbout(await first, 200)
  assert.equal((await transactionsOf(offer)).length, 1)
})

test('a GET that differs, a POST and a key are sales of their own beside a GET under way', async () => {
  const { demo, database } = service
  const { offer, first } = await slowly(offer => demo.charge(offer, demo.card, { method: 'GET' }))
  const others = await Promise.all([
    demo.charge(offer, demo.card, { method: 'GET', form: { referrer_context: 'till 2' } }),
    demo.charge(offer, demo.card),
    demo.charge(offer, demo.card),
    demo.charge(offer, demo.card, { method: 'GET', key: 'parallel' }),
  ])
  for (const answer of [...others, await first]) answeredAbout(answer, 200)
  const transactions = await transactionsOf(offer)
  assert.equal(transactions.length, 5)
  assert.equal((await booked(database.sql, 'charge', transactions)).count, 5)
})

test('a GET that equals one in doubt gets its record with 202, and no second charge', async () => {
  const { demo, database } = service
  const offer = await demo.makeOffer({ amount: '4200.03' })
  const ask = () => demo.charge(offer, demo.card, { method: 'GET' })
  const first = answeredAbout(await ask(), 202)
  const again = answeredAbout(await ask(), 202)
  assert.equal(again.json.transaction.id, first.json.transaction.id)
  const transactions = await transactionsOf(offer)
  assert.deepEqual(await booked(database.sql, 'charge', transactions), { count: 1, sumMinor: 420_003n })
})
