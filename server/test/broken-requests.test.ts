// Bodies and requests that cannot be read: repeated arguments, broken encodings, too much, and what is not HTTP at all.
// None is repaired, none is written, and none stops the service.

import assert from 'node:assert/strict'
import net from 'node:net'
import { after, before, test } from 'node:test'
import { answered, answeredAbout, refused, writingNothing } from './support/answers.ts'
import { type Answer, encodeForm, send } from './support/client.ts'
import { requestText, sendRaw } from './support/raw.ts'
import { startTestService, type TestService } from './support/service.ts'

let service: TestService
let charge: { readonly service_offer: string; readonly token: string }
let form: string
before(async () => {
  service = await startTestService()
  charge = { service_offer: service.demo.offer, token: service.demo.card }
  form = encodeForm(charge)
})
after(() => service.stop())

const formType = 'application/x-www-form-urlencoded'
const jsonType = 'application/json'

function post(body: string | Buffer, type: string, path = 'transactions'): Promise<Answer> {
  const headers = { authorization: service.demo.authorization, 'content-type': type }
  return send(`${service.baseUrl}/api/v5/rest/${path}`, { method: 'POST', headers, body })
}

async function refusedWith(status: number, fields: readonly string[], ask: () => Promise<Answer>): Promise<Answer> {
  const answer = await writingNothing(service.database.sql, ask)
  refused(answer, status, fields)
  return answer
}

test('a repeated argument is refused by name, whichever way it is written', async () => {
  const { token } = charge
  const json = JSON.stringify(charge).slice(0, -1)
  const repeated: [string, string, string][] = [
    [formType, `${form}&token=${token}`, 'token'],
    [formType, `${form}&tok%65n=${token}`, 'token'],
    [formType, `${form}&quantity=1&quantity=1`, 'quantity'],
    [formType, `${form}&unheard_of&unheard_of`, 'unheard_of'],
    [jsonType, `${json},"token":"${token}"}`, 'token'],
    [jsonType, `${json},"\\u0074oken":"${token}"}`, 'token'],
    [jsonType, `${json},"a":{"token":1},"b":[{"a":1}],"a" : 1}`, 'a'],
    [jsonType, `${json},"a":{"token":1,"token":2}}`, 'a[token]'],
  ]
  for (const [type, body, field] of repeated) await refusedWith(422, [field], () => post(body, type))
  const inside = `{"amount":"5.00","custom_data":{"a":"\\"amount\\":","b":["amount",{"amount":"x"}]}}`
  answered(await post(inside, jsonType, 'offers'), 200)
})

test('NUL in an address of the console is refused before anything is looked for by it', async () => {
  const at =
    (path: string, method = 'GET') =>
    () =>
      send(`${service.baseUrl}/console/${path}`, { method, headers: {}, body: null })
  for (const path of ['transactions?search=%00', 'changes?by=%00', 'rest/offers/%00']) {
    await refusedWith(400, ['general'], at(path))
  }
  await refusedWith(400, ['general'], at('api_keys/%00', 'DELETE'))
})

test('broken percent-encoding, NUL and invalid UTF-8 are refused, in values and in names', async () => {
  const broken: [string | Buffer, string][] = [
    [`${form}&note=%`, 'note'],
    [`${form}&note=%zz`, 'note'],
    [`${form}&note=%e2%82`, 'note'],
    [`${form}&note=%ed%a0%80`, 'note'],
    [`${form}&note=%00`, 'note'],
    [`${form}&no%00te=x`, 'note'],
    [`${form}&%=x`, 'general'],
    [`${form}&%00=x`, 'general'],
    [`${form}&=%zz`, 'general'],
    [Buffer.concat([Buffer.from(`${form}&note=`), Buffer.from([0xff])]), 'general'],
    [Buffer.concat([Buffer.from(`${form}&`), Buffer.from([0xc3, 0x28])]), 'general'],
    [Buffer.concat([Buffer.from(`${form}&note=`), Buffer.from([0])]), 'note'],
  ]
  for (const [body, field] of broken) await refusedWith(422, [field], () => post(body, formType))
})

test('JSON that is broken, no object, or has what cannot be kept is refused', async () => {
  const json = JSON.stringify(charge).slice(0, -1)
  const nothing = [
    '[]',
    '5',
    'null',
    '"text"',
    'true',
    '{',
    `${json}`,
    `${json},}`,
    `${json}} x`,
    "{'a':1}",
    '\ufeff{}',
  ]
  for (const body of nothing) await refusedWith(422, ['general'], () => post(body, jsonType))
  const kept: [string, string][] = [
    ['"note":"\\u0000"', 'note'],
    ['"no\\u0000te":"x"', 'note'],
    ['"note":{"a":["\\u0000"]}', 'note'],
    ['"note":{"a\\u0000":1}', 'note'],
    ['"note":"\\ud800"', 'note'],
    ['"note":["\\udc00\\ud800"]', 'note'],
    ['"note":1e999', 'note'],
    ['"note":{"a":[-1e999]}', 'note'],
    [`"note":${'['.repeat(30_000)}${']'.repeat(30_000)}`, 'note'],
    [`"note":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`, 'note'],
  ]
  for (const [member, field] of kept) await refusedWith(422, [field], () => post(`${json},${member}}`, jsonType))
  const latin = Buffer.from(`${json},"note":"é"}`, 'latin1')
  await refusedWith(422, ['general'], () => post(latin, jsonType))
})

test('arguments named like members of an object are just arguments', async () => {
  await refusedWith(422, ['__proto__'], () => post(`${form}&__proto__=x`, formType))
  await refusedWith(422, ['__proto__'], () => post('{"__proto__":{"token":"x"}}', jsonType))
  for (const name of ['constructor', 'toString', 'hasOwnProperty', 'valueOf', 'prototype']) {
    await refusedWith(422, [name], () => post(`${form}&${name}=x`, formType))
    const custom = { amount: '5.00', [`custom_data[${name}]`]: 'x' }
    const { json } = answered(await service.demo.ask('offers', { form: custom }), 200)
    assert.deepEqual(json.offer.custom_data, { [name]: 'x' })
  }
  const nested = await post('{"amount":"5.00","custom_data":{"a":{"__proto__":{"polluted":1}}}}', jsonType, 'offers')
  assert.match(answered(nested, 200).text, /"__proto__"/)
  assert.ok(!('polluted' in {}))
})

test('a body that is said to be compressed is 415', async () => {
  const body = 'service_offer=a&token=b'
  const raw = (encoding: string) =>
    sendRaw(
      service.baseUrl,
      `POST /api/v5/rest/transactions HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: ${service.demo.authorization}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Encoding: ${encoding}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
  await refusedWith(415, ['general'], () => raw('gzip'))
  await refusedWith(404, ['service_offer', 'token'], () => raw('identity'))
})

test('another Content-Type than form or JSON is 415', async () => {
  for (const type of ['text/plain', 'multipart/form-data; boundary=x', 'application/xml', 'garbage', ';;', '*/*']) {
    await refusedWith(415, ['general'], () => post(form, type))
  }
  const bare = requestText(
    'POST /api/v5/rest/transactions',
    { Authorization: service.demo.authorization, 'Content-Length': String(form.length) },
    form,
  )
  await refusedWith(415, ['general'], () => sendRaw(service.baseUrl, bare))
  answeredAbout(await post(form, 'Application/X-WWW-Form-Urlencoded; charset=UTF-8'), 200)
})

test('ten megabytes are 413, by length and in chunks, and nothing inside or behind them is taken for a request', async () => {
  const big = 'x'.repeat(10_000_000)
  refused(answeredAbout(await post(big, formType), 413), 413, ['general'])
  const line = 'POST /api/v5/rest/transactions'
  const headers = { Authorization: service.demo.authorization, 'Content-Type': formType, Connection: 'keep-alive' }
  const inside = requestText('GET /readyz', { Connection: 'keep-alive' })
  const next = requestText('GET /healthz', {})
  const requests = [
    `${requestText(line, { ...headers, 'Content-Length': String(big.length) })}${inside}${big.slice(inside.length)}`,
    `${requestText(line, { ...headers, 'Transfer-Encoding': 'chunked' })}989680\r\n${big}\r\n0\r\n\r\n`,
  ]
  for (const request of requests) {
    const answer = await sendRaw(service.baseUrl, `${request}${next}`)
    refused(answer, 413, ['general'])
    assert.equal(answer.headers.connection, 'close')
  }
})

/** Sends half a body, and is gone while the service waits for the rest. */
async function breakOff(): Promise<void> {
  const { demo, baseUrl } = service
  const headers = { Authorization: demo.authorization, 'Content-Type': formType, 'Content-Length': '1000' }
  const socket = net.connect(Number(new URL(baseUrl).port), '127.0.0.1')
  socket.write(requestText('POST /api/v5/rest/transactions', headers, form))
  answered(await demo.ask('offers'), 200)
  socket.destroy()
  answered(await demo.ask('offers'), 200)
}

test('a body that never arrives in full charges nothing and is no failure of ours', async () => {
  await writingNothing(service.database.sql, breakOff)
  assert.doesNotMatch(service.logged(), /"level":"error"/)
})

test('an expectation that nobody knows is passed over: the answer is one of ours', async () => {
  const line = 'GET /api/v5/rest/offers'
  const { authorization: Authorization } = service.demo
  answered(await sendRaw(service.baseUrl, requestText(line, { Authorization, Expect: 'the-moon' })), 200)
})

test('headers of more than 16 KiB are 431', async () => {
  const line = 'GET /api/v5/rest/transactions'
  const { authorization: Authorization } = service.demo
  const over = await sendRaw(service.baseUrl, requestText(line, { Authorization, 'X-Long': 'x'.repeat(17_000) }))
  refused(over, 431, ['general'])
  const long = await sendRaw(service.baseUrl, requestText(`${line}?email=${'x'.repeat(17_000)}@example.com`, {}))
  refused(long, 431, ['general'])
  answered(await sendRaw(service.baseUrl, requestText(line, { Authorization, 'X-Long': 'x'.repeat(14_000) })), 200)
})

test('more than a hundred header fields are 431, and close the connection', async () => {
  const ask = (fields: number, connection = 'keep-alive') => {
    const lines = Array.from({ length: fields - 2 }, (_, at) => `a${at}:\r\n`).join('')
    return sendRaw(service.baseUrl, `GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: ${connection}\r\n${lines}\r\n`)
  }
  assert.equal((await ask(100, 'close')).status, 200)
  for (const fields of [101, 102, 300]) {
    const answer = await ask(fields)
    refused(answer, 431, ['general'])
    assert.equal(answer.json.errors.general, 'The headers are larger than 16 KiB, or more than 100 fields.')
    assert.equal(answer.headers.connection, 'close')
  }
})

test('a key behind a hundred other header fields is not left out: the request is refused, and charges nothing', async () => {
  const others = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`a${at}`, '']))
  const { authorization: Authorization } = service.demo
  const asked = { Authorization, 'Content-Type': formType, 'Content-Length': `${form.length}`, Connection: 'close' }
  const request = requestText('POST /api/v5/rest/transactions', { ...asked, ...others, 'Idempotency-Key': 'a' }, form)
  await writingNothing(service.database.sql, async () => {
    refused(await sendRaw(service.baseUrl, request), 431, ['general'])
  })
})

test('what is not HTTP is 400 and the connection is closed', async () => {
  const line = 'POST /api/v5/rest/transactions'
  const chunked = {
    Authorization: service.demo.authorization,
    'Content-Type': formType,
    'Transfer-Encoding': 'chunked',
  }
  const garbage: (string | Buffer)[] = [
    'hello\r\n\r\n',
    Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03]),
    'NONSENSE /api/v5/rest/transactions HTTP/1.1\r\n\r\n',
    'GET /api/v5/rest/transactions HTTP/9.9\r\nHost: x\r\n\r\n',
    requestText(line, { ...chunked, 'Content-Length': '5' }, '0\r\n\r\n'),
    requestText(line, { 'Content-Length': '5, 6' }, 'abcde'),
    requestText(line, { 'Content-Length': '-1' }),
    requestText(line, { 'Bad Header': 'x' }),
    requestText(line, chunked, 'zz\r\n\r\n'),
  ]
  for (const bytes of garbage) {
    const answer = await writingNothing(service.database.sql, () => sendRaw(service.baseUrl, bytes))
    refused(answer, 400, ['general'])
    assert.equal(answer.headers.connection, 'close')
  }
})
