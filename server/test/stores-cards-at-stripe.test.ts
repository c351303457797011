// A card at Stripe is stored once, however often it is asked for and whichever answer is lost, and nothing is said of the
// card that is not the card's fault.

import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { declineCodes } from '../src/core/gateway.ts'
import { answered, refused, writingNothing } from './support/answers.ts'
import type { Client } from './support/client.ts'
import { startTestService, type TestService } from './support/service.ts'
import { methodNamed } from './support/stripe/cards.ts'
import { connectStripe } from './support/stripe/connected.ts'
import { busy, type Fault, suspended, unauthorized } from './support/stripe/faults.ts'
import { type StripeServer, startStripe } from './support/stripe/server.ts'

let service: TestService
let stripe: StripeServer
let shop: Client
before(async () => {
  service = await startTestService()
  stripe = await startStripe()
  shop = await service.newMerchant()
  await connectStripe(shop, stripe)
})
after(async () => {
  await service.stop()
  await stripe.close()
})
afterEach(() => assert.deepEqual(stripe.complaints, []))

const email = 'ada@example.com'
const store = (reference: string, more: { readonly [name: string]: string } = {}) =>
  shop.ask('credit_cards', { form: { email, reference, ...more } })
const isAttach = ({ path }: { path: string }) => path.endsWith('/attach')
const isRetrieve = ({ path }: { path: string }) => /^\/v1\/payment_methods\/\w+$/.test(path)

/** The name that Stripe's own fields give a card. */
const newName = () => methodNamed(stripe.state, 'pm_card_visa')?.id ?? assert.fail()
const perhaps = 'The payment gateway did not say whether it stored the card. Try again.'

test('the same name again is the same card, and another customer’s it is not', async () => {
  const name = newName()
  const first = answered(await store(name), 200)
  assert.equal(answered(await store(name), 200).text, first.text)
  const both = await Promise.all([store(name), store(name)])
  assert.deepEqual(
    both.map(({ text }) => text),
    [first.text, first.text],
  )
  refused(await store(name, { email: 'eve@example.com' }), 422, ['reference'])
  answered(await shop.charge(await shop.makeOffer(), first.json.card.service_token), 200)
})

test('a name that is stored twice at once is one card', async () => {
  const name = newName()
  const [one, other] = await Promise.all([store(name), store(name)])
  assert.equal(answered(one, 200).text, answered(other, 200).text)
})

test('a card that was attached unseen is stored by trying again, and can be charged', async () => {
  const name = newName()
  stripe.faults.next({ kind: 'reset', at: 'after' }, isAttach)
  stripe.faults.next({ kind: 'breakdown', at: 'before' }, isRetrieve)
  const lost = await writingNothing(service.database.sql, () => store(name))
  refused(lost, 502, ['general'])
  assert.equal(lost.json.errors.general, perhaps)
  const { card } = answered(await store(name), 200).json
  answered(await shop.charge(await shop.makeOffer(), card.service_token), 200)
})

test('what is not the card’s fault is 502 and told apart, with the time that Stripe wants to be left alone', async () => {
  const cases: readonly [Fault, string, string | undefined][] = [
    [unauthorized, "The payment gateway refused the merchant's credentials; the card was not stored.", undefined],
    [suspended(400), "The payment gateway has suspended the merchant's account; the card was not stored.", undefined],
    [busy(7), 'The payment gateway takes no more requests at the moment; the card was not stored.', '7'],
    [{ kind: 'page', status: 502, at: 'before' }, perhaps, undefined],
  ]
  for (const [fault, sentence, retryAfter] of cases) {
    stripe.faults.next(fault, ({ path }) => path === '/v1/customers')
    const answer = await writingNothing(service.database.sql, () => store('pm_card_visa'))
    refused(answer, 502, ['general'])
    assert.deepEqual([answer.json.errors.general, answer.headers['retry-after']], [sentence, retryAfter])
  }
})

test('what Stripe says of the card is 422', async () => {
  for (const [reference, sentence] of [
    ['pm_nowhere', 'Stripe does not know the card.'],
    ['pm_card_visa_chargeDeclinedStolenCard', declineCodes.stolen_card],
  ] as const) {
    const { json } = answered(await writingNothing(service.database.sql, () => store(reference)), 422)
    assert.deepEqual(json.errors, { reference: sentence })
  }
})
