// The first start of a stranger, and every start after it: one pasted line charges, the data stays, nothing is left
// behind, and whoever cannot start says why and harms nobody.

import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { rm, stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { demoLock } from '../src/setup/demo.ts'
import { answered } from './support/answers.ts'
import { send } from './support/client.ts'
import {
  clientOf,
  demoSheet,
  refusedWith,
  type Serving,
  type Sheet,
  serve,
  stopped,
  tillbell,
} from './support/command.ts'
import { emptyDatabase, type TestDatabase } from './support/database.ts'
import { atEnd, emptyFolder, noneIsLeftIn, processesIn } from './support/temporary-folder.ts'
import { until } from './support/until.ts'

/** A data folder in which nothing is, not even the folder. */
async function newDataFolder(t: TestContext): Promise<string> {
  return join(await emptyFolder(t), 'data')
}

async function database(t: TestContext): Promise<TestDatabase> {
  const fresh = await emptyDatabase()
  atEnd(t, () => fresh.drop())
  return fresh
}

/** Everything that the demo promises is there and works. */
async function demoIsWhole(dataFolder: string, baseUrl: string): Promise<Sheet> {
  const sheet = await demoSheet(dataFolder)
  assert.equal(sheet.base_url, baseUrl)
  const client = clientOf(sheet)
  const { json } = answered(await client.charge(sheet.offer, sheet.card), 200)
  assert.equal(json.transaction.status, 'Successful')
  assert.equal(answered(await client.ask('offers'), 200).json.length, 1)
  assert.equal(answered(await client.ask('credit_cards'), 200).json.length, 1)
  assert.equal(answered(await client.ask('gateways'), 200).json[0].id, sheet.gateway)
  assert.equal(answered(await client.ask('hook_endpoints'), 200).json.length, 1)
  await until('the hook is in the inbox', async () => {
    const { hooks } = (await send(`${sheet.inbox_url}/hooks`, { method: 'GET', headers: {}, body: null })).json
    return hooks.some(
      ({ details }: { details: { transaction: string } }) => details.transaction === json.transaction.id,
    )
  })
  return sheet
}

test('the line that the first start prints charges the demo card; a second start has the same data', async t => {
  const TILLBELL_DATA = await newDataFolder(t)
  const first = serve(t, { TILLBELL_DATA })
  const baseUrl = await first.ready()
  const lines = first.printed().match(/^.*curl .*$/gm) ?? []
  assert.equal(lines.length, 1)
  const sheet = await demoIsWhole(TILLBELL_DATA, baseUrl)
  assert.equal((await stat(join(TILLBELL_DATA, 'demo.json'))).mode & 0o777, 0o600)
  assert.notEqual(new URL(sheet.base_url).port, '0')
  for (const [name, form] of Object.entries({
    merchant: /^m_[\w-]{22}$/,
    partner: /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    partner_id: /^\d+$/,
    api_key: /^pk_[\w-]{43}$/,
    api_secret: /^sk_[\w-]{43}$/,
    private_key: /^[A-Za-z0-9+/]{43}=$/,
    public_key: /^[A-Za-z0-9+/]{43}=$/,
    service_public_key: /^[A-Za-z0-9+/]{43}=$/,
    gateway: /^gw_[\w-]{22}$/,
    offer: /^[0-9a-f-]{36}$/,
    card: /^[\w-]{24}$/,
    mail_domain: /^localhost$/,
    mail_port: /^\d+$/,
    inbox_url: /^http:\/\/127\.0\.0\.1:\d+\/inbox\/[\w-]{43}$/,
  })) {
    assert.match(String(sheet[name]), form, name)
  }
  assert.deepEqual(Object.keys(sheet.dashboard), ['url', 'email', 'password'])
  await t.test('as sh and curl understand it', async curl => {
    if (spawnSync('curl', ['--version']).error !== undefined) return curl.skip('curl is not installed')
    const { stdout } = await promisify(execFile)('sh', ['-c', lines[0] ?? ''])
    assert.match(stdout, /"status": "Successful"/)
  })
  const before = (await clientOf(sheet).ask('transactions')).json
  assert.equal(before.length >= 1, true)
  first.signal('SIGINT')
  assert.equal((await first.ended).code, 0)
  await noneIsLeftIn(TILLBELL_DATA)

  const second = serve(t, { TILLBELL_DATA })
  const again = await second.ready()
  const { mail_port } = await demoSheet(TILLBELL_DATA) // picked anew, as the other port is
  assert.deepEqual(await demoSheet(TILLBELL_DATA), withBase({ ...sheet, mail_port }, baseUrl, again))
  assert.deepEqual((await clientOf(sheet, again).ask('transactions')).json, withBase(before, baseUrl, again))
  await demoIsWhole(TILLBELL_DATA, again)

  const rival = await serve(t, { TILLBELL_DATA, TILLBELL_LOG: 'error' }).ended
  refusedWith(rival, 3, /Another Tillbell \(process \d+\) already runs on the data folder/)
  await demoIsWhole(TILLBELL_DATA, again)

  await rm(join(TILLBELL_DATA, 'demo.json'))
  await stopped(second)
  const third = serve(t, { TILLBELL_DATA })
  const renewed = await demoIsWhole(TILLBELL_DATA, await third.ready())
  for (const name of ['merchant', 'partner', 'private_key', 'gateway', 'offer', 'card']) {
    assert.equal(renewed[name], sheet[name], name)
  }
  assert.notEqual(renewed.api_secret, sheet.api_secret)
  assert.notEqual(renewed.dashboard.password, sheet.dashboard.password)
  await stopped(third)
  await noneIsLeftIn(TILLBELL_DATA)
})

/** Records name the service's address, which a free port changes. */
function withBase(value: unknown, from: string, to: string): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll(from, to))
}

const moments: { readonly [moment: string]: (service: Serving, dataFolder: string) => Promise<boolean> } = {
  'the database is initialised': async (_, folder) => (await processesIn(folder)).length > 0,
  'it has migrated': async service => service.logged().includes('"msg":"migrated"'),
  'it listens and makes the demo': async service => service.logged().includes('"msg":"started"'),
}

for (const [moment, isReached] of Object.entries(moments)) {
  test(`a first start that is killed when ${moment} is made whole by the next`, async t => {
    const TILLBELL_DATA = await newDataFolder(t)
    const killed = serve(t, { TILLBELL_DATA })
    await until(moment, () => isReached(killed, TILLBELL_DATA))
    killed.signal('SIGKILL')
    assert.equal((await killed.ended).code, null)
    const next = serve(t, { TILLBELL_DATA })
    await demoIsWhole(TILLBELL_DATA, await next.ready())
    await stopped(next)
    await noneIsLeftIn(TILLBELL_DATA)
  })
}

test('a start that is killed anywhere in the making of the demo is taken up by the next, under the same name', async t => {
  const { url, sql } = await database(t)
  const environment = { DATABASE_URL: url, TILLBELL_DATA: await newDataFolder(t) }
  assert.equal((await tillbell(t, ['migrate'], environment)).code, 0)
  const names = new Set<unknown>()
  for (const table of ['merchant', 'offer', 'card']) {
    const lock = await sql.reserve()
    await lock`begin`
    await lock`lock table ${sql(table)} in exclusive mode`
    const killed = serve(t, environment)
    const waits = () => sql`select from pg_locks where relation = ${table}::regclass and not granted`
    await until(`the demo's ${table} is about to be written`, async () => (await waits()).length > 0)
    killed.signal('SIGKILL')
    await killed.ended
    await lock`rollback`
    lock.release()
    const [named] = await sql`select value from setting where name = 'demo_merchant'`
    names.add(named?.value)
  }
  const next = serve(t, environment)
  const { merchant } = await demoIsWhole(environment.TILLBELL_DATA, await next.ready())
  assert.deepEqual([...names], [merchant])
  assert.equal((await sql`select from merchant`).length, 1)
})

test('a database that goes away while the demo is made does not end a service that serves', async t => {
  const { url, sql } = await database(t)
  const TILLBELL_DATA = await newDataFolder(t)
  const theOnlyOne = await sql.reserve()
  await theOnlyOne`select pg_advisory_lock(${demoLock})`
  const service = serve(t, { TILLBELL_DATA, DATABASE_URL: url })
  const waiting = async () =>
    sql<{ pid: number }[]>`select pid from pg_locks where locktype = 'advisory' and not granted
      and database = (select oid from pg_database where datname = current_database())`
  const endedOnes = new Set<number>()
  for (let times = 0; times < 2; times++) {
    await until('it waits for its turn', async () => (await waiting()).some(({ pid }) => !endedOnes.has(pid)), 60_000)
    for (const { pid } of await waiting()) {
      endedOnes.add(pid)
      await sql`select pg_terminate_backend(${pid})`
    }
  }
  await theOnlyOne`select pg_advisory_unlock_all()`
  theOnlyOne.release()
  await demoIsWhole(TILLBELL_DATA, await service.ready())
  assert.equal(service.entries().filter(({ msg }) => msg.startsWith('the demo is made')).length, 1)
  await stopped(service)
})

test('two services that start at the same instant on one empty database both serve one demo merchant', async t => {
  const { url, sql } = await database(t)
  const TILLBELL_SECRET_KEY = Buffer.alloc(32, 7).toString('base64')
  const folders = [await newDataFolder(t), await newDataFolder(t)]
  const shared = { DATABASE_URL: url, TILLBELL_SECRET_KEY }
  const services = folders.map(TILLBELL_DATA => serve(t, { ...shared, TILLBELL_DATA }))
  const urls = await Promise.all(services.map(service => service.ready()))
  const sheets = await Promise.all(folders.map((folder, index) => demoIsWhole(folder, urls[index] ?? '')))
  for (const name of ['merchant', 'partner', 'private_key', 'service_public_key', 'gateway', 'offer', 'card']) {
    assert.equal(sheets[0]?.[name], sheets[1]?.[name], name)
  }
  for (const table of ['merchant', 'offer', 'card', 'gateway']) {
    assert.equal((await sql`select from ${sql(table)}`).length, 1, table)
  }
  assert.equal((await sql`select from transaction`).length, 2)
  await Promise.all(services.map(stopped))
})

test('two services that share a data folder too share its key and its demo', async t => {
  const { url } = await database(t)
  const TILLBELL_DATA = await newDataFolder(t)
  const services = [1, 2].map(() => serve(t, { DATABASE_URL: url, TILLBELL_DATA }))
  const urls = await Promise.all(services.map(service => service.ready()))
  const { merchant, offer, card, ...sheet } = await demoSheet(TILLBELL_DATA)
  for (const baseUrl of urls) {
    answered(await clientOf({ ...sheet, merchant, offer, card } as Sheet, baseUrl).charge(offer, card), 200)
  }
  await Promise.all(services.map(stopped))
})

test('a port that is in use is refused by name, and the database that was started is stopped', async t => {
  const TILLBELL_DATA = await newDataFolder(t)
  const taken = createServer()
  await new Promise<void>(resolve => taken.listen(0, '127.0.0.1', resolve))
  t.after(() => taken.close())
  const port = String((taken.address() as AddressInfo).port)
  for (const name of ['TILLBELL_PORT', 'TILLBELL_METRICS_PORT']) {
    const ended = await serve(t, { TILLBELL_DATA, TILLBELL_LOG: 'fatal', [name]: port }).ended
    refusedWith(ended, 3, new RegExp(`^${name} ${port} is in use on 127\\.0\\.0\\.1\\. `))
    await noneIsLeftIn(TILLBELL_DATA)
  }
})

test('a database of a newer program is refused and left as it is', async t => {
  const { url, sql } = await database(t)
  const environment = { DATABASE_URL: url, TILLBELL_DATA: await newDataFolder(t), TILLBELL_LOG: 'error' }
  const service = serve(t, { ...environment, TILLBELL_LOG: 'info' })
  await service.ready()
  await stopped(service)
  const newer = 9_000
  await sql`insert into migration values (${newer}, '9000_of_the_future', now())`
  const ended = await serve(t, environment).ended
  refusedWith(ended, 3, /The database is at version 9000 and this Tillbell knows versions up to \d+\. Start the newer/)
  await sql`delete from migration where number = ${newer}`
  const back = serve(t, { ...environment, TILLBELL_LOG: 'info' })
  await demoIsWhole(environment.TILLBELL_DATA, await back.ready())
})

test('a worker that cannot begin ends, instead of standing there and doing nothing', { timeout: 60_000 }, async t => {
  const { url, sql } = await database(t)
  const environment = { DATABASE_URL: url, TILLBELL_DATA: await newDataFolder(t), TILLBELL_LOG: 'error' }
  const service = serve(t, { ...environment, TILLBELL_LOG: 'info' })
  await service.ready()
  await stopped(service)
  await sql.unsafe(`create function tillbell.not_now() returns trigger language plpgsql as $$ begin raise 'not now'; end $$;
    create trigger not_now before insert on tillbell.worker for each row execute function tillbell.not_now()`)
  const { code } = await serve(t, { ...environment, TILLBELL_ROLES: 'worker' }).ended
  assert.equal(code, 1)
})
