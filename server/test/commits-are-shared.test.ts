// Commits that share a transaction, on a real PostgreSQL: each ends as it would have without the others.

import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { isConnectionLoss, type Scope, violatedConstraint } from '../src/store/database.ts'
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
async function holdBack(): Promise<() => Promise<void>> {
  const held = Promise.withResolvers<void>()
  const holding = [together(() => held.promise), together(() => held.promise)]
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
  const all = [1, 2, 1, 3].map(id => together(insert(id)))
  await goOn()
  const ended = await Promise.allSettled(all)
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

test('of which two groups lock the same rows the other way round: all of them are written', async () => {
  for (const id of [1, 2]) await insert(id)(database.sql)
  const add = (id: number) => async (scope: Scope) => {
    await scope`update shared set said = said || '.' where id = ${id}`
    await scope`select pg_sleep(${0.02}::float8)`
  }
  const rounds = Array.from({ length: 6 }, (_, round) => (round % 2 === 0 ? [1, 2] : [2, 1]))
  await Promise.all(rounds.flat().map(id => together(add(id))))
  const said = await database.sql`select said from shared where id > ${0}`
  assert.deepEqual(
    said.map(({ said }) => said),
    ['said......', 'said......'],
  )
})

test('whose connection breaks: each is told that nobody knows, none was done again, and the next go on', async () => {
  let tries = 0
  const goOn = await holdBack()
  const counted = (id: number) =>
    together(async scope => {
      tries += 1
      await insert(id)(scope)
    })
  const all = [
    counted(1),
    together(scope => scope`select pg_terminate_backend(pg_backend_pid()), ${1}::int`.start()),
    counted(2),
  ]
  await goOn()
  const ended = await Promise.allSettled(all)
  assert.ok(ended.every(each => each.status === 'rejected' && isConnectionLoss(each.reason)))
  assert.deepEqual([tries, await ids()], [2, []])
  await together(insert(3))
  assert.deepEqual(await ids(), [3])
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
