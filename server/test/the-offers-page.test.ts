// The page of an offer over HTTP, from the whole service: what a stranger, a script, a scanner or a hasty customer can send.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { tryLimits } from '../src/core/tries.ts'
import { testCardThat } from '../src/gateways/sandbox/test-cards.ts'
import { answered } from './support/answers.ts'
import { paymentsOf } from './support/customer.ts'
import { type Form, hiddenIn, tickedIn } from './support/plain-forms.ts'
import { startTestService, type TestService } from './support/service.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.stop())

const ada: Form = { email: 'ada@example.com', first_name: 'Ada' }
const goodCard: Form = { number: testCardThat('success').number, expiry: '12/40', cvc: '987' }

interface Shown {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

async function visit(url: string, form?: Form, headers: Form = {}): Promise<Shown> {
  const sent = form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }
  const answer = await fetch(url, { redirect: 'manual', headers, ...sent })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

/** What holds for every page, whatever it says. */
function isPage({ status, headers, text }: Shown, expected: number, ...says: readonly RegExp[]): void {
  assert.equal(status, expected, text)
  for (const sentence of says) assert.match(text, sentence)
  assert.equal(headers.get('content-type'), 'text/html; charset=utf-8')
  assert.equal(headers.get('cache-control'), 'no-store')
  assert.equal(headers.get('referrer-policy'), 'no-referrer')
  const policy = headers.get('content-security-policy') ?? ''
  for (const rule of ["default-src 'none'", "style-src 'self'", "form-action 'self'", "frame-ancestors 'none'"])
    assert.ok(policy.split('; ').includes(rule), `${rule} in ${policy}`)
  assert.doesNotMatch(policy, /unsafe|nonce|\*/)
  assert.doesNotMatch(text, /<script>|<style| style=| on[a-z]+="/)
  assert.equal(text.match(/<h1/g)?.length, 1)
}

const cookieOf = ({ headers }: Shown) => headers.getSetCookie()[0]?.split(';')[0] ?? assert.fail('no cookie')
const pageOf = (offer: string) => `${service.baseUrl}/offers/${offer}`

async function makeOffer(form: { readonly [name: string]: string } = {}): Promise<string> {
  const made = await service.demo.ask('offers', { form: { amount: '100.00', title: 'A book', ...form } })
  return answered(made, 200).json.offer.offer_id
}

test('looking at the page writes nothing, and its files are there to be kept', async () => {
  const offer = await makeOffer()
  const rows = () => service.database.sql`select count(*) from checkout`.then(([row]) => Number(row?.count))
  const before = await rows()
  const page = await visit(pageOf(offer))
  isPage(page, 200, /A book/, /<button>Pay \$100\.00/)
  assert.equal(await rows(), before)
  const files = [...page.text.matchAll(/(?:src|href)="(\/pages\/[^"]+)"/g)].map(([, path]) => path)
  assert.equal(files.length, 4, 'the styles of day and night, and two scripts')
  for (const path of files) {
    const file = await visit(`${service.baseUrl}${path}`)
    assert.equal(file.status, 200, path)
    assert.match(file.headers.get('cache-control') ?? '', /immutable/)
  }
})

test('a customer pays, comes back to the payment, and buys once more when they say so', async () => {
  const offer = await makeOffer()
  const page = await visit(pageOf(offer))
  const form = { ...hiddenIn(page), ...ada, ...goodCard }
  const paid = await visit(pageOf(offer), form)
  assert.equal(paid.status, 303, paid.text)
  const location = paid.headers.get('location') ?? ''
  assert.match(location, new RegExp(`^/offers/${offer}\\?transaction=[0-9a-f-]{36}$`))
  assert.match((await visit(`${service.baseUrl}${location}`)).text, /<h1[^>]*>Payment complete/)
  const cookie = cookieOf(page)
  isPage(await visit(pageOf(offer), undefined, { cookie }), 200, /You have paid for this/)
  assert.equal((await visit(pageOf(offer), form)).headers.get('location'), location, 'the form once more')
  const standing = await visit(pageOf(offer), undefined, { cookie })
  const again = await visit(pageOf(offer), hiddenIn(standing), { cookie })
  isPage(again, 200, /<button>Pay/)
  assert.deepEqual(await paymentsOf(service, offer), { statuses: ['Successful'], charges: 1 })
  const second = await visit(pageOf(offer), { ...hiddenIn(again), ...ada, ...goodCard }, { cookie: cookieOf(again) })
  assert.equal(second.status, 303, second.text)
  assert.deepEqual(await paymentsOf(service, offer), { statuses: ['Successful', 'Successful'], charges: 2 })
})

test('a link that says that a second payment is meant is not believed: the same card is asked about', async () => {
  const offer = await makeOffer()
  const first = await visit(pageOf(offer))
  const paid = await visit(pageOf(offer), { ...hiddenIn(first), ...ada, ...goodCard })
  assert.equal(paid.status, 303, paid.text)
  for (const query of ['?again=meant', '?again=1', '?again=yes']) {
    const cookie = cookieOf(await visit(pageOf(offer)))
    const linked = await visit(`${pageOf(offer)}${query}`, undefined, { cookie })
    const kept = { cookie: linked.headers.has('set-cookie') ? cookieOf(linked) : cookie }
    const page = linked.status === 303 ? await visit(pageOf(offer), undefined, kept) : linked
    isPage(await visit(pageOf(offer), { ...hiddenIn(page), ...ada, ...goodCard }, kept), 409, /name="again"/)
    isPage(await visit(pageOf(offer), undefined, { cookie: cookieOf(first) }), 200, /You have paid for this/)
  }
  assert.deepEqual(await paymentsOf(service, offer), { statuses: ['Successful'], charges: 1 })
})

test('two tabs that were opened before there was a cookie: who pays in one is asked in the other', async () => {
  const offer = await makeOffer()
  const [one, other] = [await visit(pageOf(offer)), await visit(pageOf(offer))]
  const kept = { cookie: cookieOf(other) }
  const paid = await visit(pageOf(offer), { ...hiddenIn(one), ...ada, ...goodCard }, kept)
  assert.equal(paid.status, 303, paid.text)
  const cookie = { cookie: cookieOf(paid) }
  isPage(await visit(pageOf(offer), undefined, cookie), 200, /You have paid for this/)
  const form = { ...hiddenIn(other), ...ada, ...goodCard, number: '5555555555554444' }
  const asked = await visit(pageOf(offer), form, cookie)
  isPage(asked, 409, /name="again"/)
  assert.deepEqual(await paymentsOf(service, offer), { statuses: ['Successful'], charges: 1 })
  assert.equal((await visit(pageOf(offer), { ...form, ...tickedIn(asked) }, cookie)).status, 303)
  assert.deepEqual(await paymentsOf(service, offer), { statuses: ['Successful', 'Successful'], charges: 2 })
})

test('whom an offer is for cannot be found out by trying', async () => {
  const merchant = await service.newMerchant()
  const offer = await merchant.makeOffer({ email: 'ada@example.com' })
  const at = async (email: string) => (await visit(`${pageOf(offer)}?email=${email}`)).status
  const statuses: number[] = []
  for (let count = 0; count <= tryLimits.address.atOnce; count++) statuses.push(await at(`eve${count}@example.com`))
  assert.deepEqual(statuses.slice(-2), [403, 429])
  assert.equal(await at('ada@example.com'), 429, 'not even when it is right')
})

test('a declined card is told, and the next one pays', async () => {
  const offer = await makeOffer()
  const form = { ...hiddenIn(await visit(pageOf(offer))), ...ada, ...goodCard }
  const declined = await visit(pageOf(offer), { ...form, number: testCardThat('insufficient_funds').number })
  isPage(declined, 402, /role="alert"[^>]*>[^<]*for lack of funds\./, /value="ada@example\.com"/)
  const paid = await visit(pageOf(offer), { ...form, ...hiddenIn(declined) })
  assert.equal(paid.status, 303)
  assert.deepEqual(await paymentsOf(service, offer), { statuses: ['Failed', 'Successful'], charges: 1 })
})

test('what the customer enters is in the record, with no card number in it', async () => {
  const fields = JSON.stringify([{ name: 'Size', required: true }, { name: 'Note' }])
  const offer = await makeOffer({ custom_fields: fields, address: 'shipping' })
  const page = await visit(`${pageOf(offer)}?referrer_context=mail-7&quantity=2`)
  const home = { street: '1 Main St', city: 'Springfield', state: 'IL', zip: '62701', country: 'US' }
  const answers = { answer_1: 'XL', answer_2: 'card 4111 1111 1111 1111' }
  const paid = await visit(pageOf(offer), { ...hiddenIn(page), ...ada, ...goodCard, ...home, ...answers })
  assert.equal(paid.status, 303, paid.text)
  const id = paid.headers.get('location')?.split('=')[1]
  const { transaction } = answered(await service.demo.ask(`transactions/${id}`), 200).json
  assert.equal(transaction.source, 'Web Transaction')
  assert.equal(transaction.amount, '200.00')
  assert.equal(transaction.customer.first_name, 'Ada')
  assert.deepEqual(transaction.user_data.custom_data, { Size: 'XL', Note: 'card **** **** **** 1111' })
  assert.equal(transaction.user_data.shipping.city, 'Springfield')
})

test('an offer that asks for both addresses asks for each, and shows again what was typed', async () => {
  const offer = await makeOffer({ address: 'shipping,billing' })
  const page = await visit(pageOf(offer))
  isPage(page, 200, /<legend>Shipping address<\/legend>/, /<legend>Billing address<\/legend>/)
  assert.match(
    page.text,
    /name="shipping_street"[^>]* autocomplete="shipping address-line1"|autocomplete="shipping address-line1"[^>]* name="shipping_street"/,
  )
  const to = { shipping_street: '1 Main St', shipping_city: 'Springfield', shipping_country: 'DE' }
  const from = { billing_street: '2 High St', billing_city: 'Oxford', billing_country: 'GB' }
  const filled = { ...hiddenIn(page), ...ada, ...goodCard, ...to }
  const half = await visit(pageOf(offer), filled)
  isPage(half, 422, /value="1 Main St"/, /Please check the 3 marked fields/, /id="billing_street-problem">Enter/)
  const paid = await visit(pageOf(offer), { ...filled, ...hiddenIn(half), ...from })
  assert.equal(paid.status, 303, paid.text)
  const id = paid.headers.get('location')?.split('=')[1]
  const { user_data } = answered(await service.demo.ask(`transactions/${id}`), 200).json.transaction
  assert.deepEqual([user_data.shipping.street, user_data.billing.street], ['1 Main St', '2 High St'])
})

test('everything that is wrong is said at once, and nothing of the card comes back', async () => {
  const offer = await makeOffer({ address: 'billing' })
  const form = { ...hiddenIn(await visit(pageOf(offer))), email: 'nobody', number: '4111111111111112', cvc: '987' }
  const page = await visit(pageOf(offer), form)
  isPage(
    page,
    422,
    /Please check the 7 marked fields/,
    /id="email"[^>]* autofocus/,
    /id="number-problem">Enter the number/,
  )
  assert.doesNotMatch(page.text, /4111111111111112|"987"/)
  assert.deepEqual(await paymentsOf(service, offer), { statuses: [], charges: 0 })
})

test('a form that is not the page’s own charges nothing', async () => {
  const offer = await makeOffer()
  const other = await makeOffer()
  const form = { ...hiddenIn(await visit(pageOf(offer))), ...ada, ...goodCard }
  const { form_token: _, ...untold } = form
  const refused = (shown: Shown) => isPage(shown, 403, /Please begin again/, /Open the offer/)
  refused(await visit(pageOf(offer), untold))
  refused(await visit(pageOf(offer), { ...form, form_token: `${form.form_token}x` }))
  refused(await visit(pageOf(offer), { ...form, attempt: '1' }))
  refused(await visit(pageOf(other), form))
  refused(await visit(pageOf(offer), form, { 'sec-fetch-site': 'cross-site' }))
  refused(await visit(pageOf(offer), form, { origin: 'https://evil.example' }))
  for (const each of [offer, other]) assert.deepEqual(await paymentsOf(service, each), { statuses: [], charges: 0 })
  assert.equal((await visit(pageOf(offer), form, { 'sec-fetch-site': 'same-origin' })).status, 303)
})

test('what is no form, or too large for one, is refused in words for people', async () => {
  const url = pageOf(await makeOffer())
  const large = await visit(url, { email: 'x'.repeat(70_000) })
  isPage(large, 413, /Your answers are too long\./)
  const json = await fetch(url, { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } })
  assert.deepEqual([json.status, json.headers.get('content-type')], [403, 'text/html; charset=utf-8'])
  const twice = await fetch(url, {
    method: 'POST',
    body: 'email=a&email=b',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })
  assert.equal(twice.status, 403)
})

test('no address of the page, however odd, breaks it', async () => {
  const url = pageOf(await makeOffer())
  const odd = [
    'quantity=99999',
    'quantity=%00',
    'email=%00%ff',
    'email=a@b.c&email=d@e.f',
    'referrer_context=%00',
    'card=stored',
    'card=mailed',
    'proof=x&proof=y',
    '%',
    '__proto__=1',
    'again=2',
    `referrer_context=${'%F0%9F%98%80'.repeat(200)}`,
  ]
  for (const query of odd) isPage(await visit(`${url}?${query}`), 200)
  for (const query of ['proof=%00', 'transaction=%00', 'transaction=x&transaction=y&card=stored'])
    isPage(await visit(`${url}?${query}`), 404)
  const cookies = ['checkout=', 'checkout=x', `checkout=${'a'.repeat(51)}`, 'checkout=%00; checkout', '=;;=']
  for (const cookie of cookies) isPage(await visit(url, undefined, { cookie }), 200)
})

test('each state of an offer has its page and its status', async () => {
  const at = async (form: { [name: string]: string }, query = '') => visit(`${pageOf(await makeOffer(form))}${query}`)
  isPage(await at({ stock: '0' }), 410, /Sold out/)
  isPage(await at({ expires_at: '2020-01-01T00:00:00Z' }), 410, /has expired/)
  isPage(await at({ email: 'ada@example.com' }, '?email=eve@example.com'), 403, /Not for this email/)
  isPage(await at({ stock: '2' }, '?quantity=5'), 200, /Only 2 are left/)
  const gone = await makeOffer()
  answered(await service.demo.ask(`offers/${gone}`, { method: 'DELETE' }), 200)
  isPage(await visit(pageOf(gone)), 410, /No longer for sale/)
  for (const wrong of ['x', '00000000-0000-7000-8000-000000000000', '%27'])
    isPage(await visit(pageOf(wrong)), 404, /This link does not work/)
  isPage(await visit(pageOf('00000000-0000-7000-8000-000000000000'), {}), 404, /This link does not work/)
})

test('the last unit goes to one of two customers, and the other is told', async () => {
  const offer = await makeOffer({ stock: '1' })
  const [one, other] = [await visit(pageOf(offer)), await visit(pageOf(offer))]
  const mastercard = '5555555555554444'
  assert.equal((await visit(pageOf(offer), { ...hiddenIn(one), ...ada, ...goodCard })).status, 303)
  const late = await visit(pageOf(offer), { ...hiddenIn(other), ...ada, ...goodCard, number: mastercard })
  isPage(late, 410, /Sold out/)
  assert.deepEqual(await paymentsOf(service, offer), { statuses: ['Successful'], charges: 1 })
})

test('the same card twice, from two browsers, is asked about first', async () => {
  const offer = await makeOffer()
  const pay = async (more: Form = {}) =>
    visit(pageOf(offer), {
      ...hiddenIn(await visit(pageOf(offer))),
      ...ada,
      ...goodCard,
      number: '6011111111111117',
      ...more,
    })
  assert.equal((await pay()).status, 303)
  const asked = await pay()
  isPage(asked, 409, /This card paid for the same thing/, /name="again"/)
  assert.equal((await pay(tickedIn(asked))).status, 303)
  assert.deepEqual((await paymentsOf(service, offer)).charges, 2)
})

test('who only asks whether a link leads somewhere hears so, and people who followed a wrong one read a page', async () => {
  const url = pageOf(await makeOffer())
  const asked = async (address: string, headers: Form = {}) => {
    const { status } = await fetch(address, { method: 'HEAD', redirect: 'manual', headers })
    return status
  }
  assert.deepEqual([await asked(url), await asked(`${url}.png`), await asked(`${url}.svg`)], [200, 200, 200])
  const slashed = await visit(`${url}/?quantity=2`)
  assert.deepEqual([slashed.status, slashed.headers.get('location')], [308, `${new URL(url).pathname}?quantity=2`])
  const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
  for (const path of ['/', '/OFFERS/x', '/offers/x/y/z'])
    isPage(await visit(`${service.baseUrl}${path}`, undefined, browser), 404, /This link does not work/)
  for (const [path, headers] of [
    ['/', {}],
    ['/api/v5/rest', browser],
  ] as const) {
    const answer = await visit(`${service.baseUrl}${path}`, undefined, headers)
    assert.deepEqual([answer.status, answer.headers.get('content-type')], [404, 'application/json'])
  }
})

test('the page is in Spanish for who reads Spanish', async () => {
  const url = pageOf(await makeOffer())
  const spanish = { 'accept-language': 'es-ES,es;q=0.9,en;q=0.5' }
  const page = await visit(url, undefined, spanish)
  isPage(page, 200, /<html lang="es">/, /<button>Pagar 100,00/)
  const declined = { ...hiddenIn(page), ...ada, ...goodCard, number: testCardThat('card_declined').number }
  isPage(await visit(url, declined, spanish), 402, /Su tarjeta fue rechazada\. No se ha cobrado nada\./)
})

test('nothing that was typed is in the log', () => {
  const logged = service.logged()
  assert.doesNotMatch(logged, /4111111111111111|ada@example\.com|Springfield|checkout=/)
})
