// A body of many names or values is refused before it is held against a schema: that costs more than to send it.

import assert from 'node:assert/strict'
import net from 'node:net'
import { after, before, test } from 'node:test'
import { offerDetailsBytesMax } from '../src/core/offer.ts'
import { answered, refused, writingNothing } from './support/answers.ts'
import { type Answer, send } from './support/client.ts'
import { startTestService, type TestService } from './support/service.ts'
import { until } from './support/until.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.stop())

const formType = 'application/x-www-form-urlencoded'
const jsonType = 'application/json'

function post(path: string, type: string, body: string, method = 'POST'): Promise<Answer> {
  const headers = {
    'content-type': type,
    origin: service.baseUrl,
    ...(path.startsWith('/api/') && { authorization: service.demo.authorization }),
  }
  return writingNothing(service.database.sql, () => send(`${service.baseUrl}${path}`, { method, headers, body }))
}

const tooManyNames = { general: 'The body has more than 200 arguments. Send only those that are needed.' }
const tooManyValues = { general: 'The body has more than 2000 values. Send fewer.' }
const names = (count: number) => Array.from({ length: count }, (_, at) => `a${at}`)
const nestedTexts = (name: string) => `{"${name}":${'['.repeat(30)}${'"",'.repeat(21_000)}""${']'.repeat(30)}}`

for (const [path, name] of [
  ['/token/registrations', 'token'],
  ['/console/session', 'email'],
  ['/console/links', 'email'],
  ['/api/v5/rest/transactions', 'token'],
  ['/api/v5/rest/mail_settings', 'sentences'],
] as const) {
  test(`${path} refuses more names or values than any good body has`, async () => {
    const method = path.endsWith('mail_settings') ? 'PATCH' : 'POST'
    const refusedWith = async (errors: object, type: string, body: string) => {
      const answer = await post(path, type, body, method)
      refused(answer, 422, ['general'])
      assert.deepEqual(answer.json.errors, errors)
    }
    await refusedWith(tooManyNames, formType, names(201).join('&'))
    await refusedWith(tooManyNames, jsonType, JSON.stringify(Object.fromEntries(names(201).map(each => [each, 1]))))
    await refusedWith(tooManyValues, jsonType, nestedTexts(name))
    await refusedWith(tooManyValues, jsonType, `{"${name}":[${'[],'.repeat(2_001)}1]}`)
  })
}

test('of more than 20 unknown names 20 are named, at every depth', async () => {
  const json = JSON.stringify(Object.fromEntries(names(200).map(each => [each, 1])))
  const { errors } = answered(await post('/api/v5/rest/transactions', jsonType, json), 422).json
  assert.deepEqual(Object.keys(errors), names(20))
  const inner = JSON.stringify({
    amount: '1.00',
    custom_fields: [Object.fromEntries(names(200).map(each => [each, 1]))],
  })
  const found = answered(await post('/api/v5/rest/offers', jsonType, inner), 422).json.errors
  assert.deepEqual(
    Object.keys(found),
    names(20).map(each => `custom_fields[0][${each}]`),
  )
  const query = names(200).join('&')
  const ofQuery = answered(await post(`/token/registrations?${query}`, formType, 'token=x'), 422).json.errors
  assert.deepEqual(Object.keys(ofQuery), names(20))
})

test('a list that is too long is refused as a whole, in JSON and in a form', async () => {
  const list = JSON.stringify(Array(9_000).fill(1))
  const expected = /^custom_fields must be a list of at most 20/
  const inJson = await post('/api/v5/rest/offers', jsonType, `{"amount":"1.00","custom_fields":${list}}`)
  assert.match(answered(inJson, 422).json.errors.custom_fields, expected)
  const inForm = await post('/api/v5/rest/offers', formType, `amount=1.00&custom_fields=${list}`)
  assert.match(answered(inForm, 422).json.errors.custom_fields, expected)
})

test('custom data may have as many members and values as fit into an offer, and no more are read', async () => {
  const make = (custom_data: object) => service.demo.ask('offers', { json: { amount: '1.00', custom_data } })
  const most = (offerDetailsBytesMax - 500) / 2
  answered(await make({ a: Array(most).fill(1) }), 200)
  answered(await make({ a: Array(Math.floor(most / 1.5)).fill([]) }), 200)
  const members = Object.fromEntries(Array.from({ length: 1_700 }, (_, at) => [at.toString(36), '']))
  answered(await make(members), 200)
  const form = Object.entries({ amount: '1.00', ...members }).map(([name, value]) =>
    name === 'amount' ? `amount=${value}` : `custom_data[${name}]=${value}`,
  )
  const headers = { 'content-type': formType, authorization: service.demo.authorization }
  const url = `${service.baseUrl}/api/v5/rest/offers`
  answered(await send(url, { method: 'POST', headers, body: form.join('&') }), 200)
  const tooMany = await post(
    '/api/v5/rest/offers',
    jsonType,
    `{"amount":"1.00","custom_data":{"a":[${'1,'.repeat(10_001)}1]}}`,
  )
  assert.deepEqual(answered(tooMany, 422).json.errors, { general: 'The body has more than 10000 values. Send fewer.' })
  const asText = await post('/api/v5/rest/offers', formType, `amount=1.00&custom_fields=[${'1,'.repeat(10_001)}1]`)
  assert.deepEqual(answered(asText, 422).json.errors, {
    custom_fields: 'custom_fields has more than 10000 values. Send fewer.',
  })
})

for (const [path, sentence] of [
  ['/token/registrations', 'Too many registrations.'],
  ['/console/session', 'Too many requests.'],
] as const) {
  test(`${path} tells who asks too often to wait before it reads a body`, async t => {
    const { port, host, origin } = new URL(service.baseUrl)
    const heard: string[] = []
    const head = `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${origin}\r\nContent-Type: ${jsonType}\r\nContent-Length: 60000\r\n\r\n`
    const sockets = Array.from({ length: 150 }, () => net.connect(Number(port), '127.0.0.1'))
    t.after(() => {
      for (const socket of sockets) socket.destroy()
    })
    for (const socket of sockets) {
      socket.on('error', () => {})
      socket.setEncoding('utf8').on('data', text => heard.push(String(text)))
      socket.write(head)
    }
    await until('somebody is told to wait', async () => heard.length > 0)
    assert.match(heard[0] ?? '', /^HTTP\/1\.1 429 [\s\S]*retry-after: [1-9]/i)
    assert.ok(heard[0]?.includes(sentence), heard[0])
  })
}
