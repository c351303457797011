// Lists of transactions, newest first: as REST shows them, whole, and as the dashboard does, a row each.

import type { MerchantId } from '../core/ids.ts'
import type { SaleFilter } from '../core/lists.ts'
import type { Sale } from '../core/sale.ts'
import type { SaleChoice, ShownSale } from '../core/shown-sale.ts'
import { findCustomer } from './cards.ts'
import type { Database, Scope } from './database.ts'
import { notToListener } from './not-listeners.ts'
import { isOverdue } from './rows.ts'
import { idsOfSales, type SalePage } from './sale-finding.ts'
import { saleColumns, saleFrom, saleJoins } from './sale-reading.ts'

/** One reading ends with the sale that reaches it: each refund may have a text as long as that of a whole other sale. */
const operationsAtOnce = 100
/** As many as a merchant can make of one payment. Gateways may report more, which the sale by itself shows. */
const refundsListed = 100

/** Fewer than `limit` where they have many operations; none only where there are none. */
export async function listSales(sql: Database, merchantId: MerchantId, filter: SaleFilter): Promise<Sale[]> {
  const { status, email, limit, after } = filter
  const customer = email === null ? null : ((await findCustomer(sql, merchantId, email))?.id ?? 'nobody')
  if (customer === 'nobody') return []
  const choice = { ...filter, statuses: status === null ? [] : [status], customer, needs: null, oneOf: null }
  const ids = idsOfSales(sql, merchantId, choice, { limit, after, before: null })
  const rows =
    await sql`select ${saleColumns(sql, listedOperations(sql))} from (${lightEnough(sql, merchantId, ids)}) picked
      join transaction t on t.merchant_id = ${merchantId} and t.id = picked.id ${saleJoins(sql)}
    order by t.id desc`
  return rows.map(saleFrom)
}

/** From the newest on, as long as those before have fewer operations than are read at once. */
function lightEnough(sql: Scope, merchantId: MerchantId, ids: ReturnType<Scope>) {
  return sql`select id from (
      select found.id, sum(own.count) over (order by found.id desc) - own.count as before
      from (${ids}) found cross join lateral (select count(*) from operation p
        where p.merchant_id = ${merchantId} and p.transaction_id = found.id and p.outcome in ('pending', 'unknown', 'succeeded')) own
    ) weighed where before < ${operationsAtOnce}`
}

/** All that the record tells of: not the refunds that came to nothing, of which there may be any number. */
function listedOperations(sql: Scope) {
  return sql`(p.kind <> 'refund' or p.outcome in ('pending', 'unknown') or p.id in (select r.id from operation r
    where r.merchant_id = t.merchant_id and r.transaction_id = t.id and r.kind = 'refund' and r.outcome = 'succeeded'
    order by r.id desc limit ${refundsListed}))`
}

/** Newest first, whichever way the page is read. */
export async function listShownSales(
  sql: Database,
  merchantId: MerchantId,
  choice: SaleChoice,
  page: SalePage,
): Promise<ShownSale[]> {
  return sql<
    ShownSale[]
  >`select ${shownColumns(sql, merchantId)} from (${idsOfSales(sql, merchantId, choice, page)}) picked
      join transaction t on t.merchant_id = ${merchantId} and t.id = picked.id
      join offer o on o.merchant_id = t.merchant_id and o.id = t.offer_id
      join customer u on u.merchant_id = t.merchant_id and u.id = t.customer_id
      left join card c on c.merchant_id = t.merchant_id and c.token = t.card_token
    order by t.id desc`
}

function shownColumns(sql: Scope, merchantId: MerchantId) {
  return sql`t.id, t.created_at, t.status, t.source, t.amount_minor, t.captured_minor, t.refunded_minor, t.currency, u.id as customer_id,
    case when t.entered is null then u.first_name else t.entered->>'firstName' end as first_name,
    case when t.entered is null then u.last_name else t.entered->>'lastName' end as last_name,
    u.email, c.mask as card_mask, c.type as card_type, o.id as offer_id, o.title as offer_title, o.ref_id as offer_ref_id,
    exists (select from operation p where p.merchant_id = t.merchant_id and p.transaction_id = t.id
      and (p.outcome = 'unknown' or ${isOverdue(sql, 'p')})) as in_doubt,
    coalesce((select case when bool_or(d.state = 'dropped') then 'dropped' when bool_or(d.state = 'pending') then 'pending'
          when bool_or(d.state = 'delivered') then 'delivered' end
      from event v join whole_delivery d on d.merchant_id = v.merchant_id and d.event_id = v.id
      where v.merchant_id = t.merchant_id and v.transaction_id = t.id and ${notToListener(sql, merchantId)}), 'none') as told`
}
