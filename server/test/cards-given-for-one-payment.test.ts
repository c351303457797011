// A card that its customer gave for one payment only is taken out of its vault when the payment is over: not while it is still
// needed, not by two processes at once, and as soon as a silent gateway answers again.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { MerchantId } from '../src/core/ids.ts'
import { testCardThat } from '../src/gateways/sandbox/test-cards.ts'
import { claimSpentCards } from '../src/store/spent-cards.ts'
import { answered } from './support/answers.ts'
import { connectBadLine } from './support/bad-line.ts'
import { startTestService, type TestService } from './support/service.ts'

let service: TestService
// Without a worker: what is due is done where the clock is moved, and at no other moment.
before(async () => {
  service = await startTestService({ TILLBELL_ROLES: 'api,pages' })
})
after(() => service.stop())

const [minuteS, hourS, dayS] = [60, 3_600, 86_400]

async function pass(seconds: number): Promise<Date> {
  const { json } = answered(await service.demo.ask('sandbox/clock', { form: { advance_s: seconds } }), 200)
  return new Date(json.clock.now)
}

/** As the page does with a card that is not to be kept. */
async function lend(card: string, dueInS: number): Promise<Date> {
  const now = await pass(1)
  const due = new Date(now.getTime() + dueInS * 1_000)
  await service.database.sql`update card set remove_at = ${due} where token = ${card}`
  return due
}

async function stateOf(card: string) {
  const [row] = await service.database.sql<{ removedAt: Date | null; removeAt: Date; cardRef: string }[]>`
    select removed_at, remove_at, card_ref from card where token = ${card}`
  if (row === undefined) throw new Error('no card')
  const inVault = await service.database.sql`select from sandbox_card where card_ref = ${row.cardRef}`
  return { ...row, isInVault: inVault.length > 0 }
}

test('it is removed when it is due, at its gateway too, where the clock goes on for a day at once', async () => {
  const { demo } = service
  const [lent, kept] = [await demo.storeCard(), await demo.storeCard()]
  const due = await lend(lent, hourS)
  await pass(hourS - 10 * minuteS)
  assert.deepEqual([(await stateOf(lent)).removedAt, (await stateOf(lent)).isInVault], [null, true])
  await pass(dayS)
  const { removedAt, isInVault } = await stateOf(lent)
  assert.equal(isInVault, false)
  const lateMs = (removedAt?.getTime() ?? 0) - due.getTime()
  assert.ok(lateMs >= 0 && lateMs < 5 * minuteS * 1_000, `${lateMs} ms late`)
  assert.deepEqual([(await stateOf(kept)).removedAt, (await stateOf(kept)).isInVault], [null, true])
})

test('it stays while its payment is in doubt, or waits for its customer', async t => {
  const { demo } = service
  const line = await connectBadLine(demo)
  t.after(() => line.close())
  line.loses = true
  const doubt = answered(await demo.charge(demo.offer, line.card), 202).json.transaction.id
  const waiting = await demo.storeCard(testCardThat('three_d_secure').number)
  const step = answered(await demo.charge(demo.offer, waiting), 202).json.transaction
  assert.equal(step.status, 'Further Action Required')
  for (const card of [line.card, waiting]) await lend(card, 0)
  await pass(minuteS)
  assert.equal((await stateOf(line.card)).removedAt, null)
  assert.equal((await stateOf(waiting)).removedAt, null)
  line.loses = false
  await pass(2 * dayS)
  assert.equal((await demo.ask(`transactions/${doubt}`)).json.transaction.status, 'Successful')
  assert.equal((await demo.ask(`transactions/${step.id}`)).json.transaction.status, 'Failed')
  assert.notEqual((await stateOf(line.card)).removedAt, null)
  assert.notEqual((await stateOf(waiting)).removedAt, null)
})

test('it stays while a refund of its payment is open', async t => {
  const { demo } = service
  const line = await connectBadLine(demo)
  t.after(() => line.close())
  const { id } = answered(await demo.charge(demo.offer, line.card), 200).json.transaction
  line.loses = true
  answered(await demo.ask('transactions/refunds', { form: { transaction: id } }), 202)
  await lend(line.card, 0)
  await pass(minuteS)
  assert.equal((await stateOf(line.card)).removedAt, null)
  line.loses = false
  await pass(hourS)
  assert.notEqual((await stateOf(line.card)).removedAt, null)
})

test('a gateway that does not answer is asked again, ever more rarely, and holds nobody up', async t => {
  const { demo } = service
  const line = await connectBadLine(demo)
  t.after(() => line.close())
  const other = await demo.storeCard()
  line.isDead = true
  for (const card of [line.card, other]) await lend(card, minuteS)
  await pass(2 * minuteS)
  assert.notEqual((await stateOf(other)).removedAt, null)
  const early = await stateOf(line.card)
  assert.equal(early.removedAt, null)
  const now = await pass(10 * dayS)
  const late = await stateOf(line.card)
  assert.equal(late.removedAt, null)
  const gapS = (late.removeAt.getTime() - now.getTime()) / 1_000
  assert.ok(gapS > 0 && gapS <= dayS)
  assert.match(service.logged(), /could not be taken out of its vault/)
  line.isDead = false
  await pass(dayS)
  assert.notEqual((await stateOf(line.card)).removedAt, null)
})

test('of two processes one takes a card, for some minutes; no more than asked for; the longest due first', async () => {
  const { sql } = service.database
  const seller = await service.newMerchant()
  const merchantId = seller.merchant as MerchantId
  const cards = await Promise.all(Array.from({ length: 20 }, () => seller.storeCard()))
  const now = await pass(1)
  for (const [index, card] of cards.entries()) {
    await sql`update card set remove_at = ${new Date(now.getTime() - index * 1_000)} where token = ${card}`
  }
  const claim = (at: Date, limit: number) => claimSpentCards(sql, merchantId, { now: at, limit })
  assert.deepEqual(await claim(now, 1), [cards[19]])
  const claims = await Promise.all([1, 2, 3, 4].map(() => claim(now, 16)))
  assert.deepEqual(claims.flat().sort(), cards.slice(0, 19).sort())
  const inMinutes = (minutes: number) => new Date(now.getTime() + minutes * 60_000)
  assert.deepEqual(await claim(inMinutes(4), 16), [])
  assert.equal((await claim(inMinutes(6), 16)).length, 16)
})
