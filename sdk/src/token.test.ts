import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import nacl from 'tweetnacl'
import { type AskedToken, createToken, neverExpiresS, sealToken, type TokenContents } from './token.ts'

interface Vector {
  readonly name: string
  readonly token: string
  readonly version: number | null
  readonly target: TokenContents['target']
  readonly group: string
  readonly amount: string
  readonly expires: number
  readonly user_data: { readonly [name: string]: unknown }
}
interface Vectors {
  readonly service_secret_key: string
  readonly service_public_key: string
  readonly merchant_private_key: string
  readonly merchant_public_key: string
  readonly partner_id: number
  readonly vectors: readonly Vector[]
}

const fixture = new URL('./token-vectors.fixture.json', import.meta.url)
const vectors: Vectors = JSON.parse(await readFile(fixture, 'utf8'))
const keys = {
  partnerId: vectors.partner_id,
  privateKey: vectors.merchant_private_key,
  servicePublicKey: vectors.service_public_key,
}
const openingKeys = { merchantPublicKey: vectors.merchant_public_key, serviceSecretKey: vectors.service_secret_key }

/** Opens a token as the interface describes it, parsing forward. Null: it does not open. */
function open(token: string, { merchantPublicKey, serviceSecretKey } = openingKeys) {
  const [, version = null, body] = /^@(?:([\w=-]+)~)?([\w=-]+)@$/.exec(token) ?? assert.fail('no token')
  const bytes = fromPaddedBase64Url(body ?? '')
  const nonce = bytes.subarray(0, 24)
  const key = (text: string) => Buffer.from(text, 'base64')
  const opened = nacl.box.open(bytes.subarray(32), nonce, key(merchantPublicKey), key(serviceSecretKey))
  if (opened === null) return null
  const plain = Buffer.from(opened)
  const targetEnd = plain.indexOf('>:')
  const groupEnd = plain.indexOf('/', targetEnd + 2)
  const [, name = '', value = ''] = /^(email|card|url)<(.*)$/s.exec(plain.subarray(0, targetEnd).toString()) ?? []
  assert.equal(plain.subarray(groupEnd + 9, groupEnd + 10).toString(), '/')
  return {
    version: version === null ? null : Number(fromPaddedBase64Url(version).readBigUInt64BE()),
    nonce,
    partnerId: Number(bytes.readBigUInt64BE(24)),
    target: { [name]: value },
    group: plain.subarray(targetEnd + 2, groupEnd).toString(),
    amount: plain.readFloatBE(groupEnd + 1),
    expires: plain.readInt32BE(groupEnd + 5),
    userDataText: plain.subarray(groupEnd + 10).toString(),
  }
}

function fromPaddedBase64Url(text: string): Buffer {
  assert.equal(text.length % 4, 0, 'base64url keeps its padding')
  return Buffer.from(text, 'base64url')
}

function opened(token: string, withKeys = openingKeys) {
  return open(token, withKeys) ?? assert.fail('it does not open')
}

describe('the fixed vectors', () => {
  for (const vector of vectors.vectors) {
    test(`${vector.name}: opens and says what it says`, () => {
      const { userDataText, nonce, amount, ...said } = opened(vector.token)
      const { version, target, group, expires } = vector
      assert.deepEqual(said, { version, target, group, expires, partnerId: vectors.partner_id })
      assert.equal(amount.toFixed(2), vector.amount)
      assert.deepEqual(JSON.parse(userDataText), vector.user_data)
      assert.equal(nonce.length, 24)
    })

    test(`${vector.name}: sealing the same with the same nonce says the same`, () => {
      const { userDataText, ...said } = opened(vector.token)
      const again = opened(resealed(vector))
      assert.deepEqual({ ...again, userDataText: null }, { ...said, userDataText: null })
      assert.deepEqual(JSON.parse(again.userDataText), JSON.parse(userDataText))
    })
  }

  test('whose user_data is written as we write JSON come out byte for byte', () => {
    const sameJson = ({ token, user_data }: Vector) => opened(token).userDataText === JSON.stringify(user_data)
    const alike = vectors.vectors.filter(sameJson)
    assert.deepEqual(
      alike.map(({ name }) => name),
      ['email', 'url, authorise only', 'expired'],
    )
    for (const vector of alike) assert.equal(resealed(vector), vector.token)
  })
})

function resealed({ token, target, group, amount, expires, version, user_data }: Vector): string {
  const contents = { target, group, expiresS: expires, userData: user_data, authorizationOnly: version === 2 }
  return sealToken({ ...contents, amount: Number(amount) }, keys, opened(token).nonce)
}

function fresh() {
  const { publicKey, secretKey } = nacl.box.keyPair()
  return { publicKey: Buffer.from(publicKey).toString('base64'), secretKey: Buffer.from(secretKey).toString('base64') }
}

const offered: TokenContents = {
  target: { url: 'https://pay.example/offers/1' },
  group: 'group',
  amount: 20.55,
  expiresS: neverExpiresS,
  authorizationOnly: false,
  userData: {},
}

describe('a sealed token', () => {
  test('opens and says what was put in, whatever that is', () => {
    const hardChar = fc.constantFrom(...'aZ09 "\\/<>:@~&\u0000\u007fé語\u2028😀')
    const text = fc.string({ unit: hardChar, maxLength: 40 })
    const inner = text.map(some => some.replaceAll('>', ''))
    const target: fc.Arbitrary<TokenContents['target']> = fc.oneof(
      inner.map(url => ({ url })),
      inner.map(email => ({ email })),
      inner.map(card => ({ card })),
    )
    const cents = fc.integer({ min: 1, max: 9_999_999 })
    const contents = fc.record({
      target,
      group: text.map(some => some.replaceAll('/', '')),
      cents,
      expiresS: fc.integer({ min: 0, max: neverExpiresS }),
      authorizationOnly: fc.boolean(),
      userData: fc.dictionary(text, fc.oneof(text, fc.integer(), fc.boolean()), { noNullPrototype: true }),
    })
    fc.assert(
      fc.property(contents, fc.nat(), ({ cents, ...some }, partnerId) => {
        const said = opened(sealToken({ ...some, amount: cents / 100 }, { ...keys, partnerId }))
        assert.equal(Math.round(said.amount * 100), cents, 'a float holds the cents of what is allowed')
        assert.deepEqual([said.target, said.group, said.expires], [some.target, some.group, some.expiresS])
        assert.equal(said.userDataText, JSON.stringify(some.userData))
        assert.deepEqual([said.version, said.partnerId], [some.authorizationOnly ? 2 : null, partnerId])
      }),
    )
  })

  test('stands between two at signs, and needs no escaping in a mail or a URL', () => {
    for (let count = 0; count < 50; count++) {
      assert.match(sealToken(offered, keys), /^@[A-Za-z0-9_-]+={0,2}@$/)
      const only = sealToken({ ...offered, authorizationOnly: true }, keys)
      assert.match(only, /^@AAAAAAAAAAI=~[A-Za-z0-9_-]+={0,2}@$/)
    }
  })

  test('differs each time: its nonce is fresh', () => {
    const tokens = Array.from({ length: 20 }, () => sealToken(offered, keys))
    assert.equal(new Set(tokens.map(token => opened(token).nonce.toString('hex'))).size, 20)
  })

  test('does not open with another merchant’s key, another service’s, or a changed byte', () => {
    const token = sealToken(offered, keys)
    assert.equal(open(token, { ...openingKeys, merchantPublicKey: fresh().publicKey }), null)
    assert.equal(open(token, { ...openingKeys, serviceSecretKey: fresh().secretKey }), null)
    const bytes = fromPaddedBase64Url(token.slice(1, -1))
    for (let at = 0; at < bytes.length; at++) {
      if (at >= 24 && at < 32) continue // the partner's number is outside the box; a wrong one names another key
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] ?? 0) ^ 1
      assert.equal(open(`@${changed.toString('base64').replaceAll('+', '-').replaceAll('/', '_')}@`), null)
    }
  })
})

describe('a token made offline', () => {
  const asked: AskedToken = { ...keys, target: { email: 'ada@example.com' }, amount: '20.55' }

  test('may say all that an offer says, and leave empty what there is nothing to say of', () => {
    const custom_fields = [{ name: 'Size', required: true }, { name: 'Engraving' }]
    const userData = { item_name: '😀'.repeat(255), custom_data: { sku: '1' }, custom_fields, address: 'billing' }
    for (const fulfillment of [0, '7', '', null]) createToken({ ...asked, userData: { ...userData, fulfillment } })
    createToken({ ...asked, userData: { item_name: '', custom_data: null, address: '' } })
  })

  test('says what was asked for, and by default never expires', () => {
    const { nonce: _, userDataText, amount, ...said } = opened(createToken(asked))
    const target = { email: 'ada@example.com' }
    assert.deepEqual(said, { version: null, partnerId: 4711, target, group: '', expires: neverExpiresS })
    assert.deepEqual([amount.toFixed(2), JSON.parse(userDataText)], ['20.55', { authorization_only: false }])
    const expires = new Date('2030-01-01T00:00:00.999Z')
    const more = { group: 'g:1>', expires, amount: 99_999.99, userData: { item_name: 'Bell' } }
    const whole = opened(createToken({ ...asked, ...more, authorizationOnly: true }))
    assert.deepEqual([whole.version, whole.group, whole.expires], [2, 'g:1>', 1_893_456_000])
    assert.deepEqual(JSON.parse(whole.userDataText), { item_name: 'Bell', authorization_only: true })
  })

  const refusals: { readonly [says: string]: object } = {
    'amount must be at most 99999.99': { amount: 100_000 },
    'amount must have at most 2 decimals': { amount: '1.234' },
    'amount must be at most 9999999:': { amount: 10_000_000, currency: 'JPY' },
    'amount must have at most 0 decimals': { amount: '20.55', currency: 'JPY' },
    'amount must be at most 9999.999:': { amount: '10000', currency: 'KWD' },
    'userData.currency must be three letters': { currency: 'usd' },
    'userData.currency must agree': { currency: 'USD', userData: { currency: 'EUR' } },
    'userData.url must be an http': { userData: { url: 'ftp://example.com/' } },
    'userData.item_quantity must be': { userData: { item_quantity: -1 } },
    'amount must be more than zero': { amount: 0 },
    'amount must be a decimal number': { amount: '1e3' },
    'target must be one of': { target: {} },
    'target must be one of {': { target: { email: 'a@example.com', card: 'x' } },
    'target.url must not contain ">"': { target: { url: 'https://example.com/>' } },
    'target.url must be an http or https URL': { target: { url: 'ftp://example.com/' } },
    'target.email must be an email address': { target: { email: 'nobody' } },
    'target.card must be the service_token': { target: { card: 'short' } },
    'group must not contain "/"': { group: 'a/b' },
    'expires must be a time': { expires: new Date('2038-01-19T03:14:07Z') },
    'expires must be a time from': { expires: new Date('no time') },
    'expires must be in the future': { expires: new Date('2020-01-01T00:00:00Z') },
    'userData.item_name must be text of at most 255': { userData: { item_name: 3 } },
    'userData.item_name must be text of at': { userData: { item_name: '😀'.repeat(256) } },
    'userData.details must be text': { userData: { details: ['x'] } },
    'userData.custom_data must be an object': { userData: { custom_data: [] } },
    'userData.custom_fields must be a list': { userData: { custom_fields: [{ name: 'Size', required: 'yes' }] } },
    'userData.address must be "shipping"': { userData: { address: 'home' } },
    'userData.fulfillment must be a whole number': { userData: { fulfillment: 1.5 } },
    'userData.authorization_only must agree': { userData: { authorization_only: true } },
    'userData must have at most 8192 bytes': { userData: { custom_data: { x: 'x'.repeat(8_192) } } },
    'partnerId must be a whole number': { partnerId: 1.5 },
    'privateKey must be the base64 text': { privateKey: 'no key' },
    'servicePublicKey must be the base64 text': { servicePublicKey: vectors.service_public_key.slice(0, -1) },
  }
  for (const [says, more] of Object.entries(refusals)) {
    test(`is refused with a sentence: ${says}`, () => {
      assert.throws(
        () => createToken({ ...asked, ...more }),
        ({ message }: Error) => message.startsWith(says) && message.endsWith('.'),
      )
    })
  }
})
