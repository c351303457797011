import assert from 'node:assert/strict'
import { mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { openElsewhere } from '../../../test/support/postgres-process.ts'
import {
  ask,
  emptyFolder,
  initialisedFolder,
  isAnswering,
  openHere,
  removeSpares,
  until,
} from '../../../test/support/temporary-folder.ts'
import { EmbeddedDatabaseError } from './embedded.ts'
import { draftPrefix } from './initialise.ts'

after(removeSpares)

async function drafts(dataFolder: string): Promise<string[]> {
  return (await readdir(dataFolder)).filter(name => name.startsWith(draftPrefix))
}

test('an interrupted initialisation leaves nothing in the way of the next one, and is cleared away later', async t => {
  const dataFolder = await emptyFolder(t)
  const interrupted = openElsewhere(t, { dataFolder, as: 'owner' })
  await until('initdb is in the middle', async () => {
    const [draft] = await drafts(dataFolder)
    return draft !== undefined && (await readdir(join(dataFolder, draft))).includes('global')
  })
  await interrupted.kill()
  const [left] = await drafts(dataFolder)
  assert.ok(left !== undefined)
  assert.ok(!(await readdir(dataFolder)).includes('postgres'))

  const database = await openHere(t, dataFolder, 'owner')
  assert.ok(await isAnswering(database.address))
  assert.deepEqual(await drafts(dataFolder), [left])
  const hourAgo = new Date(Date.now() - 3_600_000)
  await utimes(join(dataFolder, left), hourAgo, hourAgo)
  await openHere(t, dataFolder, 'guest')
  assert.deepEqual(await drafts(dataFolder), [])
})

test('a new database is in UTF-8, sorted by code point, with checksums and a database of our name', async t => {
  const database = await openHere(t, await initialisedFolder(t), 'owner')
  const [facts] = await ask<Record<string, string>>(
    database.address,
    `select current_database() as name, current_user as role, pg_encoding_to_char(encoding) as encoding,
       datlocprovider::text || ' ' || datlocale as locale, current_setting('data_checksums') as checksums,
       (select string_agg(word, '' order by word) from unnest(array['b', 'a', 'B', 'ä']) as word) as sorted,
       upper('ä') as capital
     from pg_database where datname = current_database()`,
  )
  assert.deepEqual(
    { ...facts },
    {
      ...{ name: 'tillbell', role: 'tillbell', encoding: 'UTF8', locale: 'b C.UTF-8', checksums: 'on' },
      ...{ sorted: 'Babä', capital: 'Ä' },
    },
  )
})

test('a database of another major version is refused by name', async t => {
  const dataFolder = await initialisedFolder(t)
  await writeFile(join(dataFolder, 'postgres/PG_VERSION'), '17\n')
  await assert.rejects(openHere(t, dataFolder, 'owner'), error => {
    assert.ok(error instanceof EmbeddedDatabaseError)
    assert.match(error.message, /was created by PostgreSQL 17, and this Tillbell brings PostgreSQL 18/)
    return true
  })
  await writeFile(join(dataFolder, 'postgres/PG_VERSION'), '18\n')
})

test('a folder that holds something else is neither used nor touched', async t => {
  const dataFolder = await emptyFolder(t)
  await mkdir(join(dataFolder, 'postgres'))
  await writeFile(join(dataFolder, 'postgres/letters.txt'), 'dear')
  await assert.rejects(openHere(t, dataFolder, 'owner'), /is not empty, and holds no PostgreSQL database/)
  assert.deepEqual(await readdir(join(dataFolder, 'postgres')), ['letters.txt'])
  assert.deepEqual(await drafts(dataFolder), [])
})

async function logOf(folder: string): Promise<string> {
  const names = await readdir(join(folder, 'log'))
  const files = await Promise.all(names.map(name => readFile(join(folder, 'log', name), 'utf8')))
  return files.join('\n')
}

test('what a statement carries never reaches the log, not even by an error', async t => {
  const database = await openHere(t, await initialisedFolder(t), 'owner')
  const secret = '4242424242424242'
  const refused = [
    `select '${secret}'::uuid`,
    `create temporary table card (number text unique); insert into card values ('${secret}'), ('${secret}')`,
    `do $$ begin raise warning '${secret}'; raise exception '${secret}'; end $$`,
  ]
  for (const statement of refused) await assert.rejects(ask(database.address, statement))
  // A backend that crashes makes the server log what it was running.
  const crashing = ask(database.address, `select pg_backend_pid(), '${secret}', pg_sleep(60)`)
  crashing.catch(() => {})
  let pid = 0
  await until('it sleeps', async () => {
    const [row] = await ask<{ pid: number }>(
      database.address,
      "select pid from pg_stat_activity where query like '%pg_sleep(60)' and pid <> pg_backend_pid()",
    )
    pid = row?.pid ?? 0
    return pid > 0
  })
  process.kill(pid, 'SIGKILL')
  await assert.rejects(crashing)
  await until('the log tells of the crash', async () => /terminated by signal 9/.test(await logOf(database.folder)))
  await until('it works again', () =>
    ask(database.address, 'select 1').then(
      () => true,
      () => false,
    ),
  )
  await database.close()
  assert.doesNotMatch(await logOf(database.folder), new RegExp(secret))
})

test('neither an edited file nor ALTER SYSTEM opens a port or makes commits less durable', async t => {
  const dataFolder = await initialisedFolder(t)
  const first = await openHere(t, dataFolder, 'owner')
  for (const change of [
    "listen_addresses = '*'",
    'fsync = off',
    'full_page_writes = off',
    'synchronous_commit = off',
  ]) {
    await ask(first.address, `alter system set ${change}`)
  }
  await first.close()
  const { address } = await openHere(t, dataFolder, 'owner')
  const rows = await ask<{ name: string; setting: string }>(
    address,
    `select name, setting from pg_settings
     where name in ('listen_addresses', 'fsync', 'full_page_writes', 'synchronous_commit', 'max_connections') order by name`,
  )
  assert.deepEqual(Object.fromEntries(rows.map(({ name, setting }) => [name, setting])), {
    fsync: 'on',
    full_page_writes: 'on',
    listen_addresses: '',
    max_connections: '200',
    synchronous_commit: 'on',
  })
})

test("the socket's folder and the data are closed to everybody else", async t => {
  const { address, folder } = await openHere(t, await initialisedFolder(t), 'owner')
  for (const path of [address.host, folder]) assert.equal((await stat(path)).mode & 0o777, 0o700)
})
