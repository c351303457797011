// How many a range would send again, and how many are still to go. Neither looks further than it is told to.

import type { MerchantId } from '../core/ids.ts'
import type { ResendRange } from '../core/shown-delivery.ts'
import type { Database, Scope } from './database.ts'
import { deliveriesThatAre } from './deliveries.ts'
import { fitsRange } from './resends.ts'

/** The newest are looked at: where the details of one are gone for their age, so are those of the ones before it. */
export async function countResends(
  sql: Database,
  merchantId: MerchantId,
  range: ResendRange,
  max: number,
): Promise<{ readonly count: number; readonly isMore: boolean }> {
  const [row] = await sql<{ count: number; looked: number }[]>`
    select count(v.id)::int as count, count(*)::int as looked
    from (select d.event_id from ${deliveriesThatAre(sql, range.state)} d where ${fitsRange(sql, merchantId, range, null)}
        order by d.id desc limit ${max + 1}) d
      left join event v on v.merchant_id = ${merchantId} and v.id = d.event_id and v.details is not null`
  const { count, looked } = row ?? { count: 0, looked: 0 }
  return { count: Math.min(count, max), isMore: looked > max && count > 0 }
}

/** Each part has an index: what waits or was taken up by a worker, and what waits for its endpoint. */
export async function countResendsLeft(
  sql: Database,
  merchantId: MerchantId,
  range: Omit<ResendRange, 'state'>,
  max: number,
): Promise<number> {
  const asked = (which: ReturnType<Scope>) => sql`select from owed_delivery d
    where d.merchant_id = ${merchantId} and d.endpoint_id = ${range.endpointId} and d.resend_at is not null
      and d.created_at > ${range.createdAfter}
      ${range.createdBefore === null ? sql`` : sql`and d.created_at < ${range.createdBefore}`} and ${which} limit ${max}`
  const [row] = await sql<{ count: number }[]>`select count(*)::int as count from (
      (${asked(sql`d.due_at is not null and d.holder is null and not d.parked`)})
      union all (${asked(sql`d.parked`)})) counted`
  return row?.count ?? 0
}
