import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readArguments } from '../http/arguments.ts'
import { answerBodyOf } from './listen-answer.ts'

const yes = { status: 200, reason: null, durationMs: 40, answer: '' }
const no = { ...yes, status: null }
/** As the service reads it: throws where it refuses. */
const read = (handled: typeof yes | typeof no) =>
  readArguments('application/json', Buffer.from(JSON.stringify(answerBodyOf('r1', handled))))

test('whatever bytes an app answers, its answer is taken', () => {
  assert.equal(read({ ...yes, answer: 'GIF\0\x01' }).body, 'GIF\uFFFD\x01')
  assert.equal(read({ ...yes, answer: 'x\ud83d' }).body, 'x\uFFFD')
  const faces = '\x01'.repeat(6_001) + '😀'.repeat(5_000)
  for (const answer of [faces, `x${faces}`, '\x01'.repeat(16_384)]) {
    const { body } = read({ ...yes, answer })
    assert.ok(typeof body === 'string' && body.length > 0 && JSON.stringify(body).length <= 40_000)
  }
})

test('a reason is as long as one may be, and there always is one', () => {
  const said = read({ ...no, reason: `There is no host ${'a'.repeat(182)}😀.` as never }).reason
  assert.equal((said as string).length, 200)
  assert.equal(read({ ...no, reason: '' as never }).reason, 'No answer.')
})

test('a machine that slept has taken no longer than may be said', () => {
  assert.equal(read({ ...yes, durationMs: 8_000_000 }).duration_ms, 60_000)
})
