// What opens, and above all what does not. How tokens are made is tested in the sdk, on the same vectors.

import assert from 'node:assert/strict'
import crypto from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { describe, type TestContext, test } from 'node:test'
import { createToken, paddedBase64Url } from '@tillbell/sdk/token'
import * as fc from 'fast-check'
import nacl from 'tweetnacl'
import type { OpenedToken } from '../core/token.ts'
import { newKeyPair } from './key-pair.ts'
import { boxHashIn, boxOpener, readToken } from './open-token.ts'

interface Vector {
  readonly name: string
  readonly token: string
  readonly version: number | null
  readonly target: { readonly [kind: string]: string }
  readonly group: string
  readonly amount: string
  readonly expires: number
  readonly user_data: object
}

const fixture = new URL('../../../sdk/src/token-vectors.fixture.json', import.meta.url)
const vectors = JSON.parse(await readFile(fixture, 'utf8'))
const all: readonly Vector[] = vectors.vectors
const publicKeys: readonly string[] = [vectors.merchant_public_key]
const openBox = boxOpener(vectors.service_secret_key)

function open(text: string, keys = publicKeys): OpenedToken | null {
  const closed = readToken(text)
  const token = closed === null ? null : openBox(closed, keys)?.token
  return token === null || token === undefined || 'why' in token ? null : token
}

const bodyOf = (token: string) => Buffer.from(token.replace(/^@(.*~)?|@$/g, ''), 'base64url')
const withBody = (token: string, body: Uint8Array) => `${/^@(.*~)?/.exec(token)?.[0] ?? ''}${paddedBase64Url(body)}@`

describe('the fixed vectors', () => {
  for (const { name, token, version, target, group, amount, expires, user_data } of all) {
    test(`${name}: opens, and says what it says`, () => {
      const opened = open(token) ?? assert.fail('it does not open')
      const [kind, value] = Object.entries(target)[0] ?? []
      assert.deepEqual(
        { ...opened, amount: opened.amount.toFixed(2) },
        {
          ...{ target: { kind, value }, group, amount, expiresAt: new Date(expires * 1_000) },
          ...{ authorizationOnly: version === 2, userData: user_data },
        },
      )
      assert.equal(readToken(token)?.partnerId, 4711n)
    })

    test(`${name}: does not open with any byte changed, or with any missing`, () => {
      const body = bodyOf(token)
      assert.equal(withBody(token, body), token)
      for (let at = 0; at < body.length; at++) {
        const isPartner = at >= 24 && at < 32
        for (const bit of [1, 0x80]) {
          const changed = Buffer.from(body)
          changed[at] = (changed[at] ?? 0) ^ bit
          const text = withBody(token, changed)
          // The partner's number names the keys to try, and is nothing that those keys protect.
          if (isPartner) assert.notEqual(readToken(text)?.partnerId, 4711n)
          else assert.equal(open(text), null, `byte ${at}`)
        }
        assert.equal(open(withBody(token, body.subarray(0, at))), null, `cut at byte ${at}`)
      }
      for (let at = 0; at < token.length; at++) assert.equal(open(token.slice(0, at)), null, `cut at character ${at}`)
    })
  }
})

describe('one token has one spelling', () => {
  const [, , card] = all
  const padded = card?.token ?? ''
  const twice = all[0]?.token ?? ''

  test('padding is kept, and nothing else stands around or within', () => {
    assert.match(padded, /[^=]=@$/)
    assert.match(twice, /==@$/)
    for (const text of [padded.replace('=@', '@'), padded.replace('=@', '==@')]) {
      assert.equal(readToken(text), null, text)
    }
    for (const text of [
      ` ${padded}`,
      `${padded}\n`,
      padded.slice(1),
      `@${padded}`,
      padded.replace('@U', '@ U'),
      '',
      '@@',
    ]) {
      assert.equal(readToken(text), null, text)
    }
  })

  test('bits that no byte needs are zero, and the alphabet is that of URLs', () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    for (const [token, padding] of [
      [padded, '='],
      [twice, '=='],
    ] as const) {
      const last = token[token.length - 2 - padding.length] ?? ''
      const other = alphabet[alphabet.indexOf(last) + 1]
      const text = token.replace(`${last}${padding}@`, `${other}${padding}@`)
      assert.deepEqual(bodyOf(text), bodyOf(token), 'a lenient decoder reads the same bytes')
      assert.equal(readToken(text), null)
    }
    const mixed = all.find(({ token }) => /[-_]/.test(token.slice(1, -1)))?.token ?? assert.fail('none has one')
    assert.equal(readToken(mixed.replaceAll('-', '+').replaceAll('_', '/')), null)
  })

  test('the version is absent, 0 or 2, and what the box says of it must agree', () => {
    const versioned = (version: bigint, token: string) => {
      const bytes = Buffer.alloc(8)
      bytes.writeBigUInt64BE(version)
      return token.replace(/^@(.*~)?/, `@${paddedBase64Url(bytes)}~`)
    }
    const [email] = all
    assert.equal(open(versioned(0n, email?.token ?? ''))?.authorizationOnly, false)
    assert.equal(open(versioned(2n, email?.token ?? ''))?.authorizationOnly, true, 'made by others, who do not say')
    for (const version of [1n, 3n, 2n ** 63n]) assert.equal(open(versioned(version, email?.token ?? '')), null)
    const keys = {
      privateKey: vectors.merchant_private_key,
      servicePublicKey: vectors.service_public_key,
      partnerId: 1,
    }
    const ours = createToken({ ...keys, target: { email: 'a@example.com' }, amount: 1 })
    assert.notEqual(open(ours), null)
    assert.equal(open(versioned(2n, ours)), null)
    const only = createToken({ ...keys, target: { email: 'a@example.com' }, amount: 1, authorizationOnly: true })
    assert.equal(open(only.replace(/^@.*~/, '@')), null)
    assert.deepEqual(boxHashIn(versioned(0n, ours)), boxHashIn(ours), 'it is known by its box alone')
    assert.equal(boxHashIn(''), null)
  })
})

describe('what the box holds', () => {
  /** Sealed by the merchant, whatever it is. */
  function sealed(plain: Buffer): string {
    const nonce = nacl.randomBytes(24)
    const key = (text: string) => Buffer.from(text, 'base64')
    const box = nacl.box(plain, nonce, key(vectors.service_public_key), key(vectors.merchant_private_key))
    return `@${paddedBase64Url(Buffer.concat([nonce, Buffer.alloc(8), box]))}@`
  }
  const written = ({
    head = 'email<a@b.example>:g/',
    amount = 1,
    slash = '/',
    data = '{}' as string | Buffer,
  } = {}) => {
    const numbers = Buffer.alloc(8)
    numbers.writeFloatBE(amount)
    return Buffer.concat([Buffer.from(head), numbers, Buffer.from(slash), Buffer.from(data)])
  }

  test('is parsed forward, and must be whole', () => {
    assert.equal(open(sealed(written({ head: 'url<https://a.example/?a=b:c>:g>:h/' })))?.group, 'g>:h')
    const notUtf8 = Buffer.from('ff', 'hex')
    for (const plain of [
      ...[written({ head: 'phone<1>:g/' }), written({ head: 'email<a@b.example>g/' }), written({ head: 'email' })],
      ...[written({ head: 'email<a@b.example> :g/' }), written({ head: 'email<a@b.example>>:g/' })],
      ...[written({ head: ' email<a@b.example>/' }), written({ head: 'email<a@b.example>:g' })],
      ...[written({ slash: '.' }), written().subarray(0, -4), Buffer.alloc(0)],
      ...[Buffer.from('email<a>:'), Buffer.from('email<a>'), Buffer.from('email<a>/'), Buffer.from('url<>:/')],
      Buffer.concat([Buffer.from('email<'), notUtf8, written({ head: '>/' })]),
      Buffer.concat([Buffer.from('email<a@b.example>:'), notUtf8, written({ head: '/' })]),
      written({ data: Buffer.from('7b2261223a22ff227d', 'hex') }),
      written({ data: '{"authorization_only":"false"}' }),
      written({ data: '{"authorization_only":null}' }),
    ]) {
      assert.equal(open(sealed(plain)), null, plain.toString())
    }
  })

  test('has no group where an older client made it, and a page of ours where it names none', () => {
    const older = open(sealed(written({ head: 'email<a@b.example>/' })))
    assert.deepEqual([older?.target, older?.group], [{ kind: 'email', value: 'a@b.example' }, null])
    const slashes = open(sealed(written({ head: 'url<https://a.example/b/c>/' })))
    assert.deepEqual([slashes?.target.value, slashes?.group], ['https://a.example/b/c', null])
    assert.deepEqual(open(sealed(written({ head: 'url<>/' })))?.target, { kind: 'url', value: '' })
    assert.deepEqual(open(sealed(written({ head: 'url<>:/' })))?.group, '')
  })

  test('has user data that are missing, empty or text', () => {
    const data = (text: string) => open(sealed(written({ data: text })))?.userData
    assert.deepEqual(open(sealed(written().subarray(0, -3)))?.userData, {}, 'missing, with the slash before it')
    assert.deepEqual(data(''), {})
    for (const text of ['order 5', '12345', '{"a":', '[]', 'null', '"x"', '/', ' ']) {
      assert.deepEqual(data(text), { custom_user_data: text })
    }
    assert.deepEqual(data('{"a":"/"}'), { a: '/' })
  })

  test('has an amount above nothing', () => {
    for (const amount of [0, -0, -1, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      assert.equal(open(sealed(written({ amount }))), null, String(amount))
    }
    assert.equal(open(sealed(written({ amount: 99_999.99 })))?.amount.toFixed(2), '99999.99')
  })

  test('never makes anybody throw, whatever it is', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 120, size: 'max' }), bytes => {
        open(sealed(Buffer.from(bytes)))
        open(sealed(Buffer.concat([Buffer.from('card<x>:/'), Buffer.from(bytes)])))
      }),
      { numRuns: 60 },
    )
  })
})

test('random text and random bytes never throw, and never open', () => {
  fc.assert(fc.property(fc.string(), text => open(text) === null && open(`@${text}@`) === null))
  const bytes = fc.uint8Array({ minLength: 40, maxLength: 200, size: 'max' })
  fc.assert(
    fc.property(bytes, some => open(`@${paddedBase64Url(some)}@`) === null),
    { numRuns: 60 },
  )
})

test('any key of the merchant opens it, wherever it stands among the others', () => {
  const { token } = all[0] ?? assert.fail('no vector')
  const others = [newKeyPair().publicKey, newKeyPair().publicKey]
  assert.notEqual(open(token, [...others, ...publicKeys]), null)
  assert.notEqual(open(token, [...publicKeys, ...others]), null)
  assert.equal(open(token, others), null)
  assert.equal(open(token, []), null)
})

describe('the work of opening a token', () => {
  const [{ token } = assert.fail('no vector')] = all
  const other = newKeyPair().publicKey
  const withPartner = (partnerId: number) => {
    const body = bodyOf(token)
    body.writeBigUInt64BE(BigInt(partnerId), 24)
    return withBody(token, body)
  }

  /** Scalar multiplications and box openings of each call. */
  function counted(t: TestContext, openIt = boxOpener(vectors.service_secret_key)) {
    const multiplied = t.mock.method(crypto, 'diffieHellman')
    const opened = t.mock.method(nacl.secretbox, 'open')
    return (keys: readonly string[], text = token) => {
      multiplied.mock.resetCalls()
      opened.mock.resetCalls()
      openIt(readToken(text) ?? assert.fail('no token'), keys)
      return [multiplied.mock.callCount(), opened.mock.callCount()]
    }
  }

  test('all keys are tried, also after one that matches', t => {
    const work = counted(t)
    assert.equal(work([...publicKeys, other, newKeyPair().publicKey])[1], 3)
    assert.equal(work([other, newKeyPair().publicKey, newKeyPair().publicKey])[1], 3)
  })

  test('an unknown partner costs as much as a merchant with one key or two, the first time and later', t => {
    const work = counted(t)
    const cases = [[], [other], publicKeys, [...publicKeys, other]]
    for (const [index, keys] of cases.entries()) {
      const text = withPartner(index)
      assert.deepEqual(
        [work(keys, text), work(keys, text)],
        [
          [2, 2],
          [0, 2],
        ],
        `case ${index}`,
      )
    }
  })

  test('a key that was tried before costs one box opening and no scalar multiplication', t => {
    const work = counted(t)
    const many = [...publicKeys, ...Array.from({ length: 150 }, () => newKeyPair().publicKey)]
    assert.deepEqual(
      [work(many), work(many)],
      [
        [151, 151],
        [0, 151],
      ],
    )
    assert.deepEqual(work([...many, other]), [1, 152], 'only the key that is new')
  })

  test('a key that the merchant no longer has is forgotten', t => {
    const work = counted(t)
    work([...publicKeys, other])
    assert.deepEqual(work([other]), [1, 2], 'a stand-in for the key that is gone')
    assert.deepEqual(work([...publicKeys, other])[0], 1, 'and the key itself again, had it come back')
  })

  test('the cache is bounded: the merchant whose token is longest ago is forgotten', t => {
    const work = counted(t, boxOpener(vectors.service_secret_key, 4))
    assert.deepEqual(
      [1, 2, 1, 3].map(partner => work(publicKeys, withPartner(partner))[0]),
      [2, 2, 0, 2],
    )
    assert.deepEqual(
      [3, 1, 2].map(partner => work(publicKeys, withPartner(partner))[0]),
      [0, 0, 2],
    )
  })

  test('a merchant with more keys than the cache holds opens tokens all the same', () => {
    const openFew = boxOpener(vectors.service_secret_key, 2)
    const closed = readToken(token) ?? assert.fail('no token')
    const keys = [other, newKeyPair().publicKey, ...publicKeys]
    for (const _ of [1, 2]) assert.notEqual(openFew(closed, keys), null)
  })
})
