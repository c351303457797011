// A customer of whom there is one of everything is erased; then every table is searched for every text of theirs.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { testCardThat } from '../src/gateways/sandbox/test-cards.ts'
import { secretKeysInFolder } from '../src/keys/secret-key.ts'
import { migrate, readMigrations } from '../src/store/migrate.ts'
import { answered, writingNothing } from './support/answers.ts'
import type { Answer, Client } from './support/client.ts'
import { signedIn } from './support/console.ts'
import { emptyDatabase } from './support/database.ts'
import { startDns } from './support/dns-server.ts'
import { askByMail } from './support/letters.ts'
import { startRelay } from './support/mail-relay.ts'
import { filledBy } from './support/mail-world.ts'
import { answersOf, domain, send, sign, write } from './support/mailbox.ts'
import { startEndpoint } from './support/merchant-endpoint.ts'
import { findPersonal, type Person } from './support/personal-scan.ts'
import { type Form, hiddenIn, tickedIn } from './support/plain-forms.ts'
import { startTestService, type TestService } from './support/service.ts'
import { until } from './support/until.ts'

const email = 'grace.hopper@example.org'
const named = { email, first_name: 'Gracelyn', last_name: 'Hopperovna' }
const address = { street: '77 Quarrel Lane', city: 'Larkhaven', state: 'NV', zip: 'ZX98 7QP', country: 'US' }
const phone = '+1 775 555 0177'
const note = 'umbrella came broken'
const answer = 'engrave it for Granny'
const person: Person = {
  words: [
    'grace.hopper',
    'Gracelyn',
    'Hopperovna',
    'Quarrel Lane',
    'Larkhaven',
    'ZX98',
    '555 0177',
    note,
    'for Granny',
  ],
  values: [{ name: /(card_mask|payment_method_mask|cardMask|mask)/, value: '4444' }],
}
const number = '5555555555554444'

/** What stays, and why. */
const stays: { readonly [column: string]: string } = {
  'card.mask': 'The last four digits alone name nobody; refunds and disputes are reconciled by them.',
}

let service: TestService
const endings: (() => Promise<unknown>)[] = []
const customers = domain('example.org')
before(async () => {
  const dns = await startDns(answersOf(customers))
  const says = (to: string) => `<${to}>: Gracelyn Hopperovna has no mailbox here`
  const relay = await startRelay({ answers: to => (to === email ? { code: 550, says: says(to) } : 'takes it') })
  service = await startTestService({
    TILLBELL_DNS: dns.address,
    TILLBELL_MAIL_DOMAIN: 'pay.test',
    TILLBELL_MAIL_RELAY: `smtp://127.0.0.1:${relay.port}`,
  })
  endings.push(() => service.stop(), dns.close, relay.close)
})
after(async () => {
  for (const end of endings) await end()
})

type Seller = Client & { readonly merchant: string }

async function left(): Promise<string[]> {
  const [key] = await secretKeysInFolder(service.dataFolder)
  return findPersonal(service.database.sql, key, person)
}

const pass = async (seconds: number) =>
  answered(await service.demo.ask('sandbox/clock', { form: { advance_s: seconds } }), 200)

/** Each request of the customer's with a key: what it was, and how it is asked again. */
type Keyed = Map<string, () => Promise<Answer>>

function asker(seller: Seller, keyed: Keyed) {
  return async (path: string, form: Form, status = 200, method = 'POST') => {
    const key = `key-${keyed.size}`
    const ask = () => seller.ask(path, { method, form, headers: { 'idempotency-key': key } })
    keyed.set(`${method} ${path} ${keyed.size}`, ask)
    return answered(await ask(), status).json
  }
}
type Ask = ReturnType<typeof asker>

/** Both answer with the customer's name; the second never accepts, so that it is owed its hooks. */
async function addEndpoints(seller: Seller): Promise<void> {
  for (const status of [200, 500]) {
    const endpoint = await startEndpoint(response => void response.writeHead(status).end('Gracelyn Hopperovna, noted'))
    endings.push(endpoint.close)
    const kinds =
      status === 200 ? ['pre_sale', 'transaction', 'far', 'error', 'update', 'generic'] : ['transaction', 'error']
    for (const kind of kinds) answered(await seller.ask('hook_endpoints', { form: { kind, url: endpoint.url } }), 200)
  }
}

async function storeCards(ask: Ask): Promise<string> {
  const stored = { number, expiry_month: '12', expiry_year: '2040', ...named }
  const { card } = await ask('sandbox/cards', stored)
  await ask('credit_cards', { reference: 'test:success:4444:03-2031', ...named })
  const removed = await ask('credit_cards', { reference: 'test:success:4444:04-2031', ...named })
  await ask(`credit_cards/${removed.card.service_token}`, {}, 200, 'DELETE')
  for (const isUsed of [true, false]) {
    const { card_link: link } = await ask('credit_cards/links', named)
    if (isUsed) await enterCard(link.url)
  }
  return card.service_token
}

async function enterCard(url: string): Promise<void> {
  const page = { text: await (await fetch(url)).text() }
  const form = { ...hiddenIn(page), number, expiry: '12/40', cvc: '987', consent: 'yes' }
  await fetch(url, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' })
  assert.match(await (await fetch(url)).text(), /Your card is saved/)
}

/** A transaction of each state, by REST. */
async function moveMoney(seller: Seller, ask: Ask, card: string): Promise<void> {
  const offer = await seller.makeOffer()
  const charge = async (token: string, status: number, more: Form = {}) => {
    const form = { service_offer: offer, token, referrer_context: 'for Gracelyn Hopperovna', ...more }
    return (await ask('transactions', form, status)).transaction.id as string
  }
  const cardThat = (behaviour: Parameters<typeof testCardThat>[0]) =>
    seller.storeCard(testCardThat(behaviour).number, named)
  const about = (transaction: string, amount: string) => ({ transaction, amount, user: 'Gracelyn', notes: note })
  await ask('transactions/refunds', about(await charge(card, 200), '100.00'))
  const sold = await charge(card, 200)
  await ask('transactions/refunds', about(sold, '30.00'))
  await ask('sandbox/disputes', { transaction: sold, reason: 'fraudulent' })
  await ask(`transactions/${await charge(card, 200, { authorization_only: 'true' })}/capture`, {})
  await ask(`transactions/${await charge(card, 200, { authorization_only: 'true' })}/void`, {})
  await charge(card, 200, { authorization_only: 'true' })
  await charge(await cardThat('card_declined'), 402)
  await charge(await cardThat('three_d_secure'), 202)
  await settleByHand(seller, await charge(await cardThat('wrong_amount'), 202))
  await charge(await cardThat('wrong_amount'), 202)
  const get = () => seller.charge(offer, card, { method: 'GET', form: { referrer_context: 'Gracelyn by GET' } })
  answered(await get(), 200)
  const own = await ask('offers', { amount: '2.00', email: email.toUpperCase() })
  await ask('transactions', { service_offer: own.offer.offer_id, token: card })
  await ask(`offers/${own.offer.offer_id}`, {}, 200, 'DELETE')
}

/** By a person at the dashboard, who says why. */
async function settleByHand({ merchant }: Seller, transaction: string): Promise<void> {
  const { sql } = service.database
  const owner = await signedIn(service.baseUrl, service.demoSheet.dashboard)
  await until('it waits for a person', async () => {
    const rows = await sql`select from operation where transaction_id = ${transaction} and for_person is not null`
    return rows.length === 1
  })
  const [row] = await sql`select id from operation where merchant_id = ${merchant} and transaction_id = ${transaction}`
  const json = { verdict: 'not_made', note: `Gracelyn called: ${note}` }
  const settled = await owner.ask(`doubt/${row?.id}/resolve`, { method: 'POST', json })
  assert.equal(settled.status, 200, settled.text)
}

/** On the offer's page, with all that a form can ask: by somebody who says to be the customer, and by the customer behind the link that was mailed. */
async function payOnPage(seller: Seller): Promise<void> {
  for (const kind of ['billing', 'shipping']) {
    const asks = { amount: '7.00', address: kind, custom_fields: [{ name: 'Engraving', required: true }] }
    const { offer } = answered(await seller.ask('offers', { json: asks }), 200).json
    const url = `${service.baseUrl}/offers/${offer.offer_id}`
    await fillIn(url)
    const asking = { text: await (await fetch(`${url}?card=stored`)).text() }
    const wants = new URLSearchParams({ ...hiddenIn(asking), email })
    const asked = await fetch(`${url}/proofs`, { method: 'POST', body: wants, redirect: 'manual' })
    assert.equal(asked.status, 303, await asked.text())
    const link = await linkMailed(offer.offer_id)
    const button = { text: await (await fetch(link)).text() }
    const path = /action="([^"]+)"/.exec(button.text)?.[1] ?? assert.fail(button.text)
    const pressed = await post(`${service.baseUrl}${path}`, hiddenIn(button))
    await fillIn(url, pressed.headers.getSetCookie()[0]?.split(';')[0])
    await post(`${url}/proofs`, { ...hiddenIn(asking), email })
  }
}

function post(url: string, form: Form, cookie = ''): Promise<Response> {
  return fetch(url, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual', headers: { cookie } })
}

async function fillIn(url: string, cookie = ''): Promise<void> {
  const page = { text: await (await fetch(url, { headers: { cookie } })).text() }
  const card = { card: 'new', number, expiry: '12/40', cvc: '987', consent: 'yes' }
  const form = { ...hiddenIn(page), ...named, ...address, phone, answer_1: answer, ...card }
  const action = url.split('?')[0] ?? ''
  const asked = await post(action, form, cookie)
  const question = { text: await asked.text() }
  if (asked.status === 303) return
  const paid = await post(action, { ...form, ...hiddenIn(question), ...tickedIn(question) }, cookie)
  assert.equal(paid.status, 303, await paid.text())
}

/** From the inbox that the demo's mails go to. */
async function linkMailed(offer: string): Promise<string> {
  const { sql } = service.database
  const find = async () => {
    const rows = await sql<{ text: string }[]>`select text from inbox_mail where to_address = ${email} order by id desc`
    return rows.map(({ text }) => new RegExp(`http\\S+/offers/${offer}\\?proof=[\\w-]{43}`).exec(text)?.[0])[0]
  }
  await until('the link is mailed', async () => (await find()) !== undefined)
  return (await find()) ?? assert.fail()
}

/** Paid by a link of their own, over the limit, for an offer that ended, to be confirmed, and without proof. */
async function payByMail(seller: Seller, ask: Ask): Promise<void> {
  const { sql } = service.database
  const ended = await seller.makeOffer()
  answered(await seller.ask(`offers/${ended}`, { method: 'DELETE' }), 200)
  const offers = [await seller.makeOffer(), await seller.makeOffer({ amount: '900.00' }), ended]
  for (const [index, offer] of offers.entries()) {
    const bare = { to: `payment-id-${offer}@pay.test`, subject: 'Please', text: 'Please' }
    const { to, subject, text } =
      offer === ended ? bare : filledBy((await ask(`offers/${offer}/links`, { email })).link.mail_to)
    const parts = {
      ...{ from: `Gracelyn Hopperovna <${email}>`, to, subject, messageId: `<${index}.grace.hopper@example.org>` },
      text: `${text}\n-- \nGracelyn Hopperovna, ${phone}\n`,
    }
    const mail = await sign(write(email, parts), { by: customers })
    assert.match(await send(service.mailPort, mail, { from: email, to }), /^250 /)
  }
  for (const isProven of [true, false]) {
    await askByMail(service, { merchant: seller.merchant, offer: offers[0] ?? '', sender: email, isProven })
  }
  await until('all are read', async () => {
    const waiting = await sql`select from letter where state = 'waiting' union all
      select from outgoing_mail where state = 'waiting'`
    return waiting.length === 0
  })
}

/** Where something of the customer is before they are erased: it was there to be found. */
const held = [
  ...['address_proof.email', 'attempt.response', 'card.mask', 'card_link.email', 'card_link.first_name'],
  ...['card_link.last_name', 'checkout.proven_email', 'customer.billing', 'customer.email', 'customer.first_name'],
  ...[
    'customer.last_name',
    'customer.shipping',
    'event.details',
    'hook_relay.body',
    'idempotency_key.answer',
    'idempotency_key.email',
  ],
  ...[
    'inbox_hook.details',
    'inbox_mail.html',
    'inbox_mail.text',
    'inbox_mail.to_address',
    'letter.message_id',
    'letter.raw_sealed',
    'letter.sender',
  ],
  ...[
    'letter.verdict',
    'offer.email',
    'offer.token_content',
    'offer_link.content',
    'offer_link.email',
    'operation.refunded_by',
    'operation.refunded_reason',
    'outgoing_mail.cause',
  ],
  ...['pre_sale_request.answer', 'pre_sale_request.details', 'resolution.note', 'sandbox_card.mask'],
  ...['transaction.action_mail_to', 'transaction.entered', 'transaction.referrer_context'],
]

/** Returns the listener that some of its hooks wait for. */
async function leaveOneOfEverything(demo: TestService['demo'] & Seller, other: Seller, keyed: Keyed): Promise<string> {
  const { sql } = service.database
  const ask = asker(demo, keyed)
  await addEndpoints(demo)
  const card = await storeCards(ask)
  await moveMoney(demo, ask, card)
  await payOnPage(demo)
  for (const seller of [demo, other]) await payByMail(seller, asker(seller, keyed))
  await until('all have been sent once', async () => {
    return (await sql`select from owed_delivery where attempts = 0`).length === 0
  })
  const listens = { name: 'laptop', kinds: ['transaction'] }
  const { hook_listener: listener } = answered(await demo.ask('hook_listeners', { json: listens }), 200).json
  answered(await demo.charge(demo.offer, card), 200)
  await until('a hook waits for the listener', async () => (await sql`select from hook_relay`).length > 0)
  return listener.id
}

test('nothing is left of an erased customer but what is named here, and no request is done again', async () => {
  const { sql } = service.database
  const demo = Object.assign(service.demo, { merchant: service.demoSheet.merchant })
  const other = await service.newMerchant()
  const keyed: Keyed = new Map()
  const listener = await leaveOneOfEverything(demo, other, keyed)
  assert.deepEqual(await left(), held)

  for (const seller of [demo, other]) {
    const form = { email: 'Grace.Hopper@Example.org' }
    answered(await seller.ask('customers/erasures', { form, headers: { 'idempotency-key': 'erase' } }), 200)
  }
  const owed = ['attempt.response', 'event.details']
  // What waits for a listener does so for some seconds.
  const leftHere = async () => (await left()).filter(column => column !== 'hook_relay.body')
  assert.deepEqual(await leftHere(), [...Object.keys(stays), ...owed].sort())
  await writingNothing(sql, async () => {
    for (const [name, again] of keyed) {
      const answer = await again()
      assert.ok(answer.status === 410 || answer.json.transaction?.status === 'Processing', `${name}: ${answer.text}`)
      for (const word of person.words) assert.ok(!answer.text.toLowerCase().includes(word.toLowerCase()), answer.text)
    }
  })

  answered(await demo.ask(`hook_listeners/${listener}`, { method: 'DELETE' }), 200)
  // As a process leaves it that stored the card before the erasure, and its answer after it.
  await sql`update idempotency_key set status = 200, answer = 'Gracelyn' where operation = 'sandbox cards'`
  await pass(60)
  assert.deepEqual(await leftHere(), [...Object.keys(stays), ...owed].sort())
  await pass(29 * 3_600)
  await until('nothing is owed', async () => {
    await pass(60)
    return (await sql`select from owed_delivery where due_at is not null`).length === 0
  })
  await pass(60)
  assert.deepEqual(await left(), Object.keys(stays))
})

test('answers of before the upgrade are found by what they say', async t => {
  const { sql, drop } = await emptyDatabase()
  t.after(drop)
  const migrations = await readMigrations()
  const older = migrations.filter(({ number }) => number < 18)
  await migrate(sql, older)
  const id = '00000000-0000-7000-8000-000000000001'
  const answers = {
    offers: { offer: { email } },
    'offers delete': { offer: { email: null } },
    credit_cards: { card: { email } },
    'credit_cards delete': { card: { email: '' } },
    'sandbox disputes': { transaction: { id } },
    gateways: { gateway: {} },
  }
  for (const [operation, answer] of Object.entries(answers)) {
    await sql`insert into idempotency_key (merchant_id, operation, key, arguments_hash, status, answer, created_at, settled_at)
      values ('m', ${operation}, 'k', '', 200, ${JSON.stringify(answer)}, now(), now())`
  }
  await migrate(sql, migrations)
  const rows = await sql<{ operation: string; email: string | null; transactionId: string | null }[]>`
    select operation, email, transaction_id from idempotency_key order by operation`
  assert.deepEqual(
    rows.map(({ operation, email, transactionId }) => [operation, email, transactionId]),
    [
      ['credit_cards', email, null],
      ['credit_cards delete', null, null],
      ['gateways', null, null],
      ['offers', email, null],
      ['offers delete', null, null],
      ['sandbox disputes', null, id],
    ],
  )
})
