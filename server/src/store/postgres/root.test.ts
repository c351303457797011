import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmod, chown, mkdir, readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import test, { after, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { unpackInto } from '../../../test/support/postgres-package.ts'
import { openElsewhere } from '../../../test/support/postgres-process.ts'
import {
  ask,
  atEnd,
  emptyFolder,
  initialisedFolder,
  isAnswering,
  noneIsLeftIn,
  openHere,
  processesIn,
  removeSpares,
} from '../../../test/support/temporary-folder.ts'
import { accountForNew, blockedAt, runningAsRoot } from './account.ts'
import { prepareBinaries } from './binaries.ts'
import type { Surroundings } from './cluster.ts'
import { type EmbeddedDatabase, EmbeddedDatabaseError, production } from './embedded.ts'
import { hashOf, locate } from './location.ts'

// What only root meets: PostgreSQL runs as somebody else, who has to reach everything.
const skip = !runningAsRoot() && 'this is not root'
const run = promisify(execFile)
const nobody = { uid: 65_534, gid: 65_534 }

after(removeSpares)

interface Machine {
  /** A folder that only root can enter, like root's home. */
  readonly home: string
  readonly surroundings: Surroundings
}

async function machine(t: TestContext): Promise<Machine> {
  const folder = await emptyFolder(t)
  const home = join(folder, 'home')
  await mkdir(home, { mode: 0o700 })
  return {
    home,
    surroundings: { ...production, shelter: join(folder, 'shelter'), silenceMaxMs: 10_000 },
  }
}

function open(t: TestContext, dataFolder: string, surroundings: Surroundings): Promise<EmbeddedDatabase> {
  return openHere(t, dataFolder, 'owner', { surroundings })
}

async function write(database: EmbeddedDatabase): Promise<void> {
  await ask(database.address, 'create table kept (id int)')
}

async function hasKept(database: EmbeddedDatabase): Promise<boolean> {
  const [row] = await ask<{ there: boolean }>(database.address, "select to_regclass('kept') is not null as there")
  return row?.there ?? false
}

test('as root from a closed folder: data and programs live where PostgreSQL can reach them, and the user is told', {
  skip,
}, async t => {
  const { home, surroundings } = await machine(t)
  const packageFolder = await unpackInto(home)
  const closed = { ...surroundings, packageFolder }
  const dataFolder = join(home, 'data')
  const database = await open(t, dataFolder, closed)
  const kept = join(closed.shelter, hashOf(dataFolder), 'postgres')
  assert.equal(database.folder, kept)
  assert.match(
    database.notice ?? '',
    new RegExp(`^PostgreSQL keeps the data of ${dataFolder} in ${kept}, because uid 65534`),
  )
  assert.match(
    database.notice ?? '',
    new RegExp(`runs from a copy in ${closed.shelter}/postgresql-18[^ ]*/native, because`),
  )
  assert.equal((await stat(kept)).mode & 0o777, 0o700)
  assert.equal((await stat(kept)).uid, nobody.uid)
  await write(database)
  await database.close()
  assert.deepEqual(await readdir(dataFolder), [])

  // The way is free one day: the data that exists still decides.
  await chmod(home, 0o755)
  const again = await open(t, dataFolder, closed)
  assert.equal(again.folder, kept)
  assert.ok(await hasKept(again))
  await again.close()
  await noneIsLeftIn(closed.shelter)
})

test('as root with only the data out of reach, only the data moves', { skip }, async t => {
  const { home, surroundings } = await machine(t)
  const location = await locate(join(home, 'data'), surroundings.shelter)
  assert.equal(location.home, join(surroundings.shelter, hashOf(join(home, 'data'))))
  assert.equal(location.movedBecause, `uid 65534 cannot enter ${home}`)

  const packageFolder = await unpackInto(dirname(home))
  const binaries = await prepareBinaries(packageFolder, location.account, [])
  assert.equal(binaries.folder, join(packageFolder, 'native'))
})

test('as root with only the programs out of reach, or made so by a umask of 077, only they are copied', {
  skip,
}, async t => {
  const { home, surroundings } = await machine(t)
  const dataFolder = await initialisedFolder(t)
  const packageFolder = await unpackInto(home)
  await chmod(join(packageFolder, 'native/bin/postgres'), 0o700)
  await chmod(home, 0o755)
  const masked = await open(t, dataFolder, { ...surroundings, packageFolder })
  assert.match(masked.notice ?? '', /cannot read .*native\/bin\/postgres/)
  await masked.close()

  await chmod(home, 0o700)
  const closed = await open(t, dataFolder, { ...surroundings, packageFolder })
  assert.equal(closed.folder, join(dataFolder, 'postgres'))
  assert.match(closed.notice ?? '', /^PostgreSQL runs from a copy in/)
})

test('as root, a database that can no longer be reached is not silently replaced by an empty one', {
  skip,
}, async t => {
  const { surroundings } = await machine(t)
  const dataFolder = await initialisedFolder(t, 'home', 'data')
  await chmod(dirname(dataFolder), 0o700)
  await assert.rejects(open(t, dataFolder, surroundings), /belongs to uid 65534, which cannot enter .*chmod o\+x/)
})

test('as root, a shelter that others can write to is not trusted', { skip }, async t => {
  const { home, surroundings } = await machine(t)
  await mkdir(surroundings.shelter)
  await chmod(surroundings.shelter, 0o777)
  await assert.rejects(open(t, join(home, 'data'), surroundings), EmbeddedDatabaseError)
})

async function cannotRunAs(account: { uid: number; gid: number }): Promise<string | false> {
  if (!runningAsRoot()) return 'this is not root'
  const blocked =
    (await blockedAt(dirname(process.execPath), account)) ?? (await blockedAt(import.meta.dirname, account))
  return blocked !== null && `uid ${account.uid} cannot enter ${blocked}`
}

test('a plain user runs it all by itself, with a package it cannot write to', {
  skip: await cannotRunAs(nobody),
}, async t => {
  const { surroundings, home } = await machine(t)
  const folder = dirname(home)
  const packageFolder = await unpackInto(folder)
  const dataFolder = join(folder, 'data')
  await mkdir(dataFolder)
  await chown(dataFolder, nobody.uid, nobody.gid)
  const user = openElsewhere(t, {
    dataFolder,
    as: 'owner',
    surroundings: { ...surroundings, packageFolder },
    account: nobody,
  })
  const told = await user.opened()
  assert.ok(told.event === 'open', JSON.stringify(told))
  assert.equal(told.notice, null)
  assert.ok((await readdir(dataFolder)).some(name => name.startsWith('postgresql-18')))
  assert.ok(await isAnswering(told.address))
  await user.close()
  await noneIsLeftIn(dataFolder)
})

test("a plain user's database stays that user's when root comes by", {
  skip: await cannotRunAs({ uid: 1, gid: 1 }),
}, async t => {
  const dataFolder = await initialisedFolder(t)
  const daemon = { uid: 1, gid: 1 }
  await run('chown', ['-R', '1:1', dataFolder])
  atEnd(t, async () => {
    await run('chown', ['-R', '65534:65534', join(dataFolder, 'postgres')])
  })

  const root = openElsewhere(t, { dataFolder, as: 'guest' })
  assert.equal((await root.opened()).event, 'open')
  const [first] = await processesIn(dataFolder)
  assert.equal((await stat(`/proc/${first}`)).uid, daemon.uid)
  await root.close()

  const again = openElsewhere(t, { dataFolder, as: 'owner', account: daemon })
  assert.equal((await again.opened()).event, 'open')
  await again.close()
})

test("a plain user is told where root keeps a folder's database, and whose a database is", {
  skip: await cannotRunAs(nobody),
}, async t => {
  const { home, surroundings } = await machine(t)
  await chmod(home, 0o777)
  const dataFolder = join(home, 'data')
  await mkdir(join(surroundings.shelter, hashOf(dataFolder)), { recursive: true })
  const stranger = { uid: 1, gid: 1 }
  const kept = await openElsewhere(t, { dataFolder, as: 'owner', surroundings, account: stranger }).opened()
  assert.match(JSON.stringify(kept), /was created by root and is kept in .*shelter/)

  const roots = await initialisedFolder(t)
  const foreign = await openElsewhere(t, { dataFolder: roots, as: 'guest', surroundings, account: stranger }).opened()
  assert.match(JSON.stringify(foreign), /belongs to another user \(uid 65534\)/)
})

test('nobody is the account for a new database of root, and the user itself otherwise', () => {
  assert.equal(accountForNew().uid, runningAsRoot() ? nobody.uid : process.getuid?.())
})
