// The rows of the table of answers to "create a Transaction" that have no record: what is refused before one exists
// leaves nothing behind.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { answered, answeredAbout, refused, rowCounts, writingNothing } from './support/answers.ts'
import { type Answer, Client, send } from './support/client.ts'
import { startTestService, type TestService } from './support/service.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.stop())

/** Refused with these sentences, as an answer about a transaction, and nothing written. */
async function refusedToCharge(
  ask: () => Promise<Answer>,
  status: number,
  errors: { readonly [field: string]: string },
): Promise<void> {
  const answer = await writingNothing(service.database.sql, ask)
  answeredAbout(answer, status)
  refused(answer, status, Object.keys(errors))
  assert.deepEqual(answer.json, { transaction: null, errors })
}

const unknownOffer = '01890000-0000-7000-8000-000000000000'
const unknownCard = 'AAAAAAAAAAAAAAAAAAAAAAAA'

test('what is missing is 422 with one entry per field', async () => {
  const { demo } = service
  const both = { service_offer: 'service_offer is required.', token: 'token is required.' }
  await refusedToCharge(() => demo.ask('transactions', { form: {}, method: 'POST' }), 422, both)
  await refusedToCharge(() => demo.ask('transactions', { method: 'POST' }), 422, both)
  const { token, service_offer } = both
  await refusedToCharge(() => demo.ask('transactions', { form: { service_offer: demo.offer } }), 422, { token })
  await refusedToCharge(() => demo.ask('transactions', { json: { token: demo.card } }), 422, { service_offer })
})

test('an unknown offer or card is 404, and another merchant’s reads just the same', async () => {
  const { demo } = service
  const other = await service.newMerchant()
  const theirs = { offer: await other.makeOffer(), card: await other.storeCard() }
  const offer = { service_offer: 'service_offer is not known.' }
  const card = { token: 'token is not known.' }
  for (const wrong of [unknownOffer, 'no-uuid', theirs.offer]) {
    await refusedToCharge(() => demo.charge(wrong, demo.card), 404, offer)
  }
  for (const wrong of [unknownCard, 'x', theirs.card]) {
    await refusedToCharge(() => demo.charge(demo.offer, wrong), 404, card)
  }
  await refusedToCharge(() => demo.charge(theirs.offer, theirs.card), 404, { ...offer, ...card })
  answeredAbout(await other.charge(theirs.offer, theirs.card), 200)
})

test('an offer that has expired, is used up, inactive or for somebody else is 422', async () => {
  const { demo } = service
  const says = (rest: string) => ({ service_offer: `service_offer ${rest}` })
  const expired = await demo.makeOffer({ expires_at: '2020-01-01T00:00:00Z' })
  await refusedToCharge(() => demo.charge(expired, demo.card), 422, says('has expired.'))
  const empty = await demo.makeOffer({ stock: 0 })
  const scarce = await demo.makeOffer({ stock: 2 })
  const usedUp = says('is used up: not enough units are left.')
  await refusedToCharge(() => demo.charge(empty, demo.card), 422, usedUp)
  await refusedToCharge(() => demo.charge(scarce, demo.card, { quantity: 3 }), 422, usedUp)
  const inactive = await demo.makeOffer()
  answered(await demo.ask(`offers/${inactive}`, { method: 'DELETE' }), 200)
  await refusedToCharge(() => demo.charge(inactive, demo.card), 422, says('is not active any more.'))
  const personal = await demo.makeOffer({ email: 'Bob@Example.com' })
  await refusedToCharge(() => demo.charge(personal, demo.card), 422, says('is for another customer.'))
  const bobs = await demo.storeCard('4111111111111111', { email: 'bob@example.com' })
  answeredAbout(await demo.charge(personal, bobs), 200)
})

test('a total of more than twelve digits is 422', async () => {
  const { demo } = service
  const dear = await demo.makeOffer({ amount: '9999999999.99' })
  const errors = { quantity: 'quantity makes the total too large.' }
  await refusedToCharge(() => demo.charge(dear, demo.card, { quantity: 2 }), 422, errors)
})

test('a card that was removed is 422, also for an offer that could not be sold either', async () => {
  const { demo } = service
  const card = await demo.storeCard()
  answered(await demo.ask(`credit_cards/${card}`, { method: 'DELETE' }), 200)
  const token = 'token names a card that was removed.'
  await refusedToCharge(() => demo.charge(demo.offer, card), 422, { token })
  const expired = await demo.makeOffer({ expires_at: '2020-01-01T00:00:00Z' })
  const errors = { service_offer: 'service_offer has expired.', token }
  await refusedToCharge(() => demo.charge(expired, card), 422, errors)
})

test('a card in another gateway than the offer’s is 422, and an offer without one goes where the card is', async () => {
  const { demo, demoSheet } = service
  const { json } = await demo.ask('gateways', { json: { type: 'test' } })
  const confined = await demo.makeOffer({ gateway: json.gateway.id })
  const errors = { token: "token names a card that is not stored at the offer's gateway." }
  await refusedToCharge(() => demo.charge(confined, demo.card), 422, errors)
  const free = answeredAbout(await demo.charge(demo.offer, demo.card), 200)
  assert.equal(free.json.transaction.gateway, demoSheet.gateway)
})

test('a deactivated gateway charges nothing until it is active again', async () => {
  const merchant = await service.newMerchant()
  const [offer, card] = [await merchant.makeOffer(), await merchant.storeCard()]
  const { json } = await merchant.ask('gateways')
  const turn = (status: string) => merchant.ask(`gateways/${json[0].id}`, { method: 'PATCH', form: { status } })
  answered(await turn('inactive'), 200)
  const confined = await merchant.makeOffer({ gateway: json[0].id })
  const errors = { token: 'token names a card whose gateway is not active.' }
  await refusedToCharge(() => merchant.charge(offer, card), 422, errors)
  const named = { service_offer: "service_offer's gateway is not active." }
  await refusedToCharge(() => merchant.charge(confined, card), 422, named)
  answered(await turn('active'), 200)
  answeredAbout(await merchant.charge(offer, card), 200)
})

test('no credentials or wrong ones are 401 and say which kind is wanted', async () => {
  const { demo, baseUrl, demoSheet } = service
  const { api_key, api_secret } = demoSheet
  const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`
  const wrong = [
    null,
    'Basic',
    'Basic ???',
    `Bearer ${api_secret}`,
    basic('nonsense'),
    basic(`${api_key}:`),
    basic(`${api_key}:sk_wrong`),
    basic(`${api_key}:${api_secret} `),
    basic(`pk_nobody:${api_secret}`),
    basic(`${api_secret}:${api_key}`),
  ]
  const body = `service_offer=${demo.offer}&token=${demo.card}`
  for (const authorization of wrong) {
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      ...(authorization !== null && { authorization }),
    }
    const ask = () => send(`${baseUrl}/api/v5/rest/transactions`, { method: 'POST', headers, body })
    const answer = await writingNothing(service.database.sql, ask)
    answeredAbout(answer, 401)
    refused(answer, 401, ['general'])
    assert.match(String(answer.headers['www-authenticate']), /^Basic /)
  }
  answeredAbout(await new Client(baseUrl, String(api_key), String(api_secret)).charge(demo.offer, demo.card), 200)
})

test('a body of 64 KiB is read, and one of a byte more is 413', async () => {
  const { demo, database } = service
  const form = { service_offer: demo.offer, token: demo.card, notes: '' }
  const room = 65_536 - new URLSearchParams(form).toString().length
  const before = await rowCounts(database.sql)
  const over = await demo.ask('transactions', { form: { ...form, notes: 'x'.repeat(room + 1) } })
  refused(answeredAbout(over, 413), 413, ['general'])
  assert.deepEqual(await rowCounts(database.sql), before)
  const whole = await demo.ask('transactions', { form: { ...form, notes: 'x'.repeat(room) } })
  refused(answeredAbout(whole, 422), 422, ['notes'])
})

test('a card is good to the end of its month and expired after it', async () => {
  const { demo } = service
  const now = new Date()
  const card = await demo.storeCard('4111111111111111', {
    expiry_month: now.getUTCMonth() + 1,
    expiry_year: now.getUTCFullYear(),
  })
  answeredAbout(await demo.charge(demo.offer, card), 200)
  answered(await demo.ask('sandbox/clock', { form: { advance_s: 33 * 86_400 } }), 200)
  const errors = { token: 'token names a card that has expired.' }
  await refusedToCharge(() => demo.charge(demo.offer, card), 422, errors)
  answeredAbout(await demo.charge(demo.offer, demo.card), 200)
})
