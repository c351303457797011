import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { hookBody, signDetails, verifyHook } from './index.ts'

const privateKey = 'OK4M40Bp5NhPJagGRXB9x1dI58ujH1mvhjF526jkqYs='
const hard = '{"name":"Zoë \u2028 & 100% + \\"quoted\\" \'single\' 🧾 =;?#/\\\\\\u0000","empty":"","tab":"\\t"}'

/** Half a surrogate pair too: JSON escapes it, so that it can be sent. */
const anyText = fc.string({ unit: fc.constantFrom(...'aZ09 "\'\\/<>&%+=;?#\t\n\u0000é語\u2028\ufeff😀', '\ud800') })

const someKey = fc.string().filter(key => key.trim() !== '')

describe('a signature', () => {
  test('is HMAC-SHA1 in 40 lower-case hex digits, as published vectors have it', () => {
    const fox = 'The quick brown fox jumps over the lazy dog'
    assert.equal(signDetails(fox, 'key'), 'de7c9b85b8b78aa6bc8a7a36f70a90701c9db4d9')
    assert.equal(signDetails('what do ya want for nothing?', 'Jefe'), 'effcdf6ae5eb2fa2d27416d5f184df9c259a7c79')
    assert.equal(signDetails('', 'key'), 'f42bb0eeb018ebbd4597ae7213711ec60760843f')
  })

  test('is keyed with the Private Key’s text, not with the bytes it stands for', () => {
    const byBytes = createHmac('sha1', Buffer.from(privateKey, 'base64')).update('{}').digest('hex')
    assert.equal(signDetails('{}', privateKey), createHmac('sha1', Buffer.from(privateKey)).update('{}').digest('hex'))
    assert.notEqual(signDetails('{}', privateKey), byBytes)
  })

  test('is over the UTF-8 bytes of the exact text', () => {
    const expected = createHmac('sha1', privateKey).update(Buffer.from(hard, 'utf8')).digest('hex')
    assert.equal(signDetails(hard, privateKey), expected)
    assert.notEqual(signDetails('{"a": 1}', privateKey), signDetails('{"a":1}', privateKey))
  })
})

describe('a body', () => {
  test('has exactly two parameters, details then signature, and nothing that needs a second look', () => {
    fc.assert(
      fc.property(anyText, text => {
        const body = hookBody(JSON.stringify(text), privateKey)
        assert.match(body, /^details=[A-Za-z0-9%\-_.!~*'()]*&signature=[0-9a-f]{40}$/)
        assert.deepEqual([...new URLSearchParams(body).keys()], ['details', 'signature'])
      }),
    )
  })

  test('verifies after any receiver’s decoding of a form, whatever is in it', () => {
    const decoders = [
      (body: string) => [...new URLSearchParams(body).values()],
      (body: string) => body.split('&').map(part => decodeURIComponent(part.split('=')[1]?.replaceAll('+', ' ') ?? '')),
    ]
    const text = fc.oneof(anyText, fc.json(), fc.constant(hard))
    fc.assert(
      fc.property(text, someKey, (given, key) => {
        const details = JSON.stringify({ given })
        for (const decoded of decoders) {
          const [back = '', signature = ''] = decoded(hookBody(details, key))
          assert.equal(back, details)
          assert.ok(verifyHook(back, signature, key))
        }
      }),
    )
  })

  for (const text of [
    'ü',
    '語',
    '🧾',
    'a+b',
    'a&b=c',
    '100%',
    '%41',
    '"',
    "'",
    '\u2028\u2029',
    ' ',
    '\r\n',
    'a;b',
    '<>',
  ]) {
    test(`with ${JSON.stringify(text)} verifies after decoding`, () => {
      const details = JSON.stringify({ text })
      const form = new URLSearchParams(hookBody(details, privateKey))
      assert.equal(form.get('details'), details)
      assert.ok(verifyHook(form.get('details') ?? '', form.get('signature') ?? '', privateKey))
    })
  }
})

describe('what is not authentic', () => {
  const signature = signDetails(hard, privateKey)

  test('is not believed: other details, another key, another signature', () => {
    assert.equal(verifyHook(hard, signature, privateKey), true)
    assert.equal(verifyHook(`${hard} `, signature, privateKey), false)
    assert.equal(verifyHook(hard, signature, `${privateKey} `), false)
    for (let at = 0; at < signature.length; at++) {
      const other = signature[at] === '0' ? '1' : '0'
      assert.equal(verifyHook(hard, signature.slice(0, at) + other + signature.slice(at + 1), privateKey), false)
    }
  })

  test('is not believed when the signature is missing, cut short, longer, or of other characters', () => {
    for (const wrong of ['', signature.slice(1), `${signature}0`, 'é'.repeat(40), 'é'.repeat(20), '0'.repeat(40)]) {
      assert.equal(verifyHook(hard, wrong, privateKey), false, wrong)
    }
  })

  test('is not believed because there is no key: that throws, however it is signed', () => {
    for (const key of ['', ' ', '\n\t', undefined as never, null as never, Buffer.from(privateKey) as never]) {
      const forged = createHmac('sha1', key ?? '')
        .update('{}')
        .digest('hex')
      const refused = { name: 'TypeError', message: /Private Key/ }
      assert.throws(() => verifyHook('{}', forged, key), refused, JSON.stringify(key))
      assert.throws(() => signDetails('{}', key), refused)
      assert.throws(() => hookBody('{}', key), refused)
    }
  })

  test('is not believed without details', () => {
    assert.equal(verifyHook('', signature, privateKey), false)
  })
})
