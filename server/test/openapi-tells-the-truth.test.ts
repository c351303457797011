// Real answers, held against the OpenAPI document that the service serves.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Ajv } from 'ajv'
import { type Answer, send } from './support/client.ts'
import { startTestService, type TestService } from './support/service.ts'

interface Described {
  readonly [status: string]: { readonly content: { readonly [type: string]: { readonly schema: object } } }
}

let service: TestService
let paths: { readonly [path: string]: { readonly [method: string]: { readonly responses: Described } } }
before(async () => {
  service = await startTestService()
  const { json } = await send(`${service.baseUrl}/api/v5/openapi.json`, { method: 'GET', headers: {}, body: null })
  paths = json.paths
})
after(() => service.stop())

function fits(method: string, path: string, { status, json }: Answer): void {
  const responses = paths[`/api/v5/rest/${path}`]?.[method]?.responses
  const described =
    responses?.[status] ?? responses?.[`${String(status)[0]}XX`] ?? responses?.[`${String(status)[0]}xx`]
  const schema = described?.content['application/json']?.schema
  assert.ok(schema !== undefined, `${method} ${path} ${status} is described`)
  const ajv = new Ajv({ strict: false, allErrors: true })
  assert.ok(ajv.validate(schema, json), `${method} ${path} ${status}: ${ajv.errorsText()}`)
}

test('transactions answer as described: done, declined, waiting for the customer, in doubt, refused', async () => {
  const { demo } = service
  const card = await demo.storeCard()
  fits('post', 'transactions', await demo.charge(demo.offer, card))
  for (const amount of ['4000.01', '4300.01', '4200.03']) {
    fits('post', 'transactions', await demo.charge(await demo.makeOffer({ amount, address: 'shipping' }), card))
  }
  fits('post', 'transactions', await demo.ask('transactions', { form: { quantity: 0 } }))
  fits('get', 'transactions', await demo.ask('transactions'))
  fits('get', 'transactions', await demo.ask('transactions?limit=0'))
})

test('what follows a charge answers as described', async () => {
  const { demo } = service
  const sold = await demo.charge(demo.offer, demo.card)
  const { id } = sold.json.transaction
  fits(
    'post',
    'transactions/refunds',
    await demo.ask('transactions/refunds', { form: { transaction: id, amount: '1.00', notes: 'why' } }),
  )
  fits(
    'post',
    'transactions/refunds',
    await demo.ask('transactions/refunds', { form: { transaction: id, amount: '1000.00' } }),
  )
  fits('get', 'transactions/{id}', await demo.ask(`transactions/${id}`))
  fits('post', 'transactions/{id}/capture', await demo.ask(`transactions/${id}/capture`, { form: {}, method: 'POST' }))
  const held = await demo.charge(demo.offer, demo.card, { form: { authorization_only: 'true' } })
  const path = `transactions/${held.json.transaction.id}/void`
  fits('post', 'transactions/{id}/void', await demo.ask(path, { form: {}, method: 'POST' }))
})

test('offers, cards and gateways answer as described', async () => {
  const { demo } = service
  const given = {
    amount: '5',
    stock: 3,
    fulfillment: 2,
    color: 'red',
    custom_fields: '[{"name":"size"}]',
    email: 'a@example.com',
  }
  const made = await demo.ask('offers', { form: given })
  fits('post', 'offers', made)
  fits('get', 'offers', await demo.ask('offers'))
  fits('get', 'offers/{id}', await demo.ask(`offers/${made.json.offer.offer_id}`))
  fits('delete', 'offers/{id}', await demo.ask(`offers/${made.json.offer.offer_id}`, { method: 'DELETE' }))
  fits('get', 'offers/{id}', await demo.ask('offers/none'))
  fits('get', 'credit_cards', await demo.ask('credit_cards'))
  fits('get', 'credit_cards/{service_token}', await demo.ask(`credit_cards/${demo.card}`))
  fits('post', 'gateways', await demo.ask('gateways', { json: { type: 'test' } }))
  fits('get', 'gateways', await demo.ask('gateways'))
})
