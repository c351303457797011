// The facts of payments by mail that the audit judges.

import type { MailedTransaction, WaitingLetter } from '../core/audit/letters.ts'
import type { MerchantId } from '../core/ids.ts'
import type { PageOf } from './audit-pages.ts'
import type { Scope } from './database.ts'
import { serviceTime } from './settings.ts'

const readMax = 10_000
/** Letters are forgotten after 90 days, counted from when they came: which is before they are paid, by how much ever. */
const rememberedDays = 80

/** Those by mail, those that a letter names, and those that use a token. */
export async function readMailed(page: PageOf): Promise<(MailedTransaction & { readonly id: string })[]> {
  const { scope, merchantId, after, limit } = page
  const now = serviceTime(scope)
  const ofT = (table: string) =>
    scope`${scope(table)} x where x.merchant_id = ${merchantId} and x.transaction_id = t.id`
  return scope<(MailedTransaction & { readonly id: string })[]>`
    with t as (select * from transaction t where merchant_id = ${merchantId} and id > ${after}
        and (source = 'Email Transaction' or token_sha256 is not null or exists (select from ${ofT('letter')})
          or exists (select from ${ofT('token_use')}))
      order by id limit ${limit})
    select t.id, t.source = 'Email Transaction' as is_by_mail, t.status, t.action_wants as wants,
      case when t.action_wants is not null and t.action_expires_at < ${now}
        then extract(epoch from ${now} - t.action_expires_at)::float8 * 1000 end as overdue_ms,
      exists (select from ${ofT('operation')}) as has_operation,
      t.token_sha256 is not null as has_token,
      exists (select from ${ofT('token_use')} and x.box_sha256 = t.token_sha256) as uses_token,
      (select count(*)::int from ${ofT('token_use')}) as tokens_used,
      exists (select from ${ofT('operation')} and x.kind = 'charge' and x.for_person is not null) as is_listed,
      (select coalesce(json_agg(json_build_object('version', x.version, 'from', x.from_status, 'to', x.to_status) order by x.version), '[]')
        from ${ofT('transaction_change')}) as changes,
      exists (select from ${ofT('transaction_change')} and x.from_status = 'Failed') as was_accepted,
      coalesce(t.failure_code = 'action_expired' and t.card_token is null, false) as was_unwanted,
      (select count(*)::int from ${ofT('letter')}) as letters,
      exists (select from ${ofT('letter')} and x.is_proven) as is_proven,
      exists (select from ${ofT('letter')} and coalesce(x.has_consent, true)) as has_consent,
      not exists (select from ${ofT('letter')} and x.offer_id <> t.offer_id) as is_of_offer,
      t.created_at > ${now} - ${rememberedDays} * interval '1 day' as is_remembered,
      ${isAnswered(scope, merchantId)} as is_answered,
      array(select x.kind from ${ofT('outgoing_mail')} and exists (select from letter l
        where l.merchant_id = ${merchantId} and l.id = x.letter_id and l.transaction_id = t.id) order by x.id) as mails
    from t order by t.id`
}

/**
 * Null where it cannot be told: a merchant who has settings may have turned mails off for a time, letters may differ, and an
 * erased customer is not answered any more.
 */
function isAnswered(scope: Scope, merchantId: MerchantId) {
  return scope`case when not exists (select from mail_settings s where s.merchant_id = ${merchantId}) then (
    select case when bool_and(l.verdict is not null and l.is_answerable) then true
      when bool_and(l.verdict is not null and not l.is_answerable) then false end
    from letter l where l.merchant_id = ${merchantId} and l.transaction_id = t.id) end`
}

export async function readWaitingLetters(
  scope: Scope,
  merchantId: MerchantId,
): Promise<(WaitingLetter & { readonly id: string })[]> {
  return scope<(WaitingLetter & { readonly id: string })[]>`
    select l.id, extract(epoch from ${serviceTime(scope)} - l.received_at)::float8 * 1000 as waits_for_ms,
      case when l.holder is not null then exists (select from worker w where w.id = l.holder) end as holder_lives
    from letter l where l.merchant_id = ${merchantId} and l.state = 'waiting' order by l.id limit ${readMax}`
}

/** For one customer, or for one card, and paid with more than once. */
export async function readOverusedTokens(
  scope: Scope,
  merchantId: MerchantId,
): Promise<{ readonly name: string; readonly transactions: readonly string[] }[]> {
  return scope<{ name: string; transactions: string[] }[]>`
    select encode(t.token_sha256, 'hex') as name, array_agg(t.id::text order by t.id) as transactions
    from transaction t join token k on k.merchant_id = t.merchant_id and k.box_sha256 = t.token_sha256
    where t.merchant_id = ${merchantId} and t.status not in ('Failed', 'Voided')
      and t.action_wants is null and k.is_personal
      and not exists (select from transaction_change c where c.merchant_id = t.merchant_id and c.transaction_id = t.id
        and c.from_status = 'Failed')
    group by t.token_sha256 having count(*) > 1 limit ${readMax}`
}
