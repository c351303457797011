// Pre-Sale: the merchant is asked once, before the gateway is. A stop is 409, an error 424, and in both the gateway is
// never called.

import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { after, afterEach, before, test } from 'node:test'
import { answeredAbout, booked } from './support/answers.ts'
import { addEndpoint, type MerchantEndpoint, removeEndpoints, startEndpoint } from './support/merchant-endpoint.ts'
import { startTestService, type TestService } from './support/service.ts'

let service: TestService
const open: MerchantEndpoint[] = []
before(async () => {
  service = await startTestService()
})
afterEach(async () => {
  await removeEndpoints(service.database.sql)
  await Promise.all(open.splice(0).map(endpoint => endpoint.close()))
})
after(() => service.stop())

const saying =
  (status: number, text = '') =>
  (response: ServerResponse) =>
    void response.writeHead(status).end(text)

async function asking(answer: (response: ServerResponse) => void): Promise<MerchantEndpoint> {
  const endpoint = await startEndpoint(answer)
  open.push(endpoint)
  const { merchant } = service.demoSheet
  await addEndpoint(service.database.sql, merchant, { url: endpoint.url, kind: 'pre_sale' })
  return endpoint
}

/** Charges one of two units of an offer. */
async function sell() {
  const { demo } = service
  const offer = await demo.makeOffer({ stock: 2, ref_id: 'bell' })
  return { offer, answer: await demo.charge(offer, demo.card, { form: { referrer_context: 'shop 7' } }) }
}

async function neverCharged(offer: string, transaction: string): Promise<void> {
  const { demo, database } = service
  const [operation] = await database.sql`select from operation where transaction_id = ${transaction}`
  assert.equal(operation, undefined)
  const [entry] = await database.sql`select from sandbox_entry where transaction_id = ${transaction}`
  assert.equal(entry, undefined)
  const shown = await demo.ask(`offers/${offer}`)
  assert.equal(shown.json.offer.stock, 2, 'the unit came back')
}

async function eventsOf(transaction: string): Promise<string[]> {
  const rows = await service.database.sql<
    { type: string }[]
  >`select type from event where transaction_id = ${transaction}`
  return rows.map(({ type }) => type)
}

test('the request has exactly details and signature, and the signature verifies', async () => {
  const endpoint = await asking(saying(204))
  const { answer } = await sell()
  answeredAbout(answer, 200)
  assert.equal(endpoint.received.length, 1)
  const [{ method, rawHeaders, body } = assert.fail()] = endpoint.received
  const names = rawHeaders.filter((_, index) => index % 2 === 0)
  assert.equal(method, 'POST')
  assert.deepEqual(names, ['Accept', 'Content-Type', 'Connection', 'Host', 'Content-Length'])
  assert.deepEqual(rawHeaders.slice(1, 6), [
    '*/*',
    'Content-Type',
    'application/x-www-form-urlencoded',
    'Connection',
    'close',
  ])
  const parameters = [...new URLSearchParams(body)]
  assert.deepEqual(
    parameters.map(([name]) => name),
    ['details', 'signature'],
  )
  const { details = '', signature } = Object.fromEntries(parameters)
  const expected = createHmac('sha1', service.demoSheet.private_key).update(details).digest('hex')
  assert.equal(signature, expected)
})

test('details say what is about to be charged, with every field of the interface', async () => {
  const endpoint = await asking(saying(200))
  const { demo, demoSheet, baseUrl } = service
  const { offer, answer } = await sell()
  const [{ body } = assert.fail()] = endpoint.received
  const details = JSON.parse(new URLSearchParams(body).get('details') ?? '')
  const { date, token, user_data, ...rest } = details
  assert.deepEqual(rest, {
    type: 'pre_sale',
    transaction: answer.json.transaction.id,
    partner: demoSheet.partner,
    partner_id: demoSheet.partner_id,
    amount: '100.00',
    balance: '0.00',
    unit_price: '100.00',
    quantity: 1,
    payment_method: demo.card,
    payment_method_mask: '1111',
    card: demo.card,
    name: 'Ada Lovelace',
    email: 'ada@example.com',
    authorization: true,
    capture: true,
    referrer_context: 'shop 7',
    error: null,
    errors: {},
  })
  assert.ok(Number.isInteger(date) && Math.abs(date - Date.now() / 1_000) < 60)
  const { content, user_data: offers, ...about } = token
  assert.deepEqual(about, { amount: 100, site: true, url: `${baseUrl}/offers/${offer}`, active: true })
  assert.match(content, /^@.+@$/)
  assert.equal(offers.ref_id, 'bell')
  assert.deepEqual([user_data.quantity, user_data.ref_id], ['1', 'bell'])
})

for (const status of [200, 201, 204, 299]) {
  test(`${status} lets the charge go on, once`, async () => {
    const endpoint = await asking(saying(status))
    const { id, status: state } = answeredAbout((await sell()).answer, 200).json.transaction
    assert.equal(state, 'Successful')
    assert.equal(endpoint.received.length, 1)
    assert.equal((await booked(service.database.sql, 'charge', [id])).count, 1)
  })
}

for (const status of [300, 302, 400, 404, 409, 410, 429, 499]) {
  test(`${status} stops the sale: 409, and nobody who consented waits for word`, async () => {
    const endpoint = await asking(response => void response.writeHead(status, { location: '/elsewhere' }).end())
    const { offer, answer } = await sell()
    const { json } = answeredAbout(answer, 409)
    const { id, status: state, error_code } = json.transaction
    assert.deepEqual([state, error_code], ['Failed', 'pre_sale_stopped'])
    assert.deepEqual(Object.keys(json.errors), ['general'])
    assert.equal(endpoint.received.length, 1)
    await neverCharged(offer, id)
    assert.deepEqual(await eventsOf(id), [])
  })
}

const errors: { readonly [name: string]: (response: ServerResponse) => void } = {
  '500': saying(500),
  '503': saying(503, 'try later'),
  '599': saying(599),
  'no answer within its limit': () => {},
  'a broken connection': response => void response.socket?.resetAndDestroy(),
  'an answer that breaks off': response => {
    response.writeHead(200, { 'content-length': '100' }).write('half', () => response.socket?.destroy())
  },
  'what is not HTTP': response => void response.socket?.end('nonsense\r\n\r\n'),
}

for (const [name, answers] of Object.entries(errors)) {
  test(`${name} is an error: 424, the gateway is never called, and Error is owed`, async () => {
    const endpoint = await asking(answers)
    const { offer, answer } = await sell()
    const { json } = answeredAbout(answer, 424)
    const { id, status, error_code } = json.transaction
    assert.deepEqual([status, error_code], ['Failed', 'pre_sale_error'])
    assert.deepEqual(Object.keys(json.errors), ['general'])
    assert.equal(endpoint.received.length, 1)
    await neverCharged(offer, id)
    assert.deepEqual(await eventsOf(id), ['error'])
  })
}

test('an endpoint that nobody listens at, or that is paused, is an error', async () => {
  const gone = await startEndpoint(saying(200))
  await gone.close()
  const { sql } = service.database
  for (const status of ['enabled', 'paused'] as const) {
    await removeEndpoints(sql)
    await addEndpoint(sql, service.demoSheet.merchant, { url: gone.url, kind: 'pre_sale', status })
    const { offer, answer } = await sell()
    await neverCharged(offer, answeredAbout(answer, 424).json.transaction.id)
  }
})

test('of several endpoints an error outweighs a stop, a stop outweighs consent, and who consented is told', async () => {
  const verdicts = [
    { said: [200, 404], status: 409, events: ['error'] },
    { said: [404, 500], status: 424, events: ['error'] },
    { said: [200, 500], status: 424, events: ['error'] },
    { said: [404, 410], status: 409, events: [] },
    { said: [200, 202], status: 200, events: ['success'] },
  ]
  for (const { said, status, events } of verdicts) {
    const endpoints = await Promise.all(said.map(each => asking(saying(each))))
    const { answer } = await sell()
    const { id } = answeredAbout(answer, status).json.transaction
    assert.deepEqual(await eventsOf(id), events)
    for (const { received } of endpoints) assert.equal(received.length, 1)
    await removeEndpoints(service.database.sql)
  }
})

test('the answer is kept as evidence, with card numbers masked', async () => {
  await asking(saying(403, 'No: 4111 1111 1111 1111 is blocked\0'))
  const { id } = answeredAbout((await sell()).answer, 409).json.transaction
  const [kept] = await service.database.sql`select status, reason, answer, answered_at from pre_sale_request
    where transaction_id = ${id}`
  assert.deepEqual([kept?.status, kept?.reason], [403, null])
  assert.equal(kept?.answer, 'No: **** **** **** 1111 is blocked\uFFFD')
  assert.ok(kept?.answeredAt instanceof Date)
})
