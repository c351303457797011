// Checkouts. Their tries are the keys under which they were charged: nothing of a payment is kept twice.

import { checkoutOperation } from '../core/checkout.ts'
import type { CardToken, MerchantId, OfferId, TransactionId } from '../core/ids.ts'
import type { Transaction } from '../core/transaction.ts'
import type { Database, Scope } from './database.ts'

export interface NamedCheckout {
  readonly merchantId: MerchantId
  readonly secretSha256: Buffer
}

/** How its tries are named. */
export function checkoutName({ secretSha256 }: NamedCheckout): string {
  return secretSha256.toString('hex')
}

function its(sql: Scope, { merchantId, secretSha256 }: NamedCheckout) {
  return sql`merchant_id = ${merchantId} and secret_sha256 = ${secretSha256}`
}

/** For one request at a time: others wait for what it comes to. False: it is taken. */
export async function takeCheckout(
  sql: Database,
  named: NamedCheckout,
  offerId: OfferId,
  now: Date,
  leaseMs: number,
): Promise<boolean> {
  const until = sql`now() + ${leaseMs} * interval '1 millisecond'`
  const { count } = await sql`insert into checkout (merchant_id, secret_sha256, offer_id, created_at, taken_until)
    values (${named.merchantId}, ${named.secretSha256}, ${offerId}, ${now}, ${until})
    on conflict (merchant_id, secret_sha256) do update set taken_until = excluded.taken_until
      where checkout.taken_until is null or checkout.taken_until < now()`
  return count === 1
}

export async function giveCheckoutBack(sql: Database, named: NamedCheckout): Promise<void> {
  await sql`update checkout set taken_until = null where ${its(sql, named)}`
}

/** Whoever has its secret has from now on proven this address. */
export async function proveCheckout(
  scope: Scope,
  named: NamedCheckout,
  offerId: OfferId,
  email: string,
  now: Date,
): Promise<void> {
  await scope`insert into checkout (merchant_id, secret_sha256, offer_id, created_at, proven_email)
    values (${named.merchantId}, ${named.secretSha256}, ${offerId}, ${now}, ${email})
    on conflict (merchant_id, secret_sha256) do update set proven_email = excluded.proven_email`
}

/** Null: nobody has proven anything. */
export async function provenEmailOf(sql: Database, named: NamedCheckout, offerId: OfferId): Promise<string | null> {
  const [row] = await sql<{ provenEmail: string | null }[]>`select proven_email from checkout
    where ${its(sql, named)} and offer_id = ${offerId}`
  return row?.provenEmail ?? null
}

/** One try of a checkout. */
export interface CheckoutTry {
  readonly number: number
  readonly transactionId: TransactionId
  readonly status: Transaction['status']
}

/** In order. Of this offer alone: another one's checkout has no say here. */
export async function triesOf(sql: Database, named: NamedCheckout, offerId: OfferId): Promise<CheckoutTry[]> {
  const name = checkoutName(named)
  return sql<CheckoutTry[]>`
    select split_part(k.key, '.', 2)::int as number, t.id as transaction_id, t.status
    from idempotency_key k join transaction t on t.merchant_id = k.merchant_id and t.id = k.transaction_id
    where k.merchant_id = ${named.merchantId} and k.operation = ${checkoutOperation}
      and k.key > ${`${name}.`} and k.key < ${`${name}/`} and t.offer_id = ${offerId}
    order by number`
}

/** A card, as its gateway knows it again; empty: it does not, or the customer was erased. */
export async function fingerprintOf(sql: Database, merchantId: MerchantId, token: CardToken): Promise<string> {
  const [row] = await sql<{ fingerprint: string }[]>`select fingerprint from card
    where merchant_id = ${merchantId} and token = ${token}`
  return row?.fingerprint ?? ''
}

/** When the same card was last used on the page of the same offer, for what did not fail. `since` is the oldest id to look at. */
export async function lastPaidBy(
  sql: Database,
  merchantId: MerchantId,
  offerId: OfferId,
  fingerprint: string,
  since: TransactionId,
): Promise<Date | null> {
  const [row] = await sql<{ at: Date | null }[]>`select max(t.created_at) as at
    from transaction t join card c on c.merchant_id = t.merchant_id and c.token = t.card_token
    where t.merchant_id = ${merchantId} and t.offer_id = ${offerId} and t.id > ${since}
      and t.entered is not null and t.status not in ('Failed', 'Voided') and c.fingerprint = ${fingerprint}`
  return row?.at ?? null
}

/** It is taken out of its vault when it is due: nobody is to use it any more. */
export async function letCardGo(sql: Database, merchantId: MerchantId, token: CardToken, at: Date): Promise<void> {
  await sql`update card set remove_at = ${at} where merchant_id = ${merchantId} and token = ${token}
    and removed_at is null and coalesce(remove_at > ${at}, true)`
}
