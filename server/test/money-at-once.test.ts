// Money and stock under a crowd: whatever is asked at the same moment, no more is given back than was taken, and no more
// is sold than there is.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { answered, answeredAbout, booked, refused } from './support/answers.ts'
import type { Answer } from './support/client.ts'
import { startTestService, type TestService } from './support/service.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.stop())

const times = (count: number, ask: (index: number) => Promise<Answer>) =>
  Promise.all(Array.from({ length: count }, (_, index) => ask(index)))

const ofStatus = (answers: readonly Answer[], status: number) => answers.filter(answer => answer.status === status)

async function stockOf(offer: string): Promise<number> {
  return (await service.demo.ask(`offers/${offer}`)).json.offer.stock
}

test('twenty partial refunds at once, of twice the amount together, never exceed it', async () => {
  const { demo, database } = service
  const { id } = (await demo.charge(await demo.makeOffer({ amount: '100.00' }), demo.card)).json.transaction
  const form = { transaction: id, amount: '10.00' }
  const answers = await times(20, index =>
    demo.ask('transactions/refunds', {
      form: { ...form, notes: `${index}` },
      method: index % 2 === 0 ? 'GET' : 'POST',
    }),
  )
  assert.equal(ofStatus(answers, 200).length, 10)
  for (const answer of answers.filter(({ status }) => status !== 200)) {
    refused(answer, answer.status, answer.status === 409 ? ['transaction'] : ['amount'])
  }
  assert.deepEqual(await booked(database.sql, 'refund', [id]), { count: 10, sumMinor: 10_000n })
  const [row] =
    await database.sql`select status, refunded_minor, refund_reserved_minor from transaction where id = ${id}`
  assert.deepEqual(row, { status: 'Refunded', refundedMinor: 10_000n, refundReservedMinor: 0n })
  const { json } = await demo.ask(`transactions/${id}`)
  assert.equal(json.transaction.refunds.length, 10)
})

test('a capture and a void at once: one of them, never both', async () => {
  const { demo, database } = service
  for (let round = 0; round < 5; round++) {
    const { id } = (await demo.charge(demo.offer, demo.card, { form: { authorization_only: 'true' } })).json.transaction
    const answers = await times(8, index =>
      demo.ask(`transactions/${id}/${index % 2 === 0 ? 'capture' : 'void'}`, { method: 'POST' }),
    )
    assert.equal(ofStatus(answers, 200).length, 1)
    for (const answer of answers) if (answer.status !== 200) refused(answer, 409, ['transaction'])
    const { count: captures } = await booked(database.sql, 'capture', [id])
    const { count: voids } = await booked(database.sql, 'void', [id])
    assert.equal(captures + voids, 1)
  }
})

test('fifty buyers at once of a stock of ten: ten charges, and nothing left', async () => {
  const { demo, database } = service
  const offer = await demo.makeOffer({ stock: 10 })
  const cards = await Promise.all(
    Array.from({ length: 50 }, (_, index) => demo.storeCard('4111111111111111', { email: `b${index}@example.com` })),
  )
  const answers = await times(50, index => demo.charge(offer, cards[index] ?? ''))
  const sold = ofStatus(answers, 200)
  assert.equal(sold.length, 10)
  for (const answer of answers) {
    if (answer.status !== 200) refused(answeredAbout(answer, 422), 422, ['service_offer'])
  }
  assert.equal(await stockOf(offer), 0)
  const transactions = await database.sql`select id from transaction where offer_id = ${offer}`
  assert.equal(transactions.length, 10)
  const ids = transactions.map(({ id }) => String(id))
  assert.deepEqual(await booked(database.sql, 'charge', ids), { count: 10, sumMinor: 100_000n })
})

test('buyers of several units at once leave what is too little for the next', async () => {
  const { demo } = service
  const offer = await demo.makeOffer({ stock: 10 })
  const answers = await times(8, () => demo.charge(offer, demo.card, { quantity: 3 }))
  assert.equal(ofStatus(answers, 200).length, 3)
  for (const { json } of ofStatus(answers, 200)) assert.equal(json.transaction.amount, '300.00')
  assert.equal(await stockOf(offer), 1)
  refused(await demo.charge(offer, demo.card, { quantity: 2 }), 422, ['service_offer'])
  answered(await demo.charge(offer, demo.card, { quantity: 1 }), 200)
})

test('units come back on a decline and a void, are held in 3-D Secure and in doubt, and stay sold on a refund', async () => {
  const { demo } = service
  const offer = await demo.makeOffer({ stock: 10 })
  const declined = await demo.storeCard('4012888888881881')
  const answers = await times(5, () => demo.charge(offer, declined, { quantity: 2 }))
  for (const answer of answers) answered(answer, 402)
  assert.equal(await stockOf(offer), 10)
  const held = await demo.charge(offer, demo.card, { quantity: 4, form: { authorization_only: 'true' } })
  assert.equal(await stockOf(offer), 6)
  answered(await demo.ask(`transactions/${held.json.transaction.id}/void`, { method: 'POST' }), 200)
  assert.equal(await stockOf(offer), 10)
  const sold = await demo.charge(offer, demo.card, { quantity: 3 })
  answered(await demo.ask('transactions/refunds', { form: { transaction: sold.json.transaction.id } }), 200)
  assert.equal(await stockOf(offer), 7)
  answered(await demo.charge(offer, await demo.storeCard('4000001000016006'), { quantity: 2 }), 202)
  assert.equal(await stockOf(offer), 5)
  answered(await demo.charge(offer, await demo.storeCard('4000001000013003')), 202)
  assert.equal(await stockOf(offer), 4)
  answered(await demo.ask('sandbox/clock', { form: { advance_s: 3_600 } }), 200)
  assert.equal(await stockOf(offer), 6, 'the one in doubt was sold, the challenge that nobody passed gave its two back')
})
