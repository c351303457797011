// Cards that were given for one payment only, and are due to be taken out of their vaults. In two steps, as everything that is
// swept: which merchants have some, then a bounded claim of one merchant's.

import type { CardToken, MerchantId } from '../core/ids.ts'
import type { Database, Scope } from './database.ts'

export function merchantsWithSpentCards(sql: Database, now: Date) {
  return sql<{ merchantId: MerchantId }[]>`select distinct merchant_id from card
    where remove_at <= ${now} and removed_at is null`
}

/** Whether something is open that the card `c` pays for. */
export function isNeeded(sql: Scope) {
  return sql`exists (select from transaction t
    where t.merchant_id = c.merchant_id and t.customer_id = c.customer_id and t.card_token = c.token
      and (t.status in ('Processing', 'Further Action Required') or exists (select from operation p
        where p.merchant_id = t.merchant_id and p.transaction_id = t.id and p.outcome in ('pending', 'unknown'))))`
}

/**
 * Not while something is open that the card pays for. A claim puts the card off: nobody else takes it meanwhile, and where
 * its gateway does not confirm, it is due again by itself. That is after some minutes at first, and then ever later, for a
 * gateway that stays away.
 */
export async function claimSpentCards(
  sql: Database,
  merchantId: MerchantId,
  { now, limit }: { readonly now: Date; readonly limit: number },
): Promise<CardToken[]> {
  // Materialized: joined as it stands, the limit would hold for each row that it is compared with.
  const rows = await sql<{ token: CardToken }[]>`
    with due as materialized (
      select token from card c where merchant_id = ${merchantId} and remove_at <= ${now} and removed_at is null
        and not ${isNeeded(sql)}
      order by remove_at limit ${limit} for update skip locked)
    update card set remove_at = ${now}::timestamptz
      + greatest(interval '5 minutes', least(interval '1 day', (${now}::timestamptz - created_at) / 8))
    where merchant_id = ${merchantId} and token in (select token from due)
    returning token`
  return rows.map(({ token }) => token)
}
