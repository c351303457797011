import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { signDetails } from '@tillbell/sdk'
import * as fc from 'fast-check'
import { hmacSha1 } from './hmac-sha1.ts'

const text = fc.string({ unit: 'binary', maxLength: 300 }).map(each => each.toWellFormed())

test('signs as everybody else does, whatever the key and the text', () => {
  fc.assert(
    fc.property(text, text, (rest, said) => {
      const key = `k${rest}`
      assert.equal(hmacSha1(key, said), createHmac('sha1', key).update(said, 'utf8').digest('hex'))
    }),
    { numRuns: 1_000 },
  )
})

test('keys and texts at the edges of a block and of the shared buffer', () => {
  const lengths = [1, 19, 20, 21, 63, 64, 65, 127, 128, 16_383, 16_384, 16_385, 70_000]
  for (const keyLength of lengths) {
    for (const textLength of [0, ...lengths]) {
      for (const letter of ['e', 'é', '€']) {
        const [key, said] = ['k'.repeat(keyLength), letter.repeat(textLength)]
        assert.equal(hmacSha1(key, said), signDetails(said, key), `${keyLength} and ${textLength} ${letter}`)
      }
    }
  }
})

test('an empty key signs nothing', () => {
  assert.throws(() => hmacSha1('', 'text'), TypeError)
})

test('what one signature leaves in the buffer is in no other', () => {
  const before = hmacSha1('key', 'short')
  hmacSha1('key', 'x'.repeat(10_000))
  hmacSha1('another', 'y'.repeat(100))
  assert.equal(hmacSha1('key', 'short'), before)
})
