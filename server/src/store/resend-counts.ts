// How many a range would send again, and how many are still to go. Neither counts further than it is told to.

import type { MerchantId } from '../core/ids.ts'
import type { ResendRange } from '../core/shown-delivery.ts'
import type { Database, Scope } from './database.ts'
import { inRange } from './resends.ts'

export async function countResends(
  sql: Database,
  merchantId: MerchantId,
  range: ResendRange,
  max: number,
): Promise<number> {
  const [row] = await sql<{ count: number }[]>`select count(*)::int as count
    from (select ${inRange(sql, merchantId, range, null)} limit ${max}) counted`
  return row?.count ?? 0
}

/** Each part has an index: what waits, what waits for its endpoint, and what a worker has in hand. */
export async function countResendsLeft(
  sql: Database,
  merchantId: MerchantId,
  range: Omit<ResendRange, 'state'>,
  max: number,
): Promise<number> {
  const asked = (which: ReturnType<Scope>) => sql`select from delivery d
    where d.merchant_id = ${merchantId} and d.endpoint_id = ${range.endpointId} and d.resend_at is not null
      and d.created_at > ${range.createdAfter}
      ${range.createdBefore === null ? sql`` : sql`and d.created_at < ${range.createdBefore}`} and ${which} limit ${max}`
  const [row] = await sql<{ count: number }[]>`select count(*)::int as count from (
      (${asked(sql`d.due_at is not null and d.holder is null and not d.parked`)})
      union all (${asked(sql`d.parked`)})
      union all (${asked(sql`d.holder in (select id from worker)`)})) counted`
  return row?.count ?? 0
}
