// What a letter adds to the commits of its sale: it is done with them, its customer's limits hold in them, its token is used
// by them, and its customer is owed an answer.

import { wantedForMs } from '../core/go-on.ts'
import type { LetterId } from '../core/ids.ts'
import type { HeldLetter, MailKind } from '../core/letter.ts'
import { limitsForMs, type MailLimits } from '../core/mail-limits.ts'
import type { ForLetter, OnlyIfUnpaid, TokenUse } from '../core/ports.ts'
import type { Sale } from '../core/sale.ts'
import type { Transaction } from '../core/transaction.ts'
import { newestPayment } from './checkouts.ts'
import type { Scope } from './database.ts'
import type { Refused } from './one-commit.ts'
import { mailsChannel } from './outgoing-mails.ts'
import { serviceTime } from './settings.ts'
import type { Statement } from './sql.ts'
import { insertTokenUse } from './token-uses.ts'

/** A statement of a commit, and what its count says against that commit. It runs when it is awaited, in its turn. */
export interface Counted {
  readonly statement: Statement<object[]>
  readonly isRight: (count: number) => boolean
  readonly otherwise: Refused
}

export function refusedBy(counted: readonly Counted[], results: readonly ({ count: number } | null)[]): Refused | null {
  const wrong = counted.find(({ isRight }, index) => !isRight(results[index]?.count ?? 0))
  return wrong?.otherwise ?? null
}

/** After the transaction is written. */
export function byLetter(scope: Scope, { transaction }: Sale, { held, uses, limits, doneCopy }: ForLetter): Counted[] {
  return [
    ...noOtherCopy(scope, held, doneCopy),
    doneLetter(scope, held, transaction),
    ...(limits === null ? [] : withinLimits(scope, transaction, limits)),
    ...uses.map(use => takeToken(scope, transaction, use)),
  ]
}

/** Other copies of the mail of the letter `own`: those with a signature that it lacks, or without one. */
export function copiesOf(scope: Scope, { merchantId, id }: Pick<HeldLetter, 'merchantId' | 'id'>) {
  return scope`letter own join letter l on l.merchant_id = own.merchant_id and l.sender = own.sender
      and l.message_id = own.message_id and l.is_proven <> own.is_proven and l.offer_id = own.offer_id
      and l.token_sha256 is not distinct from own.token_sha256 and l.verifies is null
    where own.merchant_id = ${merchantId} and own.id = ${id}`
}

/** All copies are locked first, so that of two at the same time the second sees what the first came to. */
export function noOtherCopy(scope: Scope, own: HeldLetter, known: LetterId | null): Counted[] {
  const locked = scope`select from letter where merchant_id = ${own.merchantId}
    and (id = ${own.id} or id in (select l.id from ${copiesOf(scope, own)})) order by id for no key update`
  const done = scope`select from ${copiesOf(scope, own)} and l.state = 'done' and l.id is distinct from ${known}::uuid`
  return [
    { statement: locked, isRight: count => count > 0, otherwise: 'letter_lost' },
    { statement: done, isRight: count => count === 0, otherwise: 'copy_done' },
  ]
}

export function doneLetter(scope: Scope, { merchantId, id, holder, leaseNo }: HeldLetter, { id: sale }: Transaction) {
  return {
    statement: scope`update letter set state = 'done', transaction_id = ${sale}, holder = null
      where merchant_id = ${merchantId} and id = ${id} and holder = ${holder} and lease_no = ${leaseNo} and state = 'waiting'`,
    isRight: (count: number) => count === 1,
    otherwise: 'letter_lost' as const,
  }
}

/**
 * The customer is locked first, so that of two letters at once the second counts the first. What was paid, or may still be,
 * within the last day counts; what waits for its customer does not.
 */
function withinLimits(scope: Scope, transaction: Transaction, limits: MailLimits): Counted[] {
  const { merchantId, customerId, id, currency, amountMinor } = transaction
  const { amountMaxMinor, dayAmountMaxMinor, dayPaymentsMax } = limits
  const locked = scope`select from customer where merchant_id = ${merchantId} and id = ${customerId} for no key update`
  const over = scope`select from (${spentSince(scope, { merchantId, customerId, currency, except: id })}) spent
    where ${amountMinor}::bigint > coalesce(${amountMaxMinor}::bigint, ${amountMinor}::bigint)
      or spent.amount_minor + ${amountMinor}::bigint > coalesce(${dayAmountMaxMinor}::bigint, spent.amount_minor + ${amountMinor}::bigint)
      or spent.payments >= coalesce(${dayPaymentsMax}::int, spent.payments + 1)`
  return [
    { statement: locked, isRight: count => count === 1, otherwise: 'letter_lost' },
    { statement: over, isRight: count => count === 0, otherwise: 'over_limit' },
  ]
}

/** What a customer has paid by mail within the last day of the service's clock: what waited for them counts when it went on. */
export function spentSince(
  scope: Scope,
  of: Pick<Transaction, 'merchantId' | 'customerId' | 'currency'> & { readonly except: string | null },
) {
  const day = scope`(${serviceTime(scope)} - ${limitsForMs} * interval '1 millisecond')`
  return scope`select coalesce(sum(amount_minor) filter (where currency = ${of.currency}), 0)::bigint as amount_minor,
      count(*)::int as payments
    from transaction t where merchant_id = ${of.merchantId} and customer_id = ${of.customerId}
      and source = 'Email Transaction' and status not in ('Failed', 'Voided') and action_wants is null
      and id is distinct from ${of.except}::uuid
      and created_at > ${day} - ${wantedForMs} * interval '1 millisecond'
      and (status = 'Processing' or greatest(created_at, (select max(p.created_at) from operation p
        where p.merchant_id = t.merchant_id and p.transaction_id = t.id and p.kind = 'charge')) > ${day})`
}

/** Once, or once for each customer where it is not personal; and not at all when it was revoked. */
export function takeToken(scope: Scope, transaction: Transaction, use: TokenUse): Counted {
  return {
    statement: insertTokenUse(scope, transaction, use),
    isRight: count => count === 1,
    otherwise: 'token_used',
  }
}

/** The offer is locked, so that of two payments at once the second sees the first. */
export function unpaid(scope: Scope, transaction: Transaction, onlyIf: OnlyIfUnpaid | null): Counted[] {
  if (onlyIf === null) return []
  const { merchantId, offerId, id } = transaction
  const locked = scope`select from offer where merchant_id = ${merchantId} and id = ${offerId} for no key update`
  const paid = newestPayment(scope, merchantId, offerId, { kind: 'any', ...onlyIf, except: id })
  return [
    { statement: locked, isRight: count => count === 1, otherwise: 'paid_meanwhile' },
    { statement: paid, isRight: count => count === 0, otherwise: 'paid_meanwhile' },
  ]
}

/** To who wrote the newest letter of it, where that may be answered, and the merchant has not turned it off. */
export function oweMail(scope: Scope, transaction: Transaction, kind: MailKind) {
  return oweMailFor(scope, transaction, kind, scope`l.transaction_id = ${transaction.id}`)
}

/** As the answer to a letter that came to no transaction of its own. */
export function oweAnswer(scope: Scope, transaction: Transaction, kind: MailKind, { id }: HeldLetter) {
  return oweMailFor(scope, transaction, kind, scope`l.id = ${id}`)
}

function oweMailFor(scope: Scope, { merchantId, id }: Transaction, kind: MailKind, which: ReturnType<Scope>) {
  const column = { receipt: 'receipts', further_action: 'further_actions', error: 'errors' }[kind]
  const now = serviceTime(scope)
  return scope`with owed as (
      insert into outgoing_mail (merchant_id, id, letter_id, transaction_id, kind, created_at, state, due_at)
      select l.merchant_id, id_of_the_moment_of(l.id), l.id, ${id}, ${kind}, ${now}, 'waiting', ${now}
      from letter l left join mail_settings s on s.merchant_id = l.merchant_id
      where l.merchant_id = ${merchantId} and ${which} and l.is_answerable
        and coalesce(s.${scope([column])}, true)
      order by l.id desc limit 1 returning id)
    select pg_notify(${mailsChannel}, '') from owed`
}
