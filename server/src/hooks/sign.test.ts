import assert from 'node:assert/strict'
import { test } from 'node:test'
import { standardWebhooksSignature } from '@tillbell/sdk'
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
        { privateKey: `k${rest}`, secrets: [secret], sendsJson: false },
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
  const { moreHeaders } = signed('msg_1', '{}', { privateKey: 'key', secrets: [secret], sendsJson: false }, () => at)
  assert.deepEqual(
    moreHeaders.find(([name]) => name === 'webhook-timestamp'),
    ['webhook-timestamp', '1772600767'],
  )
})

test('a JSON body has the time of the event, and details as they are; its headers have the time of the attempt', () => {
  const details = '{"date": 1772600000, "type":"far","name":"Zo\\u00eb \u2603",  "amount":"1.00"}'
  const at = new Date('2026-03-04T05:06:07.800Z')
  const keys = { privateKey: 'key', secrets: [secret], sendsJson: true }
  const { body, isJson, moreHeaders } = signed('msg_1', details, keys, () => at)
  assert.equal(body, `{"type":"far","timestamp":"2026-03-04T04:53:20.000Z","data":${details}}`)
  assert.deepEqual(
    [isJson, moreHeaders[0], moreHeaders[1]],
    [true, ['webhook-id', 'msg_1'], ['webhook-timestamp', '1772600767']],
  )
  assert.equal(moreHeaders[2]?.[1], standardWebhooksSignature({ id: 'msg_1', timestampS: 1_772_600_767, body }, secret))
})

test('an endpoint that has no secret any more gets the form: JSON that nobody signed is sent to nobody', () => {
  const plain = signed('msg_1', '{}', { privateKey: 'key', secrets: [], sendsJson: true }, () => new Date(0))
  assert.deepEqual([plain.isJson, plain.moreHeaders], [false, []])
  assert.match(plain.body, /^details=%7B%7D&signature=[0-9a-f]{40}$/)
})
