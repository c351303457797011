// 3-D Secure as a customer goes through it, in a real browser and without JavaScript: the link, the bank, and back.

import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { testCardThat } from '../src/gateways/sandbox/test-cards.ts'
import { answered } from './support/answers.ts'
import type { Client } from './support/client.ts'
import { connectFarGateway } from './support/far-gateway.ts'
import { connectStripe } from './support/stripe/connected.ts'
import { startStripe } from './support/stripe/server.ts'
import { until } from './support/until.ts'
import { heading, isWiderThanTheScreen, withBrowser } from './support/visitor.ts'

const { service, test, visitor } = await withBrowser()

interface Waiting {
  readonly id: string
  readonly link: string
  status(): Promise<string>
  /** The hooks that it owed, in order. */
  told(): Promise<string[]>
}

async function waitingPayment(client: Client = service.demo, more: { [name: string]: string } = {}): Promise<Waiting> {
  const offer = await client.makeOffer({ title: 'Brass bell', amount: '100.00', ...more })
  const card = await client.storeCard(testCardThat('three_d_secure').number, {
    first_name: 'Ada',
    last_name: 'Lovelace',
  })
  const { id, status, further_action } = answered(await client.charge(offer, card), 202).json.transaction
  assert.equal(status, 'Further Action Required')
  return {
    id,
    link: further_action.signup_url,
    status: async () => answered(await client.ask(`transactions/${id}`), 200).json.transaction.status,
    async told() {
      const rows = await service.database.sql<
        { kind: string }[]
      >`select kind from event where transaction_id = ${id} order by id`
      return rows.map(({ kind }) => kind)
    },
  }
}

/** Without JavaScript, unless asked for. */
async function pageOf(t: TestContext, options: BrowserContextOptions = {}): Promise<Page> {
  return (await visitor(t, { javaScriptEnabled: false, ...options })).page
}

const toTheBank = (page: Page) => page.getByRole('button', { name: 'Continue to your bank' })

async function confirm(page: Page): Promise<void> {
  await toTheBank(page).click()
  assert.equal(await heading(page), 'Is this your payment?')
  await page.getByRole('button', { name: 'Yes, confirm' }).click()
}

test('who confirms at the bank has paid, is given a receipt, and the merchant is told', async t => {
  const page = await pageOf(t)
  const payment = await waitingPayment()
  await page.goto(payment.link)
  assert.equal(await heading(page), 'Confirm your payment')
  const text = await page.locator('body').innerText()
  for (const shown of ['Demo', 'Brass bell', '$100.00', 'ending in 6006', 'Your bank asks you to confirm'])
    assert.ok(text.includes(shown), `${shown} in ${text}`)
  assert.doesNotMatch(await page.content(), /Ada|Lovelace|ada@example|4000001000016006/)
  assert.equal(await payment.status(), 'Further Action Required', 'looking changes nothing')
  await confirm(page)
  assert.equal(await heading(page), 'Payment complete')
  assert.match(
    await page.locator('body').innerText(),
    /Demo has received your payment\.[\s\S]*This is a sandbox: no money moves\./,
  )
  assert.ok((await page.locator('.receipt').innerText()).includes(payment.id))
  assert.equal(new URL(page.url()).searchParams.get('returned'), '1')
  assert.deepEqual([await payment.status(), await payment.told()], ['Successful', ['far', 'transaction']])
  await until('the hook has arrived', async () => {
    const [row] = await service.database
      .sql`select from inbox_hook where details like ${`%${payment.id}%`} and path = 'endpoint'
      and details like '%"type":"success"%'`
    return row !== undefined
  })
  await page.reload()
  assert.equal(await heading(page), 'Payment complete')
  assert.deepEqual(await payment.told(), ['far', 'transaction'], 'a reload tells nothing twice')
})

test('who refuses at the bank has not paid', async t => {
  const page = await pageOf(t)
  const payment = await waitingPayment()
  await page.goto(payment.link)
  await toTheBank(page).click()
  await page.getByRole('button', { name: 'No, refuse' }).click()
  assert.equal(await heading(page), 'Payment not confirmed')
  assert.match(await page.locator('main').innerText(), /Your card was not charged\./)
  assert.equal(await toTheBank(page).count(), 0)
  assert.deepEqual([await payment.status(), await payment.told()], ['Failed', ['far', 'error']])
})

test('an authorisation is confirmed as one', async t => {
  const page = await pageOf(t)
  const payment = await waitingPayment(service.demo, { authorization_only: 'true' })
  await page.goto(payment.link)
  await confirm(page)
  assert.equal(await heading(page), 'Payment confirmed')
  assert.equal(await payment.status(), 'Authorized')
})

test('what was charged is shown, not what was reserved, and what was given back', async t => {
  const page = await pageOf(t)
  const { demo } = service
  const payment = await waitingPayment(demo, { authorization_only: 'true', amount: '1234.50' })
  await page.goto(payment.link)
  await confirm(page)
  const facts = async () => {
    await page.goto(payment.link)
    return (await page.locator('dl').innerText()).replaceAll(/\s*\n\s*/g, ' ')
  }
  assert.match(await facts(), /^For Brass bell Amount \$1,234\.50 Card /)
  answered(await demo.ask(`transactions/${payment.id}/capture`, { form: { amount: '1000.00' } }), 200)
  assert.match(await facts(), /^For Brass bell Reserved \$1,234\.50 Charged \$1,000\.00 Card /)
  answered(await demo.ask('transactions/refunds', { form: { transaction: payment.id, amount: '30.00' } }), 200)
  assert.match(await facts(), /Charged \$1,000\.00 Refunded \$30\.00 Card /)
})

test('two tabs, the back button and coming back too early end in one payment', async t => {
  const [first, second] = [await pageOf(t, { javaScriptEnabled: true }), await pageOf(t)]
  const payment = await waitingPayment()
  await Promise.all([first.goto(payment.link), second.goto(payment.link)])
  await Promise.all([toTheBank(first).click(), toTheBank(second).click()])
  await first.goBack()
  assert.equal(await heading(first), 'Confirm your payment')
  await first.goto(`${payment.link}&returned=1`)
  assert.equal(await heading(first), 'Not finished yet')
  await first.getByRole('button', { name: 'Check again' }).click()
  assert.equal(await heading(first), 'Not finished yet')
  await second.getByRole('button', { name: 'Yes, confirm' }).click()
  assert.equal(await heading(second), 'Payment complete')
  await toTheBank(first).click()
  assert.equal(await heading(first), 'Payment complete', 'the other tab learns of it')
  await second.goBack()
  await second.getByRole('button', { name: 'No, refuse' }).click()
  assert.equal(await heading(second), 'Payment complete', 'what is paid is not refused any more')
  assert.deepEqual([await payment.status(), await payment.told()], ['Successful', ['far', 'transaction']])
})

test('a gateway that is really elsewhere leads to the same bank; while it is silent nothing is decided', async t => {
  const page = await pageOf(t)
  const merchant = await service.newMerchant()
  const far = await connectFarGateway(merchant)
  const [payment, other] = [await waitingPayment(merchant), await waitingPayment(merchant)]
  await page.goto(payment.link)
  await confirm(page)
  assert.equal(await heading(page), 'Payment complete')
  await page.goto(other.link)
  await far.goAway()
  await page.goto(`${other.link}&returned=1`)
  assert.equal(await heading(page), 'Not finished yet')
  assert.equal(await other.status(), 'Further Action Required')
})

test('Stripe leads to the page of the card’s own bank, and its word is what counts', async t => {
  const page = await pageOf(t)
  const merchant = await service.newMerchant()
  const stripe = await startStripe()
  t.after(stripe.close)
  const connected = await connectStripe(merchant, stripe)
  const offer = await merchant.makeOffer()
  const record = async (id: string) => answered(await merchant.ask(`transactions/${id}`), 200).json.transaction
  for (const [answer, says, status] of [
    ['Yes', 'Payment complete', 'Successful'],
    ['No', 'Payment not confirmed', 'Failed'],
  ] as const) {
    const card = await connected.card('pm_card_authenticationRequired')
    const { id, further_action } = answered(await merchant.charge(offer, card), 202).json.transaction
    await page.goto(further_action.signup_url)
    await toTheBank(page).click()
    assert.equal(await heading(page), 'Is it you?')
    assert.ok(page.url().startsWith(stripe.url))
    await page.getByRole('button', { name: answer }).click()
    assert.equal(await heading(page), says)
    assert.equal((await record(id)).status, status)
    await page.goto(further_action.signup_url)
    assert.equal(await heading(page), says)
  }
  assert.deepEqual(stripe.complaints, [])
})

test('on a phone nothing is wider than the screen, whatever the merchant calls it', async t => {
  const page = await pageOf(t, { javaScriptEnabled: true, viewport: { width: 360, height: 640 } })
  const { link } = await waitingPayment(service.demo, { title: `<b>${'Bell'.repeat(40)}</b>` })
  await page.goto(link)
  assert.equal(await isWiderThanTheScreen(page), false)
  assert.ok((await page.locator('dd').first().innerText()).startsWith('<b>BellBell'))
  assert.notEqual(
    await page.evaluate("getComputedStyle(document.querySelector('button')).width"),
    'auto',
    'it has its style',
  )
  await toTheBank(page).click()
  assert.equal(await isWiderThanTheScreen(page), false)
  await page.getByRole('button', { name: 'Yes, confirm' }).click()
  assert.equal(await isWiderThanTheScreen(page), false)
})

// Last: the clock goes on for everybody.
test('when the time is over, the page says so, and the stale tab does too', async t => {
  const [fresh, stale] = [await pageOf(t), await pageOf(t)]
  const payment = await waitingPayment()
  await stale.goto(payment.link)
  answered(await service.demo.ask('sandbox/clock', { form: { advance_s: 1_801 } }), 200)
  for (const go of [() => fresh.goto(payment.link), () => toTheBank(stale).click()]) await go()
  for (const page of [fresh, stale]) {
    assert.equal(await heading(page), 'Time is up')
    assert.match(await page.locator('main').innerText(), /Your card was not charged\./)
  }
  assert.deepEqual([await payment.status(), await payment.told()], ['Failed', ['far', 'error']])
})
