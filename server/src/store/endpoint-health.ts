// How each endpoint of a merchant does. Every number has a bound, so that the work does too, however much an endpoint is sent.

import type { EndpointId, MerchantId } from '../core/ids.ts'
import type { Database, Scope } from './database.ts'
import { idAt } from './id-at.ts'
import type { Piece } from './sql.ts'

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
  return sql<EndpointHealth[]>`
    with lost as (${lostOf(sql, merchantId)})
    select e.id, e.failing_since, last.*, today.*, waiting.*, coalesce(lost.dropped, 0) as dropped
    from hook_endpoint e
      left join lost on lost.endpoint_id = e.id
      left join lateral (${lastMade(sql, merchantId)}) last on true
      cross join lateral (${sentSince(sql, merchantId, since)}) today
      cross join lateral (${waiting(sql, merchantId)}) waiting
    where e.merchant_id = ${merchantId} and e.deleted_at is null and e.listener_id is null
    order by e.id desc`
}

const [firstId, lastId] = ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff']

/** Whole rows are compared: then only the index of endpoints has this order, and no other is walked in vain. */
function newest(sql: Scope, merchantId: MerchantId, from: string, limit: number) {
  return sql`where (d.merchant_id, d.endpoint_id, d.id) > (${merchantId}, e.id, ${from}::uuid)
      and (d.merchant_id, d.endpoint_id, d.id) < (${merchantId}, e.id, ${lastId}::uuid)
    order by d.merchant_id desc, d.endpoint_id desc, d.id desc limit ${limit}`
}

function lostOf(sql: Scope, merchantId: MerchantId) {
  return sql`select d.endpoint_id, count(*)::int as dropped from (
      select endpoint_id from owed_delivery where merchant_id = ${merchantId} and state = 'dropped'
      order by id desc limit ${healthCountedMax}) d group by d.endpoint_id`
}

/** An older delivery may have been tried later: that is looked for among some. */
function lastMade(sql: Scope, merchantId: MerchantId) {
  return sql`select made.* from (
      (select a.delivery_id as last_delivery, a.at as last_at, a.status as last_status, a.reason as last_reason
        from (select d.id, d.attempts from whole_delivery d ${newest(sql, merchantId, firstId, lookedBackMax)}) newest
          join attempt a on a.merchant_id = ${merchantId} and a.delivery_id = newest.id and a.number = newest.attempts)
      union all
      (select d.id, d.recorded_at, d.status, d.reason from pre_sale_request d ${newest(sql, merchantId, firstId, 1)})) made
    order by made.last_at desc limit 1`
}

function sentSince(sql: Scope, merchantId: MerchantId, since: Date) {
  const some = newest(sql, merchantId, idAt(since, -1), healthCountedMax)
  return sql`select count(*) filter (where sent.taken)::int as delivered, count(*) filter (where not sent.taken)::int as failed
    from (
      (select d.created_at, case when d.state = 'delivered' then true when d.attempts > 0 then false end as taken
        from whole_delivery d ${some})
      union all
      (select d.recorded_at, coalesce(d.status between 200 and 299, false) from pre_sale_request d ${some})) sent
    where sent.created_at > ${since}`
}

function waiting(sql: Scope, merchantId: MerchantId) {
  const some = (which: Piece) => sql`select from owed_delivery d
    where d.merchant_id = ${merchantId} and d.endpoint_id = e.id and ${which} limit ${healthCountedMax}`
  return sql`select least(count(*), ${healthCountedMax})::int as waiting from (
    (${some(sql`d.due_at is not null and d.holder is null and not d.parked`)}) union all (${some(sql`d.parked`)})) waits`
}
