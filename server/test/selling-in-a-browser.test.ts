// What a merchant does to sell, in a real browser: makes an offer while looking at its page, hands it out, connects a gateway,
// sets the look and the mails, and reads why a mail was not believed.

import assert from 'node:assert/strict'
import { after } from 'node:test'
import type { Page } from 'playwright-core'
import { isAccessible } from './support/axe.ts'
import { atDashboard } from './support/dashboard.ts'
import { pictures } from './support/picture-samples.ts'
import { startStripe } from './support/stripe/server.ts'
import { until } from './support/until.ts'
import { isWiderThanTheScreen, withBrowser } from './support/visitor.ts'

const world = await withBrowser()
const { service, test } = world
const stripe = await startStripe()
after(() => stripe.close())
const phone = { width: 360, height: 740 }
const desk = { width: 1440, height: 900 }

/** Whoever uses it, and on whatever screen. */
async function isForEverybody(page: Page, name: string): Promise<void> {
  await isAccessible(page, name)
  await page.setViewportSize(phone)
  assert.equal(await isWiderThanTheScreen(page), false, `${name} on a phone`)
  await page.setViewportSize(desk)
}

const hasFocus = (element: unknown) =>
  element === (globalThis as { document?: { activeElement: unknown } }).document?.activeElement

/** A frame of its own: what it shows is the customer's page, not ours. */
const previewOf = (page: Page) => page.frameLocator('iframe[title="Preview of the payment page"]')

test('an offer is made while its page is looked at, then handed out, and deactivated', async t => {
  const { login } = await service.newMerchant()
  const { page, open } = await atDashboard(world, t, login, { viewport: desk })
  await open('offers')
  await page.getByText('No offers yet').waitFor()
  await page.getByRole('link', { name: 'New offer' }).first().click()
  await page.getByLabel('Title').fill('Brass bell')
  await page.getByLabel('Price of one').fill('12.50')
  await previewOf(page).getByRole('button', { name: 'Pay $12.50' }).waitFor()
  await page.getByText('What the page asks for').click()
  await page.getByRole('button', { name: 'Add a question' }).click()
  await page.getByRole('textbox', { name: 'Question 1' }).fill('Engraving')
  await previewOf(page).getByLabel('Engraving').waitFor()
  await page.getByLabel('Language of the customer').selectOption('es')
  await previewOf(page)
    .getByRole('button', { name: /^Pagar 12,50/ })
    .waitFor()
  await isForEverybody(page, 'a new offer')
  await page.getByRole('button', { name: 'Make the offer' }).click()
  await page.getByRole('heading', { level: 1, name: 'Brass bell' }).waitFor()
  await page.goBack()
  await page.getByRole('heading', { level: 1, name: 'Offers' }).waitFor()
  await page.goForward()
  await page.getByRole('heading', { level: 1, name: 'Brass bell' }).waitFor()
  await page.frameLocator('iframe[title="Preview of the button"]').getByText('Pay $12.50').waitFor()
  const qr = page.getByRole('img', { name: 'QR code of the payment page of Brass bell' })
  await until('the code is drawn', () =>
    qr.evaluate(image => (image as unknown as { readonly naturalWidth: number }).naturalWidth > 0),
  )
  await page.getByText('transaction@localhost').first().waitFor()
  const link = page.getByRole('region', { name: 'Link for one customer' })
  await link.getByLabel('Email of the customer').fill('ada@example.com')
  await link.getByRole('button', { name: 'Make the link' }).click()
  await link.getByText('For ada@example.com. It pays once, from that mailbox alone.').waitFor()
  await link.getByText('mailto:transaction@localhost').first().waitFor()
  await isForEverybody(page, 'an offer')
  await page.getByRole('button', { name: 'Deactivate' }).click()
  await page.getByRole('dialog').getByText('“Brass bell” cannot be paid any more').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Deactivate' }).click()
  await page.getByText('Deactivated', { exact: true }).waitFor()
  await page.getByRole('region', { name: 'Sell it' }).waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Make another like this' }).click()
  await previewOf(page).getByLabel('Engraving').waitFor()
  assert.equal(await page.getByLabel('Price of one').inputValue(), '12.50')
  await page.getByRole('link', { name: 'Offers' }).first().click()
  await page.getByRole('link', { name: 'Brass bell' }).waitFor()
  await isForEverybody(page, 'the offers')
})

test('a wrong price is said at its field, and a viewer is not offered to make anything', async t => {
  const { merchant, login } = await service.newMerchant()
  const { page, open, complaints } = await atDashboard(world, t, login, { viewport: desk })
  await open('offers/new')
  await page.getByLabel('Price of one').fill('1.234')
  await page.getByRole('button', { name: 'Make the offer' }).click()
  const price = page.getByLabel('Price of one')
  await page.locator('[aria-invalid]').waitFor()
  assert.equal(await price.getAttribute('aria-invalid'), 'true')
  await page.getByText('The preview waits').waitFor()
  await until('what is wrong is where one goes on', () => price.evaluate(hasFocus))
  await price.fill('1.23')
  const limits = page.getByText('How long, how many, for whom')
  await limits.click()
  await page.getByLabel('Stock').fill('many')
  await limits.click()
  await page.getByRole('button', { name: 'Make the offer' }).click()
  await page.getByLabel('Stock').waitFor()
  await until('the folded field is where one goes on', () => page.getByLabel('Stock').evaluate(hasFocus))
  const viewer = await atDashboard(world, t, await service.newLogin(merchant, 'viewer'), { viewport: desk })
  await viewer.open('offers')
  await viewer.page.getByText('No offers yet').waitFor()
  assert.equal(await viewer.page.getByRole('link', { name: 'New offer' }).count(), 0)
  await viewer.open('gateways')
  await viewer.page.getByRole('region', { name: 'Sandbox' }).waitFor()
  assert.equal(await viewer.page.getByRole('button', { name: 'Deactivate' }).count(), 0)
  assert.ok(complaints.every(each => each.includes('422')))
  complaints.length = 0
})

test('a gateway is connected, tested, made the default, and turned off with a warning where it is the last', async t => {
  const { login } = await service.newMerchant()
  const { page, open, complaints } = await atDashboard(world, t, login, { viewport: desk })
  await open('gateways')
  await page.getByRole('button', { name: 'Connect a gateway' }).click()
  const dialog = page.getByRole('dialog')
  const { secret_key = '', publishable_key = '', api_base = '' } = stripe.credentials
  await dialog.getByLabel('Secret key').fill('sk_wrong')
  await dialog.getByRole('button', { name: 'Connect', exact: true }).click()
  await dialog.getByText('Credentials must have a “Secret key” that begins with').waitFor()
  assert.equal(await dialog.getByLabel('Secret key').getAttribute('aria-invalid'), 'true')
  assert.equal(complaints.splice(0, complaints.length).length, 1)
  await dialog.getByLabel('Secret key').fill(secret_key)
  await dialog.getByLabel('Publishable key').fill(publishable_key)
  await dialog.getByLabel('Stand-in on this machine').fill(api_base)
  await isAccessible(page, 'connecting a gateway')
  await dialog.getByRole('button', { name: 'Connect', exact: true }).click()
  const card = page.getByRole('region', { name: 'Stripe' })
  await card.getByRole('button', { name: 'Test the credentials' }).click()
  await card.getByText('The gateway accepts the credentials.').waitFor()
  await card.getByText('/events').waitFor()
  await card.getByRole('button', { name: 'Make it the default' }).click()
  await card.getByText('Default', { exact: true }).waitFor()
  await card.getByLabel('When another declines').selectOption('1')
  await page.getByText('The order is saved.').waitFor()
  await isForEverybody(page, 'the gateways')
  const sandbox = page.getByRole('region', { name: 'Sandbox' })
  await sandbox.getByRole('button', { name: 'Deactivate' }).click()
  await dialog.getByRole('button', { name: 'Deactivate' }).click()
  await sandbox.getByText('Inactive').waitFor()
  await card.getByRole('button', { name: 'Deactivate' }).click()
  await dialog.getByText('It is your only active gateway').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
})

test('the look is seen as it is set, a logo that is too large is not sent, and what is saved is what customers see', async t => {
  const { login, merchant } = await service.newMerchant()
  const { page, open } = await atDashboard(world, t, login, { viewport: desk })
  await open('branding')
  await page.getByLabel('Name', { exact: true }).fill('Bells & Co')
  await previewOf(page).getByText('Bells & Co').first().waitFor()
  const file = page.locator('input[type=file]')
  const picture = { name: 'logo.png', mimeType: 'image/png' }
  await file.setInputFiles({ ...picture, buffer: Buffer.alloc(50_000) })
  await page.getByText('The file has 49 KiB').waitFor()
  await file.setInputFiles({ ...picture, buffer: pictures.png.bytes })
  await previewOf(page).getByRole('img', { name: 'Bells & Co' }).waitFor()
  await page.getByLabel('Buttons', { exact: false }).last().fill('#ffee00')
  await page.getByText('Letters on it are black').waitFor()
  await page.getByLabel('Background', { exact: false }).last().fill('#ffffff')
  await page.getByText('hard to tell apart').waitFor()
  await isForEverybody(page, 'the branding')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('The branding is saved').waitFor()
  const { sql } = service.database
  const [look] = await sql`select button_color, logo is not null as has_logo from payment_page
    where merchant_id = ${merchant}`
  assert.deepEqual([look?.buttonColor, look?.hasLogo], ['#ffee00', true])
})

test('paying by mail is turned off, mails are seen as they look, and a mail tells why it was not believed', async t => {
  const shop = await service.newMerchant()
  const { page, open } = await atDashboard(world, t, shop.login, { viewport: desk })
  await open('mail-settings')
  const sample = page.frameLocator('iframe[title="Preview of the mail"]')
  await sample.getByText('A sample of what you sell').first().waitFor()
  await page.getByLabel('With one mail').fill('7')
  await page.getByRole('link', { name: 'Home', exact: true }).click()
  await page.getByRole('dialog').getByText('What you changed on this page is lost then.').waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  assert.equal(await page.getByLabel('With one mail').inputValue(), '7')
  await page.getByLabel('With one mail').fill('')
  await page.getByLabel('Mail', { exact: true }).selectOption('error')
  await sample.getByText('Your card was declined.').waitFor()
  assert.equal(await page.getByLabel('Links for one customer charge at once').isChecked(), true)
  assert.equal(await page.getByLabel('Public addresses charge at once').isChecked(), false)
  await page.getByText('Risk: anybody can put the address of your offer').waitFor()
  await page.getByLabel('Sentences of your own').fill('Yes, I pay.\n\nJa, ich zahle.')
  await page.getByLabel('Customers may pay by mail').uncheck()
  await page.getByLabel('With one mail').fill('50')
  await isForEverybody(page, 'the mail settings')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('The mail settings are saved.').waitFor()
  assert.equal(await page.getByLabel('With one mail').inputValue(), '50.00')
  const { sentences } = (await shop.ask('mail_settings')).json.mail_settings
  assert.deepEqual(sentences, ['Yes, I pay.', 'Ja, ich zahle.'])
  await keepLetter(shop.merchant, await shop.makeOffer())
  await open('letters')
  await page.getByText('The signature is of another domain.').waitFor()
  await isForEverybody(page, 'the mails')
  await page.getByRole('link', { name: 'ada@example.com' }).click()
  await page.getByText('A DKIM signature of the sender’s own domain holds').waitFor()
  await page.getByText('Does not hold').waitFor()
  await isForEverybody(page, 'a mail')
})

/** As one that was taken in: the rest of this service's tests have real ones. */
async function keepLetter(merchant: string, offer: string): Promise<void> {
  const { sql } = service.database
  const verdict = {
    ...{ sender: 'ada@example.com', isProven: false, isAligned: false, spf: 'pass', dmarc: 'fail', signatures: [] },
    rules: [
      { rule: 'one_from', holds: true, says: null },
      { rule: 'aligned_signature', holds: false, says: 'The signature is of another domain.' },
    ],
  }
  await sql`insert into letter (merchant_id, id, received_at, offer_id, sender, is_proven, is_answerable, language, state, verdict)
    values (${merchant}, gen_random_uuid(), now(), ${offer}, 'ada@example.com', false, false, 'en', 'done', ${sql.json(verdict)})`
}
