// At the dashboard, a refund whose answer is lost is made once, whatever a proxy says instead and however often the button is pressed.

import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { atDashboard } from './support/dashboard.ts'
import { withBrowser } from './support/visitor.ts'

const browser = await withBrowser()
const { service, test } = browser
const shop = await service.newMerchant()
const offer = await shop.makeOffer({ title: 'Bell', amount: '100.00' })
const card = await shop.storeCard('4111111111111111', { email: 'ada@example.com', first_name: 'Ada' })
const refunds = '**/console/rest/transactions/refunds'

/** What is done with a request instead of passing it on. */
type Answer = (route: Route) => Promise<void>
const pass: Answer = route => route.continue()

/** The page of a new payment, and what the browser notes of answers that are no success. */
async function openPayment(t: TestContext) {
  const { id } = (await shop.charge(offer, card)).json.transaction
  const { open, complaints } = await atDashboard(browser, t, shop.login)
  const page = await open(`transactions/${id}`)
  const keys = new Set<string | undefined>()
  // One route for all: a browser stops asking for a moment where one ends and another begins.
  const answers: Answer[] = []
  await page.route(refunds, route => (answers.shift() ?? pass)(route))
  page.on(
    'request',
    asked => asked.url().endsWith('/transactions/refunds') && keys.add(asked.headers()['idempotency-key']),
  )
  return { id, page, keys, complaints, answers }
}

async function openRefund(page: Page) {
  await page.getByRole('button', { name: 'Refund', exact: true }).click()
  return page.getByRole('dialog')
}

const press = (page: Page) =>
  page
    .getByRole('dialog')
    .getByRole('button', { name: /^Refund \$/ })
    .click()
const isUnknown = (page: Page) => page.getByText('It is not known yet whether this was done.').waitFor()
const isDone = (page: Page, amount: string) => page.getByText(`${amount} was refunded.`).waitFor()

/** A refund of $40.00 was made, and this is what the browser hears of it. */
async function lostRefund(t: TestContext, answer: Answer) {
  const opened = await openPayment(t)
  opened.answers.push(async route => {
    await route.fetch()
    await answer(route)
  })
  const dialog = await openRefund(opened.page)
  await dialog.getByLabel('Amount').fill('40')
  await press(opened.page)
  await isUnknown(opened.page)
  return { ...opened, dialog }
}

const lose = (route: Route) => route.abort('connectionreset')

const amountsRefunded = async (id: string) => {
  const rows = await service.database.sql<{ amount: string }[]>`select amount_minor::text as amount from operation
    where transaction_id = ${id} and kind = 'refund'`
  return rows.map(({ amount }) => amount)
}

test('a proxy answers 502 for a refund that was made', async t => {
  const page502 = { status: 502, contentType: 'text/html', body: '<h1>502 Bad Gateway</h1>' }
  const { id, page, keys, complaints, dialog } = await lostRefund(t, route => route.fulfill(page502))
  assert.equal(await dialog.getByText('nothing was moved').count(), 0)
  assert.equal(await dialog.getByLabel('Amount').isEditable(), false, 'another amount would be another refund')
  await press(page)
  await isDone(page, '$40.00')
  assert.deepEqual([await amountsRefunded(id), keys.size], [['4000'], 1])
  complaints.splice(0)
})

test('the answer is lost, and the first is still being processed when it is asked again', async t => {
  const { id, page, keys, complaints, answers, dialog } = await lostRefund(t, lose)
  const errors = { general: 'The same request is still being processed.' }
  const stillProcessing = { status: 409, headers: { 'Retry-After': '1' }, json: { errors } }
  answers.push(route => route.fulfill(stillProcessing))
  await press(page)
  await dialog.getByText(/still being processed/).waitFor()
  assert.equal(await dialog.getByText('the payment changed meanwhile').count(), 0)
  await press(page)
  await isDone(page, '$40.00')
  assert.deepEqual([await amountsRefunded(id), keys.size], [['4000'], 1])
  complaints.splice(0)
})

test('a refusal of something in between says nothing of the refund whose answer is lost', async t => {
  const { id, page, keys, complaints, answers, dialog: first } = await lostRefund(t, lose)
  answers.push(route => route.fulfill({ status: 404, body: '<h1>404 Not Found</h1>' }))
  await press(page)
  await first.getByText('There is nothing here.').waitFor()
  await first.getByRole('button', { name: 'Cancel' }).click()
  const second = await openRefund(page)
  await isUnknown(page)
  assert.equal(await second.getByLabel('Amount').isEditable(), false)
  await press(page)
  await isDone(page, '$40.00')
  assert.deepEqual([await amountsRefunded(id), keys.size], [['4000'], 1])
  complaints.splice(0)
})

test('after most of a day the same is not asked for again: the service forgets what was asked', async t => {
  const { id, page, complaints } = await lostRefund(t, lose)
  await page.clock.install({ time: Date.now() + 21 * 3_600_000 })
  await press(page)
  await page.getByText('It was too long ago to ask for the same again.').waitFor()
  assert.deepEqual(await amountsRefunded(id), ['4000'])
  complaints.splice(0)
})

test('the answer is lost, and the dialog is closed and opened again', async t => {
  const { id, page, keys, complaints, dialog: first } = await lostRefund(t, lose)
  await first.getByRole('button', { name: 'Cancel' }).click()
  const second = await openRefund(page)
  assert.equal(await second.getByLabel('Amount').inputValue(), '40')
  await isUnknown(page)
  await press(page)
  await isDone(page, '$40.00')
  // It is known now, and the next is another one.
  await (await openRefund(page)).getByLabel('Amount').fill('10')
  await press(page)
  await isDone(page, '$10.00')
  assert.deepEqual([(await amountsRefunded(id)).sort(), keys.size], [['1000', '4000'], 2])
  complaints.splice(0)
})
