// A stop loses nothing that is under way, and a database that goes away and comes back does not need anybody's help.

import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { moveClockTo } from '../src/clock.ts'
import { connect } from '../src/store/database.ts'
import { answered, booked } from './support/answers.ts'
import { type Answer, Client, encodeForm, send } from './support/client.ts'
import { type Serving, serve, stopped } from './support/command.ts'
import { requestText, sendRaw } from './support/raw.ts'
import { startTestService, type TestService } from './support/service.ts'
import { until } from './support/until.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.stop())

const get = (url: string) => send(url, { method: 'GET', headers: {}, body: null })

interface SlowCharge {
  readonly serving: Serving
  readonly baseUrl: string
  /** Resolves when the service has closed the connection, which its client would keep. */
  readonly charged: Promise<Answer>
  statusNow(): Promise<unknown>
}

/** A process beside the one of this test, with a charge under way that the gateway has made and answers late. */
async function withSlowCharge(t: TestContext, amount: string): Promise<SlowCharge> {
  const { database, dataFolder, demo } = service
  const serving = serve(t, { DATABASE_URL: database.url, TILLBELL_DATA: dataFolder })
  const baseUrl = await serving.ready()
  const offer = await demo.makeOffer({ amount })
  const body = encodeForm({ service_offer: offer, token: demo.card })
  const headers = {
    Authorization: demo.authorization,
    Connection: 'keep-alive',
    'Content-Type': 'application/x-www-form-urlencoded',
    'Content-Length': String(body.length),
  }
  const charged = sendRaw(baseUrl, requestText('POST /api/v5/rest/transactions', headers, body))
  const rows = () => database.sql<{ status: string; step: string | null }[]>`select t.status, e.step from transaction t
    left join sandbox_entry e on e.transaction_id = t.id where t.offer_id = ${offer}`
  await until('the gateway has charged', async () => (await rows())[0]?.step === 'succeeded')
  return { serving, baseUrl, charged, statusNow: async () => (await rows())[0]?.status }
}

test('a stop answers the charge under way, takes no new connection, and ends well', async t => {
  const { serving, baseUrl, charged, statusNow } = await withSlowCharge(t, '4100.40')
  // Ctrl-C reaches it twice: from the terminal, and through npm.
  serving.signal('SIGINT')
  serving.signal('SIGINT')
  await until('it refuses', () =>
    get(`${baseUrl}/healthz`).then(
      ({ status }) => status === 503,
      error => error.code === 'ECONNREFUSED',
    ),
  )
  assert.equal(await statusNow(), 'Processing', 'it was refused while the charge was under way')
  const { status, json } = await charged
  assert.deepEqual([status, json.transaction.status], [200, 'Successful'])
  assert.equal((await serving.ended).code, 0)
  assert.equal(await statusNow(), 'Successful')
  const messages = serving.entries().map(({ msg }) => msg)
  assert.deepEqual(
    messages.filter(msg => msg === 'stopping' || msg === 'stopped'),
    ['stopping', 'stopped'],
  )
})

test('a second signal, of a person who will not wait, ends it at once', async t => {
  const { serving, charged, statusNow } = await withSlowCharge(t, '4100.99')
  const heard = charged.then(
    ({ status }) => status || 'nothing',
    () => 'nothing',
  )
  serving.signal('SIGTERM')
  await until('it stops', async () => serving.logged().includes('"stopping"'))
  await delay(600) // what comes sooner is taken for the same wish
  serving.signal('SIGTERM')
  assert.equal((await serving.ended).code, 1)
  assert.equal(await heard, 'nothing')
  assert.equal(await statusNow(), 'Processing', 'the next process has to find out')
})

/** Runs the work while nobody can connect to the service's database, and cuts off who was. */
async function withoutDatabase(work: () => Promise<void>): Promise<void> {
  const admin = connect({ address: process.env.TEST_DATABASE_URL ?? '', connectionsMax: 1, name: 'test' })
  const name = new URL(service.database.url).pathname.slice(1)
  try {
    await admin`alter database ${admin(name)} allow_connections false`
    await admin`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`
    await work()
  } finally {
    await admin`alter database ${admin(name)} allow_connections true`
    await admin.end()
  }
}

test('without its database the service is alive and not ready, and ready again by itself', async () => {
  const { baseUrl, demo, database } = service
  const status = async (path: string) => (await get(`${baseUrl}${path}`)).status
  assert.deepEqual([await status('/readyz'), await status('/healthz')], [200, 200])
  await withoutDatabase(async () => {
    const notReady = answered(await get(`${baseUrl}/readyz`), 503)
    assert.deepEqual(notReady.json, { status: 'not ready', problem: 'The database does not answer.' })
    assert.equal(await status('/healthz'), 200)
    const failed = await demo.charge(demo.offer, demo.card)
    assert.ok(failed.status >= 500, failed.text)
    assert.doesNotMatch(failed.text, /database|connect/i)
  })
  await until('it is ready again', async () => (await status('/readyz')) === 200)
  answered(await demo.charge(demo.offer, demo.card), 200)
  // It listens again too.
  await moveClockTo(database.sql, new Date(Date.now() + 3_600_000))
  await until('it hears of the clock', async () => (await clockOf()) > Date.now() + 3_500_000)
})

/** The service's time, from what it makes. */
async function clockOf(): Promise<number> {
  const { json } = answered(await service.demo.ask('offers', { form: { amount: '1.00' } }), 200)
  return Date.parse(json.offer.created_at)
}

test('a clock that was moved while the connection was lost is read when it is back', async () => {
  const { sql } = service.database
  const offsetMs = 86_400_000
  // In a commit of its own, that nobody is told of: who is back before it is there would read the time before.
  await sql`update setting set value = to_jsonb(${offsetMs}::float8) where name = 'clock_offset_ms'`
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`
  await until('it reads the clock', async () => {
    const answer = await service.demo.ask('offers', { form: { amount: '1.00' } })
    return answer.status === 200 && Date.parse(answer.json.offer.created_at) > Date.now() + offsetMs - 60_000
  })
})

/** A service that is started again whenever it ends, as an operator's supervisor would. */
async function supervised(t: TestContext) {
  const environment = { DATABASE_URL: service.database.url, TILLBELL_DATA: service.dataFolder, TILLBELL_LOG: 'info' }
  let serving = serve(t, environment)
  const baseUrl = await serving.ready()
  let [deaths, over] = [0, false]
  const supervise = async () => {
    for (;;) {
      await serving.ended
      if (over) return
      deaths += 1
      serving = serve(t, { ...environment, TILLBELL_PORT: new URL(baseUrl).port })
    }
  }
  const supervising = supervise()
  return {
    client: new Client(baseUrl, String(service.demoSheet.api_key), String(service.demoSheet.api_secret)),
    async stop() {
      over = true
      await stopped(serving)
      await supervising
      return deaths
    },
  }
}

test('connections that are all cut off under load lose nothing and do nothing twice', async t => {
  const { demo, database } = service
  const { sql } = database
  const { client, stop } = await supervised(t)
  const offer = await demo.makeOffer({ amount: '7.00', stock: 1_000 })
  const charge = (key: string): Promise<number> =>
    client.charge(offer, demo.card, { key }).then(
      ({ status }) => status,
      () => 0,
    )
  const keys: string[] = []
  let cuts = 0
  const buyer = async () => {
    while (cuts < 5) {
      const key = `load-${keys.length}`
      keys.push(key)
      await until('it is answered', async () => (await charge(key)) !== 0)
    }
  }
  const cutter = async () => {
    for (; cuts < 5; cuts++) {
      const begun = keys.length
      await until('there is load', async () => keys.length >= begun + 20)
      const cut = await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name like 'tillbell %'`
      assert.ok(cut.length > 0, 'nobody was cut off')
    }
  }
  await Promise.all([cutter(), ...Array.from({ length: 8 }, buyer)])

  // What was cut off in the middle is in doubt until its lease ends; then it is found out.
  await until('everything is settled', async () => {
    await sql`update operation set lease_until = now() where outcome in ('pending', 'unknown')`
    await client.ask('sandbox/clock', { form: { advance_s: 10 } }).catch(() => null)
    return (await sql`select from transaction where status = 'Processing'`).length === 0
  })
  for (const key of keys) assert.equal(await charge(key), 200, key)
  assert.equal(await stop(), 0, 'a process ended because its connections were cut off')

  const rows = await sql<{ id: string; status: string }[]>`select id, status from transaction where offer_id = ${offer}`
  assert.equal(rows.length, keys.length)
  assert.deepEqual([...new Set(rows.map(({ status }) => status))], ['Successful'])
  const ids = rows.map(({ id }) => id)
  assert.deepEqual(await booked(sql, 'charge', ids), { count: keys.length, sumMinor: 700n * BigInt(keys.length) })
  const [left] = await sql<{ stockLeft: number }[]>`select stock_left from offer where id = ${offer}`
  assert.equal(left?.stockLeft, 1_000 - keys.length)
  const events = await sql`select from event where transaction_id = any(${ids}) and kind = 'transaction'`
  assert.equal(events.length, keys.length)
})
