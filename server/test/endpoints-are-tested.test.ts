// "Send a test": a real notification to one endpoint, answered with how its first attempt went.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { verifyHook } from '@tillbell/sdk'
import { answered, refused } from './support/answers.ts'
import type { Client } from './support/client.ts'
import { type MerchantEndpoint, startEndpoint } from './support/merchant-endpoint.ts'
import { startTestService, type TestService } from './support/service.ts'

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

const nilUuid = '00000000-0000-0000-0000-000000000000'

async function addEndpoint(client: Client, kind: string, url: string, more = {}): Promise<string> {
  const { json } = answered(await client.ask('hook_endpoints', { form: { kind, url, ...more } }), 200)
  return json.hook_endpoint.id
}

const list = async (client: Client, query: string): Promise<unknown[]> =>
  answered(await client.ask(`hook_deliveries?${query}`), 200).json

const show = async (client: Client, id: string) =>
  answered(await client.ask(`hook_deliveries/${id}`), 200).json.hook_delivery

test('a test is a real notification that nobody can take for a sale, and its answer shows its first attempt', async () => {
  const { demo, demoSheet } = service
  for (const kind of ['pre_sale', 'transaction', 'far', 'error', 'generic', 'update']) {
    const endpoint = await addEndpoint(demo, kind, `${receiver.url}?${kind}`)
    const before = receiver.received.length
    const tests = await list(demo, `transaction=${nilUuid}`)
    const key = { 'idempotency-key': `test ${kind}`.replace(' ', '-') }
    const ask = () => demo.ask(`hook_endpoints/${endpoint}/test`, { method: 'POST', headers: key })
    const answer = answered(await ask(), 200)
    const { details, signature, attempts, ...shown } = answer.json.hook_delivery
    assert.equal(receiver.received.length, before + 1)
    assert.equal((await list(demo, `transaction=${nilUuid}`)).length, tests.length + 1, 'to that endpoint alone')
    const sent = new URLSearchParams(receiver.received.at(-1)?.body)
    assert.deepEqual([details, signature], [sent.get('details'), sent.get('signature')])
    assert.ok(verifyHook(details, signature, demoSheet.private_key))
    const said = JSON.parse(details)
    assert.deepEqual([said.transaction, said.amount, said.user_data.custom_data.test], [nilUuid, '0.00', 'true'])
    assert.deepEqual(
      [shown.kind, shown.endpoint, shown.transaction, shown.state, attempts.length, attempts[0].status],
      [kind === 'generic' ? 'transaction' : kind, endpoint, nilUuid, 'delivered', 1, 200],
    )
    assert.deepEqual(await show(demo, shown.id), answer.json.hook_delivery)
    const again = answered(await ask(), 200)
    assert.deepEqual([again.text, again.headers['idempotent-replayed']], [answer.text, 'true'])
    assert.equal(receiver.received.length, before + 1)
    answered(await demo.ask(`hook_endpoints/${endpoint}`, { method: 'DELETE' }), 200)
  }
})

test('a test of an endpoint that fails or hangs is answered with how it went', async t => {
  const seller = await service.newMerchant()
  const hangs = await startEndpoint(() => {})
  t.after(() => hangs.close())
  const broken = await startEndpoint(response => void response.writeHead(500).end('broken'))
  t.after(() => broken.close())
  for (const kind of ['transaction', 'pre_sale']) {
    const silent = await addEndpoint(seller, kind, hangs.url, { timeout_s: 1 })
    const failing = await addEndpoint(seller, kind, broken.url)
    const [one, two] = await Promise.all(
      [silent, failing].map(id => seller.ask(`hook_endpoints/${id}/test`, { method: 'POST' })),
    )
    const state = kind === 'pre_sale' ? 'dropped' : 'pending'
    const silence = answered(one as NonNullable<typeof one>, 200).json.hook_delivery
    assert.deepEqual([silence.state, silence.attempts[0].status], [state, null])
    assert.match(silence.attempts[0].reason, /1 s/)
    const failure = answered(two as NonNullable<typeof two>, 200).json.hook_delivery
    assert.deepEqual([failure.state, failure.attempts[0].status, failure.attempts[0].response], [state, 500, 'broken'])
    const form = { status: 'paused' }
    answered(await seller.ask(`hook_endpoints/${failing}`, { method: 'PATCH', form }), 200)
    refused(await seller.ask(`hook_endpoints/${failing}/test`, { method: 'POST' }), 409, ['general'])
  }
})
