// The embedded database, backed up and restored as docs/self-hosting.md says, word by word: in its data folder, and where root's
// data folder is closed to the user that PostgreSQL runs as.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmod, copyFile, mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { runningAsRoot } from '../src/store/postgres/account.ts'
import { atEnd, emptyFolder } from '../src/store/postgres/fixture-folder.ts'
import { answered } from './support/answers.ts'
import { Client } from './support/client.ts'
import { blocksOf, root } from './support/code-blocks.ts'
import { type Serving, type Sheet, serve } from './support/command.ts'

const run = promisify(execFile)
const named = 'run by server/test/the-embedded-database-is-backed-up.test.ts'
const blocks = (await blocksOf('docs/self-hosting.md')).filter(({ says }) => says === named).map(({ text }) => text)
const program = join(root, 'server/bin/tillbell.js')

async function inShell(text: string, folder: string, variables: { readonly [name: string]: string }): Promise<string> {
  const script = `set -e\ntillbell() { '${process.execPath}' '${program}' "$@"; }\n${text}`
  const { PATH = '' } = process.env
  return (await run('sh', ['-c', script], { cwd: folder, env: { PATH, ...variables } })).stdout
}

async function ended(service: Serving): Promise<void> {
  service.signal('SIGTERM')
  assert.equal((await service.ended).code, 0)
}

async function sheetIn(dataFolder: string): Promise<Sheet> {
  return JSON.parse(await readFile(join(dataFolder, 'demo.json'), 'utf8'))
}

/** `keptIn`: where the page says that the database is. */
async function isBackedUp(t: TestContext, folder: string, dataFolder: string, keptIn: RegExp): Promise<void> {
  const [find = '', copy = '', restore = ''] = blocks
  const service = serve(t, { TILLBELL_DATA: dataFolder })
  const address = await service.ready()
  const { api_key, api_secret, offer, card } = await sheetIn(dataFolder)
  const { id } = answered(await new Client(address, api_key, api_secret).charge(offer, card), 200).json.transaction
  const places = (await inShell(find, folder, {})).split('\n')
  const [, said] = /keeps the data of \S+ in ([^,]+),/.exec(service.printed()) ?? []
  const kept = said ?? join(dataFolder, 'postgres')
  // Before anything can fail: what is outside of the test's own folder goes with the test.
  if (said !== undefined) atEnd(t, () => rm(dirname(kept), { recursive: true }))
  assert.ok(places.includes(kept), `${kept} is not among ${places}`)
  assert.match(kept, keptIn)
  await assert.rejects(inShell(copy, folder, { folder: kept }), 'a running database is not copied')
  await ended(service)
  await inShell(copy, folder, { folder: kept })

  const restored = join(folder, 'restored')
  await mkdir(restored)
  await copyFile(join(dataFolder, 'secret.key'), join(restored, 'secret.key'))
  await inShell(restore, folder, { TILLBELL_DATA: restored })
  const again = serve(t, { TILLBELL_DATA: restored })
  const { json } = answered(await new Client(await again.ready(), api_key, api_secret).ask(`transactions/${id}`), 200)
  assert.equal(json.transaction.status, 'Successful')
  await ended(again)
}

test('in the data folder', async t => {
  const folder = await emptyFolder(t)
  await isBackedUp(t, folder, join(folder, 'data'), /\/data\/postgres$/)
})

test("in root's closed folder, where the data folder has nothing of it", {
  skip: !runningAsRoot() && 'this is not root',
}, async t => {
  const folder = await emptyFolder(t)
  const closed = join(folder, 'closed')
  await mkdir(closed)
  await chmod(closed, 0o700)
  await isBackedUp(t, folder, join(closed, 'data'), /^\/var\/lib\/tillbell\/\w+\/postgres$/)
  assert.deepEqual((await readdir(join(closed, 'data'))).toSorted(), ['demo.json', 'secret.key'])
})
