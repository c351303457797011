// The tokens with which single customers pay an offer by email at once.

import type { MerchantId, OfferId, TransactionId } from '../core/ids.ts'
import type { KeptLink } from '../core/offer-link.ts'
import type { Scope } from './database.ts'
import { isUsedForGood, mayGiveBack } from './token-uses.ts'
import { insertToken } from './tokens.ts'

export interface OfferLink {
  readonly merchantId: MerchantId
  readonly offerId: OfferId
  /** In lower case. */
  readonly email: string
  /** The token as it stands in an email. */
  readonly content: string
  readonly boxSha256: Buffer
  readonly keyId: string
  /** Null: never. */
  readonly expiresAt: Date | null
}

/** Of an offer for one customer. */
export type OwnToken = Pick<OfferLink, 'content' | 'boxSha256'>

/**
 * The token that this customer has, where it can still pay: the offer's own, or that of an earlier link. Else this new one takes
 * its place, and those before it are revoked: two that pay would be two payments. Of two requests at the same time, the second one
 * waits for the first, and finds its token. A payment that is open with a token that was revoked may still succeed: until it is over there
 * is no new one.
 */
export async function keepOfferLink(scope: Scope, link: OfferLink, own: OwnToken | null, now: Date): Promise<KeptLink> {
  const { merchantId, offerId, email, content, boxSha256, expiresAt } = link
  // The token before its offer, as whoever revokes it locks them.
  await scope`select from token where merchant_id = ${merchantId} and box_sha256 = ${own?.boxSha256 ?? null} for no key update`
  const offer = await scope`select from offer where merchant_id = ${merchantId} and id = ${offerId} and active
      and coalesce(email, ${email}) = ${email}
    for no key update`
  if (offer.count === 0) return { kind: 'ended' }
  if (own !== null && (await canStillPay(scope, merchantId, own.boxSha256))) return { kind: 'kept', token: own.content }
  const [known] = await scope<(OwnToken & { hasSameExpiry: boolean })[]>`select content, box_sha256,
      expires_at is not distinct from ${expiresAt}::timestamptz as has_same_expiry from offer_link
    where merchant_id = ${merchantId} and offer_id = ${offerId} and email = ${email}`
  if (known?.hasSameExpiry === true && (await canStillPay(scope, merchantId, known.boxSha256)))
    return { kind: 'kept', token: known.content }
  const openPayment = await findOpenPayment(scope, merchantId, [own, known ?? null])
  if (openPayment !== null) return { kind: 'payment_open', id: openPayment }
  await insertToken(scope, { ...link, registered: false, onlyCard: null, isPersonal: true, at: now })
  await scope`insert into offer_link (merchant_id, offer_id, email, content, box_sha256, expires_at)
    values (${merchantId}, ${offerId}, ${email}, ${content}, ${boxSha256}, ${expiresAt})
    on conflict (merchant_id, offer_id, email) do update
    set content = excluded.content, box_sha256 = excluded.box_sha256, expires_at = excluded.expires_at`
  // After the link, as an erasure locks them.
  await revokeBoxes(scope, merchantId, [own, known ?? null], now)
  return { kind: 'kept', token: content }
}

async function findOpenPayment(
  scope: Scope,
  merchantId: MerchantId,
  tokens: readonly (Pick<OwnToken, 'boxSha256'> | null)[],
): Promise<TransactionId | null> {
  const [row] = await scope<{ id: TransactionId }[]>`
    select p.id from token_use u join transaction p on p.merchant_id = u.merchant_id and p.id = u.transaction_id
    where u.merchant_id = ${merchantId} and u.box_sha256 = any(${boxesOf(tokens)}) and ${mayGiveBack(scope)} limit 1`
  return row?.id ?? null
}

const boxesOf = (tokens: readonly (Pick<OwnToken, 'boxSha256'> | null)[]) =>
  tokens.flatMap(token => token?.boxSha256 ?? [])

/**
 * Not used, or only by a payment that may still fail, be voided or succeed: until then it is the one link of its customer. An offer that
 * has expired has no links: its tokens expire with it.
 */
async function canStillPay(scope: Scope, merchantId: MerchantId, boxSha256: Buffer): Promise<boolean> {
  const { count } = await scope`select from token t where merchant_id = ${merchantId} and box_sha256 = ${boxSha256}
    and revoked_at is null and not ${isUsedForGood(scope)}
    and not exists (select from merchant_key k where k.merchant_id = t.merchant_id and k.id = t.key_id and k.compromised)`
  return count > 0
}

/** What is paid with them just now goes on. They cannot be used again, whatever becomes of it. */
async function revokeBoxes(
  scope: Scope,
  merchantId: MerchantId,
  tokens: readonly (Pick<OwnToken, 'boxSha256'> | null)[],
  now: Date,
): Promise<void> {
  await scope`update token set revoked_at = coalesce(revoked_at, ${now})
    where merchant_id = ${merchantId} and box_sha256 = any(${boxesOf(tokens)})`
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
  await revokeBoxes(scope, merchantId, gone, now)
  return gone.length
}
