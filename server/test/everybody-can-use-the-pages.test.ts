// Every page that a customer can meet, in a real browser: axe finds nothing wrong with it, by day and by night, it fits on a
// phone, and it is light. What each says of an offer that cannot be bought; how it looks in a merchant's colours; who may frame it.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { testCardThat } from '../src/gateways/sandbox/test-cards.ts'
import { answered } from './support/answers.ts'
import { isAccessible } from './support/axe.ts'
import { makeCardLink } from './support/card-links.ts'
import { payButton, typeCard, typeNames } from './support/customer.ts'
import { InboxVisitor } from './support/inbox.ts'
import { connectStripe } from './support/stripe/connected.ts'
import { startStripe } from './support/stripe/server.ts'
import { until } from './support/until.ts'
import { heading, isWiderThanTheScreen, withBrowser } from './support/visitor.ts'
import { isLight } from './support/weight.ts'

const { service, test, visitor } = await withBrowser()
const { demo } = service

const phone = { viewport: { width: 360, height: 640 } }
const pageOf = (offer: string, query = '') => `${service.baseUrl}/offers/${offer}${query}`

async function isFine(page: Page, name: string): Promise<void> {
  assert.equal(await isWiderThanTheScreen(page), false, name)
  await isAccessible(page, name)
  await isLight(page, name)
}

test('the form, in each state that a try leaves it in, and the payment', async t => {
  const { page } = await visitor(t, phone)
  const custom_fields = JSON.stringify([{ name: 'Engraving', required: true }, { name: 'Gift note' }])
  const details = 'Cast in one piece.\nRings for a minute.'
  const more = { title: 'Brass bell', details, address: 'shipping', stock: 5, custom_fields }
  await page.goto(pageOf(await demo.makeOffer(more)))
  await isFine(page, 'the form')
  await payButton(page).click()
  await page.getByText('Enter your first name.').first().waitFor()
  await isFine(page, 'the form with problems that the script found')
  const offer = await demo.makeOffer({ title: 'Brass bell' })
  await page.goto(pageOf(offer))
  await typeNames(page)
  await typeCard(page, testCardThat('insufficient_funds').number)
  await payButton(page).click()
  await page.getByText('for lack of funds').waitFor()
  await isFine(page, 'declined')
  await typeCard(page, testCardThat('three_d_secure').number)
  await payButton(page).click()
  await page.getByText('Your bank asks you to confirm').waitFor()
  await isFine(page, 'before the bank')
  const payment = page.url()
  await page.goto(pageOf(offer))
  await isFine(page, 'the offer while its payment waits')
  await page.goto(`${payment}&returned=1`)
  assert.equal(await heading(page), 'Not finished yet')
  await isFine(page, 'not finished yet')
  await page.getByRole('button', { name: 'Continue to your bank' }).click()
  await isFine(page, 'the sandbox’s bank')
  await page.getByRole('button', { name: 'Yes, confirm' }).click()
  await page.getByText('Thank you.').waitFor()
  await isFine(page, 'paid')
  await page.goto(pageOf(offer))
  await isFine(page, 'the offer after it was paid')
})

test('problems that the server found, a payment in progress, and the question whether a second one is meant', async t => {
  const [{ page }, other] = [await visitor(t, phone), await visitor(t, phone)]
  const offer = await demo.makeOffer({ address: 'billing' })
  await page.goto(pageOf(offer))
  // As without the script: all that is wrong comes back at once.
  await page.evaluate("document.getElementById('card-form').submit()")
  await page.getByRole('alert').getByText('Please check the').waitFor()
  await isFine(page, 'the form with problems that the server found')
  const bell = await demo.makeOffer()
  for (const each of [page, other.page]) {
    await each.goto(pageOf(bell))
    await typeNames(each)
    await typeCard(each, testCardThat('reset_after').number)
    await payButton(each).click()
  }
  await page.getByText('This payment is being processed.').waitFor()
  // It asks every few seconds how the payment stands: it stays while it is looked at.
  await page.route('**/offers/**', route => route.abort('aborted'))
  await isFine(page, 'in progress')
  await other.page.getByText('You were not charged again.').waitFor()
  await isFine(other.page, 'the form with the question')
})

async function proofLink(page: Page, offer: string, email: string): Promise<string> {
  const inbox = new InboxVisitor(service)
  const before = (await inbox.mails()).length
  await page.goto(pageOf(offer, '?card=stored'))
  await page.getByLabel('Email').fill(email)
  await page.getByRole('button', { name: 'Email me the link' }).click()
  const { text } = await inbox.mailOf(before + 1)
  return /http\S+/.exec(text)?.[0] ?? assert.fail(text)
}

test('the proof of an address, and the stored cards behind it', async t => {
  const { page } = await visitor(t, phone)
  const offer = await demo.makeOffer()
  await page.goto(pageOf(offer, '?card=stored'))
  await isFine(page, 'the question for an address')
  const link = await proofLink(page, offer, 'ada@example.com')
  await isFine(page, 'look into your mailbox')
  await page.goto(link)
  await isFine(page, 'the page of the link')
  await page.getByRole('button', { name: 'Yes, continue' }).click()
  await page.getByText('ending in').first().waitFor()
  await isFine(page, 'the form with stored cards')
  await page.getByLabel('Another card').check()
  await isFine(page, 'the form with stored cards and another one')
  const other = await visitor(t, phone)
  await other.page.goto(link)
  assert.equal(await heading(other.page), 'This link has been used')
  await other.page.goto(pageOf(offer, '?proof=nothing'))
  assert.equal(await heading(other.page), 'This link does not work')
  await isFine(other.page, 'a link that leads nowhere')
})

test('an offer that cannot be bought says why, each in its own words', async t => {
  const { page } = await visitor(t, phone)
  const inactive = await demo.makeOffer()
  answered(await demo.ask(`offers/${inactive}`, { method: 'DELETE' }), 200)
  const soon = new Date(Date.now() + 3_600_000).toISOString()
  const expired = await demo.makeOffer({ expires_at: soon })
  await service.database.sql`update offer set expires_at = now() - interval '1 hour' where id = ${expired}`
  const theirs = await demo.makeOffer({ email: 'bea@example.com' })
  const closed = await service.newMerchant()
  const { json } = answered(await closed.ask('gateways'), 200)
  answered(await closed.ask(`gateways/${json[0].id}`, { method: 'PATCH', form: { status: 'inactive' } }), 200)
  const states = [
    [pageOf('01990000-0000-7000-8000-000000000000'), 404, 'This link does not work'],
    [pageOf('nonsense'), 404, 'This link does not work'],
    [pageOf(inactive), 410, 'No longer for sale'],
    [pageOf(expired), 410, 'This offer has expired'],
    [pageOf(await demo.makeOffer({ stock: 0 })), 410, 'Sold out'],
    [pageOf(theirs, '?email=eve%40example.com'), 403, 'Not for this email'],
    [pageOf(await closed.makeOffer()), 503, 'Not available right now'],
  ] as const
  for (const [url, status, says] of states) {
    const answer = await page.goto(url)
    assert.deepEqual([answer?.status(), await heading(page)], [status, says])
    assert.doesNotMatch(await page.content(), /bea@example/, 'whose it is is not told')
  }
  assert.equal(new Set(states.map(([, , says]) => says)).size, states.length - 1)
  await page.goto(pageOf(theirs, '?email=eve%40example.com'))
  await isFine(page, 'not for this address')
  await page.getByRole('link', { name: 'Continue with a different email' }).click()
  await typeNames(page, 'eve@example.com')
  await typeCard(page, '4111111111111111')
  await payButton(page).click()
  await page.getByText('This offer is for a different email address.').waitFor()
  await typeNames(page, 'bea@example.com')
  await typeCard(page, '4111111111111111')
  await payButton(page).click()
  await page.getByText('Thank you.').waitFor()
})

test('the page of a card link, with its problem, and when it is done; and Stripe’s fields', async t => {
  const { page } = await visitor(t, phone)
  await page.goto((await makeCardLink(demo, { email: 'cleo@example.com' })).url)
  await isFine(page, 'the page of a card')
  await typeCard(page, '4242424242424242')
  await page.getByRole('checkbox').check()
  await page.getByRole('button', { name: 'Save this card' }).click()
  await page.getByText('The sandbox knows only its test cards.').waitFor()
  await isFine(page, 'the page of a card that was refused')
  await typeCard(page, '4111111111111111')
  await page.getByRole('checkbox').check()
  await page.getByRole('button', { name: 'Save this card' }).click()
  await page.getByText('is saved').first().waitFor()
  await isFine(page, 'the page of a card that is stored')
  const merchant = await service.newMerchant()
  const stripe = await startStripe()
  t.after(stripe.close)
  await connectStripe(merchant, stripe)
  await page.goto(pageOf(await merchant.makeOffer()))
  await page.frameLocator('iframe').getByLabel('Card number').waitFor()
  await isFine(page, 'the form with Stripe’s fields')
})

test('all scripts of a page are small', async t => {
  const { page } = await visitor(t)
  const scripts: Promise<Buffer>[] = []
  page.on('response', response => {
    if (response.request().resourceType() === 'script') scripts.push(response.body())
  })
  await page.goto(pageOf(demo.offer), { waitUntil: 'load' })
  const bytes = (await Promise.all(scripts)).map(body => gzipSync(body).length)
  assert.ok(bytes.length > 0)
  assert.ok(bytes.reduce((sum, each) => sum + each) < 20_000, String(bytes))
})

/** A PNG of one pixel. */
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='

test('the merchant’s logo and colours arrive, and can be read however they clash', async t => {
  const { page } = await visitor(t)
  const merchant = await service.newMerchant()
  const offer = await merchant.makeOffer()
  const look = (json: object) => merchant.ask('payment_page', { method: 'PATCH', json })
  const lasting = { logo: pixel, support_email: 'help@shop.example', return_url: 'https://shop.example/thanks' }
  answered(await look(lasting), 200)
  for (const [button_color, background_color, ink] of [
    ['#ffff00', '#ff00ff', 'rgb(0, 0, 0)'],
    ['#7a7a7a', '#808000', 'rgb(0, 0, 0)'],
    ['#400000', '#000080', 'rgb(255, 255, 255)'],
  ] as const) {
    answered(await look({ button_color, background_color }), 200)
    await page.goto(pageOf(offer))
    const [body, button] = await page.evaluate<string[]>(`['body', '.entry button:last-of-type'].map(name =>
      getComputedStyle(document.querySelector(name)).backgroundColor)`)
    assert.deepEqual([body, button], [rgb(background_color), rgb(button_color)])
    const color = await page.evaluate("getComputedStyle(document.querySelector('.entry button:last-of-type')).color")
    assert.equal(color, button_color === '#7a7a7a' ? 'rgb(0, 0, 0)' : ink)
    await isFine(page, `in ${button_color} on ${background_color}`)
  }
  assert.equal(await page.evaluate("document.querySelector('header img').naturalWidth"), 1)
  assert.equal(await page.getByRole('link', { name: 'help@shop.example' }).count(), 1)
  await typeNames(page)
  await typeCard(page, '4111111111111111')
  await payButton(page).click()
  await page.getByText('Thank you.').waitFor()
  await isFine(page, 'paid, in ugly colours')
  const id = await page.locator('.receipt').innerText()
  const back = page.getByRole('link', { name: 'Back to Another' })
  assert.equal(await back.getAttribute('href'), `https://shop.example/thanks?transaction=${id}`)
})

function rgb(color: string): string {
  return `rgb(${[1, 3, 5].map(at => Number.parseInt(color.slice(at, at + 2), 16)).join(', ')})`
}

/** A merchant's site, which shows a page of ours in a frame. */
async function siteWithFrame(t: TestContext, url: string): Promise<string> {
  const site = createServer((_, response) => {
    response.setHeader('content-type', 'text/html')
    response.end(`<!doctype html><html lang="en"><link rel="icon" href="data:,"><iframe src="${url}"></iframe>`)
  })
  await new Promise<void>(resolve => site.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    site.close()
    site.closeAllConnections()
  })
  return `http://127.0.0.1:${(site.address() as AddressInfo).port}`
}

test('a site that the merchant names shows the page in a frame, and no other does', async t => {
  const { page, complaints } = await visitor(t)
  const merchant = await service.newMerchant()
  const url = pageOf(await merchant.makeOffer())
  const [named, other] = [await siteWithFrame(t, url), await siteWithFrame(t, url)]
  const json = { frame_ancestors: [named] }
  answered(await merchant.ask('payment_page', { method: 'PATCH', json }), 200)
  await page.goto(named)
  await page.frameLocator('iframe').getByRole('button', { name: 'Pay $100.00' }).waitFor()
  assert.deepEqual(complaints, [])
  await page.goto(other, { waitUntil: 'load' })
  await until('the browser refuses', async () => complaints.length > 0)
  assert.match(complaints.splice(0).join('\n'), /frame-ancestors/)
  assert.equal(await page.frameLocator('iframe').getByRole('button').count(), 0)
})
