import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { chown, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { after, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { openElsewhere } from '../../../test/support/postgres-process.ts'
import {
  ask,
  atEnd,
  emptyFolder,
  initialisedFolder,
  isAnswering,
  openHere,
  postmasterPid,
  removeSpares,
} from '../../../test/support/temporary-folder.ts'
import { accountForNew, identityFor, runningAsRoot } from './account.ts'
import { EmbeddedDatabaseError, openEmbedded, production } from './embedded.ts'
import { isPostmasterOf, readPidFile } from './postmaster.ts'

after(removeSpares)

// Runs as PostgreSQL's own account: PostgreSQL takes the process of another one for none of its own.
function bystander(t: TestContext): ChildProcess & { pid: number } {
  const child = spawn('sleep', ['60'], { cwd: '/', stdio: 'ignore', ...identityFor(accountForNew()) })
  t.after(() => child.kill('SIGKILL'))
  assert.ok(child.pid !== undefined)
  return child as ChildProcess & { pid: number }
}

/** What a machine that lost its power leaves behind: the files of a PostgreSQL that never stopped. */
async function crashed(t: TestContext): Promise<{ dataFolder: string; pidFile: string; lockFile: string }> {
  const dataFolder = await initialisedFolder(t)
  const service = openElsewhere(t, { dataFolder, as: 'owner' })
  const told = await service.opened()
  assert.equal(told.event, 'open')
  const folder = join(dataFolder, 'postgres')
  await service.kill()
  process.kill(await postmasterPid(folder), 'SIGKILL')
  return { dataFolder, pidFile: join(folder, 'postmaster.pid'), lockFile: join(folder, '.s.PGSQL.5432.lock') }
}

async function rewritePid(path: string, pid: number): Promise<void> {
  const [, ...rest] = (await readFile(path, 'utf8')).split('\n')
  await writeFile(path, [pid, ...rest].join('\n'))
  if (runningAsRoot()) await chown(path, accountForNew().uid, accountForNew().gid)
}

test('a stale postmaster.pid whose pid is now another process does not stop the start, nor that process', async t => {
  const { dataFolder, pidFile, lockFile } = await crashed(t)
  const other = bystander(t)
  for (const path of [pidFile, lockFile]) await rewritePid(path, other.pid)
  const database = await openHere(t, dataFolder, 'owner')
  assert.ok(await isAnswering(database.address))
  assert.notEqual(await postmasterPid(database.folder), other.pid)
  await database.close()
  assert.equal(other.exitCode ?? other.signalCode, null)
})

test('an empty postmaster.pid may be that of another one that starts: it is waited for, and left alone', async t => {
  const dataFolder = await initialisedFolder(t)
  const pidFile = join(dataFolder, 'postgres/postmaster.pid')
  await writeFile(pidFile, '')
  atEnd(t, () => rm(pidFile, { force: true }))
  if (runningAsRoot()) await chown(pidFile, accountForNew().uid, accountForNew().gid)
  const impatient = { ...production, silenceMaxMs: 1_000 }
  const begin = performance.now()
  const opening = openEmbedded({ dataFolder, as: 'owner', log: () => {} }, impatient)
  await assert.rejects(opening, EmbeddedDatabaseError)
  assert.ok(performance.now() - begin > impatient.silenceMaxMs)
  assert.equal(await readFile(pidFile, 'utf8'), '')
  await rm(pidFile)
  await openHere(t, dataFolder, 'owner')
})

test('a new PostgreSQL waits for the children of a killed one', async t => {
  const dataFolder = await initialisedFolder(t)
  const service = openElsewhere(t, { dataFolder, as: 'owner' })
  const told = await service.opened()
  assert.ok(told.event === 'open')
  const { address, folder } = told
  await ask(address, 'drop table if exists payment')
  await ask(address, 'create table payment as select 1 as id')
  // A suspended child keeps its hold on the shared memory, and would go on writing when it wakes up.
  const [writer] = await ask<{ pid: number }>(
    address,
    "select pid from pg_stat_activity where backend_type = 'checkpointer'",
  )
  assert.ok(writer !== undefined)
  process.kill(writer.pid, 'SIGSTOP')
  atEnd(t, async () => wake(writer.pid))
  await service.kill()
  process.kill(await postmasterPid(folder), 'SIGKILL')

  const opening = openHere(t, dataFolder, 'owner')
  assert.equal(await Promise.race([opening, pause(700, 'waiting')]), 'waiting')
  assert.equal(await isAnswering(address), false)
  wake(writer.pid)
  const database = await opening
  assert.deepEqual([...(await ask(database.address, 'select id from payment'))], [{ id: 1 }])
})

function wake(pid: number): void {
  try {
    process.kill(pid, 'SIGCONT')
  } catch {
    // It has ended.
  }
}

test('only PostgreSQL on the very folder counts as its postmaster', async t => {
  const database = await openHere(t, await initialisedFolder(t), 'owner')
  const pid = await postmasterPid(database.folder)
  assert.equal(await isPostmasterOf(pid, database.folder), true)
  assert.equal(await isPostmasterOf(pid, `${database.folder}2`), false)
  assert.equal(await isPostmasterOf(bystander(t).pid, database.folder), false)
  assert.equal(await isPostmasterOf(4_000_000, database.folder), false)
})

test('half a line of postmaster.pid, read while it is written, is not taken for a whole one', async t => {
  const folder = await emptyFolder(t)
  const read = async (text: string) => {
    await writeFile(join(folder, 'postmaster.pid'), text)
    return readPidFile(folder)
  }
  const begin = '4321\n/data/postgres\n1784000000\n5432\n'
  assert.equal(await read('43'), null)
  assert.deepEqual(await read(`${begin}/tmp/tillb`), { pid: 4321, socketFolder: '' })
  assert.deepEqual(await read(`${begin}/tmp/tillbell-1\n\n`), { pid: 4321, socketFolder: '/tmp/tillbell-1' })
})
