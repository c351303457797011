// After a person's decision the gateway is asked again, so that what it did otherwise, or meanwhile, is not missed. The
// decisions are made by a command, which ends with them: only what it has written down can lead to anything later.

import assert from 'node:assert/strict'
import { afterEach, type TestContext, test } from 'node:test'
import { answered } from './support/answers.ts'
import { type BadLine, connectBadLine } from './support/bad-line.ts'
import { tillbell } from './support/command.ts'
import { openStripeShop } from './support/stripe/shop.ts'
import { until } from './support/until.ts'

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

const decide = (t: TestContext, operation: string, as: string) =>
  command(t, ...['doubt', 'resolve', operation, '--as', as, '--by', 'Ada', '--note', 'Seen there.'])

async function operationOf(transaction: string) {
  const [row] = await sql<{ id: string; outcome: string; nextAskAt: Date | null; forPerson: string | null }[]>`
    select id, outcome, next_ask_at, for_person from operation where transaction_id = ${transaction} and kind = 'charge'`
  return row ?? assert.fail('no operation')
}

/** Charged by Stripe, settled here as not made by a person while Stripe was away, and found to be made since. */
async function lateSuccess(t: TestContext): Promise<{ readonly id: string; readonly operation: string }> {
  const card = await connected.card()
  stripe.webhooks.moments = () => ['held']
  stripe.faults.next({ kind: 'reset', at: 'after' }, ({ method }) => method === 'POST')
  stripe.faults.always({ kind: 'reset', at: 'before' })
  const { id } = answered(await shop.charge(await shop.makeOffer(), card), 202).json.transaction
  const operation = (await operationOf(id)).id
  await decide(t, operation, 'not-made')
  assert.equal((await record(id)).status, 'Failed')
  stripe.faults.clear()
  stripe.webhooks.moments = () => ['after']
  await stripe.webhooks.release()
  await stripe.webhooks.settled()
  await until('the late success is kept', async () => (await operationOf(id)).forPerson !== null)
  return { id, operation }
}

test('a refund made while a late success waits for a person is written down once it is accepted', async t => {
  const { id, operation } = await lateSuccess(t)
  await stripe.dashboard.refund(connected.intentOf(id).id, 4_000)
  await stripe.dashboard.openDispute(connected.intentOf(id).id, 6_000)
  await stripe.webhooks.settled()
  const told = stripe.webhooks.delivered.length
  assert.equal((await record(id)).status, 'Failed')

  await decide(t, operation, 'succeeded')
  await until('the refund is written down', async () => (await record(id)).status === 'Partially Refunded')
  const { refunds, dispute } = await record(id)
  assert.deepEqual([refunds.length, dispute.amount], [1, '60.00'])
  await until('nothing is left to be asked', async () => (await operationOf(id)).nextAskAt === null)
  assert.equal(stripe.webhooks.delivered.length, told, 'Stripe did not tell again')
})

test('a gateway that does not answer after the decision is asked until it does', async t => {
  const { id, operation } = await lateSuccess(t)
  await stripe.dashboard.refund(connected.intentOf(id).id)
  await stripe.webhooks.settled()
  stripe.faults.always({ kind: 'reset', at: 'before' })
  await decide(t, operation, 'succeeded')
  await until('it was asked in vain', async () => {
    const asks = await sql`select from ask where operation_id = ${operation} and heard::text like '%not_now%'`
    return asks.length > 0
  })
  const { outcome, nextAskAt } = await operationOf(id)
  assert.deepEqual([outcome, nextAskAt !== null, (await record(id)).status], ['succeeded', true, 'Successful'])
  stripe.faults.clear()
  await until('the refund is written down', async () => (await record(id)).status === 'Refunded')
})

/** A charge that is still on its way to a gateway that cannot be asked, and that a person settles as not made. */
async function settledWhileOnItsWay(t: TestContext): Promise<{ readonly id: string; readonly line: BadLine }> {
  const seller = await service.newMerchant()
  const line = await connectBadLine(seller)
  t.after(() => line.close())
  line.loses = true
  const { id } = answered(await seller.charge(await seller.makeOffer(), line.card), 202).json.transaction
  line.isDead = true
  const said = await decide(t, (await operationOf(id)).id, 'not-made')
  assert.match(said, /may still carry it out\. It is looked up again for three days/)
  line.loses = false
  return { id, line }
}

test('a charge that the gateway carries out after a person settled it as not made is found, and kept for a person', async t => {
  const { id, line } = await settledWhileOnItsWay(t)
  assert.match(await line.arrive(), /succeeded/)
  line.isDead = false
  await until('the late success is kept', async () => (await operationOf(id)).forPerson !== null)
  await until('nothing is left to be asked', async () => (await operationOf(id)).nextAskAt === null)
  const { outcome, forPerson } = await operationOf(id)
  assert.equal(outcome, 'not_sent')
  assert.match(String(forPerson), /reports a success for a charge that was settled as not_sent/)
  assert.match(service.logged(), /reports a success for a charge that was settled as not_sent/)
  assert.match(await command(t, 'doubt', 'list'), new RegExp(id))
})

test('a charge that has not arrived when the gateway can be asked again is refused there from then on', async t => {
  const { id, line } = await settledWhileOnItsWay(t)
  line.isDead = false
  await until('it is proven', async () => (await operationOf(id)).nextAskAt === null)
  assert.doesNotMatch(await line.arrive(), /succeeded/)
  assert.equal((await operationOf(id)).forPerson, null)
})
