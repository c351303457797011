import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { signed } from './sign.ts'

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const text = fc.string({ unit: 'binary', maxLength: 200 }).map(each => each.toWellFormed())

test('is printable ASCII, whatever is said: the wire counts and writes its characters as bytes', () => {
  fc.assert(
    fc.property(text, text, fc.uuid(), (details, rest, id) => {
      const { body, moreHeaders } = signed(
        id,
        details,
        { privateKey: `k${rest}`, secrets: [secret] },
        () => new Date(0),
      )
      const all = [body, ...moreHeaders.flat()].join('')
      assert.match(all, /^[\x21-\x7e ]+$/)
      assert.equal(new URLSearchParams(body).get('details'), details)
    }),
    { numRuns: 1_000 },
  )
})

test('is dated by the clock it is given, whatever the machine takes for the time', () => {
  const at = new Date('2026-03-04T05:06:07.800Z')
  const { moreHeaders } = signed('msg_1', '{}', { privateKey: 'key', secrets: [secret] }, () => at)
  assert.deepEqual(
    moreHeaders.find(([name]) => name === 'webhook-timestamp'),
    ['webhook-timestamp', '1772600767'],
  )
})
