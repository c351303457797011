// Offers. They are written once; afterwards only their stock and whether they are active change.

import type { MerchantId, OfferId } from '../core/ids.ts'
import type { Page } from '../core/lists.ts'
import type { Offer } from '../core/offer.ts'
import type { Database, Json, Scope } from './database.ts'
import { endOffer } from './offer-versions.ts'
import { offerColumns, offerFrom } from './rows.ts'
import { insertToken, type TokenOfOffer } from './tokens.ts'

/** With what is known of its token; null: it has none. */
export async function insertOffer(scope: Scope, offer: Offer, token: TokenOfOffer | null): Promise<void> {
  const row = {
    ...offer,
    customFields: scope.json(offer.customFields as unknown as Json),
    customData: scope.json(offer.customData as Json),
  }
  await scope`insert into offer ${scope(row as unknown as Record<string, string>)}`
  await scope`insert into directory (kind, key, merchant_id) values ('offer', ${offer.id}, ${offer.merchantId})`
  if (token !== null)
    await insertToken(scope, { ...token, merchantId: offer.merchantId, offerId: offer.id, at: offer.createdAt })
}

/**
 * The offer of a token whose box has one already, by its other version. It has what is left of that one. False: nothing is written,
 * because the token was revoked, or another request has made the offer meanwhile.
 */
export async function insertOtherVersion(scope: Scope, offer: Offer, boxSha256: Buffer): Promise<boolean> {
  const { merchantId, id } = offer
  const [first] = await scope<Pick<Offer, 'id' | 'stockLeft' | 'active'>[]>`select o.id, o.stock_left, o.active
    from token t join offer o on o.merchant_id = t.merchant_id and o.id = t.offer_id
    where t.merchant_id = ${merchantId} and t.box_sha256 = ${boxSha256} and t.registered and t.revoked_at is null
      and o.other_version_id is null and o.authorization_only <> ${offer.authorizationOnly} for no key update`
  if (first === undefined) return false
  const { stockLeft, active } = first
  await insertOffer(scope, { ...offer, stockLeft, active }, null)
  await scope`update offer set other_version_id = case id when ${id} then ${first.id}::uuid else ${id}::uuid end
    where merchant_id = ${merchantId} and id in (${id}, ${first.id})`
  return true
}

export async function findOffer(sql: Database, merchantId: MerchantId, id: OfferId): Promise<Offer | null> {
  const [row] = await sql`select ${sql(offerColumns)} from offer where merchant_id = ${merchantId} and id = ${id}`
  return row === undefined ? null : offerFrom(row)
}

export async function listOffers(sql: Database, merchantId: MerchantId, page: Page<OfferId>): Promise<Offer[]> {
  const rows = await sql`select ${sql(offerColumns)} from offer
    where merchant_id = ${merchantId} ${page.after === null ? sql`` : sql`and id < ${page.after}`}
    order by id desc limit ${page.limit}`
  return rows.map(offerFrom)
}

/** Null: not this merchant's. Deactivating twice is the same as once. */
export async function deactivateOffer(scope: Scope, merchantId: MerchantId, id: OfferId): Promise<Offer | null> {
  await endOffer(scope, merchantId, id)
  const [row] = await scope`select ${scope(offerColumns)} from offer where merchant_id = ${merchantId} and id = ${id}`
  return row === undefined ? null : offerFrom(row)
}

export async function oldestOffer(sql: Database, merchantId: MerchantId): Promise<OfferId | null> {
  const [row] = await sql<{ id: OfferId }[]>`select id from offer where merchant_id = ${merchantId} order by id limit 1`
  return row?.id ?? null
}
