// Tokens of offers, changed: by a letter, by a bit, cut, joined, written in another way. Only what the merchant's key has sealed opens,
// and says what was sealed. And tokens that the merchant itself sealed over hostile contents: what opens makes an offer that holds.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { paddedBase64Url } from '@tillbell/sdk/token'
import nacl from 'tweetnacl'
import { isWhollyCardNumber } from '../../../src/core/card-number.ts'
import type { MerchantId, OfferId } from '../../../src/core/ids.ts'
import { whyNotKept } from '../../../src/core/kept-json.ts'
import { currencyDecimals, defaultCurrency } from '../../../src/core/money.ts'
import { offerAddresses, stockMax } from '../../../src/core/offer-terms.ts'
import { type OpenedToken, offerOfToken, tokenMinorMax } from '../../../src/core/token.ts'
import { isWebAddress } from '../../../src/core/web-address.ts'
import { boxOpener, readToken } from '../../../src/keys/open-token.ts'
import { type Chance, pick } from './chance.ts'
import { damaged, shorter } from './damage.ts'
import type { Fuzzed } from './fuzz.ts'
import { hard } from './values.ts'

const fixture = new URL('../../../../sdk/src/token-vectors.fixture.json', import.meta.url)
const vectors = JSON.parse(await readFile(fixture, 'utf8'))
const tokens: readonly string[] = vectors.vectors.map(({ token }: { token: string }) => token)
const openBox = boxOpener(vectors.service_secret_key)
const bytes = (text: string) => Buffer.from(text, 'base64')
const sealingKey = nacl.box.before(bytes(vectors.service_public_key), bytes(vectors.merchant_private_key))
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

const targets = [
  'email<ada@example.com>',
  'url<>',
  'url<https://shop.example/a>',
  'card<q83vEjRWeJCrze8SNFZ4kKvN>',
  'url<x',
]
const plainSpices = ['>', '<', ':', '/', '>:', '>/', '\0', '\xff', 'email<', '>>']
const names = [
  ...[
    'name',
    'item_name',
    'quantity',
    'item_quantity',
    'url',
    'currency',
    'address',
    'custom_data',
    'custom_user_data',
  ],
  ...['custom_fields', 'authorization_only', 'details', 'ref_id', 'fulfillment', '__proto__', 'test'],
]
const members: readonly unknown[] = [
  ...hard,
  ...[
    null,
    true,
    5,
    -1,
    1e21,
    [],
    ['shipping', 'billing'],
    ['home'],
    { a: 'x' },
    { test: 1 },
    'shipping,billing',
    'USD',
    'JPY',
  ],
]

function hostileData(chance: Chance): string {
  const data = Object.fromEntries(Array.from({ length: chance(4) }, () => [pick(names, chance), pick(members, chance)]))
  return chance(3) === 0 ? damaged(JSON.stringify(data), chance, ['{', '"', ',']) : JSON.stringify(data)
}

/** Sealed by the merchant, with or without a group, and whatever else. */
function sealedOver(chance: Chance): string {
  const numbers = Buffer.from(Array.from({ length: 8 }, () => chance(256)))
  if (chance(2) === 0) numbers.writeFloatBE(pick([0.01, 20.55, 99_999.99, 1e7, 1e38], chance))
  const head = `${pick(targets, chance)}${pick(['', ':', ':g', ':g>:h', ' '], chance)}/`
  const whole = Buffer.concat([
    Buffer.from(head),
    numbers,
    Buffer.from(chance(9) === 0 ? '' : `/${hostileData(chance)}`),
  ])
  const plain = chance(3) === 0 ? Buffer.from(damaged(whole.toString('latin1'), chance, plainSpices), 'latin1') : whole
  const nonce = Buffer.from(Array.from({ length: 24 }, () => chance(256)))
  const box = nacl.box.after(plain, nonce, sealingKey)
  const version = pick(['', '', 'AAAAAAAAAAI=~', 'AAAAAAAAAAA=~'], chance)
  const token = `@${version}${paddedBase64Url(Buffer.concat([nonce, Buffer.alloc(8), box]))}@`
  sealed.add(meaningOf(token))
  return token
}

function make(chance: Chance): string {
  const token = pick(tokens, chance)
  const way = chance(50)
  if (way >= 40) return sealedOver(chance)
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
  const opened = openBox(closed, keys)?.token ?? null
  if (opened === null || 'why' in opened) {
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
    readToken(tokens.find(token => meaningOf(token) === meaningOf(text)) ?? text)?.boxSha256,
  )
  holdOffer(text, opened)
  return 'open'
}

/** What a token opens to is an offer as `POST offers` makes them, or a sentence. */
function holdOffer(content: string, opened: OpenedToken): void {
  const facts = { merchantId: 'm_1' as MerchantId, keyCurrency: defaultCurrency, id: 'o1' as OfferId }
  const offer = offerOfToken(opened, { ...facts, now: new Date(0), cardEmail: 'ada@example.com', content })
  if ('why' in offer) {
    assert.match(offer.why, /\.$/)
    return
  }
  assert.ok(offer.amountMinor > 0n && offer.amountMinor < tokenMinorMax, 'an amount that no token holds')
  assert.ok(currencyDecimals(offer.currency) >= 0)
  assert.ok(offer.pageUrl === null || isWebAddress(offer.pageUrl), 'a page that is none')
  assert.ok(offer.address === null || offerAddresses.includes(offer.address), 'an address of another kind')
  assert.ok(offer.stockLeft === null || (offer.stockLeft >= 0 && offer.stockLeft <= stockMax), 'a stock that is none')
  const { title, details, refId, customUserData, customData } = offer
  assert.equal(whyNotKept('', [title, details, refId, customUserData, { ...customData }]), null, 'what cannot be kept')
  for (const text of [title, details, refId, customUserData]) assert.ok(text === null || !isWhollyCardNumber(text))
}

export function open(): Fuzzed<string> {
  return { make, hold, smaller: shorter, shown: text => JSON.stringify(text) }
}
