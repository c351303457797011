// What a notification outlives: a database that is stopped at once, a worker that is stopped and wakes up late, a clock
// that jumps, a service that stops while an endpoint hangs.

import assert from 'node:assert/strict'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { operationLeaseMs } from '../src/core/call-gateway.ts'
import { connect } from '../src/store/database.ts'
import { audited } from './support/audited.ts'
import { Client } from './support/client.ts'
import { freshDatabase } from './support/database.ts'
import { startReceiver } from './support/hook-receiver.ts'
import { addEndpoint, removeEndpoints } from './support/merchant-endpoint.ts'
import { type ServiceProcess, spawnService } from './support/process.ts'
import { startRaw } from './support/raw-endpoint.ts'
import { startTestService } from './support/service.ts'
import { until } from './support/until.ts'

async function sheetIn(folder: string) {
  const file = join(folder, 'demo.json')
  const isThere = () =>
    readFile(file).then(
      () => true,
      () => false,
    )
  await until('the demo is made', isThere)
  return JSON.parse(await readFile(file, 'utf8'))
}

/**
 * Under the same key until it is answered: what a client does that does not want to pay twice. A database that stops right after
 * a payment is begun leaves it to the sweeper, which takes it up when its lease has passed.
 */
async function payForSure(client: Client, sheet: { offer: string; card: string }, key: string): Promise<void> {
  const isPaid = async () => {
    const answer = await client.charge(sheet.offer, sheet.card, { key }).catch(() => null)
    return answer?.status === 200
  }
  await until(`${key} is paid`, isPaid, 2 * operationLeaseMs)
}

test('the database is stopped at once, three times, while payments pass', { timeout: 300_000 }, async t => {
  const folder = await mkdtemp(join(tmpdir(), 'tillbell-survive-'))
  await chmod(folder, 0o711) // as root, PostgreSQL runs as another user and must get through
  const service = await spawnService({ TILLBELL_DATA: folder })
  t.after(async () => {
    await service.kill('SIGTERM')
    await rm(folder, { recursive: true, force: true })
  })
  const sheet = await sheetIn(folder)
  const [, host = ''] = /"host":"([^"]+)"/.exec(service.logged()) ?? []
  const pidOf = async () => {
    const [line] = [...service.logged().matchAll(/PostgreSQL runs on (\S+) \(process/g)].slice(-1)
    const file = join(line?.[1] ?? '', 'postmaster.pid')
    const [pid, , , , socketFolder = host] = (await readFile(file, 'utf8').catch(() => '')).split('\n')
    return { pid: Number(pid), socketFolder }
  }
  const { socketFolder } = await pidOf()
  const address = { host: socketFolder, port: 5432, database: 'tillbell', user: 'tillbell' }
  const sql = connect({ address, connectionsMax: 2, name: 'test' })
  t.after(() => sql.end())
  const receiver = await startReceiver(sheet.private_key)
  t.after(() => receiver.close())
  await removeEndpoints(sql)
  await addEndpoint(sql, sheet.merchant, { url: receiver.url, kind: 'transaction' })
  const client = new Client(service.baseUrl, sheet.api_key, sheet.api_secret)
  const payments = 240
  let paid = 0
  const next = Array.from({ length: payments }, (_, index) => index).values()
  const customer = async () => {
    for (const index of next) {
      await payForSure(client, sheet, `payment ${index}`.replace(' ', '-'))
      paid += 1
    }
  }
  const stopper = async () => {
    for (const share of [0.2, 0.4, 0.6]) {
      await until('payments pass', async () => paid >= payments * share, 3 * operationLeaseMs)
      const { pid } = await pidOf()
      process.kill(pid, 'SIGQUIT')
      await until('it is another process', async () => {
        const now = (await pidOf()).pid
        return now > 0 && now !== pid
      })
    }
  }
  await Promise.all([stopper(), ...Array.from({ length: 6 }, customer)])
  await until(
    'all is delivered',
    async () => (await sql`select from whole_delivery where state <> 'delivered' limit 1`).length === 0,
    60_000,
  )
  const events = await sql<{ name: string }[]>`select transaction_id || ' ' || type as name from event`
  assert.equal(events.length, payments)
  assert.deepEqual([...receiver.accepted.keys()].sort(), events.map(({ name }) => name).sort())
  assert.equal(receiver.badSignatures, 0)
  await audited(sql)
})

/** Two processes that send, on one database, and an endpoint whose answers wait. */
async function twoWorkers(t: TestContext) {
  const database = await freshDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'tillbell-survive-'))
  const environment = { DATABASE_URL: database.url, TILLBELL_DATA: folder }
  const first = await spawnService({ ...environment, TILLBELL_ROLES: 'api,worker' })
  const others: ServiceProcess[] = []
  t.after(async () => {
    for (const process of [first, ...others]) await process.kill()
    await database.drop()
    await rm(folder, { recursive: true, force: true })
  })
  const sheet = await sheetIn(folder)
  await removeEndpoints(database.sql)
  const spawnSecond = async () => {
    const second = await spawnService({ ...environment, TILLBELL_ROLES: 'api,worker' })
    others.push(second)
    return second
  }
  return { database, sheet, first, spawnSecond, client: new Client(first.baseUrl, sheet.api_key, sheet.api_secret) }
}

test('a worker that is stopped loses its deliveries to another, and cannot say how they went', {
  timeout: 90_000,
}, async t => {
  const { database, sheet, first, spawnSecond, client } = await twoWorkers(t)
  const { sql } = database
  let holds = true
  const held: (() => void)[] = []
  const endpoint = await startRaw(t, socket => {
    if (holds) held.push(() => socket.end('HTTP/1.1 500 Late\r\nContent-Length: 0\r\n\r\n'))
    else socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
  })
  const { status } = await client.ask('hook_endpoints', {
    form: { kind: 'transaction', url: `http://127.0.0.1:${endpoint.port}/`, timeout_s: 30 },
  })
  assert.equal(status, 200)
  for (let index = 0; index < 3; index++) {
    assert.equal((await client.charge(sheet.offer, sheet.card)).status, 200)
  }
  await until('they are on the wire', async () => endpoint.received.length === 3)
  first.child.kill('SIGSTOP')
  holds = false
  await spawnSecond()
  const delivered = async () => (await sql`select from whole_delivery where state = 'delivered'`).length
  await until('another has delivered them', async () => (await delivered()) === 3, 40_000)
  first.child.kill('SIGCONT')
  for (const answerLate of held) answerLate()
  await until('the first one has heard that it is too late', async () => first.logged().includes('too late'), 40_000)
  assert.equal(await delivered(), 3)
  const attempts = await sql<{ status: number }[]>`select status from attempt`
  assert.deepEqual(
    attempts.map(({ status }) => status),
    [200, 200, 200],
  )
  assert.equal((await client.charge(sheet.offer, sheet.card)).status, 200)
  await until('it goes on under another name', async () => (await delivered()) === 4)
  await audited(sql)
})

test('a service that stops while an endpoint hangs leaves the delivery to the next', { timeout: 60_000 }, async t => {
  const { database, sheet, first, spawnSecond, client } = await twoWorkers(t)
  const { sql } = database
  const answers: (() => void)[] = []
  const endpoint = await startRaw(t, socket => {
    answers.push(() => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'))
    if (answers.length > 1) answers.at(-1)?.()
  })
  await client.ask('hook_endpoints', {
    form: { kind: 'transaction', url: `http://127.0.0.1:${endpoint.port}/`, timeout_s: 30 },
  })
  assert.equal((await client.charge(sheet.offer, sheet.card)).status, 200)
  await until('it is on the wire', async () => endpoint.received.length === 1)
  await first.kill('SIGTERM')
  assert.deepEqual([...(await sql`select state, attempts from whole_delivery`)], [{ state: 'pending', attempts: 0 }])
  await spawnSecond()
  await until('the next has sent it', async () => endpoint.received.length === 2)
  await until(
    'and written so',
    async () => (await sql`select from whole_delivery where state = 'delivered'`).length === 1,
  )
  assert.equal(endpoint.received[0], endpoint.received[1])
  await audited(sql)
})

test('a database whose clock jumps an hour back, and a day ahead, and back again, loses nothing', async t => {
  let jumpMs = 0
  const service = await startTestService({}, () => jumpMs)
  t.after(() => service.stop())
  const { demo, demoSheet, database } = service
  await removeEndpoints(database.sql)
  const receiver = await startReceiver(demoSheet.private_key)
  t.after(() => receiver.close())
  await addEndpoint(database.sql, demoSheet.merchant, { url: receiver.url, kind: 'transaction' })
  const pay = async () => assert.equal((await demo.charge(demo.offer, demo.card)).status, 200)
  let well = false
  receiver.mood = () => (well ? 'accepts' : 'fails')
  await pay()
  jumpMs = -3_600_000
  await pay()
  await until('both were refused', async () => receiver.requests === 2)
  well = true
  await pay()
  await until('what is paid now is told now', async () => receiver.accepted.size === 1)
  jumpMs = 86_400_000
  await until('the others come again', async () => receiver.accepted.size === 3)
  await audited(database.sql)
  well = false
  const before = receiver.requests
  await pay()
  await until('it was refused in a time that never came', async () => receiver.requests === before + 1)
  await until('and that is written', async () => {
    const rows = await database.sql`select from whole_delivery where state = 'pending' and scheduled_made = 1`
    return rows.length === 1
  })
  well = true
  jumpMs = 0
  await until('it does not wait for a day', async () => receiver.accepted.size === 4)
})
