// The rows of the table of answers to "create a Transaction" that have a record: charged, authorised, waiting for the
// customer, in doubt, declined, not reached. Over real HTTP, with every member of the record.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { declineCodes } from '../src/core/gateway.ts'
import { behaviours, testCards, testCardThat } from '../src/gateways/sandbox/test-cards.ts'
import { answeredAbout, booked } from './support/answers.ts'
import { connectFarGateway } from './support/far-gateway.ts'
import { startTestService, type TestService } from './support/service.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.stop())

const uuid7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/

test('curl -d and curl -X GET -d both charge', async () => {
  const { demo, baseUrl } = service
  const url = `${baseUrl}/api/v5/rest/transactions`
  for (const method of [[], ['-X', 'GET']]) {
    const args = [
      '-s',
      '-H',
      `Authorization: ${demo.authorization}`,
      ...method,
      '-d',
      `service_offer=${demo.offer}`,
      '-d',
      `token=${demo.card}`,
      url,
    ]
    const { stdout } = await promisify(execFile)('curl', args)
    assert.match(stdout, /"status": "Successful"/)
  }
})

test('a sale answers 200 with every member of the record', async () => {
  const { demo, demoSheet, baseUrl } = service
  const offer = await demo.makeOffer({
    amount: '12.5',
    title: 'Tea & "cake"',
    details: 'For two.',
    ref_id: 'r-1',
    campaign: 'spring',
    tag: 't',
    form: 'f',
    'custom_data[colour]': 'blå',
    address: 'shipping',
  })
  const card = await demo.storeCard('5555555555554444', {
    email: 'Grace@Example.com',
    first_name: 'Grace',
    last_name: 'Hopper',
    expiry_month: 3,
    expiry_year: 2039,
  })
  const home = { street: '1 High St', street2: 'Flat 2', city: 'Ely', state: 'CB', zip: 'CB7', phone: '+44 1' }
  await service.database.sql`update customer set billing = ${service.database.sql.json(home)}, sms_number = '+44 2'
    where email = 'grace@example.com'`
  const { json } = answeredAbout(await demo.charge(offer, card), 200)
  assert.equal(json.errors, null)
  const { id, created_at, ...record } = json.transaction
  assert.match(id, uuid7)
  assert.match(created_at, time)
  assert.ok(Math.abs(Date.parse(created_at) - Date.now()) < 60_000)
  assert.deepEqual(record, {
    status: 'Successful',
    amount: '12.50',
    net_amount: '11.84',
    merchant: demoSheet.merchant,
    gateway: demoSheet.gateway,
    source: 'Web Transaction',
    offer: {
      id: offer,
      ref_id: 'r-1',
      details: 'For two.',
      item_name: 'Tea & "cake"',
      signup_url: `${baseUrl}/offers/${offer}`,
      campaign: 'spring',
      tag: 't',
      form: 'f',
    },
    customer: {
      first_name: 'Grace',
      last_name: 'Hopper',
      email: 'grace@example.com',
      sms_number: '+44 2',
      billing_address: '1 High St, Ely CB, CB7',
      card_mask: '4444',
      card_type: 'master',
      expiration_date: '2039-03-01',
      service_token: card,
    },
    user_data: {
      billing: home,
      shipping: { state: '', city: '', street: '', street2: '', zip: '', phone: '' },
      custom_data: { colour: 'blå' },
      amount: '12.5',
      demo: '1',
      offer_confined_gateway: demoSheet.gateway,
    },
  })
})

test('what is not known of offer and customer is null or empty text, as the interface says', async () => {
  const { demo } = service
  const card = await demo.storeCard('378282246310005', { email: 'nobody@example.com' })
  const { json } = answeredAbout(await demo.charge(await demo.makeOffer(), card), 200)
  const { offer, customer, user_data } = json.transaction
  const { id: _, signup_url: __, ...asked } = offer
  assert.deepEqual(asked, {
    ref_id: null,
    details: null,
    item_name: 'Payment of $100.00.',
    campaign: null,
    tag: null,
    form: null,
  })
  const { first_name, last_name, sms_number, billing_address, card_type } = customer
  assert.deepEqual([first_name, last_name, sms_number, billing_address], ['', '', null, ''])
  assert.equal(card_type, 'american_express')
  assert.deepEqual(Object.values(user_data.billing), ['', '', '', '', '', ''])
  assert.equal(user_data.shipping, null)
  assert.deepEqual(user_data.custom_data, {})
})

test('a JSON body charges as a form does, and the id of the offer is accepted in any case', async () => {
  const { demo } = service
  const json = { service_offer: demo.offer.toUpperCase(), token: demo.card, quantity: 3 }
  const answer = answeredAbout(await demo.ask('transactions', { json }), 200)
  const { id, amount, offer } = answer.json.transaction
  assert.deepEqual([amount, offer.id], ['300.00', demo.offer])
  assert.deepEqual(await booked(service.database.sql, 'charge', [id]), { count: 1, sumMinor: 30_000n })
})

test('authorised only, by the offer or by the request, is 200 and Authorized with nothing taken', async () => {
  const { demo } = service
  const holding = await demo.makeOffer({ authorization_only: 'true' })
  const answers = [
    await demo.charge(holding, demo.card),
    await demo.charge(demo.offer, demo.card, { form: { authorization_only: 'true' } }),
  ]
  for (const { json } of answers.map(answer => answeredAbout(answer, 200))) {
    assert.deepEqual([json.transaction.status, json.transaction.net_amount, json.errors], ['Authorized', null, null])
  }
  const taken = await demo.charge(holding, demo.card, { form: { authorization_only: 'false' } })
  assert.equal(answeredAbout(taken, 200).json.transaction.status, 'Successful')
})

test('a 3-D Secure card or amount is 202 with what the customer must do', async () => {
  const { demo, baseUrl } = service
  const byCard = { offer: demo.offer, card: await demo.storeCard(testCardThat('three_d_secure').number), amount: 100 }
  const byAmount = { offer: await demo.makeOffer({ amount: '4300.01' }), card: demo.card, amount: 4300.01 }
  for (const { offer, card, amount } of [byCard, byAmount]) {
    const { json } = answeredAbout(await demo.charge(offer, card), 202)
    const { id, status, further_action } = json.transaction
    assert.equal(status, 'Further Action Required')
    assert.deepEqual(Object.keys(json.errors), ['general'])
    const signup_url = `${baseUrl}/offers/${offer}?transaction=${id}`
    assert.deepEqual(further_action, { amount, email: 'ada@example.com', signup_url, mail_to: null })
    assert.equal((await booked(service.database.sql, 'charge', [id])).count, 0)
  }
})

test('an outcome in doubt is 202 and Processing, and is settled by proof later', async () => {
  const { demo, database } = service
  const offer = await demo.makeOffer({ amount: '4200.03', stock: 1 })
  const { json } = answeredAbout(await demo.charge(offer, demo.card), 202)
  const { id, status } = json.transaction
  assert.deepEqual([status, json.errors], ['Processing', null])
  assert.ok(!('error_code' in json.transaction))
  const events = () => database.sql`select kind, type from event where transaction_id = ${id}`
  assert.equal((await events()).length, 0)
  await demo.ask('sandbox/clock', { form: { advance_s: 60 } })
  const settled = await demo.ask(`transactions/${id}`)
  assert.equal(settled.json.transaction.status, 'Successful')
  assert.deepEqual([...(await events())], [{ kind: 'transaction', type: 'success' }])
  assert.deepEqual(await booked(database.sql, 'charge', [id]), { count: 1, sumMinor: 420_003n })
})

const declining = testCards.filter(({ behaviour }) => behaviours[behaviour].behaviour.kind === 'decline')

for (const { number, type, behaviour } of declining) {
  test(`the ${type} card that ends in ${number.slice(-4)} is declined with 402 ${behaviour}`, async () => {
    const { demo, database } = service
    const card = await demo.storeCard(number)
    const { json } = answeredAbout(await demo.charge(demo.offer, card), 402)
    const { id, status, error, error_code, customer, net_amount } = json.transaction
    assert.deepEqual([status, error_code, net_amount], ['Failed', behaviour, null])
    assert.equal(error, json.errors.general)
    const shown = (await demo.ask(`transactions/${id}`)).json.transaction
    assert.deepEqual([shown.error, shown.error_code], [error, behaviour])
    assert.equal(customer.card_type, type)
    assert.deepEqual(json.errors, { general: declineCodes[behaviour as keyof typeof declineCodes] })
    assert.equal((await booked(database.sql, 'charge', [id])).count, 0)
    const [event] = await database.sql`select kind, type from event where transaction_id = ${id}`
    assert.deepEqual(event, { kind: 'error', type: 'error' })
  })
}

test('a gateway that cannot be reached is 502, nothing was sent, and the units come back', async () => {
  const merchant = await service.newMerchant()
  const gateway = await connectFarGateway(merchant)
  const card = await merchant.storeCard()
  const offer = await merchant.makeOffer({ stock: 2 })
  const reached = answeredAbout(await merchant.charge(offer, card), 200)
  assert.equal(reached.json.transaction.gateway, gateway.id)
  await gateway.goAway()
  const { json } = answeredAbout(await merchant.charge(offer, card), 502)
  const { id, status, error_code } = json.transaction
  assert.deepEqual([status, error_code], ['Failed', 'gateway_not_reached'])
  assert.deepEqual(Object.keys(json.errors), ['general'])
  const shown = await merchant.ask(`offers/${offer}`)
  assert.equal(shown.json.offer.stock, 1)
  const [operation] = await service.database.sql`select outcome, sendings from operation where transaction_id = ${id}`
  assert.deepEqual(operation, { outcome: 'not_sent', sendings: 1 })
})
