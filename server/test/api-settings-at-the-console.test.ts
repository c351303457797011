// API settings at the console: keys, the Private Key, samples, how endpoints do, ranges that are sent again, and "check my
// endpoint" against endpoints that behave well and badly.

import assert from 'node:assert/strict'
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, type TestContext, test } from 'node:test'
import { standardWebhooksHeaders, verifyHook } from '@tillbell/sdk'
import type { CheckRecord } from '../src/console/contract/endpoint-check.ts'
import type { EndpointId, MerchantId } from '../src/core/ids.ts'
import { countResends } from '../src/store/resend-counts.ts'
import { type ConsoleClient, signedIn } from './support/console.ts'
import { startRaw, unusedPort } from './support/raw-endpoint.ts'
import { startTestService } from './support/service.ts'
import { until } from './support/until.ts'

const service = await startTestService()
after(service.stop)
const merchant = await service.newMerchant()
const owner = await signedIn(service.baseUrl, merchant.login)
const developer = await signedIn(service.baseUrl, await service.newLogin(merchant.merchant, 'developer'))
const viewer = await signedIn(service.baseUrl, await service.newLogin(merchant.merchant, 'viewer'))
const stranger = await signedIn(service.baseUrl, (await service.newMerchant()).login)
const { sql } = service.database

const post = (client: ConsoleClient, path: string, json: object = {}, key?: string) =>
  client.ask(path, { method: 'POST', json, ...(key !== undefined && { headers: { 'Idempotency-Key': key } }) })

interface Seen {
  readonly details: string
  readonly signature: string | null
}

/** An application of the merchant's that answers as `statusOf` says. */
async function startApp(t: TestContext, statusOf: (seen: Seen) => number): Promise<{ url: string; seen: Seen[] }> {
  const seen: Seen[] = []
  const server = http.createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const form = new URLSearchParams(Buffer.concat(chunks).toString())
    const one = { details: form.get('details') ?? '', signature: form.get('signature') }
    seen.push(one)
    response.writeHead(statusOf(one), { Location: '/elsewhere' }).end('as asked')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`, seen }
}

async function addEndpoint(kind: string, url: string, more: object = {}): Promise<string> {
  const { status, json, text } = await post(developer, 'rest/hook_endpoints', { kind, url, ...more })
  assert.equal(status, 200, text)
  return json.hook_endpoint.id
}

async function privateKey(): Promise<string> {
  const [current] = (await owner.ask('private_keys')).json.filter(({ state }: { state: string }) => state === 'current')
  const shown = await post(owner, `private_keys/${current.id}/show`, { password: merchant.login.password })
  assert.equal(shown.status, 200, shown.text)
  return shown.json.private_key.private_key
}

test('an API key is shown once, works at once, is seen to be used, and does not outlive its revocation', async () => {
  const made = await post(developer, 'api_keys', { name: 'Shop' }, 'make-one')
  assert.equal(made.status, 200, made.text)
  const { id, secret } = made.json.api_key
  const again = await post(developer, 'api_keys', { name: 'Shop' }, 'make-one')
  assert.equal(again.json.api_key.secret, secret, 'a second click makes no second key')
  const use = () =>
    fetch(`${service.baseUrl}/api/v5/rest/offers`, { headers: { Authorization: `Basic ${btoa(`${id}:${secret}`)}` } })
  assert.equal((await use()).status, 200)
  const listed = async (client = viewer) =>
    (await client.ask('api_keys')).json.find((key: { id: string }) => key.id === id)
  await until('the use is noted', async () => (await listed()).last_used_at !== null)
  const shown = await listed()
  assert.deepEqual([shown.name, 'secret' in shown], ['Shop', false])
  assert.equal(shown.created_by, (await developer.ask('me')).json.me.email)
  assert.equal(await listed(stranger), undefined)
  assert.equal((await stranger.ask(`api_keys/${id}`, { method: 'DELETE' })).status, 404)
  assert.equal((await viewer.ask(`api_keys/${id}`, { method: 'DELETE' })).status, 403)
  assert.equal((await use()).status, 200)
  assert.equal((await developer.ask(`api_keys/${id}`, { method: 'DELETE' })).status, 200)
  assert.equal((await use()).status, 401)
  const rows = await sql`select detail from console_change where merchant_id = ${merchant.merchant}`
  assert.ok(!JSON.stringify(rows).includes(secret))
})

test('the Private Key is shown to an owner who enters the password again, and can be replaced', async () => {
  const [current] = (await viewer.ask('private_keys')).json
  assert.deepEqual([current.state, 'private_key' in current], ['current', false])
  const show = (client: ConsoleClient, password: string, id = current.id) =>
    post(client, `private_keys/${id}/show`, { password })
  assert.equal((await show(developer, merchant.login.password)).status, 403)
  const wrong = await show(owner, 'wrong')
  assert.deepEqual([wrong.status, Object.keys(wrong.json.errors)], [422, ['password']])
  const strangers = await show(stranger, 'wrong')
  assert.notEqual(strangers.status, 200)
  const shown = await show(owner, merchant.login.password)
  assert.match(shown.json.private_key.private_key, /^[A-Za-z0-9+/]{43}=$/)

  const next = (await post(owner, 'private_keys')).json.private_key
  assert.equal(next.state, 'next')
  assert.equal((await post(owner, 'private_keys')).status, 409)
  const make = (client: ConsoleClient, id: string) => post(client, `private_keys/${id}/make_current`)
  assert.equal((await make(developer, next.id)).status, 403)
  assert.equal((await make(stranger, next.id)).status, 404)
  const before = await privateKey()
  assert.equal((await make(owner, next.id)).json.private_key.state, 'current')
  assert.notEqual(await privateKey(), before)
  const remove = (id: string, json: object = {}) => owner.ask(`private_keys/${id}`, { method: 'DELETE', json })
  assert.equal((await remove(next.id)).status, 409, 'the current one stays')
  const removed = (await remove(current.id, { compromised: true })).json.private_key
  assert.deepEqual([removed.state, removed.compromised], ['deleted', true])
  assert.equal((await show(owner, merchant.login.password, current.id)).status, 409)
  const changes = await sql`select action, about, status from console_change
    where merchant_id = ${merchant.merchant} and action like 'private_key%' and about = ${current.id} order by id`
  assert.deepEqual(
    changes.map(({ action, status }) => [action, status]),
    [
      ['private_key_shown', 422],
      ['private_key_shown', 200],
      ['private_key_shown', 200],
      ['private_key_deleted', 200],
      ['private_key_shown', 409],
    ],
  )
})

test('a sample is signed with the key that is current, and names the endpoint it is posted to', async t => {
  const { url } = await startApp(t, () => 200)
  const endpoint = await addEndpoint('far', url)
  const { sample } = (await viewer.ask(`snippets?kind=far&endpoint=${endpoint}`)).json
  const key = await privateKey()
  assert.ok(verifyHook(sample.details, sample.signature, key))
  const said = JSON.parse(sample.details)
  assert.deepEqual([said.type, said.partner_id, said.amount], ['far', sample.partner_id, '0.00'])
  assert.equal(sample.url, url)
  assert.ok(
    sample.snippets.every(({ code }: { code: string }) => code.includes(sample.signature) && !code.includes(key)),
  )
  assert.equal((await stranger.ask(`snippets?kind=far&endpoint=${endpoint}`)).status, 404)
  assert.equal((await viewer.ask('snippets?kind=error')).json.sample.url, 'https://shop.example/hooks/error')
  await developer.ask(`rest/hook_endpoints/${endpoint}`, { method: 'DELETE' })
})

async function checked(id: string): Promise<CheckRecord> {
  const { status, json, text } = await post(developer, `endpoints/${id}/check`)
  assert.equal(status, 200, text)
  return json.check
}

const found = ({ steps }: CheckRecord) => Object.fromEntries(steps.map(({ step, verdict }) => [step, verdict]))
const allSteps = ['good', 'bad_signature', 'altered', 'unsigned', 'duplicate', 'newer', 'older']
const all = (verdict: string) => Object.fromEntries(allSteps.map(step => [step, verdict]))

test('an endpoint that does everything right is told so, and sees a duplicate and a crossed pair', async t => {
  const key = await privateKey()
  const isTrue = ({ details, signature }: Seen) => verifyHook(details, signature ?? '', key)
  const app = await startApp(t, seen => (isTrue(seen) ? 200 : 403))
  const check = await checked(await addEndpoint('transaction', app.url))
  assert.deepEqual(found(check), all('right'))
  assert.deepEqual([check.right, check.wrong, check.steps.flatMap(({ notes }) => notes)], [7, 0, []])
  const [good, , altered, unsigned, duplicate, newer, older] = app.seen.map(({ details }) => details)
  assert.equal(duplicate, good)
  assert.equal(unsigned, good)
  const differing = [...(good ?? '')].filter((letter, index) => letter !== altered?.[index])
  assert.deepEqual([altered?.length, differing.length], [good?.length, 1], 'one byte is another')
  assert.ok(JSON.parse(newer ?? '').date > JSON.parse(older ?? '').date)
  assert.ok(app.seen.every(({ details }) => JSON.parse(details).user_data.custom_data.test === 'true'))
  assert.equal(app.seen[3]?.signature, null)
  const [kept] = await sql`select count(*)::int as count from delivery where merchant_id = ${merchant.merchant}`
  assert.equal(kept?.count, 0, 'nothing is owed for it')
})

test('what an endpoint does wrong is found', async t => {
  const key = await privateKey()
  const isTrue = ({ details, signature }: Seen) => verifyHook(details, signature ?? '', key)
  const heard = new Set<string>()
  const once = ({ details }: Seen) => heard.size < heard.add(details).size
  const cases: [string, (seen: Seen) => number, { [step: string]: string }, string[]][] = [
    ['believes all', () => 200, { bad_signature: 'wrong', altered: 'wrong', unsigned: 'wrong' }, ['believes_forged']],
    ['refuses all', () => 403, { ...all('says_nothing'), good: 'wrong' }, ['refuses_good']],
    ['breaks on what is forged', seen => (isTrue(seen) ? 200 : 500), {}, ['breaks_on_forged']],
    ['says 404 to what is forged', seen => (isTrue(seen) ? 200 : 404), {}, ['better_403']],
    ['redirects', seen => (isTrue(seen) ? 302 : 403), { ...all('says_nothing'), good: 'wrong' }, ['redirects']],
    [
      'takes nothing twice',
      seen => (!isTrue(seen) ? 403 : once(seen) ? 200 : 409),
      { duplicate: 'wrong' },
      ['refuses_duplicate'],
    ],
    [
      'looks at the signature’s length alone',
      ({ signature }) => (signature?.length === 40 ? 200 : 403),
      { bad_signature: 'wrong', altered: 'wrong' },
      ['believes_forged'],
    ],
  ]
  for (const [name, statusOf, differs, notes] of cases) {
    const app = await startApp(t, statusOf)
    const check = await checked(await addEndpoint('transaction', app.url, { status: 'paused' }))
    assert.deepEqual(found(check), { ...all('right'), ...differs }, name)
    assert.deepEqual([...new Set(check.steps.flatMap(step => step.notes))], notes, name)
  }
})

test('one that cannot be reached is asked once; Pre-Sale is asked neither twice nor in an order', async t => {
  const closed = await checked(await addEndpoint('error', `http://127.0.0.1:${await unusedPort()}/`))
  assert.deepEqual(found(closed), { ...all('not_sent'), good: 'wrong' })
  assert.deepEqual(closed.steps[0]?.notes, ['unreachable'])
  const silent = await startRaw(t, socket => void socket.end('SSH-2.0-none\r\n'))
  const nonsense = await checked(await addEndpoint('error', `http://127.0.0.1:${silent.port}/`))
  assert.deepEqual([nonsense.steps[0]?.status, silent.received.length], [null, 1])
  const app = await startApp(t, () => 200)
  const asked = await checked(await addEndpoint('pre_sale', app.url))
  assert.deepEqual(Object.keys(found(asked)), ['good', 'bad_signature', 'altered', 'unsigned'])
})

test('one check at a time, by those who may, of their own endpoints', async t => {
  const held = await startRaw(t, () => {})
  const endpoint = await addEndpoint('update', `http://127.0.0.1:${held.port}/`, { timeout_s: 1 })
  const first = post(developer, `endpoints/${endpoint}/check`)
  await until('it was asked', async () => held.received.length === 1)
  assert.equal((await post(owner, `endpoints/${endpoint}/check`)).status, 409)
  assert.equal((await first).json.check.steps[0].verdict, 'wrong')
  assert.equal((await post(viewer, `endpoints/${endpoint}/check`)).status, 403)
  assert.equal((await post(stranger, `endpoints/${endpoint}/check`)).status, 404)
})

test('both signatures of an endpoint with Standard Webhooks are forged', async t => {
  const raw = await startRaw(t, socket => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'))
  const url = `http://127.0.0.1:${raw.port}/`
  const made = await post(developer, 'rest/hook_endpoints', { kind: 'far', url, standard_webhooks: true })
  const { id: endpoint, secret } = made.json.hook_endpoint
  await checked(endpoint)
  const header = (text: string, name: string) => new RegExp(`^${name}: (.*)\r$`, 'm').exec(text)?.[1] ?? ''
  const ids = raw.received.map(text => header(text, 'webhook-id'))
  assert.equal(ids[0], ids[4], 'a duplicate has the same name')
  assert.notEqual(ids[5], ids[6])
  const isTrue = (text: string) => {
    const [id, timestampS] = [header(text, 'webhook-id'), Number(header(text, 'webhook-timestamp'))]
    const body = text.split('\r\n\r\n')[1] ?? ''
    const headers = Object.fromEntries(standardWebhooksHeaders({ id, timestampS, body }, [secret]))
    return headers['webhook-signature'] === header(text, 'webhook-signature')
  }
  assert.deepEqual(raw.received.map(isTrue), [true, false, false, false, true, true, true])
})

test('how an endpoint does is seen: its last result, the day, what waits', async t => {
  let status = 503
  const app = await startApp(t, () => status)
  const endpoint = await addEndpoint('generic', app.url)
  const health = async () => (await viewer.ask('endpoints')).json.find(({ id }: { id: string }) => id === endpoint)
  assert.deepEqual([(await health()).last_attempt, (await health()).waiting], [null, 0])
  const { hook_delivery: failed } = (await post(developer, `rest/hook_endpoints/${endpoint}/test`)).json
  const sick = await health()
  assert.deepEqual(
    [sick.last_attempt.delivery, sick.last_attempt.status, sick.last_attempt.reason],
    [failed.id, 503, 'The endpoint answered 503.'],
  )
  assert.deepEqual([sick.delivered, sick.failed, sick.waiting], [0, 1, 1])
  assert.notEqual(sick.failing_since, null)
  status = 200
  await post(developer, `rest/hook_endpoints/${endpoint}/test`)
  const well = await health()
  assert.deepEqual([well.delivered, well.failed, well.last_attempt.status, well.failing_since], [1, 1, 200, null])
  await sql`update owed_delivery set state = 'dropped', settled_at = now(), due_at = null where id = ${failed.id}`
  assert.deepEqual([(await health()).dropped, (await health()).waiting], [1, 0])
  assert.deepEqual((await stranger.ask('endpoints')).json, [])
})

test('a range is counted before it is sent again, and seen to go', async t => {
  let isHeld = false
  const letGo: (() => void)[] = []
  const raw = await startRaw(t, socket => {
    const answer = () => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
    if (isHeld) letGo.push(answer)
    else answer()
  })
  const endpoint = await addEndpoint('transaction', `http://127.0.0.1:${raw.port}/`)
  for (let count = 0; count < 3; count += 1) await post(developer, `rest/hook_endpoints/${endpoint}/test`)
  const range = `endpoint=${endpoint}&created_after=2020-01-01T00:00:00Z`
  const resends = async (what: string) => (await viewer.ask(`resends/${what}`)).json.resends
  assert.deepEqual(await resends(`count?${range}`), { count: 3, is_more: false })
  assert.deepEqual(await resends(`count?${range}&state=dropped`), { count: 0, is_more: false })
  assert.deepEqual(await resends(`count?${range}&created_before=2021-01-01T00:00:00Z`), { count: 0, is_more: false })
  isHeld = true
  const asked = await post(developer, 'rest/hook_deliveries/resend', {
    endpoint,
    created_after: '2020-01-01T00:00:00Z',
  })
  assert.equal(asked.json.resent, 3)
  await until('workers have them in hand', async () => letGo.length === 3)
  assert.deepEqual(await resends(`progress?${range}`), { left: 3, is_more: false, is_paused: false })
  isHeld = false
  await until('they go', async () => {
    for (const answer of letGo.splice(0)) answer()
    return (await resends(`progress?${range}`)).left === 0
  })
  assert.equal((await stranger.ask(`resends/count?${range}`)).status, 404)

  const looked = async (max: number) => {
    const asked = { endpointId: endpoint as EndpointId, createdAfter: new Date(0), createdBefore: null, state: null }
    const { count, isMore } = await countResends(sql, merchant.merchant as MerchantId, asked, max)
    return [count, isMore]
  }
  assert.deepEqual(
    [await looked(2), await looked(3)],
    [
      [2, true],
      [3, false],
    ],
  )
  await sql`update event set details = null where merchant_id = ${merchant.merchant} and id in (
    select event_id from delivery where endpoint_id = ${endpoint} order by id desc limit 2)`
  assert.deepEqual(
    [await looked(1), await looked(3)],
    [
      [0, false],
      [1, false],
    ],
    'and looks no further for one to count',
  )
})
