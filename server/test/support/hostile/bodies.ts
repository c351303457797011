// Bodies of requests, as bytes, for the one function that makes arguments of them. What it takes, everybody reads as it does.

import assert from 'node:assert/strict'
import { readArguments, UnreadableArgumentsError } from '../../../src/http/arguments.ts'
import { type Chance, pick } from './chance.ts'
import { damaged, shorter } from './damage.ts'
import type { Fuzzed } from './fuzz.ts'
import { nothingLeaks } from './leaks.ts'

export const formType = 'application/x-www-form-urlencoded'
export const jsonType = 'application/json'

const names = ['service_offer', 'token', 'amount', 'quantity', 'a', 'é', '__proto__', 'constructor', 'general', '', '4']
const texts = [
  '',
  '1',
  '100.00',
  'true',
  'null',
  'Ada Lovelace',
  'é€😀',
  '\u2028',
  '4111111111111111',
  'a=b&c',
  '%',
  '+',
]

/** Found hard to read by somebody, once. */
export const formSpices = [
  '%',
  '%0',
  '%00',
  '%zz',
  '%ed%a0%80',
  '%c0%80',
  '&',
  '=',
  '+',
  '\0',
  '\xff',
  '[]',
  ';',
  '\r\n',
]
export const jsonSpices = [
  ...['"', '\\', '\\u0000', '\\ud800', '\\u0061', '{', '}', '[', ']', ',', ':', ',,', '\0', '\xff', '\xef\xbb\xbf'],
  ...[
    'null',
    '1e999',
    '-0',
    '01',
    '.5',
    'NaN',
    '"a":1,',
    '"token":"x",',
    '"__proto__":{},',
    '[['.repeat(40),
    '/**/',
    "'",
  ],
]

/** Some value that JSON can say. */
export function anyJson(chance: Chance, depth = 0): unknown {
  const kind = chance(depth > 3 ? 5 : 7)
  if (kind < 3) return pick(texts, chance)
  if (kind === 3) return pick([0, 1, -1, 1.5, 1e21, 2 ** 53, 2 ** 31], chance)
  if (kind === 4) return pick([true, false, null], chance)
  const inner = Array.from({ length: chance(4) }, () => anyJson(chance, depth + 1))
  return kind === 5 ? inner : Object.fromEntries(inner.map(value => [pick(names, chance), value]))
}

interface Body {
  readonly type: string
  /** Of bytes. */
  readonly body: string
  readonly isWhole: boolean
}

function make(chance: Chance): Body {
  const type = pick([formType, jsonType], chance)
  const members = Array.from({ length: chance(5) }, () => pick(names, chance)).filter(name => name !== '__proto__')
  const isForm = type === formType
  const pairs = [...new Set(members)].map(name => [name, isForm ? pick(texts, chance) : anyJson(chance)] as const)
  const text = isForm
    ? new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, String(value)])).toString()
    : JSON.stringify(Object.fromEntries(pairs))
  const body = Buffer.from(text).toString('latin1')
  if (chance(8) === 0)
    return { type, body, isWhole: !text.includes('__proto__') && !pairs.some(pair => hasRounded(pair)) }
  return { type, body: damaged(body, chance, isForm ? formSpices : jsonSpices), isWhole: false }
}

/** A whole number that JSON cannot tell from its neighbours. */
const isRounded = (value: unknown) => Number.isInteger(value) && !Number.isSafeInteger(value)

function hasRounded(value: unknown): boolean {
  return typeof value === 'object' && value !== null ? Object.values(value).some(hasRounded) : isRounded(value)
}

function hold({ type, body, isWhole }: Body): string {
  const bytes = Buffer.from(body, 'latin1')
  let given: ReturnType<typeof readArguments>
  try {
    given = readArguments(type, bytes)
  } catch (error) {
    assert.ok(error instanceof UnreadableArgumentsError, `it threw ${error}`)
    assert.ok(!isWhole, `refused, and nothing was wrong with it: ${error.message}`)
    assert.equal(error.status, 422)
    assert.match(error.message.trim(), /^.+ [a-z].+\.$/s)
    const [field = '', ...others] = Object.keys(error.errors)
    assert.deepEqual(others, [])
    assert.match(field, /\S/)
    assert.ok(field === 'general' || error.message.includes(field), error.message)
    nothingLeaks(error.message.replace(field, ''))
    return 'refused'
  }
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  const canonical = JSON.stringify(given, (_, value) => {
    assert.ok(
      typeof value !== 'number' || (Number.isFinite(value) && !isRounded(value)),
      'a number that JSON cannot say',
    )
    return value
  })
  assert.ok(canonical.isWellFormed() && !/\\u0000|\\ud[89a-f]/.test(canonical.replaceAll('\\\\', '')), 'it can be kept')
  if (bytes.length > 0) assert.deepEqual(Object.entries(given), type === formType ? pairsOf(text) : membersOf(text))
  const again = JSON.stringify(readArguments(jsonType, Buffer.from(canonical)))
  assert.equal(again, canonical, 'rewritten, it says the same')
  return 'taken'
}

function pairsOf(text: string): [string, unknown][] {
  const pairs = [...new URLSearchParams(`?${text}`)] // which it takes away, once
  assert.equal(new Set(pairs.map(([name]) => name)).size, pairs.length, 'a name is there twice')
  return inOrderOfKeys(pairs)
}

function membersOf(text: string): [string, unknown][] {
  const members = Object.entries(JSON.parse(text))
  assert.equal(colonsIn(text), membersBelow(JSON.parse(text)), 'a name is there twice')
  return members
}

/** As an object keeps them: numbers come first. */
const inOrderOfKeys = (pairs: [string, unknown][]) => Object.entries(Object.fromEntries(pairs))

function membersBelow(value: unknown): number {
  if (value === null || typeof value !== 'object') return 0
  const inner = Object.values(value).reduce((sum: number, each) => sum + membersBelow(each), 0)
  return Array.isArray(value) ? inner : inner + Object.keys(value).length
}

/** One for each member, at any depth and whatever its name: of JSON that is known to be well formed. */
function colonsIn(text: string): number {
  let [colons, isInText] = [0, false]
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at]
    if (isInText && letter === '\\') at += 1
    else if (letter === '"') isInText = !isInText
    else if (!isInText && letter === ':') colons += 1
  }
  return colons
}

export function open(): Fuzzed<Body> {
  return {
    make,
    hold,
    *smaller({ type, body }) {
      for (const text of shorter(body)) yield { type, body: text, isWhole: false }
    },
    shown: ({ type, body }) => `${type} ${JSON.stringify(body)}`,
  }
}
