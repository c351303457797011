// The schema: where the migrations lead, that two processes may start together, and what the database refuses by itself.

import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { arrows, transactionStatuses } from '../src/core/transaction.ts'
import { connect } from '../src/store/database.ts'
import { describeSchema } from '../src/store/describe-schema.ts'
import { DatabaseIsNewerError, migrate, readMigrations } from '../src/store/migrate.ts'
import { emptyDatabase, type TestDatabase } from './support/database.ts'

const schemaFile = new URL('../src/store/schema.sql', import.meta.url)

let database: TestDatabase
before(async () => {
  database = await emptyDatabase()
})
after(() => database.drop())

test('four processes that start together migrate once', async () => {
  const others = [1, 2, 3, 4].map(() => connect({ address: database.url, connectionsMax: 2, name: 'test' }))
  const applied = await Promise.all(others.map(async sql => migrate(sql, await readMigrations())))
  const all = (await readMigrations()).map(({ name }) => name)
  assert.deepEqual(applied.flat().sort(), all.sort())
  await Promise.all(others.map(sql => sql.end()))
})

test('migrations are numbered without gaps, and each begins with its reason', async () => {
  const migrations = await readMigrations()
  for (const [index, { number, text }] of migrations.entries()) {
    assert.equal(number, index + 1)
    assert.match(text, new RegExp(`^-- ${String(number).padStart(4, '0')}: .{20,}`))
  }
})

test('the migrations lead to the committed schema.sql', async () => {
  const described = `-- What the migrations lead to. Written by: UPDATE_SCHEMA=1 npm test -- server/test/migrations.test.ts\n\n${await describeSchema(database.sql)}`
  if (process.env.UPDATE_SCHEMA === '1') await writeFile(schemaFile, described)
  assert.equal(described, await readFile(schemaFile, 'utf8'))
})

test('a migration that fails leaves nothing of itself', async () => {
  const migrations = await readMigrations()
  const number = migrations.length + 1
  const broken = { number, name: 'broken', text: 'create table half_way (id int); select no_such_column from merchant' }
  await assert.rejects(migrate(database.sql, [...migrations, broken]))
  const [found] = await database.sql`select to_regclass('half_way') as name`
  assert.equal(found?.name, null)
  assert.deepEqual(await migrate(database.sql, migrations), [])
})

test('a database that is newer than the program is refused', async () => {
  const migrations = await readMigrations()
  await assert.rejects(migrate(database.sql, migrations.slice(0, -1)), DatabaseIsNewerError)
})

test('merchant_id leads every key of every table that has one', async () => {
  const rows = await database.sql<{ tableName: string; name: string; first: string }[]>`
    select i.indrelid::regclass::text as table_name, i.indexrelid::regclass::text as name,
      (select attname from pg_attribute a where a.attrelid = i.indrelid and a.attnum = i.indkey[0]) as first
    from pg_index i join pg_class c on c.oid = i.indrelid
    where c.relnamespace = 'tillbell'::regnamespace and i.indisunique
      and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'merchant_id')`
  const others = rows.filter(({ tableName, first }) => tableName !== 'directory' && first !== 'merchant_id')
  assert.deepEqual([...others], [])
  assert.ok(rows.length > 15)
})

test('the database holds exactly the arrows of the drawing', async () => {
  const { sql } = database
  await sql.begin(async scope => {
    await scope.unsafe(`create temp table probe (like transaction including defaults) on commit drop;
      create trigger arrows before update of status on probe for each row
        when (old.status is distinct from new.status) execute function hold_transaction_arrows()`)
    await scope.unsafe('alter table probe alter merchant_id drop not null')
    const columns = await scope<{ name: string }[]>`select attname as name from pg_attribute
      where attrelid = 'probe'::regclass and attnum > 0 and attnotnull and attname <> 'status'`
    for (const { name } of columns) await scope.unsafe(`alter table probe alter ${name} drop not null`)
    for (const from of transactionStatuses) {
      const drawn: readonly string[] = arrows[from]
      for (const to of transactionStatuses) {
        if (from === to) continue
        await scope`delete from probe`
        await scope`insert into probe (status) values (${from})`
        await scope.unsafe('savepoint attempt')
        const moved = await scope`update probe set status = ${to}`.then(
          () => true,
          () => false,
        )
        await scope.unsafe('rollback to savepoint attempt')
        assert.equal(moved, drawn.includes(to), `${from} -> ${to}`)
      }
    }
  })
})
