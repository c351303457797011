import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Attempt, Silent } from './attempt.ts'
import { doubtAfter, nextTry, retryAfterMs } from './retry.ts'

const answered = (status: number, headers: { [name: string]: string } = {}, body: unknown = {}): Attempt => ({
  kind: 'answered',
  status,
  headers: new Headers(headers),
  text: typeof body === 'string' ? body : JSON.stringify(body),
})
const silent = (because: Silent['because'], maybeSent: boolean): Attempt => ({
  kind: 'silent',
  because,
  maybeSent,
  code: null,
})
const record = { transaction: { id: 'one', status: 'Failed' }, errors: { general: 'No.' } }

test('what may go away by itself is tried again, a refusal is not', () => {
  for (const status of [408, 425, 429, 500, 502, 503, 504]) {
    assert.deepEqual(nextTry(answered(status), 0, 1), { afterMs: 500, isRetry: true }, String(status))
  }
  for (const status of [200, 302, 400, 401, 402, 403, 404, 409, 410, 413, 415, 422, 424, 501]) {
    assert.equal(nextTry(answered(status), 0, 1), null, String(status))
  }
})

test('no answer is tried again, unless the caller ended the call', () => {
  for (const maybeSent of [true, false]) {
    assert.notEqual(nextTry(silent('timeout', maybeSent), 0, 1), null)
    assert.notEqual(nextTry(silent('connection', maybeSent), 0, 1), null)
    assert.equal(nextTry(silent('abort', maybeSent), 0, 1), null)
  }
})

test('a failure that the service keeps for the key is not asked for again', () => {
  assert.equal(nextTry(answered(502, {}, record), 0, 1), null)
  assert.equal(nextTry(answered(502, { 'retry-after': '1' }, record), 0, 1), null)
  assert.equal(nextTry(answered(503, { 'idempotent-replayed': 'true' }), 0, 1), null)
})

test('the first run of the same request is waited for, and that is no retry', () => {
  assert.deepEqual(nextTry(answered(409, { 'retry-after': '1' }), 0, 1), { afterMs: 1_000, isRetry: false })
})

test('it is waited for without haste, also where the answer says to come at once', () => {
  for (const asked of ['0', 'Sun, 15 Nov 2020 10:00:00 GMT'])
    assert.deepEqual(nextTry(answered(409, { 'retry-after': asked }), 0, 1), { afterMs: 250, isRetry: false })
})

test('waits grow, have an end and a part of chance, and are never shorter than what the service asks for', () => {
  const waits = [0, 1, 2, 3, 4, 5, 50].map(retry => nextTry(answered(503), retry, 1)?.afterMs)
  assert.deepEqual(waits, [500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000])
  assert.equal(nextTry(answered(503), 1, 0)?.afterMs, 500)
  assert.equal(nextTry(answered(503, { 'retry-after': '5' }), 0, 1)?.afterMs, 5_000)
  assert.equal(nextTry(answered(503, { 'retry-after': '0' }), 3, 1)?.afterMs, 4_000)
})

test('Retry-After is read in seconds and as a date', () => {
  const nowMs = Date.parse('Sun, 15 Nov 2026 10:00:00 GMT')
  assert.equal(retryAfterMs('7', nowMs), 7_000)
  assert.equal(retryAfterMs('Sun, 15 Nov 2026 10:00:30 GMT', nowMs), 30_000)
  assert.equal(retryAfterMs('Sun, 15 Nov 2026 09:00:00 GMT', nowMs), 0)
  assert.equal(retryAfterMs('soon', nowMs), null)
  assert.equal(retryAfterMs(null, nowMs), null)
})

test('doubt begins where a try may have arrived', () => {
  assert.equal(doubtAfter(silent('connection', false), false), false)
  assert.equal(doubtAfter(silent('connection', true), false), true)
  assert.equal(doubtAfter(silent('timeout', true), false), true)
  for (const status of [200, 500, 502, 503, 504]) assert.equal(doubtAfter(answered(status), false), true)
  for (const status of [302, 400, 401, 404, 408, 409, 422, 429])
    assert.equal(doubtAfter(answered(status), false), false)
  assert.equal(doubtAfter(answered(409, { 'retry-after': '1' }), false), true, 'it still runs')
})

test('only the answer to the very request ends doubt; a refusal of a later try does not', () => {
  for (const last of [answered(401), answered(422), answered(429), silent('connection', false)]) {
    assert.equal(doubtAfter(last, true), true)
  }
  assert.equal(doubtAfter(answered(402, {}, record), true), false)
  assert.equal(doubtAfter(answered(422, { 'idempotent-replayed': 'true' }), true), false)
})
