// A page passes on only a card that its visitor has just entered: the name of an object that already exists at Stripe is
// refused there, whoever's it is. Only the merchant names those, and only what this service attached is detached unasked.

import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { answered, writingNothing } from './support/answers.ts'
import { makeCardLink, masksOf } from './support/card-links.ts'
import type { Client } from './support/client.ts'
import { type Form, hiddenIn } from './support/plain-forms.ts'
import { startTestService, type TestService } from './support/service.ts'
import { methodNamed } from './support/stripe/cards.ts'
import { connectStripe } from './support/stripe/connected.ts'
import type { PaymentMethod } from './support/stripe/objects.ts'
import { type StripeServer, startStripe } from './support/stripe/server.ts'

let service: TestService
let stripe: StripeServer
let shop: Client
let offer: string
// Without a worker: cards that are due are removed when the clock is moved, and at no other moment.
before(async () => {
  service = await startTestService({ TILLBELL_ROLES: 'api,pages' })
  stripe = await startStripe()
  shop = await service.newMerchant()
  await connectStripe(shop, stripe)
  offer = await shop.makeOffer({ amount: '80.00' })
})
after(async () => {
  await service.stop()
  await stripe.close()
})
afterEach(() => assert.deepEqual(stripe.complaints, []))

const stranger = { email: 'eve@example.com', first_name: 'Eve' }
const isAttach = ({ path }: { path: string }) => path.endsWith('/attach')
const isRetrieve = ({ path }: { path: string }) => /^\/v1\/payment_methods\/\w+$/.test(path)

/** What Stripe's own card fields make of a card that is typed into them. */
const enteredMethod = (name = 'pm_card_visa'): PaymentMethod => methodNamed(stripe.state, name) ?? assert.fail()

/** Through the merchant's older integration, of which this service knows nothing. */
async function askStripe(path: string, form: Form = {}): Promise<{ readonly id: string }> {
  const headers = { authorization: `Bearer ${stripe.credentials.secret_key}` }
  const body = new URLSearchParams(form)
  const answer = await fetch(`${stripe.url}/v1/${path}`, { method: 'POST', headers, body })
  assert.equal(answer.status, 200)
  return (await answer.json()) as { readonly id: string }
}

async function cardOfAnotherCustomer() {
  const customer = await askStripe('customers')
  const method = enteredMethod()
  await askStripe(`payment_methods/${method.id}/attach`, { customer: customer.id })
  return { customer: customer.id, method, reference: `${customer.id}/${method.id}` }
}

interface Shown {
  readonly status: number
  readonly text: string
}

async function post(url: string, typed: Form): Promise<Shown> {
  const shown = { text: await (await fetch(url)).text() }
  const body = new URLSearchParams({ ...hiddenIn(shown), ...typed })
  const answer = await fetch(url, { method: 'POST', redirect: 'manual', body })
  return { status: answer.status, text: await answer.text() }
}

const payWith = (reference: string) => post(`${service.baseUrl}/offers/${offer}`, { ...stranger, reference })

async function saveOnLink(reference: string): Promise<Shown> {
  const { url } = await makeCardLink(shop, { email: stranger.email })
  return post(url, { reference, consent: 'yes' })
}

const pages = { 'an offer': payWith, 'a card link': saveOnLink }

/** Does the work; the requests that it made Stripe get. */
async function asking(work: () => Promise<unknown>): Promise<string[]> {
  const before = stripe.asked.length
  await work()
  return stripe.asked.slice(before).map(({ method, path }) => `${method} ${path}`)
}

async function storedRows(): Promise<unknown> {
  const { sql } = service.database
  const [counts] = await sql`select (select count(*) from card) as cards, (select count(*) from customer) as customers,
    (select count(*) from transaction) as transactions`
  return counts
}

/** Refused, after Stripe was asked what it is and nothing else; nothing is stored. */
async function isRefused(post: (reference: string) => Promise<Shown>, reference: string): Promise<void> {
  const before = await storedRows()
  let shown: Shown | null = null
  const asked = await asking(async () => {
    shown = await post(reference)
  })
  assert.deepEqual(asked, [`GET /v1/payment_methods/${reference}`])
  assert.deepEqual(await storedRows(), before)
  asksForTheCardAgain(shown ?? assert.fail())
}

function asksForTheCardAgain({ status, text }: Shown): void {
  assert.equal(status, 422)
  assert.ok(text.includes('Please enter your card again.'), /role="alert"[^>]*>[^<]*/.exec(text)?.[0])
}

for (const [page, post] of Object.entries(pages)) {
  test(`the page of ${page} refuses the name of a stored card, and asks Stripe nothing`, async () => {
    const { customer, method, reference } = await cardOfAnotherCustomer()
    for (const given of [
      reference,
      customer,
      `${method.id}/x`,
      'tok_visa',
      'pi_1',
      'seti_1',
      `pm_${'x'.repeat(101)}`,
    ]) {
      const asked = await asking(async () => {
        const before = await storedRows()
        const { status, text } = await post(given)
        assert.equal(status, 422, given)
        assert.ok(text.includes('Your card could not be read. Please enter it again.'), given)
        assert.deepEqual(await storedRows(), before)
      })
      assert.deepEqual(asked, [], given)
    }
    assert.equal(method.customer, customer)
    const payments = stripe.state.all('payment_intent').filter(intent => intent.customer === customer)
    assert.deepEqual(payments, [])
    assert.deepEqual(await masksOf(shop, stranger.email), [])
  })

  test(`the page of ${page} refuses a payment method that is attached to a customer of the merchant’s`, async () => {
    const { customer, method } = await cardOfAnotherCustomer()
    await isRefused(post, method.id)
    assert.equal(method.customer, customer)
  })

  test(`the page of ${page} refuses a payment method that this service attached, with and without a row`, async () => {
    const [known, unseen] = [enteredMethod(), enteredMethod()]
    const store = (method: PaymentMethod) =>
      shop.ask('credit_cards', { form: { email: stranger.email, reference: method.id } })
    const { card } = answered(await store(known), 200).json
    stripe.faults.next({ kind: 'reset', at: 'after' }, isAttach)
    stripe.faults.next({ kind: 'breakdown', at: 'before' }, isRetrieve)
    answered(await store(unseen), 502)
    for (const method of [known, unseen]) {
      const { customer } = method
      assert.notEqual(customer, null)
      await isRefused(post, method.id)
      assert.equal(method.customer, customer)
    }
    answered(await shop.ask(`credit_cards/${card.service_token}`, { method: 'DELETE' }), 200)
  })

  test(`the page of ${page} refuses what is no card, and a name that Stripe does not know`, async () => {
    const debit = enteredMethod()
    Object.assign(debit, { type: 'sepa_debit' })
    await isRefused(post, debit.id)
    assert.equal(debit.customer, null)
    await isRefused(post, 'pm_nowhere')
  })

  test(`the page of ${page} refuses a payment method that was detached before`, async () => {
    const { method } = await cardOfAnotherCustomer()
    await askStripe(`payment_methods/${method.id}/detach`)
    asksForTheCardAgain(await post(method.id))
    assert.equal(method.customer, null)
  })

  test(`the page of ${page} takes a card that was just entered`, async () => {
    assert.equal((await post(enteredMethod('pm_card_mastercard').id)).status, 303)
  })
}

test('nothing is written where the name of a stored card is posted to a page', async () => {
  const { reference } = await cardOfAnotherCustomer()
  await writingNothing(service.database.sql, () => payWith(reference))
  const { url } = await makeCardLink(shop, { email: stranger.email })
  await writingNothing(service.database.sql, () => post(url, { reference, consent: 'yes' }))
})

/** As the page does with a card that is not to be kept. */
async function letGo(token: string): Promise<void> {
  await service.database.sql`update card set remove_at = created_at where token = ${token}`
  answered(await service.demo.ask('sandbox/clock', { form: { advance_s: 60 } }), 200)
  const [row] = await service.database.sql<{ removedAt: Date | null }[]>`
    select removed_at from card where token = ${token}`
  assert.notEqual(row?.removedAt, null)
}

async function storeByMerchant(reference: string, email = 'ada@example.com'): Promise<string> {
  return answered(await shop.ask('credit_cards', { form: { email, reference } }), 200).json.card.service_token
}

test('a card that is let go is detached only if this service attached it', async () => {
  const theirs = await cardOfAnotherCustomer()
  await letGo(await storeByMerchant(theirs.reference))
  assert.equal(theirs.method.customer, theirs.customer)
  const ours = enteredMethod()
  const token = await storeByMerchant(ours.id)
  assert.notEqual(ours.customer, null)
  await letGo(token)
  assert.equal(ours.customer, null)
})

test('a card that the merchant removes, or whose customer is erased, is detached whoever attached it', async () => {
  const removed = await cardOfAnotherCustomer()
  const token = await storeByMerchant(removed.reference)
  answered(await shop.ask(`credit_cards/${token}`, { method: 'DELETE' }), 200)
  assert.equal(removed.method.customer, null)
  const erased = await cardOfAnotherCustomer()
  await storeByMerchant(erased.reference, 'bea@example.com')
  answered(await shop.ask('customers/erasures', { form: { email: 'bea@example.com' } }), 200)
  assert.equal(erased.method.customer, null)
})

test('a card of a customer who was erased meanwhile is detached when it is let go, whoever attached it', async () => {
  const { method, reference } = await cardOfAnotherCustomer()
  const token = await storeByMerchant(reference, 'cleo@example.com')
  await service.database.sql`update customer set email = null, erased_at = now() where email = 'cleo@example.com'`
  await letGo(token)
  assert.equal(method.customer, null)
})
