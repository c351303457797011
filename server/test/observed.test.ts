// What an operator sees and sets: metrics on a port of their own, a log without secrets, TLS, proxies, roles.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import https from 'node:https'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { testCardThat } from '../src/gateways/sandbox/test-cards.ts'
import { answered, refused } from './support/answers.ts'
import { Client, encodeForm, send } from './support/client.ts'
import { clientOf, demoSheet, type Serving, serve, stopped } from './support/command.ts'
import { freshDatabase } from './support/database.ts'
import { addEndpoint, removeEndpoints, startEndpoint } from './support/merchant-endpoint.ts'
import { startTestService, type TestService } from './support/service.ts'
import { emptyFolder } from './support/temporary-folder.ts'
import { until } from './support/until.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.stop())

async function text(url: string, method = 'GET'): Promise<{ status: number; type: string; body: string }> {
  const response = await fetch(url, { method })
  return { status: response.status, type: response.headers.get('content-type') ?? '', body: await response.text() }
}

interface Entry {
  readonly [name: string]: unknown
}

function logEntries(): Entry[] {
  return service
    .logged()
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line))
}

function metricsUrl(): string {
  const { metricsPort } = logEntries().find(({ msg }) => msg === 'started') ?? assert.fail()
  return `http://127.0.0.1:${metricsPort}/metrics`
}

/** What Prometheus would read. Every line is a comment or a sample. */
async function samples(): Promise<Map<string, number>> {
  const { status, type, body } = await text(metricsUrl())
  assert.equal(status, 200)
  assert.match(type, /^text\/plain; version=0\.0\.4/)
  const lines = body.split('\n').filter(line => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map(line => {
      const [, name = '', value] = /^([a-zA-Z_:][\w:]*(?:\{[^}]*\})?) (\S+)$/.exec(line) ?? assert.fail(line)
      return [name, Number(value)]
    }),
  )
}

const charges = (status: number) =>
  `tillbell_request_duration_seconds_count{method="POST",route="/api/v5/rest/transactions",status="${status}"}`

test('metrics are on a port of their own, and nothing else is', async () => {
  const other = new URL(metricsUrl())
  assert.equal((await text(`${service.baseUrl}/metrics`)).status, 404)
  for (const path of ['/', '/healthz', '/api/v5/rest/transactions', '/metrics/', '/metrics?x=1']) {
    assert.equal((await text(new URL(path, other).href)).status, 404, path)
  }
  assert.equal((await text(other.href, 'POST')).status, 404)
})

test('the metrics move with what happens', async () => {
  const { demo } = service
  const before = await samples()
  const moved = async (name: string) => ((await samples()).get(name) ?? 0) - (before.get(name) ?? 0)
  answered(await demo.charge(demo.offer, demo.card), 200)
  answered(await demo.charge(demo.offer, 'nothing'), 404)
  await until('both are counted', async () => (await moved(charges(200))) === 1 && (await moved(charges(404))) === 1)

  const doubt = 'tillbell_doubt{what="unknown"}'
  const reset = await demo.storeCard(testCardThat('reset_after').number)
  answered(await demo.charge(demo.offer, reset), 202)
  assert.equal(await moved(doubt), 1)
  answered(await demo.ask('sandbox/clock', { form: { advance_s: 10 } }), 200)
  assert.equal(await moved(doubt), 0)
  assert.ok((await moved('tillbell_swept_total{what="operations"}')) >= 1)

  const wrong = await demo.storeCard(testCardThat('wrong_amount').number)
  const { json } = answered(await demo.charge(demo.offer, wrong), 202)
  assert.equal(await moved('tillbell_alerts_total'), 1)
  assert.equal(await moved('tillbell_doubt{what="for_person"}'), 1)
  const alert = logEntries().find(({ transaction }) => transaction === json.transaction.id)
  assert.deepEqual([alert?.level, alert?.msg], ['error', 'The gateway reports $99.99 where $100.00 was asked.'])
  for (const name of (await samples()).keys())
    assert.doesNotMatch(name, /"(m|gw|pk)_|[0-9a-f]{8}-/, 'one for each of many')
})

test('the metrics tell how hooks fare, and what money nobody was told of', async t => {
  const { demo, database, demoSheet } = service
  await removeEndpoints(database.sql)
  t.after(() => removeEndpoints(database.sql))
  let isWell = true
  const endpoint = await startEndpoint(response => response.writeHead(isWell ? 200 : 503).end())
  t.after(() => endpoint.close())
  await addEndpoint(database.sql, demoSheet.merchant, { url: endpoint.url, kind: 'transaction' })
  const before = await samples()
  const moved = async (name: string) => ((await samples()).get(name) ?? 0) - (before.get(name) ?? 0)
  const offer = await demo.makeOffer({ amount: '12.34' })
  answered(await demo.charge(offer, demo.card), 200)
  await until('it is told', async () => (await moved('tillbell_hook_attempts_total{result="2xx"}')) === 1)
  assert.equal(await moved('tillbell_hook_first_attempt_seconds_count'), 1)
  await until(
    'nothing is untold',
    async () => (await samples()).get('tillbell_hook_untold_amount{currency="USD"}') === undefined,
  )

  isWell = false
  answered(await demo.charge(offer, demo.card, { quantity: 2 }), 200)
  await until('it is refused', async () => (await moved('tillbell_hook_attempts_total{result="5xx"}')) === 1)
  const later = 'tillbell_hook_deliveries_pending{state="later"}'
  await until('it waits for its next attempt', async () => (await moved(later)) === 1)
  assert.equal((await samples()).get('tillbell_hook_untold_amount{currency="USD"}'), 24.68)

  const { sql } = database
  // Paused, or a worker would take it up again.
  await sql`update hook_endpoint set status = 'paused' where url = ${endpoint.url}`
  await sql`update owed_delivery set due_at = due_at - interval '1 hour', parked = true where state = 'pending'`
  const parked = await samples()
  assert.equal(parked.get('tillbell_hook_deliveries_pending{state="parked"}'), 1)
  assert.equal(parked.get('tillbell_hook_oldest_due_seconds'), 0, 'what is parked is not late')

  const { json } = await demo.ask('hook_listeners', { json: { kinds: ['transaction'], backfill_s: 60 } })
  const listener = `hook_listeners/${json.hook_listener.id}`
  const [hook] = answered(await demo.ask(`${listener}/requests`), 200).json
  answered(await demo.ask(`${listener}/answers`, { json: { request: hook.id, status: 503 } }), 200)
  await until('a machine that listens refuses one', async () => {
    return (await sql`select from attempt where url like 'listen:%'`).count === 1
  })
  assert.equal(await moved('tillbell_hook_attempts_total{result="5xx"}'), 1, 'it is not counted')
  answered(await demo.ask(listener, { method: 'DELETE' }), 200)
})

test('the metrics tell how late mails to customers are, however often they were tried', async () => {
  const { demo, database, demoSheet } = service
  const { sql } = database
  const { merchant } = demoSheet
  const { id } = answered(await demo.charge(await demo.makeOffer({ amount: '1.00' }), demo.card), 200).json.transaction
  assert.equal((await samples()).get('tillbell_mail_oldest_due_seconds'), 0)
  await sql`insert into letter (merchant_id, id, received_at, offer_id, is_proven, is_answerable, language, state)
    values (${merchant}, ${id}, now(), ${demo.offer}, true, true, 'en', 'done')`
  await sql`insert into outgoing_mail (merchant_id, id, letter_id, transaction_id, kind, created_at, state, due_at)
    values (${merchant}, ${id}, ${id}, ${id}, 'receipt', now() - interval '1 hour', 'waiting', now() + interval '1 hour')`
  assert.ok(((await samples()).get('tillbell_mail_oldest_due_seconds') ?? 0) >= 3_600)
  await sql`delete from letter where merchant_id = ${merchant} and id = ${id}`
})

test('every request is one JSON line with the id that its answer had, its route and no query', async () => {
  const { demo, baseUrl, demoSheet: sheet } = service
  const listed = answered(await demo.ask('transactions?limit=3&email=eve%40example.com'), 200)
  const missing = await send(`${baseUrl}/no/such/place?password=hunter2`, { method: 'GET', headers: {}, body: null })
  const own = await demo.ask('offers', { headers: { 'x-request-id': 'chosen-by-the-client' } })
  assert.match(String(own.headers['x-request-id']), /^[0-9a-f]{8}-/)
  const ids = [listed, missing, own].map(({ headers }) => headers['x-request-id'])
  const lines = () => ids.map(id => logEntries().filter(({ reqId, msg }) => reqId === id && msg === 'request'))
  await until('they are logged', async () => lines().every(found => found.length === 1))
  assert.deepEqual(
    lines()
      .flat()
      .map(({ method, route, status, merchant }) => ({ method, route, status, merchant })),
    [
      { method: 'GET', route: '/api/v5/rest/transactions', status: 200, merchant: sheet.merchant },
      { method: 'GET', route: 'none', status: 404, merchant: undefined },
      { method: 'GET', route: '/api/v5/rest/offers', status: 200, merchant: sheet.merchant },
    ],
  )
  assert.doesNotMatch(service.logged(), /hunter2|eve%40|eve@|limit=3|chosen-by-the-client|no\/such\/place/)
})

test('with a certificate and its key the service speaks TLS, and only TLS', async t => {
  const fixture = (name: string) => join(import.meta.dirname, 'support/fixtures', `test-only-tls.${name}.pem`)
  const database = await freshDatabase()
  t.after(() => database.drop())
  const TILLBELL_DATA = await emptyFolder(t)
  const tls = { TILLBELL_TLS_CERT: fixture('cert'), TILLBELL_TLS_KEY: fixture('key') }
  const serving = serve(t, { DATABASE_URL: database.url, TILLBELL_DATA, ...tls })
  const baseUrl = await serving.ready()
  const sheet = await demoSheet(TILLBELL_DATA)
  assert.equal(sheet.base_url, baseUrl)
  assert.match(baseUrl, /^https:/)
  const request = https.request(`${baseUrl}/api/v5/rest/transactions`, {
    ca: await readFile(tls.TILLBELL_TLS_CERT),
    auth: `${sheet.api_key}:${sheet.api_secret}`,
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', connection: 'close' },
  })
  request.end(encodeForm({ service_offer: sheet.offer, token: sheet.card }))
  const [response] = await once(request, 'response')
  response.resume()
  assert.equal(response.statusCode, 200)
  await assert.rejects(clientOf(sheet, baseUrl.replace('https:', 'http:')).ask('offers'))
  const costly = https.get(baseUrl, { rejectUnauthorized: false, ecdhCurve: 'secp521r1' })
  await assert.rejects(once(costly, 'response'), /alert|handshake/i)
  await stopped(serving)
})

/** So many wrong credentials come from an address before it is slowed down; a few more may pass while time does. */
const burst = 20

async function wrongFrom(baseUrl: string, forwarded: string): Promise<number> {
  const headers = { 'x-forwarded-for': forwarded }
  return (await send(`${baseUrl}/api/v5/rest/offers`, { method: 'GET', headers, body: null })).status
}

async function slowDown(baseUrl: string, forwarded: string): Promise<void> {
  const answers = await Promise.all(Array.from({ length: 2 * burst }, () => wrongFrom(baseUrl, forwarded)))
  assert.ok(answers.includes(401) && answers.includes(429))
}

test('X-Forwarded-For is believed from a trusted proxy, as far as the proxy wrote it', async t => {
  const behind = await startTestService({ TILLBELL_TRUSTED_PROXIES: '127.0.0.0/8, ::1' })
  t.after(() => behind.stop())
  await slowDown(behind.baseUrl, '203.0.113.1')
  assert.equal(await wrongFrom(behind.baseUrl, '203.0.113.1'), 429)
  assert.equal(await wrongFrom(behind.baseUrl, '203.0.113.2'), 401)
  assert.equal(await wrongFrom(behind.baseUrl, '198.51.100.7, 203.0.113.1'), 429, 'what the client wrote itself')
})

test('X-Forwarded-For is not believed from anybody else', async () => {
  await slowDown(service.baseUrl, '203.0.113.1')
  assert.equal(await wrongFrom(service.baseUrl, '203.0.113.2'), 429)
  answered(await service.demo.ask('offers'), 200)
})

test('a worker answers for its health and settles what others left; an api process does not', async t => {
  const database = await freshDatabase()
  t.after(() => database.drop())
  const TILLBELL_DATA = await emptyFolder(t)
  const shared = { DATABASE_URL: database.url, TILLBELL_DATA }
  const api = serve(t, { ...shared, TILLBELL_ROLES: 'api' })
  const baseUrl = await api.ready()
  const sheet = await demoSheet(TILLBELL_DATA)
  const client = clientOf(sheet)
  const reset = await client.storeCard(testCardThat('reset_after').number)
  const { id } = answered(await client.charge(sheet.offer, reset), 202).json.transaction
  await database.sql`update operation set next_ask_at = created_at`

  const worker = serve(t, { ...shared, TILLBELL_ROLES: 'worker' })
  const workerUrl = await worker.ready()
  const status = async () => (await client.ask(`transactions/${id}`)).json.transaction.status
  await until('it is settled', async () => (await status()) === 'Successful')
  const swept = async ({ metricsPort }: Serving) =>
    /^tillbell_swept_total\{what="operations"\} \d+$/m.exec(
      (await text(`http://127.0.0.1:${metricsPort()}/metrics`)).body,
    )?.[0]
  assert.deepEqual([await swept(api), await swept(worker)], [undefined, 'tillbell_swept_total{what="operations"} 1'])
  for (const path of ['/healthz', '/readyz']) assert.equal((await text(`${workerUrl}${path}`)).status, 200, path)
  const atWorker = new Client(workerUrl, sheet.api_key, sheet.api_secret)
  refused(await atWorker.ask('transactions'), 404, ['general'])
  refused(await atWorker.charge(sheet.offer, sheet.card), 404, ['general'])
  assert.deepEqual(await demoSheet(TILLBELL_DATA), sheet, 'a process without REST is not where the demo is')
  assert.equal(sheet.base_url, baseUrl)
})
