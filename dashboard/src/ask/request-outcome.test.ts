import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerOf } from './ask.ts'
import { outcomeOf } from './request-outcome.ts'

const outcome = async (status: number, body: string, headers: Record<string, string> = {}) =>
  outcomeOf(await answerOf(new Response(body, { status, headers })))
const refusal = JSON.stringify({ errors: { general: 'No.' } })
const record = JSON.stringify({ errors: { general: 'Declined.' }, transaction: { id: '1' } })

test('a try is settled where the service says how the payment stands', async () => {
  for (const status of [200, 202, 402, 502]) assert.equal(await outcome(status, record), 'settled')
})

test('what the service refuses was not done', async () => {
  for (const status of [400, 401, 403, 404, 409, 410, 422, 429]) assert.equal(await outcome(status, refusal), 'refused')
})

test('it is unknown where no answer came, a proxy answered, or the first request is still being processed', async () => {
  assert.equal(outcomeOf({ ok: false, status: 0, errors: {}, retryAfterS: null, body: null }), 'unknown')
  for (const status of [200, 502, 504]) assert.equal(await outcome(status, '<h1>Bad Gateway</h1>'), 'unknown')
  for (const status of [500, 503]) assert.equal(await outcome(status, refusal), 'unknown')
  assert.equal(await outcome(409, refusal, { 'Retry-After': '1' }), 'unknown')
})
