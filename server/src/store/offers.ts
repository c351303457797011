// Offers. They are written once; afterwards only their stock and whether they are active change.

import type { MerchantId, OfferId } from '../core/ids.ts'
import type { Page } from '../core/lists.ts'
import type { Offer } from '../core/offer.ts'
import type { Database, Json, Scope } from './database.ts'
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

/** No row: not this merchant's. Deactivating twice is the same as once. */
export async function deactivateOffer(scope: Scope, merchantId: MerchantId, id: OfferId): Promise<Offer | null> {
  const [row] = await scope`update offer set active = false where merchant_id = ${merchantId} and id = ${id}
    returning ${scope(offerColumns)}`
  return row === undefined ? null : offerFrom(row)
}

export async function oldestOffer(sql: Database, merchantId: MerchantId): Promise<OfferId | null> {
  const [row] = await sql<{ id: OfferId }[]>`select id from offer where merchant_id = ${merchantId} order by id limit 1`
  return row?.id ?? null
}
