// What a worker does with deliveries: which lanes have something due (one read over all, a row per lane however long it
// is), and results written many at a time. No write touches two merchants.

import type { AttemptResult, HeldDelivery, LaneName } from '../core/delivery.ts'
import type { ClaimId, DeliveryId, EndpointId, MerchantId, WorkerId } from '../core/ids.ts'
import { isAccepted, longestGapMs } from '../core/retry-schedule.ts'
import { claimable, inNoClaim, sendingColumns } from './claims.ts'
import type { Database, Scope } from './database.ts'
import type { Piece } from './sql.ts'

export interface Lane extends LaneName {
  readonly dueAt: Date
  /** Its endpoint does not take deliveries now. */
  readonly closed: 'paused' | 'deleted' | null
}

/** A loose scan of an index that begins with the lane's name: one probe per lane, however long it is. */
function lanesBy(sql: Scope, columns: Piece, which: Piece) {
  return sql`with recursive lane as (
      (select ${columns} from delivery where ${which} order by ${columns} limit 1)
      union all
      select n.* from lane l cross join lateral (
        select ${columns} from delivery
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
  return sql<Lane[]>`${claimableLanes(sql)}
    select l.merchant_id, l.endpoint_id, free.due_at,
      case when e.deleted_at is not null then 'deleted' when e.status = 'paused' then 'paused' end as closed
    from lane l join hook_endpoint e on e.merchant_id = l.merchant_id and e.id = l.endpoint_id
      cross join lateral (
        select l.due_at where not exists (select ${claims})
        union all (select d.due_at from delivery d
          where exists (select ${claims}) and d.merchant_id = l.merchant_id and d.endpoint_id = l.endpoint_id and ${claimable(sql)}
            and not exists (select from claim c cross join lateral unnest(c.delivery_ids, c.attempts) u(id, made)
              where c.merchant_id = l.merchant_id and c.endpoint_id = l.endpoint_id and u.id = d.id and u.made = d.attempts)
          order by d.due_at limit 1)) free`
}

/** The columns of a held delivery, of `d` with its endpoint `e`, event `v` and its merchant's current key `k`. */
export function heldColumns(sql: Scope) {
  return sql`d.merchant_id, d.id, d.holder, d.attempts, d.endpoint_id, e.failing_since is not null as endpoint_fails,
    ${sendingColumns(sql)}, d.state, d.scheduled_made, d.original_at, d.last_at, d.resend_at, d.created_at`
}

/** How one that waited in memory is to be sent now; null: not now, or not by this worker. */
export async function findSending(
  sql: Database,
  { merchantId, endpointId, id, holder, claimId, attempts }: HeldDelivery,
): Promise<Sending | null> {
  const [row] = await sql<Sending[]>`
    select ${sendingColumns(sql)} from delivery d
      join hook_endpoint e on e.merchant_id = ${merchantId} and e.id = ${endpointId}
      join merchant_key k on k.merchant_id = ${merchantId} and k.state = 'current'
    where d.merchant_id = ${merchantId} and d.id = ${id} and d.attempts = ${attempts} and d.due_at is not null
      and case when ${claimId}::uuid is null then d.holder = ${holder} else exists (select from claim c
        where c.merchant_id = ${merchantId} and c.id = ${claimId} and c.holder = ${holder} and ${id} = any(c.delivery_ids)) end
      and e.status = 'enabled' and e.deleted_at is null`
  return row ?? null
}

export type Sending = Pick<HeldDelivery, 'url' | 'timeoutMs' | 'standardWebhooks' | 'keyId'>

/** Of an endpoint that is paused they wait, of one that was deleted they end. What a worker holds is left to it. */
export async function setLaneAside(
  sql: Database,
  { merchantId, endpointId }: LaneName,
  closed: 'paused' | 'deleted',
  by: { readonly now: Date; readonly limit: number },
): Promise<number> {
  const change =
    closed === 'paused'
      ? sql`parked = true`
      : sql`due_at = null, resend_at = null, state = case when state = 'pending' then 'canceled' else state end,
          settled_at = coalesce(settled_at, ${by.now}), parked = false`
  // Each side of the `or` has an index; all that is due and in nobody's hand has none, and is read with all that was settled.
  const waits = sql`${claimable(sql)} and ${inNoClaim(sql, { merchantId, endpointId })}`
  const which = closed === 'paused' ? waits : sql`(${waits} or parked)`
  const { count } = await sql`update delivery set ${change}
    where merchant_id = ${merchantId} and id = any(array(
      select id from delivery where merchant_id = ${merchantId} and endpoint_id = ${endpointId} and ${which}
        and exists (select from hook_endpoint e where e.merchant_id = ${merchantId} and e.id = ${endpointId}
          and (e.deleted_at is not null) = ${closed === 'deleted'} and (e.status = 'paused' or ${closed === 'deleted'}))
      limit ${by.limit} for update skip locked))`
  return count
}

/**
 * What is due further ahead than the schedule ever is: dated by a clock that was ahead and has gone back. It is due now,
 * or it would wait for as long as the clock was wrong. Reads one row per lane.
 */
export async function bringForward(sql: Database, now: Date, limit: number): Promise<number> {
  const horizon = new Date(now.getTime() + longestGapMs + slackMs)
  const lanes = await sql<LaneName[]>`${claimableLanes(sql)}
    select l.merchant_id, l.endpoint_id from lane l cross join lateral (
      select due_at from delivery d where d.merchant_id = l.merchant_id and d.endpoint_id = l.endpoint_id and ${claimable(sql)}
      order by due_at desc limit 1) last
    where last.due_at > ${horizon}`
  let count = 0
  for (const { merchantId, endpointId } of lanes) {
    const moved = await sql`update delivery set due_at = ${now} where merchant_id = ${merchantId} and id = any(array(
      select id from delivery where merchant_id = ${merchantId} and endpoint_id = ${endpointId} and due_at > ${horizon}
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
  const { count } = await sql`update delivery set parked = false
    where merchant_id = ${merchantId} and id = any(array(
      select id from delivery where merchant_id = ${merchantId} and endpoint_id = ${endpointId} and parked
        and exists (select from hook_endpoint e where e.merchant_id = ${merchantId} and e.id = ${endpointId} and e.status = 'enabled')
      limit ${limit} for update skip locked))`
  return count
}

/** How long nothing but failures pauses an endpoint. */
const failingForMs = 5 * 86_400_000

export interface Settled {
  readonly ids: readonly DeliveryId[]
  /** Endpoints that were paused for having done nothing but fail. */
  readonly paused: readonly { readonly endpointId: EndpointId; readonly url: string }[]
}

/**
 * Results of one merchant's deliveries, in one statement. One that is not in this worker's hand any more is dropped: whoever
 * took the delivery over says how it went. An endpoint that was deleted meanwhile ends it, one that was paused parks it. A
 * listener's never fails: somebody sits in front of it.
 */
export async function settleAttempts(
  sql: Database,
  merchantId: MerchantId,
  holder: WorkerId,
  results: readonly AttemptResult[],
): Promise<Settled> {
  const { working, failing, at } = healthOf(results)
  const rows = await sql<{ id: DeliveryId | null; pausedId: EndpointId | null; url: string | null }[]>`
    with result as (select * from ${resultRows(sql, results)}),
    locked as materialized (
      select id, delivery_ids from claim
      where merchant_id = ${merchantId} and id = any(${claimsOf(results)}::uuid[]) and holder = ${holder} for key share
    ),
    settled as (
      update delivery d set attempts = d.attempts + 1, holder = null, scheduled_made = r.scheduled_made,
        original_at = r.original_at, last_at = r.last_at,
        state = case when ended.it and r.state = 'pending' then 'canceled' else r.state end,
        resend_at = case when not ended.it then nullif(d.resend_at, r.resend_at) end,
        due_at = case when not ended.it then coalesce(nullif(d.resend_at, r.resend_at), r.due_at) end,
        parked = not ended.it and e.status = 'paused' and coalesce(nullif(d.resend_at, r.resend_at), r.due_at) is not null,
        settled_at = case when r.state = 'pending' and not ended.it then null
          when r.state = d.state and r.state <> 'pending' then d.settled_at else r.at end,
        drop_untold = d.drop_untold or (r.state = 'dropped' and d.state = 'pending' and not ended.it and e.listener_id is null)
      from result r join hook_endpoint e on e.merchant_id = ${merchantId} and e.id = r.endpoint_id
        cross join lateral (select e.deleted_at is not null as it) ended
      where d.merchant_id = ${merchantId} and d.id = r.id and d.attempts = r.made
        and case when r.claim_id is null then ${isHeldBy(sql, holder)}
          else (r.claim_id, r.id) in (select l.id, u.id from locked l cross join lateral unnest(l.delivery_ids) u(id)) end
      returning d.id, d.attempts, r.at, r.url, r.resend_at is not null as resend, r.status, r.reason, r.duration_ms, r.response
    ),
    noted as (
      insert into attempt (merchant_id, delivery_id, number, at, url, resend, status, reason, duration_ms, response)
      select ${merchantId}, id, attempts, at, url, resend, status, reason, duration_ms, response from settled
    ),
    recovered as (
      update hook_endpoint set failing_since = null
      where merchant_id = ${merchantId} and id = any(${working}::uuid[]) and failing_since is not null
    ),
    began as (
      update hook_endpoint set failing_since = ${at}
      where merchant_id = ${merchantId} and id = any(${failing}::uuid[]) and failing_since is null and listener_id is null
    ),
    paused as (
      update hook_endpoint set status = 'paused', paused_because = 'failing', pause_announced_at = null
      where merchant_id = ${merchantId} and id = any(${failing}::uuid[]) and status = 'enabled' and deleted_at is null
        and failing_since <= ${new Date(at.getTime() - failingForMs)}
      returning id, url
    )
    select id, null::uuid as paused_id, null as url from settled
    union all select null, id, url from paused`
  return {
    ids: rows.flatMap(({ id }) => (id === null ? [] : [id])),
    paused: rows.flatMap(({ pausedId, url }) => (pausedId === null ? [] : [{ endpointId: pausedId, url: url ?? '' }])),
  }
}

/** Not `=`: the planner takes what a worker holds for less than one row, and then compares all of it with every result. */
function isHeldBy(sql: Scope, holder: WorkerId) {
  return sql`d.holder is not distinct from ${holder}`
}

function claimsOf(results: readonly AttemptResult[]): readonly ClaimId[] {
  return [...new Set(results.flatMap(({ held }) => held.claimId ?? []))]
}

function resultRows(sql: Database, results: readonly AttemptResult[]) {
  const all = <Value>(of: (result: AttemptResult) => Value) => results.map(of)
  const times = (of: (result: AttemptResult) => Date | null) => plainArray(results.map(each => of(each)?.toISOString()))
  const plain = (of: (result: AttemptResult) => string | number | null) => plainArray(results.map(of))
  return sql`unnest(
    ${plain(({ held }) => held.id)}::uuid[], ${plain(({ held }) => held.endpointId)}::uuid[], ${plain(({ held }) => held.attempts)}::int[],
    ${plain(({ held }) => held.claimId)}::uuid[],
    ${times(({ held }) => held.resendAt)}::timestamptz[], ${plain(({ after }) => after.state)}::text[],
    ${plain(({ after }) => after.scheduledMade)}::int[], ${times(({ after }) => after.originalAt)}::timestamptz[],
    ${times(({ after }) => after.lastAt)}::timestamptz[], ${times(({ after }) => after.dueAt)}::timestamptz[],
    ${times(({ attempt }) => attempt.at)}::timestamptz[], ${all(({ held }) => held.url)}::text[], ${plain(({ attempt }) => attempt.status)}::int[],
    ${all(({ attempt }) => attempt.reason)}::text[], ${plain(({ attempt }) => attempt.durationMs)}::int[],
    ${all(({ attempt }) => attempt.response)}::text[])
    as r(id, endpoint_id, made, claim_id, resend_at, state, scheduled_made, original_at, last_at, due_at, at, url, status, reason, duration_ms, response)`
}

/** An array as PostgreSQL reads it, of values that need no quotes: the driver looks for them in each. */
function plainArray(values: readonly (string | number | null | undefined)[]): string {
  return `{${values.map(value => value ?? 'NULL').join(',')}}`
}

/** An endpoint of which one attempt was accepted works, whatever the others say. */
function healthOf(results: readonly AttemptResult[]) {
  const working = new Set<EndpointId>()
  const failing = new Set<EndpointId>()
  let atMs = 0
  for (const { held, attempt } of results) {
    atMs = Math.max(atMs, attempt.at.getTime())
    if (isAccepted(attempt.status)) working.add(held.endpointId)
    else failing.add(held.endpointId)
  }
  return { working: [...working], failing: [...failing].filter(id => !working.has(id)), at: new Date(atMs) }
}

/** What was born in a worker's hand: compared with what it has there, so that nothing is held by nobody. */
export async function listNewborn(
  sql: Database,
  holder: WorkerId,
): Promise<{ merchantId: MerchantId; id: DeliveryId; count: number }[]> {
  return sql<{ merchantId: MerchantId; id: DeliveryId; count: number }[]>`
    select merchant_id, id, 1 as count from delivery where holder = ${holder}`
}

export async function freeNewborn(
  sql: Database,
  merchantId: MerchantId,
  holder: WorkerId,
  ids: readonly DeliveryId[],
): Promise<void> {
  await sql`update delivery set holder = null where merchant_id = ${merchantId} and holder = ${holder} and id = any(${ids}::uuid[])`
}
