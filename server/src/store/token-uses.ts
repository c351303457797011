// Uses of tokens: every statement that takes, gives back or finds one. Who a use counts for is decided in one place, by the token's own
// row: a personal token is used by whoever pays with it, and any other once by each customer.

import type { CustomerId, MerchantId, TransactionId } from '../core/ids.ts'
import type { Offer } from '../core/offer.ts'
import type { TokenUse } from '../core/ports.ts'
import type { Transaction } from '../core/transaction.ts'
import type { Database, Scope } from './database.ts'

/** Whom a use of the token `t` counts for; empty: everybody. The database refuses a name where the token is personal, and none where it is not. */
function userOf(scope: Scope, customerId: CustomerId) {
  return scope`case when t.is_personal then '' else ${customerId}::text end`
}

function tokenOf(scope: Scope, merchantId: MerchantId, boxSha256: string) {
  return scope`token t where t.merchant_id = ${merchantId} and t.box_sha256 = ${Buffer.from(boxSha256, 'hex')}`
}

function insertUse(scope: Scope, { merchantId, id }: Transaction, { boxSha256, customerId }: TokenUse) {
  return scope`insert into token_use (merchant_id, box_sha256, is_personal, used_by, transaction_id)
    select t.merchant_id, t.box_sha256, t.is_personal, ${userOf(scope, customerId)}, ${id}
    from ${tokenOf(scope, merchantId, boxSha256)}`
}

/** No row: somebody has used it whom the use would count for as well, or it was revoked. */
export function insertTokenUse(scope: Scope, transaction: Transaction, use: TokenUse) {
  return scope`${insertUse(scope, transaction, use)} and t.revoked_at is null on conflict do nothing`
}

/** Also of a token that was revoked: the money was taken. Whoever has used it since keeps it. */
export function insertLateTokenUse(scope: Scope, transaction: Transaction, use: TokenUse) {
  return scope`${insertUse(scope, transaction, use)} on conflict do nothing`
}

/**
 * Of a payment that failed here while its gateway says, or may say, that the money was taken: as long as a person has to look into
 * it, nobody else pays with its token. Whoever has used it since keeps it.
 */
export function takeTokenWhileListed(scope: Scope, merchantId: MerchantId, transactionId: TransactionId) {
  return insertUsesOfListed(scope, merchantId, scope`p.id = ${transactionId}`)
}

/** Of payments `p` that are over, and one of whose charges a person has to look into: they are few. */
function insertUsesOfListed(scope: Scope, merchantId: MerchantId, condition: ReturnType<Scope>) {
  return scope`insert into token_use (merchant_id, box_sha256, is_personal, used_by, transaction_id)
    select t.merchant_id, t.box_sha256, t.is_personal, case when t.is_personal then '' else p.customer_id::text end, p.id
    from operation o join transaction p on p.merchant_id = o.merchant_id and p.id = o.transaction_id
      join token t on t.merchant_id = p.merchant_id and t.box_sha256 = p.token_sha256
    where o.merchant_id = ${merchantId} and o.kind = 'charge' and o.for_person is not null
      and p.status in ('Failed', 'Voided') and ${condition}
    on conflict do nothing`
}

/**
 * All that a transaction has used: its token, and the one that confirmed it. Not as long as a person has to look into whether one of
 * its charges was made: whoever decides about the last of them gives it back. What the same commit says of a charge comes before this.
 */
export function giveTokensBack(scope: Scope, { merchantId, id, tokenSha256 }: Transaction) {
  const uses = scope`delete from token_use where merchant_id = ${merchantId} and transaction_id = ${id}
    and not exists (select from operation o where o.merchant_id = ${merchantId} and o.transaction_id = ${id}
      and o.kind = 'charge' and o.for_person is not null)`
  if (tokenSha256 === null) return [uses]
  // An earlier payment with it may be listed by now, which could not take it from this one.
  const box = Buffer.from(tokenSha256, 'hex')
  return [uses, insertUsesOfListed(scope, merchantId, scope`p.token_sha256 = ${box}`)]
}

/** The payment that has used it, where this use would count for the same. */
export async function findTokenUser(
  sql: Database,
  merchantId: MerchantId,
  { boxSha256, customerId }: TokenUse,
): Promise<TransactionId | null> {
  const [row] = await sql<{ id: TransactionId }[]>`select
      (select u.transaction_id from token_use u where u.merchant_id = t.merchant_id and u.box_sha256 = t.box_sha256
        and u.used_by = ${userOf(sql, customerId)}) as id
    from ${tokenOf(sql, merchantId, boxSha256)}`
  return row?.id ?? null
}

/** Whether this customer cannot pay with it any more: it was revoked, or they, or the one who may, have used it. */
export async function isTokenSpent(
  sql: Database,
  merchantId: MerchantId,
  { boxSha256, customerId }: TokenUse,
): Promise<boolean> {
  const { count } = await sql`select from ${tokenOf(sql, merchantId, boxSha256)}
    and (t.revoked_at is not null or exists (select from token_use u where u.merchant_id = t.merchant_id
      and u.box_sha256 = t.box_sha256 and u.used_by = ${userOf(sql, customerId)}))`
  return count > 0
}

/**
 * The token with which the one customer of this offer can still pay it by email, in hex: the offer's own (`ownBox`), or that of a link
 * which was made since. Null: they have none.
 */
export async function findUnusedToken(
  sql: Database,
  { merchantId, id, email }: Offer,
  ownBox: Buffer | null,
): Promise<string | null> {
  const [row] = await sql<{ box: string }[]>`select encode(t.box_sha256, 'hex') as box from token t
    where t.merchant_id = ${merchantId} and t.box_sha256 in (${ownBox}::bytea, (select l.box_sha256 from offer_link l
        where l.merchant_id = ${merchantId} and l.offer_id = ${id} and l.email = ${email}))
      and t.is_personal and t.revoked_at is null and not ${hasBeenUsed(sql)}
    order by t.box_sha256 = ${ownBox}::bytea desc nulls last limit 1`
  return row?.box ?? null
}

/** Since when it is known here; null: it is not. */
export async function findTokenTime(sql: Database, merchantId: MerchantId, boxSha256: string): Promise<Date | null> {
  const [row] = await sql<{ createdAt: Date }[]>`select t.created_at from ${tokenOf(sql, merchantId, boxSha256)}`
  return row?.createdAt ?? null
}

/** Whether anybody has used the token `t`. */
export function hasBeenUsed(scope: Scope) {
  return scope`exists (select from token_use u where u.merchant_id = t.merchant_id and u.box_sha256 = t.box_sha256)`
}

/**
 * Whether it was used by a payment that does not give it back: one that is open, or only authorized, may still do so, and one that
 * failed or was voided uses it only until a person has decided about its charges.
 */
export function isUsedForGood(scope: Scope) {
  return scope`exists (select from token_use u
      join transaction p on p.merchant_id = u.merchant_id and p.id = u.transaction_id
    where u.merchant_id = t.merchant_id and u.box_sha256 = t.box_sha256 and not ${mayGiveBack(scope)})`
}

/** Of the payment `p`, which uses a token. */
export function mayGiveBack(scope: Scope) {
  return scope`p.status in ('Processing', 'Further Action Required', 'Authorized', 'Failed', 'Voided')`
}
