// A card comes in by the name that its gateway gave it: no number passes through us. The same card may be in the vaults of
// several gateways, and is removed from all of them.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { answered, refused, writingNothing } from './support/answers.ts'
import type { Client } from './support/client.ts'
import { connectFarGateway } from './support/far-gateway.ts'
import { startTestService, type TestService } from './support/service.ts'
import { connectTest } from './support/two-gateways.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.stop())

type Form = { readonly [name: string]: string }
const email = 'ada@example.com'
const reference = 'test:success:1881:03-2031'

const store = (client: Client, form: Form, key?: string) =>
  client.ask('credit_cards', { form, ...(key !== undefined && { headers: { 'idempotency-key': key } }) })
const stored = async (client: Client, form: Form = {}) =>
  answered(await store(client, { email, reference, ...form }), 200).json.card
const shown = async (client: Client, token: string) =>
  answered(await client.ask(`credit_cards/${token}`), 200).json.card

async function shopOfTwo() {
  const shop = await service.newMerchant()
  const [{ id: first }] = (await shop.ask('gateways')).json
  return { shop, first, second: await connectTest(shop) }
}

async function vaults(): Promise<string[]> {
  const rows = await service.database.sql<{ account: string }[]>`select account from sandbox_card order by account`
  return rows.map(({ account }) => account)
}

test('a reference becomes a card that can be charged, once for each key', async () => {
  const { shop, first } = await shopOfTwo()
  const form = { email: 'Ada@Example.com', reference, first_name: 'Ada', last_name: '4111 1111 1111 1111' }
  const made = answered(await store(shop, form, 'a-key'), 200)
  const { service_token: token, created_at: _, ...card } = made.json.card
  assert.deepEqual(card, {
    card_mask: '1881',
    card_type: 'visa',
    expiration_date: '2031-03-01',
    gateway: first,
    gateways: [first],
    first_name: 'Ada',
    last_name: '**** **** **** 1111',
    email,
    billing_address: '',
    confirmed: true,
  })
  const again = answered(await store(shop, form, 'a-key'), 200)
  assert.deepEqual([again.text, again.headers['idempotent-replayed']], [made.text, 'true'])
  refused(await store(shop, { ...form, reference: 'test:success' }, 'a-key'), 422, ['general'])
  assert.equal((await shop.ask('credit_cards')).json.length, 1)
  answered(await shop.charge(await shop.makeOffer(), token), 200)
})

test('a card goes where it is told to, by reference as by number', async () => {
  const { shop, first, second } = await shopOfTwo()
  assert.equal((await stored(shop, { gateway: second })).gateway, second)
  assert.equal((await shown(shop, await shop.storeCard('4111111111111111', { gateway: second }))).gateway, second)
  assert.equal((await shown(shop, await shop.storeCard())).gateway, first)
  const other = await service.newMerchant()
  const card = { number: '4111111111111111', expiry_month: 12, expiry_year: 2040, email }
  for (const gateway of [second, 'gw_none', '']) {
    refused(await store(other, { email, reference, gateway }), 404, ['gateway'])
    refused(await other.ask('sandbox/cards', { form: { ...card, gateway } }), 404, ['gateway'])
  }
})

test('what is missing or means nothing is refused, and nothing is written', async () => {
  const { shop } = await shopOfTwo()
  await writingNothing(service.database.sql, async () => {
    refused(await store(shop, { email }), 422, ['reference'])
    refused(await store(shop, { reference }), 422, ['email'])
    refused(await store(shop, { email, reference: '' }), 422, ['reference'])
    refused(await store(shop, { email, reference: 'x'.repeat(256) }), 422, ['reference'])
    refused(await store(shop, { email, reference: 'pm_of_somebody_else' }, 'kept-for-later'), 422, ['reference'])
  })
})

test('a card number is no reference: it is refused before it goes anywhere', async () => {
  const { shop } = await shopOfTwo()
  // The last but one is of no brand that we know, and could be a card's all the same.
  const numbers = [
    '4242424242424242',
    '4242 4242 4242 4242',
    '4242-4242-4242-4242',
    '9999999999999995',
    '4222222222222',
    'token:4242424242424242',
    'token:4242-4242-4242-4242',
    'pm_4242424242424242',
    'cus_1/pm_4242424242424242',
  ]
  await writingNothing(service.database.sql, async () => {
    for (const number of numbers) {
      const answer = await store(shop, { email, reference: number }, 'with-a-number')
      refused(answer, 422, ['reference'])
      assert.equal(answer.json.errors.reference, 'reference must not be a card number.')
    }
  })
  for (const number of numbers) assert.ok(!service.logged().includes(number))
})

test('the same card at another gateway is one card with two vaults', async () => {
  const { shop, first, second } = await shopOfTwo()
  const { service_token: card } = await stored(shop)
  const copied = await stored(shop, { card, gateway: second, reference: 'test:card_declined:1881:03-2031' })
  assert.deepEqual([copied.service_token, copied.gateway, copied.gateways], [card, first, [first, second]])
  assert.deepEqual(await shown(shop, card), copied)
  assert.deepEqual(answered(await shop.ask('credit_cards'), 200).json, [copied])
  refused(await store(shop, { email, reference, card, gateway: second }), 422, ['gateway'])
  refused(await store(shop, { email, reference, card, gateway: first }), 422, ['gateway'])
  refused(await store(shop, { email, reference, card }), 422, ['gateway'])
})

test('what is not the same card, or not the same customer’s, is no copy', async () => {
  const { shop, second } = await shopOfTwo()
  const { service_token: card } = await stored(shop)
  const copy = { email, reference, card, gateway: second }
  for (const another of ['test:success:1882:03-2031', 'test:success:1881:04-2031', 'test:success:1881:03-2032']) {
    refused(await store(shop, { ...copy, reference: another }), 422, ['reference'])
  }
  refused(await store(shop, { ...copy, email: 'eve@example.com' }), 422, ['email'])
  refused(await store(shop, { ...copy, card: 'none' }), 404, ['card'])
  const other = await service.newMerchant()
  refused(await store(other, { email, reference, card }), 404, ['card'])
  assert.equal((await shown(shop, card)).gateways.length, 1)
  answered(await shop.ask(`credit_cards/${card}`, { method: 'DELETE' }), 200)
  refused(await store(shop, copy), 404, ['card'])
})

test('a removed card is out of every vault, and so are those of an erased customer', async () => {
  const before = await vaults()
  const { shop, second } = await shopOfTwo()
  for (const remove of [
    (card: string) => shop.ask(`credit_cards/${card}`, { method: 'DELETE' }),
    () => shop.ask('customers/erasures', { form: { email } }),
  ]) {
    const { service_token: card } = await stored(shop)
    await stored(shop, { card, gateway: second })
    assert.equal((await vaults()).length, before.length + 2)
    answered(await remove(card), 200)
    assert.deepEqual(await vaults(), before)
    refused(await shop.ask(`credit_cards/${card}`), 404, ['service_token'])
  }
  const copies = await service.database.sql`select from card_copy where merchant_id = ${shop.merchant}`
  assert.equal(copies.length, 0)
})

test('what keeps a gateway from storing a card is not said of the card, and nothing is written', async () => {
  const { shop, second } = await shopOfTwo()
  const far = await connectFarGateway(shop)
  const { service_token: card } = await stored(shop, { gateway: second })
  await far.goAway()
  const number = { number: '4111111111111111', expiry_month: '12', expiry_year: '2040', email }
  await writingNothing(service.database.sql, async () => {
    for (const answer of [
      await store(shop, { email, reference }, 'not-used-up'),
      await store(shop, { email, reference, card, gateway: far.id }),
      await shop.ask('sandbox/cards', { form: number }),
    ]) {
      refused(answer, 502, ['general'])
      assert.equal(answer.json.errors.general, 'The payment gateway could not be reached; the card was not stored.')
    }
  })
})

test('an inactive gateway takes no cards, whether it is named or the default one', async () => {
  const { shop, first, second } = await shopOfTwo()
  const { service_token: card } = await stored(shop)
  const turn = async (gateway: string, status: string) =>
    answered(await shop.ask(`gateways/${gateway}`, { method: 'PATCH', form: { status } }), 200)
  const number = { number: '4111111111111111', expiry_month: '12', expiry_year: '2040', email }
  await turn(first, 'inactive')
  await turn(second, 'inactive')
  await writingNothing(service.database.sql, async () => {
    for (const answer of [
      await store(shop, { email, reference }),
      await store(shop, { email, reference, gateway: second }),
      await store(shop, { email, reference, gateway: second, card }),
      await shop.ask('sandbox/cards', { form: number }),
    ]) {
      refused(answer, 422, ['gateway'])
      assert.match(answer.json.errors.gateway, /is inactive/)
    }
  })
  await turn(first, 'active')
  await stored(shop)
})

test('a vault that does not answer keeps the card here, and it can be removed again', async () => {
  const { shop } = await shopOfTwo()
  const { service_token: card } = await stored(shop)
  const far = await connectFarGateway(shop)
  await stored(shop, { card, gateway: far.id })
  await far.goAway()
  refused(await shop.ask(`credit_cards/${card}`, { method: 'DELETE' }), 502, ['general'])
  refused(await shop.ask('customers/erasures', { form: { email } }), 502, ['general'])
  assert.deepEqual((await shown(shop, card)).gateways.length, 2)
})
