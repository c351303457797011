// The facts of the payment page that the audit judges. Only those that could be wrong are read: they are few.

import type { LentCard, TriedCheckout } from '../core/audit/page.ts'
import { checkoutOperation } from '../core/checkout.ts'
import type { MerchantId } from '../core/ids.ts'
import type { Scope } from './database.ts'
import { isNeeded } from './spent-cards.ts'

const readMax = 10_000

/** Those with more than one try. `name` is what its tries' keys begin with. */
export async function readCheckouts(
  scope: Scope,
  merchantId: MerchantId,
): Promise<(TriedCheckout & { readonly name: string })[]> {
  return scope<(TriedCheckout & { readonly name: string })[]>`
    select split_part(k.key, '.', 1) as name,
      json_agg(json_build_object('transactionId', t.id, 'status', t.status, 'wasAccepted', exists (
        select from transaction_change c where c.merchant_id = t.merchant_id and c.transaction_id = t.id
          and c.from_status = 'Failed')) order by t.id) as tries
    from idempotency_key k join transaction t on t.merchant_id = k.merchant_id and t.id = k.transaction_id
    where k.merchant_id = ${merchantId} and k.operation = ${checkoutOperation}
    group by name having count(*) > 1 limit ${readMax}`
}

/** Given for one payment, and not removed. */
export async function readLentCards(
  scope: Scope,
  merchantId: MerchantId,
): Promise<(LentCard & { readonly token: string })[]> {
  return scope<(LentCard & { readonly token: string })[]>`
    select c.token, c.created_at, greatest(now(), c.remove_at) as at, ${isNeeded(scope)} as is_needed
    from card c where c.merchant_id = ${merchantId} and c.remove_at is not null and c.removed_at is null
    order by c.remove_at limit ${readMax}`
}
