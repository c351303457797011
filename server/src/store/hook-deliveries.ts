// What was sent, to be read: deliveries, and among them the Pre-Sale requests. One list from two tables, each side walked
// along its own index and cut before they are merged.

import type { DeliveryId, MerchantId, TransactionId } from '../core/ids.ts'
import type { DeliveryState } from '../core/retry-schedule.ts'
import {
  type DeliveryFilter,
  type ShownAttempt,
  type ShownDelivery,
  shownResponse,
  type WholeDelivery,
  whyNotAccepted,
} from '../core/shown-delivery.ts'
import { nilUuid } from '../core/test-details.ts'
import type { Database, Scope } from './database.ts'
import { deliveriesThatAre, isState } from './deliveries.ts'
import { idAt } from './id-at.ts'
import { serviceTime } from './settings.ts'

export async function listDeliveries(
  sql: Database,
  merchantId: MerchantId,
  filter: DeliveryFilter,
): Promise<ShownDelivery[]> {
  return sql.begin(async scope => {
    const sides = [
      ...(filter.kind === 'pre_sale' ? [] : [deliverySide(scope, merchantId, filter)]),
      ...(mayBePreSale(filter) ? [preSaleSide(scope, merchantId, filter)] : []),
    ]
    const [first, second] = sides
    if (first === undefined) return []
    const all = second === undefined ? first : scope`(${first}) union all (${second})`
    // Planned anew each time: what is rare with one merchant is all that another has, and a plan that is kept for every
    // value walks through a hundred thousand rows for the twenty-five that an index knows.
    const [, rows] = await Promise.all([
      scope.unsafe('set local plan_cache_mode = force_custom_plan'),
      scope<ShownDelivery[]>`select * from (${all}) shown order by id desc limit ${filter.limit}`,
    ])
    return rows
  })
}

/** So long somebody may still want a dropped one resent. */
export const droppedDays = 30
const dayMs = 86_400_000

export function droppedSince(now: Date): Date {
  return new Date(now.getTime() - droppedDays * dayMs)
}

/** Dropped, and waiting for a person. Pre-Sale is asked once: what it was answered is over. */
export function waitsForPerson(sql: Scope, since: Date): Written {
  return sql`d.state = 'dropped' and d.resend_at is null and d.id > ${idAt(since, -droppedDays)}
    and d.settled_at > ${since}`
}

export async function listDropped(
  sql: Database,
  merchantId: MerchantId,
  asked: Omit<DeliveryFilter, 'state'>,
  now: Date,
): Promise<ShownDelivery[]> {
  if (asked.kind === 'pre_sale') return []
  const filter = { ...asked, state: 'dropped' as const }
  return sql<ShownDelivery[]>`${deliverySide(
    sql,
    merchantId,
    filter,
    sql`and ${waitsForPerson(sql, droppedSince(now))}
    and e.deleted_at is null and e.listener_id is null`,
  )}`
}

function mayBePreSale({ kind, state }: DeliveryFilter): boolean {
  return (kind === null || kind === 'pre_sale') && state !== 'canceled'
}

function deliverySide(sql: Scope, merchantId: MerchantId, filter: DeliveryFilter, only: Written = sql``) {
  const { kind, limit } = filter
  const conditions = sql`d.merchant_id = ${merchantId} ${only}
    ${filter.after === null ? sql`` : sql`and d.id < ${filter.after}`}
    ${filter.state === null ? sql`` : sql`and ${isState(sql, filter.state)}`}
    ${filter.endpoint === null ? sql`` : sql`and d.endpoint_id = ${filter.endpoint}`}
    ${filter.transaction === null ? sql`` : sql`and v.transaction_id ${isTransaction(sql, filter.transaction)}`}
    ${inTime(sql, filter, { id: sql`d.id`, at: sql`d.created_at` })}`
  const columns = deliveryColumns(sql)
  const joins = deliveryJoins(sql, filter.state)
  if (kind === 'generic') {
    return sql`select own.* from hook_endpoint g cross join lateral (
        select ${columns} ${joins} where ${conditions} and d.endpoint_id = g.id
        order by d.id desc limit ${limit}) own
      where g.merchant_id = ${merchantId} and g.kind = 'generic' order by own.id desc limit ${limit}`
  }
  return sql`select ${columns} ${joins} where ${conditions} ${kind === null ? sql`` : sql`and v.kind = ${kind}`}
    order by d.id desc limit ${limit}`
}

/** By id as well, so that what lies outside is not read. */
function inTime(sql: Scope, { createdAfter, createdBefore }: DeliveryFilter, { id, at }: { id: Written; at: Written }) {
  return sql`
    ${createdAfter === null ? sql`` : sql`and ${at} > ${createdAfter} and ${id} > ${idAt(createdAfter, -1)}`}
    ${createdBefore === null ? sql`` : sql`and ${at} < ${createdBefore} and ${id} < ${idAt(createdBefore, 1)}`}`
}

type Written = ReturnType<Scope>

/** A test has none. */
function isTransaction(sql: Scope, id: TransactionId) {
  return id === nilUuid ? sql`is null` : sql`= ${id}`
}

function deliveryColumns(sql: Scope) {
  return sql`d.id, v.kind, d.endpoint_id, coalesce((select a.url from attempt a
      where a.merchant_id = d.merchant_id and a.delivery_id = d.id order by a.number desc limit 1), e.url) as url,
    v.transaction_id, d.state, d.attempts,
    case when not d.parked then coalesce(d.resend_at, d.due_at) end as next_attempt_at, d.created_at`
}

function deliveryJoins(sql: Scope, state: DeliveryState | null) {
  return sql`from ${deliveriesThatAre(sql, state)} d
    join event v on v.merchant_id = d.merchant_id and v.id = d.event_id
    join hook_endpoint e on e.merchant_id = d.merchant_id and e.id = d.endpoint_id`
}

function preSaleSide(sql: Scope, merchantId: MerchantId, filter: DeliveryFilter) {
  return sql`select ${preSaleColumns(sql)} ${preSaleJoins(sql)} where p.merchant_id = ${merchantId}
      ${filter.after === null ? sql`` : sql`and p.id < ${filter.after}`}
      ${filter.endpoint === null ? sql`` : sql`and p.endpoint_id = ${filter.endpoint}`}
      ${filter.transaction === null ? sql`` : sql`and p.transaction_id ${isTransaction(sql, filter.transaction)}`}
      ${filter.state === null ? sql`` : preSaleIs(sql, filter.state)}
      ${inTime(sql, filter, { id: sql`p.id`, at: sql`p.recorded_at` })}
    order by p.id desc limit ${filter.limit}`
}

/** Those that were not accepted are few, and have an index: in its words. */
function preSaleIs(sql: Scope, state: DeliveryState) {
  if (state === 'delivered') return sql`and p.status between 200 and 299`
  return sql`and (p.status is null or p.status < 200 or p.status > 299) and s.state = ${state}`
}

/** It is sent once: no next attempt. Answered, or lost with the process that asked, it has had its one. */
function preSaleColumns(sql: Scope) {
  return sql`p.id, 'pre_sale' as kind, p.endpoint_id, p.url, p.transaction_id, s.state,
    (s.state <> 'pending')::int as attempts, null::timestamptz as next_attempt_at, p.recorded_at as created_at`
}

/** A test has no transaction whose state would tell; a minute is longer than any endpoint may take. */
function preSaleJoins(sql: Scope) {
  return sql`from pre_sale_request p
    left join transaction t on t.merchant_id = p.merchant_id and t.id = p.transaction_id
    cross join lateral (select case when p.status between 200 and 299 then 'delivered'
      when p.answered_at is not null then 'dropped'
      when coalesce(t.status <> 'Processing', p.recorded_at < ${serviceTime(sql)} - interval '1 minute') then 'dropped'
      else 'pending' end as state) s`
}

/** Whoever sends again and again adds attempts without end, each with up to 16 KiB of an answer. */
export const newestAttempts = 50

/** With its newest attempts. */
export async function findDelivery(
  sql: Scope,
  merchantId: MerchantId,
  id: DeliveryId,
  attemptsMax = newestAttempts,
): Promise<WholeDelivery | null> {
  return (await findSent(sql, { merchantId, id, attemptsMax })) ?? findAsked(sql, merchantId, id)
}

interface Wanted {
  readonly merchantId: MerchantId
  readonly id: DeliveryId
  readonly attemptsMax: number
}

interface MadeInJson extends Omit<ShownAttempt, 'at'> {
  readonly at: string
}

async function findSent(sql: Scope, { merchantId, id, attemptsMax }: Wanted): Promise<WholeDelivery | null> {
  const [row] = await sql<(ShownDelivery & { details: string | null; made: MadeInJson[] | null })[]>`
    select ${deliveryColumns(sql)}, v.details,
      (select json_agg(json_build_object('number', a.number, 'at', a.at, 'status', a.status,
          'durationMs', a.duration_ms, 'reason', a.reason, 'response', a.response, 'url', a.url, 'resend', a.resend) order by a.number)
        from (select * from attempt where merchant_id = d.merchant_id and delivery_id = d.id
          order by number desc limit ${attemptsMax}) a) as made
    ${deliveryJoins(sql, null)} where d.merchant_id = ${merchantId} and d.id = ${id}`
  if (row === undefined) return null
  return { ...row, made: (row.made ?? []).map(made => shown({ ...made, at: new Date(made.at) })) }
}

function shown(made: ShownAttempt): ShownAttempt {
  return { ...made, reason: whyNotAccepted(made), response: shownResponse(made) }
}

const lostReason = 'The answer was lost: the service was interrupted while it asked.'

interface Asked extends ShownDelivery {
  readonly details: string | null
  readonly status: number | null
  readonly durationMs: number | null
  readonly reason: string | null
  readonly answer: string | null
  readonly answeredAt: Date | null
}

async function findAsked(sql: Scope, merchantId: MerchantId, id: DeliveryId): Promise<WholeDelivery | null> {
  const [row] = await sql<Asked[]>`
    select ${preSaleColumns(sql)}, p.details, p.status, p.duration_ms, p.reason, p.answer, p.answered_at
    ${preSaleJoins(sql)} where p.merchant_id = ${merchantId} and p.id = ${id}`
  if (row === undefined) return null
  const { details, status, durationMs, answer, answeredAt, ...delivery } = row
  const reason = answeredAt === null ? lostReason : row.reason
  const made = {
    number: 1,
    at: row.createdAt,
    status,
    durationMs,
    reason,
    response: answer,
    url: row.url,
    resend: false,
  }
  return { ...delivery, details, made: row.attempts === 0 ? [] : [shown(made)] }
}
