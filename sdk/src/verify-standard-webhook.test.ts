import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, test } from 'node:test'
import { HookError, standardWebhooksHeaders, verifyStandardWebhook } from './index.ts'

const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
const next = `whsec_${Buffer.alloc(32, 2).toString('base64')}`
const nowS = 1_794_744_000
const message = { id: 'msg_1', timestampS: nowS, body: 'details=%7B%22name%22%3A%22Zo%C3%AB%22%7D&signature=0' }
const headers = Object.fromEntries(standardWebhooksHeaders(message, [secret, next]))
const noSecret = { name: 'TypeError', message: /^There is no Standard Webhooks secret/ }
const tooShort = { name: 'TypeError', message: /shorter than 16 bytes/ }

function codeOf(changed: {
  headers?: object
  body?: string
  secrets?: string
  toleranceS?: number
  nowS?: number
}): string {
  const given = { ...headers, ...changed.headers }
  const options = { nowS, ...(changed.nowS !== undefined && { nowS: changed.nowS }) }
  try {
    verifyStandardWebhook(given, changed.body ?? message.body, changed.secrets ?? secret, options)
  } catch (error) {
    return error instanceof HookError ? error.code : assert.fail(String(error))
  }
  return assert.fail('it was believed')
}

describe('Standard Webhooks headers', () => {
  test('verify with either secret while one is being replaced, from Node’s headers and from a Request’s', () => {
    for (const given of [headers, new Headers(headers)]) {
      for (const secrets of [secret, next, [undefined, '', next]]) {
        const verified = verifyStandardWebhook(given, message.body, secrets, { nowS })
        assert.deepEqual(verified, { id: 'msg_1', timestampS: nowS })
      }
    }
    verifyStandardWebhook(headers, Buffer.from(message.body), secret, { nowS: nowS + 300 })
  })

  test('do not verify over another body, id or time, or with another secret', () => {
    assert.equal(codeOf({ body: `${message.body} ` }), 'bad_signature')
    assert.equal(codeOf({ headers: { 'webhook-id': 'msg_2' } }), 'bad_signature')
    assert.equal(codeOf({ headers: { 'webhook-timestamp': String(nowS + 1) } }), 'bad_signature')
    assert.equal(codeOf({ headers: { 'webhook-timestamp': 'now' } }), 'bad_signature')
    assert.equal(codeOf({ secrets: `whsec_${Buffer.alloc(16, 3).toString('base64')}` }), 'bad_signature')
  })

  test('are refused when they are old, or from the future', () => {
    assert.equal(codeOf({ nowS: nowS + 301 }), 'too_old')
    assert.equal(codeOf({ nowS: nowS - 301 }), 'too_old')
  })

  test('must all be there', () => {
    for (const name of Object.keys(headers))
      assert.equal(codeOf({ headers: { [name]: undefined } }), 'missing_parameter')
  })

  test('are not believed without a secret', () => {
    for (const none of [[], undefined, '', [undefined, '']])
      assert.throws(() => verifyStandardWebhook(headers, message.body, none, { nowS }), noSecret)
  })

  test('are not believed with a secret that anybody guesses, though it signed them', () => {
    for (const guessed of ['whsec_', 'whsec_  ', `whsec_${Buffer.alloc(15).toString('base64')}`]) {
      const key = Buffer.from(guessed.slice('whsec_'.length), 'base64')
      const content = `${message.id}.${nowS}.${message.body}`
      const signature = `v1,${createHmac('sha256', key).update(content).digest('base64')}`
      const forged = { ...headers, 'webhook-signature': signature }
      assert.throws(() => verifyStandardWebhook(forged, message.body, [next, guessed], { nowS }), tooShort)
    }
  })
})
