// Merchants who are to be told that an endpoint of theirs was paused. One is claimed for a while, on the database's clock:
// what a dead process has claimed is free again by itself.

import type { AlertMail, PauseAlert } from '../core/alert.ts'
import type { MerchantId } from '../core/ids.ts'
import type { PausedEndpoint } from '../core/paused-endpoint.ts'
import { alertReaders } from './alert-choices.ts'
import type { Database } from './database.ts'
import { oweAlerts } from './owed-alerts.ts'

/** Longer than it takes to write the mails. */
const claimedFor = '1 minute'

/** `only`: of nobody else; null: of everybody. */
export async function claimPause(sql: Database, only: MerchantId | null): Promise<PauseAlert | null> {
  const [row] = await sql<(PausedEndpoint & { merchantName: string })[]>`
    with e as (
      update hook_endpoint set pause_telling_until = now() + ${claimedFor}::interval
      where (merchant_id, id) in (
        select merchant_id, id from hook_endpoint
        where paused_because = 'failing' and pause_announced_at is null and deleted_at is null
          -- Null once the merchant has given it another URL: then they know.
          and failing_since is not null and coalesce(pause_telling_until <= now(), true)
          ${only === null ? sql`` : sql`and merchant_id = ${only}`}
        limit 1 for no key update skip locked)
      returning *
    )
    select e.merchant_id, e.id, e.kind, e.url, m.name as merchant_name, e.failing_since,
      (select count(*)::int from owed_delivery d where d.merchant_id = e.merchant_id and d.endpoint_id = e.id and d.parked)
      -- Those that were not set aside yet.
      + (select count(*)::int from owed_delivery d where d.merchant_id = e.merchant_id and d.endpoint_id = e.id
        and d.due_at is not null and d.holder is null and not d.parked) as waiting
    from e join merchant m on m.merchant_id = e.merchant_id`
  if (row === undefined) return null
  const { merchantName, ...endpoint } = row
  const { merchantId } = endpoint
  return {
    kind: 'endpoint_paused',
    merchantId,
    merchantName,
    readers: await alertReaders(sql, merchantId, 'endpoint_paused'),
    endpoint,
  }
}

/** It is told by the mails that are owed from that commit on. */
export async function markPauseTold(
  sql: Database,
  alert: PauseAlert,
  mails: readonly AlertMail[],
  now: Date,
): Promise<void> {
  const { merchantId, endpoint } = alert
  await sql.begin(async scope => {
    const { count } = await scope`update hook_endpoint set pause_announced_at = ${now}
      where merchant_id = ${merchantId} and id = ${endpoint.id} and paused_because = 'failing'
        and pause_announced_at is null`
    // Whoever has resumed it meanwhile knows. One whose claim ran out finds it told by another.
    if (count > 0) await oweAlerts(scope, alert, mails)
  })
}
