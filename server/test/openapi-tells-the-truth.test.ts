// Real answers and real hooks, held against the OpenAPI document that the service serves.

import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { verifyHook } from '@tillbell/sdk'
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { mailIngest } from '../src/cli/mail-in.ts'
import { writeLetter } from '../src/cli/written-letter.ts'
import { readConfig } from '../src/config.ts'
import { openLog } from '../src/observe/log.ts'
import { type Answer, send } from './support/client.ts'
import { addEndpoint, removeEndpoints, startEndpoint } from './support/merchant-endpoint.ts'
import { pictures } from './support/picture-samples.ts'
import { startTestService, type TestService } from './support/service.ts'
import { until } from './support/until.ts'

interface Described {
  readonly [status: string]: {
    readonly description: string
    readonly content: { readonly [type: string]: { readonly schema: object } }
  }
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
}

interface Operation {
  readonly operationId: string
  readonly parameters?: readonly Parameter[]
  readonly responses: Described
  readonly security?: readonly unknown[]
  readonly tags?: readonly string[]
}

interface Hook {
  readonly requestBody: {
    readonly content: { readonly [type: string]: { readonly schema: HookForm; readonly examples: HookExamples } }
  }
  readonly responses: { readonly [status: string]: { readonly description: string } }
  readonly security: readonly unknown[]
  readonly parameters: readonly Parameter[]
}
interface HookExamples {
  readonly [name: string]: { readonly value: { readonly details: string; readonly signature: string } }
}
interface HookForm {
  readonly properties: { readonly details: { readonly contentSchema: { readonly $ref: string } } }
}

let service: TestService
let webhooks: { readonly [kind: string]: { readonly post: Hook } }
const hookAjv = new Ajv2020({ strict: false, allErrors: true })
let paths: { readonly [path: string]: { readonly [method: string]: Operation } }
let tags: readonly { readonly name: string; readonly description: string }[]
before(async () => {
  service = await startTestService()
  const { json } = await send(`${service.baseUrl}/api/v5/openapi.json`, { method: 'GET', headers: {}, body: null })
  paths = json.paths
  webhooks = json.webhooks
  tags = json.tags
  hookAjv.addSchema(json, 'openapi')
})
after(() => service.stop())

function fits(method: string, path: string, { status, json }: Answer): void {
  const responses = paths[path.startsWith('/') ? path : `/api/v5/rest/${path}`]?.[method]?.responses
  const described =
    responses?.[status] ?? responses?.[`${String(status)[0]}XX`] ?? responses?.[`${String(status)[0]}xx`]
  const schema = described?.content['application/json']?.schema
  assert.ok(schema !== undefined, `${method} ${path} ${status} is described`)
  const ajv = new Ajv({ strict: false, allErrors: true })
  assert.ok(ajv.validate(closed(schema) as object, json), `${method} ${path} ${status}: ${ajv.errorsText()}`)
}

/** The document leaves room for members to come; what is there now is all described. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (schema === null || typeof schema !== 'object') return schema
  const inner = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, closed(value)]))
  return inner.type === 'object' ? { additionalProperties: false, ...inner } : inner
}

const operations = () =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, which: `${method} ${path}`, method })),
  )

test('every operation has a name of its own, says what its answers mean, and takes a key if it changes anything', () => {
  const ids = operations().map(({ operationId }) => operationId)
  assert.equal(new Set(ids).size, ids.length)
  for (const { which, method, operationId, responses, security, parameters = [] } of operations()) {
    assert.match(operationId, /^[a-z]+[A-Za-z]+$/, which)
    const keyed = parameters.filter(({ name }) => name === 'Idempotency-Key')
    assert.deepEqual(
      keyed.map(each => [each.in, each.required ?? false]),
      method === 'get' || security?.length === 0 ? [] : [['header', false]], // a key is its merchant's
      which,
    )
    for (const [status, { description }] of Object.entries(responses)) {
      assert.match(description, /^[A-Z].+\.$/, `${which} ${status}`)
    }
  }
})

test('every operation of the interface is in a group, and every group says what it is for', () => {
  const named = operations().flatMap(({ tags = [] }) => tags)
  assert.deepEqual(tags.map(({ name }) => name).toSorted(), [...new Set(named)].toSorted())
  for (const { description } of tags) assert.match(description, /^[A-Z].+\.$/)
})

test('every example of a member is one that its schema takes', () => {
  const ajv = new Ajv2020({ strict: false })
  let count = 0
  const check = (schema: unknown): void => {
    if (schema === null || typeof schema !== 'object') return
    const { examples } = schema as { examples?: unknown }
    for (const example of Array.isArray(examples) ? examples : []) {
      assert.ok(ajv.validate(schema, example), `${example}: ${ajv.errorsText()}`)
      count++
    }
    Object.values(schema).forEach(check)
  }
  check(paths)
  assert.ok(count > 50, String(count))
})

test('an answer may gain members: no client that is made from the document breaks on one', () => {
  const all = JSON.stringify(operations().map(({ responses }) => responses))
  assert.ok(all.includes('"additionalProperties":{'), 'there are answers')
  assert.ok(!all.includes('"additionalProperties":false'))
})

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

test('listeners answer as described', async () => {
  const { demo } = service
  const begun = await demo.ask('hook_listeners', { json: { name: 'Ada', kinds: ['transaction'], backfill_s: 0 } })
  fits('post', 'hook_listeners', begun)
  fits('post', 'hook_listeners', await demo.ask('hook_listeners', { form: { kinds: '["moon"]' } }))
  const path = `hook_listeners/${begun.json.hook_listener.id}`
  await demo.charge(demo.offer, demo.card)
  const taken = await demo.ask(`${path}/requests`)
  assert.equal(taken.json.length, 1)
  fits('get', 'hook_listeners/{id}/requests', taken)
  fits('get', 'hook_listeners/{id}/requests', await demo.ask(`${path}/requests?wait=0`))
  const answer = { request: taken.json[0].id, status: 200, body: 'ok', duration_ms: 3 }
  fits(
    'post',
    'hook_listeners/{id}/answers',
    await demo.ask(`${path}/answers`, { form: { ...answer, reason: 'both' } }),
  )
  fits('post', 'hook_listeners/{id}/answers', await demo.ask(`${path}/answers`, { form: answer }))
  fits('delete', 'hook_listeners/{id}', await demo.ask(path, { method: 'DELETE' }))
  fits('delete', 'hook_listeners/{id}', await demo.ask(path, { method: 'DELETE' }))
})

test('offers, cards and gateways answer as described', async () => {
  const { demo } = service
  const given = {
    amount: '5',
    stock: 3,
    fulfillment: 2,
    'custom_data[color]': 'red',
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
  const byName = { email: 'a@example.com', reference: 'test:success' }
  fits('post', 'credit_cards', await demo.ask('credit_cards', { form: byName }))
  fits('post', 'credit_cards', await demo.ask('credit_cards', { form: { ...byName, reference: 'none' } }))
  fits('post', 'credit_cards/links', await demo.ask('credit_cards/links', { form: { email: 'a@example.com' } }))
  fits('post', 'credit_cards/links', await demo.ask('credit_cards/links', { form: { email: 'none' } }))
  const connected = await demo.ask('gateways', { json: { type: 'test', fallback: 1 } })
  fits('post', 'gateways', connected)
  const path = `gateways/${connected.json.gateway.id}`
  fits('patch', 'gateways/{id}', await demo.ask(path, { method: 'PATCH', form: { fallback: 0 } }))
  fits('get', 'gateways', await demo.ask('gateways'))
})

test('tokens answer as described, and whoever has one needs no credentials', async () => {
  const { demo, database, baseUrl } = service
  const [own] = await database.sql<
    { token: string }[]
  >`select token_content as token from offer where id = ${demo.offer}`
  const register = (token = '') =>
    send(`${baseUrl}/token/registrations`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token }),
    })
  fits('post', '/token/registrations', await register(own?.token))
  fits('post', '/token/registrations', await register('@none@'))
  fits('post', 'tokens/revocations', await demo.ask('tokens/revocations', { form: { token: '@none@' } }))
  fits('post', 'tokens/revocations', await demo.ask('tokens/revocations', { form: { token: own?.token ?? '' } }))
  assert.deepEqual(
    operations()
      .filter(({ security }) => security?.length === 0)
      .map(({ operationId }) => operationId),
    ['registerToken'],
  )
})

test('the payment page answers as described', async () => {
  const { demo } = service
  const change = (json: object) => demo.ask('payment_page', { method: 'PATCH', json })
  fits('get', 'payment_page', await demo.ask('payment_page'))
  const logo = pictures.png.bytes.toString('base64')
  fits('patch', 'payment_page', await change({ logo, button_color: '#123456', frame_ancestors: ['https://a.example'] }))
  fits('patch', 'payment_page', await change({ logo: 'none' }))
})

test('the settings of mail answer as described', async () => {
  const { demo } = service
  const change = (json: object) => demo.ask('mail_settings', { method: 'PATCH', json })
  fits('get', 'mail_settings', await demo.ask('mail_settings'))
  fits('patch', 'mail_settings', await change({ amount_max: null, day_payments_max: 3 }))
  fits('patch', 'mail_settings', await change({ amount_max: 'much' }))
})

test('letters answer as described, with a verdict and the mails that answered them', async () => {
  const { demo, database, dataFolder } = service
  const file = join(dataFolder, 'mail.eml')
  const to = `payment-id-${demo.offer}@localhost`
  await writeFile(file, writeLetter({ from: 'ada@example.com', to, subject: 'Payment', text: 'Please.' }, new Date()))
  const config = readConfig({ DATABASE_URL: database.url, TILLBELL_DATA: dataFolder })
  const from = { 'mail-from': 'ada@example.com', 'client-address': '127.0.0.1' }
  const said: string[] = []
  const print = (line: string) => said.push(line)
  const call = { config, log: openLog('silent'), options: from, positionals: [file], print }
  assert.equal(await mailIngest.run(call), 0, said.join())
  await until('it is answered', async () => (await demo.ask('letters')).json[0].mails.length > 0)
  const listed = await demo.ask('letters')
  fits('get', 'letters', listed)
  fits('get', 'letters/{id}', await demo.ask(`letters/${listed.json[0].id}`))
  fits('get', 'letters/{id}', await demo.ask('letters/none'))
})

function formOf(kind: string): HookForm {
  const form = webhooks[kind]?.post.requestBody.content['application/x-www-form-urlencoded']?.schema
  assert.ok(form !== undefined, `${kind} is described`)
  return form
}

function detailsFit(kind: string, details: unknown): void {
  const { $ref } = formOf(kind).properties.details.contentSchema
  assert.ok(hookAjv.validate({ $ref: `openapi${$ref}` }, details), `${kind}: ${hookAjv.errorsText()}`)
}

test('each kind of hook is described, with what the answers to it mean', () => {
  assert.deepEqual(Object.keys(webhooks), ['pre_sale', 'transaction', 'far', 'error', 'generic', 'update'])
  for (const [kind, { post }] of Object.entries(webhooks)) {
    const statuses = kind === 'pre_sale' ? ['2XX', '5XX', 'default'] : ['2XX', 'default']
    assert.deepEqual(Object.keys(post.responses), statuses, kind)
    assert.deepEqual(post.security, [])
    assert.deepEqual(
      post.parameters.map(({ name, in: where, required }) => [name, where, required]),
      ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(name => [name, 'header', false]),
    )
    assert.throws(() => detailsFit(kind, {}), kind)
  }
})

test('the examples of hooks are as described, and verify with the key that they name', () => {
  for (const [kind, { post }] of Object.entries(webhooks)) {
    const examples = Object.values(post.requestBody.content['application/x-www-form-urlencoded']?.examples ?? {})
    assert.ok(examples.length > 0, kind)
    for (const { value } of examples) {
      detailsFit(kind, JSON.parse(value.details))
      assert.ok(verifyHook(value.details, value.signature, 'the text of a Private Key'), kind)
    }
  }
})

test('what happened is told as described: a sale, a decline, a challenge, a refund, a void', async () => {
  const { demo, database } = service
  const card = await demo.storeCard('4111111111111111', { first_name: 'Zoë “+&%”', last_name: '語 🧾' })
  const asks = { address: 'shipping', custom_fields: '[{"name":"size"}]', custom_user_data: 'a\u2028b', fulfillment: 1 }
  const sold = await demo.charge(await demo.makeOffer(asks), card, { form: { referrer_context: 'mail 7' } })
  for (const amount of ['4000.01', '4300.01']) await demo.charge(await demo.makeOffer({ amount }), card)
  await demo.ask('transactions/refunds', { form: { transaction: sold.json.transaction.id } })
  const held = await demo.charge(demo.offer, card, { form: { authorization_only: 'true' } })
  await demo.ask(`transactions/${held.json.transaction.id}/void`, { form: {}, method: 'POST' })

  const events = await database.sql<{ kind: string; type: string; details: string }[]>`
    select kind, type, details from event`
  assert.deepEqual(new Set(events.map(({ type }) => type)), new Set(['success', 'error', 'far', 'refund', 'void']))
  for (const { kind, type, details } of events) {
    detailsFit(kind, JSON.parse(details))
    if (kind !== 'update') detailsFit('generic', JSON.parse(details))
    assert.equal(JSON.parse(details).type, type)
  }
})

test('Pre-Sale asks as described', async () => {
  const { demo, database, demoSheet } = service
  const endpoint = await startEndpoint(response => response.writeHead(204).end())
  try {
    await addEndpoint(database.sql, demoSheet.merchant, { url: endpoint.url, kind: 'pre_sale' })
    assert.equal((await demo.charge(demo.offer, demo.card)).status, 200)
  } finally {
    await removeEndpoints(database.sql)
    await endpoint.close()
  }
  const form = Object.fromEntries(new URLSearchParams(endpoint.received[0]?.body))
  assert.ok(hookAjv.validate(formOf('pre_sale'), form), hookAjv.errorsText())
  detailsFit('pre_sale', JSON.parse(form.details ?? ''))
})

test('hook endpoints and deliveries answer as described', async () => {
  const { demo } = service
  const post = (path: string, form = {}) => demo.ask(path, { method: 'POST', form })
  const form = { kind: 'transaction', url: 'http://127.0.0.1:9/', standard_webhooks: 'true', timeout_s: 1 }
  const made = await post('hook_endpoints', form)
  const { id } = made.json.hook_endpoint
  fits('post', 'hook_endpoints', made)
  fits('post', 'hook_endpoints', await post('hook_endpoints', { kind: 'far', url: 'ftp://x' }))
  fits('get', 'hook_endpoints', await demo.ask('hook_endpoints'))
  fits('get', 'hook_endpoints/{id}', await demo.ask(`hook_endpoints/${id}`))
  fits('get', 'hook_endpoints/{id}', await demo.ask('hook_endpoints/none'))
  fits('post', 'hook_endpoints/{id}/rotate_secret', await post(`hook_endpoints/${id}/rotate_secret`))
  const tested = await post(`hook_endpoints/${id}/test`)
  fits('post', 'hook_endpoints/{id}/test', tested)
  fits('get', 'hook_deliveries', await demo.ask('hook_deliveries'))
  fits('get', 'hook_deliveries', await demo.ask('hook_deliveries?state=x'))
  const path = `hook_deliveries/${tested.json.hook_delivery.id}`
  fits('get', 'hook_deliveries/{id}', await demo.ask(path))
  fits('post', 'hook_deliveries/{id}/resend', await post(`${path}/resend`))
  const range = { endpoint: id, created_after: '2020-01-01T00:00:00Z' }
  fits('post', 'hook_deliveries/resend', await post('hook_deliveries/resend', range))
  fits('post', 'hook_deliveries/resend', await post('hook_deliveries/resend'))
  const change = { method: 'PATCH', form: { status: 'paused' } }
  fits('patch', 'hook_endpoints/{id}', await demo.ask(`hook_endpoints/${id}`, change))
  fits('post', 'hook_endpoints/{id}/test', await post(`hook_endpoints/${id}/test`))
  fits('post', 'hook_deliveries/{id}/resend', await post(`${path}/resend`))
  fits('delete', 'hook_endpoints/{id}', await demo.ask(`hook_endpoints/${id}`, { method: 'DELETE' }))
})
