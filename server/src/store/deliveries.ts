// What waits to be delivered: which lanes have something due (one read over all, a row per lane however long it is), and what becomes of
// them when an endpoint is paused or deleted. No write touches two merchants.

import type { HeldDelivery, LaneName } from '../core/delivery.ts'
import type { DeliveryId, MerchantId, WorkerId } from '../core/ids.ts'
import { type DeliveryState, longestGapMs } from '../core/retry-schedule.ts'
import { claimable, inNoClaim, laneLock, listedBy, sendingColumns } from './claims.ts'
import type { Database, Scope } from './database.ts'
import type { Piece } from './sql.ts'

export interface Lane extends LaneName {
  readonly dueAt: Date
  /** Its endpoint does not take deliveries now. */
  readonly closed: 'paused' | 'deleted' | null
}

/** Where to look for deliveries of a state: what is still owed, or was given up, need not be looked for among all that was delivered. */
export function deliveriesThatAre(sql: Scope, state: DeliveryState | null) {
  return state === null || state === 'delivered' ? sql`whole_delivery` : sql`owed_delivery`
}

/** Said in the statement, not beside it: each state that is owed has an index, which a plan for any state could not use. */
export function isState(sql: Scope, state: DeliveryState) {
  const words = {
    pending: sql`'pending'`,
    delivered: sql`'delivered'`,
    dropped: sql`'dropped'`,
    canceled: sql`'canceled'`,
  }
  return sql`d.state = ${words[state]}`
}

/** A loose scan of an index that begins with the lane's name: one probe per lane, however long it is. */
function lanesBy(sql: Scope, columns: Piece, which: Piece) {
  return sql`with recursive lane as (
      (select ${columns} from owed_delivery where ${which} order by ${columns} limit 1)
      union all
      select n.* from lane l cross join lateral (
        select ${columns} from owed_delivery
        where ${which} and (merchant_id, endpoint_id) > (l.merchant_id, l.endpoint_id)
        order by ${columns} limit 1) n
    )`
}

/** What may be claimed, with the earliest of each lane. */
function claimableLanes(sql: Scope) {
  return lanesBy(sql, sql`merchant_id, endpoint_id, due_at`, claimable(sql))
}

/** Every lane that has something to claim, now or later, with its earliest. */
export async function listLanes(sql: Database): Promise<Lane[]> {
  const claims = sql`from claim c where c.merchant_id = l.merchant_id and c.endpoint_id = l.endpoint_id`
  // A lane of which claims list the first is looked through for the first that none does: where all are in hand there is nothing to claim.
  // What all claims list is read once, not those of each lane for each of its rows.
  return sql<Lane[]>`${claimableLanes(sql)}
    select l.merchant_id, l.endpoint_id, free.due_at,
      case when e.deleted_at is not null then 'deleted' when e.status = 'paused' then 'paused' end as closed
    from lane l join hook_endpoint e on e.merchant_id = l.merchant_id and e.id = l.endpoint_id
      cross join lateral (
        select l.due_at where not exists (select ${claims})
        union all (select d.due_at from owed_delivery d
          where exists (select ${claims}) and d.merchant_id = l.merchant_id and d.endpoint_id = l.endpoint_id and ${claimable(sql)}
            and (d.id, d.attempts) not in (select u.id, u.made from claim c cross join lateral ${listedBy(sql)})
          order by d.due_at limit 1)) free`
}

/** The columns of a held delivery, of `d` with its endpoint `e`, event `v` and its merchant's current key `k`. */
export function heldColumns(sql: Scope) {
  return sql`d.merchant_id, d.id, d.holder, d.attempts, d.endpoint_id, e.failing_since is not null as endpoint_fails,
    ${sendingColumns(sql)}, d.state, d.scheduled_made, d.original_at, d.last_at, d.resend_at`
}

/** How one that waited in memory is to be sent now; null: not now, or not by this worker. */
export async function findSending(
  sql: Database,
  { merchantId, endpointId, id, holder, claimId, attempts }: HeldDelivery,
): Promise<Sending | null> {
  const [row] = await sql<Sending[]>`
    select ${sendingColumns(sql)} from owed_delivery d
      join hook_endpoint e on e.merchant_id = ${merchantId} and e.id = ${endpointId}
      join merchant_key k on k.merchant_id = ${merchantId} and k.state = 'current'
    where d.merchant_id = ${merchantId} and d.id = ${id} and d.attempts = ${attempts} and d.due_at is not null
      and case when ${claimId}::uuid is null then d.holder = ${holder} else exists (select from claim c
        where c.merchant_id = ${merchantId} and c.id = ${claimId} and c.holder = ${holder} and ${id} = any(c.delivery_ids)) end
      and e.status = 'enabled' and e.deleted_at is null`
  return row ?? null
}

export type Sending = Pick<HeldDelivery, 'url' | 'timeoutMs' | 'standardWebhooks' | 'sendsJson' | 'keyId'>

export interface Aside {
  readonly now: Date
  readonly limit: number
}

/**
 * Of an endpoint that is paused they wait, of one that was deleted they end. What a worker holds is left to it: also what one is just
 * claiming, whose claim is waited for.
 */
export async function setLaneAside(
  sql: Database,
  lane: LaneName,
  closed: 'paused' | 'deleted',
  by: Aside,
): Promise<number> {
  const [, [row]] = await sql.flight(scope => [laneLock(scope, lane), putAside(scope, lane, closed, by)])
  return row?.count ?? 0
}

/** How many. */
export function putAside(sql: Scope, lane: LaneName, closed: 'paused' | 'deleted', by: Aside) {
  const { merchantId, endpointId } = lane
  // Each side of the `or` has an index; all that is due and in nobody's hand has none, and is read with all that was settled.
  const waits = sql`${claimable(sql)} and ${inNoClaim(sql, lane)}`
  const few = sql`with few as materialized (
    select merchant_id, id, state from owed_delivery where merchant_id = ${merchantId} and endpoint_id = ${endpointId}
      and ${closed === 'paused' ? waits : sql`(${waits} or parked)`}
      and exists (select from hook_endpoint e where e.merchant_id = ${merchantId} and e.id = ${endpointId}
        and (e.deleted_at is not null) = ${closed === 'deleted'} and (e.status = 'paused' or ${closed === 'deleted'}))
    limit ${by.limit} for update skip locked)`
  return closed === 'paused'
    ? sql<{ count: number }[]>`${few}, parked as (update owed_delivery set parked = true
        where merchant_id = ${merchantId} and id = any(array(select id from few)))
        select count(*)::int from few`
    : sql<{ count: number }[]>`${few}, ${endingOf(sql, by.now)} select count(*)::int from few`
}

/** Ends the deliveries in `few`: none of them is sent any more. One that was delivered, and is to be sent again, stays so. */
export function endingOf(sql: Scope, now: Date) {
  return sql`again as (delete from owed_delivery o using few
      where o.merchant_id = few.merchant_id and o.id = few.id and few.state = 'delivered'),
    canceled as (update owed_delivery o set due_at = null, resend_at = null,
        state = case when o.state = 'pending' then 'canceled' else o.state end, settled_at = coalesce(o.settled_at, ${now}), parked = false
      from few where o.merchant_id = few.merchant_id and o.id = few.id and few.state <> 'delivered')`
}

/**
 * What is due further ahead than the schedule ever is: dated by a clock that was ahead and has gone back. It is due now,
 * or it would wait for as long as the clock was wrong. Reads one row per lane.
 */
export async function bringForward(sql: Database, now: Date, limit: number): Promise<number> {
  const horizon = new Date(now.getTime() + longestGapMs + slackMs)
  const lanes = await sql<LaneName[]>`${claimableLanes(sql)}
    select l.merchant_id, l.endpoint_id from lane l cross join lateral (
      select due_at from owed_delivery d where d.merchant_id = l.merchant_id and d.endpoint_id = l.endpoint_id and ${claimable(sql)}
      order by due_at desc limit 1) last
    where last.due_at > ${horizon}`
  let count = 0
  for (const { merchantId, endpointId } of lanes) {
    const moved =
      await sql`update owed_delivery set due_at = ${now} where merchant_id = ${merchantId} and id = any(array(
      select id from owed_delivery where merchant_id = ${merchantId} and endpoint_id = ${endpointId} and due_at > ${horizon}
        and ${claimable(sql)} limit ${limit} for update skip locked))`
    count += moved.count
  }
  return count
}

/** Clocks of several machines differ a little. */
const slackMs = 600_000

/** Lanes with parked rows whose endpoint takes deliveries again, or never will. */
export async function findParkedInVain(sql: Database): Promise<(LaneName & { readonly deleted: boolean })[]> {
  return sql<(LaneName & { deleted: boolean })[]>`${lanesBy(sql, sql`merchant_id, endpoint_id`, sql`parked`)}
    select l.merchant_id, l.endpoint_id, e.deleted_at is not null as deleted
    from lane l join hook_endpoint e on e.merchant_id = l.merchant_id and e.id = l.endpoint_id
    where e.status = 'enabled' or e.deleted_at is not null`
}

/** Each goes on where it stood: one without attempts starts, others with their next number. */
export async function unparkLane(sql: Database, { merchantId, endpointId }: LaneName, limit: number): Promise<number> {
  const { count } = await sql`update owed_delivery set parked = false
    where merchant_id = ${merchantId} and id = any(array(
      select id from owed_delivery where merchant_id = ${merchantId} and endpoint_id = ${endpointId} and parked
        and exists (select from hook_endpoint e where e.merchant_id = ${merchantId} and e.id = ${endpointId} and e.status = 'enabled')
      limit ${limit} for update skip locked))`
  return count
}

/** What was born in a worker's hand: compared with what it has there, so that nothing is held by nobody. */
export async function listNewborn(
  sql: Database,
  holder: WorkerId,
): Promise<{ merchantId: MerchantId; id: DeliveryId; count: number }[]> {
  return sql<{ merchantId: MerchantId; id: DeliveryId; count: number }[]>`
    select merchant_id, id, 1 as count from owed_delivery where holder = ${holder}`
}

export async function freeNewborn(
  sql: Database,
  merchantId: MerchantId,
  holder: WorkerId,
  ids: readonly DeliveryId[],
): Promise<void> {
  await sql`update owed_delivery set holder = null where merchant_id = ${merchantId} and holder = ${holder} and id = any(${ids}::uuid[])`
}
