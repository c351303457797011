// A full card number, a CVC and a secret never reach the database or the log, wherever somebody puts them. Everything is
// done that could leave one behind; then every table is read as text, and every line of the log.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { readConfig } from '../src/config.ts'
import type { LetterId, MerchantId } from '../src/core/ids.ts'
import { type Foundation, openFoundation } from '../src/foundation.ts'
import { testCards } from '../src/gateways/sandbox/test-cards.ts'
import { inboundPorts, mailResolver } from '../src/join-letters.ts'
import { readInThisThread } from '../src/mail/in/read-in-this-thread.ts'
import { takeIn } from '../src/mail/in/take-in.ts'
import { openLog } from '../src/observe/log.ts'
import { belongsTo } from '../src/setup/merchant.ts'
import { answered, answeredAbout, refused, writingNothing } from './support/answers.ts'
import { everythingAtRest, written } from './support/at-rest.ts'
import { makeCardLink } from './support/card-links.ts'
import { Client, encodeForm, send } from './support/client.ts'
import { addEndpoint, removeEndpoints, startEndpoint } from './support/merchant-endpoint.ts'
import { startTestService, type TestService } from './support/service.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.stop())

/** Not one of the test cards, and a real brand's number all the same: what a stranger would type. */
const strangersNumber = '4242424242424242'
/** Not four digits, which stand in every time and port and could be anything. */
const cvc = 'c7!9'
const gatewayPath = 'sandbox-credential-7f3a9'
const numbers = [...testCards.map(({ number }) => number), strangersNumber]

test('a value that is wholly a card number is refused wherever it would be kept as given', async () => {
  const { demo, database } = service
  const values = written('4111111111111111')
  for (const name of ['ref_id', 'tag', 'campaign', 'form', 'title', 'anything']) {
    for (const value of values) {
      const ask = () => demo.ask('offers', { form: { amount: '5.00', [name]: value } })
      refused(await writingNothing(database.sql, ask), 422, [name])
    }
  }
  for (const anything of [4111111111111111, ['4111111111111111'], { a: { b: '4111 1111 1111 1111' } }]) {
    const ask = () => demo.ask('offers', { json: { amount: '5.00', anything } })
    refused(await writingNothing(database.sql, ask), 422, ['anything'])
  }
  for (const value of values) {
    const ask = () => demo.charge(demo.offer, demo.card, { form: { referrer_context: value } })
    refused(await writingNothing(database.sql, ask), 422, ['referrer_context'])
  }
  const named = await demo.ask('offers', { form: { amount: '5.00', '4111111111111111': 'x' } })
  answered(named, 422)
  assert.doesNotMatch(named.text, /4111111111111111/)
  for (const almost of ['4111111111111112', '9111111111111111', '411111111111']) {
    const { json } = answered(await demo.ask('offers', { form: { amount: '5.00', ref_id: almost } }), 200)
    assert.equal(json.offer.ref_id, almost)
  }
})

test('card numbers in the notes of a refund are masked, in the record as in the database', async () => {
  const { demo } = service
  const { id } = (await demo.charge(demo.offer, demo.card)).json.transaction
  const form = {
    transaction: id,
    user: 'Card 5555-5555-5555-4444',
    notes: 'Paid with 4111 1111 1111 1111, order 20261115, phone 0123456789012.',
  }
  const { json } = answeredAbout(await demo.ask('transactions/refunds', { form }), 200)
  assert.equal(json.transaction.refund.refunded_by, 'Card ****-****-****-4444')
  const reason = 'Paid with **** **** **** 1111, order 20261115, phone 0123456789012.'
  assert.equal(json.transaction.refund.refunded_reason, reason)
  assert.deepEqual((await demo.ask(`transactions/${id}`)).json, { transaction: json.transaction })
})

async function chargeEveryCard(): Promise<void> {
  const { demo } = service
  const quick = testCards.filter(({ behaviour }) => !behaviour.startsWith('time_out') && behaviour !== 'slow')
  const others = testCards.filter(card => !quick.includes(card))
  const store = (number: string) => demo.storeCard(number, { cvc, first_name: 'Ada' })
  for (const { number } of others) await store(number)
  for (const { number } of quick) {
    const card = await store(number)
    const { json } = await demo.charge(demo.offer, card, { key: `key-${number.slice(-4)}` })
    if (json.transaction.status !== 'Successful') continue
    const notes = `${number} was wrong, use ${written(number)[1]} (${strangersNumber})`
    answered(await demo.ask('transactions/refunds', { form: { transaction: json.transaction.id, notes } }), 200)
  }
}

async function askPreSale(): Promise<void> {
  const { demo, demoSheet, database } = service
  for (const status of [200, 403, 500]) {
    const said = `${strangersNumber} ${written(strangersNumber)[2]}`
    const endpoint = await startEndpoint(response => void response.writeHead(status).end(said))
    await addEndpoint(database.sql, demoSheet.merchant, { url: endpoint.url, kind: 'pre_sale' })
    await demo.charge(demo.offer, demo.card)
    assert.equal(endpoint.received.length, 1)
    await removeEndpoints(database.sql)
    await endpoint.close()
  }
}

/** Card numbers where none belong: in every argument, name, header, path and query that comes to mind. */
async function misplaceNumbers(): Promise<void> {
  const { demo, baseUrl } = service
  const number = strangersNumber
  const raw = (
    method: string,
    path: string,
    type: string,
    body: string | null,
    more: { [name: string]: string } = {},
  ) =>
    send(`${baseUrl}${path}`, {
      method,
      headers: { authorization: demo.authorization, 'content-type': type, ...more },
      body,
    })
  const rest = '/api/v5/rest'
  const json = 'application/json'
  const form = 'application/x-www-form-urlencoded'
  await demo.charge(number, number)
  await demo.charge(demo.offer, demo.card, { key: number })
  await demo.charge(demo.offer, demo.card, { form: { number, cvc, card_number: number } })
  await demo.charge(demo.offer, number, { form: { quantity: number, referrer_context: number } })
  await demo.ask('offers', { form: { amount: number } })
  await demo.ask('offers', { json: { amount: '5.00', card: { number, cvc } } })
  await demo.ask('transactions/refunds', { form: { transaction: number, notes: number } })
  await demo.ask('gateways', { json: { type: number, credentials: { number } } })
  for (const name of ['first_name', 'last_name', 'email', 'cvc', 'expiry_year']) {
    await demo.ask('sandbox/cards', {
      form: {
        number: '4111111111111111',
        expiry_month: 1,
        expiry_year: 2040,
        email: 'eve@example.com',
        cvc,
        [name]: number,
      },
    })
  }
  await demo.ask('sandbox/cards', {
    form: { number, cvc, expiry_month: 1, expiry_year: 2040, email: 'eve@example.com' },
  })
  await raw('GET', `${rest}/transactions/${number}`, form, null)
  await raw('GET', `${rest}/${number}?number=${number}`, form, null)
  await raw('GET', `${rest}/transactions?token=${number}&cvc=${cvc}`, form, null)
  await raw('POST', `${rest}/transactions`, json, `{"number":"${number}", broken`)
  await raw('POST', `${rest}/transactions`, form, `${number}=1&${number}=2`)
  await raw('POST', `${rest}/transactions`, 'text/plain', number)
  await raw('GET', `${rest}/offers`, form, null, { 'user-agent': number, 'x-forwarded-for': number, cookie: number })
}

/** On the page of a card: a stranger's number, the same where a name belongs, and a test card. */
async function enterOnPage(): Promise<void> {
  const { url } = await makeCardLink(service.demo)
  const form_token =
    /name="form_token" value="([\w-]+)"/.exec(await (await fetch(url)).text())?.[1] ?? assert.fail('no form')
  const filled = { expiry: '12/40', cvc: '123', consent: 'yes', form_token }
  const number = strangersNumber
  for (const entered of [{ number }, { number, cvc }, { reference: number }, { number: testCards[0]?.number ?? '' }]) {
    await fetch(url, { method: 'POST', body: new URLSearchParams({ ...filled, ...entered }), redirect: 'manual' })
  }
  assert.match(await (await fetch(url)).text(), /Your card is saved/)
}

/** The service fails inside while it holds a number and a secret. */
async function failInside(): Promise<void> {
  const { demo } = service
  const { sql } = service.database
  await sql`alter table customer rename to mislaid`
  await demo.ask('sandbox/cards', {
    form: { number: '4111111111111111', cvc, expiry_month: 1, expiry_year: 2040, email: 'eve@example.com' },
  })
  await demo.charge(demo.offer, demo.card, { form: { referrer_context: `number ${cvc}` } })
  await sql`alter table mislaid rename to customer`
  await sql`alter table gateway add constraint refuses check (type <> 'test') not valid`
  const credentials = { url: `http://127.0.0.1:9/${gatewayPath}` }
  refused(await demo.ask('gateways', { json: { type: 'test', credentials } }), 500, ['general'])
  await sql`alter table gateway drop constraint refuses`
  answered(await demo.ask('gateways', { json: { type: 'test', credentials } }), 200)
}

async function tryWrongSecrets(): Promise<void> {
  const { baseUrl, demoSheet } = service
  const { api_key, api_secret, private_key } = demoSheet
  const pairs: [unknown, unknown][] = [
    [api_key, private_key],
    [api_key, `${api_secret}x`],
    [api_secret, api_key],
    ['pk_nobody', api_secret],
    [strangersNumber, cvc],
  ]
  for (const [key, secret] of pairs) answered(await new Client(baseUrl, String(key), String(secret)).ask('offers'), 401)
  const query = encodeForm({ api_secret: String(api_secret), private_key })
  await send(`${baseUrl}/api/v5/rest/offers?${query}`, { method: 'GET', headers: {}, body: null })
}

/** Every way to a Standard Webhooks secret, each with a key, whose answer is kept for its repetition. */
async function makeHookSecrets(): Promise<string[]> {
  const { demo } = service
  const keyed = (name: string) => ({ headers: { 'idempotency-key': `secret-${name}` } })
  const url = 'https://shop.example.com/hook'
  const form = { kind: 'transaction', url, standard_webhooks: 'true' }
  const add = () => demo.ask('hook_endpoints', { form, ...keyed('add') })
  const { id, secret } = answered(await add(), 200).json.hook_endpoint
  const turn = (on: string) =>
    demo.ask(`hook_endpoints/${id}`, { method: 'PATCH', form: { standard_webhooks: on }, ...keyed(on) })
  const rotate = () => demo.ask(`hook_endpoints/${id}/rotate_secret`, { method: 'POST', ...keyed('rotate') })
  answered(await turn('false'), 200)
  const made = [secret, answered(await turn('true'), 200).json.hook_endpoint.secret]
  made.push(answered(await rotate(), 200).json.hook_endpoint.secret)
  assert.equal((await rotate()).json.hook_endpoint.secret, made[2], 'it is kept')
  assert.equal(new Set(made).size, 3)
  return made.flatMap(each => [each, each.slice('whsec_'.length), Buffer.from(each).toString('base64')])
}

/** Mails that ask to pay, with a number wherever one can be written. What is kept of them, opened: sealed is not enough. */
async function writeMails(): Promise<string> {
  const { database, dataFolder, demo } = service
  const config = readConfig({ DATABASE_URL: database.url, TILLBELL_DATA: dataFolder })
  const foundation = await openFoundation(config, 'guest', openLog('silent'))
  try {
    const to = `payment-id-${demo.offer}@localhost`
    const encoded = Buffer.from(`my card is ${strangersNumber}`).toString('base64')
    const signature = `v=1; a=rsa-sha256; d=${strangersNumber}.example.com; s=${strangersNumber}; h=from; bh=x; b=x`
    const fields = [`From: "${strangersNumber}" <mallory@example.com>`, `To: ${to}`, `DKIM-Signature: ${signature}`]
    for (const [number, body] of [
      `Message-ID: <${strangersNumber}@example.com>\r\n\r\nCard ${written(strangersNumber)[1]}, please.`,
      `Content-Type: text/plain\r\nContent-Transfer-Encoding: base64\r\n\r\n${encoded}`,
      `Subject: =?utf-8?B?${encoded}?=\r\n\r\nPlease.`,
    ].entries()) {
      const raw = Buffer.from([`X-Number: ${number}`, ...fields, body].join('\r\n'))
      const envelope = { mailFrom: 'mallory@example.com', rcptTo: to, clientAddress: '127.0.0.1', helo: 'localhost' }
      const ports = { ...inboundPorts(foundation, mailResolver(foundation).resolve), reader: readInThisThread }
      assert.equal((await takeIn(ports, envelope, raw)).kind, 'taken')
    }
    return await openMails(foundation)
  } finally {
    await foundation.close()
  }
}

async function openMails({ sql, sealer }: Foundation): Promise<string> {
  const rows = await sql<{ merchantId: MerchantId; id: LetterId; rawSealed: Buffer }[]>`
    select merchant_id, id, raw_sealed from letter order by id`
  const mails = rows.map(({ merchantId, id, rawSealed }) => sealer.open(rawSealed, belongsTo.letter(merchantId, id)))
  assert.deepEqual([mails.length, mails[0]?.includes('Card **** **** **** 4242, please.')], [3, true])
  return mails.join('\n').replace(/[A-Za-z0-9+/=]{24,}/g, word => `${word} ${Buffer.from(word, 'base64')}`)
}

test('after all that, no number, no CVC and no secret is in any table or in the log', async () => {
  for (const work of [chargeEveryCard, askPreSale, misplaceNumbers, enterOnPage, failInside, tryWrongSecrets])
    await work()
  const mails = await writeMails()
  const hookSecrets = await makeHookSecrets()
  const { demoSheet } = service
  const { api_secret, private_key, dashboard } = demoSheet
  const { password } = dashboard as { password: string }
  const pair = service.demo.authorization.slice('Basic '.length)
  const given = [cvc, String(api_secret), pair, private_key, password, gatewayPath]
  const secrets = [...numbers.flatMap(written), ...given, ...hookSecrets]
  const apart = [
    { table: 'the log', text: service.logged() },
    { table: 'a sealed mail', text: mails },
  ]
  const places = [...(await everythingAtRest(service.database.sql)), ...apart]
  const tables = places.map(({ table }) => table)
  for (const table of [
    'transaction',
    'operation',
    'sandbox_entry',
    'pre_sale_request',
    'merchant_key',
    'event',
    'letter',
  ]) {
    assert.ok(tables.includes(table))
  }
  for (const { table, text } of places) {
    for (const secret of secrets) assert.ok(!text.includes(secret), `${secret.slice(0, 4)}… is in ${table}`)
  }
  const shown = places.map(({ text }) => text).join('\n')
  assert.ok(
    shown.includes('Ada') && shown.includes('************4242') && shown.includes('"status":500'),
    'it was searched',
  )
})
