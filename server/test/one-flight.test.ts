// Statements that leave together with their commit, and statements whose columns are not asked for again.

import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { connect, type Database } from '../src/store/database.ts'
import { freshDatabase, type TestDatabase } from './support/database.ts'

let database: TestDatabase
before(async () => {
  database = await freshDatabase()
  await database.sql.unsafe('create table flown (id int primary key, said text)')
})
after(() => database.drop())
beforeEach(() => database.sql.unsafe('truncate flown'))

const ids = async () => (await database.sql`select id from flown where id > ${0} order by id`).map(({ id }) => id)

describe('a flight', () => {
  test('is one transaction, whose second statement sees the first', async () => {
    const [, counted] = await database.sql.flight(scope => [
      scope`insert into flown values (${1}, 'one')`,
      scope<{ count: number }[]>`select count(*)::int as count from flown where id >= ${0}`,
    ])
    assert.deepEqual([counted[0]?.count, await ids()], [1, [1]])
  })

  test('of which one statement fails leaves nothing, and tells why', async () => {
    const failed = database.sql.flight(scope => [
      scope`insert into flown values (${1}, 'one')`,
      scope`insert into flown values (${1}, 'once more')`,
      scope`insert into flown values (${2}, 'two')`,
    ])
    await assert.rejects(failed, /duplicate key/)
    assert.deepEqual(await ids(), [])
  })

  test('of which one statement cannot be written is not sent', async () => {
    const failed = database.sql.flight(scope => [
      scope`insert into flown values (${1}, 'one')`,
      scope`insert into flown values (${2}, ${undefined})`,
    ])
    await assert.rejects(failed, /undefined/)
    const thrown = database.sql.flight(() => {
      throw new Error('thrown')
    })
    await assert.rejects(thrown, /thrown/)
    assert.deepEqual(await ids(), [])
  })

  test('that breaks with its connection is told, and the next one flies', async () => {
    const broken = database.sql.flight(scope => [
      scope`insert into flown values (${1}, 'one')`,
      scope`select pg_terminate_backend(pg_backend_pid()), ${1}::int`,
    ])
    await assert.rejects(broken)
    await database.sql.flight(scope => [scope`insert into flown values (${2}, 'two')`])
    assert.deepEqual(await ids(), [2])
  })
})

test('a table that is changed under a running process is told of once, and read as it is from then on', async () => {
  const read = (sql: Database) => sql`select * from flown where id > ${0}`
  await database.sql`insert into flown values (${1}, 'one')`
  assert.deepEqual([...(await read(database.sql))], [{ id: 1, said: 'one' }])
  await database.sql.unsafe('alter table flown add column more int default 3')
  // A new connection: the database itself refuses what one has prepared.
  const next = connect({ address: database.url, connectionsMax: 1, name: 'test' })
  await assert.rejects(read(next).start(), /other columns/)
  assert.deepEqual([...(await read(next))], [{ id: 1, said: 'one', more: 3 }])
  await next.end()
})
