// Commits that share a transaction, on a real PostgreSQL: each ends as it would have without the others.

import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { MerchantId } from '../src/core/ids.ts'
import { connect, isConnectionLoss, type Scope, violatedConstraint } from '../src/store/database.ts'
import { atOnce, inSharedCommit, Undone } from '../src/store/one-commit.ts'
import { type Fate, startCommitLosingProxy } from './support/commit-losing-proxy.ts'
import { freshDatabase, type TestDatabase } from './support/database.ts'
import { startTestService } from './support/service.ts'
import { until } from './support/until.ts'

let database: TestDatabase
before(async () => {
  database = await freshDatabase()
  await database.sql.unsafe('create table shared (id int primary key, said text)')
})
after(() => database.drop())
beforeEach(() => database.sql.unsafe('truncate shared'))

const insert = (id: number) => (scope: Scope) => scope`insert into shared values (${id}, 'said')`.start()
const together = (work: (scope: Scope) => Promise<unknown>) => database.sql.together('m', work)
const ids = async () => (await database.sql`select id from shared where id > ${0} order by id`).map(({ id }) => id)
/** By which transaction each was written. */
const groups = async () => {
  const rows = await database.sql<{ by: string }[]>`select xmin::text as by from shared where id > ${0}`
  return new Set(rows.map(({ by }) => by)).size
}

/** Both places are taken until it is called: what is begun meanwhile is one group. */
async function holdBack(name = 'm'): Promise<() => Promise<void>> {
  const held = Promise.withResolvers<void>()
  const holding = [1, 2].map(() => database.sql.together(name, () => held.promise))
  return async () => {
    held.resolve()
    await Promise.all(holding)
  }
}

test('those that come together are one transaction, and wait no longer for locks after it than before', async () => {
  const goOn = await holdBack()
  const all = [1, 2, 3, 4].map(id => together(insert(id)))
  await goOn()
  await Promise.all(all)
  assert.deepEqual([await ids(), await groups()], [[1, 2, 3, 4], 1])
  const waits = await Promise.all(
    Array.from(
      { length: 20 },
      () => database.sql<{ is: string }[]>`select current_setting('lock_timeout') as is, ${1}::int`,
    ),
  )
  assert.deepEqual(new Set(waits.map(([row]) => row?.is)), new Set(['0']))
})

test('of which one runs into a constraint: it alone is told so, and the others are there', async () => {
  const goOn = await holdBack()
  const all = Promise.allSettled([1, 2, 1, 3].map(id => together(insert(id))))
  await goOn()
  const ended = await all
  const failed = ended.filter(each => each.status === 'rejected').map(({ reason }) => violatedConstraint(reason))
  assert.deepEqual([failed, await ids()], [['shared_pkey'], [1, 2, 3]])
})

test('of which one waits for a lock: the others do not', async () => {
  await insert(1)(database.sql)
  const other = await database.sql.reserve()
  await other.unsafe('begin')
  await other`update shared set said = 'locked' where id = ${1}`
  const goOn = await holdBack()
  const waits = together(scope => scope`update shared set said = 'at last' where id = ${1}`.start())
  const others = [2, 3].map(id => together(insert(id)))
  await goOn()
  await Promise.all(others)
  assert.deepEqual(await ids(), [1, 2, 3])
  await other.unsafe('commit')
  other.release()
  await waits
  assert.equal((await database.sql`select said from shared where id = ${1}`)[0]?.said, 'at last')
})

test('of which two lock the same rows the other way round: neither waits for the other for ever', async () => {
  for (const id of [1, 2]) await insert(id)(database.sql)
  const groups: string[] = []
  const hasFirst = { a: Promise.withResolvers<void>(), b: Promise.withResolvers<void>() }
  const add = (name: 'a' | 'b', id: number, isFirst: boolean) =>
    database.sql.together(name, async scope => {
      const [row] = await scope<{ by: string }[]>`select pg_current_xact_id()::text as by, ${id}::int`
      groups.push(`${name} ${row?.by}`)
      // Each group holds one row before it wants the other.
      if (!isFirst) await Promise.all([hasFirst.a.promise, hasFirst.b.promise])
      await scope`update shared set said = said || '.' where id = ${id}`
      if (isFirst) hasFirst[name].resolve()
    })
  const goOn = await Promise.all([holdBack('a'), holdBack('b')])
  const all = [add('a', 1, true), add('a', 2, false), add('b', 2, true), add('b', 1, false)]
  await Promise.all(goOn.map(go => go()))
  await Promise.all(all)
  const said = await database.sql`select said from shared where id > ${0}`
  assert.deepEqual(
    said.map(({ said }) => said),
    ['said..', 'said..'],
  )
  // Both of each name began in one transaction, and some had to begin again.
  const [a, b] = ['a', 'b'].map(name => groups.filter(group => group.startsWith(name)))
  assert.ok(a?.[0] === a?.[1] && b?.[0] === b?.[1] && groups.length > 4, groups.join())
})

test('whose connection breaks: each is told that nobody knows, none was done again, and the next go on', async () => {
  let tries = 0
  const goOn = await holdBack()
  const counted = (id: number) =>
    together(async scope => {
      tries += 1
      await insert(id)(scope)
    })
  const all = Promise.allSettled([
    counted(1),
    together(scope => scope`select pg_terminate_backend(pg_backend_pid()), ${1}::int`.start()),
    counted(2),
  ])
  await goOn()
  const ended = await all
  assert.ok(ended.every(each => each.status === 'rejected' && isConnectionLoss(each.reason)))
  assert.deepEqual([tries, await ids()], [2, []])
  await together(insert(3))
  assert.deepEqual(await ids(), [3])
})

test('whose commit is lost before or after it was made: each is there once, or was undone for its own reason', async t => {
  await database.sql.unsafe(
    'create schema lost; create table lost.sale (id int, constraint event_pkey primary key (id))',
  )
  t.after(() => database.sql.unsafe('drop schema lost cascade'))
  const fates: readonly Fate[] = ['passes', 'is not heard of', 'passes', 'passes', 'never arrives']
  let commits = 0
  const proxy = await startCommitLosingProxy(database.url, () => fates[commits++ % fates.length] ?? 'passes')
  const sql = connect({ address: proxy.url, connectionsMax: 5, name: 'test' })
  const merchant = 'm' as MerchantId
  const sale = async (id: number) => {
    for (let turns = id % 7; turns > 0; turns--) await setImmediate()
    if (id % 2 === 0) return atOnce(sql, merchant, 'begun', scope => [scope`insert into lost.sale values (${id})`])
    return inSharedCommit(sql, merchant, 'begun', async scope => {
      await scope`insert into lost.sale values (${id})`
      if (id % 15 === 0) throw new Undone('stale')
    })
  }
  const all = [...Array(120).keys()]
  const ended = await Promise.all(all.map(sale))
  await sql.end()
  await proxy.close()
  const undone = (id: number) => id % 30 === 15
  assert.deepEqual(
    ended,
    all.map(id => (undone(id) ? 'stale' : 'begun')),
  )
  const there = await database.sql`select id from lost.sale where id >= ${0} order by id`
  assert.deepEqual(
    there.map(({ id }) => id),
    all.filter(id => !undone(id)),
  )
  assert.deepEqual(new Set(proxy.fates), new Set(fates))
  assert.ok(proxy.fates.length < all.length, 'some shared a commit')
})

test('charges that come at the same time share commits, also with one whose key is used by two', async t => {
  const service = await startTestService()
  t.after(() => service.stop())
  const { demo, database } = service
  const keys = [...Array.from({ length: 38 }, (_, number) => `own-${number}`), 'same', 'same']
  const charged = await Promise.all(
    keys.map(key => demo.charge(demo.offer, demo.card, { headers: { 'idempotency-key': key } })),
  )
  const statuses = charged.map(({ status }) => status)
  assert.ok(statuses.filter(status => status === 200).length >= 39, statuses.join())
  const rows = await database.sql<{ by: string; status: string }[]>`
    select xmin::text as by, status from transaction where quantity = ${1}`
  assert.deepEqual(
    rows.map(({ status }) => status),
    Array(39).fill('Successful'),
  )
  assert.ok(new Set(rows.map(({ by }) => by)).size < 39)
  await until(
    'all hooks are settled',
    async () => (await database.sql`select from owed_delivery where state = ${'pending'}`).length === 0,
  )
})
