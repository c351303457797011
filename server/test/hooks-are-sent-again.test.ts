// Resending: one delivery, or a range of an endpoint's, each one attempt outside the schedule.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { deliveriesChannel } from '../src/join-hooks.ts'
import type { Scope } from '../src/store/database.ts'
import { answered, refused } from './support/answers.ts'
import type { Client } from './support/client.ts'
import { type MerchantEndpoint, startEndpoint } from './support/merchant-endpoint.ts'
import { startTestService, type TestService } from './support/service.ts'
import { until } from './support/until.ts'
import { waiters, whileHeld } from './support/while-held.ts'

let service: TestService
let receiver: MerchantEndpoint
let says = 200
before(async () => {
  service = await startTestService()
  receiver = await startEndpoint(response => void response.writeHead(says).end())
})
after(async () => {
  await receiver.close()
  await service.stop()
})

interface Shown {
  readonly id: string
  readonly transaction: string
  readonly state: string
  readonly attempts: number
  readonly next_attempt_at: string | null
  readonly created_at: string
}

type Seller = Client & { readonly merchant: string }
const nilUuid = '00000000-0000-0000-0000-000000000000'

async function newSeller(kind = 'transaction', url = receiver.url): Promise<{ seller: Seller; endpoint: string }> {
  const seller = await service.newMerchant()
  const { json } = answered(await seller.ask('hook_endpoints', { form: { kind, url } }), 200)
  return { seller, endpoint: json.hook_endpoint.id }
}

async function list(client: Client, query = ''): Promise<Shown[]> {
  return answered(await client.ask(`hook_deliveries?limit=100&${query}`), 200).json
}

async function sell(client: Client): Promise<void> {
  answered(await client.charge(await client.makeOffer(), await client.storeCard()), 200)
}

async function only(client: Client): Promise<Shown> {
  const [row, ...others] = await list(client)
  assert.deepEqual(others, [])
  return row ?? assert.fail('there is no delivery')
}

const resend = (client: Client, id: string, headers: { [name: string]: string } = {}) =>
  client.ask(`hook_deliveries/${id}/resend`, { method: 'POST', headers })

const attempted = (client: Client, times: number) =>
  until(`${times} attempts are made`, async () => (await list(client)).every(({ attempts }) => attempts === times))

test('a delivered notification goes out once more, and stays delivered', async () => {
  const { seller } = await newSeller()
  await sell(seller)
  await attempted(seller, 1)
  const { id } = await only(seller)
  const before = receiver.received.length
  const key = { 'idempotency-key': 'again' }
  const answer = answered(await resend(seller, id, key), 200)
  assert.deepEqual(Object.keys(answer.json.hook_delivery).slice(5), [
    ...['state', 'attempts', 'next_attempt_at', 'created_at'],
  ])
  assert.deepEqual([answer.json.hook_delivery.state, answer.json.hook_delivery.attempts], ['delivered', 1])
  assert.notEqual(answer.json.hook_delivery.next_attempt_at, null, 'it is about to go')
  await attempted(seller, 2)
  const replayed = answered(await resend(seller, id, key), 200)
  assert.deepEqual([replayed.text, replayed.headers['idempotent-replayed']], [answer.text, 'true'])
  says = 500
  answered(await resend(seller, id.toUpperCase()), 200)
  await attempted(seller, 3)
  says = 200
  const { state, next_attempt_at } = await only(seller)
  assert.deepEqual([state, next_attempt_at], ['delivered', null], 'a failed resend takes nothing back')
  assert.equal(receiver.received.length, before + 2)
  const bodies = receiver.received.slice(before - 1).map(({ body }) => body)
  assert.equal(new Set(bodies).size, 1, 'the same bytes every time')
})

test('a resend leaves the schedule of a failing notification as it is, and can deliver it', async () => {
  const { seller } = await newSeller()
  says = 500
  await sell(seller)
  await attempted(seller, 1)
  const first = await only(seller)
  answered(await resend(seller, first.id), 200)
  await attempted(seller, 2)
  const second = await only(seller)
  assert.deepEqual([second.state, second.next_attempt_at], ['pending', first.next_attempt_at])
  says = 200
  answered(await resend(seller, first.id), 200)
  await attempted(seller, 3)
  const third = await only(seller)
  assert.deepEqual([third.state, third.next_attempt_at], ['delivered', null])
})

test('a dropped notification can be delivered by hand', async () => {
  const { seller } = await newSeller()
  const { sql } = service.database
  says = 500
  await sell(seller)
  await attempted(seller, 1)
  says = 200
  const { id } = await only(seller)
  await sql`update owed_delivery set state = 'dropped', due_at = null, settled_at = now(), scheduled_made = 10 where id = ${id}`
  answered(await resend(seller, id), 200)
  await attempted(seller, 2)
  assert.equal((await only(seller)).state, 'delivered')
})

test('one whose resend is on the wire goes again after it, and one that waits for its resend not twice', async t => {
  const held: (() => void)[] = []
  const slow = await startEndpoint(response => void held.push(() => response.writeHead(200).end()))
  t.after(() => slow.close())
  const { seller } = await newSeller('transaction', slow.url)
  const release = async (number: number) => {
    await until(`attempt ${number} is on the wire`, async () => held.length === number)
    held.at(-1)?.()
  }
  await sell(seller)
  const untried = await only(seller)
  const { id } = untried
  assert.deepEqual(answered(await resend(seller, id), 200).json.hook_delivery, untried, 'it is due anyway')
  await release(1)
  await attempted(seller, 1)
  assert.equal((await only(seller)).next_attempt_at, null)
  answered(await resend(seller, id), 200)
  await until('the resend is on the wire', async () => held.length === 2)
  for (let time = 0; time < 3; time++) answered(await resend(seller, id), 200)
  await release(2)
  await release(3)
  await attempted(seller, 3)
  assert.equal((await only(seller)).next_attempt_at, null)
  assert.equal(held.length, 3)
})

test('the workers of every process hear of a resend and of a resumed endpoint', async t => {
  const { seller, endpoint } = await newSeller()
  await sell(seller)
  await attempted(seller, 1)
  const { id } = await only(seller)
  let heard = 0
  const hear = () => {
    heard += 1
  }
  const listening = await service.database.sql.listen(deliveriesChannel, hear, () => {})
  t.after(() => listening.unlisten())
  const patch = (status: string) => seller.ask(`hook_endpoints/${endpoint}`, { method: 'PATCH', form: { status } })
  const range = { endpoint, created_after: '2020-01-01T00:00:00Z' }
  await patch('paused')
  await until('a pause is heard', async () => heard === 1)
  for (const [what, work] of [
    ['a resume', () => patch('enabled')],
    ['a resend', () => resend(seller, id)],
    ['a range', () => seller.ask('hook_deliveries/resend', { form: range })],
  ] as const) {
    const before = heard
    answered(await work(), 200)
    await until(`${what} is heard`, async () => heard === before + 1)
  }
})

test('what cannot be sent again says why', async () => {
  const { seller, endpoint } = await newSeller()
  const preSale = await seller.ask('hook_endpoints', { form: { kind: 'pre_sale', url: receiver.url } })
  await sell(seller)
  await attempted(seller, 1)
  const [asked] = await list(seller, 'kind=pre_sale')
  const [sent] = await list(seller, 'kind=transaction')
  if (asked === undefined || sent === undefined) throw new Error('not sent')
  refused(await resend(seller, asked.id), 409, ['general'])
  const patch = (status: string) => seller.ask(`hook_endpoints/${endpoint}`, { method: 'PATCH', form: { status } })
  answered(await patch('paused'), 200)
  refused(await resend(seller, sent.id), 409, ['general'])
  answered(await patch('enabled'), 200)
  const stranger = await service.newMerchant()
  for (const id of [sent.id, asked.id, nilUuid, 'none']) {
    const answer = await resend(stranger, id)
    refused(answer, 404, ['hook_delivery'])
    assert.equal(answer.text, (await resend(stranger, nilUuid)).text)
  }
  answered(await seller.ask('customers/erasures', { form: { email: 'ada@example.com' } }), 200)
  refused(await resend(seller, sent.id), 410, ['general'])
  answered(await seller.ask(`hook_endpoints/${endpoint}`, { method: 'DELETE' }), 200)
  refused(await resend(seller, sent.id), 409, ['general'])
  const range = { created_after: '2020-01-01T00:00:00Z' }
  const ask = (form: object) => seller.ask('hook_deliveries/resend', { form: form as { [name: string]: string } })
  refused(await ask({ ...range, endpoint: preSale.json.hook_endpoint.id }), 409, ['general'])
  refused(await ask({ ...range, endpoint }), 404, ['endpoint'])
  refused(await ask({ ...range, endpoint: nilUuid }), 404, ['endpoint'])
  refused(await ask({ ...range, endpoint: 'none' }), 404, ['endpoint'])
  refused(await ask(range), 422, ['endpoint'])
  refused(await ask({ endpoint }), 422, ['created_after'])
  const wrong = { created_after: 'yesterday', created_before: '2026-02-30T00:00:00Z', state: 'canceled' }
  refused(await ask({ endpoint, ...wrong }), 422, Object.keys(wrong))
  for (const created_before of ['2020-01-01T00:00:00Z', '2019-12-31T23:59:59Z']) {
    refused(await ask({ endpoint, ...range, created_before }), 422, ['created_before'])
  }
})

test('a range of an endpoint is sent again: by time and state, nothing of others, nothing that was erased', async () => {
  const { seller, endpoint } = await newSeller()
  const other = await seller.ask('hook_endpoints', { form: { kind: 'generic', url: receiver.url } })
  for (let count = 0; count < 5; count++) await sell(seller)
  await attempted(seller, 1)
  const own = (await list(seller, `endpoint=${endpoint}`)).toReversed()
  const at = (index: number) => own[index]?.created_at ?? ''
  const ask = (form: { [name: string]: string }, headers = {}) =>
    seller.ask('hook_deliveries/resend', { form: { endpoint, ...form }, headers })
  const key = { 'idempotency-key': 'range' }
  const answer = answered(await ask({ created_after: at(0), created_before: at(3) }, key), 200)
  assert.deepEqual(answer.json, { resent: 2 })
  const attempts = async () => (await list(seller, `endpoint=${endpoint}`)).toReversed().map(row => row.attempts)
  await until('two are sent again', async () => String(await attempts()) === '1,2,2,1,1')
  const replayed = answered(await ask({ created_after: at(0), created_before: at(3) }, key), 200)
  assert.deepEqual([replayed.text, replayed.headers['idempotent-replayed']], [answer.text, 'true'])
  const inOtherWords = { created_after: at(0).replace('+', ' '), created_before: at(3).replace('+00:00', 'Z') }
  assert.equal(answered(await ask(inOtherWords, key), 200).text, answer.text, 'the same range')
  refused(await ask({ created_after: at(0), created_before: at(4) }, key), 422, ['general'])
  assert.deepEqual((await ask({ created_after: at(4) })).json, { resent: 0 })
  assert.deepEqual((await ask({ created_after: at(0), state: 'pending' })).json, { resent: 0 })
  await service.database.sql`update event v set details = null from delivery d
    where d.event_id = v.id and d.id = ${own[4]?.id}`
  assert.deepEqual((await ask({ created_after: at(2), state: 'delivered' })).json, { resent: 1 })
  await until('one more is sent again', async () => String(await attempts()) === '1,2,2,2,1')
  const others = await list(seller, `endpoint=${other.json.hook_endpoint.id}`)
  assert.deepEqual(
    others.map(row => row.attempts),
    [1, 1, 1, 1, 1],
  )
  assert.deepEqual((await ask({ created_after: '2020-01-01T00:00:00Z' })).json, { resent: 4 })
})

test('what is emptied at that very moment is not asked for, alone or in a range', async () => {
  const { seller, endpoint } = await newSeller()
  await sell(seller)
  await attempted(seller, 1)
  const { id } = await only(seller)
  const ofSeller = (scope: Scope) => scope`merchant_id = ${seller.merchant}`
  const empty = (scope: Scope) => scope`update event set details = null where ${ofSeller(scope)}`
  const restore = () => service.database.sql`update event set details = '{}' where merchant_id = ${seller.merchant}`
  refused(await whileHeld(service.database.sql, empty, () => resend(seller, id)), 410, ['general'])
  await restore()
  const form = { endpoint, created_after: '2020-01-01T00:00:00Z' }
  const range = () => seller.ask('hook_deliveries/resend', { form })
  assert.deepEqual(answered(await whileHeld(service.database.sql, empty, range), 200).json, { resent: 0 })
  assert.equal((await only(seller)).next_attempt_at, null)
  await restore()
  const touch = (scope: Scope) =>
    scope`update delivery set attempts_forgotten = attempts_forgotten where ${ofSeller(scope)}`
  assert.deepEqual(
    answered(await whileHeld(service.database.sql, touch, range), 200).json,
    { resent: 1 },
    'one that somebody has for a moment',
  )
  await attempted(seller, 2)
})

test('of two ranges of a merchant at once the second is told to come later, and another merchant’s is not', async () => {
  const [one, other] = [await newSeller(), await newSeller()]
  for (const { seller } of [one, other]) await sell(seller)
  for (const { seller } of [one, other]) await attempted(seller, 1)
  const ask = ({ seller, endpoint }: typeof one) =>
    seller.ask('hook_deliveries/resend', { form: { endpoint, created_after: '2020-01-01T00:00:00Z' } })
  const { sql } = service.database
  const goOn = Promise.withResolvers<void>()
  const held = sql.begin(async scope => {
    await scope`select from delivery where merchant_id = ${one.seller.merchant} for update`
    await goOn.promise
  })
  const first = ask(one)
  try {
    await until('the first waits', async () => (await waiters(sql)).length === 1)
    const second = await ask(one)
    refused(second, 429, ['general'])
    assert.equal(second.headers['retry-after'], '5')
    assert.deepEqual(answered(await ask(other), 200).json, { resent: 1 })
  } finally {
    goOn.resolve()
    await held
  }
  assert.deepEqual(answered(await first, 200).json, { resent: 1 })
  answered(await ask(one), 200)
})

test('a range of thousands is sent again, each once', async () => {
  const { seller, endpoint } = await newSeller()
  const { sql } = service.database
  await sell(seller)
  await attempted(seller, 1)
  await sql`with made as (
      insert into event (merchant_id, id, transaction_id, kind, type, details, at)
      select merchant_id, id_of_the_moment_of(id), null, kind, type, details, at
      from event, generate_series(1, 2500) where merchant_id = ${seller.merchant} returning *)
    insert into delivery (merchant_id, id, event_id, endpoint_id, created_at, attempts_forgotten)
    select merchant_id, id_of_the_moment_of(id), id, ${endpoint}, at, 1 from made`
  const form = { endpoint, created_after: '2020-01-01T00:00:00Z' }
  assert.deepEqual(answered(await seller.ask('hook_deliveries/resend', { form }), 200).json, { resent: 2501 })
  await until(
    'all are sent again',
    async () => {
      const [left] = await sql<{ count: number }[]>`select count(*)::int as count from whole_delivery
        where endpoint_id = ${endpoint} and attempts < 2`
      return left?.count === 0
    },
    60_000,
  )
  const [sums] =
    await sql`select max(attempts) as most, count(resend_at)::int as waiting from whole_delivery where endpoint_id = ${endpoint}`
  assert.deepEqual(sums, { most: 2, waiting: 0 })
})
