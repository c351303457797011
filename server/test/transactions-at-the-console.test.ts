// What the merchant's people find out at the console about transactions and customers.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'
import type { CustomerRow, WholeCustomer } from '../src/console/contract/customers.ts'
import type { Moment, TransactionRow, WholeTransaction } from '../src/console/contract/transactions.ts'
import { answered } from './support/answers.ts'
import { type ConsoleAnswer, type ConsoleClient, signedIn } from './support/console.ts'
import { startEndpoint } from './support/merchant-endpoint.ts'
import { startTestService } from './support/service.ts'
import { until } from './support/until.ts'

const service = await startTestService()
after(service.stop)
const { sql } = service.database
const shop = await service.newMerchant()
const receiver = await startEndpoint(response => response.end())
after(() => receiver.close())
let owner: ConsoleClient

function got({ status, text, json }: ConsoleAnswer) {
  assert.equal(status, 200, text)
  return json
}

/** Oldest first: paid, declined, authorised, waiting for the bank; of the last customer, one more. */
const made: string[] = []
let offer = ''

async function charge(number: string, more: { readonly [name: string]: string } = {}, email = 'ada@example.com') {
  const card = await shop.storeCard(number, { email, first_name: 'Ada', last_name: 'Löfgren' })
  const { json } = await shop.charge(offer, card, { form: more })
  made.push(json.transaction.id)
  return json.transaction.id as string
}

before(async () => {
  owner = await signedIn(service.baseUrl, shop.login)
  answered(await shop.ask('hook_endpoints', { form: { kind: 'generic', url: receiver.url } }), 200)
  offer = await shop.makeOffer({ title: '=Bell, "loud"', ref_id: 'order-7', amount: '100.00' })
  await charge('4111111111111111')
  await charge('4012888888881881')
  await charge('5555555555554444', { authorization_only: 'true' })
  const waiting = await charge('4000001000016006')
  // However long these tests take, nobody asks the gateway about it again meanwhile.
  await sql`update operation set next_ask_at = next_ask_at + interval '1 hour' where transaction_id = ${waiting}`
  await charge('4111111111111111', {}, 'adam@example.com')
})

async function list(query = ''): Promise<TransactionRow[]> {
  return got(await owner.ask(`transactions${query}`))
}

async function listed(query = ''): Promise<number[]> {
  return (await list(query)).map(({ id }) => made.indexOf(id))
}

async function whole(id: string | undefined): Promise<WholeTransaction> {
  return got(await owner.ask(`transactions/${id}`))
}

test('a row says what a person looks for', async () => {
  await until('the hook is there', async () => (await list())[0]?.told === 'delivered')
  const [{ created_at, customer, ...row } = {} as TransactionRow] = await list()
  assert.match(created_at, /^\d{4}-\d\d-\d\dT[\d:.]+\+00:00$/)
  assert.deepEqual({ name: customer.name, email: customer.email }, { name: 'Ada Löfgren', email: 'adam@example.com' })
  assert.deepEqual(row, {
    id: made[4],
    status: 'Successful',
    source: 'Web Transaction',
    in_doubt: false,
    amount: '100.00',
    captured: '100.00',
    refunded: '0.00',
    currency: 'USD',
    card: { mask: '1111', type: 'visa' },
    offer: { id: offer, title: '=Bell, "loud"', ref_id: 'order-7' },
    told: 'delivered',
  })
  const [held] = await list('?status=Authorized')
  assert.deepEqual([held?.amount, held?.captured], ['100.00', '0.00'], 'held, and not taken')
})

test('every filter finds what fits, and nothing else', async () => {
  const [first, , third] = await list()
  const customer = first?.customer.id
  const until3 = encodeURIComponent(third?.created_at ?? '')
  for (const id of [made[0], made[2]]) {
    await sql`insert into dispute (merchant_id, transaction_id, gateway_ref, status, amount_minor, currency, opened_at, changes)
      select merchant_id, id, 'dp_' || id, 'open', 100, currency, now(), 1 from transaction where id = ${id ?? ''}`
  }
  const found: readonly [string, readonly number[]][] = [
    ['', [4, 3, 2, 1, 0]],
    ['?status=Failed', [1]],
    ['?status=Failed,Authorized', [2, 1]],
    ['?status=Voided', []],
    ['?needs=disputed', [2, 0]],
    ['?needs=disputed&status=Successful&search=ada', [0]],
    ['?needs=disputed&limit=1', [2]],
    [`?needs=disputed&offer=${made[0]}`, []],
    ['?needs=in_doubt', []],
    ['?needs=dropped', []],
    ['?source=Web Transaction', [4, 3, 2, 1, 0]],
    ['?source=Email Transaction', []],
    [`?offer=${offer}`, [4, 3, 2, 1, 0]],
    [`?offer=${offer}&status=Successful`, [4, 0]],
    [`?offer=${made[0]}`, []],
    [`?customer=${customer}`, [4]],
    [`?customer=${customer}&status=Failed`, []],
    [`?created_before=${until3}`, [1, 0]],
    [`?created_after=${until3}`, [4, 3]],
    [`?created_after=${until3}&status=Successful&source=Web Transaction`, [4]],
    ['?search=ADA@example.com', [3, 2, 1, 0]],
    ['?search=ada', [4, 3, 2, 1, 0]],
    ['?search=ada&status=Successful', [4, 0]],
    ['?search=order-7', [4, 3, 2, 1, 0]],
    [`?search=order-7&customer=${customer}`, [4]],
    ['?search=order-', []],
    [`?search=${made[1]}`, [1]],
    [`?search=${made[1]?.slice(0, 20).toUpperCase()}`, [1]],
    [`?search=${made[1]}&status=Successful`, []],
    ['?search=nobody', []],
  ]
  for (const [query, expected] of found) assert.deepEqual(await listed(query), expected, query)
  await sql`delete from dispute where merchant_id = ${shop.merchant}`
})

test('a list is read in pages, both ways, until there are no more', async () => {
  for (const filter of [
    '',
    'status=Failed,Successful,Authorized,Further Action Required',
    'search=ada',
    'search=order-7',
  ]) {
    const older = await walk(`transactions?limit=2&${filter}`, 'next')
    assert.deepEqual(older.pages, [[4, 3], [2, 1], [0]], filter)
    const newer = await walk(older.last, 'prev')
    assert.deepEqual(newer.pages, [[0], [2, 1], [4, 3]], filter)
  }
})

async function walk(
  from: string,
  rel: 'next' | 'prev',
): Promise<{ readonly pages: number[][]; readonly last: string }> {
  const pages: number[][] = []
  let last = from
  for (let path: string | undefined = from; path !== undefined; ) {
    last = path
    const answer = await owner.ask(path)
    pages.push((got(answer) as TransactionRow[]).map(({ id }) => made.indexOf(id)))
    const link = new RegExp(`<([^>]+)>; rel="${rel}"`).exec(answer.headers.get('link') ?? '')?.[1]
    path = link?.slice(`${service.baseUrl}/console/`.length)
  }
  return { pages, last }
}

test('what is no filter is refused with a sentence', async () => {
  const wrong: readonly [string, string][] = [
    ['status=Lost', 'status'],
    ['needs=love', 'needs'],
    ['offer=7', 'offer'],
    ['customer=7', 'customer'],
    ['search=ab', 'search'],
    ['after=7', 'after'],
    ['before=7', 'before'],
    [`before=${made[0]}&after=${made[0]}`, 'before'],
    ['created_after=yesterday', 'created_after'],
  ]
  for (const [query, field] of wrong) {
    const { status, json } = await owner.ask(`transactions?${query}`)
    assert.deepEqual([status, Object.keys(json.errors)], [422, [field]], query)
  }
})

test('a search that fits too many people says so', async () => {
  const other = await service.newMerchant()
  await sql`insert into customer (merchant_id, id, email, created_at)
    select ${other.merchant}, gen_random_uuid(), 'crowd-' || n || '@example.com', now() from generate_series(1, 201) n`
  const client = await signedIn(service.baseUrl, other.login)
  for (const path of ['transactions', 'customers']) {
    assert.match((await client.ask(`${path}?search=crowd`)).json.errors.search, /write more/)
    assert.deepEqual(got(await client.ask(`${path}?search=crowd-7@`)).length, path === 'customers' ? 1 : 0)
  }
})

test('the page offers what the server would do', async () => {
  const none = { refund: null, capture: null, void: null }
  assert.deepEqual((await whole(made[0])).possible, { ...none, refund: '100.00' })
  assert.deepEqual((await whole(made[1])).possible, none)
  assert.deepEqual((await whole(made[2])).possible, { ...none, capture: '100.00', void: '100.00' })
  assert.deepEqual((await whole(made[3])).possible, none)
})

/** Without what differs from run to run. */
function story(timeline: readonly Moment[]): string[] {
  return timeline.map(moment => {
    if (moment.kind === 'status') return `${moment.from} -> ${moment.to}`
    if (moment.kind === 'operation_begun') return `begin ${moment.what} ${moment.amount}`
    if (moment.kind === 'operation_ended') return `${moment.what} ${moment.outcome} ${moment.code ?? ''}`.trim()
    if (moment.kind === 'notification') return `tell ${moment.notification}`
    return moment.kind
  })
}

test('the story of a payment is told in order, with who took it back and why', async () => {
  const [paid = ''] = made
  const json = { transaction: paid, amount: '40.00', notes: 'Too loud.' }
  got(await owner.ask('rest/transactions/refunds', { method: 'POST', json }))
  const { timeline, possible, transaction, currency } = await whole(paid)
  assert.deepEqual(story(timeline), [
    'created',
    'begin charge 100.00',
    'charge succeeded',
    'Processing -> Successful',
    'tell transaction',
    'begin refund 40.00',
    'refund succeeded',
    'Successful -> Partially Refunded',
  ])
  const refund = timeline.find(moment => moment.kind === 'operation_begun' && moment.what === 'refund')
  assert.ok(refund?.kind === 'operation_begun')
  assert.deepEqual([refund.by, refund.reason], [shop.login.email, 'Too loud.'])
  const told = timeline.find(moment => moment.kind === 'notification')
  assert.ok(told?.kind === 'notification')
  assert.deepEqual(
    told.deliveries.map(({ url, state, attempts, made: tries }) => [
      url,
      state,
      attempts,
      tries.map(({ status }) => status),
    ]),
    [[receiver.url, 'delivered', 1, [200]]],
  )
  assert.deepEqual([possible.refund, transaction.status, currency], ['60.00', 'Partially Refunded', 'USD'])
})

test('the story of what failed, and of what waits, says why', async () => {
  const failed = (await whole(made[1])).timeline
  assert.deepEqual(story(failed).slice(1), [
    'begin charge 100.00',
    'charge declined card_declined',
    'Processing -> Failed',
    'tell error',
  ])
  const status = failed.find(moment => moment.kind === 'status')
  assert.ok(status?.kind === 'status')
  assert.equal(status.error_code, 'card_declined')
  const waits = (await whole(made[3])).timeline
  assert.deepEqual(story(waits), [
    'created',
    'begin charge 100.00',
    'Processing -> Further Action Required',
    'tell far',
    'expires',
  ])
})

test('the file has every row that fits, as text that no spreadsheet runs', async () => {
  const { text, headers, status } = await owner.ask('transactions.csv?status=Successful&search=adam%40example.com')
  assert.equal(status, 200)
  assert.equal(headers.get('content-type'), 'text/csv; charset=utf-8')
  assert.equal(headers.get('content-disposition'), 'attachment; filename="transactions.csv"')
  const [head, row, end] = text.replace(/^\u{feff}/u, '').split('\r\n')
  assert.match(head ?? '', /^id,created_at,status,in_doubt,amount,captured,refunded,currency,source,customer_name,/)
  assert.ok(row?.startsWith(`${made[4]},`), row)
  assert.ok(row?.includes(',100.00,100.00,0.00,USD,'), row)
  assert.ok(
    row?.endsWith(
      `,Web Transaction,Ada Löfgren,adam@example.com,visa,1111,${offer},"'=Bell, ""loud""",order-7,delivered`,
    ),
    row,
  )
  assert.equal(end, '')
  const [change] = await sql`select by, detail, status from console_change
    where merchant_id = ${shop.merchant} and action = 'transactions_exported'`
  assert.deepEqual(
    { ...change },
    { by: shop.login.email, detail: { status: 'Successful', of_a_search: true }, status: 200 },
  )
})

/** A merchant whose export is larger than all buffers on the way. */
async function largeMerchant() {
  const many = await service.newMerchant()
  answered(await many.charge(await many.makeOffer(), await many.storeCard()), 200)
  await sql`update offer set title = repeat('x', 6000) where merchant_id = ${many.merchant}`
  await sql`insert into transaction select (jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid()))).*
    from transaction t, generate_series(1, 2999) where merchant_id = ${many.merchant}`
  await sql.unsafe('analyze transaction')
  return many
}

test('a file that nobody takes is not read any further, and the next one can be had', async () => {
  const client = await signedIn(service.baseUrl, (await largeMerchant()).login)
  const headers = { Cookie: client.cookie }
  await new Promise<void>((resolve, reject) => {
    const request = httpRequest(`${service.baseUrl}/console/transactions.csv`, { headers }, response => {
      response.pause()
      const second = client.ask('transactions.csv').then(({ status }) => assert.equal(status, 429, 'one at a time'))
      second.finally(() => request.destroy()).then(resolve, reject)
    })
    request.on('error', () => {})
    request.end()
  })
  let lines = 0
  await until('the next one can be had', async () => {
    const { status, text } = await client.ask('transactions.csv')
    lines = text.split('\r\n').length
    return status === 200
  })
  assert.equal(lines, 1 + 3_000 + 1)
})

/** An export that has begun and is not read on until `finish` is called. A proxy may ask with HTTP/1.0, which has no chunks. */
async function beginExport({ cookie }: ConsoleClient, version: '1.0' | '1.1') {
  const socket = connect(Number(new URL(service.baseUrl).port), '127.0.0.1')
  socket.write(
    `GET /console/transactions.csv HTTP/${version}\r\nHost: a\r\nConnection: close\r\nCookie: ${cookie}\r\n\r\n`,
  )
  const [begun] = (await once(socket, 'data')) as [Buffer]
  socket.pause()
  assert.match(begun.toString(), /^HTTP\/1\.1 200 /)
  return {
    async finish() {
      const pieces = [begun]
      let isBroken = false
      socket.on('error', () => (isBroken = true)).on('data', piece => pieces.push(piece))
      await new Promise(resolve => socket.once('close', resolve).resume())
      const text = Buffer.concat(pieces).toString()
      const isWhole = version === '1.1' ? text.endsWith('\r\n0\r\n\r\n') : !isBroken
      return { rows: text.split('Successful').length - 1, isWhole }
    },
  }
}

test('an export ends with the right to see it, and what came of it does not look whole', async () => {
  const many = await largeMerchant()
  const boss = await signedIn(service.baseUrl, many.login)
  const removed = (email: string) => boss.ask(`team/members/${encodeURIComponent(email)}`, { method: 'DELETE' })
  const signedOut = (_: string, viewer: ConsoleClient) => viewer.ask('session', { method: 'DELETE' })
  for (const version of ['1.0', '1.1'] as const) {
    for (const lose of [removed, signedOut]) {
      const pair = await service.newLogin(many.merchant, 'viewer')
      const viewer = await signedIn(service.baseUrl, pair)
      const { finish } = await beginExport(viewer, version)
      await lose(pair.email, viewer)
      assert.equal((await viewer.ask('me')).status, 401)
      const { rows, isWhole } = await finish()
      assert.deepEqual([rows < 3_000, isWhole], [true, false], `${lose.name}, HTTP/${version}: ${rows} rows`)
    }
    const { finish } = await beginExport(boss, version)
    assert.deepEqual(await finish(), { rows: 3_000, isWhole: true })
  }
})

test('a customer is found by the beginning of their address, and shown with all that is theirs', async () => {
  const rows: CustomerRow[] = got(await owner.ask('customers'))
  assert.deepEqual(
    rows.map(({ email, name, cards, newest }) => [email, name, cards, newest?.id]),
    [
      ['adam@example.com', 'Ada Löfgren', 1, made[4]],
      ['ada@example.com', 'Ada Löfgren', 4, made[3]],
    ],
  )
  const found: CustomerRow[] = got(await owner.ask('customers?search=Ada@'))
  assert.deepEqual(found, [rows[1]])
  const { customer }: { customer: WholeCustomer } = got(await owner.ask(`customers/${rows[1]?.id}`))
  assert.deepEqual(
    customer.payments.map(({ id }) => made.indexOf(id)),
    [3, 2, 1, 0],
  )
  assert.deepEqual(
    customer.cards.map(({ card_mask, by_mail, expired }) => [card_mask, by_mail, expired]),
    [
      ['6006', true, false],
      ['4444', false, false],
      ['1881', false, false],
      ['1111', false, false],
    ],
  )
  const json = { email: 'ada@example.com' }
  got(await owner.ask('rest/customers/erasures', { method: 'POST', json }))
  const { customer: erased }: { customer: WholeCustomer } = got(await owner.ask(`customers/${rows[1]?.id}`))
  assert.deepEqual([erased.email, erased.first_name, erased.cards, erased.letters], [null, null, [], []])
  assert.notEqual(erased.erased_at, null)
  assert.deepEqual(got(await owner.ask('customers?search=ada@')), [])
})

test('of a payment with very many hooks the newest are shown, each with its newest attempts', async () => {
  const seller = await service.newMerchant()
  answered(await seller.ask('hook_endpoints', { form: { kind: 'transaction', url: receiver.url } }), 200)
  const { json } = await seller.charge(await seller.makeOffer(), await seller.storeCard('4111111111111111'))
  const { id } = json.transaction
  for (let at = 1; at < 40; at++)
    answered(await seller.ask('hook_endpoints', { form: { kind: 'update', url: `${receiver.url}?${at}` } }), 200)
  await sql`with copies as (
      insert into event select (jsonb_populate_record(e, jsonb_build_object('id', gen_random_uuid()))).*
      from event e cross join generate_series(1, 30) where e.transaction_id = ${id} returning *),
    made as (insert into delivery (merchant_id, id, event_id, endpoint_id, created_at)
      select c.merchant_id, gen_random_uuid(), c.id, h.id, now() from copies c
      join hook_endpoint h on h.merchant_id = c.merchant_id returning *)
    insert into attempt (merchant_id, delivery_id, number, at, url, resend, status, duration_ms)
      select merchant_id, id, n, now(), 'https://example.com', n > 1, 200, 5 from made cross join generate_series(1, 30) n`
  const { timeline }: WholeTransaction = got(
    await (await signedIn(service.baseUrl, seller.login)).ask(`transactions/${id}`),
  )
  const shown = timeline.flatMap(moment => (moment.kind === 'notification' ? moment.deliveries : []))
  assert.equal(shown.length, 1_000)
  assert.deepEqual(
    new Set(shown.map(({ made }) => made.map(({ number }) => number).join())),
    new Set(['29,30']),
    'of 31,000 attempts two thousand',
  )
})
