import assert from 'node:assert/strict'
import { test } from 'node:test'
import { causeWords } from './cause-words.ts'
import { type Cause, causeOf } from './causes.ts'

const reasons: [string, Cause][] = [
  ['No answer within 15 s.', 'slow'],
  ['Answered 200, but not the whole of it within 15 s.', 'unfinished'],
  ['The connection was refused.', 'refused'],
  ['No connection within 5 s.', 'unreachable'],
  ['The host is not reachable.', 'unreachable'],
  ['The connection failed (ETIMEDOUT).', 'unreachable'],
  ['The host name does not resolve.', 'name'],
  ['The host name was not resolved within 5 s.', 'name'],
  ['The resolver does not answer.', 'name'],
  ['No TLS connection within 5 s.', 'tls'],
  ['The TLS certificate has expired.', 'tls'],
  ['The connection broke during the TLS handshake.', 'tls'],
  ['The TLS handshake failed (EPROTO).', 'tls'],
  ['The connection broke before the answer.', 'broke'],
  ['The answer is not HTTP.', 'notHttp'],
  ['The answer came in too many pieces.', 'notHttp'],
  ['The headers of the answer exceed 16 KiB.', 'notHttp'],
  ['The URL must not lead to a private or reserved address.', 'address'],
  ['The name of the proxy does not resolve.', 'proxy'],
  ['The proxy is not reachable by TLS.', 'proxy'],
  ['The connection to the proxy broke.', 'proxy'],
  ['The endpoint is paused.', 'paused'],
  ['What it says is no longer kept.', 'gone'],
  ['It could not be sent: something went wrong on our side.', 'ours'],
  ['The answer was lost: the service was interrupted while it asked.', 'ours'],
]

test('every way to fail that the service has a sentence for has a cause that people know', () => {
  for (const [reason, cause] of reasons) assert.equal(causeOf({ status: null, reason }), cause, reason)
})

test('a status says its own cause, and 2xx none', () => {
  const statuses: [number, Cause | null][] = [
    ...([
      [200, null],
      [299, null],
      [302, 'redirect'],
      [403, 'denied'],
      [404, 'notFound'],
    ] as [number, Cause | null][]),
    ...([
      [422, 'rejected'],
      [429, 'busy'],
      [500, 'crashed'],
      [101, 'rejected'],
    ] as [number, Cause | null][]),
  ]
  for (const [status, cause] of statuses) assert.equal(causeOf({ status, reason: null }), cause, String(status))
})

test('each cause has its words in both languages', () => {
  for (const language of ['en', 'es'] as const) {
    for (const [, cause] of reasons) assert.ok(causeWords[language][cause].todo.length > 10, `${language} ${cause}`)
  }
})
