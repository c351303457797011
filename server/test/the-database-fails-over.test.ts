// A primary and its synchronous standby, two processes, customers who pay: the primary dies, or falls silent, and the standby is promoted. What was
// answered is there, nothing is charged twice, every hook arrives, and the processes go on by themselves.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Database } from '../src/store/database.ts'
import { answered } from './support/answers.ts'
import { findingsOfAudit } from './support/audited.ts'
import { Client, send } from './support/client.ts'
import { demoSheetOnceMade, type Sheet, tillbell } from './support/command.ts'
import { type HookReceiver, startReceiver } from './support/hook-receiver.ts'
import { addEndpoint, removeEndpoints } from './support/merchant-endpoint.ts'
import { type Customers, startCustomers, type Told } from './support/paying-customers.ts'
import { end, type ServiceProcess, spawnService, spawnTillbell } from './support/process.ts'
import { openPair, type Pair } from './support/standby.ts'
import { atEnd, emptyFolder } from './support/temporary-folder.ts'
import { until } from './support/until.ts'

/** The requirement's: from when the standby takes writes until payments pass again, at every process. */
const reconnectsWithinMs = 5_000

interface House {
  readonly pair: Pair
  readonly environment: { readonly [name: string]: string }
  readonly services: readonly ServiceProcess[]
  readonly sheet: Sheet
  readonly receiver: HookReceiver
  readonly customers: Customers
  readonly gateway: { readonly url: string; readonly id: string }
}

async function openHouse(t: TestContext): Promise<House> {
  const pair = await openPair(t)
  const TILLBELL_DATA = join(await emptyFolder(t), 'data')
  const environment = { DATABASE_URL: pair.url, TILLBELL_DATA, TILLBELL_REQUESTS_PER_S: '100000' }
  const services = await Promise.all([spawned(t, environment), spawned(t, environment)])
  const sheet = await demoSheetOnceMade(TILLBELL_DATA)
  const receiver = await startReceiver(sheet.private_key)
  atEnd(t, () => receiver.close())
  await removeEndpoints(pair.primary.sql)
  await addEndpoint(pair.primary.sql, sheet.merchant, { url: receiver.url, kind: 'generic' })
  const client = new Client(services[0].baseUrl, sheet.api_key, sheet.api_secret)
  const gateway = await farGateway(t, client)
  const cards = [await client.storeCard(), await client.storeCard('4012888888881881')]
  const shop = { api_key: sheet.api_key, api_secret: sheet.api_secret, offer: sheet.offer, cards }
  const customers = startCustomers(
    services.map(({ baseUrl }) => baseUrl),
    shop,
  )
  atEnd(t, () => customers.giveUp())
  await until('payments pass', async () => customers.told.length >= 40, 60_000)
  return { pair, environment, services, sheet, receiver, customers, gateway }
}

async function spawned(t: TestContext, environment: House['environment']): Promise<ServiceProcess> {
  const service = await spawnService({ ...environment, TILLBELL_ROLES: 'api,worker' })
  atEnd(t, () => service.kill())
  return service
}

/** A process of its own: its ledger is what really happened. */
async function farGateway(t: TestContext, client: Client): Promise<House['gateway']> {
  const sandbox = spawnTillbell(['sandbox-gateway', '--port', '0', '--json'], {})
  atEnd(t, () => end(sandbox))
  const [line] = await sandbox.stdout.setEncoding('utf8').take(1).toArray()
  const { url } = JSON.parse(line)
  const { gateway } = answered(
    await client.ask('gateways', { json: { type: 'test', credentials: { url }, default: true } }),
    200,
  ).json
  return { url, id: gateway.id }
}

/** How long after that moment each process first answered a payment that was asked for later than that. */
async function backAfterMs({ services, customers }: House, sinceMs: number): Promise<number[]> {
  const firstBy = ({ baseUrl }: ServiceProcess): Told | undefined =>
    customers.told.find(({ by, askedMs }) => by === baseUrl && askedMs >= sinceMs)
  await until('both answer again', async () => services.every(firstBy), 60_000)
  return services.map(service => Math.round((firstBy(service)?.atMs ?? 0) - sinceMs))
}

/** Everything is settled, and both sides, the merchant and the customers know the same. */
async function nothingIsLost(t: TestContext, house: House, sql: Database): Promise<void> {
  const { customers, services, sheet, receiver, environment } = house
  await until('payments go on', async () => customers.told.length >= 120, 60_000)
  await customers.stop()
  const failures = services.flatMap(service => service.logged().match(/^.*"request failed".*$/gm) ?? [])
  assert.deepEqual(customers.unfit, [], failures.filter(line => !/CONNECTION_LOST|ECONN|57P0/.test(line)).join('\n'))
  const client = new Client(services[0]?.baseUrl ?? '', sheet.api_key, sheet.api_secret)
  const open = () => sql`select from operation where outcome in ('pending', 'unknown') limit 1`
  await until(
    'doubt is settled',
    async () => {
      await sql`update operation set lease_until = now() where outcome in ('pending', 'unknown')`
      await sql`update transaction set lease_until = now() where status = 'Processing' and lease_until is not null`
      answered(await client.ask('sandbox/clock', { form: { advance_s: 600 } }), 200)
      return (await open()).length === 0
    },
    60_000,
    500,
  )
  const rows = await sql<{ id: string; status: string }[]>`select id, status from transaction`
  const now = new Map(rows.map(({ id, status }) => [id, status]))
  assert.deepEqual(
    customers.told.filter(({ id, status }) => now.get(id) !== status),
    [],
    'told one thing, kept another',
  )
  assert.equal(rows.length, customers.told.length, 'a transaction that nobody was told of')
  await ledgersAgree(house, sql)
  const events = await sql<{ name: string }[]>`select transaction_id || ' ' || type as name from event`
  const missing = () => events.filter(({ name }) => !receiver.accepted.has(name))
  await until('every hook arrived', async () => missing().length === 0, 60_000)
  assert.deepEqual([receiver.accepted.size, receiver.badSignatures], [events.length, 0])
  assert.deepEqual(await findingsOfAudit(sql), [])
  assert.equal((await tillbell(t, ['audit'], environment)).code, 0)
}

async function ledgersAgree({ gateway }: House, sql: Database): Promise<void> {
  const authorization = `Basic ${Buffer.from(`${gateway.id}:`).toString('base64')}`
  const { json } = await send(`${gateway.url}/ledger`, { method: 'GET', headers: { authorization }, body: null })
  const theirs: string[] = json.ledger
    .filter(({ state }: { state: string }) => state === 'succeeded')
    .map(({ operationId, transactionId }: Record<string, string>) => `${operationId} of ${transactionId}`)
  const ours = await sql<{ name: string }[]>`
    select id || ' of ' || transaction_id as name from operation where outcome = 'succeeded' and gateway_id = ${gateway.id}`
  assert.deepEqual(theirs.sort(), ours.map(({ name }) => name).sort())
}

test('the primary is killed: what was answered is kept, and payments pass within 5 s of the promotion', {
  timeout: 240_000,
}, async t => {
  const house = await openHouse(t)
  const { pair, customers } = house
  await pair.primary.kill()
  await until('customers are told that it is not possible now', async () => customers.others.has(503))
  const ready = await send(`${house.services[0]?.baseUrl}/readyz`, { method: 'GET', headers: {}, body: null })
  assert.equal(ready.status, 503)
  await pair.promote()
  const backMs = await backAfterMs(house, performance.now())
  t.diagnostic(
    `payments passed ${backMs.join(' and ')} ms after the promotion; answers: ${JSON.stringify([...customers.others])}`,
  )
  assert.ok(Math.max(...backMs) < reconnectsWithinMs, `${backMs}`)
  const { sql } = pair.standby
  const listening = () =>
    sql`select from pg_stat_activity where query like '%listening%' and application_name like 'tillbell %'`
  await until('both listen there', async () => (await listening()).length === 2)
  await nothingIsLost(t, house, sql)
})

test('the primary falls silent and comes back as if nothing were: it is left, and never written to again', {
  timeout: 240_000,
}, async t => {
  const house = await openHouse(t)
  const { pair, customers } = house
  // No goodbye: connections stay half open, and new ones are accepted by nobody who speaks.
  pair.primary.line.turn('silent')
  await pair.promote()
  const backMs = await backAfterMs(house, performance.now())
  t.diagnostic(
    `payments passed ${backMs.join(' and ')} ms after the promotion; answers: ${JSON.stringify([...customers.others])}`,
  )
  assert.ok(Math.max(...backMs) < reconnectsWithinMs, `${backMs}`)

  // Nobody has fenced it, and it takes writes again, from whoever brings any.
  const zombie = pair.primary.sql
  await zombie`alter system reset synchronous_standby_names`
  await zombie`select pg_reload_conf()`
  const waitsForStandby = async () => (await zombie`show synchronous_standby_names`)[0]?.synchronousStandbyNames !== ''
  await until('it waits for no standby', async () => !(await waitsForStandby()))
  const kept = () => zombie`select id, created_at from transaction order by id`.start()
  const connected = () => zombie`select pid from pg_stat_activity where application_name like 'tillbell %'`
  await zombie`select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'tillbell %'`
  // One that waited for the standby has committed by then: that is from before.
  await until('all are cut off', async () => (await connected()).length === 0)
  const before = await kept()
  pair.primary.line.turn('open')
  const told = customers.told.length
  await until('payments go on', async () => customers.told.length > told + 20, 60_000)
  const started = await spawned(t, house.environment)
  const client = new Client(started.baseUrl, house.sheet.api_key, house.sheet.api_secret)
  const { id } = answered(await client.ask('transactions?limit=1'), 200).json[0]
  assert.equal(
    (await pair.standby.sql`select from transaction where id = ${id}`).length,
    1,
    'a new process reads the old one',
  )
  assert.deepEqual(await kept(), before)
  assert.equal((await connected()).length, 0)
  await nothingIsLost(t, house, pair.standby.sql)
})
