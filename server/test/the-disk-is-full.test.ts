// A data folder without room, or that cannot be written: said in a sentence, answered with 503, nothing lost, and over when there is room again.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmod, mkdir, rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import pg from 'pg'
import { findPostmaster } from '../src/store/postgres/postmaster.ts'
import { answered } from './support/answers.ts'
import { Client, send } from './support/client.ts'
import { demoSheet, refusedWith, serve, stopped, tillbell } from './support/command.ts'
import { freshDatabase } from './support/database.ts'
import { startCustomers } from './support/paying-customers.ts'
import { atEnd, emptyFolder, endAllIn } from './support/temporary-folder.ts'
import { until } from './support/until.ts'

const run = promisify(execFile)

/** A disk of its own; null: this user may not have one. */
async function smallDisk(t: TestContext, sizeMiB: number): Promise<string | null> {
  const folder = join(await emptyFolder(t), 'disk')
  await mkdir(folder)
  const isMounted = await run('mount', ['-t', 'tmpfs', '-o', `size=${sizeMiB}m,mode=711`, 'tmpfs', folder]).then(
    () => true,
    () => false,
  )
  if (!isMounted) return null
  atEnd(t, async () => {
    await endAllIn(folder) // who works in it keeps it mounted
    await run('umount', [folder])
  })
  return folder
}

async function fill(disk: string): Promise<void> {
  const { bavail, bsize } = await statfs(disk)
  // Others write meanwhile: that it comes to an end is what is wanted.
  await writeFile(join(disk, 'filler'), Buffer.alloc(bavail * bsize)).catch(error => assert.equal(error.code, 'ENOSPC'))
}

/** A connection from before the disk is full: a new one needs room too. */
async function insider(t: TestContext, dataFolder: string): Promise<pg.Client> {
  const running = await findPostmaster(join(dataFolder, 'postgres'))
  const client = new pg.Client({ host: running?.socketFolder ?? '', user: 'tillbell', database: 'tillbell' })
  client.on('error', () => {})
  await client.connect()
  atEnd(t, async () => void client.end().catch(() => null))
  return client
}

const needsMount = 'to have a disk that can be full, the tests must run as root'

test('the disk of the database is full: 503 and a sentence, what was answered is kept, and with room it goes on by itself', {
  timeout: 240_000,
}, async t => {
  const disk = await smallDisk(t, 200)
  if (disk === null) return t.skip(needsMount)
  const TILLBELL_DATA = join(disk, 'data')
  const service = serve(t, { TILLBELL_DATA, TILLBELL_REQUESTS_PER_S: '100000' })
  const baseUrl = await service.ready()
  const sheet = await demoSheet(TILLBELL_DATA)
  const customers = startCustomers([baseUrl], { ...sheet, cards: [sheet.card] })
  atEnd(t, () => customers.giveUp())
  const ready = () => send(`${baseUrl}/readyz`, { method: 'GET', headers: {}, body: null })
  await until('payments pass', async () => customers.told.length > 10)
  const inside = await insider(t, TILLBELL_DATA)
  await fill(disk)
  await until('payments are refused for now', async () => (customers.others.get(503) ?? 0) > 3, 90_000)
  await until('it is not ready, and says why', async () => (await ready()).status === 503)
  assert.match((await ready()).json.problem, /its disk is full|does not answer/)
  // Its log goes on in a new file, for which there is no room: it ends, and cannot begin again.
  const ends = async () => !(await inside.query('select pg_switch_wal()').then(Boolean, () => false))
  await until('PostgreSQL itself ends for want of room', ends, 60_000)
  await until('nobody runs', async () => (await findPostmaster(join(TILLBELL_DATA, 'postgres'))) === null, 60_000)
  answered(await send(`${baseUrl}/healthz`, { method: 'GET', headers: {}, body: null }), 200)

  await rm(join(disk, 'filler'))
  const before = customers.told.length
  await until('payments pass again', async () => customers.told.length > before + 10, 90_000)
  // Half a minute sooner than by itself: what was under way is taken up when its lease is over.
  const again = await insider(t, TILLBELL_DATA)
  await again.query(`update tillbell.operation set lease_until = now() where outcome in ('pending', 'unknown');
    update tillbell.transaction set lease_until = now() where status = 'Processing' and lease_until is not null`)
  await until('it is ready', async () => (await ready()).status === 200, 60_000)
  await customers.stop()
  assert.deepEqual(customers.unfit, [])
  const client = new Client(baseUrl, sheet.api_key, sheet.api_secret)
  for (const { id, status } of customers.told) {
    assert.equal(answered(await client.ask(`transactions/${id}`), 200).json.transaction.status, status)
  }
  await stopped(service)
  const { code, stdout } = await tillbell(t, ['audit'], { TILLBELL_DATA })
  assert.equal(code, 0, stdout)
})

test('a data folder that cannot be written is refused with the reason, whatever it is', async t => {
  const folder = await emptyFolder(t)
  const refuses = async (TILLBELL_DATA: string, why: RegExp) =>
    refusedWith(await serve(t, { TILLBELL_DATA, TILLBELL_LOG: 'error' }).ended, 3, why)
  await writeFile(join(folder, 'file'), '')
  await refuses(join(folder, 'file', 'data'), /: a part of its path is a file\.$/m)
  const disk = await smallDisk(t, 1)
  if (disk !== null) {
    await run('mount', ['-o', 'remount,ro', disk])
    await refuses(join(disk, 'data'), /^TILLBELL_DATA .*: it is on a file system that cannot be written to\.$/m)
    await refuses(disk, /: it is on a file system that cannot be written to\.$/m)
    await run('mount', ['-o', 'remount,rw', disk])
    await fill(disk)
    await refuses(disk, /: its disk is full\.$/m)
  }
  if (process.getuid?.() === 0) return
  await mkdir(join(folder, 'closed'), { mode: 0o500 })
  await refuses(join(folder, 'closed', 'data'), /: this user may not write there\.$/m)
})

test('a key that others may read is warned of', async t => {
  const database = await freshDatabase()
  atEnd(t, () => database.drop())
  const TILLBELL_DATA = join(await emptyFolder(t), 'data')
  const environment = { DATABASE_URL: database.url, TILLBELL_DATA }
  const warns = async () => (await tillbell(t, ['migrate'], environment)).stderr.includes('can be read by others')
  assert.equal(await warns(), false)
  await chmod(join(TILLBELL_DATA, 'secret.key'), 0o644)
  assert.equal(await warns(), true)
})
