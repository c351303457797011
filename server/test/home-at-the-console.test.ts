// What a merchant looks after at the console: figures that are the transactions', what needs a person, doubt that an owner
// settles, and the sandbox that is the demo merchant's alone.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Home, HomeCurrency, HomeSales } from '../src/console/contract/home.ts'
import { figuresByCurrency } from '../src/core/home.ts'
import type { MerchantId } from '../src/core/ids.ts'
import type { Currency } from '../src/core/money.ts'
import { countHooks } from '../src/store/hook-counts.ts'
import { salesByTime } from '../src/store/sales-by-time.ts'
import { answered } from './support/answers.ts'
import { connectBadLine } from './support/bad-line.ts'
import { type ConsoleClient, signedIn } from './support/console.ts'
import { startEndpoint } from './support/merchant-endpoint.ts'
import { drop } from './support/owed.ts'
import { startTestService } from './support/service.ts'
import { until } from './support/until.ts'

const service = await startTestService()
after(service.stop)
const { sql } = service.database
const shop = await service.newMerchant()
const owner = await signedIn(service.baseUrl, shop.login)
const viewer = await signedIn(service.baseUrl, await service.newLogin(shop.merchant, 'viewer'))

async function homeOf(client: ConsoleClient): Promise<Home> {
  const { status, json, text } = await client.ask('home')
  assert.equal(status, 200, text)
  return json.home
}

async function salesOf(client: ConsoleClient, query = ''): Promise<HomeSales> {
  const { status, json, text } = await client.ask(`home/sales${query}`)
  assert.equal(status, 200, text)
  return json.sales
}

async function inNeed(need: string): Promise<string[]> {
  const { status, json, text } = await viewer.ask(`transactions?needs=${need}`)
  assert.equal(status, 200, text)
  return json.map(({ id }: { id: string }) => id)
}

const usdOf = ({ currencies }: HomeSales): HomeCurrency =>
  currencies.find(({ currency }) => currency === 'USD') ?? assert.fail()

test('who has just begun is told what to do next', async () => {
  const [{ steps, attention }, { currencies }] = await Promise.all([homeOf(owner), salesOf(owner)])
  assert.deepEqual(steps, { gateway: true, offer: false, endpoint: false, payment: false })
  assert.deepEqual(
    currencies.map(({ currency, paid_amount, success_rate, buckets }) => [
      currency,
      paid_amount,
      success_rate,
      buckets.length,
    ]),
    [['USD', '0.00', null, 7]],
  )
  assert.equal(attention.in_doubt.count, 0)
})

test('what is paid, refunded and failed is counted, and what the shop was not told of is named', async t => {
  const receiver = await startEndpoint(response => void response.writeHead(500).end())
  t.after(() => receiver.close())
  answered(await shop.ask('hook_endpoints', { form: { kind: 'transaction', url: receiver.url } }), 200)
  const [card, declined] = [await shop.storeCard(), await shop.storeCard('4012888888881881')]
  const offer = await shop.makeOffer({ amount: '30.00' })
  const paid = answered(await shop.charge(offer, card), 200).json.transaction.id
  answered(await shop.charge(offer, card, { quantity: 2 }), 200)
  answered(await shop.charge(offer, declined), 402)
  answered(
    await shop.ask('transactions/refunds', { form: { transaction: paid, amount: '12.50', user: 'a', notes: 'b' } }),
    200,
  )
  await until('both were tried', async () => (await homeOf(viewer)).hooks.failed === 2)

  const sales = await salesOf(viewer, '?range=24h&time_zone=Asia/Kolkata')
  const { paid_amount, paid_count, refunded_amount, failed_count, success_rate, buckets, before } = usdOf(sales)
  assert.deepEqual([paid_amount, paid_count, refunded_amount, failed_count], ['90.00', 2, '12.50', 1])
  assert.equal(success_rate, 2 / 3)
  assert.deepEqual([before.paid_amount, before.success_rate], ['0.00', null])
  assert.equal(buckets.length, 24)
  assert.equal(buckets.at(-1)?.paid_amount, '90.00')
  assert.ok(Date.parse(buckets.at(-1)?.at ?? '') % 3_600_000 === 1_800_000, 'its hours begin at half past')
  const home = await homeOf(viewer)
  assert.deepEqual(home.untold.amounts, [{ currency: 'USD', amount: '90.00' }])
  assert.deepEqual([home.untold.count, home.untold.transactions[0]?.id, home.untold.cause], [2, paid, 'failing'])
  assert.deepEqual((await inNeed('untold')).at(-1), paid)
  assert.deepEqual(home.steps, { gateway: true, offer: true, endpoint: true, payment: true })
  assert.deepEqual([home.hooks.waiting, home.hooks.delivered, home.hooks.endpoints_enabled], [2, 0, 1])

  const good = await startEndpoint(response => void response.writeHead(200).end())
  t.after(() => good.close())
  answered(await shop.ask('hook_endpoints', { form: { kind: 'generic', url: good.url } }), 200)
  answered(await shop.charge(offer, card), 200)
  await until('one endpoint has taken it', async () => (await homeOf(viewer)).hooks.delivered === 1)
  assert.equal((await homeOf(viewer)).untold.count, 2, 'who was told by one endpoint knows')
  assert.equal((await inNeed('untold')).length, 2, 'and the list has those that were counted')
})

test('a machine that listens changes no figure, neither by what it is owed nor by what it has refused', async () => {
  const developed = await service.newMerchant()
  const client = await signedIn(service.baseUrl, developed.login)
  answered(await developed.charge(await developed.makeOffer(), await developed.storeCard()), 200)
  const figures = async () => {
    const { hooks, untold, attention } = await homeOf(client)
    const [row] = (await client.ask('transactions')).json
    const { due, later, oldestDueAt, untold: untoldMoney } = await countHooks(sql, new Date())
    return { hooks, untold, attention: attention.dropped.count, told: row.told, due, later, oldestDueAt, untoldMoney }
  }
  const before = await figures()
  const begun = answered(await developed.ask('hook_listeners', { json: { backfill_s: 60 } }), 200).json
  assert.equal(begun.hook_listener.backfilled, 1)
  const path = `hook_listeners/${begun.hook_listener.id}`
  const [request] = answered(await developed.ask(`${path}/requests`), 200).json
  assert.deepEqual(await figures(), before, 'what it is owed')
  answered(await developed.ask(`${path}/answers`, { json: { request: request.id, status: 500 } }), 200)
  const ofIt = sql`merchant_id = ${developed.merchant}`
  await until('it is refused', async () => (await sql`select from attempt where ${ofIt} and status = 500`).count === 1)
  assert.deepEqual(await figures(), before, 'what it has refused')
  await sql`update owed_delivery set state = 'dropped', settled_at = now(), due_at = null where ${ofIt}`
  assert.deepEqual(await figures(), before, 'what was given up')
  assert.deepEqual((await client.ask('transactions?needs=dropped')).json, [])
  await sql`delete from owed_delivery where ${ofIt}`
  assert.deepEqual(await figures(), before, 'what it has taken')
})

test('a dropped delivery needs a person until somebody resends it', async () => {
  const underWay = sql`merchant_id = ${shop.merchant} and state = 'pending' and (attempts = 0 or holder is not null)`
  await until('none is being tried', async () => (await sql`select from owed_delivery where ${underWay}`).count === 0)
  const [row] = await drop(
    sql,
    sql`merchant_id = ${shop.merchant} and id = (select id from delivery where merchant_id = ${shop.merchant} limit 1)`,
  )
  assert.equal((await homeOf(owner)).attention.dropped.count, 1)
  assert.equal((await inNeed('dropped')).length, 1)
  assert.equal((await homeOf(owner)).untold.cause, 'dropped')
  const waiting = async (query = '') => (await viewer.ask(`dropped_deliveries${query}`)).json
  assert.deepEqual(
    (await waiting()).map(({ id }: { id: string }) => id),
    [row?.id],
  )
  assert.equal((await waiting('?kind=transaction&limit=1')).length, 1)
  assert.equal((await waiting('?kind=error')).length, 0)
  await sql`update owed_delivery set resend_at = now() + interval '1 day', due_at = now() + interval '1 day'
    where merchant_id = ${shop.merchant} and id = ${row?.id}`
  assert.equal((await homeOf(owner)).attention.dropped.count, 0)
  assert.deepEqual(await waiting(), [])
})

test('days are those of the viewer’s zone, and a change of the clocks moves none', async () => {
  const other = (await service.newMerchant()).merchant as MerchantId
  const columns = await sql<{ name: string }[]>`select column_name as name from information_schema.columns
    where table_schema = 'tillbell' and table_name = 'transaction' and column_name <> all(array['id', 'merchant_id', 'created_at'])`
  const rest = sql(columns.map(({ name }) => name))
  const copyAt = (at: string) =>
    sql.begin(async scope => {
      // Rows of another merchant's offer: what they refer to is not what this is about.
      await scope.unsafe('set local session_replication_role = replica')
      const id = `${Date.parse(at)
        .toString(16)
        .padStart(12, '0')
        .replace(/^(.{8})/, '$1-')}-7000-8000-000000000001`
      await scope`insert into transaction (merchant_id, id, created_at, ${rest})
      select ${other}, ${id}, ${new Date(at)}, ${rest} from transaction
      where merchant_id = ${shop.merchant} and status = 'Successful' limit 1`
    })
  // In New York the clocks went back on the night to November 1st, 2026: that day had 25 hours.
  for (const at of ['2026-11-01T03:59:00Z', '2026-11-01T04:00:00Z', '2026-11-02T04:59:00Z', '2026-11-02T05:00:00Z'])
    await copyAt(at)
  const asked = { range: '7d', now: new Date('2026-11-04T12:00:00Z') } as const
  const daysIn = async (timeZone: string) => {
    const sales = await salesByTime(sql, other, { ...asked, timeZone })
    assert.ok(sales !== 'no such zone')
    const [usd] = figuresByCurrency(sales, 'USD' as Currency)
    return usd?.buckets
      .filter(({ paidCount }) => paidCount > 0)
      .map(({ at, paidCount }) => [at.toISOString(), paidCount])
  }
  assert.deepEqual(await daysIn('America/New_York'), [
    ['2026-10-31T04:00:00.000Z', 1],
    ['2026-11-01T04:00:00.000Z', 2],
    ['2026-11-02T05:00:00.000Z', 1],
  ])
  assert.deepEqual(await daysIn('UTC'), [
    ['2026-11-01T00:00:00.000Z', 2],
    ['2026-11-02T00:00:00.000Z', 2],
  ])
})

test('a zone or a range that nobody knows is refused', async () => {
  for (const [query, field] of [
    ['time_zone=Mars/Olympus', 'time_zone'],
    ['time_zone=%27', 'time_zone'],
    ['time_zone=A1B1', 'time_zone'], // which the database would take for one
    ['time_zone=%2B01:00', 'time_zone'],
    ['range=1y', 'range'],
  ] as const) {
    const { status, json } = await owner.ask(`home/sales?${query}`)
    assert.deepEqual([status, Object.keys(json.errors)], [422, [field]])
  }
})

test('an owner settles what is in doubt, once, and on record', async t => {
  const line = await connectBadLine(shop)
  t.after(() => line.close())
  line.loses = true
  const id = answered(await shop.charge(await shop.makeOffer({ amount: '7.00' }), line.card), 202).json.transaction.id
  line.loses = false
  await sql`update operation set next_ask_at = next_ask_at + interval '1 hour' where transaction_id = ${id}`
  const { in_doubt } = (await homeOf(viewer)).attention
  assert.deepEqual([in_doubt.count, in_doubt.for_person], [1, 0])
  assert.deepEqual(await inNeed('in_doubt'), [id])
  const [listed] = (await viewer.ask('doubt')).json
  assert.deepEqual([listed.transaction, listed.amount, listed.kind], [id, '7.00', 'charge'])
  const { doubt } = (await viewer.ask(`doubt/${listed.operation}`)).json
  assert.deepEqual(doubt.verdicts, ['succeeded', 'not_made'])
  assert.deepEqual([doubt.needs_gateway_ref, doubt.gateway_type, doubt.card_mask], [true, 'test', '1111'])

  const settle = (client: ConsoleClient, json: object) =>
    client.ask(`doubt/${listed.operation}/resolve`, { method: 'POST', json })
  const made = { verdict: 'succeeded', note: 'Seen there.', gateway_ref: 'ch_7' }
  assert.equal((await settle(viewer, made)).status, 403)
  for (const [wrong, field] of [
    [{ ...made, note: ' ' }, 'note'],
    [{ ...made, gateway_ref: '' }, 'gateway_ref'],
    [{ ...made, gateway_ref: '4111111111111111' }, 'gateway_ref'],
    [{ ...made, verdict: 'not_made' }, 'gateway_ref'],
    [{ ...made, verdict: 'perhaps' }, 'verdict'],
  ] as const) {
    const { status, json } = await settle(owner, wrong)
    assert.deepEqual([status, Object.keys(json.errors)], [422, [field]], JSON.stringify(wrong))
  }
  line.isDead = true
  const unanswered = await settle(owner, made)
  const sentence =
    'The gateway did not answer, so the reference ch_7 cannot be checked. Nothing has changed: try again when it answers.'
  assert.deepEqual([unanswered.status, unanswered.json.errors], [409, { general: sentence }])
  assert.deepEqual(await inNeed('in_doubt'), [id])
  line.isDead = false
  const { gatewayRef } = JSON.parse(await line.arrive())
  const settled = await settle(owner, { ...made, gateway_ref: gatewayRef })
  assert.equal(settled.status, 200, settled.text)
  const { resolutions, verdicts, transaction_status } = settled.json.doubt
  assert.deepEqual([resolutions.length, resolutions[0].by, resolutions[0].note], [1, shop.login.email, 'Seen there.'])
  assert.deepEqual([verdicts, transaction_status], [[], 'Successful'])
  assert.equal(settled.json.doubt.gateway_ref, gatewayRef)
  const again = await settle(owner, made)
  assert.deepEqual(
    [again.status, again.json.errors],
    [409, { general: 'The charge is settled already: it succeeded.' }],
  )
  assert.deepEqual((await viewer.ask('doubt')).json, [])
  assert.deepEqual(
    (await viewer.ask('doubt?state=settled')).json.map((row: { operation: string }) => row.operation),
    [listed.operation],
  )
})

test('an owner dismisses the sentence that they have read, and no other', async t => {
  const line = await connectBadLine(shop)
  t.after(() => line.close())
  const id = answered(await shop.charge(await shop.makeOffer(), line.card), 200).json.transaction.id
  const read = 'The gateway reports as not made a charge that a person had settled as succeeded.'
  const more = ['The gateway has not answered since the charge was accepted.', 'The gateway does not know of it.']
  const [row] = await sql`update operation set for_person = ${read}, more_for_person = ${more}::text[]
    where transaction_id = ${id} returning id`
  const shown = (await owner.ask(`doubt/${row?.id}`)).json.doubt
  assert.deepEqual([shown.for_person, shown.more_for_person], [read, more])
  const dismiss = (more: object) =>
    owner.ask(`doubt/${row?.id}/resolve`, {
      method: 'POST',
      json: { verdict: 'dismissed', note: 'Seen there.', ...more },
    })
  const unsaid = await dismiss({})
  assert.deepEqual([unsaid.status, Object.keys(unsaid.json.errors)], [422, ['answers']])
  const other = await dismiss({ answers: 'The gateway has not answered.' })
  assert.equal(other.status, 409)
  assert.match(
    other.json.errors.general,
    /changed meanwhile, and nothing was dismissed\. It now says: The gateway reports as/,
  )
  const first = (await dismiss({ answers: more[0] })).json.doubt
  assert.deepEqual([first.for_person, first.more_for_person], [read, [more[1]]], 'only that one')
  const { doubt } = (await dismiss({ answers: read })).json
  assert.deepEqual([doubt.for_person, doubt.more_for_person], [more[1], []])
  assert.deepEqual(
    doubt.resolutions.map(({ answers }: { answers: string }) => answers),
    [more[0], read],
  )
})

test('everybody chooses their own alerts, and an owner sees whose they are', async () => {
  const { mine, team, mails_go_out } = (await owner.ask('alerts')).json.alerts
  assert.deepEqual([mine, mails_go_out], [['hook_dropped', 'endpoint_paused', 'in_doubt'], false])
  assert.equal(team.length, 2)
  const changed = await viewer.ask('alerts', { method: 'PATCH', json: { in_doubt: true, hook_dropped: false } })
  assert.deepEqual([changed.status, changed.json.alerts.mine, changed.json.alerts.team], [200, ['in_doubt'], null])
  const seen = (await owner.ask('alerts')).json.alerts.team.find(({ role }: { role: string }) => role === 'viewer')
  assert.deepEqual(seen.alerts, ['in_doubt'])
})

test('the sandbox page is the demo merchant’s alone', async () => {
  assert.equal((await owner.ask('sandbox')).status, 404)
  const { demo, demoSheet } = service
  answered(await demo.charge(demo.offer, demo.card), 200)
  const client = await signedIn(service.baseUrl, demoSheet.dashboard)
  await until('its hook is in the inbox', async () => (await client.ask('sandbox')).json.sandbox.hooks.length > 0)
  const { sandbox } = (await client.ask('sandbox')).json
  assert.deepEqual([sandbox.hooks[0].verified, sandbox.hooks[0].path, sandbox.clock_offset_s], [true, 'endpoint', 0])
  assert.match(sandbox.inbox_url, /\/inbox\/[\w-]+$/)
})
