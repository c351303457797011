// A claim: what a worker took up of one lane at once. One row lists the attempts that it is about to make, and the deliveries themselves are
// not touched: to write into each that it is held cost the database more than all else.

import type { Claiming, HeldDelivery, LaneName } from '../core/delivery.ts'
import type { ClaimId, DeliveryId, MerchantId, WorkerId } from '../core/ids.ts'
import type { Database, Scope } from './database.ts'

/** The index of what may be claimed has exactly these. */
export function claimable(sql: Scope) {
  return sql`due_at is not null and holder is null and not parked`
}

/** The attempts that a claim `c` lists, as `u`. */
export function listedBy(sql: Scope) {
  return sql`unnest(c.delivery_ids, c.attempts) u(id, made)`
}

/** Of a lane's deliveries: that no claim lists its next attempt. */
export function inNoClaim(sql: Scope, { merchantId, endpointId }: LaneName) {
  return sql`(id, attempts) not in (
    select u.id, u.made from claim c cross join lateral ${listedBy(sql)}
    where c.merchant_id = ${merchantId} and c.endpoint_id = ${endpointId})`
}

/**
 * The same of those that come after all that its claims took up, so that what is in hand, and what is done, is not gone through again. No claim lists
 * one of these, but where a resend was asked for meanwhile, which made it due anew: only then all lists are read.
 */
function afterClaims(sql: Scope, name: LaneName) {
  return sql`(due_at, id) > (select * from (
      select ends_due_at, ends_id from claim where merchant_id = ${name.merchantId} and endpoint_id = ${name.endpointId}
      union all select '-infinity', '00000000-0000-0000-0000-000000000000') ends order by 1 desc, 2 desc limit 1)
    and (resend_at is null or ${inNoClaim(sql, name)})`
}

/** How a request is made: what a merchant can change while a delivery waits. */
export function sendingColumns(sql: Scope) {
  return sql`e.url, e.timeout_s * 1000 as timeout_ms, e.standard_webhooks, e.sends_json, k.id as key_id`
}

type Sending = Pick<HeldDelivery, 'url' | 'timeoutMs' | 'standardWebhooks' | 'sendsJson' | 'keyId' | 'endpointFails'>
/** Closed where it has no URL. */
type Lane = Sending | { readonly url: null }
/** Three are null where they have their usual value (pending, 0, 0): a claim has many rows, and each value is written there and read here. */
type Taken = Pick<HeldDelivery, 'id' | 'details' | 'originalAt' | 'lastAt' | 'resendAt'> & {
  readonly [Name in 'state' | 'attempts' | 'scheduledMade']: HeldDelivery[Name] | null
}

/** The longest due first. One claim of a lane at a time: the next sees what this one took. */
export async function claimDeliveries(sql: Database, name: LaneName, claiming: Claiming): Promise<HeldDelivery[]> {
  const [[lane], taken] = await sql.flight(scope => [lockLane(scope, name), takeFromLane(scope, name, claiming)])
  const { merchantId, endpointId } = name
  if (lane === undefined || lane.url === null) {
    // Opened between the two: who looks again finds it so.
    if (taken.length > 0) await endClaims(sql, merchantId, [claiming.id])
    return []
  }
  const { url, timeoutMs, standardWebhooks, sendsJson, keyId, endpointFails } = lane
  // Written out: there are many of them, and they are the largest part of what a claim costs this process.
  return taken.map(each => ({
    merchantId,
    endpointId,
    url,
    timeoutMs,
    standardWebhooks,
    sendsJson,
    keyId,
    endpointFails,
    holder: claiming.holder,
    claimId: claiming.id,
    id: each.id,
    details: each.details,
    state: each.state ?? 'pending',
    attempts: each.attempts ?? 0,
    scheduledMade: each.scheduledMade ?? 0,
    originalAt: each.originalAt,
    lastAt: each.lastAt,
    resendAt: each.resendAt,
  }))
}

/** Until the commit. By a number, not by the endpoint's row: that one is written by results. */
export function laneLock(scope: Scope, { endpointId }: LaneName) {
  return scope`select pg_advisory_xact_lock(hashtextextended(${endpointId}::text, 0))::text`
}

function lockLane(scope: Scope, { merchantId, endpointId }: LaneName) {
  return scope<Lane[]>`
    with locked as materialized (${laneLock(scope, { merchantId, endpointId })})
    select ${sendingColumns(scope)}, e.failing_since is not null as endpoint_fails
    from locked left join (hook_endpoint e join merchant_key k on k.merchant_id = ${merchantId} and k.state = 'current')
      on e.merchant_id = ${merchantId} and e.id = ${endpointId} and e.status = 'enabled' and e.deleted_at is null`
}

/** Each event is found by its own id: a join lets the planner read all that a merchant ever had, while it takes a table for small. */
export function takeFromLane(scope: Scope, name: LaneName, { id, holder, now, limit, goesOn }: Claiming) {
  const { merchantId, endpointId } = name
  return scope<Taken[]>`
    with d as materialized (
      select id, event_id, state, attempts, scheduled_made, original_at, last_at, resend_at, due_at from owed_delivery
      where merchant_id = ${merchantId} and endpoint_id = ${endpointId} and due_at <= ${now} and ${claimable(scope)}
        and ${goesOn ? afterClaims(scope, name) : inNoClaim(scope, name)}
        and exists (select from hook_endpoint e where e.merchant_id = ${merchantId} and e.id = ${endpointId}
          and e.status = 'enabled' and e.deleted_at is null)
      order by due_at, id limit ${scope.unsafe(String(limit))}
    ),
    listed as (
      insert into claim (merchant_id, id, endpoint_id, holder, delivery_ids, attempts, ends_due_at, ends_id)
      select ${merchantId}, ${id}, ${endpointId}, ${holder}, array_agg(d.id order by d.due_at, d.id), array_agg(d.attempts order by d.due_at, d.id),
        max(d.due_at), (array_agg(d.id order by d.due_at, d.id))[count(*)]
      from d having count(*) > 0
    )
    select d.id, nullif(d.state, 'pending') as state, nullif(d.attempts, 0) as attempts, nullif(d.scheduled_made, 0) as scheduled_made,
      d.original_at, d.last_at, d.resend_at,
      coalesce((select v.details from event v where v.merchant_id = ${merchantId} and v.id = d.event_id), '') as details
    from d order by d.due_at, d.id`
}

export interface Listed {
  readonly merchantId: MerchantId
  readonly id: ClaimId
  /** How many deliveries that are still to be done. */
  readonly count: number
}

/** Of one worker: compared with what it has in hand, so that nothing is held by nobody. */
export async function listClaims(sql: Database, holder: WorkerId): Promise<Listed[]> {
  return sql<Listed[]>`select c.merchant_id, c.id, ${openCount(sql)} as count from claim c where c.holder = ${holder}`
}

/** Nothing of them is in hand any more. */
export async function endClaims(sql: Database, merchantId: MerchantId, ids: readonly ClaimId[]): Promise<void> {
  await sql`delete from claim where merchant_id = ${merchantId} and id = any(${ids}::uuid[])`
}

/** Gives some of what they list back, for anybody to take up: from now on, whoever brings a result of theirs is looked for in the list. */
export async function cutClaims(
  sql: Database,
  merchantId: MerchantId,
  claims: readonly ClaimId[],
  deliveries: readonly DeliveryId[],
): Promise<void> {
  await sql`update claim c set is_cut = true, (delivery_ids, attempts) = (
      select coalesce(array_agg(u.id), '{}'), coalesce(array_agg(u.made), '{}')
      from ${listedBy(sql)} where u.id <> all(${deliveries}::uuid[]))
    where c.merchant_id = ${merchantId} and c.id = any(${claims}::uuid[])`
}

/** Of a claim `c`: how many that it lists are still to be done. */
export function openCount(sql: Scope) {
  return sql`(select count(*)::int from ${listedBy(sql)}
    join owed_delivery d on d.merchant_id = c.merchant_id and d.id = u.id and d.attempts = u.made)`
}

/** What claims list that is still to be done. */
export function openOfClaims(sql: Scope) {
  return sql`(select c.merchant_id, u.id, c.holder from claim c
    cross join lateral ${listedBy(sql)}
    join owed_delivery d on d.merchant_id = c.merchant_id and d.id = u.id and d.attempts = u.made and d.due_at is not null)`
}
