// Somebody pays on the page of an offer, in a real browser: by keyboard, on a phone, without JavaScript, in Spanish, with
// another card after the first was declined, and with a stored one.

import assert from 'node:assert/strict'
import { after } from 'node:test'
import type { Page } from 'playwright-core'
import { testCards, testCardThat } from '../src/gateways/sandbox/test-cards.ts'
import { es } from '../src/pages/words/es.ts'
import { everythingAtRest, written } from './support/at-rest.ts'
import { masksOf } from './support/card-links.ts'
import { payButton, paymentsOf, typeCard, typeNames } from './support/customer.ts'
import { InboxVisitor, type Kept } from './support/inbox.ts'
import { read, startRelay } from './support/mail-relay.ts'
import { until } from './support/until.ts'
import { heading, isWiderThanTheScreen, withBrowser } from './support/visitor.ts'

const relay = await startRelay()
after(relay.close)
const { service, test, visitor, asked, shown } = await withBrowser({
  TILLBELL_MAIL_RELAY: `smtp://127.0.0.1:${relay.port}`,
})
const { demo } = service

const good = '5555555555554444'
const declined = testCardThat('card_declined').number
const pageOf = (offer: string, query = '') => `${service.baseUrl}/offers/${offer}${query}`

/** What is read where the keyboard is, and whether that can be seen. */
interface Focus {
  readonly at: string
  readonly isVisible: boolean
}

const focus = (page: Page) =>
  page.evaluate<Focus>(`(() => {
    const { activeElement: element } = document
    const { outlineStyle, outlineWidth } = getComputedStyle(element)
    return {
      at: element.name || element.innerText,
      isVisible: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2,
    }
  })()`)

test('by keyboard alone: each field in its turn, each seen when it is reached', async t => {
  const { page } = await visitor(t)
  const offer = await demo.makeOffer({ title: 'Brass bell' })
  await page.goto(pageOf(offer))
  const types: { readonly [name: string]: string } = {
    email: 'ada@example.com',
    first_name: 'Ada',
    number: good,
    expiry: '1240',
    cvc: '987',
    consent: ' ',
  }
  const reached: string[] = []
  while (!reached.at(-1)?.startsWith('Pay ')) {
    await page.keyboard.press('Tab')
    const { at, isVisible } = await focus(page)
    assert.ok(isVisible, `where is the keyboard? At ${at}, after ${reached}`)
    reached.push(at)
    await page.keyboard.type(types[at] ?? '')
  }
  const before = ['units', 'Use a card I saved']
  const fields = ['email', 'first_name', 'last_name', 'number', 'expiry', 'cvc', 'consent']
  assert.deepEqual(reached, [...before, ...fields, 'Pay $100.00'])
  await page.keyboard.press('Enter')
  await page.getByText('Thank you.').waitFor()
  assert.equal(await heading(page), 'Payment complete')
  assert.deepEqual(await paymentsOf(service, offer), { statuses: ['Successful'], charges: 1 })
})

/** What a finger has to hit, with the label that belongs to it. */
const smallTargets = (page: Page) =>
  page.evaluate<string[]>(`[...document.querySelectorAll('button, select, input')].filter(element => {
    if (!element.checkVisibility() || element.ariaHidden === 'true') return false
    const boxes = [element, ...element.labels].map(each => each.getBoundingClientRect())
    const height = Math.max(...boxes.map(({ bottom }) => bottom)) - Math.min(...boxes.map(({ top }) => top))
    return height < 44
  }).map(({ outerHTML }) => outerHTML)`)

test('on a phone: nothing is wider than the screen, and everything can be hit with a finger', async t => {
  const { page } = await visitor(t, { viewport: { width: 360, height: 640 }, hasTouch: true })
  const fits = async (what: string) => {
    assert.equal(await isWiderThanTheScreen(page), false, what)
    assert.deepEqual(await smallTargets(page), [], what)
  }
  const merchant = await service.newMerchant()
  await merchant.ask('payment_page', { method: 'PATCH', form: { name: 'Bell'.repeat(25) } })
  const custom_fields = JSON.stringify([{ name: 'Size'.repeat(25), required: true }])
  const offer = await merchant.makeOffer({ title: 'Bell'.repeat(50), details: 'Brass'.repeat(60), custom_fields })
  await page.goto(pageOf(offer))
  await fits('the form')
  await page.getByLabel('SizeSize').fill('W'.repeat(200))
  await typeNames(page, `${'w'.repeat(60)}@example.com`)
  await typeCard(page, declined)
  await payButton(page).tap()
  await page.getByText('Your card was declined.').waitFor()
  await fits('declined')
  await typeCard(page, good)
  await payButton(page).tap()
  await page.getByText('Thank you.').waitFor()
  await fits('paid')
  assert.deepEqual(await paymentsOf(service, offer), { statuses: ['Failed', 'Successful'], charges: 1 })
})

/** What the merchant is told of a payment. */
async function hookAbout(transaction: string): Promise<Kept['details']> {
  const inbox = new InboxVisitor(service)
  const arrived = async () => (await inbox.hooks()).find(({ details }) => details.transaction === transaction)
  await until('the hook has arrived', async () => (await arrived()) !== undefined)
  return (await arrived())?.details
}

test('without JavaScript: another quantity, the merchant’s questions and an address, and the hook tells it all', async t => {
  const { page } = await visitor(t, { javaScriptEnabled: false, locale: 'en-US' })
  const custom_fields = JSON.stringify([{ name: 'Engraving', required: true }, { name: 'Gift note' }])
  const offer = await demo.makeOffer({ title: 'Brass bell', amount: '12.50', address: 'shipping', custom_fields })
  await page.goto(pageOf(offer, '?email=ada%40example.com&referrer_context=spring'))
  await page.getByLabel('Quantity').fill('2')
  await page.getByLabel('City').fill('Springfield')
  await page.getByRole('button', { name: 'Update' }).click()
  assert.equal(await page.locator('#total').innerText(), '$25.00')
  assert.equal(await page.getByLabel('Email').inputValue(), 'ada@example.com')
  assert.equal(await page.getByLabel('City').inputValue(), 'Springfield')
  await page.getByLabel('Quantity').fill('3')
  const entered = {
    'First name': 'Ada',
    'Last name': 'Lovelace',
    'Street and number': '12 St James’s Square',
    City: 'Springfield',
    'State or region': 'IL',
    'ZIP or postal code': '62701',
    Engraving: 'To <b>B.</b> & co, card 4111 1111 1111 1111',
  }
  for (const [label, text] of Object.entries(entered)) await page.getByLabel(label).fill(text)
  await page.getByLabel('Country').selectOption('US')
  await typeCard(page, good)
  await page.getByLabel('Engraving').press('Enter')
  await page.getByText('The total is now $37.50.').waitFor()
  await typeCard(page, good)
  await page.getByRole('button', { name: 'Pay $37.50' }).click()
  assert.equal(await heading(page), 'Payment complete')
  assert.match(await page.locator('dl').innerText(), /3 × Brass bell[\s\S]*\$37\.50/)
  const id = await page.locator('.receipt').innerText()
  const details = await hookAbout(id)
  const { type, amount, quantity, name, email, referrer_context, user_data } = details
  assert.deepEqual(
    { type, amount, quantity, name, email, referrer_context },
    {
      ...{ type: 'success', amount: '37.50', quantity: 3, name: 'Ada Lovelace', email: 'ada@example.com' },
      referrer_context: 'spring',
    },
  )
  const shipping = { street: '12 St James’s Square', city: 'Springfield', state: 'IL', zip: '62701', country: 'US' }
  assert.deepEqual(user_data.shipping, shipping)
  assert.deepEqual(user_data.custom_data, { Engraving: 'To <b>B.</b> & co, card **** **** **** 1111' })
})

test('declined: tried again in the same page, where all is still there but for the card', async t => {
  const { page } = await visitor(t)
  const offer = await demo.makeOffer()
  await page.goto(pageOf(offer))
  await typeNames(page)
  await page.getByLabel('Save my card.').check()
  await typeCard(page, declined)
  await payButton(page).click()
  const says = 'Your card was declined. You have not been charged. Please try another card.'
  await page.getByRole('alert').getByText(says).waitFor()
  const values = await page.evaluate(`Object.fromEntries(
    [...document.querySelectorAll('input:not([type=hidden])')].map(({ name, type, value, checked }) =>
      [name, type === 'checkbox' ? checked : value]))`)
  const kept = { email: 'ada@example.com', first_name: 'Ada', last_name: '', consent: true, units: '1' }
  assert.deepEqual(values, { ...kept, number: '', expiry: '', cvc: '' })
  assert.deepEqual(await paymentsOf(service, offer), { statuses: ['Failed'], charges: 0 })
  await typeCard(page, good)
  await payButton(page).click()
  await page.getByText('Thank you.').waitFor()
  assert.deepEqual(await paymentsOf(service, offer), { statuses: ['Failed', 'Successful'], charges: 1 })
})

test('with a stored card: its mask is shown to who has opened the mailed link, and to nobody else', async t => {
  const [{ page }, other] = [await visitor(t), await visitor(t)]
  const merchant = await service.newMerchant()
  const offer = await merchant.makeOffer({ title: 'Brass bell' })
  await merchant.storeCard('378282246310005', { email: 'bea@example.com', first_name: 'Bea' })
  await page.goto(pageOf(offer, '?quantity=2'))
  await page.getByRole('link', { name: 'Use a card I saved' }).click()
  await page.getByLabel('Email').fill('bea@example.com')
  await page.getByRole('button', { name: 'Email me the link' }).click()
  assert.equal(await heading(page), 'Check your email')
  await until('the mail is there', async () => relay.mails.length === 1)
  const [mail = assert.fail()] = relay.mails
  assert.deepEqual(mail.to, ['bea@example.com'])
  const [link = assert.fail(mail.raw)] = /http\S+/.exec(read(mail).body) ?? []
  await page.goto(link)
  await other.page.goto(link)
  assert.doesNotMatch((await page.content()) + (await other.page.content()), /0005|Bea/, 'opening it proves nothing')
  await page.getByRole('button', { name: 'Yes, continue' }).click()
  await page.getByText('American Express ending in 0005').waitFor()
  assert.equal(await page.getByLabel('First name').inputValue(), 'Bea')
  await other.page.getByRole('button', { name: 'Yes, continue' }).click()
  assert.equal(await heading(other.page), 'This link has been used')
  await other.page.goto(pageOf(offer))
  assert.doesNotMatch(await other.page.content(), /0005|Bea/)
  await page.getByRole('button', { name: 'Pay $200.00' }).click()
  await page.getByText('Thank you.').waitFor()
  assert.match(await page.locator('dl').innerText(), /2 × Brass bell[\s\S]*ending in 0005/)
  assert.deepEqual(await paymentsOf(service, offer), { statuses: ['Successful'], charges: 1 })
})

test('a card is kept where the box was ticked, and only there', async t => {
  const { page } = await visitor(t)
  const merchant = await service.newMerchant()
  for (const [ticks, masks] of [
    [false, []],
    [true, ['4444']],
  ] as const) {
    await page.goto(pageOf(await merchant.makeOffer()))
    await typeNames(page)
    await typeCard(page, good)
    assert.equal(await page.getByLabel('Save my card.').isChecked(), false)
    if (ticks) await page.getByLabel('Save my card.').check()
    await payButton(page).click()
    await page.getByText('Thank you.').waitFor()
    assert.deepEqual(await masksOf(merchant), masks)
  }
})

test('in Spanish, with amounts as they are written in the customer’s country', async t => {
  const offer = await demo.makeOffer({ title: 'Campana', amount: '1234.50' })
  for (const [locale, amount] of [
    ['es-MX', /1,234\.50/],
    ['es-ES', /1234,50/],
  ] as const) {
    const { page } = await visitor(t, { locale })
    await page.goto(pageOf(offer))
    assert.equal(await page.locator('html').getAttribute('lang'), 'es')
    assert.match(await page.locator('#total').innerText(), amount)
    const { email, firstName } = es.checkout
    await page.getByLabel(email).fill('ada@example.com')
    await page.getByLabel(firstName).fill('Ada')
    await page.getByLabel(es.card.number).fill(locale === 'es-MX' ? good : '6011111111111117')
    await page.getByLabel(es.card.expiry).fill('12/40')
    await page.getByLabel(es.card.cvc).fill('987')
    await page.getByRole('button', { name: amount }).click()
    await page.getByText(es.payment.receipt, { exact: true }).waitFor()
    assert.equal(await heading(page), es.payment.paid('Demo').heading)
    assert.match(await page.locator('.amount').innerText(), amount)
    assert.doesNotMatch(await page.locator('body').innerText(), /\b(Paid|Thank|Amount|Card|Receipt|sandbox:)\b/)
  }
})

// Last: it looks at all that came of the others.
test('no card number is in an address, a page, the log or the database', async () => {
  const typed = testCards.map(({ number }) => number).filter(number => number !== '4111111111111111')
  const pages = (await Promise.all(shown)).join('\n')
  assert.ok(pages.includes('Your card was declined.') && service.logged().includes('/offers/'), 'it was searched')
  const places = [
    { table: 'the pages', text: pages },
    { table: 'the addresses', text: asked.map(decodeURIComponent).join('\n') },
    { table: 'the log', text: service.logged() },
    ...(await everythingAtRest(service.database.sql)),
  ]
  for (const { table, text } of places) {
    for (const number of typed.flatMap(written)) assert.ok(!text.includes(number), `${number} is in ${table}`)
    assert.doesNotMatch(text, /cvc=987|"987"/, `the code is in ${table}`)
  }
})
