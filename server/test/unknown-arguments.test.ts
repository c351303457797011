// An argument that a route does not know is refused by name, wherever it stands: a misspelt amount must never move another amount.
// The routes are taken from the running service, so that a new one cannot be forgotten.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { answered, refused, rowCounts, writingNothing } from './support/answers.ts'
import { type Answer, send } from './support/client.ts'
import { signedIn } from './support/console.ts'
import { requestText, sendRaw } from './support/raw.ts'
import { type Route, withRoutes } from './support/running-routes.ts'
import { startTestService } from './support/service.ts'
import { fillShop, naming } from './support/shop-of-all.ts'

const { service, app, routes } = await withRoutes(() => startTestService())
after(service.stop)
const { demo } = service
const { sql } = service.database
const shop = await service.newMerchant()
const { idIn, everything } = await fillShop(service, shop)
const owner = await signedIn(service.baseUrl, shop.login)

/** Refused with these sentences, by argument, and nothing is written. */
async function refusedWith(errors: { readonly [name: string]: string }, ask: () => Promise<Answer>): Promise<void> {
  const answer = await writingNothing(sql, ask)
  refused(answer, 422, Object.keys(errors))
  assert.deepEqual(answer.json.errors, errors)
}

const charge = () => ({ service_offer: demo.offer, token: demo.card })

test('a misspelt amount gives nothing back', async () => {
  const { transaction } = answered(await demo.charge(demo.offer, demo.card), 200).json
  const errors = { amout: 'amout is not known. Did you mean amount?' }
  const form = { transaction: transaction.id, amout: '1.00' }
  for (const method of ['GET', 'POST']) {
    await refusedWith(errors, () => demo.ask('transactions/refunds', { method, form }))
    await refusedWith(errors, () => demo.ask('transactions/refunds', { method, json: form }))
  }
  const { status } = (await demo.ask(`transactions/${transaction.id}`)).json.transaction
  assert.equal(status, 'Successful')
})

test('an amount on a charge is refused: the amount is the one of the offer', async () => {
  const errors = {
    amount: 'amount is not an argument of a transaction: the amount is that of the offer, times the quantity.',
  }
  for (const method of ['GET', 'POST']) {
    await refusedWith(errors, () => demo.ask('transactions', { method, form: { ...charge(), amount: '1.00' } }))
  }
})

test('an idempotency key among the arguments is refused, and the header is named', async () => {
  for (const name of ['idempotency_key', 'Idempotency-Key', 'idempotencyKey']) {
    const errors = { [name]: `${name} is not known. Send it as the header Idempotency-Key.` }
    await refusedWith(errors, () => demo.ask('transactions', { form: { ...charge(), [name]: 'order-7' } }))
    await refusedWith(errors, () => demo.ask(`transactions?${name}=order-7`, { form: charge() }))
  }
})

test('a misspelt filter does not list everything', async () => {
  await refusedWith({ statuss: 'statuss is not known. Did you mean status?' }, () =>
    demo.ask('transactions?statuss=Failed'),
  )
  await refusedWith({ constructor: 'constructor is not known.' }, () => demo.ask('transactions?constructor=x'))
  const ofProto = Object.fromEntries([['__proto__', '__proto__ is not known.']])
  await refusedWith(ofProto, () => demo.ask('offers?__proto__=x'))
  await refusedWith({ general: 'An argument without a name is not known.' }, () => demo.ask('offers?=x'))
  await refusedWith({ limit: 'limit is given more than once.' }, () => demo.ask('offers?limit=5&limit=5'))
})

test('an argument of the body is not taken from the query', async () => {
  await refusedWith({ quantity: 'quantity belongs in the body, not in the URL.' }, () =>
    demo.ask('transactions?quantity=2', { form: charge() }),
  )
  await refusedWith({ amount: 'amount belongs in the body, not in the URL.' }, () =>
    demo.ask('offers?amount=5.00', { form: { amount: '5.00' } }),
  )
})

test('what is unknown is said together with what is missing', async () => {
  await refusedWith({ amuont: 'amuont is not known. Did you mean amount?', amount: 'amount is required.' }, () =>
    demo.ask('offers', { form: { amuont: '5.00' } }),
  )
})

test('the key of an error is the name, cut to 64 characters, with card numbers masked', async () => {
  const ask = (name: string) => () => demo.ask('transactions', { form: { ...charge(), [name]: 'x' } })
  const long = 'x'.repeat(64)
  await refusedWith({ [long]: `${long} is not known.` }, ask('x'.repeat(1_000)))
  await refusedWith({ 'a************1111': 'a************1111 is not known.' }, ask('a4111111111111111'))
  const whole = `${'x'.repeat(60)}4111111111111111`
  await refusedWith({ [`${'x'.repeat(60)}****`]: `${'x'.repeat(60)}**** is not known.` }, ask(whole))
  const half = `${'x'.repeat(63)}🧾`
  await refusedWith({ ['x'.repeat(63)]: `${'x'.repeat(63)} is not known.` }, ask(half))
})

test('many unknown arguments get an answer of a few sentences', async () => {
  const unknown = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`a${index}`, '']))
  const ask = (count: number) => writingNothing(sql, () => demo.ask('transactions', { form: unknown(count) }))
  const few = answered(await ask(20), 422).json.errors
  assert.equal(Object.keys(few).length, 22)
  assert.equal(few.service_offer, 'service_offer is required.')
  const many = answered(await ask(200), 422)
  assert.equal(Object.keys(many.json.errors).length, 20)
  assert.ok(many.text.length < 5_000)
  const { errors } = answered(await ask(8_000), 422).json
  assert.deepEqual(errors, { general: 'The body has more than 200 arguments. Send only those that are needed.' })
})

test('unknown members are refused at every depth of JSON, also of JSON text in a form', async () => {
  const member = 'custom_fields[1][requird]'
  const errors = { [member]: `${member} is not known. Did you mean required?` }
  const custom_fields = [{ name: 'a' }, { name: 'b', requird: true }]
  await refusedWith(errors, () => demo.ask('offers', { json: { amount: '5.00', custom_fields } }))
  const text = JSON.stringify(custom_fields)
  await refusedWith(errors, () => demo.ask('offers', { form: { amount: '5.00', custom_fields: text } }))
})

test('unknown credentials of a gateway are refused, whatever its type', async () => {
  const known = {
    test: { url: 'http://127.0.0.1:9' },
    stripe: { secret_key: 'sk_test_1', publishable_key: 'pk_test_1' },
    braintree: { merchant_id: 'a', public_key: 'b', private_key: 'c', environment: 'sandbox' },
  }
  const misspelt: { readonly [type: string]: readonly [string, string] } = {
    test: ['ur', 'url'],
    stripe: ['webhook_secrt', 'webhook_secret'],
    braintree: ['merchant_acounts', 'merchant_accounts'],
  }
  for (const [type, credentials] of Object.entries(known)) {
    const [name = '', meant] = misspelt[type] ?? []
    const member = `credentials[${name}]`
    const errors = { [member]: `${member} is not known. Did you mean ${meant}?` }
    const wrong = { ...credentials, [name]: 'x' }
    await refusedWith(errors, () => demo.ask('gateways', { json: { type, credentials: wrong } }))
    await refusedWith(errors, () => demo.ask('gateways', { form: { type, credentials: JSON.stringify(wrong) } }))
  }
  const card = 'credentials[************1111]'
  await refusedWith({ [card]: `${card} is not known.` }, () =>
    demo.ask('gateways', { json: { type: 'test', credentials: { '4111111111111111': 'x' } } }),
  )
})

test('a name with brackets says how to send a list', async () => {
  const name = 'custom_fields[0][name]'
  await refusedWith({ [name]: `${name} is not known. Send custom_fields as one argument, in JSON.` }, () =>
    demo.ask('offers', { form: { amount: '5.00', [name]: 'size' } }),
  )
  await refusedWith({ 'amount[]': 'amount[] is not known. Did you mean amount?' }, () =>
    demo.ask('offers', { form: { amount: '5.00', 'amount[]': '6.00' } }),
  )
})

test('a name is refused where it is given twice, at every depth', async () => {
  const post = (body: string) =>
    send(`${service.baseUrl}/api/v5/rest/offers`, {
      method: 'POST',
      headers: { authorization: demo.authorization, 'content-type': 'application/json' },
      body,
    })
  const twice: { readonly [name: string]: string } = {
    amount: '{"amount":"5.00","\\u0061mount":"6.00"}',
    'custom_data[a]': '{"amount":"5.00","custom_data":{"a":1,"b":{"a":1},"a":2}}',
    'custom_data[b][0][c]': '{"amount":"5.00","custom_data":{"b":[{"c":"}","c" \n:1}]}}',
    'custom_fields[1][name]': '{"amount":"5.00","custom_fields":[{"name":"a"},{"name":"b","name":"c"}]}',
  }
  for (const [name, body] of Object.entries(twice)) {
    await refusedWith({ [name]: `${name} is given more than once.` }, () => post(body))
  }
  const custom_fields = '[{"name":"a","name":"b"}]'
  await refusedWith({ 'custom_fields[0][name]': 'custom_fields[0][name] is given more than once.' }, () =>
    demo.ask('offers', { form: { amount: '5.00', custom_fields } }),
  )
  const fine = await post('{"amount":"5.00","custom_data":{"a":"\\"a\\":","b":{"a":["a","a",{"a":1},{"a":1}]}}}')
  assert.deepEqual(answered(fine, 200).json.offer.custom_data, {
    ...{ a: '"a":', b: { a: ['a', 'a', { a: 1 }, { a: 1 }] } },
  })
})

test('an argument that cannot be changed says so', async () => {
  const [gateway] = (await demo.ask('gateways')).json
  const change = (path: string, json: object) => () => demo.ask(path, { method: 'PATCH', json })
  await refusedWith(
    { type: 'type of a gateway cannot be changed: connect another one.' },
    change(`gateways/${gateway.id}`, { type: 'stripe' }),
  )
  const made = await demo.ask('hook_endpoints', { form: { kind: 'error', url: 'http://127.0.0.1:9/' } })
  await refusedWith(
    { kind: 'kind cannot be changed: make another endpoint.' },
    change(`hook_endpoints/${answered(made, 200).json.hook_endpoint.id}`, { kind: 'far' }),
  )
})

test('a GET that takes no body refuses one', async () => {
  const headers = { Authorization: demo.authorization, 'Content-Type': 'application/x-www-form-urlencoded' }
  for (const path of ['offers', 'gateways', `offers/${demo.offer}`, `transactions/${demo.offer}`]) {
    for (const [more, body] of [
      [{ 'Content-Length': '7' }, 'limit=1'],
      [{ 'Transfer-Encoding': 'chunked' }, '7\r\nlimit=1\r\n0\r\n\r\n'],
    ] as const) {
      await refusedWith({ general: 'This GET takes no body. Send arguments in the query.' }, () =>
        sendRaw(service.baseUrl, requestText(`GET /api/v5/rest/${path}`, { ...headers, ...more }, body)),
      )
    }
    const bare = requestText(`GET /api/v5/rest/${path}`, { ...headers, 'Content-Length': '0' })
    assert.notEqual((await sendRaw(service.baseUrl, bare)).status, 422, path)
  }
})

const isRest = ({ url }: Route) => url.startsWith('/api/v5/rest/') || url === '/token/registrations'
const takesArguments = routes.filter(route => isRest(route) || route.url.startsWith('/console/'))
const nameOf = ({ method, url }: Route) => `${method} ${url}`

let asked = 0
/** From an address of its own each time: how often one may ask is another promise. */
async function ask(route: Route, url: string, body: object | null) {
  asked += 1
  const session = { cookie: owner.cookie, origin: service.baseUrl, 'x-csrf-token': owner.csrfToken }
  const answer = await app.inject({
    method: route.method as 'GET',
    url,
    headers: {
      ...(isRest(route) ? { authorization: shop.authorization } : session),
      ...(body !== null && { 'content-type': 'application/json' }),
    },
    remoteAddress: `198.18.${asked >> 8}.${asked & 255}`,
    ...(body !== null && { payload: JSON.stringify(body) }),
  })
  return { status: answer.statusCode, text: answer.body }
}

const unheardOf = /^unheard_of is not known\./

test('every route of REST and of the console refuses what it does not know, in the query and in the body', async () => {
  assert.ok(takesArguments.length > 100, `${takesArguments.length} routes`)
  const was = [await everything(), await rowCounts(sql)]
  for (const route of takesArguments) {
    const { url, body } = await naming(route, idIn)
    const takesBody = route.method !== 'GET'
    const inQuery = await ask(route, `${url}${url.includes('?') ? '&' : '?'}unheard_of=1`, takesBody ? body : null)
    assert.equal(inQuery.status, 422, `${nameOf(route)} takes a query: ${inQuery.text}`)
    if (takesBody) {
      const inBody = await ask(route, url, { ...body, unheard_of: 1 })
      assert.equal(inBody.status, 422, `${nameOf(route)} takes a body: ${inBody.text}`)
      assert.match(JSON.parse(inBody.text).errors.unheard_of ?? '', unheardOf, `${nameOf(route)}: ${inBody.text}`)
      // Other arguments of the body may be missing, which is said first.
      if (!('unheard_of' in JSON.parse(inQuery.text).errors)) continue
    }
    assert.match(JSON.parse(inQuery.text).errors.unheard_of ?? '', unheardOf, `${nameOf(route)}: ${inQuery.text}`)
  }
  assert.deepEqual([await everything(), await rowCounts(sql)], was)
})

type Schema = { readonly [keyword: string]: unknown }

/** Objects below a schema that take members which they do not name. */
function openIn(schema: unknown, path: string): string[] {
  if (schema === null || typeof schema !== 'object') return []
  const { properties = {}, items, anyOf = [] } = schema as Schema
  const isOpen = (schema as Schema).type === 'object' && (schema as Schema).additionalProperties !== false
  return [
    ...(isOpen ? [path] : []),
    ...Object.entries(properties as Schema).flatMap(([name, inner]) => openIn(inner, `${path} ${name}`)),
    ...openIn(items, `${path}[]`),
    ...(anyOf as Schema[]).flatMap(inner => openIn(inner, path)),
  ]
}

test('the OpenAPI document says that no other arguments are taken, but for custom data and the credentials of a gateway', async () => {
  const { paths } = JSON.parse((await app.inject({ url: '/api/v5/openapi.json' })).body)
  const open: string[] = []
  for (const [path, methods] of Object.entries<Schema>(paths)) {
    for (const [method, operation] of Object.entries<Schema>(methods as never)) {
      const { content = {} } = (operation.requestBody ?? {}) as { content?: { [type: string]: Schema } }
      for (const { schema } of Object.values(content)) open.push(...openIn(schema, `${method} ${path}`))
      assert.ok(method !== 'delete' || operation.requestBody === undefined, `${path} describes a body to delete`)
    }
  }
  const rest = '/api/v5/rest'
  assert.deepEqual([...new Set(open)].toSorted(), [
    `patch ${rest}/gateways/{id} credentials`,
    `post ${rest}/gateways credentials`,
    `post ${rest}/offers custom_data`,
  ])
})
