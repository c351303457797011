import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { openElsewhere } from '../../../test/support/postgres-process.ts'
import {
  ask,
  initialisedFolder,
  isAnswering,
  noneIsLeftIn,
  openHere,
  postmasterPid,
  processesIn,
  removeSpares,
  until,
} from '../../../test/support/temporary-folder.ts'
import { bringUp } from './bring-up.ts'
import { prepareCluster } from './cluster.ts'
import { type DatabaseAddress, EmbeddedDatabaseError, openEmbedded, production } from './embedded.ts'
import { openSession } from './session.ts'

after(removeSpares)

async function pay(address: DatabaseAddress, count: number): Promise<void> {
  await ask(address, 'drop table if exists payment')
  await ask(address, 'create table payment (id int primary key)')
  for (let id = 1; id <= count; id++) await ask(address, `insert into payment values (${id})`)
}

async function paymentCount(address: DatabaseAddress): Promise<number> {
  const [row] = await ask<{ count: number }>(address, 'select count(*)::int as count from payment')
  return row?.count ?? 0
}

async function startedAt(address: DatabaseAddress): Promise<string> {
  const [row] = await ask<{ at: string }>(address, 'select pg_postmaster_start_time()::text as at')
  return row?.at ?? ''
}

async function openedOwner(other: ReturnType<typeof openElsewhere>): Promise<DatabaseAddress> {
  const told = await other.opened()
  assert.equal(told.event, 'open')
  return (told as { address: DatabaseAddress }).address
}

test('data survives stop and start', async t => {
  const dataFolder = await initialisedFolder(t)
  const first = await openHere(t, dataFolder, 'owner')
  await pay(first.address, 3)
  await first.close()
  const second = await openHere(t, dataFolder, 'owner')
  assert.equal(await paymentCount(second.address), 3)
})

test('close leaves no process, calls of close at once are one, and the process then ends by itself', async t => {
  const dataFolder = await initialisedFolder(t)
  const database = await openHere(t, dataFolder, 'owner')
  await Promise.all([database.close(), database.close()])
  await noneIsLeftIn(dataFolder)
  await assert.rejects(readFile(join(database.folder, 'postmaster.pid')), { code: 'ENOENT' })

  const other = openElsewhere(t, { dataFolder, as: 'owner' })
  await openedOwner(other)
  await other.close()
  await noneIsLeftIn(dataFolder)
})

test('after kill -9 of the service PostgreSQL goes on, and the next start adopts it with nothing lost', async t => {
  const dataFolder = await initialisedFolder(t)
  const service = openElsewhere(t, { dataFolder, as: 'owner' })
  const address = await openedOwner(service)
  await pay(address, 5)
  const start = await startedAt(address)
  await service.kill()
  assert.equal(await paymentCount(address), 5)

  const database = await openHere(t, dataFolder, 'owner')
  assert.equal(await startedAt(database.address), start)
  assert.equal(await paymentCount(database.address), 5)
  await database.close()
  await noneIsLeftIn(dataFolder)
})

test('after kill -9 of the service and of PostgreSQL the next start recovers, with nothing lost', async t => {
  const dataFolder = await initialisedFolder(t)
  const service = openElsewhere(t, { dataFolder, as: 'owner' })
  const address = await openedOwner(service)
  await pay(address, 5)
  await service.kill()
  process.kill(await postmasterPid(join(dataFolder, 'postgres')), 'SIGKILL')
  const database = await openHere(t, dataFolder, 'owner')
  assert.equal(await paymentCount(database.address), 5)
})

test('kill -9 of PostgreSQL under an owner gives a working, owned database again, each time', async t => {
  const dataFolder = await initialisedFolder(t)
  const warnings: string[] = []
  const database = await openHere(t, dataFolder, 'owner', {
    log: event => {
      if (event.level === 'warn') warnings.push(event.text)
    },
  })
  await pay(database.address, 3)
  for (const round of [1, 2]) {
    const killed = await postmasterPid(database.folder)
    process.kill(killed, 'SIGKILL')
    await until('it answers again', async () => isAnswering(database.address))
    assert.equal(await paymentCount(database.address), 3)
    assert.notEqual(await postmasterPid(database.folder), killed)
    await until('it is owned again', () => isOwned(database.address))
    assert.equal(warnings.length, round)
  }
  await assert.rejects(openEmbedded({ dataFolder, as: 'owner', log: () => {} }), /already runs on the data folder/)
})

test('told to stop at whichever moment of a recovery, it is there again, with nothing lost', async t => {
  const dataFolder = await initialisedFolder(t)
  const logged: string[] = []
  const surroundings = { ...production, stuckAfterMs: 500 }
  const { address, folder } = await openHere(t, dataFolder, 'owner', {
    log: ({ text }) => logged.push(text),
    surroundings,
  })
  await pay(address, 3)
  for (const afterMs of [0, 10, 20, 40, 60, 80]) {
    const pid = await postmasterPid(folder)
    const crashing = ask(address, 'select pg_sleep(60)').catch(() => null)
    const backend = await sleeper(address)
    process.kill(backend, 'SIGKILL')
    await pause(afterMs)
    process.kill(pid, 'SIGINT')
    await crashing
    const isAnother = () =>
      postmasterPid(folder).then(
        other => other !== pid,
        () => false,
      )
    await until('another answers', async () => (await isAnother()) && isAnswering(address), 30_000)
    assert.equal(await paymentCount(address), 3)
  }
  t.diagnostic(`${logged.filter(line => line.includes('told to quit')).length} of 6 stood still`)
})

async function sleeper(address: DatabaseAddress): Promise<number> {
  let pid = 0
  await until('it sleeps', async () => {
    const [row] = await ask<{ pid: number }>(address, "select pid from pg_stat_activity where wait_event = 'PgSleep'")
    pid = row?.pid ?? 0
    return pid > 0
  })
  return pid
}

test('an adopted PostgreSQL that dies is started again as well', async t => {
  const dataFolder = await initialisedFolder(t)
  const service = openElsewhere(t, { dataFolder, as: 'owner' })
  await openedOwner(service)
  await service.kill()
  const database = await openHere(t, dataFolder, 'owner')
  const adopted = await postmasterPid(database.folder)
  process.kill(adopted, 'SIGKILL')
  await until(
    'another one answers',
    async () => (await isAnswering(database.address)) && (await postmasterPid(database.folder)) !== adopted,
  )
})

test('an owner whose connection is cut owns again, and still stops PostgreSQL at its end', async t => {
  const dataFolder = await initialisedFolder(t)
  const errors: string[] = []
  const database = await openHere(t, dataFolder, 'owner', {
    log: event => {
      if (event.level === 'error') errors.push(event.text)
    },
  })
  const cut = `select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'tillbell owner %'`
  for (let round = 0; round < 2; round++) {
    await ask(database.address, cut)
    await until('it is owned again', () => isOwned(database.address))
  }
  await ask(database.address, cut)
  await database.close()
  await noneIsLeftIn(dataFolder)
  assert.deepEqual(errors, [])
})

test('a close in the middle of a restart leaves no process', async t => {
  const dataFolder = await initialisedFolder(t)
  for (const waitMs of [0, 110, 160]) {
    const database = await openHere(t, dataFolder, 'owner')
    process.kill(await postmasterPid(database.folder), 'SIGKILL')
    // Not to let anything happen first, but to meet the restart at different moments.
    await pause(waitMs)
    await database.close()
    await noneIsLeftIn(dataFolder)
  }
})

test('a start that is called off leaves no process', async t => {
  const dataFolder = await initialisedFolder(t)
  const surroundings = { ...production, silenceMaxMs: 10_000 }
  const cluster = await prepareCluster(dataFolder, 'tillbell', surroundings, () => {})
  const stop = new AbortController()
  const starting = bringUp(cluster, stop.signal)
  stop.abort()
  await assert.rejects(starting, { name: 'AbortError' })
  // Long enough for one that was left behind to show itself.
  const end = performance.now() + 500
  while (performance.now() < end) assert.deepEqual(await processesIn(dataFolder), [])
})

test('one that runs but does not answer is left alone, and named', async t => {
  const dataFolder = await initialisedFolder(t)
  const database = await openHere(t, dataFolder, 'owner')
  const pid = await postmasterPid(database.folder)
  process.kill(pid, 'SIGSTOP')
  try {
    const surroundings = { ...production, silenceMaxMs: 500 }
    await assert.rejects(openEmbedded({ dataFolder, as: 'guest', log: () => {} }, surroundings), error => {
      assert.ok(error instanceof EmbeddedDatabaseError)
      assert.match(error.message, new RegExp(`process ${pid}\\) runs on .* but does not answer`))
      return true
    })
  } finally {
    process.kill(pid, 'SIGCONT')
  }
  assert.equal(await postmasterPid(database.folder), pid)
})

async function isOwned(address: DatabaseAddress): Promise<boolean> {
  const rows = await ask(
    address,
    `select from pg_locks join pg_stat_activity using (pid)
     where locktype = 'advisory' and application_name = 'tillbell owner ${process.pid}'`,
  )
  return rows.length === 1
}

test('an owner that finds another one in its place says so, and does not stop PostgreSQL under it', async t => {
  const dataFolder = await initialisedFolder(t)
  const errors: string[] = []
  const database = await openHere(t, dataFolder, 'owner', {
    log: event => {
      if (event.level === 'error') errors.push(event.text)
    },
  })
  const rival = openSession(database.address.host, `tillbell owner ${process.ppid}`)
  const waiting = rival.sql`select pg_advisory_lock(${0x7469_6c6c}::int, 1)`
  waiting.then(
    () => {},
    () => {},
  )
  // Before the owner is cut off: otherwise it may be back first, and the other waits for ever.
  const queue = `select from pg_locks where locktype = 'advisory' and not granted`
  await until('the other waits for its place', async () => (await ask(database.address, queue)).length === 1)
  await ask(
    database.address,
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'tillbell owner ${process.pid}'`,
  )
  await waiting
  await until('it says so', () => errors.length > 0)
  assert.match(errors.join(), new RegExp(`^Another Tillbell \\(process ${process.ppid}\\) has taken over the database`))
  await database.close()
  assert.ok(await isAnswering(database.address))
  await rival.end()
})
