// One payment each time, whatever is clicked twice, opened twice, gone back to or left half-way: in the database and in the
// gateway's ledger. And through 3-D Secure, in the sandbox and in the fields of Stripe.

import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { testCardThat } from '../src/gateways/sandbox/test-cards.ts'
import { answered } from './support/answers.ts'
import { payButton, paymentsOf, typeCard, typeNames } from './support/customer.ts'
import { connectStripe } from './support/stripe/connected.ts'
import { startStripe } from './support/stripe/server.ts'
import { heading, type Visitor, withBrowser } from './support/visitor.ts'

const { service, test, visitor } = await withBrowser()
const { demo } = service

const good = '4111111111111111'
const secured = testCardThat('three_d_secure').number
const one = { statuses: ['Successful'], charges: 1 }
const pageOf = (offer: string, query = '') => `${service.baseUrl}/offers/${offer}${query}`

/** Somebody who has filled in the form, and has yet to press the button. */
async function aboutToPay(
  t: TestContext,
  number = good,
  options: BrowserContextOptions = {},
): Promise<Visitor & { readonly offer: string }> {
  const visit = await visitor(t, options)
  const offer = await demo.makeOffer()
  await visit.page.goto(pageOf(offer))
  await fillIn(visit.page, number)
  return { ...visit, offer }
}

async function fillIn(page: Page, number = good): Promise<void> {
  await typeNames(page)
  await typeCard(page, number)
}

const hasPaid = (page: Page) => page.getByText('Thank you.').waitFor()

test('a double click pays once, with JavaScript and without', async t => {
  for (const javaScriptEnabled of [true, false]) {
    const { page, offer } = await aboutToPay(t, good, { javaScriptEnabled })
    await payButton(page).dblclick()
    await hasPaid(page)
    assert.deepEqual(await paymentsOf(service, offer), one)
  }
})

test('while a payment is under way, its button says so and cannot be pressed', async t => {
  const { page } = await aboutToPay(t)
  await page.evaluate(`addEventListener('pagehide', () => {
    const { innerText, disabled } = document.querySelector('.entry button')
    sessionStorage.setItem('left with', innerText + ' ' + disabled)
  })`)
  await payButton(page).click()
  await hasPaid(page)
  assert.equal(await page.evaluate("sessionStorage.getItem('left with')"), 'One moment… true')
})

test('a reload of the receipt pays nothing, and the way back leads to no second payment', async t => {
  for (const javaScriptEnabled of [true, false]) {
    const { page, offer } = await aboutToPay(t, good, { javaScriptEnabled })
    await payButton(page).click()
    await hasPaid(page)
    await page.reload()
    await hasPaid(page)
    await page.goBack()
    await page.getByText('You have paid for this').waitFor()
    assert.equal(await payButton(page).count(), 0)
    await page.getByRole('link', { name: 'See your payment' }).click()
    await hasPaid(page)
    assert.deepEqual(await paymentsOf(service, offer), one)
    await page.goto(pageOf(offer))
    await page.getByRole('button', { name: 'Buy it again' }).click()
    await fillIn(page, '6011111111111117')
    await payButton(page).click()
    await hasPaid(page)
    assert.deepEqual(await paymentsOf(service, offer), { statuses: ['Successful', 'Successful'], charges: 2 })
  }
})

test('a declined payment that is reloaded is the same try: asked for again, or sent again where no script helps', async t => {
  for (const [javaScriptEnabled, posts] of [
    [true, 1],
    [false, 2],
  ] as const) {
    const { page, sent, offer } = await aboutToPay(t, testCardThat('card_declined').number, { javaScriptEnabled })
    await payButton(page).click()
    await page.getByText('Your card was declined.').waitFor()
    await page.waitForLoadState('load') // the script has run by then
    await page.reload()
    await page.getByText('Your card was declined.').waitFor()
    assert.equal(sent.filter(each => each.startsWith('POST')).length, posts)
    assert.equal(await page.getByLabel('Email').inputValue(), 'ada@example.com')
    assert.deepEqual(await paymentsOf(service, offer), { statuses: ['Failed'], charges: 0 })
  }
})

test('the way back from a receipt, over a try that was declined, is a page and not a browser’s error', async t => {
  const { page, offer } = await aboutToPay(t, testCardThat('card_declined').number)
  await payButton(page).click()
  await page.getByText('Your card was declined.').waitFor()
  await typeCard(page, good)
  await payButton(page).click()
  await hasPaid(page)
  await page.goBack()
  await page.getByText('You have paid for this').waitFor()
  assert.deepEqual(await paymentsOf(service, offer), { statuses: ['Failed', 'Successful'], charges: 1 })
})

test('two tabs that pay at once come to the same receipt', async t => {
  const { page: first, context, offer } = await aboutToPay(t)
  const second = await context.newPage()
  await second.goto(pageOf(offer))
  await fillIn(second, '5555555555554444')
  await Promise.all([payButton(first).click(), payButton(second).click()])
  await Promise.all([hasPaid(first), hasPaid(second)])
  assert.equal(await first.locator('.receipt').innerText(), await second.locator('.receipt').innerText())
  assert.deepEqual(await paymentsOf(service, offer), one)
})

test('a tab that was open all along shows the payment of the other, and pays nothing', async t => {
  const { page: stale, context, offer } = await aboutToPay(t)
  const other = await context.newPage()
  await other.goto(pageOf(offer))
  await fillIn(other)
  await payButton(other).click()
  await hasPaid(other)
  await payButton(stale).click()
  await hasPaid(stale)
  assert.deepEqual(await paymentsOf(service, offer), one)
})

test('where cookies are off, who pays the same with the same card is asked first', async t => {
  const { page, context, offer } = await aboutToPay(t)
  await context.clearCookies()
  await payButton(page).click()
  await hasPaid(page)
  await context.clearCookies()
  await page.goto(pageOf(offer))
  await fillIn(page)
  await payButton(page).click()
  await page.getByRole('alert').getByText('You were not charged again.').waitFor()
  assert.deepEqual(await paymentsOf(service, offer), one)
  await typeCard(page, good)
  await page.getByLabel('Yes, charge my card a second time.').check()
  await payButton(page).click()
  await hasPaid(page)
  assert.deepEqual(await paymentsOf(service, offer), { statuses: ['Successful', 'Successful'], charges: 2 })
})

async function told(transaction: string): Promise<string[]> {
  const rows = await service.database.sql<
    { kind: string }[]
  >`select kind from event where transaction_id = ${transaction} order by id`
  return rows.map(({ kind }) => kind)
}

const idIn = (page: Page) => new URL(page.url()).searchParams.get('transaction') ?? assert.fail(page.url())

test('through 3-D Secure: to the bank, and back to a finished payment', async t => {
  const { page, offer } = await aboutToPay(t, secured)
  await payButton(page).click()
  await page.getByText('Your bank asks you to confirm').waitFor()
  const id = idIn(page)
  await page.goto(pageOf(offer))
  assert.equal(await heading(page), 'Your payment is waiting for you')
  await page.getByRole('link', { name: 'See your payment' }).click()
  await page.getByRole('button', { name: 'Continue to your bank' }).click()
  await page.getByRole('button', { name: 'Yes, confirm' }).click()
  await hasPaid(page)
  assert.equal(await page.locator('.receipt').innerText(), id)
  const { source, status } = answered(await demo.ask(`transactions/${id}`), 200).json.transaction
  assert.deepEqual([source, status, await told(id)], ['Web Transaction', 'Successful', ['far', 'transaction']])
  assert.deepEqual(await paymentsOf(service, offer), one)
})

test('refused at the bank: tried again with another card', async t => {
  const { page, offer } = await aboutToPay(t, secured)
  await payButton(page).click()
  await page.getByRole('button', { name: 'Continue to your bank' }).click()
  await page.getByRole('button', { name: 'No, refuse' }).click()
  assert.equal(await heading(page), 'Payment not confirmed')
  await page.getByRole('link', { name: 'Try again' }).click()
  await page.getByText('Your bank did not confirm the payment.').waitFor()
  await fillIn(page)
  await payButton(page).click()
  await hasPaid(page)
  assert.deepEqual((await paymentsOf(service, offer)).statuses, ['Failed', 'Successful'])
})

test('at Stripe: in its own fields, through 3-D Secure, and no number comes to us', async t => {
  const { page, sent } = await visitor(t)
  const merchant = await service.newMerchant()
  const stripe = await startStripe()
  t.after(stripe.close)
  const connected = await connectStripe(merchant, stripe)
  const offer = await merchant.makeOffer()
  const fields = page.frameLocator('iframe')
  const payWith = async (number: string) => {
    await fields.getByLabel('Card number').fill(number)
    await fields.getByLabel('Expiration date').fill('12/40')
    await fields.getByLabel('Security code').fill('987')
    await payButton(page).click()
  }
  await page.goto(pageOf(offer))
  await typeNames(page)
  await payWith('4242')
  await page.getByText('Your card number is incomplete.').waitFor()
  assert.equal(sent.filter(each => each.startsWith('POST')).length, 0, 'what Stripe refuses is not sent on')
  await payWith('4000000000000002')
  await page.getByText('declined').waitFor()
  assert.equal(await page.getByLabel('First name').inputValue(), 'Ada')
  await payWith('4000002760003184')
  await page.getByRole('button', { name: 'Continue to your bank' }).click()
  assert.ok(page.url().startsWith(stripe.url))
  await page.getByRole('button', { name: 'Yes' }).click()
  await hasPaid(page)
  const id = await page.locator('.receipt').innerText()
  assert.equal(connected.intentOf(id).status, 'succeeded')
  for (const each of sent) assert.doesNotMatch(each, /4000002760003184|4000000000000002|987(?!\w)/)
  assert.doesNotMatch(service.logged(), /4000002760003184|4000000000000002/)
  assert.deepEqual(stripe.complaints, [])
})

// Last: the clock goes on for everybody.
test('left half-way at the bank: after its time it has failed, the merchant was told, and it can be tried again', async t => {
  const { page, offer } = await aboutToPay(t, secured)
  await payButton(page).click()
  await page.getByRole('button', { name: 'Continue to your bank' }).waitFor()
  const id = idIn(page)
  answered(await demo.ask('sandbox/clock', { form: { advance_s: 1_801 } }), 200)
  assert.deepEqual([(await paymentsOf(service, offer)).statuses, await told(id)], [['Failed'], ['far', 'error']])
  await page.getByRole('button', { name: 'Continue to your bank' }).click()
  assert.equal(await heading(page), 'Time is up')
  await page.getByRole('link', { name: 'Try again' }).click()
  await page.getByText('The payment was not confirmed in time.').waitFor()
  await fillIn(page)
  await payButton(page).click()
  await hasPaid(page)
  assert.deepEqual((await paymentsOf(service, offer)).statuses, ['Failed', 'Successful'])
})
