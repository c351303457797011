import assert from 'node:assert/strict'
import { beforeEach, mock, test } from 'node:test'
import type { Me } from '../../../server/src/console/contract/me.ts'
import { addressOf, ask, askUnder, keepMe, nextIn, onSignedOut } from './ask.ts'

let sent: { address: string; init: RequestInit }[] = []
let answer: () => Response = () => new Response('null')
let signedOut = 0

mock.method(globalThis, 'fetch', async (address: string, init: RequestInit) => {
  sent.push({ address, init })
  return answer()
})
beforeEach(() => {
  sent = []
  signedOut = 0
  onSignedOut(() => {
    signedOut += 1
  })
})

const json = (status: number, body: unknown, headers: { [name: string]: string } = {}) =>
  new Response(JSON.stringify(body), { status, headers })
const headersSent = () => sent[0]?.init.headers as { [name: string]: string }

const meAs = (email: string, id: string, csrf_token: string) => ({ email, merchant: { id }, csrf_token }) as Me

test('what changes something carries the token, the key and JSON; what only asks carries none of them', async () => {
  keepMe(meAs('ada@example.com', 'm_1', 'token'))
  answer = () => json(200, {})
  await ask('rest/offers', { method: 'POST', json: { title: 'Bread' }, key: 'k1' })
  assert.equal(sent[0]?.init.body, '{"title":"Bread"}')
  assert.equal(headersSent()['X-CSRF-Token'], 'token')
  assert.equal(headersSent()['Idempotency-Key'], 'k1')
  assert.equal(headersSent()['Content-Type'], 'application/json')
  sent = []
  await ask('rest/offers')
  assert.deepEqual(headersSent(), { Accept: 'application/json' })
})

test('a page sends nothing with the token of another person, nor of the same person at another merchant', async () => {
  const tokenAfter = async (me: Me) => {
    sent = []
    const isKept = keepMe(me)
    await ask('rest/offers', { method: 'POST', json: {} })
    return [isKept, headersSent()['X-CSRF-Token']]
  }
  assert.deepEqual(await tokenAfter(meAs('ada@example.com', 'm_1', 'first')), [true, 'first'])
  assert.deepEqual(await tokenAfter(meAs('eve@example.com', 'm_1', 'of another')), [false, 'first'])
  assert.deepEqual(await tokenAfter(meAs('ada@example.com', 'm_2', 'elsewhere')), [false, 'first'])
  assert.deepEqual(await tokenAfter(meAs('ada@example.com', 'm_1', 'second')), [true, 'second'])
})

test('a filter that is not set is not asked for', () => {
  assert.equal(
    addressOf('rest/offers', { q: 'a b&c', after: '', limit: 25, active: false, tag: null, x: undefined }),
    '/console/rest/offers?q=a+b%26c&limit=25&active=false',
  )
  assert.equal(addressOf('me'), '/console/me')
  askUnder('/till')
  assert.equal(addressOf('me'), '/till/console/me')
  askUnder('')
})

test('an answer says where the list goes on', async () => {
  const link = '<https://pay.example/console/rest/offers?limit=2&after=of_9>; rel="next"'
  answer = () => json(200, [1, 2], { Link: link })
  const asked = await ask<number[]>('rest/offers')
  assert.deepEqual(asked, { ok: true, status: 200, body: [1, 2], next: 'of_9' })
  assert.equal(nextIn(null), null)
})

test('an answer without a body is an answer', async () => {
  answer = () => new Response(null, { status: 204 })
  assert.deepEqual(await ask('session', { method: 'DELETE' }), { ok: true, status: 204, body: null, next: null })
})

test('a refusal is a value with its sentences and the time to wait', async () => {
  answer = () => json(429, { errors: { general: 'Too many.' } }, { 'Retry-After': '7' })
  const asked = await ask('me')
  assert.ok(!asked.ok)
  assert.deepEqual([asked.status, asked.errors, asked.retryAfterS], [429, { general: 'Too many.' }, 7])
})

test('a page of somebody in between is no answer of the service', async () => {
  answer = () => new Response('<html>')
  const asked = await ask('me')
  assert.deepEqual([asked.ok, asked.status], [false, 0])
  answer = () => new Response('<html>', { status: 502 })
  const refused = await ask('me')
  assert.ok(!refused.ok)
  assert.deepEqual([refused.status, refused.errors], [502, {}])
})

test('no answer at all is a refusal without a status', async () => {
  answer = () => {
    throw new TypeError('fetch failed')
  }
  const asked = await ask('me')
  assert.deepEqual(asked, { ok: false, status: 0, errors: {}, retryAfterS: null, body: null })
})

test('what nobody waits for any more is no refusal', async () => {
  answer = () => {
    throw new DOMException('aborted', 'AbortError')
  }
  await assert.rejects(ask('me', { signal: AbortSignal.abort() }), { name: 'AbortError' })
})

test('whose session is over is led to sign in; whose password is wrong is there already', async () => {
  answer = () => json(401, { errors: { general: 'Sign in first.' } })
  await ask('session', { method: 'POST', json: {} })
  assert.equal(signedOut, 0)
  await ask('rest/offers')
  assert.equal(signedOut, 1)
})
