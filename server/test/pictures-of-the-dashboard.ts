// Takes the pictures of the dashboard in docs/pictures/dashboard: `npm run pictures`.

import assert from 'node:assert/strict'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, type TestContext } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { fillSales } from '../../bench/fill-sales.ts'
import { testCardThat } from '../src/gateways/sandbox/test-cards.ts'
import { answered } from './support/answers.ts'
import { signedIn } from './support/console.ts'
import { atDashboard } from './support/dashboard.ts'
import { withPalette } from './support/fewer-bytes.ts'
import { startEndpoint } from './support/merchant-endpoint.ts'
import { withBrowser } from './support/visitor.ts'

const folder = join(import.meta.dirname, '../../docs/pictures/dashboard')
const bytesMax = 120_000
const desk = { viewport: { width: 1280, height: 800 } }
const phone = { viewport: { width: 360, height: 740 } }

const browser = await withBrowser()
const { service, test } = browser
const [good, bad] = [
  await startEndpoint(response => void response.writeHead(200).end('ok')),
  await startEndpoint(response => void response.writeHead(500).end('TypeError: order is undefined')),
]
after(() => Promise.all([good.close(), bad.close()]))
const shop = await service.newMerchant()
const gateway = answered(await shop.ask('gateways'), 200).json[0].id
const mae = await service.newLogin(shop.merchant, 'owner', 'mae@bells.example')
/** The one whose story is shown, and the hook that failed. */
const shown = { transaction: '', delivery: '', offer: '' }

/** Nothing in it changes from one time to the next: what does has something else in its place. */
async function shot(page: Page): Promise<Buffer> {
  await page.waitForLoadState('networkidle')
  await page.evaluate(`{
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const changes = [[/127\\.0\\.0\\.1:\\d+/g, 'bells.example'], [/\\b\\d{1,2}:\\d{2}(:\\d{2})? [AP]M\\b/g, '10:24 AM'],
      [/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, '01990b3c-5a80-7d21-9c44-7e5b0f6a1d38'],
      [/[0-9a-f-]{36}@example\\.com/g, 'office@bells.example']]
    for (let node = texts.nextNode(); node !== null; node = texts.nextNode())
      for (const [is, becomes] of changes) node.data = node.data.replace(is, becomes)
  }`)
  return page.screenshot({ caret: 'hide', animations: 'disabled' })
}

async function keep(name: string, page: Page): Promise<void> {
  const bytes = withPalette(await shot(page))
  assert.ok(bytes.length < bytesMax, `${name} has ${bytes.length} bytes`)
  await writeFile(join(folder, `${name}.png`), bytes)
}

async function at(t: TestContext, path: string, options: BrowserContextOptions = desk): Promise<Page> {
  const { open } = await atDashboard(browser, t, mae, options)
  return open(path)
}

test('the folder is empty, and the shop has sold for a year', async () => {
  await mkdir(folder, { recursive: true })
  for (const name of await readdir(folder)) await rm(join(folder, name))
  await fillSales(service.database.sql, { merchant: shop.merchant, gateway, from: 0, to: 3_000 })
  answered(await shop.ask('payment_page', { method: 'PATCH', json: { name: 'Bell & Brass' } }), 200)
  for (const [kind, url] of Object.entries({ pre_sale: good.url, transaction: good.url, error: bad.url })) {
    answered(await shop.ask('hook_endpoints', { form: { kind, url: new URL(`/hooks/${kind}`, url).href } }), 200)
  }
  const bell = { title: 'Brass ship’s bell', details: 'Cast in one piece and tuned by hand.', amount: '89.00' }
  shown.offer = await shop.makeOffer({ ...bell, ref_id: 'bell-1', stock: 40 })
  const customer = { email: 'ada@example.com', first_name: 'Ada', last_name: 'Lovelace' }
  const card = await shop.storeCard('4111111111111111', customer)
  const sold = answered(await shop.charge(shown.offer, card, { quantity: 2 }), 200)
  shown.transaction = sold.json.transaction.id
  const refund = {
    transaction: shown.transaction,
    amount: '89.00',
    user: 'mae@bells.example',
    notes: 'One came cracked.',
  }
  answered(await shop.ask('transactions/refunds', { form: refund }), 200)
  answered(await shop.charge(shown.offer, await shop.storeCard('4012888888881881', customer)), 402)
  answered(await shop.charge(shown.offer, await shop.storeCard(testCardThat('wrong_amount').number, customer)), 202)
  const failed = answered(await shop.ask('hook_deliveries?state=pending&kind=error'), 200)
  shown.delivery = failed.json[0].id
  await service.newLogin(shop.merchant, 'developer', 'lin@bells.example')
  await service.newLogin(shop.merchant, 'viewer', 'noor@bells.example')
})

test('the first pages', async t => {
  const { page, complaints } = await browser.visitor(t, { ...desk, locale: 'en-US' })
  await page.goto(`${service.baseUrl}/dashboard/`)
  await page.getByLabel('Password', { exact: true }).waitFor()
  await keep('sign-in', page)
  complaints.length = 0 // that nobody is signed in
  await keep('home', await at(t, ''))
  await keep('home-by-night', await at(t, '', { ...desk, colorScheme: 'dark' }))
})

test('people, and what they did', async t => {
  await keep('team', await at(t, 'team'))
  const client = await signedIn(service.baseUrl, mae)
  const did = (path: string, json: object, method = 'POST') => client.ask(path, { method, json })
  await did('api_keys', { name: 'Till at the counter' })
  await did('rest/payment_page', { button_color: '#8a5a00' }, 'PATCH')
  await did('rest/transactions/refunds', { transaction: shown.transaction, amount: '20.00', notes: 'Late.' })
  await did('team/invitations', { email: 'sam@bells.example', role: 'viewer' })
  await did('rest/hook_endpoints', { kind: 'far', url: new URL('/hooks/far', good.url).href })
  await did('rest/offers', { title: 'Hand bell', amount: '49.00' })
  await did('team/members/noor%40bells.example', { role: 'developer' }, 'PATCH')
  await keep('audit-log', await at(t, 'changes'))
})

test('money', async t => {
  await keep('transactions', await at(t, 'transactions'))
  const page = await at(t, `transactions/${shown.transaction}`, { viewport: { width: 1280, height: 1100 } })
  await keep('transaction', page)
  await page.getByRole('button', { name: 'Refund' }).click()
  await page.getByRole('dialog').waitFor()
  await page.setViewportSize(desk.viewport)
  await keep('refund', page)
})

test('hooks', async t => {
  const page = await at(t, 'api-settings')
  await page.getByText(/The last hook failed/).waitFor()
  await keep('endpoints', page)
  await page.getByRole('button', { name: /^More for .*\/hooks\/transaction/ }).click()
  await page.getByRole('button', { name: 'Check my endpoint' }).click()
  await page.getByRole('button', { name: 'Check it now' }).click()
  await page.getByText(/things are wrong/).waitFor()
  await keep('check', page)
  await keep('deliveries', await at(t, 'deliveries'))
  await keep('delivery', await at(t, `deliveries/${shown.delivery}`, { viewport: { width: 1280, height: 1000 } }))
  await keep('verify', await at(t, 'api-settings/snippets', { viewport: { width: 1280, height: 1000 } }))
})

test('selling', async t => {
  const page = await at(t, 'offers/new')
  await page.getByLabel('Title').fill('Hand bell')
  await page.getByLabel('Price of one').fill('49.00')
  await page.getByLabel('Details').fill('With a handle of olive wood.')
  await page.frameLocator('iframe').getByText('Hand bell').waitFor()
  await keep('new-offer', page)
  await keep('offer', await at(t, `offers/${shown.offer}`))
  await keep('branding', await at(t, 'branding'))
})

test('the sandbox of the demo', async t => {
  const { demo, demoSheet } = service
  answered(await demo.charge(demo.offer, demo.card), 200)
  const { open } = await atDashboard(browser, t, demoSheet.dashboard, desk)
  await keep('sandbox', await open('sandbox'))
})

test('on a phone', async t => {
  const shots: Buffer[] = []
  for (const path of ['', 'transactions', `transactions/${shown.transaction}`]) {
    shots.push(await shot(await at(t, path, phone)))
  }
  const { page } = await browser.visitor(t, { viewport: { width: 3 * (360 + 16) + 16, height: 100 } })
  const images = shots.map(png => `<img src="data:image/png;base64,${png.toString('base64')}">`)
  await page.setContent(
    `<body style="margin:16px;display:flex;gap:16px;align-items:start;background:#8b8f94">${images.join('')}`,
  )
  const bytes = withPalette(await page.screenshot({ fullPage: true }))
  assert.ok(bytes.length < bytesMax, `${bytes.length} bytes`)
  await writeFile(join(folder, 'phone.png'), bytes)
})
