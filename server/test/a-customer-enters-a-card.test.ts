// The page of a card link as a customer goes through it, in a real browser: by number in the sandbox, without JavaScript;
// and in Stripe's own fields.

import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { testCardThat } from '../src/gateways/sandbox/test-cards.ts'
import { en } from '../src/pages/words/en.ts'
import { answered } from './support/answers.ts'
import { makeCardLink, masksOf } from './support/card-links.ts'
import { connectStripe } from './support/stripe/connected.ts'
import { startStripe } from './support/stripe/server.ts'
import { heading, isWiderThanTheScreen, withBrowser } from './support/visitor.ts'

const { service, test, visitor } = await withBrowser()

const problem = (page: Page) => page.getByRole('alert').innerText()
const storeIt = (page: Page) => page.getByRole('button', { name: 'Save this card' })

async function typeCard(page: Page, number: string): Promise<void> {
  await page.getByLabel('Card number').fill(number)
  await page.getByLabel('Expiry').fill('12/40')
  await page.getByLabel('Security code').fill('123')
  await page.getByRole('checkbox').check()
}

test('in the sandbox a card is entered by its number, without JavaScript, once', async t => {
  const { page } = await visitor(t, { javaScriptEnabled: false })
  const other = await visitor(t, { javaScriptEnabled: false })
  const client = await service.newMerchant()
  const { url } = await makeCardLink(client, { return_url: 'https://shop.example/account' })
  await page.goto(url)
  await other.page.goto(url)
  assert.equal(await heading(page), 'Add your card')
  assert.match(
    await page.locator('main').innerText(),
    /Another would like to save a card for payments of a…@example\.com\. Nothing is charged now\./,
  )
  assert.doesNotMatch(await page.content(), /Ada|Lovelace|ada@example/)
  await typeCard(page, '4242 4242 4242 4242')
  await storeIt(page).click()
  assert.equal(await problem(page), 'The sandbox knows only its test cards.')
  assert.equal(await page.getByRole('checkbox').isChecked(), true, 'who has agreed is not asked again')
  assert.doesNotMatch(await page.content(), /4242/)
  assert.deepEqual(await masksOf(client), [])
  await typeCard(page, '4111 1111 1111 1111')
  await storeIt(page).click()
  assert.equal(await heading(page), 'Your card is saved')
  assert.match(await page.locator('main').innerText(), /Your card ending in 1111 is saved for Another\./)
  assert.equal(await page.getByRole('link').getAttribute('href'), 'https://shop.example/account')
  await typeCard(other.page, '5555555555554444')
  await storeIt(other.page).click()
  assert.match(await other.page.locator('main').innerText(), /ending in 1111 is saved/, 'the other tab learns of it')
  await page.reload()
  assert.equal(await heading(page), 'Your card is saved')
  assert.deepEqual(await masksOf(client), ['1111'])
  const [card] = answered(await client.ask('credit_cards'), 200).json
  assert.deepEqual([card.first_name, card.email], ['Ada', 'ada@example.com'])
  answered(await client.charge(await client.makeOffer(), card.service_token), 200)
})

test('a card is grouped, named and checked while it is typed, and nothing is sent without consent', async t => {
  const { page, sent } = await visitor(t)
  const client = await service.newMerchant()
  const { url } = await makeCardLink(client)
  await page.goto(url)
  await page.getByLabel('Card number').pressSequentially('378282246310005')
  assert.equal(await page.getByLabel('Card number').inputValue(), '3782 822463 10005')
  assert.equal(await page.getByRole('status').innerText(), 'American Express')
  await page.getByLabel('Expiry').pressSequentially('1240')
  assert.equal(await page.getByLabel('Expiry').inputValue(), '12/40')
  await page.getByLabel('Security code').fill('12')
  await storeIt(page).click()
  assert.match(await page.locator('#cvc-problem').innerText(), /security code/)
  assert.equal(await page.locator('#consent-problem').innerText(), en.card.wrong.consent)
  assert.equal(await problem(page), en.card.toCorrect(2))
  assert.equal(sent.filter(each => each.startsWith('POST')).length, 0)
  await page.getByLabel('Security code').fill('1234')
  await page.getByRole('checkbox').check()
  assert.equal(await page.locator('#consent-problem').innerText(), '')
  await storeIt(page).click()
  await page.getByText('Your card ending in 0005 is saved').waitFor()
})

test('at Stripe a card is entered in its own fields, and no number ever comes to us', async t => {
  const { page, sent } = await visitor(t)
  const client = await service.newMerchant()
  const stripe = await startStripe()
  t.after(stripe.close)
  await connectStripe(client, stripe)
  const { url } = await makeCardLink(client)
  await page.goto(url)
  const fields = page.frameLocator('iframe')
  const enter = async (number: string) => {
    await fields.getByLabel('Card number').fill(number)
    await fields.getByLabel('Expiration date').fill('12/40')
    await fields.getByLabel('Security code').fill('987')
    await page.getByRole('checkbox').check()
    await storeIt(page).click()
  }
  await enter('4242')
  await page.getByText('Your card number is incomplete.').waitFor()
  assert.equal(sent.filter(each => each.startsWith('POST')).length, 0, 'what Stripe refuses is not sent on')
  await enter('4000000000000002')
  await page.getByText('The card was declined.').waitFor()
  assert.deepEqual(await masksOf(client), [])
  await enter('4242424242424242')
  await page.getByText('Your card ending in 4242 is saved').waitFor()
  assert.deepEqual(stripe.typed, ['4000000000000002', '4242424242424242'])
  const posts = sent.filter(each => each.startsWith('POST'))
  assert.equal(posts.length, 2)
  for (const post of posts) assert.match(post, /reference=pm_\w+/)
  for (const each of sent) assert.doesNotMatch(each, /4242424242424242|4000000000000002|987(?!\w)/)
  assert.doesNotMatch(service.logged(), /4242424242424242|4000000000000002/)
  const [card] = answered(await client.ask('credit_cards'), 200).json
  answered(await client.charge(await client.makeOffer(), card.service_token), 200)
  assert.deepEqual(stripe.complaints, [])
})

test('where Stripe’s fields do not load, the page says so, with JavaScript and without', async t => {
  const [visit, plain] = [await visitor(t), await visitor(t, { javaScriptEnabled: false })]
  const client = await service.newMerchant()
  const stripe = await startStripe()
  t.after(stripe.close)
  await connectStripe(client, stripe)
  const { url } = await makeCardLink(client)
  await visit.page.route(`${stripe.url}/stripe.js`, route =>
    route.fulfill({ contentType: 'text/javascript', body: '' }),
  )
  await visit.page.goto(url)
  await visit.page.getByText('could not be loaded').waitFor()
  await plain.page.goto(url)
  assert.match(await plain.page.locator('main').innerText(), /come from Stripe and need JavaScript/)
})

test('on a phone nothing is wider than the screen, whatever the merchant is called', async t => {
  const { page } = await visitor(t, { viewport: { width: 360, height: 640 } })
  const client = await service.newMerchant()
  const stripe = await startStripe()
  t.after(stripe.close)
  await connectStripe(client, stripe)
  const { gateway } = answered(await client.ask('gateways', { json: { type: 'test' } }), 200).json
  await service.database
    .sql`update merchant set name = ${`<b>${'Bell'.repeat(40)}</b>`} where merchant_id = ${client.merchant}`
  await page.goto((await makeCardLink(client)).url)
  await page.frameLocator('iframe').getByLabel('Card number').waitFor()
  assert.equal(await isWiderThanTheScreen(page), false)
  await page.goto((await makeCardLink(client, { gateway: gateway.id })).url)
  assert.equal(await isWiderThanTheScreen(page), false)
  await typeCard(page, testCardThat('success').number)
  await storeIt(page).dblclick()
  await page.getByText('Your card ending in').waitFor()
  assert.equal(await isWiderThanTheScreen(page), false)
  await page.goBack()
  assert.equal(await heading(page), 'Your card is saved', 'the way back leads to no form')
  assert.equal((await masksOf(client)).length, 1, 'a double click stores one card')
})

// Last: the clock goes on for everybody.
test('after a day the link is over, also for who has its page open', async t => {
  const [fresh, stale] = [await visitor(t), await visitor(t)]
  const { url } = await makeCardLink(service.demo, { email: 'late@example.com' })
  await stale.page.goto(url)
  answered(await service.demo.ask('sandbox/clock', { form: { advance_s: 86_400 } }), 200)
  await fresh.page.goto(url)
  await typeCard(stale.page, '4111111111111111')
  await storeIt(stale.page).click()
  for (const { page } of [fresh, stale]) {
    assert.equal(await heading(page), 'This link has expired')
    assert.match(await page.locator('main').innerText(), /No card was saved\. Please ask Demo/)
  }
  assert.deepEqual(await masksOf(service.demo, 'late@example.com'), [])
})
