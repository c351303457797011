import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import Fastify from 'fastify'
import { bodyParser } from '../../http/bodies.ts'
import { limitStrangers } from '../../http/strangers.ts'
import { inboundRoute } from './http.ts'
import { createNetworkLimiter } from './network-limiter.ts'
import type { Envelope, Taken } from './ports.ts'

const dropped: Taken = { kind: 'dropped', why: 'It is bulk mail.' }
const verdict = {
  sender: null,
  isProven: false,
  isAligned: false,
  rules: [],
  spf: 'none',
  dmarc: 'none',
  signatures: [],
}
const envelopes: Envelope[] = []
let next: Taken = dropped

const limiter = createNetworkLimiter([], {}, () => 0) // no point comes back, however slow the machine is
const app = Fastify()
limitStrangers(app, () => null)
inboundRoute(app, {
  secret: 'quite secret',
  take: async envelope => {
    envelopes.push(envelope)
    limiter.count(envelope.clientAddress, next)
    return next
  },
  limiter,
  parseBody: bodyParser(body => body),
})
const url = `${await app.listen({ port: 0 })}/mail/inbound`
after(() => app.close())

const post = (
  headers: { [name: string]: string } = {},
  body: string | Uint8Array<ArrayBuffer> = 'From: ada@shop.test\r\n\r\nHello\r\n',
) =>
  fetch(url, {
    method: 'POST',
    headers: { authorization: 'Bearer quite secret', 'content-type': 'message/rfc822', ...headers },
    body,
  })

test('without the secret nothing is taken', async () => {
  for (const authorization of ['', 'Bearer', 'Bearer quite secre', 'Bearer quite secret!', 'Basic quite secret']) {
    assert.equal((await post({ authorization })).status, 401, authorization)
  }
  assert.deepEqual(envelopes, [])
})

test('the envelope comes in headers, and what is not said is not known', async () => {
  await post({
    'mail-from': '<Ada@Shop.test>',
    'rcpt-to': 'Transaction@pay.test',
    'client-address': '192.0.2.1',
    helo: 'a.test',
  })
  await post({ 'content-type': 'application/octet-stream' })
  await post({ 'mail-from': '<>' })
  const unknown = { mailFrom: null, rcptTo: null, clientAddress: null, helo: null }
  const said = { mailFrom: 'ada@shop.test', rcptTo: 'transaction@pay.test', clientAddress: '192.0.2.1', helo: 'a.test' }
  assert.deepEqual(envelopes.splice(0), [said, unknown, { ...unknown, mailFrom: '' }])
})

test('each outcome has its answer', async () => {
  const answerTo = async (taken: Taken) => {
    next = taken
    const response = await post()
    return { status: response.status, body: await response.json(), again: response.headers.get('retry-after') }
  }
  const taken = await answerTo({ kind: 'taken', id: 'x', known: false, verdict })
  const { isProven: proven, isAligned: aligned, ...said } = verdict
  const mail = { id: 'x', known: false, verdict: { ...said, proven, aligned, consent: null } }
  assert.deepEqual(taken, { status: 200, body: { mail }, again: null })
  assert.deepEqual((await answerTo(dropped)).body, { mail: null, dropped: 'It is bulk mail.' })
  const refused = await answerTo({ kind: 'refused', enhanced: '5.7.1', sentence: 'No token.' })
  assert.deepEqual([refused.status, refused.body], [422, { mail: null, errors: { general: 'No token.' } }])
  const notNow = await answerTo({ kind: 'not_now', enhanced: '4.4.3', sentence: 'Try again.' })
  assert.deepEqual([notNow.status, notNow.again], [503, '60'])
})

async function refusal(response: Response) {
  const { errors } = (await response.json()) as { errors: { general: string } }
  return [response.status, errors.general]
}

test('over a megabyte is 413, another content type 415, nothing at all 422, each with a sentence of its own', async () => {
  assert.deepEqual(await refusal(await post({}, Buffer.alloc(1024 * 1024 + 1, 'x'))), [413, 'The mail is too big.'])
  assert.equal((await post({}, Buffer.alloc(1024 * 1024, 'x'))).status, 503)
  const wrongType = [415, 'The Content-Type must be message/rfc822.']
  for (const type of ['application/json', 'application/x-www-form-urlencoded'])
    assert.deepEqual(await refusal(await post({ 'content-type': type }, '{}')), wrongType)
  assert.equal((await post({}, '')).status, 422)
})

test('a client address that is none is refused, and not asked DNS about', async () => {
  envelopes.length = 0
  for (const address of ['banana', '[192.0.2.7]', '192.0.2.300', '192.0.2.7:25', '192.0.2.7, 192.0.2.8']) {
    const response = await post({ 'client-address': address })
    assert.deepEqual(await refusal(response), [422, 'Client-Address must be an IP address.'])
  }
  await post({ 'client-address': '2001:db8::1' })
  assert.deepEqual(
    envelopes.map(({ clientAddress }) => clientAddress),
    ['2001:db8::1'],
  )
})

test('a network whose mails were refused again and again comes later, and its mail is not even read', async () => {
  next = { kind: 'refused', enhanced: '5.7.1', sentence: 'No token.' }
  const from = (address: string) => post({ 'client-address': address })
  for (let count = 0; count < 100; count += 1) assert.equal((await from('198.51.100.1')).status, 422)
  envelopes.length = 0
  const turned = await from('198.51.100.1')
  assert.equal(turned.status, 503)
  assert.equal(turned.headers.get('retry-after'), '60')
  assert.match(JSON.stringify(await turned.json()), /Too many mails from your network were refused lately/)
  assert.deepEqual(envelopes, [])
  assert.equal((await from('198.51.100.2')).status, 422)
  next = dropped
})
