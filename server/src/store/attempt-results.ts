// What came of attempts, written many at a time. Nearly all are alike: the first that was made, and accepted. They have a statement of
// their own, with a third of the values and none of the questions that only a failure raises; what it does not take goes by the other.

import type { AttemptResult } from '../core/delivery.ts'
import type { ClaimId, DeliveryId, EndpointId, MerchantId, WorkerId } from '../core/ids.ts'
import { isAccepted } from '../core/retry-schedule.ts'
import { int4Array, textArray, timestamptzArray, uuidArray } from './binary-arrays.ts'
import type { Database, Scope } from './database.ts'

/** How long nothing but failures pauses an endpoint. */
const failingForMs = 5 * 86_400_000

export interface Settled {
  readonly ids: readonly DeliveryId[]
  /** Endpoints that were paused for having done nothing but fail. */
  readonly paused: readonly { readonly endpointId: EndpointId; readonly url: string }[]
}

/** One that is not in this worker's hand any more is dropped: whoever took the delivery over says how it went. */
export async function settleAttempts(
  sql: Database,
  merchantId: MerchantId,
  holder: WorkerId,
  results: readonly AttemptResult[],
): Promise<Settled> {
  const written = results.every(isUsual) ? await settleUsual(sql, merchantId, holder, results) : []
  if (written.length === results.length) return { ids: written, paused: [] }
  const known = new Set(written)
  const left = results.filter(({ held }) => !known.has(held.id))
  const settled = await sql.begin(scope => settleAll(scope, merchantId, holder, left, healthOf(results)))
  return { ...settled, ids: [...written, ...settled.ids] }
}

/** In one commit: of a batch that fails, nothing may be written that its next try would take for the work of another. */
async function settleAll(
  scope: Scope,
  merchantId: MerchantId,
  holder: WorkerId,
  results: readonly AttemptResult[],
  health: Health,
): Promise<Settled> {
  const usual = results.filter(isUsual)
  const written = usual.length === 0 ? [] : await settleUsual(scope, merchantId, holder, usual)
  const known = new Set(written)
  const others = results.filter(({ held }) => !known.has(held.id))
  const settled = await settleAny(scope, merchantId, holder, others, health)
  return { ...settled, ids: [...written, ...settled.ids] }
}

/** Accepted as the schedule wanted it. */
type UsualResult = AttemptResult & { readonly attempt: { readonly status: number } }

function isUsual(result: AttemptResult): result is UsualResult {
  return isAccepted(result.attempt.status) && result.held.resendAt === null
}

/** Nothing is owed of them any more, but where a resend was asked for meanwhile: only its row knows. */
async function settleUsual(
  sql: Scope,
  merchantId: MerchantId,
  holder: WorkerId,
  results: readonly UsualResult[],
): Promise<DeliveryId[]> {
  const urls = numbered(results, ({ held }) => held.url)
  const claims = numbered(results, ({ held }) => held.claimId)
  const ids = uuidArray(results, ({ held }) => held.id)
  const [settled] = await sql<{ count: number; ids: DeliveryId[] | null }[]>`
    with locked as materialized (${lockedClaims(sql, merchantId, holder, claims.values)}),
    settled as (
      delete from owed_delivery d using (
        select id, made, (${claims.values}::uuid[])[claim] as claim_id, at, (${urls.values}::text[])[url] as url, status, duration_ms, response
        from unnest(${ids}::uuid[], ${int4Array(results, ({ held }) => held.attempts)}::int[],
          ${claims.numbers}::int[], ${timestamptzArray(results, ({ attempt }) => attempt.at)}::timestamptz[], ${urls.numbers}::int[],
          ${int4Array(results, ({ attempt }) => attempt.status)}::int[], ${int4Array(results, ({ attempt }) => attempt.durationMs)}::int[],
          ${textArray(results, ({ attempt }) => attempt.response)}::text[])
          as u(id, made, claim, at, url, status, duration_ms, response)
      ) r
      where d.merchant_id = ${merchantId} and d.id = any(${ids}::uuid[]) and d.id = r.id and d.attempts = r.made and d.resend_at is null and ${isInHand(sql, holder)}
      returning d.id, d.attempts + 1 as number, r.at, r.url, r.status, r.duration_ms, r.response
    ),
    noted as (
      insert into attempt (merchant_id, delivery_id, number, at, url, resend, status, duration_ms, response)
      select ${merchantId}, id, number, at, url, false, status, duration_ms, response from settled
    ),
    recovered as (${recover(sql, merchantId, healthOf(results).working)})
    select count(*)::int as count, case when count(*) < ${results.length} then array_agg(id) end as ids from settled`
  // Nearly always it is all of them: they need not be named.
  return settled?.count === results.length ? results.map(({ held }) => held.id) : (settled?.ids ?? [])
}

/** A claim that was freed is gone, and one of another worker is not ours: `for key share`, so that none goes meanwhile. */
function lockedClaims(sql: Scope, merchantId: MerchantId, holder: WorkerId, ids: readonly ClaimId[]) {
  return sql`select id, is_cut, delivery_ids from claim where merchant_id = ${merchantId} and id = any(${ids}::uuid[]) and holder = ${holder} for key share`
}

/**
 * Of a delivery `d` and its result `r`. A claim from which nothing was cut has all that it was taken up by: only where something was, its list is
 * read. Not `=`: the planner takes what a worker holds for less than one row, and then compares all of it with every result.
 */
function isInHand(sql: Scope, holder: WorkerId) {
  return sql`case when r.claim_id is null then d.holder is not distinct from ${holder}
    when r.claim_id in (select id from locked where not is_cut) then true
    else (r.claim_id, r.id) in (select l.id, u.id from locked l cross join lateral unnest(l.delivery_ids) u(id) where l.is_cut) end`
}

function recover(sql: Scope, merchantId: MerchantId, working: readonly EndpointId[]) {
  return sql`update hook_endpoint set failing_since = null
    where merchant_id = ${merchantId} and id = any(${working}::uuid[]) and failing_since is not null`
}

/**
 * Results of all kinds. An endpoint that was deleted meanwhile ends a delivery, one that was paused parks it. A listener's never fails:
 * somebody sits in front of it.
 */
async function settleAny(
  sql: Scope,
  merchantId: MerchantId,
  holder: WorkerId,
  results: readonly AttemptResult[],
  { working, failing, at }: Health,
): Promise<Settled> {
  const ids = list(results, ({ held }) => held.id)
  const rows = await sql<{ id: DeliveryId | null; pausedId: EndpointId | null; url: string | null }[]>`
    with result as (select distinct on (id, made, claim_id) * from ${resultRows(sql, results)}),
    locked as materialized (${lockedClaims(sql, merchantId, holder, numbered(results, ({ held }) => held.claimId).values)}),
    judged as materialized (
      select d.id, d.attempts + 1 as attempts, r.scheduled_made, r.original_at, r.last_at, r.at, r.url, r.status, r.reason, r.duration_ms,
        r.response, r.resend_at is not null as was_resend,
        case when ended.it and r.state = 'pending' then 'canceled' else r.state end as state,
        case when not ended.it then again.at end as resend_at, case when not ended.it then coalesce(again.at, r.due_at) end as due_at,
        not ended.it and e.status = 'paused' and coalesce(again.at, r.due_at) is not null as parked,
        case when r.state = 'pending' and not ended.it then null
          when r.state = d.state and r.state <> 'pending' then d.settled_at else r.at end as settled_at,
        d.drop_untold or (r.state = 'dropped' and d.state = 'pending' and not ended.it and e.listener_id is null) as drop_untold
      from owed_delivery d join result r on r.id = d.id
        join hook_endpoint e on e.merchant_id = ${merchantId} and e.id = r.endpoint_id
        cross join lateral (select e.deleted_at is not null as it) ended
        cross join lateral (select nullif(d.resend_at, r.resend_at) as at) again
      where d.merchant_id = ${merchantId} and d.id = any(${ids}::uuid[]) and d.attempts = r.made
        and ${isInHand(sql, holder)}
      for no key update of d
    ),
    done as (
      delete from owed_delivery where merchant_id = ${merchantId}
        and id = any(array(select id from judged where state = 'delivered' and due_at is null))
    ),
    kept as (
      update owed_delivery d set attempts = j.attempts, holder = null, scheduled_made = j.scheduled_made, original_at = j.original_at,
        last_at = j.last_at, state = j.state, resend_at = j.resend_at, due_at = j.due_at, parked = j.parked, settled_at = j.settled_at,
        drop_untold = j.drop_untold
      from judged j where d.merchant_id = ${merchantId} and d.id = any(${ids}::uuid[]) and d.id = j.id
        and (j.state <> 'delivered' or j.due_at is not null)
    ),
    noted as (
      insert into attempt (merchant_id, delivery_id, number, at, url, resend, status, reason, duration_ms, response)
      select ${merchantId}, id, attempts, at, url, was_resend, status, reason, duration_ms, response from judged
    ),
    recovered as (${recover(sql, merchantId, working)}),
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
    select id, null::uuid as paused_id, null as url from judged
    union all select null, id, url from paused`
  return {
    ids: rows.flatMap(({ id }) => (id === null ? [] : [id])),
    paused: rows.flatMap(({ pausedId, url }) => (pausedId === null ? [] : [{ endpointId: pausedId, url: url ?? '' }])),
  }
}

function resultRows(sql: Scope, results: readonly AttemptResult[]) {
  const plain = (of: (result: AttemptResult) => string | number | null) => list(results, of)
  const times = (of: (result: AttemptResult) => Date | null) => list(results, each => of(each)?.toISOString() ?? null)
  const texts = (of: (result: AttemptResult) => string | null) => results.map(of)
  return sql`unnest(
    ${plain(({ held }) => held.id)}::uuid[], ${plain(({ held }) => held.endpointId)}::uuid[], ${plain(({ held }) => held.attempts)}::int[],
    ${plain(({ held }) => held.claimId)}::uuid[],
    ${times(({ held }) => held.resendAt)}::timestamptz[], ${plain(({ after }) => after.state)}::text[],
    ${plain(({ after }) => after.scheduledMade)}::int[], ${times(({ after }) => after.originalAt)}::timestamptz[],
    ${times(({ after }) => after.lastAt)}::timestamptz[], ${times(({ after }) => after.dueAt)}::timestamptz[],
    ${times(({ attempt }) => attempt.at)}::timestamptz[], ${texts(({ held }) => held.url)}::text[], ${plain(({ attempt }) => attempt.status)}::int[],
    ${texts(({ attempt }) => attempt.reason)}::text[], ${plain(({ attempt }) => attempt.durationMs)}::int[],
    ${texts(({ attempt }) => attempt.response)}::text[])
    as r(id, endpoint_id, made, claim_id, resend_at, state, scheduled_made, original_at, last_at, due_at, at, url, status, reason, duration_ms, response)`
}

/** An array as PostgreSQL reads it, of values that need no quotes: the driver looks for them in each. */
function list(results: readonly AttemptResult[], of: (result: AttemptResult) => string | number | null): string {
  return `{${results.map(each => of(each) ?? 'NULL').join(',')}}`
}

/** What many share is said once, and each has its number, from 1; none has 0. */
function numbered<Value>(results: readonly AttemptResult[], of: (result: AttemptResult) => Value | null) {
  const values: Value[] = []
  const numbers = results.map(each => {
    const value = of(each)
    if (value === null) return 0
    const at = values.indexOf(value)
    return at === -1 ? values.push(value) : at + 1
  })
  return { values, numbers: int4Array(numbers, number => number) }
}

interface Health {
  readonly working: readonly EndpointId[]
  readonly failing: readonly EndpointId[]
  readonly at: Date
}

/** An endpoint of which one attempt was accepted works, whatever the others say. */
function healthOf(results: readonly AttemptResult[]): Health {
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
