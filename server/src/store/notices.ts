// What a gateway's notice is about, found by the gateway's own names.

import type { StoredCard } from '../core/gateway.ts'
import type { At, FoundCharge } from '../core/notice.ts'
import type { Database } from './database.ts'

export async function findCharge(
  sql: Database,
  { merchantId, gatewayId }: At,
  chargeRef: string,
): Promise<FoundCharge | null> {
  const [row] = await sql<FoundCharge[]>`select o.transaction_id, exists (select from operation p
        join resolution r on r.merchant_id = p.merchant_id and r.operation_id = p.id
      where p.merchant_id = ${merchantId} and p.transaction_id = o.transaction_id) as is_decided,
      case when not exists (select from resolution r
        where r.merchant_id = ${merchantId} and r.operation_id = o.id and r.verdict = 'succeeded') then o.id end as operation_id
    from operation o
    where o.merchant_id = ${merchantId} and o.gateway_id = ${gatewayId} and o.gateway_ref = ${chargeRef}
      and o.kind = 'charge'
    order by o.outcome = 'succeeded' desc, o.id limit 1`
  return row ?? null
}

/** The tokens of the cards that have this name there, as their own or as a copy's. */
function tokensNamed(sql: Database, { merchantId, gatewayId }: At, cardRef: string) {
  return sql`select token from card
      where merchant_id = ${merchantId} and gateway_id = ${gatewayId} and card_ref = ${cardRef} and removed_at is null
    union select token from card_copy
      where merchant_id = ${merchantId} and gateway_id = ${gatewayId} and card_ref = ${cardRef}`
}

export async function hasCard(sql: Database, at: At, cardRef: string): Promise<boolean> {
  const rows = await sql`${tokensNamed(sql, at, cardRef)} limit 1`
  return rows.length > 0
}

/** A bank replaced the card, or its expiry. The fingerprint is that vault's own. */
export async function renewCard(sql: Database, at: At, card: StoredCard): Promise<void> {
  const { merchantId, gatewayId } = at
  const { cardRef, mask, type, expiryMonth, expiryYear, fingerprint } = card
  await sql`with copied as (update card_copy set fingerprint = ${fingerprint}
      where merchant_id = ${merchantId} and gateway_id = ${gatewayId} and card_ref = ${cardRef})
    update card set mask = ${mask}, type = ${type}, expiry_month = ${expiryMonth}, expiry_year = ${expiryYear},
      fingerprint = case when gateway_id = ${gatewayId} then ${fingerprint} else fingerprint end
    where merchant_id = ${merchantId} and removed_at is null and token in (${tokensNamed(sql, at, cardRef)})`
}
