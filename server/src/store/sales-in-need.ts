// The sales that somebody may have to see to. Each begins in an index of just that, and goes no further than a person would.

import type { MerchantId } from '../core/ids.ts'
import type { SaleNeed } from '../core/shown-sale.ts'
import type { Scope } from './database.ts'
import { notToListener } from './not-listeners.ts'
import { isOverdue } from './rows.ts'

type Written = ReturnType<Scope>

/** Where counting stops: a larger number would change nothing. */
export const countMax = 10_000

/** An array of ids, made once before anything is walked. */
export function salesInNeed(sql: Scope, merchantId: MerchantId, need: SaleNeed): Written {
  return sql`array(${statements[need](sql, merchantId)})`
}

const statements: { readonly [need in SaleNeed]: (sql: Scope, merchantId: MerchantId) => Written } = {
  in_doubt: (sql, merchantId) => sql`select p.transaction_id from operation p
    where p.merchant_id = ${merchantId} and (p.outcome = 'unknown' or ${isOverdue(sql, 'p')})`,
  disputed: (sql, merchantId) => sql`select p.transaction_id from dispute p
    where p.merchant_id = ${merchantId} and p.status = 'open'`,
  untold: (sql, merchantId) => untoldSales(sql, merchantId, sql`(${owedEvents(sql, merchantId)})`),
  dropped: (sql, merchantId) => sql`select v.transaction_id from (${newest(sql, merchantId, sql`'dropped'`)}) o
    join event v on v.merchant_id = ${merchantId} and v.id = o.event_id where v.transaction_id is not null`,
}

/** As the metrics have it for everybody, of the events in `owed`. What only a developer's machine has taken is not told. */
export function untoldSales(sql: Scope, merchantId: MerchantId, owed: Written): Written {
  return sql`select distinct v.transaction_id from ${owed} o
      join event v on v.merchant_id = ${merchantId} and v.id = o.event_id
    where v.kind = 'transaction' and v.transaction_id is not null and not exists (select from whole_delivery t
        join hook_endpoint e on e.merchant_id = ${merchantId} and e.id = t.endpoint_id and e.listener_id is null
      where t.merchant_id = ${merchantId} and t.event_id = v.id and t.state = 'delivered')`
}

/** The newest that some endpoint of the merchant's own has not taken. Each state is walked by itself, in the order of its index. */
export function owedEvents(sql: Scope, merchantId: MerchantId): Written {
  return sql`select event_id, state, parked, attempts from (
      (${newest(sql, merchantId, sql`'pending'`)}) union all (${newest(sql, merchantId, sql`'dropped'`)})) both_states
    order by id desc limit ${countMax}`
}

function newest(sql: Scope, merchantId: MerchantId, state: Written): Written {
  return sql`select d.id, d.event_id, d.state, d.parked, d.attempts from owed_delivery d
    where d.merchant_id = ${merchantId} and d.state = ${state} and ${notToListener(sql, merchantId)}
    order by d.id desc limit ${countMax}`
}
