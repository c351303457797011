// Arguments that are wrong: each is refused in one sentence about its field, and nothing is written.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { answered, refused, writingNothing } from './support/answers.ts'
import { type Answer, type Client, send } from './support/client.ts'
import { startTestService, type TestService } from './support/service.ts'

let service: TestService
let other: Client & { readonly merchant: string }
before(async () => {
  service = await startTestService()
  other = await service.newMerchant()
})
after(() => service.stop())

async function refusedWith(status: number, fields: readonly string[], ask: () => Promise<Answer>): Promise<void> {
  refused(await writingNothing(service.database.sql, ask), status, fields)
}

/** A charge that would succeed, but for these arguments. */
function chargeWith(wrong: { readonly [name: string]: unknown }): () => Promise<Answer> {
  const { demo } = service
  return () => demo.ask('transactions', { json: { service_offer: demo.offer, token: demo.card, ...wrong } })
}

function chargeWithForm(wrong: { readonly [name: string]: string }): () => Promise<Answer> {
  const { demo } = service
  return () => demo.ask('transactions', { form: { service_offer: demo.offer, token: demo.card, ...wrong } })
}

function offerWith(wrong: { readonly [name: string]: unknown }): () => Promise<Answer> {
  return () => service.demo.ask('offers', { json: { amount: '5.00', ...wrong } })
}

test('an argument of the wrong type is refused by name', async () => {
  for (const value of [null, 5, true, [], {}, [service.demo.offer], '', 'x'.repeat(256)]) {
    await refusedWith(422, ['service_offer'], chargeWith({ service_offer: value }))
    await refusedWith(422, ['token'], chargeWith({ token: value }))
  }
  for (const value of [null, 'yes', '1', 1, 'TRUE', '']) {
    await refusedWith(422, ['authorization_only'], chargeWith({ authorization_only: value }))
  }
  for (const value of [null, 5, {}, 'x'.repeat(256)]) {
    await refusedWith(422, ['referrer_context'], chargeWith({ referrer_context: value }))
  }
  const wrong = { quantity: 0, authorization_only: 'no', referrer_context: 1 }
  await refusedWith(422, Object.keys(wrong), chargeWith(wrong))
})

test('quantity is a whole number from 1 to 9999, written plainly', async () => {
  for (const quantity of ['0', '10000', '1.5', '1e1', ' 1', '1 ', '0x10', '-1', '+1', '01', '', '１', 'NaN']) {
    await refusedWith(422, ['quantity'], chargeWithForm({ quantity }))
    await refusedWith(422, ['quantity'], chargeWith({ quantity }))
  }
  for (const quantity of [0, 10_000, 1.5, -1, 1e21, null, true, [1], {}]) {
    await refusedWith(422, ['quantity'], chargeWith({ quantity }))
  }
  const cheap = await service.demo.makeOffer({ amount: '0.01' })
  for (const quantity of [1, 9_999, '9999']) {
    const { json } = answered(await chargeWith({ service_offer: cheap, quantity })(), 200)
    assert.equal(json.transaction.amount, (Number(quantity) / 100).toFixed(2))
  }
})

test('an amount is plain decimal text in the currency’s decimals', async () => {
  const wrong = [
    ...['1e3', 'NaN', 'Infinity', '-5', '+5', '1.234', '', '   ', ' 5', '5 ', '1234567890123', '12345678901.23'],
    ...['0', '0.00', '00.5', '05', '.5', '5.', '5,00', '1_000', '0x10', '٥', '5.00\n', '$5', 'x'.repeat(50)],
  ]
  for (const amount of wrong) {
    await refusedWith(422, ['amount'], offerWith({ amount }))
    await refusedWith(422, ['amount'], () => service.demo.ask('offers', { form: { amount } }))
  }
  for (const amount of [5, 5.5, null, true, ['5.00'], {}]) await refusedWith(422, ['amount'], offerWith({ amount }))
  await refusedWith(422, ['amount'], () => service.demo.ask('offers', { json: { title: 'No amount' } }))
})

test('a currency is an ISO 4217 code, and its decimals count', async () => {
  await refusedWith(422, ['amount'], offerWith({ amount: '5.00', currency: 'JPY' }))
  await refusedWith(422, ['amount'], offerWith({ amount: '5.0001', currency: 'KWD' }))
  for (const currency of ['XXX', 'US', 'USDD', '', '$', 'constructor', 840, null]) {
    await refusedWith(422, ['currency'], offerWith({ currency }))
  }
  for (const [amount, currency] of [
    ['500', 'JPY'],
    ['5.001', 'KWD'],
    ['999999999999', 'JPY'],
    ['9999999999.99', 'usd'],
  ]) {
    const { json } = answered(await offerWith({ amount, currency })(), 200)
    assert.deepEqual([json.offer.amount, json.offer.currency], [amount, currency?.toUpperCase()])
  }
})

test('times, addresses and choices of an offer must make sense', async () => {
  const times = [
    ...['2026-02-30T10:00:00Z', '2026-13-01T10:00:00Z', '2026-11-15', 'tomorrow', '', '2026-11-15T25:00:00Z'],
    ...['2026-11-15T10:00:00', '0000-01-01T00:00:00Z', '9999-12-31T23:59:59-23:59', '2026-11-15T10:00:00+99:00'],
    ...['2026-11-15 10:00:00Z', '2026-11-15T10:00:00  00:00', '2026-11-15T10:00:00 Z', '2026-11-15T10:00:00 99:00'],
  ]
  for (const expires_at of times) await refusedWith(422, ['expires_at'], offerWith({ expires_at }))
  const urls = [
    ...['javascript:alert(1)', 'ftp://example.com', 'example.com', '', '//example.com', 'https://', 'data:text/html,x'],
    ...[' https://example.com', 'https://exa mple.com', 'https://example.com/<b>', `https://e.com/${'x'.repeat(2048)}`],
  ]
  for (const page_url of urls) await refusedWith(422, ['page_url'], offerWith({ page_url }))
  const notOne = ['ada', 'a@', '@b', 'a b@c', 'a@b@c', 'a@b,c@d', '<a@b>', '']
  const anotherName = ['x:a@b.c', 'a@b.c(x)', '"a"@b.c', 'a@b.c.', 'a..a@b.c', `${'a'.repeat(65)}@b.c`]
  for (const email of [...notOne, ...anotherName]) {
    await refusedWith(422, ['email'], offerWith({ email }))
  }
  for (const stock of [-1, 1.5, '1e3', 1_000_000_001]) await refusedWith(422, ['stock'], offerWith({ stock }))
  await refusedWith(422, ['address'], offerWith({ address: 'home' }))
  await refusedWith(422, ['fulfillment'], offerWith({ fulfillment: 'soon' }))
  await refusedWith(422, ['custom_user_data'], offerWith({ custom_user_data: 'x'.repeat(2501) }))
  await refusedWith(422, ['custom_data'], offerWith({ custom_data: { a: 'x'.repeat(30_000) } }))
})

test('a time is taken as we write it, also where the + of a form was not encoded', async () => {
  for (const [expires_at, means] of [
    ['2040-01-01T00:00:00.000+00:00', '2040-01-01T00:00:00.000+00:00'],
    ['2040-01-01T00:00:00.000 02:00', '2039-12-31T22:00:00.000+00:00'],
    ['2040-01-01T00:00:00-02:00', '2040-01-01T02:00:00.000+00:00'],
    ['2040-01-01T00:00:00Z', '2040-01-01T00:00:00.000+00:00'],
  ] as const) {
    const made = await service.demo.ask('offers', { form: { amount: '5.00', expires_at } })
    assert.equal(answered(made, 200).json.offer.expires_at, means, expires_at)
  }
  const { json } = await offerWith({ expires_at: '2040-01-01' })()
  assert.equal(json.errors.expires_at, 'expires_at must be a time such as "2026-11-15T10:00:00Z".')
})

test('custom data named test is refused: in a hook it would say that nothing was sold', async () => {
  for (const test of ['true', '', '1', { a: 1 }]) {
    await refusedWith(422, ['custom_data[test]'], offerWith({ custom_data: { test } }))
  }
})

test('custom fields have names of their own, and a clash is refused', async () => {
  const field = (name: unknown, required: unknown = true) => ({ name, required })
  const wrong = [
    ...['no JSON', '{}', '[1]', '[null]', 'null', '[{"name":"a\\u0000"}]', '[{"name":"\\ud800"}]', 5, {}],
    [field('test')],
    [field('a'), field('a')],
    [field('')],
    [field('x'.repeat(101))],
    [field('a', 'yes')],
    [field(5)],
    [field('colour')],
    [field('4111111111111111')],
    Array.from({ length: 21 }, (_, index) => field(`f${index}`)),
  ]
  for (const custom_fields of wrong) {
    await refusedWith(422, ['custom_fields'], offerWith({ custom_fields, custom_data: { colour: 'red' } }))
  }
})

test('a gateway must be of a known type, with credentials of the right shape', async () => {
  const connect = (json: object) => () => service.demo.ask('gateways', { json })
  for (const type of ['paypal', 'constructor', '__proto__', '']) await refusedWith(422, ['type'], connect({ type }))
  for (const credentials of ['no JSON', '5', [], 5, null, { url: 5 }, { url: 'ftp://x' }]) {
    await refusedWith(422, ['credentials'], connect({ type: 'test', credentials }))
  }
  await refusedWith(422, ['credentials[key]'], connect({ type: 'test', credentials: { key: 'sk_live_x' } }))
  await refusedWith(422, ['type'], connect({}))
  await refusedWith(404, ['gateway'], offerWith({ gateway: 'gw_AAAAAAAAAAAAAAAAAAAAAA' }))
  await refusedWith(422, ['status'], connect({ type: 'test', status: 'off' }))
  await refusedWith(422, ['default'], connect({ type: 'test', default: 'maybe' }))
})

test('a filter or a page that makes no sense is refused, not ignored', async () => {
  const queries = {
    limit: ['0', '101', '-1', '1.5', 'all', '', '1&limit=2'],
    after: ['x', ''],
    status: ['successful', 'Nope', ''],
    source: ['Mail'],
    offer: ['x'],
    email: ['x', 'a%00@b.c', 'a@b&email=c@d'],
    created_after: ['yesterday', '0', '0000-01-01T00:00:00Z', '2026-02-30T00:00:00Z'],
    created_before: ['9999-12-31T23:59:59-23:59'],
  }
  for (const [name, values] of Object.entries(queries)) {
    for (const value of values) {
      await refusedWith(422, [name], () => service.demo.ask(`transactions?${name}=${value}`))
    }
  }
})

test('an Idempotency-Key has 1 to 255 visible characters, on every operation that takes one', async () => {
  const { demo } = service
  const paid = await demo.charge(demo.offer, demo.card)
  const { id } = paid.json.transaction
  const asks = [
    { path: 'transactions', json: { service_offer: demo.offer, token: demo.card } },
    { path: 'transactions/refunds', json: { transaction: id } },
    { path: `transactions/${id}/capture`, json: {} },
    { path: `transactions/${id}/void`, json: {} },
    { path: 'offers', json: { amount: '5.00' } },
    { path: 'gateways', json: { type: 'test' } },
  ]
  for (const key of ['', ' ', 'a b', 'clé', 'x'.repeat(256), '4111111111111111', '4111-1111-1111-1111']) {
    for (const { path, json } of asks) {
      const ask = () => demo.ask(path, { json, headers: { 'idempotency-key': key } })
      await refusedWith(422, ['Idempotency-Key'], ask)
    }
  }
})

test('what only the service sets is not set by naming it', async () => {
  const { demo } = service
  const wanted = {
    id: '01890000-0000-7000-8000-000000000000',
    merchant: 'm_other',
    status: 'Refunded',
    created_at: '2020',
  }
  const money = {
    amount: '0.01',
    net_amount: '9.00',
    source: 'Email Transaction',
    gateway: 'gw_other',
    user_data: { demo: '0' },
  }
  await refusedWith(422, Object.keys({ ...wanted, ...money }), chargeWith({ ...wanted, ...money }))
  const hook = { kind: 'error', url: 'http://127.0.0.1:9/' }
  const forced = {
    ...wanted,
    paused_because: 'failures',
    secret: 'whsec_mine',
    merchant_id: 'm_other',
    deleted_at: 'now',
  }
  const { status: _, ...names } = forced
  const wrong = { ...forced, status: 'enabled' }
  await refusedWith(422, Object.keys(names), () => demo.ask('hook_endpoints', { json: { ...hook, ...wrong } }))
  const { id } = answered(await demo.ask('hook_endpoints', { json: hook }), 200).json.hook_endpoint
  await refusedWith(422, Object.keys(names), () => demo.ask(`hook_endpoints/${id}`, { method: 'PATCH', json: wrong }))
})

test('nobody but the demo merchant moves the clock', async () => {
  await refusedWith(403, ['general'], () => other.ask('sandbox/clock', { form: { advance_s: 60 } }))
  for (const advance_s of ['0', '-5', '1.5', '31536001', '']) {
    await refusedWith(422, ['advance_s'], () => service.demo.ask('sandbox/clock', { form: { advance_s } }))
  }
})

test('a path that leads nowhere is 404, and one that cannot be read 400', async () => {
  const { demo, baseUrl } = service
  const at = (method: string, path: string) => () =>
    send(`${baseUrl}${path}`, { method, headers: { authorization: demo.authorization }, body: null })
  const rest = '/api/v5/rest'
  const lost = [`${rest}/nothing`, '/api/v4/rest/transactions', `${rest}/transactions/a/b`, '/']
  for (const path of lost) await refusedWith(404, ['general'], at('GET', path))
  for (const method of ['PUT', 'DELETE', 'PATCH'])
    await refusedWith(404, ['general'], at(method, `${rest}/transactions`))
  await refusedWith(400, ['general'], at('GET', `${rest}/transactions/%ff`))
  await refusedWith(414, ['general'], at('GET', `${rest}/transactions/${'a'.repeat(300)}`))
  await refusedWith(404, ['transaction'], at('GET', `${rest}/transactions/%00`))
  await refusedWith(404, ['hook_endpoint'], at('DELETE', `${rest}/hook_endpoints/%00`)) // which the audit log is told of, too
})
