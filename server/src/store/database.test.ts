// A database that does not answer, or takes a commit back, must not be waited for or believed.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'
import { mock, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { freshDatabase } from '../../test/support/database.ts'
import { until } from '../../test/support/until.ts'
import type { MerchantId } from '../core/ids.ts'
import { connect, isConnectionLoss } from './database.ts'

test('the end does not wait for a server that accepts and then says nothing', async t => {
  const silent = net.createServer(() => {}).listen(0, '127.0.0.1')
  t.after(() => silent.close())
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const sql = connect({ address: `postgres://u@127.0.0.1:${port}/d`, connectionsMax: 1, name: 'test' })
  const waiting = sql`select 1`.start()
  const told = assert.rejects(waiting, isConnectionLoss)
  await once(silent, 'connection')
  await sql.end({ timeout: 0.1 })
  await told
})

test('a transaction whose work swallows the failure of a statement is not taken for committed', async t => {
  const database = await freshDatabase()
  t.after(() => database.drop())
  const work = database.sql.begin(async scope => {
    await scope
      .unsafe('select no_such_column')
      .start()
      .catch(() => null)
  })
  await assert.rejects(work, /was undone/)
  assert.deepEqual([...(await database.sql`select 1 as one`)], [{ one: 1 }])
})

test("a URL's own options do not take the place of our schema", async t => {
  const database = await freshDatabase()
  t.after(() => database.drop())
  const url = new URL(database.url)
  url.searchParams.set('options', '-c statement_timeout=12345')
  const sql = connect({ address: url.href, connectionsMax: 1, name: 'test' })
  t.after(() => sql.end())
  const [row] =
    await sql`select current_setting('search_path') as path, current_setting('statement_timeout') as timeout`
  assert.deepEqual(row, { path: 'tillbell', timeout: '12345ms' })
})

test('all who listen share one connection, and listen again when it was lost', async t => {
  const database = await freshDatabase()
  t.after(() => database.drop())
  const { sql } = database
  const heard: string[] = []
  for (const channel of ['one', 'other'])
    await sql.listen(
      channel,
      () => void heard.push(channel),
      () => void heard.push(`listens on ${channel}`),
    )
  const listening = () => sql<{ pid: number }[]>`select pid from pg_stat_activity
    where datname = current_database() and (query like 'listen %' or query like '%listening%') and pid <> pg_backend_pid()`
  const [only, ...others] = await listening()
  assert.ok(only !== undefined && others.length === 0)
  await sql.notify('one')
  await until('it is heard', async () => heard.includes('one'))
  await sql`select pg_terminate_backend(${only.pid})`
  await until('both listen again', async () => heard.filter(said => said.startsWith('listens')).length === 4)
  await sql.notify('other')
  await until('it is heard again', async () => heard.includes('other'))
  assert.equal(heard.filter(said => said === 'one').length, 1)
})

test('of two servers, one that has no connection to give is not looked for elsewhere: those that we have go on', async t => {
  const database = await freshDatabase()
  const role = `crowd_${process.pid}`
  const admin = database.sql
  await admin.unsafe(`create role ${role} login`)
  const url = new URL(database.url)
  const host = url.searchParams.get('host')
  url.searchParams.set('host', `${host},${host}`)
  url.searchParams.set('user', role)
  const sql = connect({ address: url.href, connectionsMax: 2, name: 'test' })
  t.after(async () => {
    await sql.end()
    await admin.unsafe(`drop role ${role}`)
    await database.drop()
  })
  const only = await sql.reserve()
  await admin.unsafe(`alter role ${role} connection limit 1`)
  await assert.rejects(sql`select 1`.start(), { code: '53300' })
  only.release()
  await assert.rejects(
    sql.listen(
      'any',
      () => {},
      () => {},
    ),
    { code: '53300' },
  )
  assert.equal((await sql`select 1 as one`).length, 1)
})

test('work of a merchant that has all the connections it may have waits for one as long as for the database, and no longer', async t => {
  const database = await freshDatabase()
  const sql = connect({ address: database.url, connectionsMax: 2, name: 'test' })
  t.after(async () => {
    await sql.end()
    await database.drop()
  })
  const merchantId = 'm' as MerchantId
  const own = <T>(work: () => T) => sql.worksFor({ merchantId }, work)
  const held = await own(() => sql.reserve())
  let refusal: unknown
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    own(() => sql`select 1`.start()).catch((error: unknown) => {
      refusal = error
    })
    mock.timers.tick(10_000)
    await setImmediate()
  } finally {
    mock.timers.reset()
  }
  assert.equal((await sql`select 1 as one`).length, 1, 'others have theirs')
  held.release()
  assert.ok(isConnectionLoss(refusal), 'it was told that no connection came free')
  assert.equal((await own(() => sql`select 1 as one`.start())).length, 1)
})
