// What Node made of the program is kept beside the data, and nowhere else.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { emptyFolder } from '../src/store/postgres/fixture-folder.ts'
import { spawnTillbell } from './support/process.ts'

/** A command that ends by itself; the tests' own store of compiled code is not to be used. */
async function ranWith(data: string): Promise<number> {
  const child = spawnTillbell(['version'], { TILLBELL_DATA: data, NODE_COMPILE_CACHE: '' })
  const [code] = await once(child, 'exit')
  return code
}

test('a command leaves what was compiled in the data folder', async t => {
  const data = await emptyFolder(t)
  assert.equal(await ranWith(data), 0)
  assert.deepEqual(await readdir(data), ['compiled'])
  assert.notEqual((await readdir(join(data, 'compiled'))).length, 0)
})

test('where there is no data folder it makes none', async t => {
  const folder = await emptyFolder(t)
  assert.equal(await ranWith(join(folder, 'data')), 0)
  assert.deepEqual(await readdir(folder), [])
})

test('where it cannot be kept the command runs all the same', async t => {
  const data = await emptyFolder(t)
  await mkdir(join(data, 'compiled'), { mode: 0o500 })
  assert.equal(await ranWith(data), 0)
})
