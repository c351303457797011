// No key of anybody's is in the repository. What looks like one and is made up for a test is listed, file by file.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'

const root = resolve(import.meta.dirname, '../..')

/** What each kind looks like. Examples in words (`sk_test_…`, `sk_live_1`) are too short to be one. */
const shapes: { readonly [kind: string]: RegExp } = {
  'a private key': /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----[\s\\n]+[A-Za-z0-9+/=]{40}/g,
  'a live key of a gateway': /\b[sr]k_live_[A-Za-z0-9]{16,}/g,
  'a test key of a gateway': /\b[sr]k_test_[A-Za-z0-9]{24,}/g,
  'a secret of Standard Webhooks': /\bwhsec_[A-Za-z0-9+/]{32,}/g,
  'an API secret of ours': /\bsk_[A-Za-z0-9_-]{43}\b/g,
  'a key of a cloud': /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
  'a token of a forge': /\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_\w{60,}|glpat-[\w-]{20}|npm_[A-Za-z0-9]{36})\b/g,
  'a key of a messenger': /\bxox[abprs]-[\w-]{20,}/g,
  'a token that was signed': /\beyJ[\w-]{20,}\.eyJ[\w-]{20,}\.[\w-]{20,}/g,
  'a long value with a secret’s name':
    /(?:secret|password|passwd|private_?key|api_?key|access_?token|credential)\w*['"]?\s*[:=]\s*['"`]?((?:[0-9a-f]{32,}|[A-Za-z0-9+/_-]{40,}={0,2}))(?![\w./(-])/gi,
}

const named = 'a long value with a secret’s name'

/** Made up, and good for nothing: how many of a kind a file has. Most have the keys of the token vectors, which are public. */
const known: { readonly [file: string]: { readonly [kind: string]: number } } = {
  'sdk/checks/check.cjs': { [named]: 1 },
  'sdk/src/handlers/handlers.test.ts': { [named]: 1 },
  'sdk/src/handlers/settings.test.ts': { [named]: 1 },
  'sdk/src/sign.test.ts': { [named]: 1 },
  'sdk/src/token-vectors.fixture.json': { [named]: 2 },
  'server/src/cli/verify-search.test.ts': { 'a secret of Standard Webhooks': 1 },
  'server/src/console/snippets.test.ts': { [named]: 1 },
  'server/src/core/hook-details.property.test.ts': { [named]: 1 },
  'server/test/support/fixtures/test-only-tls.key.pem': { 'a private key': 1 },
  'server/test/support/preludes/keys.ts': { [named]: 1 },
  'server/test/support/shop-hooks.ts': { [named]: 2 },
}

function foundIn(text: string): { [kind: string]: number } {
  const found: { [kind: string]: number } = {}
  for (const [kind, shape] of Object.entries(shapes)) {
    const count = [...text.matchAll(shape)].filter(([whole, value = whole]) => isRandom(value)).length
    if (count > 0) found[kind] = count
  }
  return found
}

/** Bits of a character, by how often each occurs. Words, names in code and the same letter over and over have few. */
function isRandom(text: string): boolean {
  const counts = new Map<string, number>()
  for (const letter of text) counts.set(letter, (counts.get(letter) ?? 0) + 1)
  const bits = [...counts.values()].reduce(
    (sum, count) => sum - (count / text.length) * Math.log2(count / text.length),
    0,
  )
  return bits > (/^[0-9a-f]+$/.test(text) ? 3 : 3.7)
}

test('no tracked file holds a secret, but for those that are known to be made up', () => {
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean)
  assert.ok(files.length > 500)
  const found = files.flatMap(file => {
    const path = join(root, file)
    if (!existsSync(path) || /\.(png|woff2?|ico)$/.test(file)) return []
    const kinds = foundIn(readFileSync(path, 'utf8'))
    return Object.keys(kinds).length > 0 ? [[file, kinds] as const] : []
  })
  assert.deepEqual(Object.fromEntries(found), known)
})

test('a secret of each kind would be found', () => {
  const random = (letters: number) => randomBytes(letters).toString('hex').slice(0, letters)
  const pem = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' })
  const planted: { readonly [kind: string]: string } = {
    'a private key': String(pem),
    'a live key of a gateway': `sk_${'live'}_51${randomBytes(40).toString('base64').replace(/\W/g, '')}`,
    'a test key of a gateway': `rk_${'test'}_51${randomBytes(40).toString('base64').replace(/\W/g, '')}`,
    'a secret of Standard Webhooks': `whsec_${randomBytes(32).toString('base64')}`,
    'an API secret of ours': `sk_${randomBytes(32).toString('base64url').replace(/-$/, 'x')}`,
    'a key of a cloud': `AKIA${'J7Q2ZL5XW3NB8VTK'}`,
    'a token of a forge': `ghp_${randomBytes(60).toString('base64').replace(/\W/g, '').slice(0, 36)}`,
    'a key of a messenger': `xoxb-${random(12)}-${randomBytes(18).toString('base64').replace(/\W/g, '')}`,
    'a token that was signed': `eyJ${randomBytes(30).toString('base64url')}.eyJ${randomBytes(30).toString('base64url')}.${randomBytes(32).toString('base64url')}`,
    'a long value with a secret’s name': `TILLBELL_SECRET_KEY=${randomBytes(32).toString('base64')}\n`,
  }
  assert.deepEqual(Object.keys(planted), Object.keys(shapes))
  for (const [kind, text] of Object.entries(planted)) assert.ok(foundIn(`before ${text} after`)[kind], kind)
  assert.ok(foundIn(`webhook_secret: '${random(64)}'`)[named])
})
