// What was sent, to be read: deliveries, and among them the Pre-Sale requests. One list from two tables, each side walked
// along its own index and cut before they are merged.

import type { DeliveryId, MerchantId } from '../core/ids.ts'
import type { DeliveryState } from '../core/retry-schedule.ts'
import type { DeliveryFilter, ShownAttempt, ShownDelivery, WholeDelivery } from '../core/shown-delivery.ts'
import { nilUuid } from '../core/test-details.ts'
import type { Database, Scope } from './database.ts'
import { serviceTime } from './settings.ts'

export async function listDeliveries(
  sql: Database,
  merchantId: MerchantId,
  filter: DeliveryFilter,
): Promise<ShownDelivery[]> {
  const sides = [
    ...(filter.kind === 'pre_sale' ? [] : [deliverySide(sql, merchantId, filter)]),
    ...(mayBePreSale(filter) ? [preSaleSide(sql, merchantId, filter)] : []),
  ]
  const [first, second] = sides
  if (first === undefined) return []
  const all = second === undefined ? first : sql`(${first}) union all (${second})`
  return sql<ShownDelivery[]>`select * from (${all}) shown order by id desc limit ${filter.limit}`
}

function mayBePreSale({ kind, state }: DeliveryFilter): boolean {
  return (kind === null || kind === 'pre_sale') && state !== 'canceled'
}

const kindText = { transaction: `'transaction'`, far: `'far'`, error: `'error'`, update: `'update'` } as const
const stateText: { readonly [state in DeliveryState]: string } = {
  pending: `'pending'`,
  delivered: `'delivered'`,
  dropped: `'dropped'`,
  canceled: `'canceled'`,
}

/**
 * Kind and state stand in the text, not as parameters: how rare one is decides the way (its own index, or the newest
 * rows until enough are found), and a plan that is kept for all values could know neither.
 */
function deliverySide(sql: Database, merchantId: MerchantId, { kind, state, ...filter }: DeliveryFilter) {
  const isTest = filter.transaction === nilUuid
  const conditions = sql`d.merchant_id = ${merchantId}
    ${filter.after === null ? sql`` : sql`and d.id < ${filter.after}`}
    ${state === null ? sql`` : sql`and d.state = ${sql.unsafe(stateText[state])}`}
    ${filter.endpoint === null ? sql`` : sql`and d.endpoint_id = ${filter.endpoint}`}
    ${filter.transaction === null ? sql`` : isTest ? sql`and v.transaction_id is null` : sql`and v.transaction_id = ${filter.transaction}`}`
  const columns = deliveryColumns(sql)
  if (kind === 'generic') {
    return sql`select own.* from hook_endpoint g cross join lateral (
        select ${columns} ${deliveryJoins(sql)} where ${conditions} and d.endpoint_id = g.id
        order by d.id desc limit ${filter.limit}) own
      where g.merchant_id = ${merchantId} and g.kind = 'generic' order by own.id desc limit ${filter.limit}`
  }
  const ofKind = kind === null || kind === 'pre_sale' ? sql`` : sql`and v.kind = ${sql.unsafe(kindText[kind])}`
  return sql`select ${columns} ${deliveryJoins(sql)} where ${conditions} ${ofKind}
    order by d.id desc limit ${filter.limit}`
}

function deliveryColumns(sql: Scope) {
  return sql`d.id, v.kind, d.endpoint_id, e.url, v.transaction_id, d.state, d.attempts,
    case when not d.parked then coalesce(d.resend_at, d.due_at) end as next_attempt_at, d.created_at`
}

function deliveryJoins(sql: Scope) {
  return sql`from delivery d
    join event v on v.merchant_id = d.merchant_id and v.id = d.event_id
    join hook_endpoint e on e.merchant_id = d.merchant_id and e.id = d.endpoint_id`
}

function preSaleSide(sql: Database, merchantId: MerchantId, filter: DeliveryFilter) {
  const isTest = filter.transaction === nilUuid
  return sql`select * from (select ${preSaleColumns(sql)} ${preSaleJoins(sql)} where p.merchant_id = ${merchantId}
      ${filter.after === null ? sql`` : sql`and p.id < ${filter.after}`}
      ${filter.endpoint === null ? sql`` : sql`and p.endpoint_id = ${filter.endpoint}`}
      ${filter.transaction === null ? sql`` : isTest ? sql`and p.transaction_id is null` : sql`and p.transaction_id = ${filter.transaction}`}
    ) asked ${filter.state === null ? sql`` : sql`where state = ${filter.state}`}
    order by id desc limit ${filter.limit}`
}

/** It is sent once: no next attempt. Answered, or lost with the process that asked, it has had its one. */
function preSaleColumns(sql: Scope) {
  return sql`p.id, 'pre_sale' as kind, p.endpoint_id, e.url, p.transaction_id, s.state,
    (s.state <> 'pending')::int as attempts, null::timestamptz as next_attempt_at, p.recorded_at as created_at`
}

/** A test has no transaction whose state would tell; a minute is longer than any endpoint may take. */
function preSaleJoins(sql: Scope) {
  return sql`from pre_sale_request p
    join hook_endpoint e on e.merchant_id = p.merchant_id and e.id = p.endpoint_id
    left join transaction t on t.merchant_id = p.merchant_id and t.id = p.transaction_id
    cross join lateral (select case when p.status between 200 and 299 then 'delivered'
      when p.answered_at is not null then 'dropped'
      when coalesce(t.status <> 'Processing', p.recorded_at < ${serviceTime(sql)} - interval '1 minute') then 'dropped'
      else 'pending' end as state) s`
}

export async function findDelivery(sql: Scope, merchantId: MerchantId, id: DeliveryId): Promise<WholeDelivery | null> {
  return (await findSent(sql, merchantId, id)) ?? findAsked(sql, merchantId, id)
}

interface MadeInJson extends Omit<ShownAttempt, 'at'> {
  readonly at: string
}

async function findSent(sql: Scope, merchantId: MerchantId, id: DeliveryId): Promise<WholeDelivery | null> {
  const [row] = await sql<(ShownDelivery & { details: string | null; made: MadeInJson[] | null })[]>`
    select ${deliveryColumns(sql)}, v.details,
      (select json_agg(json_build_object('number', a.number, 'at', a.at, 'status', a.status,
          'durationMs', a.duration_ms, 'reason', a.reason, 'response', a.response) order by a.number)
        from attempt a where a.merchant_id = d.merchant_id and a.delivery_id = d.id) as made
    ${deliveryJoins(sql)} where d.merchant_id = ${merchantId} and d.id = ${id}`
  if (row === undefined) return null
  return { ...row, made: (row.made ?? []).map(made => ({ ...made, at: new Date(made.at) })) }
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
  const { details, status, durationMs, answer, answeredAt, ...shown } = row
  const reason = answeredAt === null ? lostReason : row.reason
  const made = { number: 1, at: row.createdAt, status, durationMs, reason, response: answer }
  return { ...shown, details, made: row.attempts === 0 ? [] : [made] }
}
