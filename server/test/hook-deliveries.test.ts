// Hook deliveries over REST: what was sent, every attempt of it, Pre-Sale requests among them.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { verifyHook } from '@tillbell/sdk'
import { answered, refused } from './support/answers.ts'
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

interface Shown {
  readonly id: string
  readonly kind: string
  readonly endpoint: string
  readonly url: string
  readonly transaction: string
  readonly state: string
  readonly attempts: number
  readonly next_attempt_at: string | null
  readonly created_at: string
}

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/
const keys = ['id', 'kind', 'endpoint', 'url', 'transaction', 'state', 'attempts', 'next_attempt_at', 'created_at']
const attemptKeys = ['number', 'at', 'status', 'duration_ms', 'reason', 'response', 'url', 'resend']
const accepted = { number: 1, status: 200, reason: null, resend: false }
const nilUuid = '00000000-0000-0000-0000-000000000000'
const declined = '4012888888881881'

async function addEndpoint(client: Client, kind: string, url = receiver.url, more = {}): Promise<string> {
  const { json } = answered(await client.ask('hook_endpoints', { form: { kind, url, ...more } }), 200)
  return json.hook_endpoint.id
}

async function list(client: Client, query = ''): Promise<Shown[]> {
  return answered(await client.ask(`hook_deliveries?${query}`), 200).json
}

const show = async (client: Client, id = '') =>
  answered(await client.ask(`hook_deliveries/${id}`), 200).json.hook_delivery

const settled = (client: Client) =>
  until('all are tried', async () => (await list(client, 'limit=100')).every(({ attempts }) => attempts > 0))

async function sell(client: Client, number?: string): Promise<string> {
  const { json } = await client.charge(await client.makeOffer(), await client.storeCard(number))
  return json.transaction.id
}

test('a delivery is listed with exactly what it is, and shown with what was sent and every attempt', async () => {
  const { demo, demoSheet } = service
  const endpoint = await addEndpoint(demo, 'transaction')
  const transaction = await sell(demo)
  await settled(demo)
  const [listed, ...others] = answered(await demo.ask(`hook_deliveries?endpoint=${endpoint}`), 200).json
  assert.deepEqual(others, [])
  assert.deepEqual(Object.keys(listed), keys)
  const { id, created_at, ...rest } = listed
  assert.match(created_at, time)
  const expected = { kind: 'transaction', endpoint, url: receiver.url, transaction, state: 'delivered' }
  assert.deepEqual(rest, { ...expected, attempts: 1, next_attempt_at: null })
  const { details, signature, attempts, ...shown } = await show(demo, id.toUpperCase())
  assert.deepEqual({ ...shown, attempts: attempts.length }, listed)
  const [{ at, duration_ms, ...attempt }] = attempts
  assert.deepEqual(Object.keys(attempts[0]), attemptKeys)
  assert.deepEqual(attempt, { ...accepted, response: 'thank you', url: receiver.url })
  assert.match(at, time)
  assert.ok(Number.isInteger(duration_ms) && duration_ms >= 0)
  const sent = new URLSearchParams(receiver.received.at(-1)?.body)
  assert.deepEqual([details, signature], [sent.get('details'), sent.get('signature')])
  assert.ok(verifyHook(details, signature, demoSheet.private_key))
  assert.equal(JSON.parse(details).transaction, transaction)
  await demo.ask(`hook_endpoints/${endpoint}`, { method: 'DELETE' })
})

test('a failed attempt says why, and when the next one is due', async t => {
  const seller = await service.newMerchant()
  const broken = await startEndpoint(response => void response.writeHead(503).end('no'))
  t.after(() => broken.close())
  const refuses = await startEndpoint(() => {})
  await refuses.close()
  const moved = await startEndpoint(response => void response.writeHead(301, { location: receiver.url }).end())
  t.after(() => moved.close())
  for (const { url } of [broken, refuses, moved]) await addEndpoint(seller, 'transaction', url)
  await sell(seller)
  await settled(seller)
  for (const { id, state, attempts, next_attempt_at } of await list(seller)) {
    const delivery = await show(seller, id)
    const [{ at, duration_ms: _, ...attempt }] = delivery.attempts
    assert.deepEqual([state, attempts], ['pending', 1])
    assert.equal(Date.parse(next_attempt_at ?? '') - Date.parse(at), 300_000, 'five minutes after the first')
    const { status, reason, response } = attempt
    if (delivery.url === broken.url) {
      assert.deepEqual([status, reason, response], [503, 'The endpoint answered 503.', 'no'])
    } else if (delivery.url === moved.url) {
      assert.deepEqual([status, reason, response], [301, 'A redirect is not followed.', ''])
    } else {
      assert.deepEqual([status, response], [null, null], 'nothing came back')
      assert.match(reason, /refused/)
    }
  }
})

/** Of a merchant with one endpoint of each kind: a sale, a decline, a refund, and tests. */
async function busySeller() {
  const seller = await service.newMerchant()
  const endpoints: { [kind: string]: string } = {}
  for (const kind of ['pre_sale', 'transaction', 'error', 'generic', 'update']) {
    endpoints[kind] = await addEndpoint(seller, kind)
  }
  const sold = await sell(seller)
  const failed = await sell(seller, declined)
  answered(await seller.ask('transactions/refunds', { form: { transaction: sold } }), 200)
  const tested = await seller.ask(`hook_endpoints/${endpoints.transaction}/test`, { method: 'POST', form: {} })
  const test = answered(tested, 200).json.hook_delivery.id
  await settled(seller)
  return { seller, endpoints, sold, failed, test }
}

test('each filter selects what it says, alone and together', async () => {
  const { seller, endpoints, sold, failed, test: tested } = await busySeller()
  const all = await list(seller)
  const what = (rows: Shown[]) => rows.map(({ kind, transaction }) => `${kind} ${names[transaction]}`).sort()
  const names: { [id: string]: string } = { [sold]: 'sold', [failed]: 'failed', [nilUuid]: 'test' }
  const ofSold = ['pre_sale sold', 'transaction sold', 'transaction sold', 'update sold']
  const ofFailed = ['error failed', 'error failed', 'pre_sale failed']
  assert.deepEqual(what(all), [...ofFailed, ...ofSold, 'transaction test'].sort())
  const filtered = async (query: string) => what(await list(seller, query))
  assert.deepEqual(await filtered(`transaction=${sold}`), ofSold)
  assert.deepEqual(await filtered(`transaction=${failed.toUpperCase()}`), ofFailed)
  assert.deepEqual(await filtered(`transaction=${nilUuid}`), ['transaction test'])
  assert.deepEqual(await filtered('kind=pre_sale'), ['pre_sale failed', 'pre_sale sold'])
  assert.deepEqual(await filtered('kind=transaction'), ['transaction sold', 'transaction sold', 'transaction test'])
  assert.deepEqual(await filtered('kind=error'), ['error failed', 'error failed'])
  assert.deepEqual(await filtered('kind=update'), ['update sold'])
  assert.deepEqual(await filtered('kind=far'), [])
  assert.deepEqual(await filtered('kind=generic'), ['error failed', 'transaction sold'])
  assert.deepEqual(await filtered(`endpoint=${endpoints.generic}`), ['error failed', 'transaction sold'])
  assert.deepEqual(await filtered(`endpoint=${endpoints.pre_sale}`), ['pre_sale failed', 'pre_sale sold'])
  assert.deepEqual(await filtered(`endpoint=${endpoints.update?.toUpperCase()}`), ['update sold'])
  assert.deepEqual(await filtered(`endpoint=${tested}`), [])
  assert.deepEqual(await filtered('state=delivered'), what(all))
  for (const state of ['pending', 'dropped', 'canceled']) assert.deepEqual(await filtered(`state=${state}`), [])
  assert.deepEqual(await filtered(`kind=generic&transaction=${failed}&state=delivered`), ['error failed'])
  const times = [...new Set(all.map(({ created_at }) => created_at))].sort()
  const [first = '', last = ''] = [times[0], times.at(-1)]
  const created = (test: (at: string) => boolean) => what(all.filter(({ created_at }) => test(created_at)))
  const within = created(at => at > first && at < last)
  assert.deepEqual(
    await filtered(`created_after=${encodeURIComponent(first)}`),
    created(at => at > first),
  )
  assert.deepEqual(
    await filtered(`created_before=${encodeURIComponent(last)}`),
    created(at => at < last),
  )
  assert.deepEqual(await filtered(`created_after=${first}&created_before=${last}`), within, 'a bare + too')
  assert.ok(within.some(row => row.startsWith('pre_sale')) && within.length < all.length)
  assert.deepEqual(await filtered(`created_before=${first}`), [])
  assert.deepEqual(await filtered(`kind=error&endpoint=${endpoints.generic}`), ['error failed'])
  assert.deepEqual(await filtered(`kind=pre_sale&endpoint=${endpoints.generic}`), [])
  assert.deepEqual(await filtered('kind=pre_sale&state=canceled'), [])
  await seller.ask(`hook_endpoints/${endpoints.generic}`, { method: 'DELETE' })
  assert.deepEqual(await filtered('kind=generic'), ['error failed', 'transaction sold'], 'it was sent all the same')
})

test('pages lead through both kinds of row once, newest first, with every filter', async () => {
  const { seller, sold } = await busySeller()
  for (const query of ['', 'state=delivered', 'kind=transaction', 'kind=generic', `transaction=${sold}`]) {
    const whole = await list(seller, `${query}&limit=100`)
    const ids = whole.map(({ id }) => id)
    assert.deepEqual(ids, ids.toSorted().reverse())
    const walked: string[] = []
    for (let path: string | undefined = `hook_deliveries?${query}&limit=2`; path !== undefined; ) {
      const page: Answer = answered(await seller.ask(path), 200)
      assert.ok(page.json.length <= 2)
      assert.ok(walked.length <= ids.length, 'the pages go in circles')
      walked.push(...page.json.map(({ id }: Shown) => id))
      const [, url] = /^<(.+)>; rel="next"$/.exec(String(page.headers.link ?? '')) ?? []
      path = url?.slice(`${seller.baseUrl}/api/v5/rest/`.length)
    }
    assert.deepEqual(walked, ids, query)
  }
})

test('a Pre-Sale request is shown as what it is: asked once, answered or not', async t => {
  const seller = await service.newMerchant()
  const { sql } = service.database
  let status = 200
  let asked = Promise.withResolvers<() => void>()
  const endpoint = await startEndpoint(response =>
    asked.resolve(() => void response.writeHead(status).end('in stock: 3')),
  )
  t.after(() => endpoint.close())
  await addEndpoint(seller, 'pre_sale', endpoint.url)
  const answer = async (say: number) => {
    status = say
    asked = Promise.withResolvers()
    const selling = sell(seller)
    const release = await asked.promise
    const [pending] = await list(seller, 'limit=1')
    assert.deepEqual([pending?.kind, pending?.state, pending?.attempts], ['pre_sale', 'pending', 0])
    assert.equal((await list(seller, 'state=pending')).length, 1)
    assert.deepEqual((await show(seller, pending?.id)).attempts, [])
    release()
    await selling
    return show(seller, pending?.id)
  }
  const yes = await answer(200)
  const { at: _, duration_ms, ...attempt } = yes.attempts[0]
  assert.deepEqual([yes.state, yes.next_attempt_at], ['delivered', null])
  assert.deepEqual(attempt, { ...accepted, response: 'in stock: 3', url: endpoint.url })
  assert.ok(Number.isInteger(duration_ms))
  assert.equal(JSON.parse(yes.details).type, 'pre_sale')
  for (const [say, reason] of [
    [302, 'A redirect is not followed.'],
    [403, 'The endpoint answered 403.'],
    [500, 'The endpoint answered 500.'],
  ] as const) {
    const no = await answer(say)
    assert.deepEqual([no.state, no.attempts[0].status, no.attempts[0].reason], ['dropped', say, reason])
  }
  assert.deepEqual(
    [(await list(seller, 'state=dropped')).length, (await list(seller, 'state=delivered')).length],
    [3, 1],
  )
  await sql`update pre_sale_request set status = null, reason = null, duration_ms = null, answer = null, answered_at = null
    where id = ${yes.id}`
  const lost = await show(seller, yes.id)
  assert.deepEqual([lost.state, lost.attempts.length, lost.attempts[0].status], ['dropped', 1, null])
  assert.match(lost.attempts[0].reason, /lost/)
  assert.equal((await list(seller, 'state=dropped')).length, 4)
})

test('each attempt says where it went and whether it was asked for, however the endpoint is changed later', async () => {
  const seller = await service.newMerchant()
  const elsewhere = `${receiver.url}?moved`
  const [preSale, endpoint] = [await addEndpoint(seller, 'pre_sale'), await addEndpoint(seller, 'transaction')]
  await sell(seller)
  await settled(seller)
  const move = async (id: string, url: string) =>
    answered(await seller.ask(`hook_endpoints/${id}`, { method: 'PATCH', form: { url } }), 200)
  await move(preSale, elsewhere)
  await move(endpoint, elsewhere)
  const urls = async () => (await list(seller)).map(({ url }) => url)
  assert.deepEqual(await urls(), [receiver.url, receiver.url], 'where they went')
  const [asked] = await list(seller, 'kind=pre_sale')
  const made = (await show(seller, asked?.id)).attempts
  assert.deepEqual([made[0].url, made[0].resend], [receiver.url, false])
  const [sent] = await list(seller, 'kind=transaction')
  answered(await seller.ask(`hook_deliveries/${sent?.id}/resend`, { method: 'POST' }), 200)
  await until('it is sent again', async () => (await show(seller, sent?.id)).attempts.length === 2)
  await move(endpoint, `${receiver.url}?again`)
  const { url, attempts } = await show(seller, sent?.id)
  assert.equal(url, elsewhere, 'where the newest attempt went')
  assert.deepEqual(
    attempts.map((attempt: { url: string; resend: boolean }) => [attempt.url, attempt.resend]),
    [
      [receiver.url, false],
      [elsewhere, true],
    ],
  )
})

test('of very many attempts the newest fifty are shown, and a resend answers without any', async () => {
  const seller = await service.newMerchant()
  await addEndpoint(seller, 'transaction')
  await sell(seller)
  await settled(seller)
  const [sent] = await list(seller)
  const { sql } = service.database
  await sql`insert into attempt (merchant_id, delivery_id, number, at, url, resend, status, reason, duration_ms, response)
    select merchant_id, delivery_id, n, at, url, true, status, reason, duration_ms, repeat('x', 16000)
    from attempt cross join generate_series(2, 300) n where delivery_id = ${sent?.id ?? ''}`
  const numbers = async () =>
    (await show(seller, sent?.id)).attempts.map(({ number }: { number: number }) => number) as number[]
  assert.deepEqual(
    await numbers(),
    Array.from({ length: 50 }, (_, at) => 251 + at),
  )
  const resent = answered(await seller.ask(`hook_deliveries/${sent?.id}/resend`, { method: 'POST' }), 200)
  assert.deepEqual(Object.keys(resent.json.hook_delivery), keys)
})

test('what was never tried shows where it will go', async () => {
  const seller = await service.newMerchant()
  const endpoint = await addEndpoint(seller, 'transaction')
  const change = (form: { [name: string]: string }) =>
    seller.ask(`hook_endpoints/${endpoint}`, { method: 'PATCH', form })
  answered(await change({ status: 'paused' }), 200)
  await sell(seller)
  answered(await change({ url: `${receiver.url}?moved` }), 200)
  const [waiting] = await list(seller)
  assert.deepEqual([waiting?.attempts, waiting?.url], [0, `${receiver.url}?moved`])
})

test('once its customer is erased, a delivery shows nothing of what it said', async () => {
  const seller = await service.newMerchant()
  await addEndpoint(seller, 'pre_sale')
  await addEndpoint(seller, 'transaction')
  await sell(seller)
  await settled(seller)
  answered(await seller.ask('customers/erasures', { form: { email: 'ada@example.com' } }), 200)
  for (const { id } of await list(seller)) {
    const { details, signature, attempts } = await show(seller, id)
    assert.deepEqual([details, signature, attempts.length], [null, null, 1])
  }
})

test('bad filters are refused by name, and unknown deliveries are not known', async () => {
  const [seller, stranger] = [await service.newMerchant(), await service.newMerchant()]
  await addEndpoint(seller, 'pre_sale')
  await addEndpoint(seller, 'transaction')
  await sell(seller)
  await settled(seller)
  for (const [query, field] of [
    ['state=sent', 'state'],
    ['kind=sale', 'kind'],
    ['endpoint=x', 'endpoint'],
    ['transaction=x', 'transaction'],
    ['after=x', 'after'],
    ['created_after=yesterday', 'created_after'],
    ['created_before=2026-02-30T00:00:00Z', 'created_before'],
    ['limit=101', 'limit'],
  ] as const) {
    refused(await seller.ask(`hook_deliveries?${query}`), 422, [field])
  }
  assert.deepEqual(await list(stranger), [])
  const theirs = (await list(seller)).map(({ id }) => id)
  assert.equal(theirs.length, 2)
  for (const id of [...theirs, nilUuid, 'none']) {
    const answer = await stranger.ask(`hook_deliveries/${id}`)
    refused(answer, 404, ['hook_delivery'])
    assert.equal(answer.text, (await stranger.ask(`hook_deliveries/${nilUuid}`)).text)
  }
})
