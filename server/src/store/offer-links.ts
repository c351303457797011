// The tokens with which single customers pay an offer by email at once.

import type { MerchantId, OfferId } from '../core/ids.ts'
import type { Scope } from './database.ts'
import { hasBeenUsed } from './token-uses.ts'
import { insertToken } from './tokens.ts'

export interface OfferLink {
  readonly merchantId: MerchantId
  readonly offerId: OfferId
  /** In lower case. */
  readonly email: string
  /** The token as it stands in an email. */
  readonly content: string
  readonly boxSha256: Buffer
  /** Null: never. */
  readonly expiresAt: Date | null
}

/** Of an offer for one customer. */
export type OwnToken = Pick<OfferLink, 'content' | 'boxSha256'>

/**
 * The token that this customer has, where it can still be used: the offer's own, or that of an earlier link. Else this new one takes
 * its place. Of two requests at the same time, the second one waits for the first, and finds its token.
 */
export async function keepOfferLink(scope: Scope, link: OfferLink, own: OwnToken | null, now: Date): Promise<string> {
  const { merchantId, offerId, email, content, boxSha256, expiresAt } = link
  await scope`select from offer where merchant_id = ${merchantId} and id = ${offerId} for no key update`
  if (own !== null && (await isUnused(scope, merchantId, own.boxSha256))) return own.content
  const [known] = await scope<OwnToken[]>`select content, box_sha256 from offer_link
    where merchant_id = ${merchantId} and offer_id = ${offerId} and email = ${email}
      and expires_at is not distinct from ${expiresAt}::timestamptz`
  if (known !== undefined && (await isUnused(scope, merchantId, known.boxSha256))) return known.content
  await insertToken(scope, { ...link, registered: false, onlyCard: null, isPersonal: true, at: now })
  await scope`insert into offer_link (merchant_id, offer_id, email, content, box_sha256, expires_at)
    values (${merchantId}, ${offerId}, ${email}, ${content}, ${boxSha256}, ${expiresAt})
    on conflict (merchant_id, offer_id, email) do update
    set content = excluded.content, box_sha256 = excluded.box_sha256, expires_at = excluded.expires_at`
  return content
}

/** An offer that has expired has no links: its tokens expire with it. */
async function isUnused(scope: Scope, merchantId: MerchantId, boxSha256: Buffer): Promise<boolean> {
  const { count } = await scope`select from token t where merchant_id = ${merchantId} and box_sha256 = ${boxSha256}
    and revoked_at is null and not ${hasBeenUsed(scope)}`
  return count > 0
}

/** Of a customer who is erased: their tokens pay nothing any more. How many there were. */
export async function forgetOfferLinks(
  scope: Scope,
  merchantId: MerchantId,
  email: string,
  now: Date,
): Promise<number> {
  const gone = await scope<{ boxSha256: Buffer }[]>`delete from offer_link
    where merchant_id = ${merchantId} and email = ${email} returning box_sha256`
  const boxes = gone.map(({ boxSha256 }) => boxSha256)
  await scope`update token set revoked_at = coalesce(revoked_at, ${now})
    where merchant_id = ${merchantId} and box_sha256 = any(${boxes})`
  return gone.length
}
