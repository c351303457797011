// Fairness: an endpoint that hangs, with a long queue before it, delays neither its merchant's other endpoint nor another
// merchant's. Shown by order, not by time: all the others' are delivered before the first of the dead one's gives up.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startReceiver } from './support/hook-receiver.ts'
import { startRaw } from './support/raw-endpoint.ts'
import { startTestService, type TestService } from './support/service.ts'
import { until } from './support/until.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.stop())

const queued = 20_000
const payments = 40

test('a dead endpoint with a long queue delays nobody', async t => {
  const { database, demo, demoSheet } = service
  const { sql } = database
  const dead = await startRaw(t, () => {})
  const other = await service.newMerchant()
  const endpoint = async (client: typeof other | typeof demo, url: string, kind: string) => {
    const { json, status, text } = await client.ask('hook_endpoints', { form: { kind, url, timeout_s: 30 } })
    assert.equal(status, 200, text)
    return String(json.hook_endpoint.id)
  }
  const deadId = await endpoint(demo, `http://127.0.0.1:${dead.port}/`, 'transaction')
  // Each is of an event of its own.
  await sql`insert into event (merchant_id, id, transaction_id, kind, type, details, at)
    select ${demoSheet.merchant}, gen_random_uuid(), null, 'transaction', 'success', '{}', now() from generate_series(1, ${queued})`
  await sql`with born as (
      insert into delivery (merchant_id, id, event_id, endpoint_id, created_at)
      select merchant_id, gen_random_uuid(), id, ${deadId}, now() from event where merchant_id = ${demoSheet.merchant} returning *)
    insert into owed_delivery (merchant_id, id, event_id, endpoint_id, created_at, due_at)
    select merchant_id, id, event_id, endpoint_id, created_at, created_at from born`
  await until('the dead endpoint is being tried', async () => dead.received.length > 0)

  const own = await startReceiver(demoSheet.private_key)
  t.after(() => own.close())
  const others = await startRaw(t, socket => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'))
  await endpoint(demo, own.url, 'generic')
  await endpoint(other, `http://127.0.0.1:${others.port}/`, 'transaction')
  const offer = await other.makeOffer()
  const card = await other.storeCard()
  for (let index = 0; index < payments; index++) {
    assert.equal((await other.charge(offer, card)).status, 200)
    assert.equal((await demo.charge(demo.offer, demo.card)).status, 200)
  }
  await until('the others are told', async () => own.accepted.size === payments && others.received.length === payments)
  const givenUp =
    await sql`select from attempt a join delivery d on d.id = a.delivery_id where d.endpoint_id = ${deadId}`
  assert.equal(givenUp.length, 0, 'the dead one was still being waited for')
})
