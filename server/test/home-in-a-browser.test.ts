// A merchant looks after the money at the dashboard, in a real browser: the first page of somebody new, what needs a person,
// doubt that is settled on record, alerts, and the sandbox's clock.

import assert from 'node:assert/strict'
import { after } from 'node:test'
import type { Page } from 'playwright-core'
import { answered } from './support/answers.ts'
import { isAccessible } from './support/axe.ts'
import { connectBadLine } from './support/bad-line.ts'
import { atDashboard } from './support/dashboard.ts'
import { startEndpoint } from './support/merchant-endpoint.ts'
import { until } from './support/until.ts'
import { isWiderThanTheScreen, withBrowser } from './support/visitor.ts'

const browser = await withBrowser()
const { service, test } = browser
const { sql } = service.database
const shop = await service.newMerchant()
const line = await connectBadLine(shop)
const broken = await startEndpoint(response => void response.writeHead(500).end())
after(async () => {
  await line.close()
  await broken.close()
})

/** For everybody, on a phone as well. */
async function isGood(page: Page, name: string): Promise<void> {
  await isAccessible(page, name)
  const wide = page.viewportSize() ?? { width: 1280, height: 720 }
  await page.setViewportSize({ width: 360, height: 720 })
  assert.equal(await isWiderThanTheScreen(page), false, `${name} on a phone`)
  await page.setViewportSize(wide)
}

test('who has just begun sees what to do, and later how much was paid and who was not told', async t => {
  const { page, open, context, complaints } = await atDashboard(browser, t, shop.login)
  await open('')
  await page.getByText('Make an offer', { exact: true }).first().waitFor()
  await page.getByText('Nothing needs you.').waitFor()
  await page.getByText('There was no payment in this time.').nth(1).waitFor()
  await isGood(page, 'the first page of somebody new')

  answered(await shop.ask('hook_endpoints', { form: { kind: 'transaction', url: broken.url } }), 200)
  const [offer, card, declined] = [
    await shop.makeOffer(),
    await shop.storeCard(),
    await shop.storeCard('4012888888881881'),
  ]
  for (const _ of [1, 2, 3]) answered(await shop.charge(offer, card), 200)
  answered(await shop.charge(offer, declined), 402)
  const figures = page.getByRole('region', { name: 'Payments' })
  // Where they were slow to work out, they are kept for a while.
  await until('the figures are there', async () => {
    await page.reload()
    await figures.waitFor()
    return (await figures.getByText('$300.00').count()) > 0
  })
  await figures.getByText('75%').first().waitFor()
  // What needs somebody is there at once, however long what was sold takes to add up.
  const added = Promise.withResolvers<void>()
  await page.route('**/console/home/sales*', async route => {
    await added.promise
    await route.continue()
  })
  await page.reload()
  await page.getByText('3 payments that your application was not told of').waitFor()
  assert.equal(await figures.count(), 0)
  added.resolve()
  await figures.waitFor()
  await page.getByRole('region', { name: 'Paid, and your application does not know' }).getByText('3 payments').waitFor()
  assert.equal(await page.getByText('Get your first payment').count(), 0)
  await isGood(page, 'the first page')

  await page.getByRole('navigation', { name: 'Time shown' }).getByRole('link', { name: '24 hours' }).click()
  await page.waitForURL(/range=24h/)
  await page.getByRole('link', { name: 'See these payments' }).click()
  await page.getByRole('row').nth(3).waitFor()
  assert.equal(await page.getByRole('row').count(), 4, 'the head and those that were counted')
  await page.goBack()
  const chart = page.getByRole('slider', { name: 'Paid over time' })
  await chart.focus()
  assert.match((await chart.getAttribute('aria-valuetext')) ?? '', /\$300\.00/)

  // Without a connection the dashboard stays, and says so where the page would be.
  await context.setOffline(true)
  await page.getByRole('link', { name: 'Customers', exact: true }).click()
  await page.getByRole('heading', { name: 'This could not be loaded' }).waitFor()
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
  await context.setOffline(false)
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('heading', { level: 1, name: 'Customers' }).waitFor()
  complaints.splice(0, complaints.length)
})

test('an owner reads what is in doubt, sees what each choice does, and settles it on record', async t => {
  line.loses = true
  const { id } = answered(await shop.charge(await shop.makeOffer({ amount: '7.00' }), line.card), 202).json.transaction
  line.loses = false
  await sql`update operation set next_ask_at = next_ask_at + interval '1 hour' where transaction_id = ${id}`
  const { page, open, complaints } = await atDashboard(browser, t, shop.login)
  await open('')
  await page.getByText('1 operation is in doubt').waitFor()
  await page.getByRole('link', { name: 'Look at it' }).click()
  await page.getByRole('row', { name: /\$7\.00/ }).waitFor()
  await isGood(page, 'the list of doubt')
  await page
    .getByRole('row', { name: /\$7\.00/ })
    .getByRole('link')
    .click()
  await page.getByRole('heading', { level: 1, name: 'Charge of $7.00' }).waitFor()
  await isGood(page, 'one doubt')
  await page.getByLabel('It succeeded').check()
  await page.getByRole('button', { name: 'Settle it' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('$7.00 counts as paid').waitFor()
  await dialog.getByLabel('Gateway’s reference').fill('ch_7')
  await dialog.getByLabel('Why').fill('Seen in the list of payments.')
  line.isDead = true
  t.after(() => {
    line.isDead = false
  })
  await dialog.getByRole('button', { name: 'It succeeded' }).click()
  await dialog.getByText('The gateway did not answer, so the reference ch_7 cannot be checked.').waitFor()
  complaints.splice(0, complaints.length) // the browser's own, about the refusal
  line.isDead = false
  const { gatewayRef } = JSON.parse(await line.arrive())
  await dialog.getByLabel('Gateway’s reference').fill(gatewayRef)
  await dialog.getByRole('button', { name: 'It succeeded' }).click()
  await page.getByText('It is on record.').waitFor()
  await page.getByText('Seen in the list of payments.').waitFor()
  await page.getByRole('link', { name: 'In doubt' }).first().click()
  await page.getByText('Nothing is in doubt').waitFor()
  await page.getByRole('link', { name: 'Settled by people' }).click()
  await page.getByRole('row', { name: /\$7\.00/ }).waitFor()
  assert.equal(answered(await shop.ask(`transactions/${id}`), 200).json.transaction.status, 'Successful')
})

test('of several things that a gateway said an owner dismisses one, and the others stay', async t => {
  const { id } = answered(await shop.charge(await shop.makeOffer({ amount: '8.00' }), line.card), 200).json.transaction
  const ofSecond = (ref: string) =>
    `The gateway has a second payment under the id of this charge: ${ref}, beside ch_1. Look there whether money was moved twice and put it right, then dismiss this.`
  const [row] = await sql<{ id: string }[]>`update operation
    set for_person = ${ofSecond('ch_2')}, more_for_person = ${[ofSecond('ch_3')]}::text[]
    where transaction_id = ${id} returning id`
  const operation = row?.id ?? assert.fail()
  t.after(() => sql`update operation set for_person = null, more_for_person = '{}' where id = ${operation}`)
  const { page, open } = await atDashboard(browser, t, shop.login)
  await open(`doubt/${operation}`)
  await page.getByRole('listitem').filter({ hasText: ': ch_3, beside' }).waitFor()
  await isGood(page, 'a doubt of several sentences')
  await page.getByLabel('Dismiss it').check()
  await page.getByRole('button', { name: 'Settle it' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Why').fill('ch_3 was given back.')
  await dialog.getByLabel(': ch_3, beside').check()
  await isGood(page, 'which one is dismissed')
  await dialog.getByRole('button', { name: 'Dismiss it' }).click()
  await page.getByText('It is on record.').waitFor()
  const [now] = await sql`select for_person, more_for_person from operation where id = ${operation}`
  assert.deepEqual({ ...now }, { forPerson: ofSecond('ch_2'), moreForPerson: [] })
})

test('a viewer chooses their own alerts, in Spanish, and settles nothing', async t => {
  const viewer = await service.newLogin(shop.merchant, 'viewer')
  const { page, open, complaints } = await atDashboard(browser, t, viewer, { locale: 'es-MX' })
  await open('alerts')
  await page.getByText('Esta instalación no envía correos').waitFor()
  await page.getByLabel('Cuando un pago esté en duda').check()
  await page.getByText('Guardado.').waitFor()
  await isGood(page, 'alerts')
  const [row] = await sql<{ alerts: string[] }[]>`select alerts from login where email = ${viewer.email}`
  assert.deepEqual(row?.alerts, ['in_doubt'])
  await open('doubt?state=settled')
  await page.getByRole('row').nth(1).getByRole('link').click()
  await page.getByText('Lo que se sabe').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Resolver' }).count(), 0)
  await open('deliveries?endpoint=nonsense')
  await page.getByText('Endpoint: debe ser el id de un endpoint.').waitFor()
  complaints.splice(0, complaints.length) // the browser's own, about the refusal
})

test('the demo merchant sees its hooks arrive and moves the clock; another merchant is told whose that is', async t => {
  const { demo, demoSheet } = service
  answered(await demo.charge(demo.offer, demo.card), 200)
  const { page, open } = await atDashboard(browser, t, demoSheet.dashboard)
  await open('sandbox')
  const hook = page.getByRole('region', { name: 'Hooks received' }).getByText('success')
  await hook.first().click()
  await page.getByText('Signature good').first().waitFor()
  await page.getByRole('region', { name: 'details' }).getByText('"type": "success"').waitFor()
  await isGood(page, 'the sandbox')
  await page.getByRole('button', { name: '+1 hour' }).click()
  await page.getByText('The clock moved forward by 1 hour.').waitFor()
  await page.getByText(/(1 hour|59 minutes).* ahead of the real time/).waitFor()

  const other = await atDashboard(browser, t, shop.login)
  await other.open('sandbox')
  await other.page.getByText('The sandbox page belongs to the demo merchant').waitFor()
  await isGood(other.page, 'the sandbox of somebody else')
})
