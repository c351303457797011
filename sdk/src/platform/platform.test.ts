// The two platforms give the same answers. Nothing here is about what the answers are: the tests of signatures say that.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { fromBase64, toBase64 } from '../base64.ts'
import * as node from './node.ts'
import * as web from './web.ts'

/** Half a surrogate pair too: both must write it in the same way. */
const text = fc.string({ unit: fc.oneof(fc.constantFrom('\ud800', '😀', 'é', '\u0000'), fc.string()) })
const bytes = fc.uint8Array({ maxLength: 200 })

describe('with node:crypto and without', () => {
  test('an HMAC is the same, whatever the key and the text', () => {
    fc.assert(
      fc.property(fc.oneof(text, bytes), text, (key, some) => {
        for (const algorithm of ['sha1', 'sha256'] as const) {
          for (const as of ['hex', 'base64'] as const) {
            assert.equal(web.hmac(algorithm, key, some, as), node.hmac(algorithm, key, some, as))
          }
        }
        assert.equal(web.sha256Hex(some), node.sha256Hex(some))
      }),
    )
  })

  test('texts are the same or not, alike', () => {
    fc.assert(
      fc.property(text, text, (one, other) => {
        for (const { isSameText } of [web, node]) {
          assert.equal(isSameText(one, one), true)
          assert.equal(isSameText(one, other), Buffer.from(one).equals(Buffer.from(other)))
          assert.equal(isSameText(one, `${one}0`), false)
        }
      }),
    )
  })

  test('texts that differ in one place are not the same, wherever that is', () => {
    fc.assert(
      fc.property(text, text, (before, behind) => {
        for (const { isSameText } of [web, node]) {
          assert.equal(isSameText(`${before}0${behind}`, `${before}1${behind}`), false)
        }
      }),
    )
  })

  test('random bytes are as many as asked for, and others each time', () => {
    for (const { randomBytes } of [web, node]) {
      const drawn = Array.from({ length: 20 }, () => randomBytes(24))
      assert.ok(drawn.every(each => each.length === 24))
      assert.equal(new Set(drawn.map(String)).size, 20)
    }
  })
})

test('base64 is the same as Node’s, there and back', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 10_000 }), some => {
      const encoded = toBase64(some)
      assert.equal(encoded, Buffer.from(some).toString('base64'))
      assert.deepEqual(fromBase64(encoded), some)
    }),
  )
  for (const count of [4_095, 4_096, 4_097, 20_000]) {
    const some = Uint8Array.from({ length: count }, (_, at) => at % 251)
    assert.equal(toBase64(some), Buffer.from(some).toString('base64'), `${count} bytes`)
  }
  assert.equal(fromBase64('no base64 at all!'), null)
})
