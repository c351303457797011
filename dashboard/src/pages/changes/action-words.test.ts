import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { actionWords, saidAction } from './action-words.ts'

const server = join(import.meta.dirname, '../../../../server/src')

/** Nobody has done something by opening a link. */
const neverKept = ['link_opened']

async function actionsKept(): Promise<Set<string>> {
  const files = (await readdir(server, { recursive: true })).filter(name =>
    /^(console|cli)\/[\w-]+\.ts$|^join-[\w-]+\.ts$/.test(name),
  )
  const texts = await Promise.all(files.map(name => readFile(join(server, name), 'utf8')))
  const found = texts.flatMap(text =>
    [...text.matchAll(/(?:\baction: |\bdoes\()'([a-z_]+)'/g)].map(([, name = '']) => name),
  )
  return new Set(found.filter(name => !neverKept.includes(name)))
}

test('whatever the audit log can hold is said in both languages, and nothing else', async () => {
  const kept = [...(await actionsKept())].sort()
  assert.ok(kept.length > 40)
  assert.deepEqual(Object.keys(actionWords.en).sort(), kept)
  assert.deepEqual(Object.keys(actionWords.es).sort(), kept)
})

test('what is not known yet is said by its name', () => {
  assert.equal(saidAction('es', 'moon_painted'), 'moon painted')
})
