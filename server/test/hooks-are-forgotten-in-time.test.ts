// Of a hook, answers are kept for 30 days, details and attempts for 90 after everything is settled; that it was sent, and
// how it ended, stays for ever. All on the service's clock.

import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { answered } from './support/answers.ts'
import { audited } from './support/audited.ts'
import { addEndpoint, startEndpoint } from './support/merchant-endpoint.ts'
import { drop } from './support/owed.ts'
import { startTestService, type TestService } from './support/service.ts'
import { until } from './support/until.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.stop())

const dayS = 86_400

async function pass(seconds: number): Promise<void> {
  answered(await service.demo.ask('sandbox/clock', { form: { advance_s: seconds } }), 200)
}

/** A merchant with an endpoint, and what it takes to charge. */
async function merchantWith(t: TestContext, kind: string, status: 'enabled' | 'paused' = 'enabled') {
  const { sql } = service.database
  const client = await service.newMerchant()
  const endpoint = await startEndpoint(response => void response.writeHead(200).end('noted for Ada'))
  t.after(() => endpoint.close())
  await addEndpoint(sql, client.merchant, { url: endpoint.url, kind, status })
  const [offer, card] = [await client.makeOffer(), await client.storeCard()]
  const charge = async () => answered(await client.charge(offer, card), 200).json.transaction.id as string
  const deliveries = () => sql`select state, attempts from whole_delivery where merchant_id = ${client.merchant}`
  const areDelivered = () =>
    until('it is delivered', async () => (await deliveries()).every(({ state }) => state === 'delivered'))
  return { ...client, charge, deliveries, areDelivered }
}

test('the answer to Pre-Sale goes after 30 days and what was asked after 90; that it was answered stays', async t => {
  const { sql } = service.database
  const { charge } = await merchantWith(t, 'pre_sale')
  const id = await charge()
  const kept = async () => {
    const [row] =
      await sql`select status, answer, details is not null as details from pre_sale_request where transaction_id = ${id}`
    return [row?.status, row?.answer, row?.details]
  }
  await pass(30 * dayS - 600)
  assert.deepEqual(await kept(), [200, 'noted for Ada', true])
  await pass(1_200)
  assert.deepEqual(await kept(), [200, null, true])
  await pass(60 * dayS - 1_200)
  assert.deepEqual(await kept(), [200, null, true])
  await pass(1_200)
  assert.deepEqual(await kept(), [200, null, false])
})

test('the answer to a Pre-Sale test, which has no transaction, goes too', async t => {
  const { sql } = service.database
  const { merchant } = await merchantWith(t, 'pre_sale')
  await sql`insert into pre_sale_request (merchant_id, id, endpoint_id, url, recorded_at, status, answer, details, answered_at)
    select merchant_id, gen_random_uuid(), id, url, now(), 200, 'noted', '{}', now() from hook_endpoint where merchant_id = ${merchant}`
  await pass(91 * dayS)
  const left = await sql`select from pre_sale_request
    where merchant_id = ${merchant} and (answer is not null or details is not null)`
  assert.equal(left.length, 0)
})

test('the answer to an attempt goes after 30 days, the attempt and the details after 90', async t => {
  const { sql } = service.database
  const { merchant, charge, areDelivered, deliveries } = await merchantWith(t, 'transaction')
  await charge()
  await areDelivered()
  const kept = async () => {
    const attempts = await sql`select response from attempt where merchant_id = ${merchant}`
    const details = await sql`select from event where merchant_id = ${merchant} and details is not null`
    return [attempts.map(({ response }) => response), details.length]
  }
  await pass(30 * dayS - 600)
  assert.deepEqual(await kept(), [['noted for Ada'], 1])
  await pass(1_200)
  assert.deepEqual(await kept(), [[null], 1])
  await pass(60 * dayS - 1_200)
  assert.deepEqual(await kept(), [[null], 1])
  await pass(1_200)
  assert.deepEqual(await kept(), [[], 0])
  assert.deepEqual([...(await deliveries())], [{ state: 'delivered', attempts: 1 }])
  await audited(sql)
})

test('what is owed is kept with its details, for 90 days after it has gone out', async t => {
  const { sql } = service.database
  const { merchant, charge, areDelivered } = await merchantWith(t, 'transaction', 'paused')
  await charge()
  const hasDetails = async () =>
    (await sql`select from event where merchant_id = ${merchant} and details is not null`).length === 1
  await pass(200 * dayS)
  assert.equal(await hasDetails(), true)
  await sql`update hook_endpoint set status = 'enabled' where merchant_id = ${merchant}`
  await areDelivered()
  await pass(90 * dayS - 600)
  assert.equal(await hasDetails(), true)
  await pass(1_200)
  assert.equal(await hasDetails(), false)
  await audited(sql)
})

test('an event that nobody was owed loses its details after 90 days', async () => {
  const { sql } = service.database
  const client = await service.newMerchant()
  answered(await client.charge(await client.makeOffer(), await client.storeCard()), 200)
  const details = async () => (await sql`select details from event where merchant_id = ${client.merchant}`)[0]?.details
  await pass(90 * dayS - 600)
  assert.notEqual(await details(), null)
  await pass(1_200)
  assert.equal(await details(), null)
})

test('while one endpoint is still owed an event, the other’s attempts stay with it', async t => {
  const { sql } = service.database
  const { merchant, charge } = await merchantWith(t, 'transaction')
  await addEndpoint(sql, merchant, { url: 'http://127.0.0.1:1', kind: 'generic', status: 'paused' })
  await charge()
  const attempts = async () => (await sql`select from attempt where merchant_id = ${merchant}`).length
  await until('one is delivered', async () => (await attempts()) === 1)
  await pass(200 * dayS)
  assert.equal(await attempts(), 1)
})

test('of an erased customer, attempts stay until 90 days after the last of them', async t => {
  const { sql } = service.database
  const { merchant, charge, areDelivered, deliveries } = await merchantWith(t, 'transaction')
  await charge()
  await areDelivered()
  await sql`update event set details = null where merchant_id = ${merchant}`
  await sql`insert into attempt (merchant_id, delivery_id, number, at, url, resend, status, duration_ms)
    select merchant_id, delivery_id, 2, at + interval '60 days', url, true, status, duration_ms from attempt where merchant_id = ${merchant}`
  const left = async () => (await sql`select from attempt where merchant_id = ${merchant}`).length
  await pass(91 * dayS)
  assert.equal(await left(), 2)
  await pass(60 * dayS)
  assert.equal(await left(), 0)
  assert.deepEqual([...(await deliveries())], [{ state: 'delivered', attempts: 2 }], 'how many there were is known')
})

test('of an erased customer, attempts stay while the delivery was settled lately', async t => {
  const { sql } = service.database
  const { merchant, charge, areDelivered } = await merchantWith(t, 'transaction')
  await charge()
  await areDelivered()
  await sql`update event set details = null where merchant_id = ${merchant}`
  await drop(sql, sql`merchant_id = ${merchant}`)
  await sql`update owed_delivery set settled_at = (select max(at) from attempt where merchant_id = ${merchant}) + interval '60 days'
    where merchant_id = ${merchant}`
  const left = async () => (await sql`select from attempt where merchant_id = ${merchant}`).length
  await pass(91 * dayS)
  assert.equal(await left(), 1)
  await pass(60 * dayS)
  assert.equal(await left(), 0)
})

test('a secret that has long stopped to sign is deleted, and the one that signs is not', async t => {
  const { sql } = service.database
  const { merchant } = await merchantWith(t, 'transaction')
  const now = (
    await sql`select now() + (select value::float8 from setting where name = 'clock_offset_ms') * interval '1 ms' as now`
  )[0]?.now
  for (const signsUntil of [null, now]) {
    await sql`insert into hook_secret (merchant_id, id, endpoint_id, secret_sealed, created_at, signs_until)
      select merchant_id, gen_random_uuid(), id, '\\x00', now(), ${signsUntil} from hook_endpoint where merchant_id = ${merchant}`
  }
  const left = async () => (await sql`select signs_until from hook_secret where merchant_id = ${merchant}`).length
  await pass(7 * dayS - 600)
  assert.equal(await left(), 2)
  await pass(1_200)
  assert.equal(await left(), 1)
  assert.equal((await sql`select from hook_secret where merchant_id = ${merchant} and signs_until is null`).length, 1)
})
