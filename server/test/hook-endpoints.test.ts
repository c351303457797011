// Hook endpoints over REST: where hooks go, paused, resumed, deleted, and the secrets that are shown once.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { answered, refused, writingNothing } from './support/answers.ts'
import type { Answer, Client } from './support/client.ts'
import { type MerchantEndpoint, startEndpoint } from './support/merchant-endpoint.ts'
import { startTestService, type TestService } from './support/service.ts'
import { until } from './support/until.ts'

let service: TestService
let receiver: MerchantEndpoint
before(async () => {
  service = await startTestService()
  receiver = await startEndpoint(response => void response.writeHead(200).end('thank you'))
})
after(async () => {
  await receiver.close()
  await service.stop()
})

type Seller = Client & { readonly merchant: string }
type Form = { readonly [name: string]: string | number }

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const secretPattern = /^whsec_[A-Za-z0-9+/]{43}=$/
const keys = ['id', 'kind', 'url', 'status', 'timeout_s', 'standard_webhooks', 'created_at', 'paused_because']
const unknownId = '0192aaaa-0000-7000-8000-000000000001'

const add = (client: Client, form: Form) => client.ask('hook_endpoints', { form })
const patch = (client: Client, id: string, form: Form, headers: { [name: string]: string } = {}) =>
  client.ask(`hook_endpoints/${id}`, { method: 'PATCH', form, headers })
const act = (client: Client, path: string, headers: { [name: string]: string } = {}) =>
  client.ask(`hook_endpoints/${path}`, { method: 'POST', form: {}, headers })

async function added(client: Client, form: Form = {}): Promise<string> {
  return answered(await add(client, { kind: 'transaction', url: receiver.url, ...form }), 200).json.hook_endpoint.id
}

test('an endpoint answers with exactly what it is, and the time its kind allows', async () => {
  const seller = await service.newMerchant()
  for (const kind of ['pre_sale', 'transaction', 'far', 'error', 'generic', 'update']) {
    const { json } = answered(await add(seller, { kind, url: 'https://shop.example.com/hook?a=1&b=%20' }), 200)
    assert.deepEqual(Object.keys(json), ['hook_endpoint'])
    assert.deepEqual(Object.keys(json.hook_endpoint), keys)
    const { id, created_at, ...rest } = json.hook_endpoint
    assert.match(id, uuid)
    assert.match(created_at, time)
    assert.deepEqual(rest, {
      kind,
      url: 'https://shop.example.com/hook?a=1&b=%20',
      status: 'enabled',
      timeout_s: kind === 'pre_sale' ? 10 : 15,
      standard_webhooks: false,
      paused_because: null,
    })
    assert.deepEqual(answered(await seller.ask(`hook_endpoints/${id.toUpperCase()}`), 200).json, json)
  }
  const given = { kind: 'far', url: receiver.url, timeout_s: 30, standard_webhooks: false }
  const byJson = answered(await seller.ask('hook_endpoints', { json: given }), 200).json.hook_endpoint
  assert.deepEqual([byJson.timeout_s, byJson.standard_webhooks], [30, false])
})

test('what makes no sense is refused with its name, and writes nothing', async () => {
  const seller = await service.newMerchant()
  const id = await added(seller)
  const wrong: [Form, string[]][] = [
    [{}, ['kind', 'url']],
    [{ kind: 'sale', url: receiver.url }, ['kind']],
    [{ kind: 'far' }, ['url']],
    [{ kind: 'far', url: '' }, ['url']],
    [{ kind: 'far', url: receiver.url, timeout_s: 0 }, ['timeout_s']],
    [{ kind: 'far', url: receiver.url, timeout_s: 31 }, ['timeout_s']],
    [{ kind: 'far', url: receiver.url, timeout_s: '1.5' }, ['timeout_s']],
    [{ kind: 'far', url: receiver.url, standard_webhooks: 'yes' }, ['standard_webhooks']],
  ]
  const urls = [
    ...['ftp://shop.example.com/', 'shop.example.com', 'https://', 'https://user:pass@shop.example.com/', '//host/'],
    ...[
      'http://169.254.169.254/',
      'http://[::ffff:169.254.169.254]/',
      'http://2852039166/',
      'http://0251.0376.0251.0376/',
    ],
    ...['http://10.0.0.1/', `https://shop.example.com/${'x'.repeat(3_000)}`, `${service.baseUrl}/hook`, 'https://a b/'],
  ]
  for (const [form, fields] of wrong) {
    refused(await writingNothing(service.database.sql, () => add(seller, form)), 422, fields)
  }
  for (const url of urls) {
    refused(await writingNothing(service.database.sql, () => add(seller, { kind: 'far', url })), 422, ['url'])
    refused(await writingNothing(service.database.sql, () => patch(seller, id, { url })), 422, ['url'])
  }
  for (const form of [
    { status: 'stopped' },
    { timeout_s: 31 },
    { standard_webhooks: 'x' },
    { kind: 'far' },
  ] as Form[]) {
    refused(await patch(seller, id, form), 422, Object.keys(form))
  }
  refused(await add(seller, { kind: 'far', url: receiver.url, status: 'stopped' }), 422, ['status'])
  refused(await patch(seller, id, { kind: 'transaction', timeout_s: 3 }), 422, ['kind'])
  refused(await patch(seller, id, {}), 422, ['general'])
  refused(await patch(seller, id, { name: 'my hook' }), 422, ['name'])
  assert.equal((await seller.ask(`hook_endpoints/${id}`)).json.hook_endpoint.timeout_s, 15)
  refused(await seller.ask('hook_endpoints?limit=0'), 422, ['limit'])
  refused(await seller.ask('hook_endpoints?after=x'), 422, ['after'])
})

test('endpoints are listed newest first, page by page, without the deleted and without secrets', async () => {
  const seller = await service.newMerchant()
  const ids: string[] = []
  for (let index = 0; index < 5; index++) ids.unshift(await added(seller, { standard_webhooks: 'true' }))
  answered(await seller.ask(`hook_endpoints/${ids[2]}`, { method: 'DELETE' }), 200)
  const left = ids.filter(id => id !== ids[2])
  const list = answered(await seller.ask('hook_endpoints'), 200)
  assert.deepEqual(
    list.json.map((endpoint: { id: string }) => endpoint.id),
    left,
  )
  for (const endpoint of list.json) assert.deepEqual(Object.keys(endpoint), keys)
  const page = answered(await seller.ask('hook_endpoints?limit=2'), 200)
  assert.match(String(page.headers.link), new RegExp(`after=${left[1]}>; rel="next"$`))
  const rest = answered(await seller.ask(`hook_endpoints?limit=3&after=${left[1]}`), 200)
  assert.deepEqual(
    rest.json.map((endpoint: { id: string }) => endpoint.id),
    left.slice(2),
  )
  assert.equal(rest.headers.link, undefined)
})

test('a change touches what it names and nothing else', async () => {
  const seller = await service.newMerchant()
  const before = answered(await add(seller, { kind: 'error', url: receiver.url }), 200).json.hook_endpoint
  const moved = answered(await patch(seller, before.id, { url: 'https://shop.example.com/new' }), 200).json
  assert.deepEqual(moved.hook_endpoint, { ...before, url: 'https://shop.example.com/new' })
  const timed = answered(await patch(seller, before.id, { timeout_s: 3 }), 200).json
  assert.deepEqual(timed.hook_endpoint, { ...moved.hook_endpoint, timeout_s: 3 })
  assert.deepEqual(answered(await seller.ask(`hook_endpoints/${before.id}`), 200).json, timed)
})

test('an endpoint that is moved or resumed begins without a history of failures', async () => {
  const { sql } = service.database
  const seller = await service.newMerchant()
  const id = await added(seller)
  const failing = async () => {
    await sql`update hook_endpoint set failing_since = now() - interval '4 days' where id = ${id}`
  }
  const health = async () => {
    const [row] =
      await sql`select failing_since is not null as failing, paused_because from hook_endpoint where id = ${id}`
    return row
  }
  await failing()
  answered(await patch(seller, id, { timeout_s: 5 }), 200)
  assert.deepEqual(await health(), { failing: true, pausedBecause: null })
  answered(await patch(seller, id, { url: `${receiver.url}?moved` }), 200)
  assert.deepEqual(await health(), { failing: false, pausedBecause: null })
  answered(await patch(seller, id, { status: 'paused' }), 200)
  assert.deepEqual(await health(), { failing: false, pausedBecause: 'asked' })
  await failing()
  await sql`update hook_endpoint set paused_because = 'failing' where id = ${id}`
  answered(await patch(seller, id, { status: 'enabled' }), 200)
  assert.deepEqual(await health(), { failing: false, pausedBecause: null })
})

test('a paused endpoint says whether somebody asked for it', async () => {
  const { sql } = service.database
  const seller = await service.newMerchant()
  const form = { kind: 'transaction', url: receiver.url, status: 'paused' }
  const made = answered(await add(seller, form), 200).json.hook_endpoint
  assert.deepEqual([made.status, made.paused_because], ['paused', 'asked'])
  const turn = async (status: string) => answered(await patch(seller, made.id, { status }), 200).json.hook_endpoint
  assert.equal((await turn('enabled')).paused_because, null)
  assert.equal((await turn('paused')).paused_because, 'asked')
  await sql`update hook_endpoint set paused_because = 'failing' where id = ${made.id}`
  const shown = async () => answered(await seller.ask(`hook_endpoints/${made.id}`), 200).json.hook_endpoint
  assert.equal((await shown()).paused_because, 'failing')
  assert.equal((await turn('paused')).paused_because, 'failing', 'that it stays paused changes nothing')
  assert.deepEqual(await turn('enabled'), await shown())
  assert.equal((await shown()).paused_because, null)
})

async function sell(seller: Seller): Promise<string> {
  const card = await seller.storeCard()
  const { json } = answered(await seller.charge(await seller.makeOffer(), card), 200)
  return json.transaction.id
}

const deliveries = async (seller: Seller, query = '') =>
  answered(await seller.ask(`hook_deliveries?${query}`), 200).json

async function pausedLater(seller: Seller): Promise<string> {
  const id = await added(seller)
  assert.equal(answered(await patch(seller, id, { status: 'paused' }), 200).json.hook_endpoint.status, 'paused')
  return id
}

for (const [which, made] of [
  ['a paused endpoint', pausedLater],
  ['an endpoint that was made paused', (seller: Seller) => added(seller, { status: 'paused' })],
] as const)
  test(`what ${which} is owed waits, and goes out when it is resumed`, async () => {
    const seller = await service.newMerchant()
    const id = await made(seller)
    const transaction = await sell(seller)
    const [waiting] = await deliveries(seller)
    assert.deepEqual(
      [waiting.transaction, waiting.state, waiting.attempts, waiting.next_attempt_at],
      [transaction, 'pending', 0, null],
    )
    const got = receiver.received.length
    assert.equal(answered(await patch(seller, id, { status: 'enabled' }), 200).json.hook_endpoint.status, 'enabled')
    await until('it is delivered', async () => (await deliveries(seller, 'state=delivered')).length === 1)
    assert.equal(receiver.received.length, got + 1)
    assert.ok(receiver.received.at(-1)?.body.includes(transaction))
  })

test('one that was due when its endpoint was paused waits too', async t => {
  const broken = await startEndpoint(response => void response.writeHead(500).end())
  t.after(() => broken.close())
  const seller = await service.newMerchant()
  const id = await added(seller, { url: broken.url })
  await sell(seller)
  await until('it failed', async () => (await deliveries(seller))[0]?.attempts === 1)
  assert.match((await deliveries(seller))[0].next_attempt_at, time)
  answered(await patch(seller, id, { status: 'paused' }), 200)
  assert.equal((await deliveries(seller))[0].next_attempt_at, null)
  answered(await patch(seller, id, { status: 'enabled' }), 200)
  assert.match((await deliveries(seller))[0].next_attempt_at, time)
})

test('a deleted endpoint is gone, and what it was owed is canceled', async () => {
  const seller = await service.newMerchant()
  const form = { kind: 'transaction', url: receiver.url, standard_webhooks: 'true' }
  const { secret, ...made } = answered(await add(seller, form), 200).json.hook_endpoint
  assert.match(secret, secretPattern)
  answered(await patch(seller, made.id, { status: 'paused' }), 200)
  await sell(seller)
  const gone = answered(await seller.ask(`hook_endpoints/${made.id}`, { method: 'DELETE' }), 200)
  assert.deepEqual(gone.json, { hook_endpoint: { ...made, status: 'paused', paused_because: 'asked' } })
  const [canceled] = await deliveries(seller)
  assert.deepEqual(
    [canceled.state, canceled.next_attempt_at, canceled.url, canceled.endpoint],
    ['canceled', null, receiver.url, made.id],
  )
  for (const answer of [
    await seller.ask(`hook_endpoints/${made.id}`),
    await seller.ask(`hook_endpoints/${made.id}`, { method: 'DELETE' }),
    await patch(seller, made.id, { status: 'enabled' }),
    await act(seller, `${made.id}/test`),
    await act(seller, `${made.id}/rotate_secret`),
  ]) {
    refused(answer, 404, ['hook_endpoint'])
  }
  assert.deepEqual((await seller.ask('hook_endpoints')).json, [])
  const secrets = await service.database.sql`select from hook_secret where endpoint_id = ${made.id}`
  assert.equal(secrets.length, 0, 'its secrets are destroyed')
})

test('four tests of a merchant are under way at once, and what too many ask for is refused', async t => {
  const seller = await service.newMerchant()
  const held: (() => void)[] = []
  let mayAnswer = false
  const slow = await startEndpoint(response => {
    const answer = () => void response.writeHead(200).end()
    if (mayAnswer) answer()
    else held.push(answer)
  })
  t.after(() => slow.close())
  const id = await added(seller, { url: slow.url, timeout_s: 30 })
  const answers = Array.from({ length: 25 }, () => act(seller, `${id}/test`))
  const first = await Promise.race(answers)
  refused(first, 429, ['general'])
  assert.ok(Number(first.headers['retry-after']) > 0)
  await until('four have come', async () => held.length === 4)
  assert.equal((await seller.ask(`hook_deliveries?endpoint=${id}`)).json.length, 4, 'the others wait')
  mayAnswer = true
  for (const answer of held) answer()
  const statuses = (await Promise.all(answers)).map(({ status }) => status)
  assert.deepEqual(
    [statuses.filter(each => each === 200).length, statuses.filter(each => each === 429).length],
    [20, 5],
  )
})

test("another merchant's endpoint is as unknown as one that never was", async () => {
  const [seller, stranger] = [await service.newMerchant(), await service.newMerchant()]
  const theirs = await added(seller, { standard_webhooks: 'true' })
  const texts = (id: string) =>
    Promise.all([
      stranger.ask(`hook_endpoints/${id}`),
      patch(stranger, id, { status: 'paused' }),
      stranger.ask(`hook_endpoints/${id}`, { method: 'DELETE' }),
      act(stranger, `${id}/test`),
      act(stranger, `${id}/rotate_secret`),
    ])
  const of = (answers: Answer[]) => answers.map(({ status, text }) => [status, text])
  assert.deepEqual(of(await texts(theirs)), of(await texts(unknownId)))
  for (const answer of [...(await texts(theirs)), ...(await texts('none'))]) refused(answer, 404, ['hook_endpoint'])
  assert.equal((await seller.ask(`hook_endpoints/${theirs}`)).json.hook_endpoint.status, 'enabled')
})

test('a merchant has at most 50 endpoints, also when many are added at once', async () => {
  const seller = await service.newMerchant()
  const answers: Answer[] = []
  for (let round = 0; round < 9; round++) {
    const form = { kind: 'far', url: 'https://shop.example.com/' }
    answers.push(...(await Promise.all(Array.from({ length: 6 }, () => add(seller, form)))))
  }
  const made = answers.filter(({ status }) => status === 200)
  assert.equal(made.length, 50)
  for (const answer of answers) if (answer.status !== 200) refused(answer, 422, ['general'])
  answered(await seller.ask(`hook_endpoints/${made[0]?.json.hook_endpoint.id}`, { method: 'DELETE' }), 200)
  await added(seller)
})

test('at most five endpoints of a merchant are Pre-Sale, paused or not, also when many are added at once', async () => {
  const seller = await service.newMerchant()
  const form = { kind: 'pre_sale', url: 'https://shop.example.com/' }
  const answers = await Promise.all([
    ...Array.from({ length: 4 }, () => add(seller, form)),
    ...Array.from({ length: 4 }, () => add(seller, { ...form, status: 'paused' })),
  ])
  const made = answers.filter(({ status }) => status === 200).map(({ json }) => json.hook_endpoint)
  assert.equal(made.length, 5)
  for (const answer of answers) if (answer.status !== 200) refused(answer, 422, ['kind'])
  const sixth = await writingNothing(service.database.sql, () => add(seller, form))
  assert.deepEqual(sixth.json.errors, {
    kind: 'kind can be pre_sale for at most 5 endpoints of a merchant, paused ones included. Delete one first.',
  })
  for (const { id } of made) answered(await patch(seller, id, { status: 'enabled' }), 200)
  await added(seller)
  answered(await seller.ask(`hook_endpoints/${made[0].id}`, { method: 'DELETE' }), 200)
  await added(seller, { kind: 'pre_sale' })
})

test('who had more than five Pre-Sale endpoints before keeps them, and can pause and resume each', async () => {
  const { sql } = service.database
  const seller = await service.newMerchant()
  const ids = await Promise.all(Array.from({ length: 7 }, () => added(seller)))
  await sql`update hook_endpoint set kind = 'pre_sale' where merchant_id = ${seller.merchant}`
  for (const status of ['paused', 'enabled']) {
    for (const id of ids) answered(await patch(seller, id, { status }), 200)
  }
  refused(await add(seller, { kind: 'pre_sale', url: receiver.url }), 422, ['kind'])
})

test('every change is done once per key, whatever comes after', async () => {
  const seller = await service.newMerchant()
  const id = await added(seller)
  const key = { 'idempotency-key': 'k' }
  const paused = answered(await patch(seller, id, { status: 'paused' }, key), 200)
  answered(await patch(seller, id, { status: 'enabled' }), 200)
  const again = answered(await patch(seller, id.toUpperCase(), { status: 'paused' }, key), 200)
  assert.deepEqual([again.text, again.headers['idempotent-replayed']], [paused.text, 'true'])
  assert.equal((await seller.ask(`hook_endpoints/${id}`)).json.hook_endpoint.status, 'enabled')
  refused(await patch(seller, id, { status: 'enabled' }, key), 422, ['general'])
  const gone = answered(await seller.ask(`hook_endpoints/${id}`, { method: 'DELETE', headers: key }), 200)
  const goneAgain = answered(await seller.ask(`hook_endpoints/${id}`, { method: 'DELETE', headers: key }), 200)
  assert.deepEqual([goneAgain.text, goneAgain.headers['idempotent-replayed']], [gone.text, 'true'])
})
