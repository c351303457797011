// Figures are of a merchant's own endpoints. What a developer's machine is owed, took or refused changes none of them: it comes
// and goes, and nobody runs a business on it.

import type { MerchantId } from '../core/ids.ts'
import type { Scope } from './database.ts'

type Written = ReturnType<Scope>

/**
 * Of a delivery `d` of that merchant. Those who listen are few and read once, before anything is walked: a join would ask
 * again for each row.
 */
export function notToListener(sql: Scope, merchantId: MerchantId): Written {
  return sql`d.endpoint_id not in (select id from hook_endpoint where merchant_id = ${merchantId} and listener_id is not null)`
}

/** Of a delivery `d` of anybody. */
export function notToAnyListener(sql: Scope): Written {
  return sql`(d.merchant_id, d.endpoint_id) not in (select merchant_id, id from hook_endpoint where listener_id is not null)`
}
