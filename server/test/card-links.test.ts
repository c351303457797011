// Links on which customers enter cards, as whatever is no customer meets them: merchants, strangers, forgers, the
// impatient, and time.

import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import { tryLimits } from '../src/core/tries.ts'
import { answered, refused, writingNothing } from './support/answers.ts'
import { openFakeBraintree } from './support/braintree/server.ts'
import { makeCardLink, masksOf } from './support/card-links.ts'
import { connectFarGateway } from './support/far-gateway.ts'
import { startTestService, type TestService } from './support/service.ts'
import { methodNamed } from './support/stripe/cards.ts'
import { connectStripe } from './support/stripe/connected.ts'
import { type StripeServer, startStripe } from './support/stripe/server.ts'
import { until } from './support/until.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.stop())

interface Shown {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}
type Form = { readonly [name: string]: string }

async function visit(url: string, form?: Form, headers = {}): Promise<Shown> {
  const body = form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }
  const answer = await fetch(url, { redirect: 'manual', headers, ...body })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

const policyOf = ({ headers }: Shown) => (headers.get('content-security-policy') ?? '').split('; ')

function isPage(shown: Shown, expected: number, says: RegExp): void {
  const { status, headers, text } = shown
  assert.equal(status, expected, text)
  assert.equal(headers.get('content-type'), 'text/html; charset=utf-8')
  assert.equal(headers.get('cache-control'), 'no-store')
  assert.equal(headers.get('referrer-policy'), 'no-referrer')
  for (const rule of ["default-src 'none'", "style-src 'self'", "base-uri 'none'", "frame-ancestors 'none'"])
    assert.ok(policyOf(shown).includes(rule), rule)
  assert.doesNotMatch(text, /<style| style=| on[a-z]+=|<script(?! src)/)
  assert.match(text, says)
}

const tokenIn = ({ text }: Shown) => /name="form_token" value="([\w-]+)"/.exec(text)?.[1] ?? assert.fail('no form')
const typed = { number: '4111111111111111', expiry: '1240', cvc: '123', consent: 'yes' }

async function formAt(url: string, more: Form = typed): Promise<Form> {
  return { ...more, form_token: tokenIn(await visit(url)) }
}

/** What Stripe's own card fields make of a card that is typed into them. */
function enteredAt({ state }: StripeServer, name = 'pm_card_visa'): string {
  return methodNamed(state, name)?.id ?? assert.fail()
}

async function withStripe(t: TestContext) {
  const client = await service.newMerchant()
  const stripe = await startStripe()
  t.after(stripe.close)
  return { client, stripe, connected: await connectStripe(client, stripe) }
}

/** The next card that is attached at Stripe waits. */
function holdAttaching(stripe: StripeServer) {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
  const hold = () => {
    reach()
    return released
  }
  stripe.faults.next({ kind: 'hold', until: hold }, ({ path }) => path.endsWith('/attach'))
  return { reached, release }
}

/** How often somebody tried to take a link, in vain or not. */
async function countTakings(t: TestContext): Promise<() => Promise<number>> {
  const { sql } = service.database
  await sql.unsafe(`create table taking ();
    create function count_taking() returns trigger language plpgsql as $$ begin insert into taking default values; return null; end $$;
    create trigger count_taking before update on card_link for each statement execute function count_taking()`)
  t.after(() => sql.unsafe('drop trigger count_taking on card_link; drop function count_taking; drop table taking'))
  return async () => (await sql`select from taking`).length
}

test('a link is made once for a key, is good for a day, and its secret is nowhere at rest', async () => {
  const { demo, database } = service
  const form = { email: 'Key@Example.com', return_url: 'http://127.0.0.1:9/done' }
  const headers = { 'idempotency-key': 'a-link' }
  const ask = () => demo.ask('credit_cards/links', { form, headers })
  const { card_link } = answered(await ask(), 200).json
  const again = answered(await ask(), 200)
  assert.deepEqual([again.json.card_link, again.headers['idempotent-replayed']], [card_link, 'true'])
  refused(await demo.ask('credit_cards/links', { form: { email: 'b@example.com' }, headers }), 422, ['general'])
  const [row] = await database.sql<{ email: string; lifeS: number }[]>`
    select email, extract(epoch from expires_at - created_at)::int as life_s from card_link`
  assert.deepEqual([row?.email, row?.lifeS], ['key@example.com', 86_400])
  const secret = new URL(card_link.url).pathname.split('.').at(-1) ?? ''
  assert.equal(Buffer.from(secret, 'base64url').length, 32)
  for (const table of ['card_link', 'idempotency_key', 'directory']) {
    const rows = await database.sql<{ text: string }[]>`select t::text as text from ${database.sql(table)} t`
    for (const { text } of rows)
      assert.ok(!text.includes(secret) && !text.includes(Buffer.from(secret).toString('hex')))
  }
  await visit(card_link.url)
  assert.ok(!service.logged().includes(secret), 'nor in the log')
})

test('what is no link is refused by field, and nothing is written', async () => {
  const { demo, database } = service
  const email = 'ada@example.com'
  for (const [form, field] of [
    [{}, 'email'],
    [{ email: 'ada' }, 'email'],
    [{ email, return_url: 'javascript:alert(1)' }, 'return_url'],
    [{ email, return_url: 'http://shop.example/' }, 'return_url'],
    [{ email, return_url: 'https://me@shop.example/' }, 'return_url'],
    [{ email, return_url: 'https://shop.example/?card=4111111111111111' }, 'return_url'],
  ] as [Form, string][]) {
    const ask = () => demo.ask('credit_cards/links', { form, method: 'POST' })
    refused(await writingNothing(database.sql, ask), 422, [field])
  }
  refused(await demo.ask('credit_cards/links', { form: { email, gateway: 'gw_none' } }), 404, ['gateway'])
  const client = await service.newMerchant()
  const [gateway] = answered(await client.ask('gateways'), 200).json
  answered(await client.ask(`gateways/${gateway.id}`, { method: 'PATCH', form: { status: 'inactive' } }), 200)
  refused(await client.ask('credit_cards/links', { form: { email } }), 422, ['gateway'])
  await database.sql`update gateway set is_default = false where merchant_id = ${client.merchant}`
  refused(await client.ask('credit_cards/links', { form: { email } }), 422, ['gateway'])
})

test('who has no link, or another’s, finds nothing', async () => {
  const [one, other] = [await service.newMerchant(), await service.newMerchant()]
  const { url } = await makeCardLink(one)
  const strange = url.replace(one.merchant, other.merchant)
  assert.notEqual(strange, url)
  const last = url.at(-1) === 'A' ? 'B' : 'A'
  for (const wrong of [strange, `${url}x`, `${url.slice(0, -1)}${last}`, `${service.baseUrl}/cards/x`]) {
    isPage(await visit(wrong), 404, /This link does not work/)
    isPage(await visit(wrong, { ...typed, form_token: tokenIn(await visit(url)) }), 404, /This link does not work/)
  }
  assert.deepEqual([await masksOf(one), await masksOf(other)], [[], []])
})

test('only the page’s own form stores a card, and only one that is filled in', async () => {
  const client = await service.newMerchant()
  const { url } = await makeCardLink(client)
  const form = await formAt(url)
  const { form_token = '', ...bare } = form
  const foreign = await formAt((await makeCardLink(client)).url)
  for (const [sent, headers] of [
    [bare, {}],
    [{ ...form, form_token: `${form_token}x` }, {}],
    [foreign, {}],
    [form, { 'sec-fetch-site': 'cross-site' }],
    [form, { origin: 'https://evil.example' }],
  ] as [Form, object][]) {
    isPage(await visit(url, sent, headers), 403, /Open your link again/)
  }
  for (const [wrong, says] of [
    [{ consent: '' }, /Tick this box/],
    [{ number: '4111' }, /aria-invalid="true"[\s\S]*id="number-problem">Enter the number/],
    [{ expiry: '13/40' }, /id="expiry-problem">Enter the expiry/],
    [{ expiry: '01/20' }, /id="expiry-problem">This card has expired/],
    [{ cvc: '12' }, /role="alert">Please check the field[\s\S]*id="cvc-problem">Enter the security code/],
    [{ number: '', cvc: '' }, /role="alert">Please check the 2 fields/],
  ] as [Form, RegExp][]) {
    isPage(await visit(url, { ...form, ...wrong }), 422, says)
  }
  const large = await fetch(url, { method: 'POST', body: 'x'.repeat(5_000) })
  assert.deepEqual([large.status, large.headers.get('content-type')], [413, 'text/html; charset=utf-8'])
  assert.deepEqual(await masksOf(client), [])
  const stored = await visit(url, form)
  assert.deepEqual([stored.status, stored.headers.get('location')], [303, new URL(url).pathname])
  assert.deepEqual(await masksOf(client), ['1111'])
})

test('a card number is in no log, wherever on the pages it was typed', async () => {
  const { url } = await makeCardLink(await service.newMerchant())
  const number = '5555555555554444'
  const form = await formAt(url, { ...typed, number })
  const { baseUrl, demo } = service
  await visit(url, { ...form, cvc: '' })
  await visit(url, { ...form, form_token: '' })
  await visit(url, { ...form, more: 'x'.repeat(5_000) })
  await visit(`${url}?number=${number}`, form)
  for (const path of [`cards/${number}`, `cards/x?number=${number}`, `offers/${number}`, `offers/${demo.offer}`]) {
    await visit(`${baseUrl}/${path}`)
    await visit(`${baseUrl}/${path}`, form)
    await visit(`${baseUrl}/${path}?transaction=${number}&email=${number}&quantity=${number}`)
  }
  await visit(`${baseUrl}/offers/${demo.offer}/transactions/${number}/step`, form)
  await visit(`${baseUrl}/sandbox/challenges/${number}/${number}?return=${number}`, form)
  assert.match(service.logged(), /"route":"\/cards\/:link"/, 'that it was asked for is')
  assert.doesNotMatch(service.logged(), new RegExp(number))
})

test('one link takes a few tries, and then wants time', async () => {
  const { url } = await makeCardLink(await service.newMerchant())
  const form = await formAt(url, { ...typed, number: '4242424242424242' })
  const statuses: number[] = []
  for (let tries = 0; tries < 12; tries++) statuses.push((await visit(url, form)).status)
  assert.deepEqual([statuses.slice(0, 10), statuses.at(-1)], [Array(10).fill(422), 429])
  isPage(await visit(url, form), 429, /Open your link again in [0-9]+ minutes?\./)
  isPage(await visit(url), 200, /Save this card/)
})

test('who tries card after card on many links of a merchant has to wait, and others have not', async () => {
  const client = await service.newMerchant()
  const tryOne = async () => {
    const { url } = await makeCardLink(client)
    return visit(url, await formAt(url, { ...typed, number: '4242424242424242' }))
  }
  const { atOnce, perHour } = tryLimits.address
  for (let count = 0; count < atOnce; count++) isPage(await tryOne(), 422, /Save this card/)
  const answer = await tryOne()
  isPage(answer, 429, /Open your link again in [0-9]+ minutes?\./)
  const retryAfterS = Number(answer.headers.get('retry-after'))
  assert.ok(retryAfterS > 1 && retryAfterS <= 3_600 / perHour, `${retryAfterS}`)
  const { url } = await makeCardLink(await service.newMerchant())
  assert.equal((await visit(url, await formAt(url, typed))).status, 303)
})

test('cards that are stored are no tries that count', async () => {
  const client = await service.newMerchant()
  for (let count = 0; count <= tryLimits.address.atOnce; count++) {
    const { url } = await makeCardLink(client)
    assert.equal((await visit(url, await formAt(url, typed))).status, 303)
  }
})

test('however many send it at once, one card is stored, and all are told which', async t => {
  const { client, stripe } = await withStripe(t)
  const { url } = await makeCardLink(client)
  const held = holdAttaching(stripe)
  const takings = await countTakings(t)
  const form = await formAt(url, { reference: enteredAt(stripe), consent: 'yes' })
  const first = visit(url, form)
  await held.reached
  const others = Promise.all(
    [form.reference ?? '', enteredAt(stripe, 'pm_card_mastercard')].map(reference =>
      visit(url, { ...form, reference }),
    ),
  )
  await until('they ask for the link over and over', async () => (await takings()) > 6)
  held.release()
  for (const { status } of [await first, ...(await others)]) assert.equal(status, 303)
  isPage(await visit(url), 200, /Your card ending in 4242 is saved/)
  assert.deepEqual(await masksOf(client), ['4242'])
  assert.equal(stripe.asked.filter(({ path }) => path.endsWith('/attach')).length, 1)
})

test('what died while it held the link does not hold it for ever', async () => {
  const client = await service.newMerchant()
  const { url } = await makeCardLink(client)
  const form = await formAt(url)
  await service.database
    .sql`update card_link set taken_until = now() - interval '1 second' where merchant_id = ${client.merchant}`
  assert.equal((await visit(url, form)).status, 303)
  assert.deepEqual(await masksOf(client), ['1111'])
})

test('Stripe’s script, frames and calls are allowed on its page, and nothing else is', async t => {
  const { client, stripe } = await withStripe(t)
  const shown = await visit((await makeCardLink(client)).url)
  isPage(shown, 200, /id="card-fields"/)
  const policy = policyOf(shown)
  for (const rule of [`script-src 'self' ${stripe.url}`, `frame-src ${stripe.url}`, `connect-src ${stripe.url}`])
    assert.ok(policy.includes(rule), rule)
  assert.doesNotMatch(policy.join(), /unsafe|nonce|\*/)
  assert.ok(shown.text.includes(stripe.credentials.publishable_key))
  assert.ok(!shown.text.includes(stripe.credentials.secret_key))
  const [, path] = /<script src="(\/pages\/card\.[\w-]+\.js)" defer>/.exec(shown.text) ?? assert.fail('no script')
  const script = await fetch(`${service.baseUrl}${path}`)
  assert.equal(script.headers.get('content-type'), 'text/javascript; charset=utf-8')
  assert.ok((await script.text()).length < 5_000)
})

test('who reads Spanish enters a card in Spanish, and is not told in English why it was refused', async t => {
  const spanish = { 'accept-language': 'es' }
  const client = await service.newMerchant()
  const { url } = await makeCardLink(client)
  const page = await visit(url, undefined, spanish)
  isPage(
    page,
    200,
    /<html lang="es">[\s\S]*<bdi>Another<\/bdi> pide una tarjeta que se guardará para los pagos de <bdi>a…@example\.com<\/bdi>/,
  )
  for (const label of ['Número de tarjeta', 'Fecha de vencimiento', 'Código de seguridad', 'Guardar esta tarjeta'])
    assert.ok(page.text.includes(label), label)
  const form = await formAt(url)
  isPage(await visit(url, { ...form, cvc: '' }, spanish), 422, /id="cvc-problem">Escriba el código de seguridad/)
  const refusedCard = { ...form, number: '4242424242424242' }
  isPage(await visit(url, refusedCard), 422, /role="alert">The sandbox knows only its test cards\./)
  const inSpanish = await visit(url, refusedCard, spanish)
  isPage(inSpanish, 422, /role="alert">No se puede aceptar esta tarjeta\./)
  assert.doesNotMatch(inSpanish.text, /test cards|4242/)
  await visit(url, form, spanish)
  isPage(await visit(url, undefined, spanish), 200, /Su tarjeta terminada en 1111 está guardada/)
  const { client: other } = await withStripe(t)
  const stripes = await visit((await makeCardLink(other)).url, undefined, spanish)
  isPage(stripes, 200, /data-not-loaded="No se pudieron cargar[^"]+" data-not-reached="No se pudo conectar con Stripe/)
})

test('a number is not taken for a name, wherever it is sent', async t => {
  const { client, stripe } = await withStripe(t)
  const { url } = await makeCardLink(client)
  const form = await formAt(url, { ...typed, reference: '4242424242424242' })
  isPage(await visit(url, form), 422, /Your card could not be read/)
  isPage(await visit(url, { ...form, reference: '' }), 422, /Your card could not be read/)
  assert.ok(!stripe.asked.some(({ path }) => path.includes('attach')))
})

test('a gateway that is inactive, silent or without fields has its own words, and the link stays', async t => {
  const client = await service.newMerchant()
  const far = await connectFarGateway(client)
  const { url } = await makeCardLink(client)
  const turn = async (status: string) =>
    answered(await client.ask(`gateways/${far.id}`, { method: 'PATCH', form: { status } }), 200)
  const form = await formAt(url)
  await turn('inactive')
  isPage(await visit(url), 503, /Another<\/bdi> cannot take cards here at the moment/)
  isPage(await visit(url, form), 503, /Another<\/bdi> cannot take cards here at the moment/)
  await turn('active')
  await far.goAway()
  isPage(await visit(url, form), 503, /Your card could not be saved/)
  isPage(await visit(url), 200, /Save this card/)
  const braintree = await openFakeBraintree()
  t.after(braintree.close)
  const json = { type: 'braintree', credentials: braintree.credentials }
  const { gateway } = answered(await client.ask('gateways', { json }), 200).json
  isPage(
    await visit((await makeCardLink(client, { gateway: gateway.id })).url),
    409,
    /<bdi>Another<\/bdi> adds cards in another way/,
  )
})

test('a card that is removed later is not shown as stored', async () => {
  const client = await service.newMerchant()
  const { url } = await makeCardLink(client)
  await visit(url, await formAt(url))
  const [card] = answered(await client.ask('credit_cards'), 200).json
  answered(await client.ask(`credit_cards/${card.service_token}`, { method: 'DELETE' }), 200)
  isPage(await visit(url), 410, /This link has been used/)
})

test('who is erased has no links any more, used or not, and is not made anew by one that is under way', async t => {
  const { client, stripe } = await withStripe(t)
  const { sql } = service.database
  const links = async () => (await sql`select from card_link where merchant_id = ${client.merchant}`).length
  const erase = () => client.ask('customers/erasures', { form: { email: 'ada@example.com' } })
  refused(await erase(), 404, ['email'])
  await makeCardLink(client)
  answered(await erase(), 200)
  assert.equal(await links(), 0)
  const used = await makeCardLink(client)
  const entered = () => ({ reference: enteredAt(stripe), consent: 'yes' })
  assert.equal((await visit(used.url, await formAt(used.url, entered()))).status, 303)
  const { url } = await makeCardLink(client)
  const form = await formAt(url, entered())
  const held = holdAttaching(stripe)
  const entering = visit(url, form)
  await held.reached
  answered(await erase(), 200)
  held.release()
  assert.equal((await entering).status, 303)
  isPage(await visit(url), 404, /This link does not work/)
  isPage(await visit(used.url), 404, /This link does not work/)
  assert.deepEqual([await links(), await masksOf(client)], [0, []])
  const known = await sql`select from customer where merchant_id = ${client.merchant} and email is not null`
  assert.equal(known.length, 0)
  assert.ok(stripe.state.all('payment_method').every(({ customer }) => customer === null))
})

// Last: the clock goes on for everybody.
test('a day after it was used or has expired, nothing is left of a link', async () => {
  const client = await service.newMerchant()
  const { sql } = service.database
  const left = async () => (await sql`select from card_link where merchant_id = ${client.merchant}`).length
  const pass = async (hours: number) =>
    answered(await service.demo.ask('sandbox/clock', { form: { advance_s: hours * 3_600 } }), 200)
  const used = await makeCardLink(client)
  await makeCardLink(client)
  await visit(used.url, await formAt(used.url))
  await pass(23)
  assert.equal(await left(), 2)
  await pass(2)
  await until('the used one is gone', async () => (await left()) === 1)
  await pass(22)
  assert.equal(await left(), 1)
  await pass(2)
  await until('the expired one is gone', async () => (await left()) === 0)
})
