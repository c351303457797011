// Tokens of offers, changed: by a letter, by a bit, cut, joined, written in another way. Only what the merchant's key has sealed opens,
// and says what was sealed.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { paddedBase64Url } from '@tillbell/sdk/token'
import { boxOpener, readToken } from '../../../src/keys/open-token.ts'
import { type Chance, pick } from './chance.ts'
import { damaged, shorter } from './damage.ts'
import type { Fuzzed } from './fuzz.ts'

const fixture = new URL('../../../../sdk/src/token-vectors.fixture.json', import.meta.url)
const vectors = JSON.parse(await readFile(fixture, 'utf8'))
const tokens: readonly string[] = vectors.vectors.map(({ token }: { token: string }) => token)
const openBox = boxOpener(vectors.service_secret_key)
const keys = [vectors.merchant_public_key, vectors.service_public_key]

const bytesOf = (token: string) => Buffer.from(token.replace(/^@(.*~)?|@$/g, ''), 'base64url')
const headOf = (token: string) => /^@(.*~)?/.exec(token)?.[0] ?? ''
const boxStart = 32

/** What may differ, because the keys protect it not: the partner's number, which says whose keys to try; and that it charges at once. */
function meaningOf(token: string): string {
  const body = bytesOf(token)
  return `${body.toString('hex', 0, 24)} ${body.toString('hex', boxStart)}`
}
const sealed = new Set(tokens.map(meaningOf))

const spices = [
  '@',
  '~',
  '=',
  '==',
  '+',
  '/',
  '-',
  '_',
  ' ',
  '\n',
  '%40',
  'A',
  'AAAAAAAAAAA=~',
  'AAAAAAAAAAI=~',
  'AAAAAAAAAAE=~',
  '\0',
  'é',
]

/** Within the bytes, and written again as they are to be: this alone comes as far as the box, which takes a millisecond. */
function changedBytes(token: string, chance: Chance): string {
  const body = Buffer.from(damaged(bytesOf(token).toString('latin1'), chance, ['\0', '\xff', '/', '>:']), 'latin1')
  return `${headOf(token)}${paddedBase64Url(body)}@`
}

function oneBit(token: string, chance: Chance): string {
  const body = bytesOf(token)
  const at = chance(body.length)
  body[at] = (body[at] ?? 0) ^ (1 << chance(8))
  return `${headOf(token)}${paddedBase64Url(body)}@`
}

/** The head and nonce of one, the box of another. */
function joined(token: string, other: string): string {
  return `${headOf(other)}${paddedBase64Url(Buffer.concat([bytesOf(token).subarray(0, boxStart), bytesOf(other).subarray(boxStart)]))}@`
}

function make(chance: Chance): string {
  const token = pick(tokens, chance)
  const way = chance(40)
  if (way === 0) return token
  if (way === 1) return changedBytes(token, chance)
  if (way < 4) return oneBit(token, chance)
  if (way === 4) return joined(token, pick(tokens, chance))
  return damaged(token, chance, spices)
}

function hold(text: string): string {
  const closed = readToken(text)
  if (closed === null) {
    assert.ok(!tokens.includes(text), 'a token of the merchant’s is one')
    return 'no token'
  }
  const opened = openBox(closed, keys)
  if (opened === null) {
    assert.ok(!tokens.includes(text), 'a token of the merchant’s opens')
    return 'closed'
  }
  assert.ok(sealed.has(meaningOf(text)), 'it opens, and nobody sealed it')
  const version = /^@(.{11}=)~/.exec(text)?.[1]
  assert.equal(opened.authorizationOnly, version === 'AAAAAAAAAAI=')
  assert.ok(version === undefined || version === 'AAAAAAAAAAI=' || version === 'AAAAAAAAAAA=', 'no such version')
  assert.equal(
    text,
    `${version === undefined ? '@' : `@${version}~`}${paddedBase64Url(bytesOf(text))}@`,
    'another spelling',
  )
  assert.deepEqual(
    closed.boxSha256,
    readToken(tokens.find(token => meaningOf(token) === meaningOf(text)) ?? '')?.boxSha256,
  )
  return 'open'
}

export function open(): Fuzzed<string> {
  return { make, hold, smaller: shorter, shown: text => JSON.stringify(text) }
}
