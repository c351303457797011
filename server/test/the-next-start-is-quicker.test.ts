// What Node made of the service is kept beside its data, and nowhere that others can write.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { freshDatabase } from './support/database.ts'
import { spawnService, spawnTillbell } from './support/process.ts'
import { emptyFolder } from './support/temporary-folder.ts'

/** The tests' own store of compiled code is not to be used. */
const withoutTheirs = { NODE_COMPILE_CACHE: '' }

/** What is in the data folder after the service ran there. */
async function afterService(data: string): Promise<string[]> {
  const database = await freshDatabase()
  const service = await spawnService({ ...withoutTheirs, DATABASE_URL: database.url, TILLBELL_DATA: data })
  await service.kill('SIGTERM')
  await database.drop()
  return readdir(data)
}

test('the service leaves what was compiled in its data folder', async t => {
  const data = await emptyFolder(t)
  assert.ok((await afterService(data)).includes('compiled'))
  assert.notEqual((await readdir(join(data, 'compiled'))).length, 0)
})

test('in a folder that others can write nothing is kept, or taken from', async t => {
  const open = await emptyFolder(t)
  await chmod(open, 0o777)
  assert.ok(!(await afterService(open)).includes('compiled'))
  const data = await emptyFolder(t)
  await mkdir(join(data, 'compiled'))
  await chmod(join(data, 'compiled'), 0o777)
  await afterService(data)
  assert.deepEqual(await readdir(join(data, 'compiled')), [])
})

test('where it cannot be kept the service starts all the same', async t => {
  const data = await emptyFolder(t)
  await writeFile(join(data, 'compiled'), 'a file')
  await afterService(data)
})

test('a command leaves nothing, in a folder with data and in one without', async t => {
  const data = await emptyFolder(t)
  for (const folder of [data, join(data, 'none')]) {
    const [code] = await once(spawnTillbell(['version'], { ...withoutTheirs, TILLBELL_DATA: folder }), 'exit')
    assert.equal(code, 0)
  }
  assert.deepEqual(await readdir(data), [])
})
