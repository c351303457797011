// Checkouts. Their tries are the keys under which they were charged: nothing of a payment is kept twice.

import { attemptOf, attemptsMax, checkoutOperation } from '../core/checkout.ts'
import type { CardToken, MerchantId, OfferId, TransactionId } from '../core/ids.ts'
import type { KnownPayment } from '../core/ports.ts'
import { type Source, sources, type TransactionStatus } from '../core/transaction.ts'
import type { Database, Scope } from './database.ts'

export interface NamedCheckout {
  readonly merchantId: MerchantId
  readonly offerId: OfferId
  /** Of offer and secret: at another offer the same secret is another checkout. */
  readonly secretSha256: Buffer
}

/** How its tries are named. */
export function checkoutName({ secretSha256 }: NamedCheckout): string {
  return secretSha256.toString('hex')
}

function its(sql: Scope, { merchantId, secretSha256 }: NamedCheckout) {
  return sql`merchant_id = ${merchantId} and secret_sha256 = ${secretSha256}`
}

/** The right to go on alone with a checkout, as long as nobody else has got it. */
export interface Turn extends NamedCheckout {
  readonly until: string
}

/** For one request at a time: others wait for what it comes to. Null: it is taken. */
export async function takeTurn(sql: Database, named: NamedCheckout, now: Date, leaseMs: number): Promise<Turn | null> {
  const { merchantId, offerId, secretSha256 } = named
  const until = sql`now() + ${leaseMs} * interval '1 millisecond'`
  const [row] = await sql<{ until: string }[]>`
    insert into checkout (merchant_id, secret_sha256, offer_id, created_at, taken_until)
    values (${merchantId}, ${secretSha256}, ${offerId}, ${now}, ${until})
    on conflict (merchant_id, secret_sha256) do update set taken_until = excluded.taken_until
      where checkout.taken_until is null or checkout.taken_until < now()
    returning taken_until::text as until`
  return row === undefined ? null : { ...named, until: row.until }
}

/** Nothing, where it was lost to somebody else. */
export async function giveTurnBack(sql: Database, { until, ...named }: Turn): Promise<void> {
  await sql`update checkout set taken_until = null where ${its(sql, named)} and taken_until = ${until}::timestamptz`
}

/** Whoever has its secret has from now on proven this address. */
export async function proveCheckout(scope: Scope, named: NamedCheckout, email: string, now: Date): Promise<void> {
  const { merchantId, offerId, secretSha256 } = named
  await scope`insert into checkout (merchant_id, secret_sha256, offer_id, created_at, proven_email)
    values (${merchantId}, ${secretSha256}, ${offerId}, ${now}, ${email})
    on conflict (merchant_id, secret_sha256) do update set proven_email = excluded.proven_email`
}

/** Null: nobody has proven anything. */
export async function provenEmailOf(sql: Database, named: NamedCheckout): Promise<string | null> {
  const [row] = await sql<{ provenEmail: string | null }[]>`select proven_email from checkout where ${its(sql, named)}`
  return row?.provenEmail ?? null
}

/** One try of a checkout. */
export interface CheckoutTry {
  readonly number: number
  readonly transactionId: TransactionId
  /** As `mayHavePaid` says of its sale. */
  readonly mayHavePaid: boolean
}

/** Of transaction `t`, as the rule of the same name says. */
function mayHavePaid(sql: Scope) {
  return sql`(t.status <> 'Failed' or exists (select from operation p where p.merchant_id = t.merchant_id
    and p.transaction_id = t.id and p.kind = 'charge' and p.for_person is not null))`
}

/** By their whole names, of which there are few: how a database sorts texts is not ours to rely on. */
function keysOf(named: NamedCheckout): string[] {
  const name = checkoutName(named)
  return Array.from({ length: attemptsMax }, (_, number) => attemptOf(name, number).key)
}

/** In order. */
export async function triesOf(sql: Database, named: NamedCheckout): Promise<CheckoutTry[]> {
  return sql<CheckoutTry[]>`
    select split_part(k.key, '.', 2)::int as number, t.id as transaction_id,
      ${mayHavePaid(sql)} as may_have_paid
    from idempotency_key k join transaction t on t.merchant_id = k.merchant_id and t.id = k.transaction_id
    where k.merchant_id = ${named.merchantId} and k.operation = ${checkoutOperation} and k.key = any(${keysOf(named)})
    order by number`
}

/** A card, as its gateway knows it again; empty: it does not, or the customer was erased. */
export async function fingerprintOf(sql: Database, merchantId: MerchantId, token: CardToken): Promise<string> {
  const [row] = await sql<{ fingerprint: string }[]>`select fingerprint from card
    where merchant_id = ${merchantId} and token = ${token}`
  return row?.fingerprint ?? ''
}

/** A payment of an offer that was made, or may be. */
export interface EarlierPayment extends KnownPayment {
  readonly status: TransactionStatus
  readonly source: Source
}

/** Which payments of an offer count: those that are not over, and those made after `since`, whenever they were asked for. */
export type Counting = {
  readonly besides: KnownPayment | null
  /** The one that is just being written. */
  readonly except?: TransactionId
} & (
  | { readonly kind: 'card'; readonly fingerprint: string; readonly since: Date }
  /** With any card; `since` null: made at any time. */
  | { readonly kind: 'any'; readonly since: Date | null }
)

/** Not over yet. */
const open: readonly TransactionStatus[] = ['Processing', 'Further Action Required']
/** All that may stand for money that was, or will be, taken; a failed payment does only where the gateway says otherwise. */
const mayBePaid: readonly TransactionStatus[] = [
  ...open,
  ...(['Authorized', 'Successful', 'Partially Refunded', 'Refunded'] as const),
]

/**
 * A payment of an offer that was made or may be, by email, page or REST: a newer one before an older one. What still wants something of its
 * customer has charged nothing. Of each status and source the newest row is read from the end of the index, however many payments the
 * offer has.
 */
export function newestPayment(sql: Scope, merchantId: MerchantId, offerId: OfferId, counting: Counting) {
  const { besides, except } = counting
  const isOther = sql`t.id <> all(${[besides?.id, except].filter(id => id !== undefined)}::uuid[])`
  const counts = sql`t.merchant_id = ${merchantId} and t.offer_id = ${offerId} and ${isOther} and ${withCard(sql, counting)}
    and ${wasMadeAfter(sql, besides?.at ?? null)}`
  const since = sinceWhen(counting)
  // Found first, and by themselves: they are fewer than PostgreSQL can guess.
  return sql<EarlierPayment[]>`
    with waited as materialized (select p.transaction_id from operation p
      where p.merchant_id = ${merchantId} and p.settled_at > ${since}::timestamptz and ${hasWaited(sql)})
    select t.id, ${madeAt(sql)} as at, t.status, t.source from (
      select newest.* from unnest(${mayBePaid}::text[]) of_status (status), unnest(${sources}::text[]) of_source (source),
        lateral (select t.* from transaction t
          where ${counts} and t.status = of_status.status and t.source = of_source.source
            and t.id > ${oldestId(sql, since)} and t.action_wants is null
            and (t.status = any(${open}) or ${wasMadeAfter(sql, since)})
          order by t.id desc limit 1) newest
      union all
      select t.* from waited w join transaction t on t.id = w.transaction_id
        where ${counts} and t.status = any(${mayBePaid})
      union all
      select t.* from operation p join transaction t on t.merchant_id = p.merchant_id and t.id = p.transaction_id
        where p.merchant_id = ${merchantId} and p.for_person is not null and p.kind = 'charge'
          and ${counts} and t.status in ('Failed', 'Voided')
    ) t order by at desc limit 1`
}

/** Of transaction `t`. */
function withCard(sql: Scope, counting: Counting) {
  if (counting.kind === 'any') return sql`true`
  return sql`exists (select from card c where c.merchant_id = t.merchant_id
    and c.token = t.card_token and c.fingerprint = ${counting.fingerprint})`
}

/** When the charge of transaction `t` came to its outcome; when the payment was asked for, as long as it has not. */
function madeAt(sql: Scope) {
  return sql`coalesce((select max(p.settled_at) from operation p
    where p.merchant_id = t.merchant_id and p.transaction_id = t.id and p.kind = 'charge'), t.created_at)`
}

/** What was asked for after that was made after that: its operations need not be read. */
function wasMadeAfter(sql: Scope, since: Date | null) {
  return since === null ? sql`true` : sql`(t.created_at > ${since} or ${madeAt(sql)} > ${since})`
}

function sinceWhen({ since, besides }: Counting): Date | null {
  if (besides === null || since === null) return besides?.at ?? since
  return besides.at > since ? besides.at : since
}

const firstId = '00000000-0000-0000-0000-000000000000'
/** More than the longest time from asking for a payment to its outcome in which it has not waited: 66 and 60 seconds. */
const notWaitedMaxMs = 180_000

/** What is over, and was asked for long before, has waited. Ids begin with the time in milliseconds. */
function oldestId(sql: Scope, since: Date | null) {
  if (since === null) return sql`${firstId}::uuid`
  const oldest = (since.getTime() - notWaitedMaxMs).toString(16).padStart(12, '0').padEnd(32, '0')
  return sql`case when of_status.status = any(${open}) then ${firstId} else ${oldest} end::uuid`
}

/** Of operation `p`: settled some time after its payment was asked for. In the words of the index on these, which only finds them. */
function hasWaited(sql: Scope) {
  return sql`p.kind = 'charge'
    and (left(p.id::text, 8) <> left(p.transaction_id::text, 8) or p.settled_at - p.created_at > interval '1 minute')`
}

/** One that was just entered, and paid for nothing, need not stay in its vault for longer. */
export async function letCardGo(sql: Database, merchantId: MerchantId, token: CardToken, at: Date): Promise<void> {
  await sql`update card set remove_at = ${at} where merchant_id = ${merchantId} and token = ${token}
    and removed_at is null and remove_at > ${at}`
}

/**
 * Whoever has this checkout's secret has proven this address: the cards that the checkout entered under it, and that are kept
 * because a payment with them succeeded, are surely that customer's. No card of another checkout or address, and none that was
 * confirmed before, is not kept, or is removed.
 */
export async function confirmCardsOf(scope: Scope, named: NamedCheckout, email: string, now: Date): Promise<void> {
  const { merchantId } = named
  await scope`update card c set confirmed_at = ${now}
    from customer u, idempotency_key k
      join transaction t on t.merchant_id = k.merchant_id and t.id = k.transaction_id
    where k.merchant_id = ${merchantId} and k.operation = ${checkoutOperation} and k.key = any(${keysOf(named)})
      and t.status not in ('Processing', 'Further Action Required', 'Failed')
      and c.merchant_id = ${merchantId} and c.token = t.card_token
      and c.consented_at is not null and c.confirmed_at is null and c.removed_at is null and c.remove_at is null
      and u.merchant_id = ${merchantId} and u.id = c.customer_id and u.email = ${email}`
}
