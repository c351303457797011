// A merchant whose gateway is Stripe: every way that money moves there, what becomes of each failure on the way, and what
// the merchant is told. Each request that we make is one that Stripe documents.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { declineCodes, notSentCodes } from '../src/core/gateway.ts'
import { answered, answeredAbout, refused, writingNothing } from './support/answers.ts'
import { pressButton } from './support/press-button.ts'
import { declines } from './support/stripe/cards.ts'
import { busy, type Fault, suspended, unauthorized } from './support/stripe/faults.ts'
import { openStripeShop } from './support/stripe/shop.ts'

const { service, stripe, shop, connected, record } = await openStripeShop()

type Form = { readonly [name: string]: string }

async function charge(card: string, { amount = '100.00', form = {} }: { amount?: string; form?: Form } = {}) {
  return shop.charge(await shop.makeOffer({ amount }), card, { form })
}

async function sold(more: Form = {}): Promise<string> {
  return answeredAbout(await charge(await connected.card(), { form: more }), 200).json.transaction.id
}
const authorised = () => sold({ authorization_only: 'true' })

const ask = (path: string, form: Form = {}) => shop.ask(path, { method: 'POST', form })
const refund = (transaction: string, more: Form = {}) => ask('transactions/refunds', { transaction, ...more })

async function advance(seconds: number): Promise<void> {
  answered(await service.demo.ask('sandbox/clock', { form: { advance_s: seconds } }), 200)
}

/** What Stripe's own books say of a transaction. */
function booked(id: string) {
  const { held, taken, refunded, charges } = stripe.ledger().get(id) ?? { held: 0, taken: 0, refunded: 0, charges: 0 }
  return { held, taken, refunded, charges }
}

test('a charge takes the money once, under its own ids, and what Stripe keeps is taken off the net amount', async () => {
  const { transaction } = answeredAbout(await charge(await connected.card()), 200).json
  const { status, amount, net_amount, gateway, customer } = transaction
  assert.deepEqual([status, amount, net_amount, gateway], ['Successful', '100.00', '96.80', connected.gateway])
  assert.deepEqual([customer.card_mask, customer.card_type], ['4242', 'visa'])
  assert.deepEqual(booked(transaction.id), { held: 0, taken: 10_000, refunded: 0, charges: 1 })
  const { id } = connected.intentOf(transaction.id)
  const [operation] = await service.database
    .sql`select id, gateway_ref from operation where transaction_id = ${transaction.id}`
  assert.equal(operation?.gatewayRef, id)
  const sent = stripe.asked.find(({ key }) => key === operation?.id)
  assert.deepEqual([sent?.method, sent?.path], ['POST', '/v1/payment_intents'])
})

test('cards of each brand are shown as what they are, and no name that Stripe gave one leaves the service', async () => {
  for (const [name, mask, type] of [
    ['pm_card_mastercard', '4444', 'master'],
    ['pm_card_amex', '0005', 'american_express'],
    ['pm_card_discover', '1117', 'discover'],
    ['pm_card_jcb', '0505', 'other'],
  ] as const) {
    const shown = answered(await shop.ask(`credit_cards/${await connected.card(name)}`), 200)
    assert.deepEqual([shown.json.card.card_mask, shown.json.card.card_type], [mask, type])
    assert.equal(shown.json.card.expiration_date, '2040-12-01')
    assert.doesNotMatch(shown.text, /pm_|cus_|fp_/)
  }
})

test('a card that Stripe refuses is not stored, and one that was removed cannot be charged', async () => {
  const form = { email: 'ada@example.com', reference: 'pm_card_visa_chargeDeclinedLostCard' }
  const lost = answered(await writingNothing(service.database.sql, () => shop.ask('credit_cards', { form })), 422)
  assert.deepEqual(lost.json.errors, { reference: declineCodes.lost_card })
  const card = await connected.card()
  answered(await shop.ask(`credit_cards/${card}`, { method: 'DELETE' }), 200)
  assert.equal(stripe.state.all('payment_method')[0]?.customer, null)
  refused(await charge(card), 422, ['token'])
})

test('each decline has its stable code and sentence, and takes nothing', async () => {
  for (const [reason, code] of [
    ['generic_decline', 'card_declined'],
    ['insufficient_funds', 'insufficient_funds'],
    ['expired_card', 'expired_card'],
    ['incorrect_cvc', 'incorrect_cvc'],
    ['lost_card', 'lost_card'],
    ['stolen_card', 'stolen_card'],
    ['fraudulent', 'fraud_suspected'],
    ['card_velocity_exceeded', 'limit_exceeded'],
    ['processing_error', 'processing_error'],
  ] as const) {
    const { json } = answeredAbout(await charge(await connected.cardWith(declines(reason))), 402)
    assert.deepEqual([json.transaction.status, json.transaction.error_code], ['Failed', code])
    assert.deepEqual(json.errors, { general: declineCodes[code] })
    assert.equal(booked(json.transaction.id).charges, 0)
  }
})

test('an authorisation holds, is captured in whole or in part, or released', async () => {
  const whole = await authorised()
  assert.deepEqual(booked(whole), { held: 10_000, taken: 0, refunded: 0, charges: 1 })
  const all = answeredAbout(await ask(`transactions/${whole}/capture`), 200).json.transaction
  assert.deepEqual([all.status, all.net_amount], ['Successful', '96.80'])

  const part = await authorised()
  const less = answeredAbout(await ask(`transactions/${part}/capture`, { amount: '80.00' }), 200).json.transaction
  assert.deepEqual([less.status, less.net_amount], ['Successful', '77.38'])
  await stripe.webhooks.settled()
  const kept = await record(part)
  assert.deepEqual([kept.status, 'refunds' in kept], ['Successful', false])
  assert.equal(answeredAbout(await refund(part), 200).json.transaction.status, 'Refunded')
  assert.deepEqual(booked(part), { held: 0, taken: 8_000, refunded: 8_000, charges: 1 })

  const none = await authorised()
  assert.equal(answeredAbout(await ask(`transactions/${none}/void`), 200).json.transaction.status, 'Voided')
  await stripe.webhooks.settled()
  assert.equal((await record(none)).status, 'Voided')
  assert.deepEqual(booked(none), { held: 0, taken: 0, refunded: 0, charges: 1 })
})

test('refunds in part and of the rest add up here and there', async () => {
  const id = await sold()
  const first = answeredAbout(await refund(id, { amount: '30.00', notes: 'torn' }), 200).json.transaction
  assert.deepEqual([first.status, first.refund.refunded_amount], ['Partially Refunded', '30.00'])
  refused(await refund(id, { amount: '70.01' }), 422, ['amount'])
  assert.equal(answeredAbout(await refund(id), 200).json.transaction.status, 'Refunded')
  assert.deepEqual(booked(id), { held: 0, taken: 10_000, refunded: 10_000, charges: 1 })
})

test('keys that Stripe does not accept, or does not answer about, connect nothing', async () => {
  const merchant = await service.newMerchant()
  const connect = (credentials: object) => merchant.ask('gateways', { json: { type: 'stripe', credentials } })
  const wrong = { ...stripe.credentials, secret_key: 'sk_test_wrong' }
  const nobody = { ...stripe.credentials, api_base: 'http://127.0.0.1:1' }
  const { publishable_key: _, ...incomplete } = stripe.credentials
  for (const [credentials, status, field] of [
    [wrong, 422, 'credentials'],
    [incomplete, 422, 'credentials'],
    [{ ...stripe.credentials, secret_key: stripe.credentials.publishable_key }, 422, 'credentials'],
    [nobody, 502, 'general'],
  ] as const) {
    const answer = await writingNothing(service.database.sql, () => connect(credentials))
    refused(answer, status, [field])
    assert.doesNotMatch(answer.text, /[sp]k_test_\w{8}|whsec_\w{8}/)
  }
})

const isCharge = ({ method, path }: { method: string; path: string }) =>
  method === 'POST' && path === '/v1/payment_intents'

test('what Stripe certainly did not carry out is 502, named, in a sentence for the merchant', async () => {
  const card = await connected.card()
  for (const [fault, code] of [
    [unauthorized, 'gateway_credentials_refused'],
    [suspended(400), 'gateway_account_suspended'],
    [suspended(403), 'gateway_account_suspended'],
    [busy(3), 'gateway_busy'],
  ] as const) {
    stripe.faults.next(fault, isCharge)
    const { json } = answeredAbout(await charge(card), 502)
    assert.deepEqual([json.transaction.status, json.transaction.error_code], ['Failed', code])
    assert.equal(json.errors.general, `${notSentCodes[code]}; the card was not charged.`)
    assert.equal(booked(json.transaction.id).charges, 0)
  }
})

test('how long Stripe wants to be left alone is passed on, once', async () => {
  const [offer, card] = [await shop.makeOffer(), await connected.card()]
  const ask = () => shop.charge(offer, card, { key: 'while-busy' })
  stripe.faults.next(busy(3), isCharge)
  const first = answeredAbout(await ask(), 502)
  assert.equal(first.headers['retry-after'], '3')
  const again = answeredAbout(await ask(), 502)
  assert.deepEqual([again.text, again.headers['idempotent-replayed']], [first.text, 'true'])
  assert.equal(again.headers['retry-after'], undefined)
  stripe.faults.next(suspended(403), isCharge)
  assert.equal(answeredAbout(await charge(card), 502).headers['retry-after'], undefined)
})

test('a refund that Stripe has no time for is 502, and its money is free again', async () => {
  const id = await sold()
  stripe.faults.next(busy(3), ({ method, path }) => method === 'POST' && path === '/v1/refunds')
  const { json, headers } = answeredAbout(await refund(id), 502)
  assert.equal(headers['retry-after'], '3')
  assert.equal(json.errors.general, `${notSentCodes.gateway_busy}; the refund was not carried out.`)
  assert.equal(answeredAbout(await refund(id), 200).json.transaction.status, 'Refunded')
})

test('an answer that is lost or makes no sense is doubt, and ends in the one charge that was made', async () => {
  const card = await connected.card()
  const faults: readonly Fault[] = [
    { kind: 'page', status: 200, at: 'after' },
    { kind: 'page', status: 502, at: 'after' },
    { kind: 'error_inside', at: 'after' },
    { kind: 'truncate' },
    { kind: 'cut' },
    { kind: 'reset', at: 'after' },
    { kind: 'breakdown', at: 'after' },
  ]
  const doubtful: string[] = []
  stripe.webhooks.moments = () => []
  for (const fault of faults) {
    stripe.faults.next(fault, isCharge)
    const { json } = answeredAbout(await charge(card), 202)
    assert.deepEqual([json.transaction.status, json.errors], ['Processing', null], fault.kind)
    doubtful.push(json.transaction.id)
  }
  await advance(7 * 60)
  for (const id of doubtful) {
    assert.equal((await record(id)).status, 'Successful')
    assert.deepEqual(booked(id), { held: 0, taken: 10_000, refunded: 0, charges: 1 })
  }
  stripe.webhooks.moments = () => ['after']
})

test('a charge that Stripe began and never made ends as one that was not made, once its key is forgotten', async () => {
  stripe.faults.next({ kind: 'breakdown', at: 'during' }, isCharge)
  const { id } = answeredAbout(await charge(await connected.card()), 202).json.transaction
  await advance(3 * 3_600)
  assert.equal((await record(id)).status, 'Processing', 'a failure that is kept proves nothing')
  stripe.forgetKeys()
  await advance(2 * 3_600)
  const { status, error_code } = await record(id)
  assert.deepEqual([status, error_code], ['Failed', 'gateway_no_answer'])
  assert.equal(booked(id).charges, 0)
})

test('the same request again after a lost answer is the same charge', async () => {
  stripe.webhooks.moments = () => []
  const offer = await shop.makeOffer()
  const card = await connected.card()
  stripe.faults.next({ kind: 'reset', at: 'after' }, isCharge)
  const first = answeredAbout(await shop.charge(offer, card, { key: 'once' }), 202)
  await advance(10)
  stripe.webhooks.moments = () => ['after']
  const again = answeredAbout(await shop.charge(offer, card, { key: 'once' }), 200)
  assert.equal(again.json.transaction.id, first.json.transaction.id)
  assert.equal(booked(first.json.transaction.id).charges, 1)
})

for (const [what, change] of [
  ['amount', (body: Record<string, unknown>) => Object.assign(body, { amount_received: 9_999 })],
  ['currency', (body: Record<string, unknown>) => Object.assign(body, { currency: 'eur' })],
] as const) {
  test(`another ${what} than was asked is never a failure: a person settles it`, async () => {
    stripe.webhooks.moments = () => []
    const alter: Fault = { kind: 'alter', change: body => void (body.object === 'payment_intent' && change(body)) }
    stripe.faults.always(alter)
    const { id } = answeredAbout(await charge(await connected.card()), 202).json.transaction
    const [operation] = await service.database
      .sql`select outcome, for_person from operation where transaction_id = ${id}`
    assert.equal(operation?.outcome, 'unknown')
    assert.match(String(operation?.forPerson), /^The gateway reports .+ where \$100\.00 was asked\.$/)
    await advance(600)
    assert.equal((await record(id)).status, 'Processing')
    stripe.webhooks.moments = () => ['after']
  })
}

test('3-D Secure: further action is required, and the customer finishes it at the page of the bank', async () => {
  for (const [answer, end] of [
    ['pass', 'Successful'],
    ['fail', 'Failed'],
  ] as const) {
    const asked = await charge(await connected.card('pm_card_authenticationRequired'))
    const { transaction } = answeredAbout(asked, 202).json
    assert.equal(transaction.status, 'Further Action Required')
    assert.equal(booked(transaction.id).charges, 0)
    const bank = await pressButton(transaction.further_action.signup_url)
    const back = await fetch(bank, {
      method: 'POST',
      body: new URLSearchParams({ result: answer }),
      redirect: 'manual',
    })
    const page = await fetch(back.headers.get('location') ?? '')
    assert.equal(page.status, 200)
    await stripe.webhooks.settled()
    const settled = await record(transaction.id)
    assert.equal(settled.status, end)
    assert.equal(settled.error_code, answer === 'pass' ? undefined : 'authentication_failed')
    assert.equal(booked(transaction.id).taken, answer === 'pass' ? 10_000 : 0)
  }
})

test('an answer about Stripe never says a key, a customer or a card of it', async () => {
  for (const path of ['gateways', 'transactions', 'credit_cards']) {
    assert.doesNotMatch((await shop.ask(path)).text, /sk_test|pk_test|whsec_|cus_|pm_|fp_/)
  }
  const { secret_key, webhook_secret } = stripe.credentials
  for (const secret of [secret_key, webhook_secret]) assert.ok(!service.logged().includes(secret))
})
