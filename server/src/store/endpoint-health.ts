// How each endpoint of a merchant does. Every number has a bound, so that the work does too, however much an endpoint is sent.

import type { EndpointId, MerchantId } from '../core/ids.ts'
import type { Database } from './database.ts'
import { idAt } from './id-at.ts'

export interface EndpointHealth {
  readonly id: EndpointId
  readonly failingSince: Date | null
  /** Of the newest attempt of what was owed last; null: there is none. */
  readonly lastDelivery: string | null
  readonly lastAt: Date | null
  readonly lastStatus: number | null
  readonly lastReason: string | null
  /** Of the last 24 hours. */
  readonly delivered: number
  readonly failed: number
  readonly waiting: number
  readonly dropped: number
}

/** No number is larger. */
export const healthCountedMax = 1_000
const lookedBackMax = 25
const dayMs = 86_400_000

export async function endpointHealth(sql: Database, merchantId: MerchantId, now: Date): Promise<EndpointHealth[]> {
  const since = new Date(now.getTime() - dayMs)
  const own = (table: 'delivery' | 'pre_sale_request') =>
    sql`from ${sql(table)} d where d.merchant_id = ${merchantId} and d.endpoint_id = e.id`
  const ofToday = sql`and d.id > ${idAt(since, -1)} order by d.id desc limit ${healthCountedMax}`
  return sql<EndpointHealth[]>`
    with lost as (select d.endpoint_id, count(*)::int as dropped from (
        select endpoint_id from delivery where merchant_id = ${merchantId} and state = 'dropped'
        order by id desc limit ${healthCountedMax}) d group by d.endpoint_id)
    select e.id, e.failing_since, last.*, today.*, waiting.waiting, coalesce(lost.dropped, 0) as dropped
    from hook_endpoint e
      left join lost on lost.endpoint_id = e.id
      left join lateral (
        select made.* from (
          (select a.delivery_id as last_delivery, a.at as last_at, a.status as last_status, a.reason as last_reason
            from (select d.id, d.attempts ${own('delivery')} order by d.id desc limit ${lookedBackMax}) newest
              join attempt a on a.merchant_id = ${merchantId} and a.delivery_id = newest.id and a.number = newest.attempts)
          union all
          (select d.id, d.recorded_at, d.status, d.reason ${own('pre_sale_request')} order by d.id desc limit 1)) made
        order by made.last_at desc limit 1) last on true
      cross join lateral (
        select count(*) filter (where sent.taken)::int as delivered, count(*) filter (where not sent.taken)::int as failed
        from ((select d.created_at, case when d.state = 'delivered' then true when d.attempts > 0 then false end as taken
            ${own('delivery')} ${ofToday})
          union all (select d.recorded_at, coalesce(d.status between 200 and 299, false)
            ${own('pre_sale_request')} ${ofToday})) sent
        where sent.created_at > ${since}) today
      cross join lateral (
        select least(count(*), ${healthCountedMax})::int as waiting from (
          (select ${own('delivery')} and d.due_at is not null and d.holder is null and not d.parked limit ${healthCountedMax})
          union all (select ${own('delivery')} and d.parked limit ${healthCountedMax})) waits) waiting
    where e.merchant_id = ${merchantId} and e.deleted_at is null
    order by e.id desc`
}
