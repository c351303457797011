// A process has some twenty connections to its database. Of one merchant, whose rows are locked for long or whose statements take long,
// half of them wait at most: the others are for everybody else.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { answered } from './support/answers.ts'
import type { Client } from './support/client.ts'
import { startTestService, type TestService } from './support/service.ts'
import { until } from './support/until.ts'

/** More than there are connections. */
const requests = 40

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.stop())

function storeAgain(client: Client) {
  const form = { email: 'ada@example.com', number: '4111111111111111', expiry_month: 12, expiry_year: 2040 }
  return client.ask('sandbox/cards', { form, headers: { 'idempotency-key': 'ada' } })
}

test('requests of a merchant that wait for a row leave connections to those of others', async () => {
  const [stuck, other] = [await service.newMerchant(), await service.newMerchant()]
  const first = answered(await storeAgain(stuck), 200)
  const [offer, card] = [await other.makeOffer(), await other.storeCard()]
  const { sql } = service.database
  const held = await sql.reserve()
  await held`begin`
  await held`select from idempotency_key where merchant_id = ${stuck.merchant} for update`
  const waiting = () => sql<{ count: number }[]>`select count(*)::int from pg_locks where not granted`
  const repeated = Array.from({ length: requests }, () => storeAgain(stuck))
  await until('as many wait as may', async () => ((await waiting())[0]?.count ?? 0) >= 9)
  answered(await other.ask('offers'), 200)
  answered(await other.charge(offer, card), 200)
  assert.equal((await waiting())[0]?.count, 9)
  await held`rollback`
  held.release()
  for (const answer of await Promise.all(repeated)) assert.equal(answered(answer, 200).text, first.text)
})
