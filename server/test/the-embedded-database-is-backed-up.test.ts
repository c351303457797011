// The embedded database, backed up while it is served and restored, as docs/self-hosting.md says, word by word. As root, from a data folder that is closed to the user that PostgreSQL
// runs as, so that the database is elsewhere.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmod, copyFile, mkdir, readdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { runningAsRoot } from '../src/store/postgres/account.ts'
import { answered } from './support/answers.ts'
import { blocksOf, root } from './support/code-blocks.ts'
import { clientOf, demoSheet, refusedWith, type Serving, serve, stopped, tillbell } from './support/command.ts'
import { atEnd, emptyFolder } from './support/temporary-folder.ts'

const run = promisify(execFile)
const named = 'run by server/test/the-embedded-database-is-backed-up.test.ts'
const blocks = (await blocksOf('docs/self-hosting.md')).filter(({ says }) => says === named).map(({ text }) => text)
const program = join(root, 'server/bin/tillbell.js')

async function inShell(text: string, folder: string, variables: { readonly [name: string]: string }): Promise<string> {
  const script = `set -e\ntillbell() { '${process.execPath}' '${program}' "$@"; }\n${text}`
  const { PATH = '' } = process.env
  return (await run('sh', ['-c', script], { cwd: folder, env: { PATH, ...variables } })).stdout
}

async function closedFolder(t: TestContext): Promise<string> {
  const folder = join(await emptyFolder(t), 'closed')
  await mkdir(folder)
  if (runningAsRoot()) await chmod(folder, 0o700)
  return folder
}

/** What is outside of the test's own folder goes with the test. */
function removeShelter(t: TestContext, service: Serving): void {
  const [, kept] = /keeps the data of \S+ in ([^,]+),/.exec(service.printed()) ?? []
  assert.equal(kept !== undefined, runningAsRoot())
  if (kept !== undefined) atEnd(t, () => rm(dirname(kept), { recursive: true }))
}

test('it is backed up while it is served, and restored into another folder', async t => {
  const [folder, dataFolder] = [await emptyFolder(t), join(await closedFolder(t), 'data')]
  const [backUp = '', restore = ''] = blocks
  const service = serve(t, { TILLBELL_DATA: dataFolder })
  const address = await service.ready()
  removeShelter(t, service)
  const sheet = await demoSheet(dataFolder)
  const { id } = answered(await clientOf(sheet, address).charge(sheet.offer, sheet.card), 200).json.transaction
  const said = await inShell(backUp, folder, { TILLBELL_DATA: dataFolder })
  assert.ok(said.includes(`Without ${join(dataFolder, 'secret.key')} it cannot be restored`), said)
  const [name = ''] = await readdir(folder)
  assert.match(name, /^tillbell-\d{4}-\d\d-\d\dT\d{4}\.backup$/)
  const file = join(folder, name)
  refusedWith(await tillbell(t, ['restore', file], { TILLBELL_DATA: dataFolder }), 3, /already runs on the data folder/)
  await stopped(service)

  const restored = join(folder, 'restored')
  await mkdir(restored)
  await copyFile(join(dataFolder, 'secret.key'), join(restored, 'secret.key'))
  assert.match(await inShell(restore, folder, { TILLBELL_DATA: restored, file }), /Everything fits\.\n$/)
  assert.equal((await tillbell(t, ['reopen'], { TILLBELL_DATA: restored })).code, 0)
  const again = serve(t, { TILLBELL_DATA: restored })
  const { json } = answered(await clientOf(sheet, await again.ready()).ask(`transactions/${id}`), 200)
  assert.equal(json.transaction.status, 'Successful')
  await stopped(again)
})

test('where there is no database, none is made', async t => {
  const folder = await emptyFolder(t)
  const environment = { TILLBELL_DATA: join(folder, 'data') }
  refusedWith(await tillbell(t, ['backup', join(folder, 'x.backup')], environment), 3, /There is no data of a service/)
  assert.deepEqual(await readdir(folder), [])
})
