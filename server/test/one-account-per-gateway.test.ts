// What is in doubt is asked about where it was sent: a gateway's credentials can change, its account cannot.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startTestService, type TestService } from './support/service.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.stop())

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
