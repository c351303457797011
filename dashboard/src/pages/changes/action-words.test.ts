import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { actionWords, saidAction, triedAction } from './action-words.ts'

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

test('what was refused is said as what somebody tried', () => {
  assert.equal(triedAction('en', 'member_removed'), 'tried to remove somebody from the team')
  assert.equal(triedAction('es', 'member_removed'), 'intentó quitar a alguien del equipo')
  // Which say so by themselves, or that nobody did.
  const alone = ['sign_in_failed', 'copied_session_ended']
  for (const language of ['en', 'es'] as const) {
    const unsaid = Object.keys(actionWords[language]).filter(
      name => !/^(tried to|intentó) /.test(triedAction(language, name)),
    )
    assert.deepEqual(
      unsaid.filter(name => !alone.includes(name)),
      [],
      language,
    )
  }
})
