// One transaction with all that was written down about it, of one snapshot. Nothing of it grows without end but what
// somebody asks for again and again: of that, the newest.

import type { DeliveryId, EventId, MerchantId, TransactionId } from '../core/ids.ts'
import type { Ask, Resolution } from '../core/ports.ts'
import type { AskedBefore, SaleHistory, StatusChange, ToldDelivery, ToldEvent } from '../core/sale-history.ts'
import { whyNotAccepted } from '../core/shown-delivery.ts'
import type { Database, Scope } from './database.ts'
import { loadSale } from './sale-reading.ts'

const asksMax = 200
const eventsMax = 200
const deliveriesMax = 1_000
/** Of one delivery, and of all together: where there are many deliveries, each has its newest alone. */
const attemptsMax = { ofOne: 30, ofAll: 2_000 }

export async function findSaleHistory(
  sql: Database,
  merchantId: MerchantId,
  id: TransactionId,
): Promise<SaleHistory | null> {
  return sql.begin(async scope => {
    await scope.unsafe('set transaction isolation level repeatable read, read only')
    const sale = await loadSale(scope, merchantId, id)
    if (sale === null) return null
    const its = scope`merchant_id = ${merchantId} and transaction_id = ${id}`
    const [letters, preSale, changes, asks, resolutions, events, mails] = await Promise.all([
      scope<
        SaleHistory['letters'][number][]
      >`select id, received_at, sender, is_proven from letter where ${its} order by id`,
      scope<AskedBefore[]>`select id, url, recorded_at, answered_at, status, duration_ms, reason, answer
        from pre_sale_request where ${its} order by id`,
      scope<
        StatusChange[]
      >`select version, from_status, to_status, at from transaction_change where ${its} order by version`,
      readAsks(scope, merchantId, id),
      scope<Resolution[]>`select operation_id, at, verdict, by, note, answers from resolution
        where merchant_id = ${merchantId} and operation_id in (select id from operation where ${its}) order by at`,
      readEvents(scope, merchantId, id),
      scope<SaleHistory['mails'][number][]>`select letter_id, id, kind, state, attempts, created_at, cause
        from outgoing_mail where ${its} order by created_at, id`,
    ])
    return { sale, letters, preSale, changes, asks, resolutions, events, mails }
  })
}

async function readAsks(sql: Scope, merchantId: MerchantId, id: TransactionId): Promise<Ask[]> {
  const newest = await sql<Ask[]>`select operation_id, number, at, step, heard from ask
    where merchant_id = ${merchantId} and operation_id in (
      select id from operation where merchant_id = ${merchantId} and transaction_id = ${id})
    order by at desc, number desc limit ${asksMax}`
  return newest.reverse()
}

async function readEvents(sql: Scope, merchantId: MerchantId, id: TransactionId): Promise<ToldEvent[]> {
  const events = await sql<Omit<ToldEvent, 'deliveries'>[]>`select id, kind, type, at, version from event
    where merchant_id = ${merchantId} and transaction_id = ${id} order by id desc limit ${eventsMax}`
  const deliveries = await readDeliveries(
    sql,
    merchantId,
    events.map(event => event.id),
  )
  const byEvent = Map.groupBy(deliveries, ({ eventId }) => eventId)
  return events.reverse().map(event => ({ ...event, deliveries: byEvent.get(event.id) ?? [] }))
}

async function readDeliveries(
  sql: Scope,
  merchantId: MerchantId,
  events: readonly EventId[],
): Promise<(ToldDelivery & { readonly eventId: EventId })[]> {
  const newest = await sql<(Omit<ToldDelivery, 'made'> & { readonly eventId: EventId })[]>`
    select d.event_id, d.id, e.url, d.state, d.attempts,
      case when not d.parked then coalesce(d.resend_at, d.due_at) end as next_attempt_at
    from whole_delivery d join hook_endpoint e on e.merchant_id = d.merchant_id and e.id = d.endpoint_id
    where d.merchant_id = ${merchantId} and d.event_id = any(${events}::uuid[]) order by d.id desc limit ${deliveriesMax}`
  const ids = newest.map(({ id }) => id)
  const ofEach = Math.min(attemptsMax.ofOne, Math.ceil(attemptsMax.ofAll / Math.max(ids.length, 1)))
  const made = await sql<(ToldDelivery['made'][number] & { readonly deliveryId: DeliveryId })[]>`
    select a.* from unnest(${ids}::uuid[]) as d(id) cross join lateral (
      select delivery_id, number, at, status, duration_ms, reason, url, resend from attempt
      where merchant_id = ${merchantId} and delivery_id = d.id order by number desc limit ${ofEach}) a
    order by a.delivery_id, a.number`
  const byDelivery = Map.groupBy(made, ({ deliveryId }) => deliveryId)
  return newest.reverse().map(row => ({
    ...row,
    made: (byDelivery.get(row.id) ?? []).map(({ deliveryId: _, ...attempt }) => ({
      ...attempt,
      reason: whyNotAccepted(attempt),
    })),
  }))
}
