// Standard Webhooks secrets: shown once, replaced with an overlap, destroyed when they are not wanted any more.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { answered, refused } from './support/answers.ts'
import type { Client } from './support/client.ts'
import { type MerchantEndpoint, startEndpoint } from './support/merchant-endpoint.ts'
import { startTestService, type TestService } from './support/service.ts'

let service: TestService
let receiver: MerchantEndpoint
before(async () => {
  service = await startTestService()
  receiver = await startEndpoint(response => void response.writeHead(200).end())
})
after(async () => {
  await receiver.close()
  await service.stop()
})

type Form = { readonly [name: string]: string }

const secretPattern = /^whsec_[A-Za-z0-9+/]{43}=$/
const keys = ['id', 'kind', 'url', 'status', 'timeout_s', 'standard_webhooks', 'created_at', 'paused_because']

const patch = (client: Client, id: string, form: Form, headers: Form = {}) =>
  client.ask(`hook_endpoints/${id}`, { method: 'PATCH', form, headers })
const act = (client: Client, path: string, headers: Form = {}) =>
  client.ask(`hook_endpoints/${path}`, { method: 'POST', form: {}, headers })

async function added(client: Client, more: Form = {}): Promise<string> {
  const form = { kind: 'transaction', url: receiver.url, ...more }
  return answered(await client.ask('hook_endpoints', { form }), 200).json.hook_endpoint.id
}

test('a secret is shown by the answer that made it, and by its repetition alone', async () => {
  const seller = await service.newMerchant()
  const form = { kind: 'transaction', url: receiver.url, standard_webhooks: 'true' }
  const key = { 'idempotency-key': 'one' }
  const made = answered(await seller.ask('hook_endpoints', { form, headers: key }), 200)
  const { id, secret } = made.json.hook_endpoint
  assert.deepEqual(Object.keys(made.json.hook_endpoint), [...keys, 'secret'])
  assert.match(secret, secretPattern)
  const again = answered(await seller.ask('hook_endpoints', { form, headers: key }), 200)
  assert.deepEqual([again.text, again.headers['idempotent-replayed']], [made.text, 'true'])
  assert.equal((await seller.ask('hook_endpoints')).json.length, 1)
  refused(await seller.ask('hook_endpoints', { form: { ...form, kind: 'far' }, headers: key }), 422, ['general'])
  for (const answer of [await seller.ask(`hook_endpoints/${id}`), await patch(seller, id, { timeout_s: '9' })]) {
    assert.deepEqual(Object.keys(answered(answer, 200).json.hook_endpoint), keys)
  }
  const stillOn = answered(await patch(seller, id, { standard_webhooks: 'true' }), 200)
  assert.equal(stillOn.json.hook_endpoint.secret, undefined)
  const off = answered(await patch(seller, id, { standard_webhooks: 'false' }, { 'idempotency-key': 'off' }), 200)
  assert.equal(off.json.hook_endpoint.secret, undefined)
  const on = answered(await patch(seller, id, { standard_webhooks: 'true' }, { 'idempotency-key': 'on' }), 200)
  assert.match(on.json.hook_endpoint.secret, secretPattern)
  assert.notEqual(on.json.hook_endpoint.secret, secret)
  await service.restart()
  const later = await patch(seller, id, { standard_webhooks: 'true' }, { 'idempotency-key': 'on' })
  assert.deepEqual([later.text, later.headers['idempotent-replayed']], [on.text, 'true'])
})

test('a rotated secret is new, and the old one signs beside it for 24 hours', async () => {
  const { sql } = service.database
  const seller = await service.newMerchant()
  const id = await added(seller, { standard_webhooks: 'true' })
  const rotated = answered(await act(seller, `${id}/rotate_secret`, { 'idempotency-key': 'r' }), 200)
  assert.deepEqual(Object.keys(rotated.json.hook_endpoint), [...keys, 'secret'])
  const again = answered(await act(seller, `${id}/rotate_secret`, { 'idempotency-key': 'r' }), 200)
  assert.deepEqual([again.text, again.headers['idempotent-replayed']], [rotated.text, 'true'])
  const rows = await sql<{ signsForS: number | null }[]>`
    select extract(epoch from signs_until - lead(created_at) over (order by created_at))::float8 as signs_for_s
    from hook_secret where endpoint_id = ${id} order by created_at`
  assert.deepEqual(
    rows.map(({ signsForS }) => signsForS),
    [86_400, null],
  )
  const before = receiver.received.length
  answered(await act(seller, `${id}/test`), 200)
  const headers = receiver.received[before]?.rawHeaders ?? []
  const signature = headers[headers.indexOf('webhook-signature') + 1] ?? ''
  assert.equal(signature.split(' ').length, 2, 'both sign')
  await sql`update hook_secret set signs_until = now() - interval '1 second' where endpoint_id = ${id} and signs_until is not null`
  for (let count = 0; count < 4; count++) answered(await act(seller, `${id}/rotate_secret`), 200)
  refused(await act(seller, `${id}/rotate_secret`), 409, ['general'])
  const plain = await added(seller)
  refused(await act(seller, `${plain}/rotate_secret`), 409, ['general'])
})
