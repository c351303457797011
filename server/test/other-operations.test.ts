// Offers, cards, gateways and lists: what is given comes back, pages can be walked, secrets are never shown.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { answered, refused } from './support/answers.ts'
import type { Answer, Client } from './support/client.ts'
import { startTestService, type TestService } from './support/service.ts'

let service: TestService
let merchant: Client & { readonly merchant: string }
before(async () => {
  service = await startTestService()
  merchant = await service.newMerchant()
})
after(() => service.stop())

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/

/** Follows the links from page to page. */
async function walk(client: Client, path: string): Promise<Answer[]> {
  const pages: Answer[] = []
  for (let next: string | undefined = path; next !== undefined; ) {
    const page: Answer = answered(await client.ask(next), 200)
    pages.push(page)
    assert.ok(pages.length < 50, 'the pages go in circles')
    const [, url] = /^<(.+)>; rel="next"$/.exec(String(page.headers.link ?? '')) ?? []
    const prefix = `${client.baseUrl}/api/v5/rest/`
    if (url !== undefined) assert.ok(url.startsWith(prefix), url)
    next = url?.slice(prefix.length)
  }
  return pages
}

test('every field of an offer comes back', async () => {
  const { json: gateways } = await merchant.ask('gateways')
  const given = {
    title: 'Bell & "clapper"',
    details: 'Rings.',
    ref_id: 'r-9',
    campaign: 'c',
    tag: 't',
    form: 'f',
    currency: 'EUR',
    stock: 7,
    gateway: gateways[0].id,
    custom_fields: [
      { name: 'Size', required: true },
      { name: 'Note', required: false },
    ],
    address: 'billing',
    custom_user_data: 'x'.repeat(2500),
    fulfillment: 3,
    email: 'ada@example.com',
    authorization_only: true,
  }
  const page_url = 'https://shop.example.com/bell?a=1&b=2'
  const custom_data = { colour: 'red', nested: { a: [1, null, 'ü'] }, toString: 'x' }
  const asked = { ...given, custom_data, page_url, amount: '19.9', expires_at: '2099-01-02T03:04:05+02:00' }
  const { json } = answered(await merchant.ask('offers', { json: asked }), 200)
  const { offer_id, created_at, button_html, mail_to, qr_code, ...rest } = json.offer
  assert.deepEqual(rest, {
    ...given,
    custom_data,
    amount: '19.90',
    expires_at: '2099-01-02T01:04:05.000+00:00',
    pcp_url: page_url,
    merchant: merchant.merchant,
    active: true,
  })
  assert.match(offer_id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/)
  assert.match(created_at, time)
  assert.equal(qr_code, `${merchant.baseUrl}/offers/${offer_id}.png`)
  // It is for one customer, and so its link is that customer's own.
  assert.ok(mail_to.startsWith('mailto:transaction@localhost?subject=19.90%20EUR%20to%20'), mail_to)
  assert.ok(
    button_html.includes('href="https://shop.example.com/bell?a=1&amp;b=2"') && button_html.includes('19.90 EUR'),
  )
  assert.deepEqual((await merchant.ask(`offers/${offer_id.toUpperCase()}`)).json, json)
})

test('what is left out of an offer has a default, by form as by JSON', async () => {
  const { json } = answered(await merchant.ask('offers', { form: { amount: '100' } }), 200)
  const { offer_id, created_at: _, button_html, mail_to: __, qr_code: ___, ...rest } = json.offer
  assert.deepEqual(rest, {
    title: 'Payment of $100.00.',
    amount: '100.00',
    currency: 'USD',
    pcp_url: `${merchant.baseUrl}/offers/${offer_id}`,
    merchant: merchant.merchant,
    ref_id: null,
    details: null,
    campaign: null,
    tag: null,
    form: null,
    stock: null,
    expires_at: null,
    gateway: null,
    custom_fields: [],
    address: null,
    custom_user_data: null,
    fulfillment: null,
    email: null,
    authorization_only: false,
    custom_data: {},
    active: true,
  })
  assert.match(button_html, /Pay \$100\.00/)
  const form = { amount: '5.00', custom_fields: '[{"name":"Size"}]', stock: '0', fulfillment: '0', title: '' }
  const byForm = answered(await merchant.ask('offers', { form }), 200).json.offer
  assert.deepEqual(byForm.custom_fields, [{ name: 'Size', required: false }])
  assert.deepEqual([byForm.stock, byForm.fulfillment, byForm.title], [0, 0, 'Payment of $5.00.'])
})

test('offers are listed newest first, and the links lead through all of them once', async () => {
  const seller = await service.newMerchant()
  const made: string[] = []
  for (let index = 0; index < 7; index++) made.unshift(await seller.makeOffer({ ref_id: `${index}` }))
  const pages = await walk(seller, 'offers?limit=3')
  assert.deepEqual(
    pages.flatMap(({ json }) => json.map((offer: { offer_id: string }) => offer.offer_id)),
    made,
  )
  assert.deepEqual(
    pages.map(({ json }) => json.length),
    [3, 3, 1],
  )
  const all = answered(await seller.ask('offers'), 200)
  assert.deepEqual([all.json.length, all.headers.link], [7, undefined])
  const rest = answered(await seller.ask(`offers?after=${made[4]}&limit=100`), 200)
  assert.equal(rest.json.length, 2)
})

test('a list has 25 rows where nobody says how many, and 100 at most', async () => {
  const seller = await service.newMerchant()
  await Promise.all(Array.from({ length: 26 }, () => seller.makeOffer()))
  const page = answered(await seller.ask('offers'), 200)
  assert.equal(page.json.length, 25)
  assert.match(String(page.headers.link), /rel="next"/)
  assert.equal(answered(await seller.ask('offers?limit=100'), 200).json.length, 26)
  refused(await seller.ask('offers?limit=101'), 422, ['limit'])
})

test('deleting an offer deactivates it, once and again, and keeps it to be seen', async () => {
  const offer = await merchant.makeOffer()
  for (let round = 0; round < 2; round++) {
    const { json } = answered(await merchant.ask(`offers/${offer}`, { method: 'DELETE' }), 200)
    assert.equal(json.offer.active, false)
  }
  assert.equal((await merchant.ask(`offers/${offer}`)).json.offer.active, false)
})

test('cards show masks only, by list, by customer and one by one, until they are removed', async () => {
  const seller = await service.newMerchant()
  const tokens: string[] = []
  const numbers = ['4111111111111111', '5555555555554444', '6011111111111117', '378282246310005', '4012888888881881']
  for (const [index, number] of numbers.entries()) {
    tokens.unshift(await seller.storeCard(number, { email: `${index % 2 ? 'Odd' : 'even'}@example.com`, cvc: '123' }))
  }
  const pages = await walk(seller, 'credit_cards?limit=2')
  const cards = pages.flatMap(({ json }) => json)
  const of = (name: string) => cards.map(card => card[name])
  assert.deepEqual(of('service_token'), tokens)
  assert.deepEqual(of('card_mask'), ['1881', '0005', '1117', '4444', '1111'])
  assert.deepEqual(of('card_type'), ['visa', 'american_express', 'discover', 'master', 'visa'])
  const { created_at, gateway, gateways, ...shown } = cards[4]
  assert.match(created_at, time)
  assert.deepEqual(gateways, [gateway])
  assert.equal(gateway, (await seller.ask('gateways')).json[0].id)
  assert.deepEqual(shown, {
    service_token: tokens[4],
    card_mask: '1111',
    card_type: 'visa',
    expiration_date: '2040-12-01',
    first_name: '',
    last_name: '',
    email: 'even@example.com',
    billing_address: '',
    confirmed: true,
  })
  const odd = answered(await seller.ask('credit_cards?email=ODD@example.com'), 200)
  assert.deepEqual(
    odd.json.map((card: { service_token: string }) => card.service_token),
    [tokens[1], tokens[3]],
  )
  assert.deepEqual((await seller.ask('credit_cards?email=nobody@example.com')).json, [])
  assert.deepEqual((await seller.ask(`credit_cards/${tokens[4]}`)).json, { card: cards[4] })
  answered(await seller.ask(`credit_cards/${tokens[4]}`, { method: 'DELETE' }), 200)
  refused(await seller.ask(`credit_cards/${tokens[4]}`), 404, ['service_token'])
  refused(await seller.ask(`credit_cards/${tokens[4]}`, { method: 'DELETE' }), 404, ['service_token'])
  assert.equal((await seller.ask('credit_cards')).json.length, 4)
  const rows = await service.database.sql`select from sandbox_card where account = ${gateway}`
  assert.equal(rows.length, 4, 'it is gone at the gateway too')
})

test('a gateway never shows its credentials, and the default moves, also in a crowd', async () => {
  const seller = await service.newMerchant()
  const url = 'http://127.0.0.1:9/secret-path'
  const first = answered(await seller.ask('gateways', { json: { type: 'test', credentials: { url } } }), 200)
  const { id, created_at, ...rest } = first.json.gateway
  assert.match(id, /^gw_[A-Za-z0-9_-]{22}$/)
  assert.match(created_at, time)
  assert.deepEqual(rest, { type: 'test', default: false, fallback: null, status: 'active', events_url: null })
  const change = (of: string, form: { [name: string]: string }) =>
    seller.ask(`gateways/${of}`, { method: 'PATCH', form })
  const same = JSON.stringify({ url })
  answered(await change(id, { default: 'true', credentials: same }), 200)
  const changed = answered(await change(id, { status: 'inactive' }), 200)
  assert.deepEqual([changed.json.gateway.default, changed.json.gateway.status], [true, 'inactive'])
  refused(await change(id, { default: 'false' }), 422, ['default'])
  const made = await Promise.all(
    Array.from({ length: 8 }, () => seller.ask('gateways', { json: { type: 'test', default: true } })),
  )
  for (const answer of made) answered(answer, 200)
  const turns = made.map(answer => change(answer.json.gateway.id, { default: 'true' }))
  for (const answer of await Promise.all(turns)) answered(answer, 200)
  const list = answered(await seller.ask('gateways'), 200)
  assert.equal(list.json.length, 10)
  assert.equal(list.json.filter((gateway: { default: boolean }) => gateway.default).length, 1)
  assert.doesNotMatch(list.text + changed.text + first.text, /secret-path|credentials/)
})

test('transactions are listed newest first, with every filter, alone and together', async () => {
  const seller = await service.newMerchant()
  const [bell, drum] = [await seller.makeOffer(), await seller.makeOffer()]
  const ada = await seller.storeCard()
  const bob = await seller.storeCard('4012888888881881', { email: 'bob@example.com' })
  const charged: { id: string; created_at: string }[] = []
  for (const [offer, card] of [
    [bell, ada],
    [bell, bob],
    [drum, ada],
    [drum, bob],
    [drum, ada],
  ] as const) {
    charged.unshift((await seller.charge(offer, card)).json.transaction)
  }
  const ids = charged.map(({ id }) => id)
  const listed = async (query: string) => {
    const { json } = answered(await seller.ask(`transactions?${query}`), 200)
    return json.map((record: { id: string }) => ids.indexOf(record.id))
  }
  assert.deepEqual(await listed(''), [0, 1, 2, 3, 4])
  assert.deepEqual(await listed('status=Successful'), [0, 2, 4])
  assert.deepEqual(await listed('status=Failed'), [1, 3])
  assert.deepEqual(await listed('status=Partially+Refunded'), [])
  assert.deepEqual(await listed('source=Web%20Transaction'), [0, 1, 2, 3, 4])
  assert.deepEqual(await listed('source=Email%20Transaction'), [])
  assert.deepEqual(await listed(`offer=${drum.toUpperCase()}`), [0, 1, 2])
  assert.deepEqual(await listed('email=BOB@example.com'), [1, 3])
  assert.deepEqual(await listed(`offer=${drum}&email=ada@example.com&status=Successful&limit=1`), [0])
  const at = (index: number) => encodeURIComponent(charged[index]?.created_at ?? '')
  assert.deepEqual(await listed(`created_after=${at(2)}`), [0, 1])
  assert.deepEqual(await listed(`created_before=${at(2)}`), [3, 4])
  assert.deepEqual(await listed(`created_after=${at(4)}&created_before=${at(0)}`), [1, 2, 3])
  const unencoded = `created_after=${charged[4]?.created_at}&created_before=${charged[0]?.created_at}`
  assert.ok(unencoded.includes('+'))
  assert.deepEqual(await listed(unencoded), [1, 2, 3], 'a bare + is a blank in a query')
  assert.deepEqual(await listed(`after=${ids[2]}`), [3, 4])
  const pages = await walk(seller, 'transactions?limit=2&email=ada@example.com')
  assert.deepEqual(
    pages.flatMap(({ json }) => json.map((record: { id: string }) => ids.indexOf(record.id))),
    [0, 2, 4],
  )
  const one = answered(await seller.ask(`transactions/${ids[1]?.toUpperCase()}`), 200)
  assert.deepEqual(one.json, { transaction: charged[1] })
})
