// What goes of letters when their sender is erased. That the mail was here stays, as hashes and the transaction that came of it.

import type { MerchantId } from '../core/ids.ts'
import type { Scope } from './database.ts'

const cause = 'The customer was erased.'

/**
 * How many there were. What still waits comes to nothing: nobody is left who asks to pay. One that is being paid in this very
 * moment is passed over, since whoever pays it may wait for what is locked here; the sweep finds it by its transaction.
 */
export async function forgetLettersFrom(
  scope: Scope,
  merchantId: MerchantId,
  email: string,
  now: Date,
): Promise<number> {
  const emptied = await scope<{ id: string }[]>`
    update letter set sender = null, is_answerable = false, message_id = null, verdict = null, raw_sealed = null,
      state = 'done', holder = null, lease_no = lease_no + 1
    where merchant_id = ${merchantId} and id in (
      select id from letter where merchant_id = ${merchantId} and sender = ${email} for update skip locked)
    returning id`
  await scope`update outgoing_mail set state = 'skipped', due_at = null, settled_at = ${now}, holder = null, cause = ${cause}
    where merchant_id = ${merchantId} and letter_id = any(${emptied.map(({ id }) => id)}::uuid[]) and state = 'waiting'`
  return emptied.length
}

/** Of the transactions of customers `u` that `which` says. */
export function letterSweeps(sql: Scope, which: ReturnType<Scope>, limit: number | null) {
  const sales = sql`customer u join transaction t on t.merchant_id = u.merchant_id and t.customer_id = u.id`
  return [
    sql`update letter set sender = null, is_answerable = false, message_id = null, verdict = null, raw_sealed = null
      where (merchant_id, id) in (
        select l.merchant_id, l.id from ${sales} join letter l on l.merchant_id = t.merchant_id and l.transaction_id = t.id
        where ${which} and (l.sender is not null or l.verdict is not null or l.raw_sealed is not null)
        limit ${limit} for update of l skip locked)`,
    sql`update outgoing_mail set state = 'skipped', due_at = null, settled_at = created_at, holder = null, cause = ${cause}
      where (merchant_id, id) in (
        select m.merchant_id, m.id from ${sales} join outgoing_mail m on m.merchant_id = t.merchant_id and m.transaction_id = t.id
        where ${which} and m.state = 'waiting' limit ${limit} for update of m skip locked)`,
    // A relay that refuses a mail may say to whom it was.
    sql`update outgoing_mail set cause = null where (merchant_id, id) in (
      select m.merchant_id, m.id from ${sales} join outgoing_mail m on m.merchant_id = t.merchant_id and m.transaction_id = t.id
      where ${which} and m.state <> 'waiting' and m.cause <> ${cause} limit ${limit} for update of m skip locked)`,
  ]
}
