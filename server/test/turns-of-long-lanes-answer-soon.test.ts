// Whoever pauses, resumes or deletes an endpoint that is owed very much is answered soon; workers do what is left.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { LaneName } from '../src/core/delivery.ts'
import type { EndpointId, MerchantId } from '../src/core/ids.ts'
import { answered } from './support/answers.ts'
import type { Client } from './support/client.ts'
import { owe } from './support/owed.ts'
import { spawnService } from './support/process.ts'
import { startTestService, type TestService } from './support/service.ts'
import { until } from './support/until.ts'

const many = 16_000
const enough = 8_000
const past = new Date('2026-01-01T00:00:00Z')
const soon = new Date(Date.now() + 3_600_000)

let service: TestService
let seller: Client & { readonly merchant: string }
before(async () => {
  service = await startTestService({ TILLBELL_ROLES: 'api' })
  seller = await service.newMerchant()
})
after(() => service.stop())

async function added(): Promise<LaneName> {
  const form = { kind: 'transaction', url: 'https://shop.example.com/' }
  const { id } = answered(await seller.ask('hook_endpoints', { form }), 200).json.hook_endpoint
  return { merchantId: seller.merchant as MerchantId, endpointId: id as EndpointId }
}

const turn = ({ endpointId }: LaneName, status: 'paused' | 'enabled') =>
  seller.ask(`hook_endpoints/${endpointId}`, { method: 'PATCH', form: { status } })

async function count(lane: LaneName, which: 'waiting' | 'parked' | 'canceled'): Promise<number> {
  const [row] = await service.database.sql<{ count: number }[]>`
    select count(*)::int as count from owed_delivery where endpoint_id = ${lane.endpointId}
      and case when parked then 'parked' when state = 'canceled' then 'canceled' else 'waiting' end = ${which}`
  return row?.count ?? 0
}

/** `work` is done while every statement that changes deliveries does this first. */
async function whileChangesDo(statement: string, work: () => Promise<void>): Promise<void> {
  const { sql } = service.database
  await sql.unsafe(`create or replace function hinder() returns trigger language plpgsql as $$
    begin ${statement}; return null; end $$`)
  await sql.unsafe(
    'create trigger hindered before update on owed_delivery for each statement execute function hinder()',
  )
  await work()
  await sql.unsafe('drop trigger hindered on owed_delivery')
}

test('the answer comes while some are still to be done, and a worker does them', async t => {
  const [paused, resumed, deleted] = [await added(), await added(), await added()]
  const { sql } = service.database
  await owe(sql, paused, many, past)
  await owe(sql, resumed, enough, soon)
  await owe(sql, deleted, enough, past)
  await sql`update hook_endpoint set status = 'paused' where id = ${resumed.endpointId}`
  await sql`update owed_delivery set parked = true where endpoint_id = ${resumed.endpointId}`

  await whileChangesDo('perform pg_sleep(0.25)', async () => {
    assert.equal(answered(await turn(paused, 'paused'), 200).json.hook_endpoint.status, 'paused')
    assert.equal(answered(await turn(resumed, 'enabled'), 200).json.hook_endpoint.status, 'enabled')
    answered(await seller.ask(`hook_endpoints/${deleted.endpointId}`, { method: 'DELETE' }), 200)
  })
  const left = [await count(paused, 'waiting'), await count(resumed, 'parked'), await count(deleted, 'waiting')]
  assert.ok(
    left.every(each => each > 0),
    `some are left: ${left}`,
  )
  const done = [await count(paused, 'parked'), await count(resumed, 'waiting'), await count(deleted, 'canceled')]
  assert.ok(
    done.every(each => each > 0),
    `some were done before the answer: ${done}`,
  )

  const worker = await spawnService({
    DATABASE_URL: service.database.url,
    TILLBELL_DATA: service.dataFolder,
    TILLBELL_ROLES: 'worker',
  })
  t.after(() => worker.kill())
  await until('all of the paused one are parked', async () => (await count(paused, 'parked')) === many)
  await until('all of the deleted one are canceled', async () => (await count(deleted, 'canceled')) === enough)
  await until('all of the resumed one wait again', async () => (await count(resumed, 'waiting')) === enough)
})

test('what fails after the commit is logged, and the answer is that it was done', async () => {
  const lane = await added()
  await owe(service.database.sql, lane, 1, past)
  await whileChangesDo("raise exception 'hindered by the test'", async () => {
    assert.equal(answered(await turn(lane, 'paused'), 200).json.hook_endpoint.status, 'paused')
  })
  const line = service
    .logged()
    .split('\n')
    .find(each => each.includes('hindered by the test'))
  const { level, endpoint, turn: asked } = JSON.parse(line ?? '{}')
  assert.deepEqual({ level, endpoint, asked }, { level: 'error', endpoint: lane.endpointId, asked: 'paused' })
})
