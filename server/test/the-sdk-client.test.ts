// The sdk's client against the service itself: it has every operation, its types are the document's, and whatever happens on
// the way, a call charges once.

import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { after, before, test } from 'node:test'
import {
  AuthenticationError,
  answerOf,
  ConflictError,
  DeclinedError,
  InvalidRequestError,
  NotFoundError,
  StoppedByPreSaleError,
  Tillbell,
  type TillbellOptions,
} from '../../sdk/src/client/index.ts'
import { type Operation, operations } from '../../sdk/src/client/operations.ts'
import { booked } from './support/answers.ts'
import { answerSchema, argumentsSchema, clientTypes, type Document } from './support/client-types.ts'
import { openCuttingProxy } from './support/cutting-proxy.ts'
import { startTestService, type TestService } from './support/service.ts'

let service: TestService
let tillbell: Tillbell
let document: Document
before(async () => {
  service = await startTestService()
  tillbell = clientWith({})
  document = (await (await fetch(`${service.baseUrl}/api/v5/openapi.json`)).json()) as Document
})
after(() => service.stop())

function clientWith(more: Partial<TillbellOptions>): Tillbell {
  const { api_key, api_secret } = service.demoSheet
  return new Tillbell({
    apiKey: String(api_key),
    apiSecret: String(api_secret),
    baseUrl: service.baseUrl,
    retries: 5,
    ...more,
  })
}

const table = (): Operation[] => Object.values(operations).flatMap(methods => Object.values(methods))

test('every operation of the document has a method, and there is no other', () => {
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => `${operationId}: ${method.toUpperCase()} ${path}`),
  )
  const here = table().map(({ id, method, path }) => `${id}: ${method} ${path}`)
  assert.deepEqual(here.toSorted(), described.toSorted(), 'sdk/src/client/operations.ts has them all')
})

test('each method takes and unwraps what the document says', () => {
  for (const { id, method, path, takesArguments, member, gives, isOpen } of table()) {
    const described = document.paths[path]?.[method.toLowerCase()] ?? assert.fail(id)
    const answer = answerSchema(described)
    assert.equal(takesArguments, Object.keys(argumentsSchema(described).properties ?? {}).length > 0, id)
    const isPaged = described.parameters?.some(({ name }) => name === 'after') ?? false
    assert.equal(gives, isPaged ? 'pages' : answer.type === 'array' ? 'several' : 'one', id)
    const [only, ...others] = Object.keys(answer.properties ?? {}).filter(name => name !== 'errors')
    const hasOneThing = only !== undefined && others.length === 0 && answer.properties?.[only]?.type === 'object'
    assert.equal(member, hasOneThing ? only : null, id)
    const isKeyed = described.parameters?.some(({ name }) => name === 'Idempotency-Key') ?? false
    assert.equal(isKeyed, method !== 'GET' && !isOpen, id)
  }
})

test('the types are those of the document', async () => {
  const path = resolve(import.meta.dirname, '../../sdk/src/client/api-types.ts')
  const written = await clientTypes(document)
  if (process.env.UPDATE_DOCS === '1') await writeFile(path, written)
  assert.equal(await readFile(path, 'utf8'), written)
})

test('the sdk’s page names every method', async () => {
  const page = await readFile(resolve(import.meta.dirname, '../../sdk/README.md'), 'utf8')
  const [, rows = ''] = /\n\| `tillbell\.` \| methods \|\n\|[-|]+\|\n((?:\|.*\n)+)/.exec(page) ?? []
  const inCode = (text: string | undefined) => text?.match(/(?<=`)\w+(?=`)/g) ?? []
  const named = rows.split('\n').flatMap(row => {
    const [, resources, methods] = row.split('|')
    return inCode(resources).flatMap(resource => inCode(methods).map(method => `${resource}.${method}`))
  })
  const here = Object.entries(operations).flatMap(([resource, methods]) =>
    Object.keys(methods).map(method => `${resource}.${method}`),
  )
  assert.deepEqual(named.toSorted(), [...here, 'token.create'].toSorted())
})

test('an offer is made, charged, refunded in part and found again', async () => {
  const offer = await tillbell.offers.create({ amount: '20.50', ref_id: 'order-7', custom_fields: [{ name: 'size' }] })
  const card = await tillbell.sandbox.storeCard({
    ...{ number: '4111111111111111', expiry_month: 12, expiry_year: 2040, email: 'grace@example.com' },
  })
  const sold = await tillbell.transactions.create({ service_offer: offer.offer_id, token: card.service_token })
  assert.deepEqual([sold.status, sold.amount, sold.offer.ref_id], ['Successful', '20.50', 'order-7'])
  const refunded = await tillbell.transactions.refund({ transaction: sold.id, amount: '0.50', notes: 'Late' })
  assert.equal(refunded.refund?.refunded_amount, '0.50')
  assert.equal((await tillbell.transactions.get(sold.id)).status, 'Partially Refunded')
  assert.equal((await tillbell.creditCards.get(card.service_token)).card_mask, '1111')
  assert.equal((await tillbell.offers.deactivate(offer.offer_id)).active, false)
})

test('an authorisation is captured or released', async () => {
  const { offer: service_offer, card: token } = service.demo
  const hold = () => tillbell.transactions.create({ service_offer, token, authorization_only: true })
  const [one, two] = [await hold(), await hold()]
  assert.equal(one.status, 'Authorized')
  assert.equal((await tillbell.transactions.capture(one.id, { amount: '1.00' })).captured_amount, '1.00')
  assert.equal((await tillbell.transactions.void(two.id)).status, 'Voided')
  const error = await tillbell.transactions.void(two.id).catch(error => error)
  assert.ok(error instanceof ConflictError && !error.mayHaveHappened, 'a wrong state is told at once')
})

test('settings are changed and read back', async () => {
  assert.equal((await tillbell.paymentPage.update({ button_color: '#0a7a3d' })).button_color, '#0a7a3d')
  assert.equal((await tillbell.paymentPage.get()).button_color, '#0a7a3d')
  assert.equal((await tillbell.mailSettings.update({ amount_max: null, errors: false })).amount_max, null)
  const { id } = await tillbell.hookEndpoints.create({ kind: 'transaction', url: 'http://127.0.0.1:9/', timeout_s: 1 })
  const { resent } = await tillbell.hookDeliveries.resendMany({ endpoint: id, created_after: '2020-01-01T00:00:00Z' })
  assert.equal(resent, 0)
  assert.equal((await tillbell.hookEndpoints.update(id, { status: 'paused' })).paused_because, 'asked')
  assert.equal((await tillbell.hookEndpoints.delete(id)).id, id)
})

test('a list goes on over its pages, and a page leads to the next', async () => {
  const names = ['a', 'b', 'c', 'd', 'e'].map(letter => `${letter}@list.example`)
  const expiry = { expiry_month: 12, expiry_year: 2040 }
  for (const email of names) await tillbell.sandbox.storeCard({ number: '4111111111111111', ...expiry, email })
  const found: string[] = []
  for await (const { email } of tillbell.creditCards.list({ limit: 2 })) {
    if (email.endsWith('@list.example')) found.push(email)
  }
  assert.deepEqual(found, names.toReversed())
  const first = await tillbell.creditCards.list({ limit: 2 }).page()
  const second = await tillbell.creditCards
    .list({ limit: 2, ...(first.after !== null && { after: first.after }) })
    .page()
  assert.deepEqual(
    [...first.rows, ...second.rows].map(({ email }) => email),
    names.toReversed().slice(0, 4),
  )
  assert.deepEqual(await tillbell.creditCards.list({ email: 'nobody@list.example' }).page(), { rows: [], after: null })
})

test('what the service refuses is an error of its kind, with its sentences', async () => {
  const { offer: service_offer, card: token } = service.demo
  const wrong = await tillbell.transactions.create({ service_offer, token, quantity: 0 }).catch(error => error)
  assert.ok(wrong instanceof InvalidRequestError)
  assert.deepEqual(Object.keys(wrong.errors), ['quantity'])
  assert.match(String(wrong.requestId), /\S/)
  await assert.rejects(tillbell.transactions.get('none'), NotFoundError)
  await assert.rejects(clientWith({ apiSecret: 'sk_none' }).offers.list().page(), AuthenticationError)
  const other = { idempotencyKey: 'other-arguments' }
  await tillbell.offers.create({ amount: '1.00' }, other)
  await assert.rejects(tillbell.offers.create({ amount: '2.00' }, other), InvalidRequestError)
})

test('a declined charge is thrown with its record, one that waits for the customer is returned', async () => {
  const { demo } = service
  const charge = async (amount: string) => {
    const { offer_id } = await tillbell.offers.create({ amount })
    return tillbell.transactions.create({ service_offer: offer_id, token: demo.card })
  }
  const error = await charge('4000.02').catch(error => error)
  assert.ok(error instanceof DeclinedError)
  assert.deepEqual([error.transaction.status, error.transaction.error_code], ['Failed', 'insufficient_funds'])
  assert.equal((await charge('4300.01')).status, 'Further Action Required')
})

test('a sale that Pre-Sale stops is thrown as that', async () => {
  const { offer: service_offer, card: token } = service.demo
  const { id } = await tillbell.hookEndpoints.create({ kind: 'pre_sale', url: 'http://127.0.0.1:9/', timeout_s: 1 })
  try {
    const error = await tillbell.transactions.create({ service_offer, token }).catch(error => error)
    assert.ok(error instanceof StoppedByPreSaleError)
    assert.equal(error.transaction.error_code, 'pre_sale_error')
  } finally {
    await tillbell.hookEndpoints.delete(id)
  }
})

test('a charge whose answer is cut off is asked for again under its key, and made once', async () => {
  const { demo, database, baseUrl } = service
  const proxy = await openCuttingProxy(Number(new URL(baseUrl).port))
  try {
    const behind = clientWith({ baseUrl: `http://127.0.0.1:${proxy.port}` })
    for (const atByte of [0, 200]) {
      const offer = await demo.makeOffer()
      proxy.arm('answer', atByte, 'reset')
      const sold = await behind.transactions.create({ service_offer: offer, token: demo.card })
      assert.equal(sold.status, 'Successful')
      assert.equal(answerOf(sold)?.replayed, true, 'the first one had been carried out')
      const rows = await database.sql<{ id: string }[]>`select id from transaction where offer_id = ${offer}`
      assert.deepEqual([...rows], [{ id: sold.id }])
      assert.equal((await booked(database.sql, 'charge', [sold.id])).count, 1)
    }
  } finally {
    await proxy.close()
  }
})

test('after a crash, the same key gets the answer; while the first still runs, it is waited for', async () => {
  const { demo, database } = service
  const offer = await demo.makeOffer({ amount: '4100.05' })
  const asked = { service_offer: offer, token: demo.card }
  const [one, two] = await Promise.all([
    tillbell.transactions.create(asked, { idempotencyKey: 'order-8' }),
    tillbell.transactions.create(asked, { idempotencyKey: 'order-8' }),
  ])
  assert.deepEqual(one, two)
  assert.deepEqual([answerOf(one)?.replayed, answerOf(two)?.replayed].toSorted(), [false, true])
  assert.equal((await booked(database.sql, 'charge', [one.id])).count, 1)
})

test('a token is made offline, registered without credentials and revoked', async () => {
  const { private_key, service_public_key, partner_id } = service.demoSheet
  const token = tillbell.token.create({
    privateKey: private_key,
    servicePublicKey: String(service_public_key),
    partnerId: Number(partner_id),
    target: { email: 'ada@example.com' },
    amount: '20.55',
  })
  const { id } = await clientWith({ apiSecret: 'sk_none' }).token.register({ token })
  assert.equal((await tillbell.offers.get(id)).amount, '20.55')
  assert.equal((await tillbell.token.revoke({ token })).offer, id)
})
