// The facts that the audit judges, page by page of one merchant's rows: read only, by the keys, never more than a page.

import type { BookedOperation, BookedTransaction } from '../core/audit/books.ts'
import type { DecidedOperation } from '../core/audit/decided.ts'
import type { DeliveredEvent, JudgedDelivery, KnownEndpoint } from '../core/audit/delivery.ts'
import type { ChangedTransaction, NotedEvent } from '../core/audit/owed.ts'
import type { MerchantId } from '../core/ids.ts'
import { listedBy } from './claims.ts'
import type { Scope } from './database.ts'
import { isOverdue } from './rows.ts'

export interface PageOf {
  readonly scope: Scope
  readonly merchantId: MerchantId
  /** Rows after this id. */
  readonly after: string
  readonly limit: number
  /** Since when changes are written down. */
  readonly since: Date
}

type AuditedOperation = BookedOperation & DecidedOperation
export type AuditedTransaction = ChangedTransaction &
  BookedTransaction & { readonly operations: readonly AuditedOperation[] }
/** `old`: from before changes were written down. */
export type AuditedEvent = DeliveredEvent &
  Pick<NotedEvent, 'id' | 'type'> & {
    readonly old: boolean
    /** The transaction that it names is not there. */
    readonly isOfNothing: boolean
  }
export type AuditedDelivery = JudgedDelivery & { readonly id: string }

/** How long after its lease has ended a transaction may wait for the sweeper. */
const sweptWithin = '1 minute'

/** Amounts are text in JSON, which would round them. */
type Read = Omit<AuditedTransaction, 'operations'> & {
  readonly operations: readonly (Omit<AuditedOperation, 'amountMinor'> & { readonly amountMinor: string })[]
}

export async function readTransactions(page: PageOf): Promise<AuditedTransaction[]> {
  const { scope, merchantId, after, limit, since } = page
  const rows = await scope<Read[]>`
    with t as (select * from transaction where merchant_id = ${merchantId} and id > ${after} order by id limit ${limit})
    select t.id, t.status, t.gateway_id, t.created_at <= ${since} as old, t.pre_sale, t.currency, t.authorization_only, t.captured_minor,
      t.refunded_minor, t.refund_reserved_minor,
      coalesce(t.lease_until > now() - ${sweptWithin}::interval, false) as in_hand,
      array_remove(array[
        case when not exists (select from offer o where o.merchant_id = ${merchantId} and o.id = t.offer_id) then 'offer' end,
        case when not exists (select from customer u where u.merchant_id = ${merchantId} and u.id = t.customer_id) then 'customer' end,
        case when t.card_token is not null and not exists (select from card c
          where c.merchant_id = ${merchantId} and c.token = t.card_token) then 'card' end,
        case when exists (select from unnest(array(select p.gateway_id from operation p
            where p.merchant_id = ${merchantId} and p.transaction_id = t.id) || t.gateway_id) named (id)
          where named.id not in (select g.id from gateway g where g.merchant_id = ${merchantId})) then 'gateway' end
      ], null) as absent,
      (select count(*)::int from operation p where p.merchant_id = ${merchantId} and p.transaction_id = t.id
        and p.kind = 'refund' and p.outcome = 'succeeded') as refunds,
      (select count(*)::int from operation p where p.merchant_id = ${merchantId} and p.transaction_id = t.id
        and p.returned_at is not null) as refunds_returned,
      (select coalesce(sum(d.changes), 0)::int from dispute d
        where d.merchant_id = ${merchantId} and d.transaction_id = t.id) as dispute_changes,
      (select coalesce(json_agg(json_build_object('id', p.id, 'kind', p.kind, 'gatewayId', p.gateway_id, 'outcome', p.outcome,
          'amountMinor', p.amount_minor::text, 'followed', p.next_ask_at is not null or p.for_person is not null,
          'isOverdue', ${isOverdue(scope, 'p')},
          'isSettledBefore', coalesce(p.settled_at <= (select max(r.at) from resolution r
            where r.merchant_id = ${merchantId} and r.operation_id = p.id), false),
          'verdicts', (select coalesce(json_agg(r.verdict order by r.at), '[]') from resolution r
            where r.merchant_id = ${merchantId} and r.operation_id = p.id)) order by p.id), '[]')
        from operation p where p.merchant_id = ${merchantId} and p.transaction_id = t.id) as operations,
      (select coalesce(json_agg(json_build_object('version', c.version, 'from', c.from_status, 'to', c.to_status) order by c.version), '[]')
        from transaction_change c where c.merchant_id = ${merchantId} and c.transaction_id = t.id) as changes,
      (select coalesce(json_agg(json_build_object('id', v.id, 'kind', v.kind, 'type', v.type, 'version', v.version) order by v.id), '[]')
        from event v where v.merchant_id = ${merchantId} and v.transaction_id = t.id) as events,
      (select coalesce(json_agg(r.status), '[]')
        from pre_sale_request r where r.merchant_id = ${merchantId} and r.transaction_id = t.id) as pre_sale_statuses
    from t order by t.id`
  return rows.map(row => ({
    ...row,
    operations: row.operations.map(each => ({ ...each, amountMinor: BigInt(each.amountMinor) })),
  }))
}

export async function readEndpoints(scope: Scope, merchantId: MerchantId): Promise<KnownEndpoint[]> {
  return scope<
    KnownEndpoint[]
  >`select id, kind, created_at, deleted_at, listener_id is not null as backfilled from hook_endpoint
    where merchant_id = ${merchantId} and kind <> 'pre_sale' order by id`
}

export async function readEvents({ scope, merchantId, after, limit, since }: PageOf): Promise<AuditedEvent[]> {
  return scope<AuditedEvent[]>`
    with v as (select * from event where merchant_id = ${merchantId} and id > ${after} order by id limit ${limit})
    select v.id, v.kind, v.type, v.at, v.at <= ${since} as old, v.transaction_id is null as is_test,
      v.transaction_id is not null and not exists (select from transaction t
        where t.merchant_id = ${merchantId} and t.id = v.transaction_id) as is_of_nothing,
      array(select d.endpoint_id from delivery d where d.merchant_id = ${merchantId} and d.event_id = v.id) as endpoints
    from v order by v.id`
}

export async function readDeliveries({ scope, merchantId, after, limit }: PageOf): Promise<AuditedDelivery[]> {
  return scope<AuditedDelivery[]>`
    with d as (select * from whole_delivery where merchant_id = ${merchantId} and id > ${after} order by id limit ${limit}),
    claimed as (select distinct on (u.id) u.id, u.made, c.holder
      from claim c cross join lateral ${listedBy(scope)}
      where c.merchant_id = ${merchantId} order by u.id, u.made desc)
    select d.id, d.state, d.attempts, d.scheduled_made,
      coalesce(d.original_at, t.first_at) as original_at, d.last_at, d.due_at, d.resend_at, d.parked,
      case when coalesce(d.holder, c.holder) is not null
        then exists (select from worker w where w.id = coalesce(d.holder, c.holder)) end as holder_lives,
      coalesce(case when e.deleted_at is null then e.status end, 'deleted') as endpoint_status,
      v.details is not null as details_kept,
      exists (select from transaction t join customer u on u.merchant_id = t.merchant_id and u.id = t.customer_id
        where t.merchant_id = ${merchantId} and t.id = v.transaction_id and u.erased_at is not null) as is_of_erased,
      array_remove(array[case when e.id is null then 'endpoint' end, case when v.id is null then 'event' end], null) as absent, t.tries
    from d left join hook_endpoint e on e.merchant_id = ${merchantId} and e.id = d.endpoint_id
      left join event v on v.merchant_id = ${merchantId} and v.id = d.event_id
      left join claimed c on c.id = d.id and c.made = d.attempts
      cross join lateral (select min(a.at) filter (where not a.resend) as first_at,
          coalesce(json_agg(json_build_object('number', a.number, 'status', a.status, 'resend', a.resend,
            'atMs', round(extract(epoch from a.at) * 1000)) order by a.number), '[]') as tries
        from attempt a where a.merchant_id = ${merchantId} and a.delivery_id = d.id) t
    order by d.id`
}

/** What is owed of no delivery, or of one that says otherwise whose it is. */
export async function readLostOwed(scope: Scope, merchantId: MerchantId): Promise<{ readonly id: string }[]> {
  return scope<{ id: string }[]>`
    select o.id from owed_delivery o left join delivery d on d.merchant_id = ${merchantId} and d.id = o.id
    where o.merchant_id = ${merchantId} and (d.event_id, d.endpoint_id) is distinct from (o.event_id, o.endpoint_id) order by o.id limit ${lostMax}`
}

/** Pre-Sale requests that name a transaction or an endpoint that is not there. */
export async function readLostPreSales(scope: Scope, merchantId: MerchantId): Promise<LostPreSale[]> {
  return scope<LostPreSale[]>`
    select p.id, e.id is not null as of_no_transaction from pre_sale_request p
      left join transaction t on t.merchant_id = ${merchantId} and t.id = p.transaction_id
      left join hook_endpoint e on e.merchant_id = ${merchantId} and e.id = p.endpoint_id
    where p.merchant_id = ${merchantId} and (p.transaction_id is not null and t.id is null or e.id is null) order by p.id limit ${lostMax}`
}

interface LostPreSale {
  readonly id: string
  readonly ofNoTransaction: boolean
}

const lostMax = 1_000
