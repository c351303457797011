// A customer with many payments is erased: whoever refunds one of them meanwhile, or hears of it from its gateway, waits for a few of them
// at most, and nobody waits for all.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { answered } from './support/answers.ts'
import { holdsUp } from './support/holds-up.ts'
import { startTestService, type TestService } from './support/service.ts'
import { until } from './support/until.ts'

/** Three times as many as are locked at once. */
const payments = 300

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.stop())

/** One is paid, and written down so often. */
async function payOften(): Promise<void> {
  const { demo, database } = service
  answered(await demo.charge(demo.offer, demo.card), 200)
  await database.sql`insert into transaction select (jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid()))).*
    from transaction t, generate_series(2, ${payments})`
}

test('an erasure locks some payments of its customer at a time, and leaves nothing in any of them', async () => {
  await payOften()
  const { demo, database } = service
  const { sql } = database
  await sql`update transaction set referrer_context = 'from the newsletter'`
  const [{ email } = assert.fail()] = await sql<{ email: string }[]>`select email from customer`
  const held = await sql.reserve()
  await held`begin`
  await held`select from transaction where id = (select id from transaction order by id offset ${payments / 2} limit 1) for update`
  const erasing = demo.ask('customers/erasures', { form: { email } })
  await until('it waits for one that is held', () => holdsUp(held))
  const free = await sql`select from transaction for update skip locked`
  assert.ok(free.count >= payments - 101 && free.count < payments, `${free.count} are free`)
  await held`rollback`
  held.release()
  answered(await erasing, 200)
  assert.equal((await sql`select from transaction where referrer_context is not null`).count, 0)
})
