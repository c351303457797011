// The gateway did it, and our own commit of that fails, again and again: nothing may look as if all were well. Two minutes
// after its lease has ended the operation is in doubt, everywhere where doubt is shown; a person can settle it; and when
// whatever stood in the way is gone, it is settled by itself.

import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { answered, booked } from './support/answers.ts'
import { audited, findingsOfAudit } from './support/audited.ts'
import type { Client } from './support/client.ts'
import { tillbell } from './support/command.ts'
import { type ConsoleClient, signedIn } from './support/console.ts'
import { read, startRelay } from './support/mail-relay.ts'
import { measure } from './support/metrics.ts'
import { type SignInPair, startTestService, type TestService } from './support/service.ts'
import { until } from './support/until.ts'

const relay = await startRelay()
let service: TestService
let seller: Client & { readonly merchant: string; readonly login: SignInPair }
let owner: ConsoleClient
before(async () => {
  const mail = { TILLBELL_MAIL_DOMAIN: 'pay.example', TILLBELL_MAIL_RELAY: `smtp://127.0.0.1:${relay.port}` }
  service = await startTestService(mail)
  seller = await service.newMerchant()
  owner = await signedIn(service.baseUrl, seller.login)
  await service.database.sql.unsafe(`create function refuse_it() returns trigger language plpgsql as
    $$ begin raise exception 'the disk of events is broken'; end $$`)
})
after(async () => {
  await service.stop()
  await relay.close()
})

async function refuseEvents(): Promise<void> {
  await service.database.sql.unsafe('create trigger refuse before insert on event execute function refuse_it()')
}
async function takeEvents(): Promise<void> {
  await service.database.sql.unsafe('drop trigger if exists refuse on event')
}

const pass = async (seconds: number) =>
  answered(await service.demo.ask('sandbox/clock', { form: { advance_s: seconds } }), 200)

async function operationNow(id: string) {
  const [row] = await service.database.sql<
    { id: string; outcome: string; asks: number; overdueAt: Date | null; cause: string | null }[]
  >`select id, outcome, asks, overdue_at, cause from operation where transaction_id = ${id} order by id desc limit 1`
  return row ?? assert.fail('no operation')
}

/** What two minutes do, without the wait. */
const becomeOverdue = (id: string) =>
  service.database.sql`update operation set overdue_at = now() where id = ${id} and overdue_at is not null`

const command = (t: TestContext, ...words: string[]) =>
  tillbell(t, words, { DATABASE_URL: service.database.url, TILLBELL_DATA: service.dataFolder, TILLBELL_LOG: 'error' })

const refund = (id: string) => seller.ask('transactions/refunds', { form: { transaction: id } })
const recordOf = async (id: string) => answered(await seller.ask(`transactions/${id}`), 200).json.transaction
const doubtGauge = async () => (await measure(service))('tillbell_doubt', 'what="unknown"')

async function listedIn(t: TestContext): Promise<{ [place: string]: boolean }> {
  const inList = JSON.parse((await command(t, 'doubt', 'list', '--json')).stdout).length > 0
  const atConsole = (await owner.ask('doubt')).json.length > 0
  const home = (await owner.ask('home')).json.home
  const sales = (await owner.ask('transactions?needs=in_doubt')).json
  return {
    'tillbell doubt list': inList,
    'the doubt page': atConsole,
    'the home page': home.attention.in_doubt.count > 0,
    'the list of transactions': sales.length > 0,
    metrics: (await doubtGauge()) > 0,
    'tillbell audit': (await findingsOfAudit(service.database.sql)).length > 0,
  }
}

const everywhere = (is: boolean) => ({
  'tillbell doubt list': is,
  'the doubt page': is,
  'the home page': is,
  'the list of transactions': is,
  metrics: is,
  'tillbell audit': is,
})

test('a refund that succeeded and cannot be written down is in doubt everywhere, and settled when it can be', async t => {
  t.after(takeEvents)
  const offer = await seller.makeOffer()
  const { id } = answered(await seller.charge(offer, await seller.storeCard()), 200).json.transaction
  await refuseEvents()
  const alerts = (await measure(service))('tillbell_alerts_total')
  answered(await refund(id), 500)
  assert.deepEqual(await booked(service.database.sql, 'refund', [id]), { count: 1, sumMinor: 10_000n })
  const refused = await operationNow(id)
  assert.equal(refused.outcome, 'pending')
  assert.match(refused.cause ?? '', /could not be written down/)
  assert.equal((await measure(service))('tillbell_alerts_total') - alerts, 1, 'somebody is told at once')
  assert.match(service.logged(), /could not be written down[^\n]*/)
  assert.deepEqual(await listedIn(t), everywhere(false), 'it is still under way')

  // Asked about over and over, which settles nothing, and does not put off that it is in doubt.
  await pass(600)
  const asked = await operationNow(id)
  assert.ok(asked.asks >= 3, `${asked.asks} asks`)
  assert.deepEqual([asked.outcome, asked.overdueAt], ['pending', refused.overdueAt])
  await becomeOverdue(asked.id)

  assert.deepEqual(await listedIn(t), everywhere(true))
  assert.equal((await recordOf(id)).in_doubt, true)
  const [finding, ...others] = await findingsOfAudit(service.database.sql)
  assert.match(finding?.sentence ?? '', new RegExp(`^transaction ${id} has the refund ${asked.id} still pending`))
  assert.deepEqual(others, [])
  await until('the owner is mailed', async () => relay.mails.some(({ to }) => to.includes(seller.login.email)))
  const mail = read(relay.mails.at(-1) ?? assert.fail())
  assert.ok(mail.body.includes(asked.id), mail.body)
  const { doubt } = (await owner.ask(`doubt/${asked.id}`)).json
  assert.deepEqual([doubt.outcome, doubt.verdicts], ['pending', ['succeeded', 'not_made']])

  await takeEvents()
  await pass(7_200)
  const { status, in_doubt } = await recordOf(id)
  assert.deepEqual([status, in_doubt], ['Refunded', undefined])
  assert.deepEqual(await listedIn(t), everywhere(false))
  assert.deepEqual(await booked(service.database.sql, 'refund', [id]), { count: 1, sumMinor: 10_000n })
  await audited(service.database.sql)
})

test('reconcile tells of it, also while somebody is just asking', async t => {
  t.after(takeEvents)
  const { id } = answered(await seller.charge(await seller.makeOffer(), await seller.storeCard()), 200).json.transaction
  await refuseEvents()
  answered(await refund(id), 500)
  const { id: operation } = await operationNow(id)
  await becomeOverdue(operation)
  await service.database.sql`update operation set lease_until = now() + interval '1 hour' where id = ${operation}`
  const gateway = (await recordOf(id)).gateway
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
  const words = ['reconcile', '--gateway', gateway, '--from', day(-1), '--to', day(30), '--json']
  const { stdout } = await command(t, ...words)
  const { differences } = JSON.parse(stdout)
  assert.deepEqual(
    differences.map((each: { what: string; here: { operation: string } }) => [each.what, each.here.operation]),
    [['settles_doubt', operation]],
  )
  await service.database.sql`update operation set lease_until = now() where id = ${operation}`
  await takeEvents()
  await pass(3_600)
  await audited(service.database.sql)
})

test('a person settles it, as the gateway says it was', async t => {
  t.after(takeEvents)
  const { id } = answered(await seller.charge(await seller.makeOffer(), await seller.storeCard()), 200).json.transaction
  await refuseEvents()
  answered(await refund(id), 500)
  const { id: operation } = await operationNow(id)
  await becomeOverdue(operation)
  await service.database.sql`update operation set next_ask_at = next_ask_at + interval '1 hour' where id = ${operation}`
  await takeEvents()
  const resolve = (as: string) => [
    ...['doubt', 'resolve', operation, '--as', as, '--by', 'Ada', '--note', 'Seen at the gateway.'],
  ]
  const ref = `sandbox_refund_${operation}`
  const { code, stderr } = await command(t, ...resolve('succeeded'), '--gateway-ref', ref)
  assert.deepEqual([code, stderr], [0, ''])
  assert.equal((await recordOf(id)).status, 'Refunded')
  assert.deepEqual(await listedIn(t), everywhere(false))
  await audited(service.database.sql)
})
