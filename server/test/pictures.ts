// Takes the pictures in docs/pictures, of every page that a customer can meet: `npm run pictures`.

import assert from 'node:assert/strict'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, type TestContext } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { testCardThat } from '../src/gateways/sandbox/test-cards.ts'
import { answered } from './support/answers.ts'
import { makeCardLink } from './support/card-links.ts'
import type { Client } from './support/client.ts'
import { payButton, typeCard, typeNames } from './support/customer.ts'
import { withPalette } from './support/fewer-bytes.ts'
import { askByMail, linkMailedTo } from './support/letters.ts'
import { startRelay } from './support/mail-relay.ts'
import { withBrowser } from './support/visitor.ts'

const folder = join(import.meta.dirname, '../../docs/pictures')
const bytesMax = 60_000
const phone = { viewport: { width: 360, height: 640 } }
const desk = { viewport: { width: 1280, height: 720 } }
const good = '4111111111111111'
const bell = {
  title: 'Brass ship’s bell',
  details: 'Cast in one piece and tuned by hand. Rings for a minute.',
  amount: '89.00',
  stock: 3,
}

const relay = await startRelay()
after(relay.close)
const { service, test, visitor } = await withBrowser({ TILLBELL_MAIL_RELAY: `smtp://127.0.0.1:${relay.port}` })
const pageOf = (offer: string, query = '') => `${service.baseUrl}/offers/${offer}${query}`

async function shop(): Promise<Client & { readonly merchant: string }> {
  const merchant = await service.newMerchant()
  const json = { name: 'Bell & Brass', support_email: 'help@bells.example', return_url: 'https://bells.example/' }
  answered(await merchant.ask('payment_page', { method: 'PATCH', json }), 200)
  return merchant
}

/** Nothing in it changes from one time to the next: number and date of a receipt do, so others stand in their place. */
async function shot(page: Page): Promise<Buffer> {
  await page.waitForLoadState('load')
  await page.evaluate(`for (const receipt of document.querySelectorAll('.receipt'))
    receipt.firstChild.textContent = '01990b3c-5a80-7d21-9c44-', receipt.lastChild.textContent = '7e5b0f6a1d38'
    for (const date of document.querySelectorAll('.date')) date.textContent = 'November 15, 2026 at 12:00 PM UTC'`)
  return page.screenshot({ fullPage: true, caret: 'hide', animations: 'disabled' })
}

async function keep(name: string, png: Buffer): Promise<void> {
  const bytes = withPalette(png)
  assert.ok(bytes.length < bytesMax, `${name} has ${bytes.length} bytes`)
  await writeFile(join(folder, `${name}.png`), bytes)
}

/** Pages of a phone beside each other, three in a row. */
async function keepAll(t: TestContext, name: string, shots: readonly Buffer[]): Promise<void> {
  const inRow = Math.min(shots.length, 3)
  const { page } = await visitor(t, { viewport: { width: inRow * (360 + 16) + 16, height: 100 } })
  const images = shots.map(png => `<img src="data:image/png;base64,${png.toString('base64')}">`)
  await page.setContent(
    `<body style="margin:16px;display:flex;flex-wrap:wrap;gap:16px;align-items:start;background:#8b8f94">${images.join('')}`,
  )
  await keep(name, await page.screenshot({ fullPage: true }))
}

async function at(t: TestContext, options: BrowserContextOptions, url: string): Promise<Page> {
  const { page } = await visitor(t, options)
  await page.goto(url)
  return page
}

async function press(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name }).click()
}

async function payWith(page: Page, number: string): Promise<void> {
  await typeNames(page)
  await typeCard(page, number)
  await payButton(page).click()
}

test('the folder is empty', async () => {
  await mkdir(folder, { recursive: true })
  for (const name of await readdir(folder)) if (name.endsWith('.png')) await rm(join(folder, name))
})

test('the form', async t => {
  const merchant = await shop()
  const offer = await merchant.makeOffer(bell)
  await keep('form', await shot(await at(t, desk, pageOf(offer))))
  const custom_fields = JSON.stringify([{ name: 'Engraving', required: true }, { name: 'Gift note' }])
  const engraved = await merchant.makeOffer({ ...bell, title: 'Engraved bell', address: 'shipping', custom_fields })
  await keep('form-with-questions', await shot(await at(t, desk, pageOf(engraved))))
  await keepAll(t, 'form-on-a-phone', [
    await shot(await at(t, phone, pageOf(offer))),
    await shot(await at(t, { ...phone, colorScheme: 'dark' }, pageOf(offer))),
  ])
  await keep('form-in-spanish', await shot(await at(t, { ...phone, locale: 'es-MX' }, pageOf(offer))))
})

test('the form in a merchant’s own look, and the button for mails', async t => {
  const merchant = await shop()
  const { page: blank } = await visitor(t, { viewport: { width: 360, height: 110 } })
  await blank.setContent(
    '<p style="margin:0;width:max-content;padding:8px 0;font:700 36px serif;color:#5c3a00">Bell &amp; Brass</p>',
  )
  const logo = (await blank.locator('p').screenshot({ omitBackground: true })).toString('base64')
  const json = { logo, button_color: '#8a5a00', background_color: '#fdf3dd' }
  answered(await merchant.ask('payment_page', { method: 'PATCH', json }), 200)
  const offer = await merchant.makeOffer(bell)
  await keep('form-in-own-colours', await shot(await at(t, desk, pageOf(offer))))
  const { button_html } = answered(await merchant.ask(`offers/${offer}`), 200).json.offer
  await blank.setContent(`<body style="margin:16px">${button_html}`)
  await keep('button', await shot(blank))
})

test('what is wrong with a try', async t => {
  const merchant = await shop()
  const offer = await merchant.makeOffer(bell)
  const page = await at(t, phone, pageOf(offer))
  await payWith(page, '4111111111111112')
  const wrong = await shot(page)
  await payWith(page, testCardThat('card_declined').number)
  await page.getByText('Your card was declined.').waitFor()
  const declined = await shot(page)
  await payWith(page, good)
  await page.getByText('Thank you.').waitFor()
  const other = await at(t, phone, pageOf(offer))
  await payWith(other, good)
  await other.getByText('You were not charged again.').waitFor()
  await keepAll(t, 'form-again', [wrong, declined])
  await keep('second-time', await shot(other))
})

test('a payment that waits for the bank, and one that is made', async t => {
  const offer = await (await shop()).makeOffer(bell)
  const page = await at(t, phone, pageOf(offer))
  await payWith(page, testCardThat('three_d_secure').number)
  await page.getByText('Your bank asks you to confirm').waitFor()
  const [payment, confirm] = [page.url(), await shot(page)]
  await press(page, 'Continue to your bank')
  const bank = await shot(page)
  const away = await at(t, phone, `${payment}&returned=1`)
  await keepAll(t, 'bank', [confirm, bank, await shot(away)])
  await press(page, 'Yes, confirm')
  await page.getByText('Thank you.').waitFor()
  const paid = await shot(page)
  await page.goto(pageOf(offer))
  const inProgress = await at(t, phone, pageOf(await (await shop()).makeOffer(bell)))
  await payWith(inProgress, testCardThat('reset_after').number)
  await inProgress.getByText('This payment is being processed.').waitFor()
  await keepAll(t, 'payment', [paid, await shot(page), await shot(inProgress)])
})

test('a stored card', async t => {
  const merchant = await shop()
  const offer = await merchant.makeOffer(bell)
  await merchant.storeCard(good, { email: 'ada@example.com', first_name: 'Ada', last_name: 'Lovelace' })
  const page = await at(t, phone, pageOf(offer))
  await page.getByRole('link', { name: 'Use a card I saved' }).click()
  await page.getByLabel('Email').fill('ada@example.com')
  const asks = await shot(page)
  await press(page, 'Email me the link')
  const mailed = await shot(page)
  const link = await linkMailedTo(relay, 'ada@example.com')
  await page.goto(link)
  const isItYou = await shot(page)
  await press(page, 'Yes, continue')
  await page.getByText('ending in 1111').waitFor()
  const cards = await shot(page)
  const used = await at(t, phone, link)
  await keepAll(t, 'stored-card', [asks, mailed, isItYou, cards, await shot(used)])
})

test('a card that was saved with a payment', async t => {
  const email = 'cleo@example.com'
  const page = await at(t, phone, pageOf(await (await shop()).makeOffer(bell)))
  await typeNames(page, email)
  await typeCard(page, good)
  await page.getByLabel('Save my card').check()
  await payButton(page).click()
  await page.getByText('You saved this card.').waitFor()
  const asks = await shot(page)
  await press(page, 'Email me a link')
  await page.goto(await linkMailedTo(relay, email))
  const confirms = await shot(page)
  await press(page, 'Confirm')
  await page.getByText('Your card is saved.').waitFor()
  await keepAll(t, 'saved-card', [asks, confirms, await shot(page)])
})

test('a payment that was asked for by mail', async t => {
  const merchant = await shop()
  const offer = await merchant.makeOffer(bell)
  const sender = 'bea@example.com'
  await merchant.storeCard(good, { email: sender, first_name: 'Bea', last_name: 'Curie' })
  const id = await askByMail(service, { merchant: merchant.merchant, offer, sender, isProven: false })
  const page = await at(t, phone, await linkMailedTo(relay, sender))
  const confirms = await shot(page)
  await keepAll(t, 'asked-by-mail', [confirms, await shot(await at(t, phone, pageOf(offer, `?transaction=${id}`)))])
})

test('nothing to buy', async t => {
  const merchant = await shop()
  const inactive = await merchant.makeOffer(bell)
  answered(await merchant.ask(`offers/${inactive}`, { method: 'DELETE' }), 200)
  const expired = await merchant.makeOffer(bell)
  await service.database.sql`update offer set expires_at = now() where id = ${expired}`
  const closed = await shop()
  const [{ id }] = answered(await closed.ask('gateways'), 200).json
  answered(await closed.ask(`gateways/${id}`, { method: 'PATCH', form: { status: 'inactive' } }), 200)
  const addresses = [
    pageOf('nothing'),
    pageOf(inactive),
    pageOf(expired),
    pageOf(await merchant.makeOffer({ ...bell, stock: 0 })),
    pageOf(await merchant.makeOffer({ ...bell, email: 'bea@example.com' }), '?email=ada%40example.com'),
    pageOf(await closed.makeOffer(bell)),
  ]
  const { page } = await visitor(t, { viewport: { width: 360, height: 380 } })
  const shots: Buffer[] = []
  for (const address of addresses) {
    await page.goto(address)
    shots.push(await shot(page))
  }
  await keepAll(t, 'nothing-to-buy', shots)
})

test('the page of a card', async t => {
  const page = await at(t, phone, (await makeCardLink(await shop())).url)
  const empty = await shot(page)
  await typeCard(page, good)
  await page.getByRole('checkbox').check()
  await press(page, 'Save this card')
  await page.getByText('is saved').first().waitFor()
  await keepAll(t, 'card-link', [empty, await shot(page)])
})
