// What a merchant's people are to be told of in one mail: hooks that were dropped, operations in doubt. Each row knows whether
// it was told of, so that none is lost between two mails, and the indexes hold just what was not. A merchant is claimed for a
// while, on the database's clock: what a dead process has claimed is free again by itself.

import type { AlertMail, DoubtAlert, DoubtfulOperation, DroppedAlert, DroppedHook } from '../core/alert.ts'
import { doubtToldAfterMs } from '../core/alert.ts'
import type { DeliveryId, MerchantId, OperationId } from '../core/ids.ts'
import { alertReaders } from './alert-choices.ts'
import type { Database, Scope } from './database.ts'
import { oweAlerts } from './owed-alerts.ts'
import { overdue } from './rows.ts'
import type { Piece } from './sql.ts'

/** Longer than it takes to write the mails. */
const claimedFor = '1 minute'
const atMostEvery = '1 hour'
/** Beyond that nobody reads the number. */
const countMax = 10_000
const namedMax = 5
const bite = 1_000

type DigestKind = (DroppedAlert | DoubtAlert)['kind']

/** `owed`: the merchants that have something to be told, as `merchant_id`. */
async function claimMerchant(
  sql: Scope,
  kind: DigestKind,
  owed: Piece,
): Promise<{ readonly merchantId: MerchantId; readonly merchantName: string } | null> {
  // While nobody at all has had the last one, what comes meanwhile waits to be told in one.
  const isFree = sql`coalesce(a.telling_until <= now(), true) and coalesce(a.told_at <= now() - ${atMostEvery}::interval, true)
    and (coalesce(a.is_reached, true)
      or not exists (select from owed_alert w where w.merchant_id = a.merchant_id and w.kind = a.kind))`
  const [row] = await sql<{ merchantId: MerchantId; merchantName: string }[]>`
    with recursive ${owed},
    due as (
      select o.merchant_id from owed o left join alert_mail a on a.merchant_id = o.merchant_id and a.kind = ${kind}
      where o.merchant_id is not null and ${isFree} limit 1),
    claimed as (
      insert into alert_mail as a (merchant_id, kind, telling_until)
      select merchant_id, ${kind}, now() + ${claimedFor}::interval from due
      on conflict (merchant_id, kind) do update set telling_until = excluded.telling_until where ${isFree}
      returning merchant_id)
    select m.merchant_id, m.name as merchant_name from claimed c join merchant m on m.merchant_id = c.merchant_id`
  return row ?? null
}

async function markMerchant(
  scope: Scope,
  alert: { readonly kind: DigestKind; readonly merchantId: MerchantId },
  mails: readonly AlertMail[],
): Promise<void> {
  const { merchantId, kind } = alert
  const mailed = mails.length === 0 ? scope`` : scope`, told_at = now(), is_reached = false`
  await scope`update alert_mail set telling_until = null ${mailed}
    where merchant_id = ${merchantId} and kind = ${kind}`
  await oweAlerts(scope, alert, mails)
}

const ownOnly = (sql: Scope, only: MerchantId | null) => (only === null ? sql`` : sql`and merchant_id = ${only}`)

/** One probe of the index for each merchant, however much it is to be told. */
function owedDrops(sql: Scope, only: MerchantId | null) {
  return sql`owed as (
      (select merchant_id from owed_delivery where drop_untold ${ownOnly(sql, only)} order by merchant_id limit 1)
      union all
      select (select merchant_id from owed_delivery where drop_untold and merchant_id > o.merchant_id ${ownOnly(sql, only)}
        order by merchant_id limit 1) from owed o where o.merchant_id is not null)`
}

/** `only`: of nobody else; null: of everybody. */
export async function claimDropped(sql: Scope, only: MerchantId | null): Promise<DroppedAlert | null> {
  const merchant = await claimMerchant(sql, 'hook_dropped', owedDrops(sql, only))
  if (merchant === null) return null
  const { merchantId } = merchant
  const rows = await sql<
    { id: DeliveryId; isDropped: boolean }[]
  >`select id, state = 'dropped' as is_dropped from owed_delivery
    where merchant_id = ${merchantId} and drop_untold order by id limit ${countMax + 1}`
  const dropped = rows.filter(({ isDropped }) => isDropped).map(({ id }) => id)
  const first = await sql<DroppedHook[]>`select d.id, v.kind, e.url, v.transaction_id from owed_delivery d
      join event v on v.merchant_id = ${merchantId} and v.id = d.event_id
      join hook_endpoint e on e.merchant_id = ${merchantId} and e.id = d.endpoint_id
    where d.merchant_id = ${merchantId} and d.id = any(${dropped.slice(0, namedMax)}::uuid[]) order by d.id`
  return {
    kind: 'hook_dropped',
    ...merchant,
    // Those that were resent in the meantime are nothing to tell.
    readers: dropped.length === 0 ? [] : await alertReaders(sql, merchantId, 'hook_dropped'),
    count: Math.min(dropped.length, countMax),
    andMore: rows.length > countMax,
    first,
    ids: rows.map(({ id }) => id),
  }
}

/** They are told of by the mails that are owed from that commit on. One whose claim ran out finds them told by another. */
export async function markDroppedTold(sql: Database, alert: DroppedAlert, mails: readonly AlertMail[]): Promise<void> {
  const { merchantId, ids, andMore } = alert
  const isNews = await sql.begin(async scope => {
    const { count } = await scope`update owed_delivery set drop_untold = false
      where merchant_id = ${merchantId} and id = any(${ids}::uuid[]) and drop_untold`
    if (count > 0) await markMerchant(scope, alert, mails)
    return count > 0
  })
  if (!isNews || !andMore) return
  // Dying in between tells of the rest once more, never not at all.
  const some = () => sql`update owed_delivery set drop_untold = false where merchant_id = ${merchantId} and id in (
    select id from owed_delivery where merchant_id = ${merchantId} and drop_untold limit ${bite})`
  while ((await some()).count === bite);
}

/** In the index's own words. */
function doubtUntold(sql: Scope) {
  return sql`((outcome = 'unknown' and doubt_told is null) or (for_person is not null and doubt_told is distinct from 'person'))`
}

function doubtToTell(sql: Scope, now: Date) {
  const since = new Date(now.getTime() - doubtToldAfterMs)
  return sql`${doubtUntold(sql)} and (for_person is not null or created_at <= ${since})`
}

/** What was sent and never written down is told like what is unknown. Found by the index of what is to be asked. */
function overdueToTell(sql: Scope, now: Date) {
  const since = new Date(now.getTime() - doubtToldAfterMs)
  return sql`${overdue(sql)} and doubt_told is null and created_at <= ${since}`
}

/** `columns` of all that is to be told, of one merchant or of everybody. */
function toTell(sql: Scope, columns: Piece, only: MerchantId | null, now: Date) {
  return sql`select ${columns} from operation where ${doubtToTell(sql, now)} ${ownOnly(sql, only)}
    union select ${columns} from operation where ${overdueToTell(sql, now)} ${ownOnly(sql, only)}`
}

export async function claimDoubt(sql: Scope, only: MerchantId | null, now: Date): Promise<DoubtAlert | null> {
  const owed = sql`owed as (${toTell(sql, sql`merchant_id`, only, now)})`
  const merchant = await claimMerchant(sql, 'in_doubt', owed)
  if (merchant === null) return null
  const { merchantId } = merchant
  const rows = await sql<{ id: OperationId; isForPerson: boolean }[]>`
    ${toTell(sql, sql`id, for_person is not null as is_for_person`, merchantId, now)} order by id limit ${countMax + 1}`
  const firstIds = rows.slice(0, namedMax).map(({ id }) => id)
  const first = await sql<DoubtfulOperation[]>`select id, kind, amount_minor, currency, created_at,
      for_person is not null as is_for_person
    from operation where merchant_id = ${merchantId} and id = any(${firstIds}::uuid[]) order by id`
  const idsOf = (isForPerson: boolean) => rows.filter(row => row.isForPerson === isForPerson).map(({ id }) => id)
  return {
    kind: 'in_doubt',
    ...merchant,
    readers: rows.length === 0 ? [] : await alertReaders(sql, merchantId, 'in_doubt'),
    count: Math.min(rows.length, countMax),
    andMore: rows.length > countMax,
    first,
    unknownIds: idsOf(false),
    personIds: idsOf(true),
  }
}

/** As what each was told of: one that is left to a person since is news again. */
export async function markDoubtTold(sql: Database, alert: DoubtAlert, mails: readonly AlertMail[]): Promise<void> {
  const { merchantId, unknownIds, personIds, andMore } = alert
  const isNews = await sql.begin(async scope => {
    const { count } = await scope`
      update operation set doubt_told = case when id = any(${personIds}::uuid[]) then 'person' else 'unknown' end
      where merchant_id = ${merchantId} and id = any(${[...unknownIds, ...personIds]}::uuid[])
        and (doubt_told is null or (doubt_told = 'unknown' and id = any(${personIds}::uuid[])))`
    if (count > 0) await markMerchant(scope, alert, mails)
    return count > 0
  })
  if (!isNews || !andMore) return
  const some = () => sql`update operation set doubt_told = case when for_person is null then 'unknown' else 'person' end
    where merchant_id = ${merchantId} and id in (
      select id from operation where merchant_id = ${merchantId} and ${doubtUntold(sql)} limit ${bite})`
  while ((await some()).count === bite);
}
