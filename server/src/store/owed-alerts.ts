// Alerts as they were written for each of a merchant's people, until the relay takes them or never will. One whose mailbox
// takes nothing waits by oneself: the others have had theirs.

import type { Alert, AlertMail, OwedAlert } from '../core/alert.ts'
import type { MerchantId } from '../core/ids.ts'
import type { Database, Scope } from './database.ts'

/** In the commit that makes what they tell of told. */
export async function oweAlerts(
  scope: Scope,
  { merchantId, kind }: Pick<Alert, 'merchantId' | 'kind'>,
  mails: readonly AlertMail[],
): Promise<void> {
  for (const { id, email, subject, text, html } of mails) {
    // Whoever left the team meanwhile is told nothing.
    await scope`insert into owed_alert (merchant_id, id, kind, email, subject, text, html)
      select ${merchantId}, ${id}, ${kind}, email, ${subject}, ${text}, ${html} from login
      where merchant_id = ${merchantId} and email = ${email} for key share`
  }
}

/**
 * One that is due. It is due again later and later, by the database's clock: longer than a mail may take, and no lock is held
 * meanwhile. What a dead process had in hand goes out again by itself, under the same Message-ID.
 */
export async function claimOwedAlert(sql: Database, only: MerchantId | null): Promise<OwedAlert | null> {
  const [owed] = await sql<OwedAlert[]>`
    with chosen as materialized (
      select merchant_id, id from owed_alert where due_at <= now() ${only === null ? sql`` : sql`and merchant_id = ${only}`}
      order by due_at limit 1 for update skip locked)
    update owed_alert o set tries = o.tries + 1,
      due_at = now() + least(interval '1 minute' * power(2, o.tries), interval '1 hour')
    from chosen c where o.merchant_id = c.merchant_id and o.id = c.id
    returning o.merchant_id, o.id, o.kind, o.email, o.subject, o.text, o.html, o.tries`
  return owed ?? null
}

/** The try that it was claimed for is not counted, unless somebody has it again. */
export async function keepOwedAlert(
  sql: Database,
  { merchantId, id, tries }: OwedAlert,
  waitMs: number,
): Promise<void> {
  await sql`update owed_alert set tries = tries - 1, due_at = now() + ${waitMs} * interval '1 millisecond'
    where merchant_id = ${merchantId} and id = ${id} and tries = ${tries}`
}

/** It was taken, or never will be. The next digest of its kind need not wait for the rest of this one. */
export async function endOwedAlert(sql: Database, { merchantId, id, kind }: OwedAlert): Promise<void> {
  await sql.begin(async scope => {
    await scope`delete from owed_alert where merchant_id = ${merchantId} and id = ${id}`
    await scope`update alert_mail set is_reached = true
      where merchant_id = ${merchantId} and kind = ${kind} and not is_reached`
  })
}
