// Migration 0013 over data: what is owed of deliveries moves into a table of its own, and what is committed while it waits moves too.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { migrate, readMigrations } from '../src/store/migrate.ts'
import { emptyDatabase, type TestDatabase } from './support/database.ts'
import { whileHeld } from './support/while-held.ts'

let database: TestDatabase
before(async () => {
  database = await emptyDatabase()
})
after(() => database.drop())

const idOf = (number: number) => `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`
const worker = idOf(99)

/** As it was in one table; the number is the last of its id. */
const before13: readonly (readonly [number: number, columns: string])[] = [
  [1, "'pending', 0, now(), null, 0, null, false, null, false"],
  [2, `'pending', 0, now(), null, 0, null, false, '${worker}', false`],
  [3, "'pending', 1, now(), null, 1, null, true, null, false"],
  [4, "'delivered', 1, null, now(), 1, null, false, null, false"],
  [5, "'delivered', 1, now(), now(), 1, now(), false, null, false"],
  [6, "'dropped', 10, null, now(), 10, null, false, null, true"],
  [7, "'canceled', 2, null, now(), 2, null, false, null, false"],
  [8, "'delivered', 3, null, now(), 3, null, false, null, true"],
]

const insert = (number: number, columns: string) =>
  `insert into delivery (merchant_id, id, event_id, endpoint_id, created_at, state, attempts, due_at, settled_at, scheduled_made, resend_at,
    parked, holder, drop_untold) values ('m', '${idOf(number)}', '${idOf(number)}', '${idOf(0)}', now(), ${columns});`

const attempt = (number: number, made: number) =>
  `insert into attempt (merchant_id, delivery_id, number, at, url, resend, status, duration_ms)
    values ('m', '${idOf(number)}', ${made}, now(), 'http://merchant.test/', false, 200, 1);`

test('every state is what it was, and nothing that is being committed is left behind', async () => {
  const { sql } = database
  const migrations = await readMigrations()
  await migrate(sql, migrations.slice(0, 12))
  await sql.unsafe(before13.map(row => insert(...row)).join('') + attempt(4, 1) + attempt(5, 1))
  await whileHeld(
    sql,
    scope =>
      scope.unsafe(`${insert(9, "'pending', 0, now(), null, 0, null, false, null, false")} ${attempt(1, 1)}
        update delivery set state = 'delivered', attempts = 1, scheduled_made = 1, due_at = null, settled_at = now() where id = '${idOf(1)}'`),
    () => migrate(sql, migrations),
    ['relation'],
  )
  const rows =
    await sql`select right(id::text, 1)::int as n, state, attempts, due_at is not null as due, resend_at is not null as again, parked,
    holder is not null as held, drop_untold from whole_delivery order by id`
  const shown = rows.map(row => Object.values(row).join(' '))
  assert.deepEqual(shown, [
    '1 delivered 1 false false false false false',
    '2 pending 0 true false false true false',
    '3 pending 1 true false true false false',
    '4 delivered 1 false false false false false',
    '5 delivered 1 true true false false false',
    '6 dropped 10 false false false false true',
    '7 canceled 2 false false false false false',
    '8 delivered 3 false false false false false',
    '9 pending 0 true false false false false',
  ])
  const owed = await sql`select right(id::text, 1)::int as n from owed_delivery order by id`
  assert.deepEqual(
    owed.map(({ n }) => n),
    [2, 3, 5, 6, 7, 9],
  )
})
