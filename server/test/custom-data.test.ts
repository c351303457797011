// What a merchant wants back in every hook is given as custom_data, and as nothing else: an unknown argument is never kept there.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { answered, refused, writingNothing } from './support/answers.ts'
import { send } from './support/client.ts'
import { startTestService, type TestService } from './support/service.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.stop())

function post(body: string, type = 'application/x-www-form-urlencoded') {
  const headers = { authorization: service.demo.authorization, 'content-type': type }
  return send(`${service.baseUrl}/api/v5/rest/offers`, { method: 'POST', headers, body })
}
const postJson = (json: object) => post(JSON.stringify(json), 'application/json')

async function keptFrom(made: ReturnType<typeof post>) {
  return answered(await made, 200).json.offer.custom_data
}

async function refusedWith(errors: { readonly [name: string]: string }, ask: () => ReturnType<typeof post>) {
  const answer = await writingNothing(service.database.sql, ask)
  refused(answer, 422, Object.keys(errors))
  assert.deepEqual(answer.json.errors, errors)
}

test('custom_data is given as an object in JSON, and key by key in a form', async () => {
  const custom_data = { sku: '1', nested: { a: [1, null, 'ü', true] }, toString: 'x', 'with [brackets]': '', é: '語' }
  assert.deepEqual(await keptFrom(postJson({ amount: '5.00', custom_data })), custom_data)
  const form = 'amount=5.00&custom_data[sku]=1&custom_data%5Bcolour%20of%20it%5D=bl%C3%A5&custom_data[constructor]='
  assert.deepEqual(await keptFrom(post(form)), { sku: '1', 'colour of it': 'blå', constructor: '' })
  assert.deepEqual(await keptFrom(postJson({ amount: '5.00', custom_data: {} })), {})
  assert.deepEqual(await keptFrom(post('amount=5.00')), {})
})

test('a form and JSON that say the same are the same request', async () => {
  const headers = { 'idempotency-key': 'custom-data' }
  const custom_fields = [{ name: 'size' }]
  const json = { amount: '5.00', custom_data: { sku: '1', a: 'b' }, custom_fields }
  const first = answered(await service.demo.ask('offers', { json, headers }), 200)
  const form = {
    ...{ amount: '5.00', 'custom_data[a]': 'b', 'custom_data[sku]': '1' },
    custom_fields: JSON.stringify(custom_fields),
  }
  const again = answered(await service.demo.ask('offers', { form, headers }), 200)
  assert.deepEqual([again.headers['idempotent-replayed'], again.text], ['true', first.text])
})

test('any other argument is refused, and not kept', async () => {
  await refusedWith({ sku: 'sku is not known. Send extra data as custom_data[sku].' }, () => post('amount=5.00&sku=1'))
  await refusedWith({ sku: 'sku is not known. Send extra data as custom_data[sku].' }, () =>
    postJson({ amount: '5.00', sku: '1' }),
  )
  await refusedWith({ titel: 'titel is not known. Did you mean title?' }, () => post('amount=5.00&titel=Bell'))
  const bracketed = 'custom_data[a]'
  await refusedWith({ [bracketed]: `${bracketed} is not known. In JSON, custom_data is an object.` }, () =>
    postJson({ amount: '5.00', [bracketed]: '1' }),
  )
})

test('a repeated key is refused', async () => {
  const errors = { 'custom_data[a]': 'custom_data[a] is given more than once.' }
  await refusedWith(errors, () => post('amount=5.00&custom_data[a]=1&custom_data%5ba%5D=1'))
  await refusedWith(errors, () => post('{"amount":"5.00","custom_data":{"a":1,"a":1}}', 'application/json'))
})

test('brackets that make no key are refused with how to write it', async () => {
  const names = [
    ...['custom_data[a][b]', 'custom_data[]', 'custom_data[', 'custom_data[a', 'custom_data[a]b', 'custom_data[[a]]'],
    ...['custom_data[a]]', 'custom_data[][a]'],
  ]
  for (const name of names) {
    await refusedWith({ [name]: `${name} must be written as custom_data[key]=value, with one key.` }, () =>
      post(`amount=5.00&${encodeURIComponent(name)}=1`),
    )
  }
  await refusedWith({ 'custom_data]': 'custom_data] is not known. Did you mean custom_data?' }, () =>
    post('amount=5.00&custom_data]=1'),
  )
})

test('custom_data that is no object is refused', async () => {
  const says = { custom_data: 'custom_data must be an object; in a form, write custom_data[key]=value.' }
  for (const custom_data of ['x', '{"a":1}', 5, null, [], true]) {
    await refusedWith(says, () => postJson({ amount: '5.00', custom_data }))
  }
  await refusedWith(says, () => post('amount=5.00&custom_data=x'))
  await refusedWith(says, () => post('amount=5.00&custom_data=%7B%22a%22%3A1%7D'))
  await refusedWith(says, () => post('amount=5.00&custom_data=x&custom_data[a]=1'))
})

test('a key must be fit to be kept and to come back', async () => {
  const wrong: readonly (readonly [key: string, name: string, says: string])[] = [
    ['test', 'custom_data[test]', 'must not be given: in a hook it marks a test notification.'],
    ['__proto__', 'custom_data[__proto__]', 'is not a name for an argument.'],
    ['4111111111111111', 'custom_data[************1111]', 'is a card number, and no name for an argument.'],
    ['k'.repeat(256), `custom_data[${'k'.repeat(52)}`, 'must have a name of at most 255 characters.'],
  ]
  for (const [key, name, says] of wrong) {
    const errors = { [name]: `${name} ${says}` }
    await refusedWith(errors, () => post(`amount=5.00&custom_data[${key}]=1`))
    await refusedWith(errors, () => post(`{"amount":"5.00","custom_data":{"${key}":"1"}}`, 'application/json'))
  }
  const longest = 'k'.repeat(255)
  assert.deepEqual(await keptFrom(post(`amount=5.00&custom_data[${longest}]=1`)), { [longest]: '1' })
})

test('a card number in custom_data is refused, wherever it hides', async () => {
  const errors = { 'custom_data[note]': 'custom_data[note] must not be a card number.' }
  await refusedWith(errors, () => post('amount=5.00&custom_data[note]=4111111111111111'))
  for (const note of [
    4111111111111111,
    ['4111 1111 1111 1111'],
    { '4111111111111111': 1 },
    [{ a: '4111111111111111' }],
  ])
    await refusedWith(errors, () => postJson({ amount: '5.00', custom_data: { note } }))
})

test('custom data comes back in the record of a payment and in its hooks', async () => {
  const { demo, database } = service
  const offer = await demo.makeOffer({ 'custom_data[sku]': '7' })
  const { transaction } = answered(await demo.charge(offer, demo.card), 200).json
  assert.deepEqual(transaction.user_data.custom_data, { sku: '7' })
  const [event] = await database.sql<{ details: string }[]>`
    select details from event where details like ${`%${transaction.id}%`} limit 1`
  assert.deepEqual(JSON.parse(event?.details ?? '{}').user_data.custom_data, { sku: '7' })
})
