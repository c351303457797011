// What is known of tokens, by the SHA-256 of their box, and the keys that open them. A token can be made offline: a row comes
// with its offer, with its registration, or with its revocation.

import type { CardToken, MerchantId, OfferId, TransactionId } from '../core/ids.ts'
import type { Currency } from '../core/money.ts'
import type { Database, Scope } from './database.ts'
import { endOffer, endOffers, versionOfOffer } from './offer-versions.ts'
import { hasBeenUsed } from './token-uses.ts'

export interface TokenOfOffer {
  readonly boxSha256: Buffer
  /** The offer was made from it, and ends with it. */
  readonly registered: boolean
  readonly onlyCard: CardToken | null
  /** Nobody but one customer, or the owner of one card, can pay with it, and once. */
  readonly isPersonal: boolean
  /** The Private Key that it was made with. */
  readonly keyId: string
}

export interface NewToken extends TokenOfOffer {
  readonly merchantId: MerchantId
  readonly offerId: OfferId
  readonly at: Date
}

export async function insertToken(scope: Scope, token: NewToken): Promise<void> {
  await scope`insert into token (merchant_id, box_sha256, offer_id, only_card, is_personal, key_id, registered, created_at)
    values (${token.merchantId}, ${token.boxSha256}, ${token.offerId}, ${token.onlyCard},
      ${token.isPersonal}, ${token.keyId}, ${token.registered}, ${token.at})`
}

export interface TokenKey {
  readonly id: string
  readonly publicKey: string
  /** Of tokens that name none. */
  readonly currency: Currency
}

export interface TokenMerchant {
  readonly merchantId: MerchantId
  /** All that were ever theirs, but for those that others may know. */
  readonly keys: readonly TokenKey[]
  /** Whether a token may authorise without saying so inside its box. Null: as the mode of the service has it. */
  readonly unsignedAuthorizations: boolean | null
}

/** By the number in a token; null: nobody has it. */
export async function findTokenMerchant(sql: Database, partnerId: bigint): Promise<TokenMerchant | null> {
  const [row] = await sql<TokenMerchant[]>`
    select m.merchant_id, s.unsigned_authorizations,
      array(select jsonb_build_object('id', k.id, 'publicKey', k.public_key, 'currency', k.currency) from merchant_key k
        where k.merchant_id = m.merchant_id and not k.compromised order by k.created_at desc, k.id desc) as keys
    from directory d join merchant m on m.merchant_id = d.merchant_id
      left join mail_settings s on s.merchant_id = m.merchant_id
    where d.kind = 'partner' and d.key = ${String(partnerId)}`
  return row ?? null
}

const compromisedKeysMax = 16

/** The newest of those that open no tokens, because others may know them: a merchant is told that a token was made with one. */
export async function findCompromisedKeys(sql: Database, merchantId: MerchantId): Promise<readonly TokenKey[]> {
  return sql<
    TokenKey[]
  >`select id, public_key, currency from merchant_key where merchant_id = ${merchantId} and compromised
    order by created_at desc, id desc limit ${compromisedKeysMax}`
}

/** A box, and what the version in front of it says. */
export interface TokenForm {
  readonly boxSha256: Buffer
  readonly authorizationOnly: boolean
}

export interface KnownToken {
  /** Made from it with this very version, where its box does not say which. */
  readonly offerId: OfferId | null
  readonly verifies: TransactionId | null
  readonly onlyCard: CardToken | null
  readonly revokedAt: Date | null
  /** Nobody can pay with it any more: it is personal, and paid by mail or on the page of its offer. */
  readonly isUsedUp: boolean
  /** No offer was made from it, and one was made from the same box with the other version. */
  readonly hasOtherVersion: boolean
  /** Whether its offer can be bought, as far as the merchant has not ended it. Null: there is none. */
  readonly isOfferActive: boolean | null
  /** Of the card that it is for: null where there is none, it was removed, or was given for one payment. */
  readonly cardEmail: string | null
}

/** One statement, and one row of it, whatever is known. A card may be empty text: no token has that for one. */
export async function findToken(
  sql: Database,
  merchantId: MerchantId,
  { boxSha256, authorizationOnly }: TokenForm,
  card: string,
): Promise<KnownToken> {
  const isOther = sql`coalesce(t.registered and o.authorization_only <> ${authorizationOnly}, false)`
  const [row] = await sql<KnownToken[]>`
    select case when ${isOther} then o.other_version_id else t.offer_id end as offer_id, t.verifies, t.only_card, t.revoked_at,
      ${isOther} and o.other_version_id is null as has_other_version, o.active as is_offer_active,
      coalesce(t.is_personal and (${hasBeenUsed(sql)} or t.registered and o.stock_left <= 0), false) as is_used_up,
      (select u.email from card c join customer u on u.merchant_id = c.merchant_id and u.id = c.customer_id
        where c.merchant_id = ${merchantId} and c.token = ${card} and c.removed_at is null and c.remove_at is null) as card_email
    from (select) nothing
      left join token t on t.merchant_id = ${merchantId} and t.box_sha256 = ${boxSha256}
      left join offer o on o.merchant_id = t.merchant_id and o.id = t.offer_id`
  if (row === undefined) throw new Error('a join from one row has one row')
  return row
}

/** The only card that a payment which was asked for with a token may charge by mail; null: any of its customer's. */
export async function onlyCardOfToken(
  sql: Database,
  merchantId: MerchantId,
  tokenSha256: string | null,
): Promise<CardToken | null> {
  const box = tokenSha256 === null ? null : Buffer.from(tokenSha256, 'hex')
  const [row] = await sql<{ onlyCard: CardToken | null }[]>`select only_card from token
    where merchant_id = ${merchantId} and box_sha256 = ${box}`
  return row?.onlyCard ?? null
}

/**
 * The box, whichever version is in front of it. The first time counts. Whoever registers it at the same moment finds it revoked, or is
 * found here. Of two offers that were made from it, that of this version is answered.
 */
export async function revokeToken(
  scope: Scope,
  merchantId: MerchantId,
  { boxSha256, authorizationOnly }: TokenForm,
  now: Date,
): Promise<{ readonly revokedAt: Date; readonly offerId: OfferId | null }> {
  const [row] = await scope<{ revokedAt: Date; offerId: OfferId | null; registered: boolean }[]>`
    insert into token as t (merchant_id, box_sha256, registered, created_at, revoked_at)
    values (${merchantId}, ${boxSha256}, false, ${now}, ${now})
    on conflict (merchant_id, box_sha256) do update set revoked_at = coalesce(t.revoked_at, excluded.revoked_at)
    returning revoked_at, offer_id, registered`
  if (row === undefined) throw new Error('a token was not revoked')
  const { revokedAt, offerId, registered } = row
  if (!registered || offerId === null) return { revokedAt, offerId }
  await endOffer(scope, merchantId, offerId)
  return { revokedAt, offerId: await versionOfOffer(scope, merchantId, offerId, authorizationOnly) }
}

/** Until the commit nobody marks it. False: it is compromised. */
export async function holdGoodKey(scope: Scope, merchantId: MerchantId, keyId: string): Promise<boolean> {
  const { count } = await scope`select from merchant_key
    where merchant_id = ${merchantId} and id = ${keyId} and not compromised for share`
  return count > 0
}

/** Tokens of a compromised key, and the offers that were registered from them. */
export interface RevokedWithKey {
  readonly tokens: number
  readonly offers: number
}

/** Also tokens of which nobody knows the key any more: they may be of this one. */
export async function revokeTokensOfKey(
  scope: Scope,
  merchantId: MerchantId,
  keyId: string,
  now: Date,
): Promise<RevokedWithKey> {
  const revoked = await scope<{ offerId: OfferId | null; registered: boolean }[]>`update token set revoked_at = ${now}
    where merchant_id = ${merchantId} and (key_id = ${keyId} or key_id is null) and revoked_at is null
    returning offer_id, registered`
  const registered = revoked.flatMap(token => (token.registered && token.offerId !== null ? [token.offerId] : []))
  const offers = await endOffers(scope, merchantId, registered)
  return { tokens: revoked.length, offers }
}

export interface UnnamedToken {
  readonly boxSha256: Buffer
  /** Its text, or that of another token of its offer. */
  readonly content: string
}

/** Tokens that still pay and do not name their key: they were written by an older version of the service. */
export async function findUnnamedTokens(
  sql: Database,
  merchantId: MerchantId,
  after: Buffer,
  limit: number,
): Promise<readonly UnnamedToken[]> {
  return sql<UnnamedToken[]>`select t.box_sha256, coalesce(l.content, o.token_content) as content
    from token t join offer o on o.merchant_id = t.merchant_id and o.id = t.offer_id
      left join offer_link l on l.merchant_id = t.merchant_id and l.offer_id = t.offer_id and l.box_sha256 = t.box_sha256
    where t.merchant_id = ${merchantId} and t.key_id is null and t.revoked_at is null and t.box_sha256 > ${after}
    order by t.box_sha256 limit ${limit}`
}

export async function nameKeyOfToken(sql: Database, merchantId: MerchantId, boxSha256: Buffer, keyId: string) {
  await sql`update token set key_id = ${keyId}
    where merchant_id = ${merchantId} and box_sha256 = ${boxSha256} and key_id is null`
}
