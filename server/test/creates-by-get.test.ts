// The interface creates by GET with a body. A GET without one lists, and nothing between the two may turn a charge into
// a list or a list into a charge.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { answered, answeredAbout, booked, refused, writingNothing } from './support/answers.ts'
import { type Answer, encodeForm, send } from './support/client.ts'
import { requestText, sendRaw } from './support/raw.ts'
import { startTestService, type TestService } from './support/service.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.stop())

const path = '/api/v5/rest/transactions'
const formType = { 'Content-Type': 'application/x-www-form-urlencoded' }

function raw(line: string, headers: { readonly [name: string]: string }, body = '') {
  const all = { Authorization: service.demo.authorization, ...headers }
  return sendRaw(service.baseUrl, requestText(line, all, body))
}

/** For an offer of its own: an equal GET is a repetition. */
async function newForm(): Promise<string> {
  return encodeForm({ service_offer: await service.demo.makeOffer(), token: service.demo.card })
}

async function charged(answer: Answer): Promise<void> {
  assert.equal(answeredAbout(answer, 200).headers['idempotent-replayed'], undefined)
  assert.equal((await booked(service.database.sql, 'charge', [answer.json.transaction.id])).count, 1)
}

test('a GET with a form or a JSON body creates', async () => {
  const { demo } = service
  const byForm = await demo.charge(demo.offer, demo.card, { method: 'GET' })
  const json = { service_offer: await demo.makeOffer(), token: demo.card }
  const byJson = await demo.ask('transactions', { method: 'GET', json })
  for (const answer of [byForm, byJson]) await charged(answer)
})

test('a GET with a body in chunks creates', async () => {
  const form = await newForm()
  const chunks = `5\r\n${form.slice(0, 5)}\r\n${(form.length - 5).toString(16)}\r\n${form.slice(5)}\r\n0\r\n\r\n`
  const answer = await raw(`GET ${path}`, { ...formType, 'Transfer-Encoding': 'chunked' }, chunks)
  await charged(answer)
})

test('a GET with a body creates however its address is written', async () => {
  const targets = [`http://tillbell.test${path}`, path.replace('t', '%74'), `${path}?`, `${path}#`]
  for (const target of targets) {
    const form = await newForm()
    const length = { 'Content-Length': String(form.length) }
    await charged(await raw(`GET ${target}`, { ...formType, ...length }, form))
  }
})

test('a GET without a body lists', async () => {
  const { demo, database } = service
  const answer = await writingNothing(database.sql, () => demo.ask('transactions'))
  assert.ok(Array.isArray(answered(answer, 200).json))
  const named = await writingNothing(database.sql, () => demo.ask('transactions?email=a/refunds@example.com'))
  assert.deepEqual(answered(named, 200).json, [])
})

const announcements = {
  'Content-Type': formType,
  'Content-Length: 0': { 'Content-Length': '0' },
  'an empty body in chunks': { 'Transfer-Encoding': 'chunked' },
  'all of them': { ...formType, 'Transfer-Encoding': 'chunked' },
}

for (const [name, headers] of Object.entries(announcements)) {
  test(`a GET that announces a body by ${name} and has none is 422, not a list`, async () => {
    const body = 'Transfer-Encoding' in headers ? '0\r\n\r\n' : ''
    const answer = await writingNothing(service.database.sql, () => raw(`GET ${path}`, headers, body))
    refused(answeredAbout(answer, 422), 422, ['service_offer', 'token'])
  })
}

test('service_offer or token in the query is 400 by GET and by POST, with and without a body', async () => {
  const form = await newForm()
  const { demo, baseUrl, database } = service
  const inQuery = [
    { query: form, fields: ['service_offer', 'token'] },
    { query: `service_offer=${demo.offer}`, fields: ['service_offer'] },
    { query: `token=${demo.card}`, fields: ['token'] },
    { query: 'limit=1&token', fields: ['token'] },
    { query: `service%5Foffer=${demo.offer}&service_offer=x`, fields: ['service_offer'] },
  ]
  for (const { query, fields } of inQuery) {
    for (const method of ['GET', 'POST']) {
      for (const body of [null, form]) {
        const headers = {
          authorization: demo.authorization,
          ...(body !== null && { 'content-type': 'application/x-www-form-urlencoded' }),
        }
        const ask = () => send(`${baseUrl}${path}?${query}`, { method, headers, body })
        refused(answeredAbout(await writingNothing(database.sql, ask), 400), 400, fields)
      }
    }
  }
})

test('a refund by GET needs a body, and its arguments never come from the query', async () => {
  const { demo, database } = service
  const { json } = await demo.charge(demo.offer, demo.card)
  const { id } = json.transaction
  const empty = await writingNothing(database.sql, () => demo.ask('transactions/refunds'))
  refused(answeredAbout(empty, 422), 422, ['transaction'])
  const inQuery = await writingNothing(database.sql, () => demo.ask(`transactions/refunds?transaction=${id}`))
  refused(answeredAbout(inQuery, 400), 400, ['transaction'])
  const refund = await demo.ask('transactions/refunds', { method: 'GET', form: { transaction: id } })
  assert.equal(answeredAbout(refund, 200).json.transaction.status, 'Refunded')
})
