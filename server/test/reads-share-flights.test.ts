// Reads that share a connection and a flight, on a real PostgreSQL: each gets its own answer, whatever becomes of its neighbours.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { isConnectionLoss } from '../src/store/database.ts'
import { freshDatabase, type TestDatabase } from './support/database.ts'

let database: TestDatabase
before(async () => {
  database = await freshDatabase()
  await database.sql.unsafe('create table said (id int primary key, words text)')
  await database.sql`insert into said select n, 'words of ' || n from generate_series(1, ${500}::int) n`
})
after(() => database.drop())

const read = (id: number) => database.sql.quick<{ words: string }[]>`select words from said where id = ${id}`.start()
const wordsOf = async (id: number) => (await read(id))[0]?.words ?? null
const backend = async () => {
  const [row] = await database.sql.quick<{ pid: number }[]>`select pg_backend_pid() as pid, ${1}::int`
  return row?.pid
}

test('those that come at the same time share two connections at the most', async () => {
  const pids = await Promise.all(Array.from({ length: 100 }, backend))
  assert.ok(new Set(pids).size <= 2)
})

test('each hears its own answer, also amid those that fail in every way and those that find nothing', async () => {
  const { quick } = database.sql
  const kinds = [
    { ask: (id: number) => wordsOf(id), says: (id: number) => `words of ${id}` },
    { ask: (id: number) => wordsOf(-id), says: () => null },
    { ask: (id: number) => quick`select ${`no number ${id}`}::int`.start(), says: () => '22P02' },
    { ask: (id: number) => quick`select ${id}::int / 0`.start(), says: () => '22012' },
    // Of those that cannot be prepared the first is told why, and those behind it that it is not there.
    {
      ask: (id: number) =>
        quick`select ${id}::int from no_such_table`.start().catch(({ code }) => /42P01|26000/.test(code)),
      says: () => true,
    },
    { ask: (id: number) => quick`select ${id}, ${undefined}`.start(), says: () => undefined },
    {
      ask: async (id: number) => (await quick`select ${id}::int as id, pg_sleep(${0.002}::float8)`)[0]?.id,
      says: (id: number) => id,
    },
  ]
  const asked = Array.from({ length: 490 }, (_, index) => ({ id: index + 1, kind: kinds[(index * 3) % kinds.length] }))
  const ended = await Promise.allSettled(asked.map(({ id, kind }) => kind?.ask(id)))
  assert.deepEqual(
    ended.map(each => (each.status === 'fulfilled' ? each.value : each.reason.code)),
    asked.map(({ id, kind }) => kind?.says(id)),
  )
})

test('where the connection breaks, those on it are told so or have their answer, and the next are answered', async () => {
  const breaks = () => database.sql.quick`select pg_terminate_backend(pg_backend_pid()), ${1}::int`.start()
  const all = Array.from({ length: 60 }, (_, index) => (index % 20 === 10 ? breaks() : wordsOf(index + 1)))
  for (const [index, each] of (await Promise.allSettled(all)).entries()) {
    if (each.status === 'fulfilled') assert.equal(each.value, `words of ${index + 1}`)
    else assert.ok(isConnectionLoss(each.reason), String(each.reason))
  }
  assert.deepEqual(await Promise.all([1, 2, 3].map(wordsOf)), ['words of 1', 'words of 2', 'words of 3'])
})
