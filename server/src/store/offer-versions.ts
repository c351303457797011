// The version of a token lies outside its box. Where the box does not say which it is, the token with version 2 and the one without
// have an offer each, and the two are what is left of one box: they have the same stock, and end together.

import type { MerchantId, OfferId } from '../core/ids.ts'
import type { Scope } from './database.ts'

/**
 * The row in which the stock of an offer is written, and whether it is active: of two versions always the same one, so that two
 * writers do not wait for each other. The database copies it to the other.
 */
export function countedOfferId(scope: Scope, merchantId: MerchantId, id: OfferId) {
  return scope`(select least(o.id, o.other_version_id) from offer o where o.merchant_id = ${merchantId} and o.id = ${id})`
}

/** In either version. */
export async function endOffer(scope: Scope, merchantId: MerchantId, id: OfferId): Promise<void> {
  await scope`update offer set active = false
    where merchant_id = ${merchantId} and id = ${countedOfferId(scope, merchantId, id)}`
}

/** In either version. How many were active, and are not any more. */
export async function endOffers(scope: Scope, merchantId: MerchantId, ids: readonly OfferId[]): Promise<number> {
  // In the order in which a payment locks the two offers of a token.
  const active = await scope<
    { id: OfferId }[]
  >`select id from offer where merchant_id = ${merchantId} and active and id in (
      select unnest(array[o.id, o.other_version_id]) from offer o where o.merchant_id = ${merchantId} and o.id = any(${ids}))
    order by id for no key update`
  const { count } = await scope`update offer set active = false
    where merchant_id = ${merchantId} and id = any(${active.map(({ id }) => id)})`
  return count
}

/** That of this version, where the token has one. */
export async function versionOfOffer(
  scope: Scope,
  merchantId: MerchantId,
  id: OfferId,
  authorizationOnly: boolean,
): Promise<OfferId> {
  const [row] = await scope<{ id: OfferId | null }[]>`select
      case when authorization_only = ${authorizationOnly} then id else other_version_id end as id
    from offer where merchant_id = ${merchantId} and id = ${id}`
  return row?.id ?? id
}
