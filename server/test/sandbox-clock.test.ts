// The sandbox clock: whose it is, that it goes through time and not over it, and that all processes share it.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { testCardThat } from '../src/gateways/sandbox/test-cards.ts'
import { answered, refused } from './support/answers.ts'
import { connectBadLine } from './support/bad-line.ts'
import type { Client } from './support/client.ts'
import { clientOf, demoSheet, serve, stopped, tillbell } from './support/command.ts'
import { startApp } from './support/listening.ts'
import { end, spawnTillbell } from './support/process.ts'
import { startTestService, type TestService } from './support/service.ts'
import { until } from './support/until.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.stop())

const hourMs = 3_600_000
/** What a slow machine may take for what takes no time. */
const slackMs = 15_000

/** The time a service has, from what it makes. */
async function timeOf(client: Client): Promise<number> {
  const { json } = answered(await client.ask('offers', { form: { amount: '1.00' } }), 200)
  return Date.parse(json.offer.created_at)
}

function near(actualMs: number, expectedMs: number, what: string): void {
  const off = actualMs - expectedMs
  assert.ok(off >= -50 && off < slackMs, `${what}: ${off} ms off`)
}

async function advance(client: Client, advance_s: number): Promise<number> {
  const { json } = answered(await client.ask('sandbox/clock', { form: { advance_s } }), 200)
  assert.match(json.clock.now, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/)
  return Date.parse(json.clock.now)
}

/** What one of these became: when it was begun, and its one event. */
async function story(client: Client, id: string) {
  const { status, error_code, created_at } = answered(await client.ask(`transactions/${id}`), 200).json.transaction
  const rows = await service.database.sql<{ id: string; at: Date; kind: string; details: string }[]>`
    select id, at, kind, details from event where transaction_id = ${id}`
  assert.equal(rows.length, 1)
  const [event] = rows
  if (event === undefined) throw new Error('no event')
  assert.equal(JSON.parse(event.details).date, Math.floor(event.at.getTime() / 1_000))
  return {
    status,
    error_code,
    event,
    beganMs: Date.parse(created_at),
    afterMs: event.at.getTime() - Date.parse(created_at),
  }
}

/** One charge that was made behind a lost answer, and one that never arrives however often it is sent. */
async function twoInDoubt(client: Client) {
  const line = await connectBadLine(client)
  line.loses = true
  const offer = await client.makeOffer()
  const reset = await client.storeCard(testCardThat('reset_after').number)
  const lost = answered(await client.charge(offer, line.card), 202).json.transaction.id as string
  const made = answered(await client.charge(offer, reset), 202).json.transaction.id as string
  return { line, lost, made }
}

async function wereSettledInOrder(client: Client, ids: { lost: string; made: string }): Promise<void> {
  const [made, lost] = [await story(client, ids.made), await story(client, ids.lost)]
  assert.deepEqual([made.status, made.event.kind], ['Successful', 'transaction'])
  assert.deepEqual([lost.status, lost.error_code, lost.event.kind], ['Failed', 'gateway_no_answer', 'error'])
  near(made.afterMs, 5_000, 'asked again')
  near(lost.afterMs, 300_000, 'given up')
  assert.ok(made.event.id < lost.event.id, 'the earlier event has the earlier id')
}

test('only the demo merchant moves the clock, and only forward', async () => {
  const beforeMs = Date.now()
  const other = await service.newMerchant()
  refused(await other.ask('sandbox/clock', { form: { advance_s: 60 } }), 403, ['general'])
  for (const advance_s of ['-60', '0', '1.5', 'soon', '31536001']) {
    refused(await service.demo.ask('sandbox/clock', { form: { advance_s } }), 422, ['advance_s'])
  }
  near(await timeOf(service.demo), beforeMs, 'nobody has moved it')
})

test('it goes through everything that falls due on the way, in order, and answers when that is done', async t => {
  const { demo } = service
  const { line, ...ids } = await twoInDoubt(demo)
  t.after(() => line.close())
  const beforeMs = await timeOf(demo)
  const now = await advance(demo, 3_600)
  near(now, beforeMs + hourMs, 'an hour later')
  near(await timeOf(demo), now, 'and it stays so')
  await wereSettledInOrder(demo, ids)
  assert.equal(line.sendings, 4, 'sent at first, and after 5 s, 35 s and 155 s')
})

test('a second process shares it, and a restart does not turn it back', async t => {
  const { demo, database, dataFolder } = service
  const other = serve(t, { DATABASE_URL: database.url, TILLBELL_DATA: dataFolder })
  const there = clientOf(await demoSheet(dataFolder), await other.ready())
  const here = await timeOf(demo)
  near(await timeOf(there), here, 'it starts with the time of the others')
  const now = await advance(demo, 600)
  await until('the other hears of it', async () => (await timeOf(there)) >= now)
  const later = await advance(there, 600)
  await until('and the other way round', async () => (await timeOf(demo)) >= later)
  const [a, b] = await Promise.all([advance(demo, 1_000), advance(there, 2_000)])
  const bothMs = Math.max(a, b)
  await until('of two at once the later time wins', async () => (await timeOf(demo)) >= bothMs)
  await until('everywhere', async () => (await timeOf(there)) >= bothMs)
  await stopped(other)
  await service.restart()
  const expectedMs = await movedTime()
  assert.ok(expectedMs >= bothMs)
  near(await timeOf(demo), expectedMs, 'after a restart')
})

/** By the database alone. */
async function movedTime(): Promise<number> {
  const [row] = await service.database.sql<
    { value: number }[]
  >`select value from setting where name = 'clock_offset_ms'`
  return Date.now() + Number(row?.value)
}

test('the command moves it beside a running service, step by step as well', async t => {
  const { demo, database, dataFolder } = service
  const { line, ...ids } = await twoInDoubt(demo)
  t.after(() => line.close())
  const beforeMs = await timeOf(demo)
  const environment = { DATABASE_URL: database.url, TILLBELL_DATA: dataFolder }
  const { code, stdout, stderr } = await tillbell(t, ['clock', 'advance', '1h', '--json'], environment)
  assert.equal(code, 0, stderr)
  near(Date.parse(JSON.parse(stdout).now), beforeMs + hourMs, 'an hour later')
  await wereSettledInOrder(demo, ids)
  await until('the service hears of it', async () => (await timeOf(demo)) >= beforeMs + hourMs)
})

test('it waits for what another process is just asking about', async t => {
  const { demo, database, dataFolder } = service
  const { sql } = database
  const line = await connectBadLine(demo)
  t.after(() => line.close())
  line.loses = true
  const { id } = answered(await demo.charge(await demo.makeOffer(), line.card), 202).json.transaction
  const held = Promise.withResolvers<void>()
  Object.assign(line, { loses: false, holds: held.promise })
  t.after(() => held.resolve())
  await sql`update operation set next_ask_at = created_at where transaction_id = ${id}`
  await until('the service asks again', async () => line.sendings === 2)

  const offset = () => sql<{ value: number }[]>`select value from setting where name = 'clock_offset_ms'`
  const before = await offset()
  const environment = { DATABASE_URL: database.url, TILLBELL_DATA: dataFolder }
  const moving = tillbell(t, ['clock', 'advance', '1h'], environment)
  const asked =
    () => sql`select from pg_stat_activity where datname = current_database() and query like '%lease_no > 1%'
    and pid <> pg_backend_pid()`
  await until('the command finds somebody asking', async () => (await asked()).length > 0)
  assert.deepEqual(await offset(), before, 'the clock stands')
  held.resolve()
  assert.equal((await moving).code, 0)
  const { status, afterMs } = await story(demo, id)
  assert.equal(status, 'Successful')
  assert.ok(afterMs < hourMs / 2, `${afterMs} ms after it began`)
})

test('what takes long is said on standard error: whose answer it waits for', async t => {
  const { database, dataFolder } = service
  const app = await startApp()
  t.after(() => app.close())
  app.answers['/slow'] = 500
  const shop = await service.newMerchant()
  const url = `http://127.0.0.1:${app.port}/slow`
  answered(await shop.ask('hook_endpoints', { form: { kind: 'transaction', url } }), 200)
  answered(await shop.charge(await shop.makeOffer(), await shop.storeCard()), 200)
  const attempts = async () =>
    (await database.sql`select from attempt where merchant_id = ${String(shop.merchant)}`).count
  await until('it was refused once', async () => (await attempts()) === 1)
  const { letGo } = app.hold('/slow')
  t.after(letGo)
  const child = spawnTillbell(['clock', 'advance', '6m'], { DATABASE_URL: database.url, TILLBELL_DATA: dataFolder })
  t.after(() => end(child))
  const ended = once(child, 'exit')
  const said = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream].setEncoding('utf8').on('data', text => {
      said[stream] += text
    })
  await until('it says so', async () => said.stderr !== '')
  assert.equal(said.stderr, `Waiting for the answer of ${url}, for as long as a hook may take.\n`)
  letGo()
  assert.deepEqual(await ended, [0, null])
  assert.match(said.stdout, /^It is now \S+\.\n$/)
})
