// The demo merchant's hook inbox.

import type { InboxHookId, MerchantId } from '../core/ids.ts'
import type { InboxHook } from '../core/inbox-hook.ts'
import type { Database } from './database.ts'

/** Said with every commit that puts something into the inbox. */
export const inboxChannel = 'tillbell_inbox'
const keptMax = 200
/** Each is read and written out for the answer, in the event loop that payments share. */
const listedBytesMax = 262_144

/** Only the newest are kept: an inbox is looked at, not searched. */
export async function insertInboxHooks(
  sql: Database,
  merchantId: MerchantId,
  hooks: readonly InboxHook[],
): Promise<void> {
  const all = <Value>(of: (hook: InboxHook) => Value) => hooks.map(of)
  await sql.begin(async scope => {
    await scope`insert into inbox_hook (merchant_id, id, at, path, details, signature, verified)
      select ${merchantId}, * from unnest(${all(({ id }) => id)}::uuid[], ${all(({ at }) => at)}::timestamptz[],
        ${all(({ path }) => path)}::text[], ${all(({ details }) => details)}::text[],
        ${all(({ signature }) => signature)}::text[], ${all(({ verified }) => verified)}::boolean[])`
    await scope`delete from inbox_hook where merchant_id = ${merchantId} and id <= (
      select id from inbox_hook where merchant_id = ${merchantId} order by id desc offset ${keptMax} limit 1)`
    await scope`select pg_notify(${inboxChannel}, '')`
  })
}

/** Those that came after the one named, newest first: as many as were asked for, or as go into `listedBytesMax`. */
export async function listInboxHooks(
  sql: Database,
  merchantId: MerchantId,
  after: InboxHookId | null,
  limit = keptMax,
): Promise<InboxHook[]> {
  return sql<InboxHook[]>`select id, at, path, details, signature, verified from (
      select *, sum(octet_length(details)) over (order by id desc) - octet_length(details) as bytes_before from inbox_hook
      where merchant_id = ${merchantId} ${after === null ? sql`` : sql`and id > ${after}`}
      order by id desc limit ${limit}) newest
    where bytes_before < ${listedBytesMax} order by id desc`
}

/** Every Private Key that a hook on its way may be signed with. */
export async function sealedPrivateKeys(sql: Database, merchantId: MerchantId): Promise<Buffer[]> {
  const rows = await sql<{ privateKeySealed: Buffer }[]>`select private_key_sealed from merchant_key
    where merchant_id = ${merchantId} and private_key_sealed is not null`
  return rows.map(row => row.privateKeySealed)
}
