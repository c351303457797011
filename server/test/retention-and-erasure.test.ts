// What is kept only for a time goes when its time on the service's clock is over; what names an erased customer goes at
// once, but for what is still owed; amounts and states stay for ever.

import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { after, before, type TestContext, test } from 'node:test'
import type { DeliveryId, MerchantId, WorkerId } from '../src/core/ids.ts'
import { testCardThat } from '../src/gateways/sandbox/test-cards.ts'
import { schemaName } from '../src/store/database.ts'
import { askResend } from '../src/store/resends.ts'
import { forgetWhatIsOver } from '../src/store/retention.ts'
import { beat, registerWorker } from '../src/store/workers.ts'
import { answered, booked, refused, writingNothing } from './support/answers.ts'
import { audited } from './support/audited.ts'
import type { Client } from './support/client.ts'
import { refusedWith, tillbell } from './support/command.ts'
import { connectFarGateway } from './support/far-gateway.ts'
import { addEndpoint, removeEndpoints, startEndpoint } from './support/merchant-endpoint.ts'
import { startTestService, type TestService } from './support/service.ts'
import { until } from './support/until.ts'

let service: TestService
/** A worker of nobody's, that beats: what it holds is in no other's reach. */
const elsewhere = randomUUID() as WorkerId
let beating: NodeJS.Timeout
before(async () => {
  service = await startTestService()
  const { sql } = service.database
  await registerWorker(sql, elsewhere)
  beating = setInterval(() => void beat(sql, elsewhere), 500)
})
after(async () => {
  clearInterval(beating)
  await service.stop()
})

const dayS = 86_400

async function pass(seconds: number): Promise<Date> {
  const { json } = answered(await service.demo.ask('sandbox/clock', { form: { advance_s: seconds } }), 200)
  return new Date(json.clock.now)
}

test('an idempotency key is forgotten 24 hours after its operation is settled, and an open one is kept', async () => {
  const { demo } = service
  await pass(10 * dayS) // what is settled from now on has not been so for ten days
  const wrong = await demo.storeCard(testCardThat('wrong_amount').number)
  const ids = async () => {
    const settled = answered(await demo.charge(demo.offer, demo.card, { key: 'settled' }), 200)
    const open = answered(await demo.charge(demo.offer, wrong, { key: 'open' }), 202)
    return { settled: settled.json.transaction.id, open: open.json.transaction.id }
  }
  const offer = async () => {
    const headers = { 'idempotency-key': 'offer' }
    return answered(await demo.ask('offers', { form: { amount: '1.00' }, headers }), 200).json.offer.offer_id
  }
  const [first, firstOffer] = [await ids(), await offer()]
  await pass(dayS - 600)
  assert.deepEqual([await ids(), await offer()], [first, firstOffer])
  await pass(1_200)
  const second = await ids()
  assert.notEqual(second.settled, first.settled)
  assert.notEqual(await offer(), firstOffer)
  assert.equal(second.open, first.open)
})

test('tries that are full again are forgotten', async () => {
  const { database, demoSheet } = service
  const { sql } = database
  const now = await pass(60)
  for (const [who, ageMinutes] of [
    ['long ago', 61],
    ['just now', 1],
  ] as const) {
    await sql`insert into tries (merchant_id, who, left_over, at)
      values (${demoSheet.merchant}, ${who}::bytea, 0, ${now}::timestamptz - ${ageMinutes} * interval '1 minute')`
  }
  await pass(61)
  const left = await sql<{ who: Buffer }[]>`select who from tries`
  assert.deepEqual(
    left.map(({ who }) => String(who)),
    ['just now'],
  )
})

test('the name of a machine that listened is forgotten 90 days after it ended, wherever it stands', async () => {
  const shop = await service.newMerchant()
  const { sql } = service.database
  const begin = async (name: string) =>
    answered(await shop.ask('hook_listeners', { json: { name, kinds: ['transaction', 'pre_sale'] } }), 200).json
      .hook_listener.id
  const ids = [await begin('adas-laptop'), await begin('graces-laptop')]
  const [endpoint] = await sql`select id from hook_endpoint where listener_id = ${ids[0]} and kind = 'pre_sale'`
  for (const id of ids) answered(await shop.ask(`hook_listeners/${id}`, { method: 'DELETE' }), 200)
  const sold = answered(await shop.charge(await shop.makeOffer(), await shop.storeCard()), 200).json.transaction.id
  const before = new Date((await pass(61)).getTime() - 91 * dayS * 1_000)
  await sql`insert into pre_sale_request (merchant_id, id, transaction_id, endpoint_id, url, details, recorded_at, status, answered_at)
    values (${shop.merchant}, gen_random_uuid(), ${sold}, ${endpoint?.id}, 'listen://adas-laptop', '{}', ${before}, 200, ${before})`
  for (const [index, days] of [91, 89].entries())
    await sql`update hook_listener set ended_at = now() - make_interval(days => ${days}) where id = ${ids[index]}`
  await pass(61)
  const names = await sql`select name from hook_listener where merchant_id = ${shop.merchant} union all
    select url from hook_endpoint where merchant_id = ${shop.merchant} union all
    select url from pre_sale_request where merchant_id = ${shop.merchant} order by name`
  const [forgotten, kept] = ['listen://forgotten', 'listen://graces-laptop']
  assert.deepEqual(
    names.map(({ name }) => name),
    ['forgotten', 'graces-laptop', forgotten, forgotten, forgotten, kept, kept],
  )
})

test('a backlog of any size is forgotten in one go', async () => {
  const { database, demoSheet } = service
  const now = await pass(60)
  await database.sql`insert into idempotency_key
    (merchant_id, operation, key, arguments_hash, status, answer, created_at, settled_at)
    select ${demoSheet.merchant}, 'offers', 'old-' || n, '', 200, '{}', ${now}, ${now}::timestamptz - interval '2 days'
    from generate_series(1, 2500) n`
  await pass(60)
  assert.equal((await database.sql`select from idempotency_key where key like 'old-%'`).length, 0)
})

/** A checkout that was paid on, or proven; a link that proves an address. As the page of an offer leaves them. */
async function leaveOnPage({ merchant, offer }: { merchant: string; offer: string }, email: string, at: Date) {
  const { sql } = service.database
  const expiresAt = new Date(at.getTime() + 3_600_000)
  await sql`insert into checkout (merchant_id, secret_sha256, offer_id, proven_email, created_at)
    values (${merchant}, sha256(${email}::bytea), ${offer}, ${email}, ${at})`
  await sql`insert into address_proof (merchant_id, secret_sha256, offer_id, email, quantity, created_at, expires_at)
    values (${merchant}, sha256(${email}::bytea), ${offer}, ${email}, 1, ${at}, ${expiresAt})`
}

test('a checkout is forgotten a day after it began, unless it is just paid for; a proof a day after its end', async () => {
  const { demo, demoSheet, database } = service
  const { sql } = database
  const left = async () => {
    const [row] =
      await sql`select (select count(*)::int from checkout) as checkouts, (select count(*)::int from address_proof) as proofs`
    return [row?.checkouts, row?.proofs]
  }
  const now = await pass(60)
  await leaveOnPage({ merchant: demoSheet.merchant, offer: demo.offer }, 'ada@example.com', now)
  await pass(dayS - 600)
  assert.deepEqual(await left(), [1, 1])
  await sql`update checkout set taken_until = now() + interval '1 hour'`
  await pass(1_200)
  assert.deepEqual(await left(), [1, 1])
  await sql`update checkout set taken_until = now()`
  await pass(1_800)
  assert.deepEqual(await left(), [0, 1])
  await pass(1_800)
  assert.deepEqual(await left(), [0, 0])
})

interface Left {
  readonly merchant: string
  readonly offer: string
  readonly transaction: string | null
}

/** A mail that asked to pay, with all that is kept of one, and the answer to it that still waits. As taking one in leaves them. */
async function leaveLetter({ merchant, offer, transaction }: Left, email: string, at: Date): Promise<string> {
  const { sql } = service.database
  const verdict = { sender: email, rules: [], signatures: [] }
  const state = transaction === null ? 'waiting' : 'done'
  // Held elsewhere: what is tested is what is forgotten, and no worker here is to pay it.
  const [held] = await sql<
    { id: string }[]
  >`insert into letter (merchant_id, id, received_at, offer_id, sender, is_proven,
      is_answerable, language, message_id, verdict, raw_sealed, state, transaction_id, holder)
    values (${merchant}, gen_random_uuid(), ${at}, ${offer}, ${email}, true, true, 'en', ${`<1.${email}>`},
      ${sql.json(verdict)}, 'sealed', ${state}, ${transaction}, ${transaction === null ? elsewhere : null})
    returning id`
  const id = held?.id ?? assert.fail()
  await sql`insert into letter_key (merchant_id, key_sha256, letter_id) values (${merchant}, sha256(${id}::bytea), ${id})`
  if (transaction === null) return id
  const later = new Date(at.getTime() + 500 * dayS * 1_000)
  await sql`insert into outgoing_mail (merchant_id, id, letter_id, transaction_id, kind, created_at, state, due_at)
    values (${merchant}, gen_random_uuid(), ${id}, ${transaction}, 'receipt', ${at}, 'waiting', ${later})`
  return id
}

async function letterLeft(id: string) {
  const [letter] = await service.database.sql`select state, raw_sealed is not null as raw, (
      select count(*)::int from letter_key k where k.letter_id = l.id) as keys, (
      select string_agg(m.state, ',') from outgoing_mail m where m.letter_id = l.id) as mails
    from letter l where id = ${id}`
  return letter === undefined ? null : { ...letter }
}

const grace = { email: 'grace.hopper@example.com', first_name: 'Gracelyn', last_name: 'Hopperovna' }
const personal = /grace\.hopper|Gracelyn|Hopperovna/i

/** The tables in which something personal is left. */
async function whereNamed(): Promise<string[]> {
  const { sql } = service.database
  const tables = await sql<{ name: string }[]>`select table_name as name from information_schema.tables
    where table_schema = ${schemaName} order by table_name`
  const found: string[] = []
  for (const { name } of tables) {
    const rows = await sql<{ text: string }[]>`select t::text as text from ${sql(schemaName)}.${sql(name)} t`
    if (rows.some(({ text }) => personal.test(text))) found.push(name)
  }
  return found
}

/** A customer who left traces wherever one can. */
async function leaveTraces(t: TestContext, client: Client & { readonly merchant: string }) {
  const { sql } = service.database
  const { merchant } = client
  const card = await client.storeCard('4111111111111111', grace)
  const keyed = (key: string) => ({ headers: { 'idempotency-key': key } })
  const endpoint = await startEndpoint(response => void response.writeHead(200).end('Gracelyn may buy'))
  t.after(() => endpoint.close())
  for (const kind of ['pre_sale', 'transaction']) await addEndpoint(sql, merchant, { url: endpoint.url, kind })
  const offer = await client.makeOffer()
  const form = { referrer_context: 'for Gracelyn Hopperovna' }
  const sale = answered(await client.charge(offer, card, { key: 'sale', form }), 200).json.transaction
  await leaveOnPage({ merchant, offer }, grace.email, new Date(sale.created_at))
  await leaveLetter({ merchant, offer, transaction: sale.id }, grace.email, new Date(sale.created_at))
  await leaveLetter({ merchant, offer, transaction: null }, grace.email, new Date(sale.created_at))
  await sql`insert into inbox_mail (merchant_id, id, at, to_address, subject, text, html)
    values (${merchant}, gen_random_uuid(), ${sale.created_at}, ${grace.email}, 'Paid', 'Thanks, Gracelyn', '')`
  const forOnePayment = await client.storeCard('4111111111111111', grace)
  await sql`update card set remove_at = '2999-01-01' where token = ${forOnePayment}`
  await until('its answer is kept', async () => (await sql`select from attempt where response <> ''`).length > 0)
  await removeEndpoints(sql)
  await sql`insert into inbox_hook (merchant_id, id, at, path, details, signature, verified)
    select merchant_id, id, at, '/', details, '', true from event where transaction_id = ${sale.id}`
  const asked = { transaction: sale.id, amount: '30.00', user: 'Gracelyn', notes: 'Hopperovna sent it back' }
  const refund = () => client.ask('transactions/refunds', { form: asked, ...keyed('refund') })
  answered(await refund(), 200)
  const makeOwn = () => client.ask('offers', { form: { amount: '2.00', email: grace.email }, ...keyed('own') })
  const own = answered(await makeOwn(), 200).json.offer.offer_id as string
  answered(await client.charge(own, card), 200)
  const reset = await client.storeCard(testCardThat('reset_after').number, grace)
  const doubt = answered(await client.charge(offer, reset, { key: 'doubt' }), 202).json.transaction
  await addEndpoint(sql, merchant, { url: endpoint.url, kind: 'transaction', status: 'paused' })
  const owed = answered(await client.charge(offer, card), 200).json.transaction
  return { card, offer, own, sale, doubt, owed, refund, makeOwn }
}

test('erasure leaves amounts and states, and nothing that names the customer but what is still owed', async t => {
  const { sql } = service.database
  const [client, other] = [await service.newMerchant(), await service.newMerchant()]
  const { card, offer, own, sale, doubt, owed, refund, makeOwn } = await leaveTraces(t, client)
  assert.deepEqual(await whereNamed(), [
    ...[
      'address_proof',
      'attempt',
      'checkout',
      'customer',
      'event',
      'idempotency_key',
      'inbox_hook',
      'inbox_mail',
      'letter',
      'offer',
      'operation',
      'pre_sale_request',
    ],
    'transaction',
  ])
  const shown = async () => {
    const { json } = answered(await client.ask(`transactions/${sale.id}`), 200)
    const { status, amount, net_amount, source, refunds } = json.transaction
    return { status, amount, net_amount, source, refunded: refunds[0].refunded_amount }
  }
  const before = await shown()
  const erase = (by: Client, email: string) => by.ask('customers/erasures', { form: { email } })
  refused(await writingNothing(sql, () => erase(client, 'nobody@example.com')), 404, ['email'])
  refused(await writingNothing(sql, () => erase(other, grace.email)), 404, ['email'])
  assert.deepEqual(answered(await erase(client, 'Grace.Hopper@Example.com'), 200).json, { customer: { erased: true } })
  assert.deepEqual(await whereNamed(), ['event'])
  const left = await sql`select transaction_id from event where details is not null and details ~* 'grace'`
  assert.deepEqual(
    left.map(row => row.transactionId),
    [owed.id],
  )

  const mails = await sql`select distinct l.state as letter, l.raw_sealed is null and not l.is_answerable as emptied,
      l.holder is null as free, m.state as mail, m.cause
    from letter l left join outgoing_mail m on m.letter_id = l.id where l.merchant_id = ${client.merchant} order by 4`
  const gone = { letter: 'done', emptied: true, free: true }
  assert.deepEqual(
    mails.map(row => ({ ...row })),
    [
      { ...gone, mail: 'skipped', cause: 'The customer was erased.' },
      { ...gone, mail: null, cause: null },
    ],
  )
  const [token] = await sql`select revoked_at from token where offer_id = ${own}`
  assert.notEqual(token?.revokedAt, null)

  assert.deepEqual(await shown(), before)
  assert.equal(before.status, 'Partially Refunded')
  const { customer } = answered(await client.ask(`transactions/${sale.id}`), 200).json.transaction
  assert.deepEqual([customer.email, customer.first_name, customer.last_name], ['', '', ''])
  refused(await client.charge(offer, card), 422, ['token'])
  answered(await client.ask(`credit_cards/${card}`), 404)
  assert.deepEqual(answered(await client.ask('credit_cards'), 200).json, [])
  const [gateway] = answered(await client.ask('gateways'), 200).json
  assert.equal((await sql`select from sandbox_card where account = ${gateway.id}`).length, 0)
  const { offer: ended } = answered(await client.ask(`offers/${own}`), 200).json
  assert.deepEqual([ended.active, ended.email], [false, null])
  refused(await erase(client, grace.email), 404, ['email'])

  // A repetition is still known, and does nothing again.
  answered(await refund(), 410)
  answered(await makeOwn(), 410)
  assert.equal((await booked(sql, 'refund', [sale.id])).count, 1)

  // As one does who read the customer before the erasure, and commits after it.
  const entered = { firstName: 'Gracelyn', lastName: null, billing: null, shipping: null, answers: {} }
  await sql`update transaction set entered = ${sql.json(entered)}, referrer_context = 'Hopperovna'
    where id = ${doubt.id}`
  const of = { merchant: client.merchant, offer, transaction: doubt.id }
  const late = await leaveLetter(of, grace.email, new Date(doubt.created_at))
  await pass(60)
  assert.equal((await client.ask(`transactions/${doubt.id}`)).json.transaction.status, 'Successful')
  assert.deepEqual(await whereNamed(), ['event'])
  assert.deepEqual(await letterLeft(late), { state: 'done', raw: false, keys: 1, mails: 'skipped' })
  await owedGoesOut(client.merchant)
  assert.deepEqual(await whereNamed(), ['attempt', 'event'])
  await pass(60)
  assert.deepEqual(await whereNamed(), [])
})

/** Its endpoint is resumed. */
async function owedGoesOut(merchant: string): Promise<void> {
  const { sql } = service.database
  await sql`update hook_endpoint set status = 'enabled' where merchant_id = ${merchant} and deleted_at is null`
  await until('it has gone out', async () => {
    const owed = await sql`select from owed_delivery where merchant_id = ${merchant} and due_at is not null`
    return owed.length === 0
  })
}

test('an erased customer is looked at for an hour, and for as long as something is owed', async () => {
  const { sql } = service.database
  const client = await service.newMerchant()
  const [offer, url] = [await client.makeOffer(), 'http://127.0.0.1:1']
  const looksAgain = async () =>
    (await sql`select from customer where merchant_id = ${client.merchant} and emptied_at is null`).length
  const erase = async () => {
    answered(await client.charge(offer, await client.storeCard(undefined, grace)), 200)
    answered(await client.ask('customers/erasures', { form: { email: grace.email } }), 200)
  }
  await erase()
  await pass(3_500)
  assert.equal(await looksAgain(), 1)
  await pass(200)
  assert.equal(await looksAgain(), 0)
  await addEndpoint(sql, client.merchant, { url, kind: 'transaction', status: 'paused' })
  await erase()
  await pass(7_200)
  assert.equal(await looksAgain(), 1)
  await sql`delete from owed_delivery where merchant_id = ${client.merchant}`
  await pass(60)
  assert.equal(await looksAgain(), 0)
})

test('what a paused endpoint is still owed a week after the erasure is canceled, and not sent when it is resumed', async t => {
  const { sql } = service.database
  const client = await service.newMerchant()
  const { merchant } = client
  const endpoint = await startEndpoint(response => void response.writeHead(200).end('ok'))
  t.after(() => endpoint.close())
  const add = { form: { url: endpoint.url, kind: 'transaction' } }
  const { id } = answered(await client.ask('hook_endpoints', add), 200).json.hook_endpoint
  const turn = async (status: string) =>
    answered(await client.ask(`hook_endpoints/${id}`, { method: 'PATCH', form: { status } }), 200)
  const charge = async (card: string) => answered(await client.charge(await client.makeOffer(), card), 200)
  const card = await client.storeCard(undefined, grace)
  await charge(card)
  await until('it was delivered', async () => endpoint.received.length === 1)
  await turn('paused')
  await charge(card)
  await charge(await client.storeCard())
  const deliveries = async () => answered(await client.ask('hook_deliveries'), 200).json
  const [other, waiting, sent] = (await deliveries()).map((each: { id: string }) => each.id)
  await client.ask(`hook_deliveries/${sent}/resend`, { method: 'POST' })
  // What has waited longer before the erasure waits as long after it.
  await pass(8 * dayS)
  answered(await client.ask('customers/erasures', { form: { email: grace.email } }), 200)
  await pass(7 * dayS - 600)
  assert.deepEqual(await whereNamed(), ['event'])
  await pass(1_200)
  assert.deepEqual(await whereNamed(), [])
  assert.deepEqual(
    (await deliveries()).map((each: { id: string; state: string }) => [each.id, each.state]),
    [
      [other, 'pending'],
      [waiting, 'canceled'],
      [sent, 'delivered'],
    ],
  )
  await turn('enabled')
  await until('what names nobody is sent', async () => endpoint.received.length === 2)
  assert.doesNotMatch(endpoint.received[1]?.body ?? '', /grace/)
  await pass(3 * dayS)
  assert.equal(endpoint.received.length, 2)
  await audited(sql, merchant as MerchantId)
})

test('of a payment that is settled long after the erasure, a paused endpoint is told when it is resumed', async t => {
  const { sql } = service.database
  const client = await service.newMerchant()
  const { merchant } = client
  const endpoint = await startEndpoint(response => void response.writeHead(200).end('ok'))
  t.after(() => endpoint.close())
  const add = { form: { url: endpoint.url, kind: 'transaction', status: 'paused' } }
  const { id } = answered(await client.ask('hook_endpoints', add), 200).json.hook_endpoint
  const card = await client.storeCard(testCardThat('reset_after').number, grace)
  const doubt = answered(await client.charge(await client.makeOffer(), card), 202).json.transaction
  await sql`update operation set next_ask_at = null where transaction_id = ${doubt.id}`
  answered(await client.ask('customers/erasures', { form: { email: grace.email } }), 200)
  await pass(8 * dayS - 600)
  const deliveries = async () =>
    answered(await client.ask('hook_deliveries'), 200).json.map((each: { state: string }) => each.state)
  assert.deepEqual(await deliveries(), [])
  await sql`update operation set next_ask_at = created_at + make_interval(secs => ${8 * dayS})
    where transaction_id = ${doubt.id}`
  await pass(1_200)
  assert.equal((await client.ask(`transactions/${doubt.id}`)).json.transaction.status, 'Successful')
  await pass(7 * dayS - 1_200)
  assert.deepEqual(await deliveries(), ['pending'])
  answered(await client.ask(`hook_endpoints/${id}`, { method: 'PATCH', form: { status: 'enabled' } }), 200)
  await until('it was told', async () => endpoint.received.length === 1)
  await audited(sql, merchant as MerchantId)
})

test('a resend that is asked for goes out before its details are emptied', async t => {
  const { sql } = service.database
  const client = await service.newMerchant()
  const { merchant } = client
  const endpoint = await startEndpoint(response => void response.writeHead(200).end('ok'))
  t.after(() => endpoint.close())
  await addEndpoint(sql, merchant, { url: endpoint.url, kind: 'transaction' })
  answered(await client.charge(await client.makeOffer(), await client.storeCard(undefined, grace)), 200)
  const owed = () =>
    sql<{ id: DeliveryId }[]>`select id from owed_delivery where merchant_id = ${merchant} and due_at is not null`
  await until('it was delivered', async () => endpoint.received.length === 1 && (await owed()).length === 0)
  const [delivery] = await sql<{ id: DeliveryId }[]>`select id from delivery where merchant_id = ${merchant}`
  assert.ok(delivery !== undefined)
  const later = new Date(Date.now() + 365 * dayS * 1_000)
  assert.equal(await askResend(sql, merchant as MerchantId, delivery.id, later), 'asked')
  answered(await client.ask('customers/erasures', { form: { email: grace.email } }), 200)
  assert.deepEqual(await whereNamed(), ['event'])
  await pass(365 * dayS)
  await until('it was resent', async () => endpoint.received.length === 2 && (await owed()).length === 0)
  assert.match(endpoint.received[1]?.body ?? '', /grace/)
  await pass(60)
  assert.deepEqual(await whereNamed(), [])
  assert.equal(await askResend(sql, merchant as MerchantId, delivery.id, later), 'emptied')
})

test('the command erases as REST does, however many cards there are', async t => {
  const { database, dataFolder } = service
  const client = await service.newMerchant()
  const offer = await client.makeOffer()
  const cards = await Promise.all(Array.from({ length: 101 }, () => client.storeCard('4111111111111111', grace)))
  answered(await client.charge(offer, cards[0] ?? ''), 200)
  const words = ['customer', 'erase', '--merchant', client.merchant, '--email', 'GRACE.hopper@example.com', '--json']
  const environment = { DATABASE_URL: database.url, TILLBELL_DATA: dataFolder, TILLBELL_LOG: 'error' }
  const ended = await tillbell(t, words, environment)
  assert.deepEqual([ended.code, ended.stdout, ended.stderr], [0, '{"erased":true}\n', ''])
  assert.deepEqual(await whereNamed(), [])
  const [gateway] = answered(await client.ask('gateways'), 200).json
  assert.equal((await database.sql`select from sandbox_card where account = ${gateway.id}`).length, 0)
  refused(await client.charge(offer, cards[100] ?? ''), 422, ['token'])
  refusedWith(await tillbell(t, words, environment), 4, /no customer with this address/)
})

test('who is no customer, and only asked for a link, wrote a mail or was made an offer, is forgotten too', async () => {
  const client = await service.newMerchant()
  const offer = await client.makeOffer()
  await leaveOnPage({ merchant: client.merchant, offer }, grace.email, new Date())
  await leaveLetter({ merchant: client.merchant, offer, transaction: null }, grace.email, new Date())
  const own = answered(await client.ask('offers', { form: { amount: '2.00', email: grace.email } }), 200).json.offer
  assert.deepEqual(await whereNamed(), ['address_proof', 'checkout', 'letter', 'offer'])
  answered(await client.ask('customers/erasures', { form: { email: grace.email } }), 200)
  assert.deepEqual(await whereNamed(), [])
  assert.equal(answered(await client.ask(`offers/${own.offer_id}`), 200).json.offer.active, false)
  refused(await client.ask('customers/erasures', { form: { email: grace.email } }), 404, ['email'])
})

test('a mail alone is enough to be forgotten by', async () => {
  const client = await service.newMerchant()
  const left = { merchant: client.merchant, offer: await client.makeOffer(), transaction: null }
  await leaveLetter(left, grace.email, new Date())
  answered(await client.ask('customers/erasures', { form: { email: grace.email } }), 200)
  assert.deepEqual(await whereNamed(), [])
})

test('a card that came to an erased customer, as beside an older version, is taken out of its vault', async () => {
  const { sql } = service.database
  const client = await service.newMerchant()
  const inVault = async () => {
    const [gateway] = answered(await client.ask('gateways'), 200).json
    return (await sql`select from sandbox_card where account = ${gateway.id}`).length
  }
  await client.storeCard(undefined, grace)
  answered(await client.ask('customers/erasures', { form: { email: grace.email } }), 200)
  const late = await client.storeCard(undefined, { email: 'late@example.com' })
  await sql`update card set customer_id = (select id from customer where merchant_id = ${client.merchant} and email is null)
    where token = ${late}`
  assert.equal(await inVault(), 1)
  for (let times = 0; times < 2; times++) await pass(60) // what marks it, then what takes it out
  assert.equal(await inVault(), 0)
  assert.deepEqual(
    { ...(await sql`select fingerprint, removed_at is null as kept from card where token = ${late}`)[0] },
    {
      fingerprint: '',
      kept: false,
    },
  )
})

test('a link that a mail to an erased customer came with, written just then, is deleted', async () => {
  const { sql } = service.database
  const client = await service.newMerchant()
  const offer = await client.makeOffer()
  const paid = answered(await client.charge(offer, await client.storeCard(undefined, grace)), 200).json.transaction
  answered(await client.ask('customers/erasures', { form: { email: grace.email } }), 200)
  // The mail worker read the customer before the erasure, and commits after it.
  await sql`insert into address_proof (merchant_id, offer_id, secret_sha256, email, quantity, created_at, expires_at, transaction_id)
    values (${client.merchant}, ${offer}, ${randomBytes(32)}, ${grace.email}, 1, now(), now() + interval '10 years', ${paid.id})`
  await pass(60)
  assert.equal((await sql`select from address_proof where merchant_id = ${client.merchant}`).length, 0)
})

test('who is known by an address that is not taken any more is found and erased by it', async () => {
  const client = await service.newMerchant()
  await client.storeCard()
  const email = 'a..b@my_host.example'
  await service.database.sql`update customer set email = ${email} where merchant_id = ${client.merchant}`
  assert.equal(answered(await client.ask(`credit_cards?email=${email}`), 200).json.length, 1)
  answered(await client.ask(`transactions?email=${email}`), 200)
  answered(await client.ask('customers/erasures', { form: { email } }), 200)
  assert.deepEqual(answered(await client.ask('credit_cards'), 200).json, [])
})

test('where the gateway does not confirm that it removed the card, nothing is erased', async () => {
  const client = await service.newMerchant()
  const far = await connectFarGateway(client)
  const card = await client.storeCard('4111111111111111', grace)
  await far.goAway()
  const { status } = await client.ask('customers/erasures', { form: { email: grace.email } })
  assert.ok(status >= 500)
  const { json } = answered(await client.ask(`credit_cards/${card}`), 200)
  assert.equal(json.card.email, grace.email)
})

test('a refund made after the erasure keeps its answer for its time: it names nobody', async () => {
  const seller = await service.newMerchant()
  const email = 'gone@example.com'
  const sold = answered(
    await seller.charge(await seller.makeOffer(), await seller.storeCard(undefined, { email })),
    200,
  )
  answered(await seller.ask('customers/erasures', { form: { email } }), 200)
  const refund = () =>
    seller.ask('transactions/refunds', {
      form: { transaction: sold.json.transaction.id },
      headers: { 'idempotency-key': 'after-erasure' },
    })
  const first = answered(await refund(), 200)
  await pass(3_600)
  const again = answered(await refund(), 200)
  assert.deepEqual([again.text, again.headers['idempotent-replayed']], [first.text, 'true'])
})

/** Last: it looks on from a time that the others have not come to. */
test('a mail itself goes after seven days, what is known of it after ninety, but not while its payment waits', async () => {
  const { sql } = service.database
  const client = await service.newMerchant()
  const [offer, card] = [await client.makeOffer(), await client.storeCard(testCardThat('three_d_secure').number)]
  const paid = answered(await client.charge(offer, await client.storeCard()), 200).json.transaction
  const waits = answered(await client.charge(offer, card), 202).json.transaction
  const of = { merchant: client.merchant, offer }
  const now = new Date(waits.created_at)
  const done = await leaveLetter({ ...of, transaction: paid.id }, 'a@example.com', now)
  const open = await leaveLetter({ ...of, transaction: waits.id }, 'b@example.com', now)
  const unpaid = await leaveLetter({ ...of, transaction: null }, 'c@example.com', now)
  const told = await leaveLetter({ ...of, transaction: paid.id }, 'd@example.com', now)
  await sql`update outgoing_mail set state = 'sent', due_at = null, settled_at = created_at
    where letter_id = any(${[done, open]}::uuid[])`
  const retention = { keysMs: 0, answersMs: 0, detailsMs: 0, mailMs: 7 * dayS * 1_000 }
  const after = (days: number, seconds: number) =>
    forgetWhatIsOver(sql, retention, new Date(now.getTime() + (days * dayS + seconds) * 1_000))
  await after(7, 0)
  assert.deepEqual(await letterLeft(done), { state: 'done', raw: true, keys: 1, mails: 'sent' })
  await after(7, 1)
  assert.deepEqual(await letterLeft(done), { state: 'done', raw: false, keys: 1, mails: 'sent' })
  await after(90, 0)
  assert.notEqual(await letterLeft(done), null)
  await after(90, 1)
  assert.equal(await letterLeft(done), null)
  for (const kept of [open, unpaid, told]) assert.deepEqual((await letterLeft(kept))?.raw, false)
  assert.equal((await sql`select from letter_key where merchant_id = ${client.merchant}`).length, 3)
})
