// A backlog: notifications that are due and were not delivered, written straight into the tables.

import type { Database, Scope } from '../server/src/store/database.ts'
import { barely } from './barely.ts'
import { detailsOf } from './hooks/contestant.ts'

const bite = 100_000

export async function fill(sql: Database, merchant: string, endpoint: string, count: number): Promise<void> {
  if (count <= bite) {
    // Counted before anybody can see it: whoever waits for it would otherwise begin while the database is busy counting.
    await sql.begin(async scope => {
      await fillBites(scope, merchant, endpoint, count)
      await scope.unsafe(countThem)
    })
    return
  }
  const own = await sql.reserve()
  try {
    await barely(own, tables, () => fillBites(own, merchant, endpoint, count))
  } finally {
    own.release()
  }
  await sql.unsafe(countThem)
}

const countThem = 'analyze tillbell.owed_delivery'
const tables = ['event', 'delivery', 'owed_delivery']

async function fillBites(sql: Scope, merchant: string, endpoint: string, count: number): Promise<void> {
  for (let from = 0; from < count; from += bite) {
    const rows = Math.min(bite, count - from)
    await sql`with made as (
        insert into event (merchant_id, id, transaction_id, kind, type, details, at)
        select ${merchant}, uuidv7(), null, 'transaction', 'success', replace(${details}, ${placeholder}, gen_random_uuid()::text), now()
        from generate_series(1, ${rows})
        returning merchant_id, id
      ),
      born as (
        insert into delivery (merchant_id, id, event_id, endpoint_id, created_at)
        select merchant_id, uuidv7(), id, ${endpoint}, now() from made
        returning *
      )
      insert into owed_delivery (merchant_id, id, event_id, endpoint_id, created_at, due_at)
      select merchant_id, id, event_id, endpoint_id, created_at, created_at from born`
  }
}

const placeholder = '{id}'
const details = detailsOf(placeholder)
