// What is in doubt is asked about where it was sent: a gateway's credentials can change, its account cannot.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { answered, refused, writingNothing } from './support/answers.ts'
import type { Client } from './support/client.ts'
import { startTestService, type TestService } from './support/service.ts'
import { suspended } from './support/stripe/faults.ts'
import { failure } from './support/stripe/reply.ts'
import { type StripeServer, startStripe } from './support/stripe/server.ts'
import { signatureOf } from './support/stripe/webhooks.ts'

let service: TestService
let stripe: StripeServer
before(async () => {
  service = await startTestService()
  stripe = await startStripe()
})
after(async () => {
  await service.stop()
  await stripe.close()
})

type Keys = { readonly [name: string]: string }

function connect(client: Client, keys: Keys = {}, key?: string) {
  const json = { type: 'stripe', credentials: { ...stripe.credentials, ...keys } }
  return client.ask('gateways', { json, ...(key !== undefined && { headers: { 'idempotency-key': key } }) })
}

function change(client: Client, id: string, keys: Keys) {
  const json = { credentials: { ...stripe.credentials, ...keys } }
  return client.ask(`gateways/${id}`, { method: 'PATCH', json })
}

const nobody = 'http://127.0.0.1:9'

test('a gateway is connected when it knows the credentials, and says where to post its events', async () => {
  const shop = await service.newMerchant()
  const { gateway } = answered(await connect(shop), 200).json
  assert.equal(gateway.events_url, `${service.baseUrl}/gateways/${gateway.id}/events`)
  const [listed] = answered(await shop.ask('gateways?limit=1'), 200).json
  assert.deepEqual(listed, gateway)
})

test('credentials that the gateway refuses are refused, and while it does not answer nothing is connected', async () => {
  const shop = await service.newMerchant()
  await writingNothing(service.database.sql, async () => {
    const wrong = await connect(shop, { secret_key: 'sk_test_of_nobody' }, 'a-key')
    refused(wrong, 422, ['credentials'])
    assert.equal(wrong.json.errors.credentials, 'credentials are not accepted by Stripe.')
    refused(await connect(shop, { api_base: nobody }, 'a-key'), 502, ['general'])
  })
  answered(await connect(shop, {}, 'a-key'), 200)
})

test('a repetition is answered without asking the gateway again', async () => {
  const shop = await service.newMerchant()
  const first = answered(await connect(shop, {}, 'twice'), 200)
  const asked = stripe.asked.length
  const again = answered(await connect(shop, {}, 'twice'), 200)
  assert.deepEqual([again.text, again.headers['idempotent-replayed']], [first.text, 'true'])
  refused(await connect(shop, { webhook_secret: 'whsec_other' }, 'twice'), 422, ['general'])
  assert.equal(stripe.asked.length, asked)
})

test('an account is connected once by a merchant, and by as many merchants as have it', async () => {
  const [shop, other] = [await service.newMerchant(), await service.newMerchant()]
  const both = await Promise.all([connect(shop), connect(shop)])
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 422])
  const again = await writingNothing(service.database.sql, () => connect(shop, { webhook_secret: 'whsec_other' }))
  refused(again, 422, ['credentials'])
  assert.match(again.json.errors.credentials, /connected already/)
  answered(await connect(other), 200)
})

test('a merchant has at most 100 gateways, also when many are connected at once', async () => {
  const shop = await service.newMerchant()
  const answers = []
  for (let i = 0; i < 12; i++) {
    const some = Array.from({ length: 10 }, () => shop.ask('gateways', { json: { type: 'test' } }))
    answers.push(...(await Promise.all(some)))
  }
  const refusals = answers.filter(({ status }) => status !== 200)
  assert.equal(refusals.length, 21, 'it had one')
  for (const answer of refusals) refused(answer, 422, ['general'])
  const { sql } = service.database
  const [there] = await sql`select count(*)::int from gateway where merchant_id = ${shop.merchant}`
  assert.equal(there?.count, 100)
})

test('new credentials of the same account are taken, and of another one they are not', async t => {
  const another = await startStripe()
  t.after(() => another.close())
  const shop = await service.newMerchant()
  const { id } = answered(await connect(shop), 200).json.gateway
  answered(await change(shop, id, { webhook_secret: 'whsec_rolled' }), 200)
  const elsewhere = await change(shop, id, another.credentials)
  refused(elsewhere, 422, ['credentials'])
  assert.match(elsewhere.json.errors.credentials, /another account/)
  refused(await change(shop, id, { secret_key: 'sk_test_of_nobody' }), 422, ['credentials'])
  refused(await change(shop, id, { api_base: nobody }), 502, ['general'])
})

const patch = (client: Client, id: string, json: object) => client.ask(`gateways/${id}`, { method: 'PATCH', json })

/** Whether what is signed with this secret passes for Stripe's own word. */
async function believes(id: string, secret: string): Promise<boolean> {
  const body = JSON.stringify({ id: 'evt_1', object: 'event', type: 'ping', data: { object: {} } })
  const headers = { 'stripe-signature': signatureOf(body, secret, Math.floor(Date.now() / 1_000)) }
  const { status } = await fetch(`${service.baseUrl}/gateways/${id}/events`, { method: 'POST', body, headers })
  return status === 200
}

test('credentials that are not given stay as they are, and null removes one that is optional', async () => {
  const shop = await service.newMerchant()
  const { webhook_secret: secret, ...keys } = stripe.credentials
  const { id } = answered(await shop.ask('gateways', { json: { type: 'stripe', credentials: keys } }), 200).json.gateway
  assert.equal(await believes(id, secret), false)
  answered(await patch(shop, id, { credentials: { webhook_secret: secret } }), 200)
  assert.equal(await believes(id, secret), true)
  answered(await patch(shop, id, { credentials: JSON.stringify({ publishable_key: 'pk_test_other' }) }), 200)
  assert.equal(await believes(id, secret), true)
  await writingNothing(service.database.sql, async () => {
    refused(await patch(shop, id, { credentials: { secret_key: null } }), 422, ['credentials'])
    for (const account of ['acct_1', null]) {
      refused(await patch(shop, id, { credentials: { account } }), 422, ['credentials[account]'])
    }
    for (const wrong of ['[]', '5', 'null', 'no JSON', []]) {
      refused(await patch(shop, id, { credentials: wrong }), 422, ['credentials'])
    }
  })
  answered(await patch(shop, id, { credentials: { webhook_secret: null } }), 200)
  assert.equal(await believes(id, secret), false)
})

test('of two changes at once none undoes the other', async () => {
  const shop = await service.newMerchant()
  const { id } = answered(await connect(shop), 200).json.gateway
  const [asked, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const until = async () => {
    asked.resolve()
    await goOn.promise
  }
  stripe.faults.next({ kind: 'hold', until }, ({ path }) => path === '/v1/account')
  const slow = patch(shop, id, { credentials: { publishable_key: 'pk_test_slow' } })
  await Promise.race([asked.promise, slow])
  answered(await patch(shop, id, { credentials: { webhook_secret: 'whsec_quick' } }), 200)
  goOn.resolve()
  refused(await slow, 409, ['general'])
  assert.equal(await believes(id, 'whsec_quick'), true)
})

test('a gateway keeps its type, and an inactive one does not become the default', async () => {
  const shop = await service.newMerchant()
  const { id } = answered(await connect(shop), 200).json.gateway
  await writingNothing(service.database.sql, async () => {
    refused(await patch(shop, id, { type: 'stripe' }), 422, ['type'])
    refused(await patch(shop, id, { default: true, status: 'inactive' }), 422, ['default'])
    refused(await shop.ask('gateways', { json: { type: 'test', default: true, status: 'inactive' } }), 422, ['default'])
  })
  answered(await patch(shop, id, { status: 'inactive' }), 200)
  refused(await patch(shop, id, { default: true }), 422, ['default'])
  assert.equal(answered(await patch(shop, id, { default: true, status: 'active' }), 200).json.gateway.default, true)
  answered(await patch(shop, id, { status: 'inactive' }), 200)
})

test('a key without the right, and a suspended account, are refused when they are connected', async () => {
  const shop = await service.newMerchant()
  const forbidden = failure(403, { type: 'invalid_request_error', message: 'The key may not do this.' })
  for (const [fault, says] of [
    [{ kind: 'refuse', reply: forbidden } as const, /may not read its own account/],
    [suspended(403), /suspended/],
  ] as const) {
    stripe.faults.next(fault)
    const answer = await writingNothing(service.database.sql, () => connect(shop))
    refused(answer, 422, ['credentials'])
    assert.match(answer.json.errors.credentials, says)
  }
})

test('a gateway from before anybody asked is asked with the credentials it has, and then known', async t => {
  const { sql } = service.database
  const another = await startStripe()
  t.after(() => another.close())
  const shop = await service.newMerchant()
  const { id } = answered(await connect(shop), 200).json.gateway
  const kept = async () => (await sql<{ account: string }[]>`select account from gateway where id = ${id}`)[0]?.account
  const account = await kept()
  await sql`update gateway set account = null where id = ${id}`
  refused(await change(shop, id, another.credentials), 422, ['credentials'])
  assert.equal(await kept(), null)
  answered(await change(shop, id, {}), 200)
  assert.equal(await kept(), account)
})

test('credentials of another account are refused, and an open charge is settled where it was made', async () => {
  const { demo, database } = service
  const [gateway] = (await demo.ask('gateways')).json
  const offer = await demo.makeOffer({ amount: '4200.03' })
  const charged = await demo.charge(offer, demo.card)
  assert.equal(charged.status, 202, charged.text)
  const credentials = { url: 'http://127.0.0.1:9' }
  const changed = await demo.ask(`gateways/${gateway.id}`, { method: 'PATCH', json: { credentials } })
  assert.equal(changed.status, 422)
  assert.match(changed.json.errors.credentials, /another account/)
  assert.equal((await demo.ask(`gateways/${gateway.id}`, { method: 'PATCH', json: { credentials: {} } })).status, 200)
  await demo.ask('sandbox/clock', { form: { advance_s: 10 } })
  const [row] = await database.sql`select status from transaction where offer_id = ${offer}`
  assert.equal(row?.status, 'Successful')
})

test('a sandbox over HTTP is on this machine, and nowhere else', async () => {
  for (const url of [
    'http://169.254.169.254/',
    'http://example.com',
    'https://127.0.0.1:1',
    'http://u:p@127.0.0.1',
    'http://127.0.0.1.example.com',
  ]) {
    const answer = await service.demo.ask('gateways', { json: { type: 'test', credentials: { url } } })
    assert.equal(answer.status, 422, url)
  }
})

test('nothing that stands in for a gateway is this service itself', async () => {
  const { port } = new URL(service.demo.baseUrl)
  const keys = { secret_key: 'sk_test_1', publishable_key: 'pk_test_1' }
  for (const json of [
    { type: 'test', credentials: { url: `http://localhost:${port}/api` } },
    { type: 'stripe', credentials: { ...keys, api_base: `http://127.0.0.1:${port}` } },
  ]) {
    const answer = await service.demo.ask('gateways', { json })
    assert.equal(answer.status, 422, json.type)
    assert.match(answer.json.errors.credentials, /must not have this service itself/)
  }
})

test('gateways are listed in pages, newest first', async () => {
  const { demo } = service
  const made: string[] = []
  for (let count = 0; count < 3; count++)
    made.unshift((await demo.ask('gateways', { json: { type: 'test' } })).json.gateway.id)
  const first = await demo.ask('gateways?limit=2')
  assert.deepEqual(
    first.json.map(({ id }: { id: string }) => id),
    made.slice(0, 2),
  )
  const rest = await demo.ask(`gateways?limit=2&after=${made[1]}`)
  assert.equal(rest.json[0].id, made[2])
  assert.equal((await demo.ask('gateways?limit=none')).status, 422)
})
