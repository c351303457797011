// One key, one effect: a request that comes again gets the first one's answer, byte for byte, and charges nothing.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { testCardThat } from '../src/gateways/sandbox/test-cards.ts'
import { forgetWhatIsOver } from '../src/store/retention.ts'
import { answered, answeredAbout, booked, refused, writingNothing } from './support/answers.ts'
import type { Answer, Asked } from './support/client.ts'
import { startTestService, type TestService } from './support/service.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.stop())

/** The same bytes, said to be a repetition. */
function replays(first: Answer, again: Answer): void {
  answered(again, first.status)
  assert.equal(again.text, first.text)
  assert.equal(first.headers['idempotent-replayed'], undefined)
  assert.equal(again.headers['idempotent-replayed'], 'true')
}

const keyed = (key: string) => ({ headers: { 'idempotency-key': key } })

test('every answer with a record is given again byte for byte, also after a restart', async () => {
  const { demo, database } = service
  const cards = {
    200: demo.card,
    402: await demo.storeCard(testCardThat('insufficient_funds').number),
    202: await demo.storeCard(testCardThat('three_d_secure').number),
  }
  const ask = (status: string, card: string) => demo.charge(demo.offer, card, { key: `row-${status}` })
  const firsts: Answer[] = []
  for (const [status, card] of Object.entries(cards)) {
    firsts.push(answeredAbout(await ask(status, card), Number(status)))
  }
  const repeat = async () => {
    for (const [status, card] of Object.entries(cards)) {
      const first = firsts.find(answer => answer.status === Number(status))
      replays(first ?? assert.fail(), await ask(status, card))
    }
  }
  await writingNothing(database.sql, repeat)
  await service.restart()
  await writingNothing(database.sql, repeat)
})

test('what is answered stays, whatever becomes of the transaction', async () => {
  const { demo } = service
  const first = await demo.charge(demo.offer, demo.card, { key: 'stays' })
  const { id } = first.json.transaction
  answered(await demo.ask('transactions/refunds', { form: { transaction: id } }), 200)
  replays(first, await demo.charge(demo.offer, demo.card, { key: 'stays' }))
  assert.equal((await demo.ask(`transactions/${id}`)).json.transaction.status, 'Refunded')
})

test('the same key with other arguments is 422 and does nothing', async () => {
  const { demo, database } = service
  const first = await demo.charge(demo.offer, demo.card, { key: 'other' })
  const others: Asked['form'][] = [
    { quantity: 2 },
    { token: await demo.storeCard() },
    { service_offer: await demo.makeOffer() },
    { authorization_only: 'true' },
    { referrer_context: 'x' },
  ]
  for (const form of others) {
    const ask = () => demo.charge(demo.offer, demo.card, { key: 'other', ...(form && { form }) })
    const answer = await writingNothing(database.sql, ask)
    refused(answeredAbout(answer, 422), 422, ['general'])
    assert.match(answer.json.errors.general, /Idempotency-Key/)
  }
  replays(first, await demo.charge(demo.offer, demo.card, { key: 'other' }))
})

test('order, encoding, method, the case of an id, and explicit defaults make no other request', async () => {
  const { demo, database } = service
  const { offer: service_offer, card: token } = demo
  const first = await demo.charge(service_offer, token, { key: 'same' })
  const same: Asked[] = [
    { form: { token, service_offer } },
    { form: { service_offer, token, quantity: 1 } },
    { form: { service_offer: service_offer.toUpperCase(), token } },
    { json: { token, service_offer, quantity: 1 } },
    { json: { quantity: '1', token, service_offer } },
    { form: { service_offer, token }, method: 'GET' },
    { json: { token, service_offer }, method: 'GET' },
  ]
  await writingNothing(database.sql, async () => {
    for (const asked of same) replays(first, await demo.ask('transactions', { ...asked, ...keyed('same') }))
  })
})

test('an offer is the same as a form and as JSON; the types of its custom data are its own', async () => {
  const { demo, database } = service
  const form = { amount: '5.00', stock: 5, authorization_only: 'true' }
  const first = await demo.ask('offers', { form, ...keyed('offer') })
  const json = { amount: '5.00', stock: 5, authorization_only: true }
  await writingNothing(database.sql, async () => {
    replays(first, await demo.ask('offers', { json, ...keyed('offer') }))
  })
  const withData = (size: string | number) => ({ json: { ...json, custom_data: { size } }, ...keyed('typed') })
  answered(await demo.ask('offers', withData(5)), 200)
  refused(await demo.ask('offers', withData('5')), 422, ['general'])
})

test('a gateway that takes no cards now does not change what the key of a card link was answered', async () => {
  const client = await service.newMerchant()
  const [gateway] = answered(await client.ask('gateways'), 200).json
  const ask = (more: Asked) => client.ask('credit_cards/links', { form: { email: 'ada@example.com' }, ...more })
  const first = answered(await ask(keyed('a-link')), 200)
  answered(await client.ask(`gateways/${gateway.id}`, { method: 'PATCH', form: { status: 'inactive' } }), 200)
  answered(await ask({}), 422)
  replays(first, await ask(keyed('a-link')))
})

test('a key belongs to one merchant and one operation', async () => {
  const { demo, database } = service
  const other = await service.newMerchant()
  const theirs = await other.charge(await other.makeOffer(), await other.storeCard(), { key: 'mine' })
  const ours = await demo.charge(demo.offer, demo.card, { key: 'mine' })
  const offer = await demo.ask('offers', { form: { amount: '5.00' }, ...keyed('mine') })
  for (const answer of [theirs, ours, offer]) {
    assert.equal(answered(answer, 200).headers['idempotent-replayed'], undefined)
  }
  const ids = [theirs, ours].map(({ json }) => json.transaction.id)
  assert.equal((await booked(database.sql, 'charge', ids)).count, 2)
})

test('what was refused before a record exists stores nothing: the key is free for the right request', async () => {
  const { demo, database } = service
  const empty = await demo.makeOffer({ stock: 0 })
  const wrong: [number, { service_offer?: string; token?: string; quantity?: string }][] = [
    [422, { quantity: '0' }],
    [404, { token: 'AAAAAAAAAAAAAAAAAAAAAAAA' }],
    [404, { service_offer: 'x' }],
    [422, { service_offer: empty }],
  ]
  for (const [status, form] of wrong) {
    answered(
      await writingNothing(database.sql, () => demo.charge(demo.offer, demo.card, { key: 'free', form })),
      status,
    )
  }
  const first = answered(await demo.charge(demo.offer, demo.card, { key: 'free' }), 200)
  replays(first, await demo.charge(demo.offer, demo.card, { key: 'free' }))
})

test('offers, gateways, refunds, captures and voids take a key too', async () => {
  const { demo, database } = service
  const sold = await demo.charge(demo.offer, demo.card)
  const [toCapture, toVoid] = await Promise.all(
    [1, 2].map(() => demo.charge(demo.offer, demo.card, { form: { authorization_only: 'true' } })),
  )
  const ids = [sold, toCapture, toVoid].map(answer => String(answer?.json.transaction.id))
  const [refunded = '', captured = '', voided = ''] = ids
  const made = await demo.ask('gateways', { json: { type: 'test' } })
  const gateway = made.json.gateway.id
  const refund = { form: { transaction: refunded, amount: '10.00', notes: 'late' } }
  const asks: { path: string; asked: Asked; samePath?: string; same?: Asked; other?: Asked }[] = [
    {
      path: 'offers',
      asked: { json: { amount: '5.00', custom_data: { a: 1, b: 2 } } },
      same: { json: { custom_data: { b: 2, a: 1 }, amount: '5.00' } },
      other: { json: { amount: '5.00', custom_data: { a: 1, b: 3 } } },
    },
    { path: 'gateways', asked: { json: { type: 'test', credentials: {} } } },
    { path: `gateways/${gateway}`, asked: { method: 'PATCH', form: { status: 'inactive' } } },
    {
      path: 'transactions/refunds',
      asked: refund,
      same: { form: { ...refund.form, transaction: refunded.toUpperCase() }, method: 'GET' },
      other: { form: { ...refund.form, amount: '20.00' } },
    },
    {
      path: `transactions/${captured}/capture`,
      samePath: `transactions/${captured.toUpperCase()}/capture`,
      asked: { form: { amount: '60.00' } },
      other: { form: { amount: '70.00' } },
    },
    { path: `transactions/${voided}/void`, asked: { method: 'POST' } },
    { path: `offers/${await demo.makeOffer()}`, asked: { method: 'DELETE' } },
  ]
  for (const [index, { path, samePath = path, asked, same = asked, other }] of asks.entries()) {
    const key = keyed(`each-${index}`)
    const first = answered(await demo.ask(path, { ...asked, ...key }), 200)
    await writingNothing(database.sql, async () => {
      replays(first, await demo.ask(samePath, { ...same, ...key }))
      if (other !== undefined) refused(await demo.ask(path, { ...other, ...key }), 422, ['general'])
    })
  }
  assert.deepEqual(await booked(database.sql, 'refund', ids), { count: 1, sumMinor: 1_000n })
  assert.deepEqual(await booked(database.sql, 'capture', ids), { count: 1, sumMinor: 6_000n })
})

test('in doubt the record is given with 202, and once settled that state’s answer, fixed from then on', async () => {
  const { demo, database } = service
  const offer = await demo.makeOffer({ amount: '4200.03' })
  const byKey = () => demo.charge(offer, demo.card, { key: 'doubt' })
  const { id } = answeredAbout(await byKey(), 202).json.transaction
  const again = answeredAbout(await writingNothing(database.sql, byKey), 202)
  assert.deepEqual([again.json.transaction.id, again.json.transaction.status], [id, 'Processing'])
  answered(await demo.ask('sandbox/clock', { form: { advance_s: 60 } }), 200)
  const settled = answeredAbout(await byKey(), 200)
  assert.deepEqual([settled.json.transaction.id, settled.json.transaction.status], [id, 'Successful'])
  answered(await demo.ask('transactions/refunds', { form: { transaction: id, amount: '1.00' } }), 200)
  assert.equal((await byKey()).text, settled.text)
  assert.equal((await booked(database.sql, 'charge', [id])).count, 1)
})

test('a key is kept for a day of the service’s clock after it is settled, and then forgotten', async () => {
  const { demo, database } = service
  const dayMs = 86_400_000
  const retention = { keysMs: dayMs, answersMs: 30 * dayMs, detailsMs: 90 * dayMs, mailMs: 7 * dayMs }
  const advance = async (advance_s: number) => {
    const { json } = answered(await demo.ask('sandbox/clock', { form: { advance_s } }), 200)
    await forgetWhatIsOver(database.sql, retention, new Date(json.clock.now))
  }
  await advance(200_000)
  const first = await demo.charge(demo.offer, demo.card, { key: 'day' })
  const offer = await demo.ask('offers', { form: { amount: '5.00' }, ...keyed('day') })
  await advance(86_000)
  replays(first, await demo.charge(demo.offer, demo.card, { key: 'day' }))
  replays(offer, await demo.ask('offers', { form: { amount: '5.00' }, ...keyed('day') }))
  await advance(1_000)
  const anew = answered(await demo.charge(demo.offer, demo.card, { key: 'day' }), 200)
  assert.notEqual(anew.json.transaction.id, first.json.transaction.id)
})
