// The demo merchant's mails, shown instead of sent.

import type { InboxMailId, MerchantId } from '../core/ids.ts'
import type { InboxMail } from '../core/inbox-mail.ts'
import type { Database } from './database.ts'
import { inboxChannel } from './inbox.ts'

const keptMax = 100

/** Only the newest are kept. One at a time, and named in that order: whoever reads on from the last one seen misses none. */
export async function insertInboxMail(
  sql: Database,
  merchantId: MerchantId,
  mail: Omit<InboxMail, 'id'>,
  newId: () => InboxMailId,
): Promise<void> {
  await sql.begin(async scope => {
    await scope`select from merchant where merchant_id = ${merchantId} for no key update`
    await scope`insert into inbox_mail ${scope({ merchantId, id: newId(), ...mail })}`
    await scope`delete from inbox_mail where merchant_id = ${merchantId} and id <= (
      select id from inbox_mail where merchant_id = ${merchantId} order by id desc offset ${keptMax} limit 1)`
    await scope`select pg_notify(${inboxChannel}, '')`
  })
}

/** Those that came after the one named, newest first. */
export async function listInboxMails(
  sql: Database,
  merchantId: MerchantId,
  after: InboxMailId | null,
): Promise<InboxMail[]> {
  return sql<InboxMail[]>`select id, at, to_address, subject, text, html, is_private from inbox_mail
    where merchant_id = ${merchantId} ${after === null ? sql`` : sql`and id > ${after}`}
    order by id desc limit ${keptMax}`
}

export async function findInboxMail(sql: Database, merchantId: MerchantId, id: InboxMailId): Promise<InboxMail | null> {
  const [row] = await sql<InboxMail[]>`select id, at, to_address, subject, text, html, is_private from inbox_mail
    where merchant_id = ${merchantId} and id = ${id}`
  return row ?? null
}
