import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  HookError,
  parseHook,
  parseStandardWebhook,
  signDetails,
  standardWebhooksBody,
  standardWebhooksHeaders,
} from './index.ts'
import { samples } from './testing/index.ts'

const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
const next = `whsec_${Buffer.alloc(32, 2).toString('base64')}`
const nowS = 1_794_744_000
const details = JSON.stringify({ ...samples.transaction, name: 'Zoë ☃', more: { data: {} } })

const headersOf = (body: string) =>
  Object.fromEntries(standardWebhooksHeaders({ id: 'msg_1', timestampS: nowS, body }, [secret]))

function codeOf(body: string, headers = headersOf(body)): string {
  try {
    parseStandardWebhook(headers, body, secret, { nowS })
  } catch (error) {
    return error instanceof HookError ? error.code : assert.fail(String(error))
  }
  return assert.fail('it was believed')
}

describe('a hook with a JSON body', () => {
  const body = standardWebhooksBody(details)

  test('is read as the form is, and is the same hook', () => {
    const form = parseHook({ details, signature: signDetails(details, 'key') }, 'key', { kind: 'transaction' })
    for (const given of [body, Buffer.from(body)]) {
      const hook = parseStandardWebhook(headersOf(body), given, [next, secret], { kind: 'transaction', nowS })
      assert.deepEqual(hook, { ...form, signature: headersOf(body)['webhook-signature'], keyIndex: 1 })
      assert.equal(hook.detailsText, details)
    }
  })

  test('is refused with another secret, another byte, an old time, or as another kind', () => {
    assert.equal(codeOf(body.replace('100.00', '100.01'), headersOf(body)), 'bad_signature')
    assert.throws(() => parseStandardWebhook(headersOf(body), body, next, { nowS }), { code: 'bad_signature' })
    assert.throws(() => parseStandardWebhook(headersOf(body), body, secret, { nowS: nowS + 301 }), { code: 'too_old' })
    assert.throws(() => parseStandardWebhook(headersOf(body), body, secret, { nowS, kind: 'far' }), {
      code: 'wrong_kind',
    })
    assert.throws(() => parseStandardWebhook(headersOf(body), body, undefined, { nowS }), { name: 'TypeError' })
  })

  test('is not a form, and nothing else that is signed', () => {
    for (const other of [
      'details=%7B%7D&signature=0',
      '{}',
      details,
      '{"type":"x","timestamp":"","data":[]}',
      `${body} `,
    ]) {
      assert.equal(codeOf(other), 'not_json', other)
    }
    const broken = '{"type":"success","timestamp":"2026-01-01T00:00:00.000Z","data":{"a":}}'
    assert.equal(codeOf(broken), 'not_json')
    assert.equal(codeOf('x'.repeat(262_145)), 'too_large')
  })
})
