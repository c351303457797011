// What a worker does with mails to customers: which merchants have something due, a bounded claim of one merchant's, and how
// each ended. An attempt is counted by its claim: one that ends a process is not made for ever.

import type { CardType } from '../core/gateway.ts'
import type { GatewayId, MerchantId, OfferId, OutgoingMailId, WorkerId } from '../core/ids.ts'
import type { Currency } from '../core/money.ts'
import type { HeldMail, MailEnd } from '../core/outgoing-mail.ts'
import type { FailureCode, TransactionStatus, Want } from '../core/transaction.ts'
import type { Database } from './database.ts'

/** Said with every commit that owes a mail. */
export const mailsChannel = 'tillbell_mails'

/** One probe of the index for each merchant, however many mails it owes. The longest due first. */
export async function listMailsDue(sql: Database, now: Date): Promise<MerchantId[]> {
  const waiting = sql`state = 'waiting' and holder is null`
  const rows = await sql<{ merchantId: MerchantId }[]>`
    with recursive owing as (
      (select merchant_id, due_at from outgoing_mail where ${waiting} order by merchant_id, due_at limit 1)
      union all
      select n.* from owing o cross join lateral (
        select merchant_id, due_at from outgoing_mail where ${waiting} and merchant_id > o.merchant_id
        order by merchant_id, due_at limit 1) n
    )
    select merchant_id from owing where due_at <= ${now} order by due_at`
  return rows.map(({ merchantId }) => merchantId)
}

/** Since when the one that waits for longest is owed, however often it was tried since; null: none waits. */
export async function oldestMailOwed(sql: Database): Promise<Date | null> {
  const [row] = await sql<
    { at: Date | null }[]
  >`select min(created_at) as at from outgoing_mail where state = 'waiting'`
  return row?.at ?? null
}

/** A cause is of the attempt before: where that one left none, it came to no end. */
export async function claimMails(
  sql: Database,
  merchantId: MerchantId,
  claim: { readonly holder: WorkerId; readonly now: Date; readonly limit: number },
): Promise<HeldMail[]> {
  return sql<HeldMail[]>`
    with due as (
      select id, attempts > 0 and cause is null as follows_lost from outgoing_mail
      where merchant_id = ${merchantId} and state = 'waiting' and holder is null and due_at <= ${claim.now}
      order by due_at limit ${claim.limit} for update skip locked
    )
    update outgoing_mail m set holder = ${claim.holder}, lease_no = lease_no + 1, attempts = attempts + 1, cause = null
    from due where m.merchant_id = ${merchantId} and m.id = due.id
    returning m.merchant_id, m.id, m.letter_id, m.transaction_id, m.kind, m.created_at, m.attempts, due.follows_lost,
      m.holder, m.lease_no`
}

/** Only what is still held under this number. */
export async function settleMail(
  sql: Database,
  { merchantId, id, holder, leaseNo }: HeldMail,
  end: MailEnd,
  now: Date,
): Promise<boolean> {
  const waits = end.state === 'waiting'
  const { count } = await sql`update outgoing_mail set state = ${end.state}, holder = null,
      due_at = ${waits ? end.dueAt : null}, settled_at = ${waits ? null : now}, cause = ${end.state === 'sent' ? null : end.cause}
    where merchant_id = ${merchantId} and id = ${id} and holder = ${holder} and lease_no = ${leaseNo} and state = 'waiting'`
  return count === 1
}

/** What is held in this worker's name and not named; how many. */
export async function freeOtherMails(sql: Database, holder: WorkerId, inHand: readonly string[]): Promise<number> {
  const astray = await sql<{ merchantId: MerchantId; id: OutgoingMailId }[]>`select merchant_id, id from outgoing_mail
    where holder = ${holder} and id <> all(${inHand}::uuid[])`
  let freed = 0
  for (const { merchantId, id } of astray) {
    const { count } = await sql`update outgoing_mail set holder = null, lease_no = lease_no + 1
      where merchant_id = ${merchantId} and id = ${id} and holder = ${holder}`
    freed += count
  }
  return freed
}

/** All that a mail can say of its transaction, as it stands now. */
export interface ToldSale {
  readonly merchantName: string
  readonly sender: string | null
  readonly isProven: boolean
  readonly isAnswerable: boolean
  readonly language: string
  readonly messageId: string | null
  readonly status: TransactionStatus
  /** When the charge succeeded; of one that did not, when it was asked for. */
  readonly paidAt: Date
  readonly quantity: number
  readonly amountMinor: bigint
  readonly currency: Currency
  readonly failureCode: FailureCode | null
  readonly actionWants: Want | null
  readonly actionMailTo: string | null
  readonly actionExpiresAt: Date | null
  /** Null: there is none, or somebody else paid than who wrote. */
  readonly cardType: CardType | null
  readonly cardMask: string | null
  readonly offerId: OfferId
  readonly title: string
  /** Where the offer is to be charged; null: at the default gateway. */
  readonly gatewayId: GatewayId | null
  /** Of the token that it was asked for with, in hex; null: it was asked for without. */
  readonly tokenSha256: string | null
  /** It can still be bought by anybody who may. */
  readonly isForSale: boolean
}

export async function findToldSale(sql: Database, held: HeldMail, now: Date): Promise<ToldSale | null> {
  const { merchantId, letterId, transactionId } = held
  const [row] = await sql<ToldSale[]>`
    select m.name as merchant_name, l.sender, l.is_proven, l.is_answerable, l.language, l.message_id, t.status,
      coalesce(p.settled_at, t.created_at) as paid_at, t.quantity, t.amount_minor, t.currency, t.failure_code, t.action_wants, t.action_mail_to, t.action_expires_at,
      c.type as card_type, c.mask as card_mask, o.id as offer_id, o.title, o.gateway_id, encode(t.token_sha256, 'hex') as token_sha256,
      o.active and coalesce(o.expires_at > ${now}, true) and coalesce(o.stock_left > 0, true) as is_for_sale
    from letter l join merchant m on m.merchant_id = ${merchantId}
      join transaction t on t.merchant_id = ${merchantId} and t.id = ${transactionId}
      join offer o on o.merchant_id = ${merchantId} and o.id = t.offer_id
      left join operation p on p.merchant_id = ${merchantId} and p.transaction_id = t.id
        and p.kind = 'charge' and p.outcome = 'succeeded'
      left join customer u on u.merchant_id = ${merchantId} and u.id = t.customer_id and u.email = l.sender
      left join card c on c.merchant_id = ${merchantId} and c.token = t.card_token and c.customer_id = u.id
    where l.merchant_id = ${merchantId} and l.id = ${letterId}`
  return row ?? null
}
