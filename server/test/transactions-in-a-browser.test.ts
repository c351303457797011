// A merchant at the dashboard finds a payment, reads what happened to it, gives money back, and forgets a customer.

import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { isAccessible } from './support/axe.ts'
import { atDashboard, endSessionsAt } from './support/dashboard.ts'
import { isWiderThanTheScreen, type Visitor, withBrowser } from './support/visitor.ts'

const browser = await withBrowser()
const { service, test } = browser
const shop = await service.newMerchant()
const viewer = await service.newLogin(shop.merchant, 'viewer')
const offer = await shop.makeOffer({ title: 'Ship’s bell', ref_id: 'order-7', amount: '100.00' })

async function charge(number: string, email: string, more: { readonly [name: string]: string } = {}): Promise<string> {
  const card = await shop.storeCard(number, { email, first_name: 'Ada', last_name: 'Löfgren' })
  const { json } = await shop.charge(offer, card, { form: more })
  return json.transaction.id
}
const paid = await charge('4111111111111111', 'ada@example.com')
const declined = await charge('4012888888881881', 'grace@example.com')
const authorised = await charge('5555555555554444', 'ada@example.com', { authorization_only: 'true' })

/** As far as it is wide, and for everybody. */
async function holdsForAll(page: Page, name: string): Promise<void> {
  await isAccessible(page, name)
  const size = page.viewportSize()
  await page.setViewportSize({ width: 360, height: 740 })
  assert.equal(await isWiderThanTheScreen(page), false, `${name} on a phone`)
  if (size !== null) await page.setViewportSize(size)
}

/** What the service refused, the browser notes by itself. */
function takeOutRefusals({ complaints }: Visitor, statuses: readonly number[]): void {
  const noted = complaints.splice(0).map(complaint => Number(/status of (\d+)/.exec(complaint)?.[1]))
  assert.deepEqual(noted, statuses)
}

const outlineOf = (row: unknown) =>
  (globalThis as unknown as { getComputedStyle(of: unknown): { outlineStyle: string } }).getComputedStyle(row)
    .outlineStyle

const status = (page: Page) => page.getByRole('banner').or(page.getByRole('main'))
const story = (page: Page) => page.getByRole('region', { name: 'What happened' }).getByRole('listitem')

test('a payment is found, read, refunded in part, and says who did it and why', async t => {
  const visit = await atDashboard(browser, t, shop.login)
  const page = await visit.open('transactions')
  await page.getByRole('row').nth(3).waitFor()
  await holdsForAll(page, 'the list')
  await page.getByLabel('Search', { exact: true }).fill('grace@')
  await page.waitForURL(/q=grace/)
  await page
    .getByRole('row', { name: /ada@example\.com/ })
    .first()
    .waitFor({ state: 'detached' })
  assert.equal(await page.getByRole('row').count(), 2, 'the head and one')
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.getByRole('button', { name: /^Status/ }).click()
  await page.getByRole('checkbox', { name: 'Successful' }).check()
  await page.waitForURL(/status=Successful/)
  await page.keyboard.press('Escape')
  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Export as CSV' }).click()
  assert.equal((await download).suggestedFilename(), 'transactions.csv')
  await page.setViewportSize({ width: 360, height: 740 })
  await page.getByRole('button', { name: 'Filters (1)' }).waitFor()
  assert.equal(await page.getByLabel('Search', { exact: true }).isVisible(), false, 'a phone begins with the list')
  await page.setViewportSize({ width: 1280, height: 720 })
  const link = page.getByRole('link', { name: '$100.00, Successful, ada@example.com' })
  await link.focus()
  for (const key of ['Tab', 'Shift+Tab']) await page.keyboard.press(key)
  assert.match(await page.getByRole('row').filter({ has: link }).evaluate(outlineOf), /solid/)
  await link.press('Enter')
  await page.waitForURL(new RegExp(paid))

  await page.getByRole('button', { name: 'Refund' }).click()
  const dialog = page.getByRole('dialog')
  await isAccessible(page, 'the refund')
  await dialog.getByLabel('Amount').fill('2000')
  await dialog.getByRole('button', { name: 'Refund $2,000.00' }).click()
  const tooMuch = dialog.getByText(/more than what can still be refunded \(100\.00\)/)
  await tooMuch.waitFor()
  await dialog.getByLabel('Amount').fill('some')
  await dialog.getByText('Write an amount such as 12.50.').waitFor()
  assert.equal(await dialog.getByRole('button', { name: 'Refund', exact: true }).isDisabled(), true)
  await dialog.getByLabel('Amount').fill('40')
  assert.equal(await tooMuch.count(), 0, 'it was said of another amount')
  await dialog.getByLabel('Reason').fill('Too loud.')
  await dialog.getByRole('button', { name: 'Refund $40.00' }).click()
  await status(page).getByText('Partially refunded', { exact: true }).first().waitFor()
  await story(page).getByText('Reason: Too loud.').waitFor()
  await story(page).getByText(`By ${shop.login.email}.`).waitFor()
  await holdsForAll(page, 'the payment')
  takeOutRefusals(visit, [422])
  await page.getByRole('main').getByRole('link', { name: 'Transactions' }).click()
  await page.waitForURL(/transactions\?status=Successful/)
  await endSessionsAt(page, browser, { path: 'me', email: shop.login.email })
  await page.getByRole('link', { name: 'Export as CSV' }).click()
  await page.getByRole('dialog', { name: 'Your session ended' }).waitFor()
  visit.complaints.splice(0)
  const { json } = await shop.ask(`transactions/${paid}`)
  assert.equal(json.transaction.refund.refunded_amount, '40.00')
})

test('what was authorised is captured, and what failed says why and offers nothing', async t => {
  const { open } = await atDashboard(browser, t, shop.login)
  const page = await open(`transactions/${authorised}`)
  await page.getByRole('button', { name: 'Void' }).waitFor()
  await page.getByRole('button', { name: 'Capture' }).click()
  await page.getByRole('dialog').getByText('Mastercard •••• 4444').waitFor()
  await story(page).getByText('The amount is held on the card; nothing was charged').waitFor()
  await page.getByRole('dialog').getByLabel('Amount').fill('30')
  await page.getByRole('button', { name: 'Capture $30.00' }).click()
  await story(page).getByText('Authorized → Successful').waitFor()
  await page.getByRole('heading', { name: 'Payment $30.00 captured of $100.00' }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Void' }).count(), 0)
  // The button is gone, and the keyboard goes on at the heading.
  await page.locator('h1:focus').waitFor()
  await open('transactions')
  await page.getByRole('row').getByText('$30.00 captured of $100.00').waitFor()
  await open(`transactions/${declined}`)
  await story(page).getByText('The gateway declined the charge').waitFor()
  for (const name of ['Refund', 'Capture', 'Void']) {
    assert.equal(await page.getByRole('button', { name, exact: true }).count(), 0, name)
  }
})

test('a refund that the gateway declines moves nothing, and one without an answer is in doubt', async t => {
  const visit = await atDashboard(browser, t, shop.login)
  const dear = await shop.makeOffer({ title: 'Tower bell', amount: '9000.00' })
  const card = await shop.storeCard('4111111111111111', { email: 'ada@example.com' })
  const { json } = await shop.charge(dear, card)
  const page = await visit.open(`transactions/${json.transaction.id}`)
  await page.getByRole('button', { name: 'Refund' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Amount').fill('4000.01')
  await dialog.getByRole('button', { name: 'Refund $4,000.01' }).click()
  await dialog.getByText('The gateway declined it; nothing was moved.').waitFor()
  await dialog.getByLabel('Amount').fill('4200.03')
  await dialog.getByRole('button', { name: 'Refund $4,200.03' }).click()
  await page.getByText(/has not said yet whether it refunded \$4,200\.03/).waitFor()
  takeOutRefusals(visit, [402])
  await visit.open('transactions?needs=in_doubt')
  await page.getByRole('row', { name: /Tower bell/ }).waitFor()
  assert.equal(await page.getByRole('row').count(), 2, 'the head and one')
  await page
    .getByRole('row', { name: /Tower bell/ })
    .getByRole('link')
    .click()
  await page.getByRole('link', { name: 'Settle it' }).click()
  await page.getByRole('heading', { name: /4,200\.03/ }).waitFor()
})

test('a customer is found and forgotten, and who may only look is offered nothing', async t => {
  const looking = await atDashboard(browser, t, viewer)
  const shown = await looking.open(`transactions/${paid}`)
  await shown.getByText('Your role may look at payments, not change them.').waitFor()
  assert.equal(await shown.getByRole('button', { name: 'Refund' }).count(), 0)
  await looking.open('customers/nobody')
  await shown.getByText('Not found', { exact: true }).waitFor()
  await shown.getByRole('link', { name: 'Go to the list' }).click()
  await shown.waitForURL(/\/dashboard\/customers$/)
  takeOutRefusals(looking, [404])

  const { open } = await atDashboard(browser, t, shop.login)
  const page = await open('customers?q=grace@')
  const row = page.getByRole('row', { name: /grace@example\.com/ })
  await row.waitFor()
  await holdsForAll(page, 'the customers')
  await row.getByRole('link').click()
  await page.getByRole('button', { name: 'Remove' }).waitFor()
  await holdsForAll(page, 'the customer')
  await page.getByRole('button', { name: 'Link to add a card' }).click()
  await page.getByRole('button', { name: 'Make the link' }).click()
  await page.getByRole('dialog').getByText(`${service.baseUrl}/cards/`).waitFor()
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('button', { name: 'Remove Visa •••• 1881' }).click()
  await page.getByText('No card is stored.').waitFor()
  await page.getByRole('button', { name: 'Erase customer' }).click()
  const erase = page.getByRole('button', { name: 'Erase grace@example.com' })
  assert.equal(await erase.isDisabled(), true)
  await page.getByLabel(/^To confirm/).fill('grace@example.com')
  await erase.click()
  await page.getByText('This customer was erased.').waitFor()
  assert.equal(await page.getByText('grace@example.com').count(), 0)
})
