import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { signed } from './sign.ts'

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const text = fc.string({ unit: 'binary', maxLength: 200 }).map(each => each.toWellFormed())

test('is printable ASCII, whatever is said: the wire counts and writes its characters as bytes', () => {
  fc.assert(
    fc.property(text, text, fc.uuid(), (details, rest, id) => {
      const { body, moreHeaders } = signed(id, details, `k${rest}`, [secret])
      const all = [body, ...moreHeaders.flat()].join('')
      assert.match(all, /^[\x21-\x7e ]+$/)
      assert.equal(new URLSearchParams(body).get('details'), details)
    }),
    { numRuns: 1_000 },
  )
})
