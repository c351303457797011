// Where the merchant turns it on and the card is stored at both, the next gateway is tried after a decline or a charge that
// was not sent, in the same request. Never after silence: the first one may have the money.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { MerchantId } from '../src/core/ids.ts'
import { answered, answeredAbout, refused } from './support/answers.ts'
import { audited } from './support/audited.ts'
import type { Client } from './support/client.ts'
import { connectFarGateway } from './support/far-gateway.ts'
import { addEndpoint, startEndpoint } from './support/merchant-endpoint.ts'
import { startTestService, type TestService } from './support/service.ts'
import { cardAtBoth, connectTest, copyCard, copyThat } from './support/two-gateways.ts'
import { until } from './support/until.ts'

let service: TestService
let seller: Client & { readonly merchant: string }
let first: string
let second: string
before(async () => {
  service = await startTestService()
  seller = await service.newMerchant()
  first = (await seller.ask('gateways')).json[0].id
  second = await connectTest(seller, { fallback: 10 })
})
after(() => service.stop())

type Does = Parameters<typeof cardAtBoth>[2]
const atBoth = (own: Does['own'], other: Does['other']) => cardAtBoth(seller, { other: second }, { own, other })
const audit = (client: { readonly merchant: string }) => audited(service.database.sql, client.merchant as MerchantId)
const change = async (id: string, form: { [name: string]: string | number }) =>
  answered(await seller.ask(`gateways/${id}`, { method: 'PATCH', form }), 200).json.gateway

/** What was asked of which gateway for the transaction, in order. */
async function asked(id: string): Promise<[string, string][]> {
  const rows = await service.database.sql<{ gatewayId: string; outcome: string }[]>`
    select gateway_id, outcome from operation where transaction_id = ${id} order by id`
  return rows.map(({ gatewayId, outcome }) => [gatewayId, outcome])
}

/** What the sandbox itself booked as taken, by gateway. */
async function taken(id: string): Promise<string[]> {
  const rows = await service.database.sql<{ account: string }[]>`
    select account from sandbox_entry where transaction_id = ${id} and kind = 'charge' and step = 'succeeded'`
  return rows.map(({ account }) => account)
}

test('a card that the first gateway declines is charged at the second, and a refund goes where the money is', async () => {
  const card = await atBoth('card_declined', 'success')
  const offer = await seller.makeOffer({ stock: 1 })
  const sold = answeredAbout(await seller.charge(offer, card, { key: 'in-turn' }), 200)
  const { id, gateway, user_data } = sold.json.transaction
  assert.deepEqual([gateway, user_data.offer_confined_gateway], [second, second])
  assert.deepEqual(await asked(id), [
    [first, 'declined'],
    [second, 'succeeded'],
  ])
  assert.deepEqual(await taken(id), [second])
  const again = await seller.charge(offer, card, { key: 'in-turn' })
  assert.deepEqual([again.status, again.text, again.headers['idempotent-replayed']], [200, sold.text, 'true'])
  const refunded = await seller.ask('transactions/refunds', { form: { transaction: id } })
  assert.equal(answeredAbout(refunded, 200).json.transaction.status, 'Refunded')
  assert.deepEqual((await asked(id)).at(-1), [second, 'succeeded'])
})

test('a gateway that cannot be reached is passed over, and each later one is tried in its turn', async () => {
  const shop = await service.newMerchant()
  const far = await connectFarGateway(shop)
  const [near] = (await shop.ask('gateways')).json.filter(({ id }: { id: string }) => id !== far.id)
  const third = await connectTest(shop, { fallback: 2 })
  answered(await shop.ask(`gateways/${near.id}`, { method: 'PATCH', form: { fallback: 100 } }), 200)
  const number = '4111111111111111'
  const card = await shop.storeCard(number)
  await copyCard(shop, card, near.id, copyThat('success', number))
  await copyCard(shop, card, third, copyThat('insufficient_funds', number))
  await far.goAway()
  const { id, gateway } = answeredAbout(await shop.charge(await shop.makeOffer(), card), 200).json.transaction
  assert.equal(gateway, near.id)
  assert.deepEqual(await asked(id), [
    [far.id, 'not_sent'],
    [third, 'declined'],
    [near.id, 'succeeded'],
  ])
  await audit(shop)
})

test('after silence nobody else is asked, and it is settled where it was sent', async () => {
  const card = await atBoth('reset_after', 'success')
  const { id } = answeredAbout(await seller.charge(await seller.makeOffer(), card), 202).json.transaction
  assert.deepEqual(await asked(id), [[first, 'unknown']])
  answered(await service.demo.ask('sandbox/clock', { form: { advance_s: 10 } }), 200)
  assert.deepEqual(await asked(id), [[first, 'succeeded']])
  assert.deepEqual(await taken(id), [first])
})

test('a customer who must act is not sent elsewhere', async () => {
  const card = await atBoth('three_d_secure', 'success')
  const { id, status } = answeredAbout(await seller.charge(await seller.makeOffer(), card), 202).json.transaction
  assert.deepEqual([status, await asked(id)], ['Further Action Required', [[first, 'pending']]])
})

test('silence of the second leaves the sale in doubt there', async () => {
  const card = await atBoth('card_declined', 'reset_after')
  const { id, gateway } = answeredAbout(await seller.charge(await seller.makeOffer(), card), 202).json.transaction
  assert.equal(gateway, second)
  answered(await service.demo.ask('sandbox/clock', { form: { advance_s: 10 } }), 200)
  assert.deepEqual(await asked(id), [
    [first, 'declined'],
    [second, 'succeeded'],
  ])
})

test('a card that is reported lost or stolen, or suspected, is not taken elsewhere', async () => {
  for (const code of ['lost_card', 'stolen_card', 'fraud_suspected'] as const) {
    const card = await atBoth(code, 'success')
    const declined = answeredAbout(await seller.charge(await seller.makeOffer(), card), 402).json.transaction
    assert.deepEqual([declined.error_code, await asked(declined.id)], [code, [[first, 'declined']]])
  }
})

test('where both decline there is one Error, with the last code, and the unit is there again', async t => {
  const endpoint = await startEndpoint(response => void response.writeHead(200).end())
  t.after(() => endpoint.close())
  const shop = await service.newMerchant()
  await addEndpoint(service.database.sql, shop.merchant, { kind: 'generic', url: endpoint.url })
  const other = await connectTest(shop, { fallback: 1 })
  const card = await cardAtBoth(shop, { other }, { own: 'card_declined', other: 'insufficient_funds' })
  const offer = await shop.makeOffer({ stock: 1 })
  const failed = answeredAbout(await shop.charge(offer, card), 402).json.transaction
  assert.deepEqual([failed.error_code, failed.gateway], ['insufficient_funds', other])
  assert.equal(answered(await shop.ask(`offers/${offer}`), 200).json.offer.stock, 1)
  await until('a hook has come', async () => endpoint.received.length > 0)
  const events = await service.database.sql<{ kind: string }[]>`
    select kind from event where merchant_id = ${shop.merchant} and transaction_id = ${failed.id}`
  assert.deepEqual(
    events.map(({ kind }) => kind),
    ['error'],
  )
  const { error, type } = JSON.parse(new URLSearchParams(endpoint.received[0]?.body).get('details') ?? '')
  assert.deepEqual([type, error], ['error', 'The card was declined: insufficient funds.'])
  await audit(shop)
})

test('an offer that names its gateway is charged there alone, at a copy as at the card’s own', async () => {
  const declinedFirst = await atBoth('card_declined', 'success')
  const atFirst = await seller.makeOffer({ gateway: first })
  const declined = answeredAbout(await seller.charge(atFirst, declinedFirst), 402).json.transaction
  assert.deepEqual(await asked(declined.id), [[first, 'declined']])
  const atSecond = await seller.makeOffer({ gateway: second })
  const sold = answeredAbout(await seller.charge(atSecond, declinedFirst), 200).json.transaction
  assert.deepEqual([sold.gateway, await taken(sold.id)], [second, [second]])
  const onlyAtFirst = await seller.storeCard()
  refused(await seller.charge(atSecond, onlyAtFirst), 422, ['token'])
})

test('what is inactive, not turned on, or without the card is not tried', async () => {
  const card = await atBoth('card_declined', 'success')
  const offer = await seller.makeOffer()
  const failsAtFirst = async (with_: string) => {
    const { id } = answeredAbout(await seller.charge(offer, with_), 402).json.transaction
    assert.deepEqual(await asked(id), [[first, 'declined']])
  }
  await change(second, { status: 'inactive' })
  await failsAtFirst(card)
  refused(await seller.charge(await seller.makeOffer({ gateway: second }), card), 422, ['service_offer'])
  assert.equal((await change(second, { status: 'active', fallback: 0 })).fallback, null)
  await failsAtFirst(card)
  assert.equal((await change(second, { fallback: '' })).fallback, null)
  assert.equal((await change(second, { fallback: 10 })).fallback, 10)
  await failsAtFirst(await seller.storeCard('4012888888881881'))
  answeredAbout(await seller.charge(offer, card), 200)
})

test('a place among those tried next is a whole number from 1 to 100', async () => {
  for (const fallback of [-1, 101, 1.5, 'first', true, '007']) {
    const json = { type: 'test', fallback }
    refused(await seller.ask('gateways', { json }), 422, ['fallback'])
    refused(await seller.ask(`gateways/${second}`, { method: 'PATCH', json: { fallback } }), 422, ['fallback'])
  }
})

test('after all that the books fit', async () => {
  await audit(seller)
})
