// The page behind `signup_url`, as whatever is no customer meets it: scanners, strangers, forgers, the impatient.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { testCardThat } from '../src/gateways/sandbox/test-cards.ts'
import { answered } from './support/answers.ts'
import { startTestService, type TestService } from './support/service.ts'
import { connectStripe } from './support/stripe/connected.ts'
import { startStripe } from './support/stripe/server.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.stop())

async function waitingPayment(): Promise<{
  id: string
  link: string
  offer: string
  operation: string
  gateway: string
}> {
  const { demo, database } = service
  const offer = await demo.makeOffer()
  const card = await demo.storeCard(testCardThat('three_d_secure').number)
  const { id, further_action, gateway } = answered(await demo.charge(offer, card), 202).json.transaction
  const [operation] = await database.sql<{ id: string }[]>`select id from operation where transaction_id = ${id}`
  return { id, link: further_action.signup_url, offer, operation: operation?.id ?? '', gateway }
}

interface Shown {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

async function visit(url: string, form?: { readonly [name: string]: string }, headers = {}): Promise<Shown> {
  const body = form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }
  const answer = await fetch(url, { redirect: 'manual', headers, ...body })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

function isPage({ status, headers, text }: Shown, expected: number, says: RegExp): void {
  assert.equal(status, expected, text)
  assert.equal(headers.get('content-type'), 'text/html; charset=utf-8')
  assert.match(text, says)
  assert.equal(headers.get('cache-control'), 'no-store')
  assert.equal(headers.get('referrer-policy'), 'no-referrer')
  assert.equal(headers.get('vary'), 'Accept-Language')
  assert.ok(text.includes(`<html lang="${headers.get('content-language')}">`))
  assert.equal(text.match(/<h1/g)?.length, 1)
  const policy = headers.get('content-security-policy') ?? ''
  for (const rule of ["default-src 'none'", "style-src 'self'", "base-uri 'none'", "frame-ancestors 'none'"])
    assert.ok(policy.includes(rule), rule)
  assert.doesNotMatch(policy, /script-src|unsafe|nonce/)
  assert.doesNotMatch(text, /<script|<style| style=| on[a-z]+=/)
}

const tokenIn = ({ text }: Shown) => /name="form_token" value="([\w-]+)"/.exec(text)?.[1] ?? assert.fail('no form')
const formAt = (id: string, offer: string) => `${service.baseUrl}/offers/${offer}/transactions/${id}/step`

/** All of one payment that could change, as text. */
async function state(id: string): Promise<string> {
  const { sql } = service.database
  const rows = [
    await sql`select status, version from transaction where id = ${id}`,
    await sql`select outcome, lease_no, asks, next_ask_at from operation where transaction_id = ${id}`,
    await sql`select * from sandbox_entry where transaction_id = ${id}`,
  ]
  return JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? String(value) : value))
}

test('opening the link changes nothing, however often, and not by a stranger’s form either', async () => {
  const { link, id, offer } = await waitingPayment()
  // The sweeper asks about it in five seconds: it is held off, so that only what the visits change is seen.
  await service.database
    .sql`update operation set next_ask_at = next_ask_at + interval '1 hour' where transaction_id = ${id}`
  const before = await state(id)
  const page = await visit(link)
  isPage(page, 200, /Continue to your bank/)
  for (let times = 0; times < 3; times++) isPage(await visit(link), 200, /Confirm your payment/)
  const form_token = tokenIn(page)
  isPage(await visit(formAt(id, offer), {}), 403, /Open the page of your payment[\s\S]*>Back to your payment</)
  isPage(await visit(formAt(id, offer), { form_token: `${form_token}x` }), 403, /Open the page/)
  isPage(await visit(formAt(id, offer), { form_token }, { 'sec-fetch-site': 'cross-site' }), 403, /Open the page/)
  isPage(await visit(formAt(id, offer), { form_token }, { origin: 'https://evil.example' }), 403, /Open the page/)
  const other = await waitingPayment()
  const foreign = tokenIn(await visit(other.link))
  isPage(await visit(formAt(id, offer), { form_token: foreign }), 403, /Open the page/)
  assert.equal(await state(id), before)
  assert.equal((await visit(formAt(id, offer), { form_token })).status, 303, 'and the page’s own form goes on')
})

test('where there is no payment, the page says so', async () => {
  const [one, other] = [await waitingPayment(), await waitingPayment()]
  const { baseUrl } = service
  const nil = '00000000-0000-0000-0000-000000000000'
  for (const path of [
    ...[`offers/${one.offer}?transaction=`, `offers/${one.offer}?transaction=${nil}`],
    ...[`offers/${nil}?transaction=${one.id}`, `offers/${other.offer}?transaction=${one.id}`],
    ...[`offers/x?transaction=${one.id}`, `offers/%27?transaction=${one.id}`],
    `offers/${one.offer}?transaction=${one.id}&transaction=${one.id}`,
  ]) {
    isPage(await visit(`${baseUrl}/${path}`), 404, /Payment not found/)
  }
  isPage(await visit(formAt(one.id, other.offer), {}), 404, /Payment not found/)
  isPage(await visit(formAt(one.id.toUpperCase(), one.offer.toUpperCase()), {}), 403, /Open the page/)
})

test('a form that is none is refused in words for people', async () => {
  const { id, offer } = await waitingPayment()
  const large = await fetch(formAt(id, offer), { method: 'POST', body: 'x'.repeat(5_000) })
  assert.deepEqual([large.status, large.headers.get('content-type')], [413, 'text/html; charset=utf-8'])
  const json = await fetch(formAt(id, offer), { method: 'POST', body: '{}', headers: { 'content-type': 'text/json' } })
  assert.equal(json.status, 403)
})

test('one payment asks the gateway a few times at once, and no more', async () => {
  const { link, id, offer } = await waitingPayment()
  const form_token = tokenIn(await visit(link))
  const many = Array.from({ length: 40 })
  const answers = await Promise.all(many.map(() => visit(formAt(id, offer), { form_token })))
  const [tooFast] = answers.filter(({ status }) => status === 429)
  assert.ok(answers.filter(({ status }) => status === 303).length >= 8)
  isPage(tooFast ?? assert.fail('all were let through'), 429, /Please wait a moment[\s\S]*>Back to your payment</)
  const claims = async () =>
    (await service.database.sql<{ leaseNo: number }[]>`select lease_no from operation where transaction_id = ${id}`)[0]
  const before = await claims()
  const pages = await Promise.all(many.map(() => visit(`${link}&returned=1`)))
  for (const page of pages) isPage(page, 200, /Not finished yet/)
  const asked = Number((await claims())?.leaseNo) - Number(before?.leaseNo)
  assert.ok(asked < many.length / 2, `it was asked ${asked} times`)
})

test('while the gateway is away, it is not the bank that is blamed, and there is a way back', async t => {
  const stripe = await startStripe()
  t.after(stripe.close)
  const merchant = await service.newMerchant()
  const card = await (await connectStripe(merchant, stripe)).card('pm_card_authenticationRequired')
  const offer = await merchant.makeOffer()
  const { id, further_action } = answered(await merchant.charge(offer, card), 202).json.transaction
  const page = await visit(further_action.signup_url)
  stripe.faults.always({ kind: 'reset', at: 'before' })
  const away = await visit(formAt(id, offer), { form_token: tokenIn(page) })
  isPage(away, 503, /We cannot reach the payment service\./)
  const back = /<a href="([^"]+)">Back to your payment</.exec(away.text)?.[1] ?? assert.fail('no way back')
  isPage(await visit(new URL(back.replaceAll('&#38;', '&'), service.baseUrl).href), 200, /Continue to your bank/)
})

test('the sandbox’s bank leads back to a payment’s page, and nowhere else', async () => {
  const { link, operation, gateway } = await waitingPayment()
  const bank = (back: string) =>
    `${service.baseUrl}/sandbox/challenges/${gateway}/${operation}?return=${encodeURIComponent(back)}`
  for (const back of [
    ...['', 'https://evil.example/offers/x', `${service.baseUrl}.evil.example/offers/x`, '//evil.example/offers/x'],
    ...[`${service.baseUrl}/inbox/x`, `${service.baseUrl}/offers/../inbox/x`, 'javascript:alert(1)'],
  ]) {
    isPage(await visit(bank(back)), 404, /There is no payment to confirm here\./)
    isPage(await visit(bank(back), { result: 'pass' }), 404, /There is no payment to confirm here\./)
  }
  isPage(await visit(bank(link)), 200, /Is this your payment/)
  isPage(await visit(bank(link), { result: 'perhaps' }), 404, /no payment to confirm/)
  isPage(await visit(bank(link), { result: 'pass' }, { 'sec-fetch-site': 'cross-site' }), 404, /no payment to confirm/)
  isPage(await visit(bank(link).replace(operation, crypto.randomUUID())), 404, /no payment to confirm/)
  isPage(await visit(bank(link).replace(gateway, `gw_${'A'.repeat(22)}`)), 404, /no payment to confirm/)
  const passed = await visit(bank(link), { result: 'pass' })
  assert.deepEqual([passed.status, passed.headers.get('location')], [303, link])
})

const inSpanish = { 'accept-language': 'es-ES,es;q=0.9,en;q=0.5' }

test('who reads Spanish goes through it in Spanish, to the bank and back', async () => {
  const { link, id, offer, operation, gateway } = await waitingPayment()
  const page = await visit(link, undefined, inSpanish)
  isPage(page, 200, /<html lang="es">[\s\S]*Su banco le pide que confirme este pago\./)
  assert.match(page.text, /100,00\s(US)?\$/)
  assert.match(page.text, /<footer>[\s\S]*Este es un entorno de pruebas: no se mueve dinero\./)
  isPage(await visit(formAt(id, offer), {}, inSpanish), 403, /Abra la página de su pago[\s\S]*>Volver a su pago</)
  const bank = `${service.baseUrl}/sandbox/challenges/${gateway}/${operation}?return=${encodeURIComponent(link)}`
  isPage(await visit(bank, undefined, inSpanish), 200, /¿Es suyo este pago\?[\s\S]*>Sí, confirmar</)
  await visit(bank, { result: 'pass' }, inSpanish)
  isPage(
    await visit(`${link}&returned=1`, undefined, inSpanish),
    200,
    /Pago realizado[\s\S]*<bdi>Demo[^<]*<\/bdi> ha recibido/,
  )
  const nowhere = `${service.baseUrl}/offers/x?transaction=x`
  isPage(await visit(nowhere, undefined, inSpanish), 404, /No se encontró el pago/)
  const another = `${service.baseUrl}/offers/${offer}?transaction=${offer}`
  isPage(await visit(another), 404, /Payment not found[\s\S]*href="[^"]*\/offers\/[^"?]+">Back to the offer/)
  const large = await fetch(formAt(id, offer), { method: 'POST', body: 'x'.repeat(5_000), headers: inSpanish })
  assert.equal(large.status, 413)
  assert.match(await large.text(), /Sus respuestas son demasiado largas\./)
})

test('the page looks as the merchant wants it, and leads back to the merchant once it is paid', async () => {
  const merchant = await service.newMerchant()
  const offer = await merchant.makeOffer()
  const look = {
    button_color: '#b00020',
    support_email: 'help@shop.example',
    return_url: 'https://shop.example/thanks?a=1',
    frame_ancestors: ['https://shop.example'],
  }
  answered(await merchant.ask('payment_page', { method: 'PATCH', json: look }), 200)
  const card = await merchant.storeCard(testCardThat('three_d_secure').number)
  const { id } = answered(await merchant.charge(offer, card), 202).json.transaction
  const waiting = await visit(`${service.baseUrl}/offers/${offer}?transaction=${id}`)
  assert.match(waiting.headers.get('content-security-policy') ?? '', /frame-ancestors https:\/\/shop\.example$/)
  assert.match(waiting.text, /<form method="post" [^>]*target="_top">/)
  assert.match(waiting.text, /href="mailto:help@shop\.example"/)
  assert.match(waiting.text, /href="\/pages\/looks\/b00020-\.css"/)
  assert.doesNotMatch(waiting.text, /thanks/)
  const paid = answered(await merchant.charge(offer, await merchant.storeCard()), 200).json.transaction
  const page = await visit(`${service.baseUrl}/offers/${offer}?transaction=${paid.id}`)
  assert.ok(page.text.includes(`href="https://shop.example/thanks?a=1&#38;transaction=${paid.id}"`), page.text)
})

test('what a page is made of is kept by browsers, and its address changes when it does', async () => {
  const { link } = await waitingPayment()
  const { text } = await visit(link)
  const [, path = assert.fail('no style')] = /<link rel="stylesheet" href="([^"]+)">/.exec(text) ?? []
  assert.match(path, /^\/pages\/page\.[\w-]{12}\.css$/)
  const { status, headers } = await visit(`${service.baseUrl}${path}`)
  assert.deepEqual([status, headers.get('content-type')], [200, 'text/css; charset=utf-8'])
  assert.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable')
  assert.equal(headers.get('x-content-type-options'), 'nosniff')
  assert.equal(headers.get('strict-transport-security'), null, 'where there is no TLS, nobody is held to it')
  assert.equal((await visit(`${service.baseUrl}/pages/page.css`)).status, 404)
})
