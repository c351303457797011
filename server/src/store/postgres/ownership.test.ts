import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { openElsewhere } from '../../../test/support/postgres-process.ts'
import {
  ask,
  emptyFolder,
  initialisedFolder,
  isAnswering,
  noneIsLeftIn,
  openHere,
  postmasterPid,
  processesIn,
  removeSpares,
} from '../../../test/support/temporary-folder.ts'
import { openEmbedded } from './embedded.ts'
import { openSession } from './session.ts'

after(removeSpares)

test('a second owner is refused, told who the first is and what to do, and disturbs nothing', async t => {
  const dataFolder = await initialisedFolder(t)
  const first = await openHere(t, dataFolder, 'owner')
  const second = await openElsewhere(t, { dataFolder, as: 'owner' }).opened()
  assert.deepEqual(second, {
    event: 'refused',
    name: 'EmbeddedDatabaseError',
    text:
      `Another Tillbell (process ${process.pid}) already runs on the data folder ${dataFolder}. ` +
      'Stop that one first, or give this one a data folder of its own.',
  })
  assert.ok(await isAnswering(first.address))
})

test('of two owners that start at the same instant on an empty folder exactly one wins', async t => {
  const dataFolder = await emptyFolder(t)
  const both = [1, 2].map(() => openElsewhere(t, { dataFolder, as: 'owner' }))
  const told = await Promise.all(both.map(other => other.opened()))
  assert.deepEqual(told.map(({ event }) => event).sort(), ['open', 'refused'])
  const winner = both[told.findIndex(({ event }) => event === 'open')]
  assert.ok(winner !== undefined)
  assert.match(JSON.stringify(told), new RegExp(`Another Tillbell \\(process ${winner.pid}\\)`))
  await winner.close()
  await noneIsLeftIn(dataFolder)
})

test('an owner that was killed does not keep the next one out, however soon it comes', async t => {
  const dataFolder = await initialisedFolder(t)
  const service = openElsewhere(t, { dataFolder, as: 'owner' })
  const told = await service.opened()
  assert.ok(told.event === 'open')
  const [backend] = await ask<{ pid: number }>(
    told.address,
    `select pid from pg_stat_activity where application_name = 'tillbell owner ${service.pid}'`,
  )
  assert.ok(backend !== undefined)
  // The server is slow to notice that the owner is gone, and still has it on its list.
  process.kill(backend.pid, 'SIGSTOP')
  await service.kill()
  const next = openHere(t, dataFolder, 'owner')
  assert.equal(await Promise.race([next, pause(300, 'waiting')]), 'waiting')
  process.kill(backend.pid, 'SIGCONT')
  assert.ok(await isAnswering((await next).address))
})

test('a guest beside an owner does not stop PostgreSQL', async t => {
  const dataFolder = await initialisedFolder(t)
  const owner = await openHere(t, dataFolder, 'owner')
  const pid = await postmasterPid(owner.folder)
  const guest = await openHere(t, dataFolder, 'guest')
  assert.deepEqual(guest.address, owner.address)
  await guest.close()
  assert.equal(await postmasterPid(owner.folder), pid)
  assert.ok(await isAnswering(owner.address))
})

test('a guest alone starts PostgreSQL and stops it', async t => {
  const dataFolder = await initialisedFolder(t)
  const guest = openElsewhere(t, { dataFolder, as: 'guest' })
  assert.equal((await guest.opened()).event, 'open')
  assert.ok((await processesIn(dataFolder)).length > 0)
  await guest.close()
  await noneIsLeftIn(dataFolder)
})

test('a guest leaves PostgreSQL to an owner that came meanwhile', async t => {
  const dataFolder = await initialisedFolder(t)
  const guest = await openHere(t, dataFolder, 'guest')
  const owner = await openHere(t, dataFolder, 'owner')
  await guest.close()
  assert.ok(await isAnswering(owner.address))
  await owner.close()
  await noneIsLeftIn(dataFolder)
})

test('a guest does not stop PostgreSQL under another guest; the last one does', async t => {
  const dataFolder = await initialisedFolder(t)
  const starter = await openHere(t, dataFolder, 'guest')
  const other = await openHere(t, dataFolder, 'guest')
  await starter.close()
  assert.ok(await isAnswering(other.address))
  await other.close()
  await noneIsLeftIn(dataFolder)
})

test('guests that leave at the same instant leave nothing running', async t => {
  const dataFolder = await initialisedFolder(t)
  for (let round = 0; round < 3; round++) {
    const guests = await Promise.all([1, 2, 3, 4].map(() => openHere(t, dataFolder, 'guest')))
    await Promise.all(guests.map(guest => guest.close()))
    await noneIsLeftIn(dataFolder)
  }
})

test('a guest that meets another one leaving waits to see which of them is the last', async t => {
  const dataFolder = await initialisedFolder(t)
  const guest = await openHere(t, dataFolder, 'guest')
  const other = openSession(guest.address.host, 'tillbell guest 1')
  await other.sql`select pg_advisory_lock(${0x7469_6c6c}::int, 1)`
  const closing = guest.close()
  assert.equal(await Promise.race([closing, pause(200, 'waiting')]), 'waiting')
  await other.end()
  await closing
  await noneIsLeftIn(dataFolder)
})

test('an owner that comes while the last guest stops PostgreSQL gets a running one', async t => {
  const dataFolder = await initialisedFolder(t)
  for (let round = 0; round < 3; round++) {
    const guest = await openHere(t, dataFolder, 'guest')
    const leaving = guest.close()
    const owner = await openEmbedded({ dataFolder, as: 'owner', log: () => {} })
    await leaving
    assert.ok(await isAnswering(owner.address))
    await owner.close()
  }
})

test('a guest does not stop what a killed service left: the next service adopts it', async t => {
  const dataFolder = await initialisedFolder(t)
  const service = openElsewhere(t, { dataFolder, as: 'owner' })
  assert.equal((await service.opened()).event, 'open')
  await service.kill()
  const guest = await openHere(t, dataFolder, 'guest')
  await guest.close()
  assert.ok(await isAnswering(guest.address))
  const owner = await openHere(t, dataFolder, 'owner')
  await owner.close()
})
