// tillbell backup and restore: of one of everything nothing is lost or changed but what a restore must end; an older version is brought to this one; and what is damaged,
// foreign, newer, of another key, or for a database that is not empty, is refused before anything is written.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { createSealer } from '../src/keys/sealing.ts'
import { macOf } from '../src/store/backup/parts.ts'
import { connect, type Database, schemaName } from '../src/store/database.ts'
import { connectionName } from '../src/store/key-users.ts'
import { migrate, migrationLock, readMigrations } from '../src/store/migrate.ts'
import { type Ended, refusedWith, tillbell, tillbells } from './support/command.ts'
import { emptyDatabase, type TestDatabase } from './support/database.ts'
import { doOneOfEverything } from './support/one-of-everything.ts'
import { startTestService, type TestService } from './support/service.ts'

const secretKey = randomBytes(32)
const secret = { TILLBELL_SECRET_KEY: secretKey.toString('base64') }
const [backupKey] = createSealer([secretKey]).derive('backups')
let folder: string
let service: TestService
let file: string
let target: TestDatabase
const endings: (() => Promise<unknown>)[] = []
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tillbell-backups-'))
  service = await startTestService(secret)
  await doOneOfEverything({ after: end => void endings.push(end) }, service)
  await openDoors(service)
  file = join(folder, 'shop.backup')
  target = await emptyDatabase()
})
after(async () => {
  for (const end of endings) await end()
  await service.stop()
  await target.drop()
  await rm(folder, { recursive: true })
})

const settings = (database: TestDatabase) => ({ ...secret, DATABASE_URL: database.url, TILLBELL_DATA: folder })

/** What a restore must not let in again: each of it is there and unused. */
async function openDoors({ database: { sql }, demo, demoSheet: { merchant } }: TestService): Promise<void> {
  const secretHash = randomBytes(32)
  await sql`insert into console_session (merchant_id, id, email, secret_sha256, replaced_at, created_at, seen_at, address, user_agent)
    select merchant_id, gen_random_uuid(), email, ${secretHash}, now(), now(), now(), '', '' from login where merchant_id = ${merchant}`
  await sql`insert into login_link (merchant_id, secret_sha256, kind, email, created_at, expires_at)
    values (${merchant}, ${secretHash}, 'reset', 'demo@example.com', now(), now() + interval '40 days')`
  await sql`insert into card_link (merchant_id, secret_sha256, email, gateway_id, created_at, expires_at)
    select merchant_id, ${secretHash}, 'ada@example.com', id, now(), now() + interval '40 days' from gateway where merchant_id = ${merchant}`
  await sql`insert into address_proof (merchant_id, secret_sha256, offer_id, email, quantity, created_at, expires_at)
    values (${merchant}, ${secretHash}, ${demo.offer}, 'ada@example.com', 1, now(), now() + interval '40 days')`
  // One that its worker gave up on: nobody takes it up while it is backed up.
  await sql`insert into letter (merchant_id, id, received_at, offer_id, is_proven, is_answerable, language, state, lease_no)
    values (${merchant}, gen_random_uuid(), now(), ${demo.offer}, true, true, 'en', 'waiting', 100)`
}

/** The checksum of each table. */
function sumsOf(text: string): { [table: string]: string } {
  const lines = text.split('\n').filter(line => line.startsWith('{"table":') || /^\{"rows":\d+,"bytes"/.test(line))
  const pairs = lines.flatMap((line, index) => (index % 2 === 0 ? [[JSON.parse(line).table, lines[index + 1]]] : []))
  return Object.fromEntries(pairs)
}

async function textOf(path: string): Promise<string> {
  return gunzipSync(await readFile(path)).toString()
}

async function isEmpty({ sql }: { readonly sql: Database }): Promise<boolean> {
  const [row] = await sql`select to_regnamespace(${schemaName}) is null as gone`
  return row?.gone === true
}

/** With a mac of its own, as only who has the key can make it. */
function sealed(text: string): Buffer {
  const before = text.slice(0, text.lastIndexOf('\n', text.length - 2) + 1)
  const last = JSON.parse(text.slice(before.length))
  const mac = macOf(backupKey, createHash('sha256').update(before).digest()).toString('hex')
  return gzipSync(`${before}${JSON.stringify({ ...last, mac })}\n`)
}

test('a backup says what it wrote, is for its owner alone, and overwrites nothing', async t => {
  const [done, again] = await tillbells(
    t,
    [
      ['backup', file],
      ['backup', file],
    ],
    settings(service.database),
  )
  assert.deepEqual([done?.code, done?.stderr], [0, ''])
  const { size, mode } = await stat(file)
  assert.match(String(done?.stdout), new RegExp(`\\d+ rows of \\d+ tables in ${size} bytes`))
  assert.match(String(done?.stdout), /The secret key is NOT in it\. Without TILLBELL_SECRET_KEY/)
  assert.equal(mode & 0o777, 0o600)
  refusedWith(again as Ended, 1, /is there already, and is not overwritten/)
  assert.equal((await stat(file)).size, size)
  assert.ok(!(await textOf(file)).includes(secret.TILLBELL_SECRET_KEY))
})

test('what is damaged, foreign or newer is refused, and nothing is written', async t => {
  const text = await textOf(file)
  const whole = await readFile(file)
  const newer = (from: RegExp, to: string) => sealed(text.replace(from, to))
  const wrong: readonly [content: Buffer | string, code: number, words: RegExp][] = [
    [whole.subarray(0, whole.length - 100), 1, /is not whole: its end is missing\. Nothing was restored/],
    [gzipSync(text.replace('Demo', 'Damo')), 1, /is not as it was written/],
    [gzipSync('{"other":"file"}\n'), 1, /is not a backup of Tillbell/],
    ['Not even compressed.', 1, /is not a backup of Tillbell/],
    ['', 1, /is not whole/],
    [newer(/"version":\d+/, '"version":999'), 3, /backup is at version 999 and this Tillbell knows versions up to/],
    [newer(/"tillbell_backup":1/, '"tillbell_backup":2'), 3, /has format 2, and this Tillbell reads format 1/],
    [newer(/^\{"table":"worker"/m, '{"table":"waiter"'), 1, /lacks a table/],
    [newer(/^\{"table":"worker"/m, '{"table":"setting"'), 1, /has setting twice/],
  ]
  const paths = await Promise.all(
    wrong.map(async ([content], index) => {
      const path = join(folder, `wrong-${index}`)
      await writeFile(path, content)
      return path
    }),
  )
  const commands = [...paths, join(folder, 'nowhere'), folder].map(path => ['restore', path])
  const ended = await tillbells(t, commands, settings(target))
  for (const [index, [, code, words]] of wrong.entries()) refusedWith(ended[index] as Ended, code, words)
  refusedWith(ended.at(-2) as Ended, 1, /nowhere does not exist/)
  refusedWith(ended.at(-1) as Ended, 1, /is a folder, not a file/)
  assert.ok(await isEmpty(target))
})

test('another secret key, or none, is refused, and nothing is written', async t => {
  const another = { ...settings(target), TILLBELL_SECRET_KEY: randomBytes(32).toString('base64') }
  refusedWith(await tillbell(t, ['restore', file], another), 3, /was made with another secret key/)
  const { TILLBELL_SECRET_KEY: _, ...none } = settings(target)
  refusedWith(await tillbell(t, ['restore', file], none), 3, /There is no secret key/)
  assert.ok(!(await readdir(folder)).includes('secret.key'), 'and none is made')
  assert.ok(await isEmpty(target))
  const wrongKey = { ...another, DATABASE_URL: service.database.url }
  refusedWith(await tillbell(t, ['backup', join(folder, 'other')], wrongKey), 3, /does not open with this/)
})

test('a database that has something, or that another process is at, is refused', async t => {
  const text = await textOf(file)
  refusedWith(await tillbell(t, ['restore', file], settings(service.database)), 3, /has data of Tillbell already/)
  const held = await target.sql.reserve()
  await held`select pg_advisory_lock(${migrationLock})`
  refusedWith(await tillbell(t, ['restore', file], settings(target)), 3, /is being migrated, or restored/)
  await held`select pg_advisory_unlock_all()`
  held.release()
  const other = connect({ address: target.url, connectionsMax: 1, name: connectionName(1, ['0123abcd']) })
  await other`select 1`
  refusedWith(await tillbell(t, ['restore', file], settings(target)), 3, /has processes of Tillbell on it. Stop all/)
  await other.end()
  assert.ok(await isEmpty(target))
  assert.equal(await textOf(file), text)
})

test('of one of everything nothing is lost, and every door is closed', async t => {
  const { code, stdout, stderr } = await tillbell(t, ['restore', file, '--json'], settings(target))
  assert.deepEqual([code, stderr], [0, ''])
  // Of address_links, what went before left one of its own.
  const closed = { sessions: 1, login_links: 1, card_links: 1, address_links: 2, mails: 1 }
  assert.deepEqual(JSON.parse(stdout).ended, closed)
  const second = join(folder, 'second.backup')
  assert.equal((await tillbell(t, ['backup', second], settings(target))).code, 0)
  const [first, again] = [sumsOf(await textOf(file)), sumsOf(await textOf(second))]
  const changed = Object.keys(first).filter(table => first[table] !== again[table])
  const ended = ['address_proof', 'card_link', 'console_session', 'letter', 'login_link', 'setting', 'worker']
  assert.deepEqual(changed.toSorted(), ended)
  const filled = Object.values(first).filter(line => !line.startsWith('{"rows":0'))
  assert.ok(filled.length > 30, `only ${filled.length} tables have rows`)
  const [letter] = await target.sql`select state, closed_because from letter where lease_no = 100`
  assert.match(String(letter?.closedBecause), /may have been paid since/)
  // Numbers go on where they were.
  const [next] = await target.sql`select nextval('partner_number') > (select max(partner_id) from merchant) as is_new`
  assert.equal(next?.isNew, true)
})

test('a backup of an older version is restored as it was, and then migrated', async t => {
  const [old, restored] = [await emptyDatabase(), await emptyDatabase()]
  t.after(() => Promise.all([old.drop(), restored.drop()]))
  const migrations = await readMigrations()
  await migrate(old.sql, migrations.slice(0, 12))
  await old.sql`insert into setting select * from jsonb_to_record(${serviceKey()}) as kept (name text, value jsonb)`
  const id = '00000000-0000-7000-8000-000000000001'
  await old.sql`insert into delivery (merchant_id, id, event_id, endpoint_id, created_at, state, attempts, due_at, scheduled_made, parked, drop_untold)
    values ('m', ${id}, ${id}, ${id}, now(), 'pending', 0, now(), 0, false, false)`
  const path = join(folder, 'old.backup')
  const made = await tillbell(t, ['backup', path, '--json'], settings(old))
  assert.equal(made.code, 0, made.stderr)
  assert.equal(JSON.parse(made.stdout).version, 12)
  const done = await tillbell(t, ['restore', path], settings(restored))
  assert.equal(done.code, 0, done.stderr)
  const [row] = await restored.sql`select state, (select max(number) from migration) as version from owed_delivery`
  assert.deepEqual({ ...row }, { state: 'pending', version: migrations.at(-1)?.number })
  assert.deepEqual(await migrate(restored.sql, migrations), [])
})

test('what somebody else has put beside our tables does not keep them from being restored', async t => {
  const { sql } = service.database
  await sql`create table ${sql(`${schemaName}.a_note`)} (number serial, text text)`
  t.after(() => sql`drop table ${sql(`${schemaName}.a_note`)}`)
  await sql`insert into ${sql(`${schemaName}.a_note`)} (text) values ('buy milk')`
  const [path, restored] = [join(folder, 'noted.backup'), await emptyDatabase()]
  t.after(() => restored.drop())
  assert.equal((await tillbell(t, ['backup', path], settings(service.database))).code, 0)
  const { code, stdout, stderr } = await tillbell(t, ['restore', path], settings(restored))
  assert.equal(code, 0, stderr)
  const [, tables] = /^Restored \d+ rows of (\d+) tables/.exec(stdout) ?? []
  assert.equal(Number(tables), Object.keys(sumsOf(await textOf(file))).length, 'as many as without it')
  assert.match(stdout, /^Not restored, since Tillbell has nothing of that name: a_note, a_note_number_seq\.$/m)
})

function serviceKey(): string {
  const privateKeySealed = createSealer([secretKey]).seal('any', 'private key of the service').toString('base64')
  return JSON.stringify({ name: 'service_key', value: { publicKey: '', privateKeySealed } })
}

test('where there is no room, or nothing may be written, that is said, and no half file is left', async t => {
  const room = await mkdtemp(join(folder, 'room-'))
  const full = await limited(join(room, 'big.backup'))
  refusedWith(full, 1, /big\.backup was not written: it would be larger than/)
  assert.deepEqual(await readdir(room), [])
  const nowhere = join(room, 'no', 'such.backup')
  refusedWith(
    await tillbell(t, ['backup', nowhere], settings(service.database)),
    1,
    /was not written: there is no folder/,
  )
})

/** In a shell whose children write files of 512 bytes at most: what a full disk does, at a place of our choice. */
function limited(path: string): Promise<Ended> {
  const program = join(import.meta.dirname, '../bin/tillbell.js')
  const script = `ulimit -f 1; exec '${process.execPath}' '${program}' backup '${path}'`
  const env = { PATH: process.env.PATH ?? '', ...settings(service.database) }
  return new Promise(resolve =>
    execFile('sh', ['-c', script], { env }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    ),
  )
}
