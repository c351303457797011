import assert from 'node:assert/strict'
import { chmod, chown, mkdir, rm, rmdir, stat, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { after } from 'node:test'
import {
  initialisedFolder,
  isAnswering,
  noneIsLeftIn,
  openHere,
  removeSpares,
} from '../../../test/support/temporary-folder.ts'
import { accountForNew, runningAsRoot } from './account.ts'
import { EmbeddedDatabaseError } from './embedded.ts'
import { createSocketFolder, socketFolderFor } from './socket-folder.ts'

after(removeSpares)

test('a very long data folder path has its socket in the temporary folder, closed to everybody else', async t => {
  const dataFolder = await initialisedFolder(t, 'long-'.repeat(30), 'longer-'.repeat(20))
  const owner = await openHere(t, dataFolder, 'owner')
  const { host } = owner.address
  t.after(() => rm(host, { recursive: true, force: true }))
  assert.equal(host, socketFolderFor(owner.folder))
  assert.ok(host.startsWith(tmpdir()))
  const { mode, uid } = await stat(host)
  assert.equal(mode & 0o777, 0o700)
  assert.equal(uid, accountForNew().uid)
  assert.ok(await isAnswering(owner.address))
  await owner.close()
  const again = await openHere(t, dataFolder, 'guest')
  assert.deepEqual(again.address, owner.address)
  await again.close()
  await noneIsLeftIn(dataFolder)
})

test('a guest with another temporary folder finds the socket of the running PostgreSQL', async t => {
  const dataFolder = await initialisedFolder(t, 'long-'.repeat(30))
  const owner = await openHere(t, dataFolder, 'owner')
  t.after(() => rm(owner.address.host, { recursive: true, force: true }))
  const before = process.env.TMPDIR
  process.env.TMPDIR = '/var/tmp'
  try {
    const guest = await openHere(t, dataFolder, 'guest')
    assert.deepEqual(guest.address, owner.address)
  } finally {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
  }
})

test('commas, quotes, colons, spaces and other scripts in the path do no harm', async t => {
  const dataFolder = await initialisedFolder(t, `a, "b" c:d 'é' %p`)
  const { address } = await openHere(t, dataFolder, 'owner')
  assert.ok(await isAnswering(address))
})

test('a socket folder that somebody else prepared is refused', async t => {
  const folder = join(tmpdir(), `tb-prepared-${process.pid}`)
  t.after(() => rm(folder, { recursive: true, force: true }))
  const account = accountForNew()
  const refused = () => assert.rejects(createSocketFolder(folder, account), EmbeddedDatabaseError)

  await mkdir(folder, { mode: 0o777 })
  await chmod(folder, 0o777)
  await refused()
  await rmdir(folder)

  await symlink('/etc', folder)
  await refused()
  await rm(folder)

  // Closed, but of another account than the one that is to use it.
  await mkdir(folder, { mode: 0o700 })
  if (runningAsRoot()) await chown(folder, 12_345, 12_345)
  const somebodyElse = runningAsRoot() ? account : { uid: account.uid + 1, gid: account.gid }
  await assert.rejects(createSocketFolder(folder, somebodyElse), EmbeddedDatabaseError)
})
