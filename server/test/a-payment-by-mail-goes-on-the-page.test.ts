// A payment that was asked for by mail and waits for its customer goes on on the offer's page: with a card that is entered
// there, or by one press behind the link that was mailed. It is the same payment, and it is paid once.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { testCardThat } from '../src/gateways/sandbox/test-cards.ts'
import { boxHashIn } from '../src/keys/open-token.ts'
import { answered } from './support/answers.ts'
import { isAccessible } from './support/axe.ts'
import { payButton, paymentsOf, typeCard } from './support/customer.ts'
import { askByMail, linkMailedTo } from './support/letters.ts'
import { startRelay } from './support/mail-relay.ts'
import { type Form, hiddenIn, tickedIn } from './support/plain-forms.ts'
import { heading, isWiderThanTheScreen, withBrowser } from './support/visitor.ts'

const relay = await startRelay()
after(relay.close)
const browsing = await withBrowser({ TILLBELL_MAIL_RELAY: `smtp://127.0.0.1:${relay.port}` })
const { service, visitor } = browsing
const { sql } = service.database
const merchant = await service.newMerchant()

const goodCard: Form = { number: testCardThat('success').number, expiry: '12/40', cvc: '987', first_name: 'Ada' }
const otherNumber = '5555555555554444'
const declined = testCardThat('card_declined').number

interface Shown {
  readonly status: number
  readonly text: string
  readonly location: string | null
  readonly cookie: string
}

async function visit(url: string, form?: Form, cookie = ''): Promise<Shown> {
  const sent = form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }
  const answer = await fetch(url, { redirect: 'manual', headers: { cookie }, ...sent })
  const [kept = cookie] = answer.headers.getSetCookie().map(each => each.split(';')[0] ?? '')
  const text = await answer.text()
  return { status: answer.status, text, location: answer.headers.get('location'), cookie: kept }
}

let customers = 0
interface Asked {
  readonly offer: string
  readonly id: string
  readonly email: string
  /** The offer's page, where the form is sent to. */
  readonly page: string
  /** The hook's `signup_url`. */
  readonly url: string
  readonly path: string
}

/** Somebody asks for an offer by mail, and it waits for them. `number`: of a card that the merchant stored for them. */
async function asks(
  isProven: boolean,
  {
    number = null,
    isPersonal = false,
    ...more
  }: {
    readonly number?: string | null
    /** With their own link, as it was filled in. */
    readonly isPersonal?: boolean
    readonly [name: string]: string | number | boolean | null
  } = {},
): Promise<Asked> {
  customers += 1
  const email = `customer-${customers}@example.com`
  if (number !== null) await merchant.storeCard(number, { email, first_name: 'Ada' })
  const offer = await merchant.makeOffer({ title: 'Brass bell', stock: 5, ...(more as { [name: string]: string }) })
  const link = isPersonal ? answered(await merchant.ask(`offers/${offer}/links`, { form: { email } }), 200).json : null
  const tokenSha256 = link === null ? null : boxHashIn(link.link.token)?.toString('hex')
  const asking = { merchant: merchant.merchant, offer, sender: email, isProven }
  const id = await askByMail(service, { ...asking, ...(tokenSha256 && { tokenSha256, hasConsent: true }) })
  const path = `/offers/${offer}?transaction=${id}`
  return { offer, id, email, page: `${service.baseUrl}/offers/${offer}`, url: `${service.baseUrl}${path}`, path }
}

/** How it stands, with the kinds of its hooks in order. */
async function story({ id, offer }: Asked) {
  const { transaction } = answered(await merchant.ask(`transactions/${id}`), 200).json
  const rows = await sql<{ kind: string }[]>`select kind from event where transaction_id = ${id} order by id`
  const [row] = await sql<{ stockLeft: number }[]>`select stock_left from offer where id = ${offer}`
  return { status: transaction.status, hooks: rows.map(({ kind }) => kind), left: row?.stockLeft }
}

const wants = async ({ id }: Asked) =>
  (await sql<{ wants: string }[]>`select action_wants as wants from transaction where id = ${id}`)[0]?.wants

test('with a card that is entered: the same payment goes on, and is paid once, however often the form is sent', async () => {
  const asked = await asks(true)
  assert.deepEqual(
    [await wants(asked), await story(asked)],
    ['card', { status: 'Further Action Required', hooks: ['far'], left: 5 }],
  )
  const page = await visit(asked.url)
  assert.match(page.text, /completes the payment that <bdi>customer-\d+@example\.com<\/bdi> asked for by email/)
  assert.match(page.text, new RegExp(`value="${asked.email}"`))
  const form = { ...hiddenIn(page), ...goodCard, email: asked.email }
  const clicks = await Promise.all(Array.from({ length: 20 }, () => visit(asked.page, form)))
  assert.deepEqual(new Set(clicks.map(({ location }) => location)), new Set([asked.path]))
  assert.deepEqual(await story(asked), { status: 'Successful', hooks: ['far', 'transaction'], left: 4 })
  assert.deepEqual(await paymentsOf(service, asked.offer), { statuses: ['Successful'], charges: 1 })
  assert.match((await visit(asked.url)).text, /Payment complete/)
  const { transaction } = answered(await merchant.ask(`transactions/${asked.id}`), 200).json
  assert.deepEqual([transaction.source, transaction.customer.first_name], ['Email Transaction', 'Ada'])
})

test('two browsers at once, with the same card or two: one pays, and the other sees how it stands', async () => {
  for (const number of [goodCard.number, otherNumber]) {
    const asked = await asks(true)
    const pages = [await visit(asked.url), await visit(asked.url)]
    const forms = pages.map(page => ({ ...hiddenIn(page), ...goodCard, email: asked.email, consent: 'yes' }))
    const seen = await Promise.all(
      forms.map((form, index) => visit(asked.page, index === 0 ? form : { ...form, number: number ?? '' })),
    )
    assert.deepEqual(
      seen.map(({ location }) => location),
      [asked.path, asked.path],
    )
    assert.deepEqual(await paymentsOf(service, asked.offer), { statuses: ['Successful'], charges: 1 })
    const kept = await sql`select from card c join customer u on u.merchant_id = c.merchant_id and u.id = c.customer_id
      where u.email = ${asked.email} and c.remove_at is null`
    assert.equal(kept.length, 1, 'a card that paid for nothing is not kept')
  }
})

test('after a decline the next try is a payment of its own', async () => {
  const asked = await asks(true)
  const page = await visit(asked.url)
  const refused = await visit(asked.page, { ...hiddenIn(page), ...goodCard, email: asked.email, number: declined })
  assert.equal(refused.status, 402)
  assert.match(refused.text, /Your card was declined/)
  assert.deepEqual(await story(asked), { status: 'Failed', hooks: ['far', 'error'], left: 5 })
  assert.match((await visit(asked.url)).text, new RegExp(`href="/offers/${asked.offer}">Try again`))
  assert.equal(hiddenIn(refused).transaction, undefined)
  const paid = await visit(asked.page, { ...hiddenIn(refused), ...goodCard, email: asked.email })
  assert.match(paid.location ?? paid.text, /\?transaction=/)
  assert.notEqual(paid.location, asked.path)
  assert.deepEqual(await paymentsOf(service, asked.offer), { statuses: ['Failed', 'Successful'], charges: 1 })
  const sources = await sql<
    { source: string }[]
  >`select source from transaction where offer_id = ${asked.offer} order by id`
  assert.deepEqual(
    sources.map(({ source }) => source),
    ['Email Transaction', 'Web Transaction'],
  )
})

test('the mailed link: opened by whatever opens links it charges nothing, and one press pays with the stored card', async () => {
  const asked = await asks(false, { number: goodCard.number ?? null })
  assert.equal(await wants(asked), 'proof')
  const link = await linkMailedTo(relay, asked.email)
  const pages = await Promise.all(Array.from({ length: 3 }, () => visit(link)))
  for (const { status, text } of pages) assert.ok(status === 200 && /Visa ending in 1111/.test(text), text)
  assert.equal((await fetch(link, { method: 'HEAD' })).status, 200)
  assert.deepEqual(await paymentsOf(service, asked.offer), { statuses: ['Further Action Required'], charges: 0 })
  const action = /action="([^"]+)"/.exec(pages[0]?.text ?? '')?.[1] ?? assert.fail()
  const presses = pages.flatMap(page => [hiddenIn(page), hiddenIn(page), hiddenIn(page)])
  const pressed = await Promise.all(presses.map(form => visit(`${service.baseUrl}${action}`, form)))
  // Three browsers: one uses the link, whose clicks all lead to the payment; the others are told, or see that it is paid.
  assert.ok(pressed.filter(({ location }) => location === asked.path).length >= 3)
  for (const { status, location } of pressed) assert.ok(location === asked.path || status === 410, String(location))
  assert.deepEqual(await story(asked), { status: 'Successful', hooks: ['far', 'transaction'], left: 4 })
  assert.deepEqual(await paymentsOf(service, asked.offer), { statuses: ['Successful'], charges: 1 })
  assert.equal((await visit(link)).location, asked.path, 'opened again after it was paid')
})

test('a link whose card has expired, or was removed while its page was open, leads to the form', async () => {
  const asked = await asks(false, { number: goodCard.number ?? null })
  const link = await linkMailedTo(relay, asked.email)
  const open = await visit(link)
  const action = `${service.baseUrl}${/action="([^"]+)"/.exec(open.text)?.[1]}`
  await sql`update card set expiry_year = 2020 where customer_id = (select id from customer where email = ${asked.email})`
  const later = await visit(link)
  assert.match(later.text, /<button>Continue</)
  assert.doesNotMatch(later.text, /1111|Confirm and pay/)
  const pressed = await visit(action, hiddenIn(open))
  assert.equal(pressed.status, 422, pressed.text)
  assert.match(pressed.text, /can no longer be used/)
  const paid = await visit(asked.page, { ...hiddenIn(pressed), ...goodCard, email: asked.email })
  assert.equal(paid.location, asked.path, paid.text)
  assert.deepEqual(await story(asked), { status: 'Successful', hooks: ['far', 'transaction'], left: 4 })
})

test('what the offer requires is asked for, also behind the link', async () => {
  const custom_fields = JSON.stringify([{ name: 'Engraving', required: true }])
  const asked = await asks(true, { number: goodCard.number ?? null, custom_fields })
  assert.equal(await wants(asked), 'field')
  const link = await visit(await linkMailedTo(relay, asked.email))
  const action = `${service.baseUrl}${/action="([^"]+)"/.exec(link.text)?.[1]}`
  const proven = await visit(action, hiddenIn(link))
  assert.equal(proven.location, asked.path)
  const form = await visit(asked.url, undefined, proven.cookie)
  assert.match(form.text, /Engraving/)
  const [, card = ''] = /name="card" id="card-([\w-]{24})"/.exec(form.text) ?? []
  const filled = { ...hiddenIn(form), email: asked.email, first_name: 'Ada', card }
  assert.equal((await visit(asked.page, filled, proven.cookie)).status, 422)
  const paid = await visit(asked.page, { ...filled, answer_1: 'For Bea' }, proven.cookie)
  assert.equal(paid.location, asked.path, paid.text)
  const [event] = await sql<{ details: string }[]>`select details from event where transaction_id = ${asked.id}
    and kind = 'transaction'`
  const details = JSON.parse(event?.details ?? '')
  assert.deepEqual([details.user_data.custom_data, details.token.site], [{ Engraving: 'For Bea' }, false])
})

test('over the limits for mail, the page takes it', async () => {
  const asked = await asks(true, { number: goodCard.number ?? null, amount: '600.00', isPersonal: true })
  assert.equal(await wants(asked), 'limit')
  const form = { ...hiddenIn(await visit(asked.url)), ...goodCard, email: asked.email }
  assert.equal((await visit(asked.page, form)).location, asked.path)
  assert.deepEqual(await story(asked), { status: 'Successful', hooks: ['far', 'transaction'], left: 4 })
})

test('who asks for a link on the page is led back to the same payment', async () => {
  const asked = await asks(true)
  const { email } = asked
  const ask = await visit(`${asked.url}&card=stored`)
  const mailed = await visit(`${asked.page}/proofs`, { ...hiddenIn(ask), email })
  assert.equal(mailed.location, `${asked.path}&card=mailed`)
  const link = await visit(await linkMailedTo(relay, email))
  assert.match(link.text, /<button>Continue</, 'without a stored card, the form comes first')
  const proven = await visit(`${service.baseUrl}${/action="([^"]+)"/.exec(link.text)?.[1]}`, hiddenIn(link))
  const form = await visit(`${service.baseUrl}${proven.location}`, undefined, proven.cookie)
  const paid = await visit(asked.page, { ...hiddenIn(form), ...goodCard, email }, proven.cookie)
  assert.equal(paid.location, asked.path, paid.text)
  assert.deepEqual(await story(asked), { status: 'Successful', hooks: ['far', 'transaction'], left: 4 })
})

browsing.test(
  'in a browser on a small screen: the link is confirmed by one press, and the form takes another card',
  async t => {
    const { page } = await visitor(t, { viewport: { width: 360, height: 640 } })
    const confirmed = await asks(false, { number: goodCard.number ?? null })
    await page.goto(await linkMailedTo(relay, confirmed.email))
    assert.equal(await heading(page), 'Confirm your payment')
    assert.equal(await isWiderThanTheScreen(page), false)
    await isAccessible(page, 'the link')
    await page.getByRole('button', { name: 'Confirm and pay $100.00' }).dblclick()
    await page.getByText('Thank you.').waitFor()
    assert.deepEqual(await paymentsOf(service, confirmed.offer), { statuses: ['Successful'], charges: 1 })
    const asked = await asks(false, { number: goodCard.number ?? null })
    await page.goto(await linkMailedTo(relay, asked.email))
    await page.getByRole('button', { name: 'Use another card' }).click()
    await page.getByText('This completes the payment that').waitFor()
    assert.equal(await isWiderThanTheScreen(page), false)
    await isAccessible(page, 'the form')
    await page.getByLabel('Another card').check()
    await typeCard(page, otherNumber)
    await payButton(page).click()
    await page.getByText('Thank you.').waitFor()
    assert.deepEqual(await paymentsOf(service, asked.offer), { statuses: ['Successful'], charges: 1 })
  },
)

for (const isPersonal of [false, true]) {
  const by = isPersonal ? 'their own link' : 'email'
  test(`another address pays for itself: what somebody asked for by ${by} waits on, and no token is used`, async () => {
    const asked = await asks(true, { isPersonal })
    const page = await visit(asked.url)
    const email = `another-${customers}@example.com`
    const card = { ...goodCard, ...hiddenIn(page), email }
    for (const paid of [await visit(asked.page, card), await visit(asked.page, card)]) {
      assert.match(paid.location ?? paid.text, /\?transaction=/)
      assert.notEqual(paid.location, asked.path)
    }
    assert.deepEqual(await story(asked), { status: 'Further Action Required', hooks: ['far'], left: 4 })
    const payments = await sql<{ source: string; email: string; status: string }[]>`select t.source, u.email, t.status
      from transaction t join customer u on u.merchant_id = t.merchant_id and u.id = t.customer_id
      where t.offer_id = ${asked.offer} order by t.id`
    assert.deepEqual(
      [...payments],
      [
        { source: 'Email Transaction', email: asked.email, status: 'Further Action Required' },
        { source: 'Web Transaction', email, status: 'Successful' },
      ],
    )
    const question = await visit(asked.page, { ...goodCard, ...hiddenIn(await visit(asked.url)), email: asked.email })
    const paid = await visit(asked.page, {
      ...goodCard,
      ...hiddenIn(question),
      ...tickedIn(question),
      email: asked.email,
    })
    assert.equal(paid.location, asked.path, 'who asked goes on')
  })
}

test('a link that a stranger has mailed to somebody else says nothing of the payment that the stranger asked for', async () => {
  const asked = await asks(true)
  const email = `victim-${customers}@example.com`
  await merchant.storeCard(otherNumber, { email, first_name: 'Bea' })
  const form = await visit(`${asked.url}&card=stored`)
  await visit(`${asked.page}/proofs`, { ...hiddenIn(form), email }, form.cookie)
  const link = await linkMailedTo(relay, email)
  const shown = await visit(link)
  assert.match(shown.text, /<h1>Is it you\?/)
  const action = /action="([^"]+)"/.exec(shown.text)?.[1] ?? assert.fail(shown.text)
  const pressed = await visit(new URL(action, service.baseUrl).href, hiddenIn(shown))
  assert.equal(pressed.location, `/offers/${asked.offer}`)
  for (const url of [asked.page, asked.url]) {
    const own = await visit(url, undefined, pressed.cookie)
    assert.ok(own.text.includes(email), 'their own address')
    assert.equal(hiddenIn(own).transaction, undefined)
    assert.doesNotMatch(own.text, /asked for by email/)
  }
})

test('after seven days it is too late, and the page leads to the offer', async () => {
  const asked = await asks(false, { number: goodCard.number ?? null })
  const link = await linkMailedTo(relay, asked.email)
  const [form, open] = [hiddenIn(await visit(asked.url)), await visit(link)]
  // At once, swept or not.
  await sql`update transaction set action_expires_at = now() - interval '1 second' where id = ${asked.id}`
  const late = await visit(asked.url)
  assert.match(late.text, /Time is up/)
  assert.match(late.text, new RegExp(`href="/offers/${asked.offer}">Try again`))
  answered(await service.demo.ask('sandbox/clock', { form: { advance_s: 7 * 86_400 } }), 200)
  assert.deepEqual(await story(asked), { status: 'Failed', hooks: ['far', 'error'], left: 5 })
  assert.equal((await visit(link)).location, asked.path)
  assert.equal((await visit(asked.page, { ...form, ...goodCard, email: asked.email })).location, asked.path)
  const action = `${service.baseUrl}${/action="([^"]+)"/.exec(open.text)?.[1]}`
  assert.equal((await visit(action, hiddenIn(open))).location, new URL(link).pathname + new URL(link).search)
  assert.match((await visit(asked.url)).text, new RegExp(`href="/offers/${asked.offer}">Try again`))
  assert.deepEqual(await paymentsOf(service, asked.offer), { statuses: ['Failed'], charges: 0 })
})
