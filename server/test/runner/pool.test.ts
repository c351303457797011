// A run is red where a test of it is: each way in which a file can fail, among files that share its process.

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Ran } from './messages.ts'
import { root } from './places.ts'
import { runFiles } from './pool.ts'

/** Runs these files one after the other in one worker. */
async function ranFiles(
  t: TestContext,
  files: { readonly [name: string]: string },
): Promise<{ [name: string]: Ran[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'tillbell-runner-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const begin = "import assert from 'node:assert/strict'\nimport { after, before, test } from 'node:test'\n"
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), begin + text)
  const ran: Ran[] = []
  await runFiles(
    Object.keys(files).map(name => relative(root, join(folder, name))),
    { workers: 1, env: process.env, flags: [], stop: new AbortController().signal, onRan: each => ran.push(each) },
  )
  const fileOf = ({ file }: Ran) => String(file.split('/').at(-1))
  return Object.groupBy(ran, fileOf) as { [name: string]: Ran[] }
}

const told = (ran: Ran[] | undefined) =>
  ran?.flatMap(({ failures }) => failures.map(({ test, text }) => `${test}: ${text}`))

test('what passes is counted, and what fails is told with its name and reason', async t => {
  const ran = await ranFiles(t, {
    'good.mjs': "test('one', () => {}); test('two', { skip: 'not here' }, () => {})",
    'bad.mjs': "test('outer', async t => { await t.test('inner', () => assert.equal(1, 2)) })",
    'after.mjs': "test('three', () => {})",
  })
  assert.deepEqual(told(ran['good.mjs']), [])
  assert.deepEqual([ran['good.mjs']?.[0]?.passed, ran['good.mjs']?.[0]?.skipped], [1, ['two: not here']])
  assert.match(told(ran['bad.mjs'])?.join() ?? '', /^outer › inner: AssertionError.*1 !== 2/s)
  assert.deepEqual(told(ran['after.mjs']), [])
})

test('a file that cannot be loaded, that holds no test, or whose hook fails is a failure', async t => {
  const ran = await ranFiles(t, {
    'broken.mjs': "import './not-there.mjs'",
    'empty.mjs': '',
    'hook.mjs': "before(() => { throw new Error('no world') }); test('one', () => {})",
    'teardown.mjs': "after(() => { throw new Error('not closed') }); test('one', () => {})",
  })
  assert.match(told(ran['broken.mjs'])?.join() ?? '', /not-there\.mjs/)
  assert.match(told(ran['empty.mjs'])?.join() ?? '', /It holds no test\./)
  assert.match(told(ran['hook.mjs'])?.join() ?? '', /no world/)
  assert.match(told(ran['teardown.mjs'])?.join() ?? '', /not closed/)
})

test('a file that ends its process has failed, and the files behind it are run', async t => {
  const ran = await ranFiles(t, {
    'exits.mjs': "test('one', () => process.exit(0))",
    'after.mjs': "test('two', () => {})",
  })
  assert.match(told(ran['exits.mjs'])?.join() ?? '', /The process ended while the file ran/)
  assert.deepEqual(told(ran['after.mjs']), [])
})

test('what fails after its file has ended is not lost', async t => {
  const ran = await ranFiles(t, {
    'late.mjs': "test('one', () => void setTimeout(() => { throw new Error('too late') }, 200).unref())",
    'after.mjs': "test('two', () => new Promise(resolve => setTimeout(resolve, 600)))",
  })
  assert.match(Object.values(ran).flatMap(told).join(), /too late|outside of every test/)
})

test('hooks and settings of one file do not reach the next', async t => {
  const ran = await ranFiles(t, {
    'first.mjs':
      "process.env.LEFT_BEHIND = 'yes'; before(() => { globalThis.begun = (globalThis.begun ?? 0) + 1 }); test('one', () => {})",
    'second.mjs': "test('two', () => assert.deepEqual([process.env.LEFT_BEHIND, globalThis.begun], [undefined, 1]))",
  })
  assert.deepEqual(told(ran['second.mjs']), [])
})
