// A resend is one attempt outside the schedule: asked for here, made by whichever worker claims it. One that a worker has
// in hand stays there, and goes again after what is on the wire. Beside the delivery its event is locked: what it says is
// not emptied between the look at it and the commit, after which it is owed and stays.

import type { DeliveryId, MerchantId } from '../core/ids.ts'
import type { NotResent, ResendRange } from '../core/shown-delivery.ts'
import type { Database, Scope } from './database.ts'
import { deliveriesThatAre, isState } from './deliveries.ts'
import { idAt } from './id-at.ts'

/** One that was never tried is due anyway. */
function canGoAgain(sql: Scope) {
  return sql`(d.state <> 'pending' or d.attempts > 0)`
}

/**
 * Asked for twice before it is made, it is still one attempt. Those of which nothing was owed any more are owed again, in the words of a row
 * that is read after it was locked: of one whose result was just being written, nothing is known before that.
 */
async function goAgain(scope: Scope, merchantId: MerchantId, ids: readonly DeliveryId[], now: Date) {
  return scope<{ id: DeliveryId }[]>`
    insert into owed_delivery as o (merchant_id, id, event_id, endpoint_id, created_at, state, attempts, settled_at, resend_at, due_at)
    select ${merchantId}, d.id, d.event_id, d.endpoint_id, d.created_at, d.state, d.attempts,
      case when d.state <> 'pending' then coalesce(d.settled_at, ${now}) end, ${now}, ${now}
    from whole_delivery d where d.merchant_id = ${merchantId} and d.id = any(${ids}::uuid[]) and ${canGoAgain(scope)}
    on conflict (merchant_id, id) do update set resend_at = excluded.resend_at, due_at = excluded.due_at
      where o.state <> 'pending' or o.attempts > 0
    returning o.id`
}

export async function askResend(
  scope: Scope,
  merchantId: MerchantId,
  id: DeliveryId,
  now: Date,
): Promise<'asked' | NotResent> {
  const [row] = await scope<{ status: string; deleted: boolean; listens: boolean; emptied: boolean }[]>`
    select e.status, e.deleted_at is not null as deleted, e.listener_id is not null as listens, v.details is null as emptied
    from delivery d
      join hook_endpoint e on e.merchant_id = d.merchant_id and e.id = d.endpoint_id
      join event v on v.merchant_id = d.merchant_id and v.id = d.event_id
    where d.merchant_id = ${merchantId} and d.id = ${id} for no key update of d for share of v`
  if (row === undefined) return (await isPreSale(scope, merchantId, id)) ? 'pre_sale' : 'not known'
  if (row.deleted) return row.listens ? 'ended' : 'deleted'
  if (row.status === 'paused') return 'paused'
  if (row.emptied) return 'emptied'
  await scope`select from owed_delivery where merchant_id = ${merchantId} and id = ${id} for update`
  await goAgain(scope, merchantId, [id], now)
  return 'asked'
}

async function isPreSale(scope: Scope, merchantId: MerchantId, id: DeliveryId): Promise<boolean> {
  const { count } = await scope`select from pre_sale_request where merchant_id = ${merchantId} and id = ${id}`
  return count === 1
}

const bite = 1_000

/** All of a range, in bounded statements; how many were asked for. */
export async function askResends(
  sql: Database,
  merchantId: MerchantId,
  range: ResendRange,
  now: Date,
): Promise<number> {
  let asked = 0
  for (let after: DeliveryId | null = null; ; ) {
    const ids = await idsInRange(sql, merchantId, range, after)
    const done = new Set(await askSome(sql, merchantId, ids, now))
    asked += done.size
    // Those that somebody held for a moment, one by one: to wait for several rows at once can end in a deadlock.
    for (const id of ids.filter(each => !done.has(each))) asked += await askOne(sql, merchantId, id, now)
    if (ids.length < bite) return asked
    after = ids.at(-1) ?? null
  }
}

async function idsInRange(
  sql: Database,
  merchantId: MerchantId,
  range: ResendRange,
  after: DeliveryId | null,
): Promise<DeliveryId[]> {
  const rows = await sql<{ id: DeliveryId }[]>`select d.id ${inRange(sql, merchantId, range, after)}
    order by d.id limit ${bite}`
  return rows.map(({ id }) => id)
}

/** What follows `select` and its columns: those that may go again, and of which the details are still there. */
function inRange(sql: Scope, merchantId: MerchantId, range: ResendRange, after: DeliveryId | null) {
  return sql`from ${deliveriesThatAre(sql, range.state)} d
      join event v on v.merchant_id = d.merchant_id and v.id = d.event_id and v.details is not null
    where ${fitsRange(sql, merchantId, range, after)}`
}

/** Of a delivery `d`: that it may go again, where its details are still there. */
export function fitsRange(sql: Scope, merchantId: MerchantId, range: ResendRange, after: DeliveryId | null) {
  const { endpointId, createdAfter, createdBefore, state } = range
  return sql`d.merchant_id = ${merchantId} and d.endpoint_id = ${endpointId} and d.id > ${after ?? idAt(createdAfter, -1)}
      and d.created_at > ${createdAfter} and ${canGoAgain(sql)}
      ${createdBefore === null ? sql`` : sql`and d.created_at < ${createdBefore} and d.id < ${idAt(createdBefore, 1)}`}
      and ${state === null ? sql`d.state <> 'canceled'` : isState(sql, state)}`
}

/** Those of which somebody holds a row for a moment are left out. */
async function askSome(sql: Database, merchantId: MerchantId, ids: readonly DeliveryId[], now: Date) {
  const rows = await sql.begin(async scope => {
    const free = await scope<{ id: DeliveryId }[]>`${whichCan(scope, merchantId, ids)}
      for no key update of d skip locked for share of v skip locked`
    const freeIds = free.map(({ id }) => id)
    const busy = await scope<{ id: DeliveryId }[]>`
      with own as materialized (select id from owed_delivery
        where merchant_id = ${merchantId} and id = any(${freeIds}::uuid[]) for update skip locked)
      select id from owed_delivery where merchant_id = ${merchantId} and id = any(${freeIds}::uuid[]) and id not in (select id from own)`
    const busyIds = new Set(busy.map(({ id }) => id))
    const own = freeIds.filter(id => !busyIds.has(id))
    return goAgain(scope, merchantId, own, now)
  })
  return rows.map(({ id }) => id)
}

async function askOne(sql: Database, merchantId: MerchantId, id: DeliveryId, now: Date): Promise<number> {
  return sql.begin(async scope => {
    const { count } = await scope`${whichCan(scope, merchantId, [id])} for no key update of d for share of v`
    if (count === 0) return 0
    await scope`select from owed_delivery where merchant_id = ${merchantId} and id = ${id} for update`
    return (await goAgain(scope, merchantId, [id], now)).length
  })
}

function whichCan(sql: Scope, merchantId: MerchantId, ids: readonly DeliveryId[]) {
  return sql`select d.id from delivery d join event v on v.merchant_id = ${merchantId} and v.id = d.event_id
    where d.merchant_id = ${merchantId} and d.id = any(${ids}::uuid[]) and v.details is not null`
}
