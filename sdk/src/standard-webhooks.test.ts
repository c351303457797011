// Against the definition, step by step: base64 of HMAC-SHA256 over `id.timestamp.body`, keyed with the bytes that the
// secret's base64 stands for.

import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, test } from 'node:test'
import { standardWebhooksHeaders, standardWebhooksSignature } from './standard-webhooks.ts'

const keyBytes = Buffer.from([...Array(24).keys()].map(index => index * 10))
const secret = `whsec_${keyBytes.toString('base64')}`
const otherBytes = Buffer.alloc(32, 0xfb)
const other = `whsec_${otherBytes.toString('base64')}`
const message = { id: 'msg_1', timestampS: 1_731_672_000, body: 'details=%7B%22name%22%3A%22Zo%C3%AB%22%7D' }

function byHand(key: Buffer, signedContent: string): string {
  return `v1,${createHmac('sha256', key).update(Buffer.from(signedContent, 'utf8')).digest('base64')}`
}

describe('a Standard Webhooks signature', () => {
  test('is v1, and base64 of the HMAC over id, time and body with dots between', () => {
    const expected = byHand(keyBytes, `msg_1.1731672000.${message.body}`)
    assert.equal(standardWebhooksSignature(message, secret), expected)
    assert.match(expected, /^v1,[A-Za-z0-9+/]{43}=$/)
  })

  test('is keyed with the bytes behind whsec_, not with the text', () => {
    assert.notEqual(
      standardWebhooksSignature(message, secret),
      byHand(Buffer.from(secret), `msg_1.1731672000.${message.body}`),
    )
  })

  test('is over the UTF-8 bytes of the body', () => {
    const body = 'Zoë 🧾\u2028'
    assert.equal(standardWebhooksSignature({ ...message, body }, other), byHand(otherBytes, `msg_1.1731672000.${body}`))
  })

  test('differs where the id, the time or the body differs', () => {
    const all = [message, { ...message, id: 'msg_2' }, { ...message, timestampS: 1 }, { ...message, body: '' }]
    assert.equal(new Set(all.map(each => standardWebhooksSignature(each, secret))).size, 4)
  })

  test('needs a secret that says what it is', () => {
    assert.throws(() => standardWebhooksSignature(message, keyBytes.toString('base64')), /whsec_/)
  })
})

describe('Standard Webhooks headers', () => {
  test('are id, timestamp in seconds and signature', () => {
    assert.deepEqual(standardWebhooksHeaders(message, [secret]), [
      ['webhook-id', 'msg_1'],
      ['webhook-timestamp', '1731672000'],
      ['webhook-signature', standardWebhooksSignature(message, secret)],
    ])
  })

  test('carry a signature per secret, with a blank between, so that either secret verifies', () => {
    const [, , signature] = standardWebhooksHeaders(message, [secret, other])
    const content = `msg_1.1731672000.${message.body}`
    assert.deepEqual(signature?.[1].split(' '), [byHand(keyBytes, content), byHand(otherBytes, content)])
  })
})
