// What a merchant is to know at once: how its hooks do, what was paid and not told, and what needs a person. Each begins in
// an index of just that, and stops counting where a larger number would change nothing.

import type { Attention, FirstSteps, HookHealth, PausedNow, Untold, UntoldCause, UntoldSale } from '../core/home.ts'
import { listenerUrl } from '../core/hook-listener.ts'
import type { MerchantId } from '../core/ids.ts'
import type { Currency } from '../core/money.ts'
import { attemptOffsetsMs } from '../core/retry-schedule.ts'
import type { Database } from './database.ts'
import { droppedSince, waitsForPerson } from './hook-deliveries.ts'
import { idAt } from './id-at.ts'
import { notToListener } from './not-listeners.ts'
import { overdue } from './rows.ts'
import { countMax, owedEvents, untoldSales } from './sales-in-need.ts'

const dayMs = 86_400_000

/**
 * A resend of what is older than the whole schedule is not in it: there is no index of attempts by their time alone. Listeners
 * are not in it either; an attempt has the URL that it went to, which spares the look at its endpoint.
 */
export async function hookHealth(sql: Database, merchantId: MerchantId, now: Date): Promise<HookHealth> {
  const since = new Date(now.getTime() - dayMs)
  const oldest = new Date(since.getTime() - (attemptOffsetsMs.at(-1) ?? 0))
  const [[attempts], [waiting], [oldestWaiting], [endpoints]] = await Promise.all([
    sql<{ delivered: number; failed: number }[]>`
      select count(*) filter (where reason is null and status between 200 and 299)::int as delivered,
        count(*) filter (where reason is not null or status is null or status not between 200 and 299)::int as failed
      from attempt where merchant_id = ${merchantId} and delivery_id > ${idAt(oldest, -1)} and at > ${since}
        and not starts_with(url, ${listenerUrl('')})`,
    sql<{ count: number }[]>`select count(*)::int from (
      select from owed_delivery d where merchant_id = ${merchantId} and state = 'pending' and ${notToListener(sql, merchantId)}
      limit ${countMax}) counted`,
    sql<{ createdAt: Date }[]>`select created_at from owed_delivery d
      where merchant_id = ${merchantId} and state = 'pending' and ${notToListener(sql, merchantId)} order by id limit 1`,
    sql<{ enabled: number; paused: number }[]>`
      select count(*) filter (where status = 'enabled')::int as enabled, count(*) filter (where status = 'paused')::int as paused
      from hook_endpoint where merchant_id = ${merchantId} and deleted_at is null and listener_id is null`,
  ])
  return {
    delivered: attempts?.delivered ?? 0,
    failed: attempts?.failed ?? 0,
    waiting: waiting?.count ?? 0,
    oldestWaitingAt: oldestWaiting?.createdAt ?? null,
    endpointsEnabled: endpoints?.enabled ?? 0,
    endpointsPaused: endpoints?.paused ?? 0,
  }
}

const firstFew = 5

export async function findUntold(sql: Database, merchantId: MerchantId): Promise<Untold> {
  const rows = await sql<(UntoldSale & { looked: number; cause: UntoldCause })[]>`
    with owed as (${owedEvents(sql, merchantId)}), sold as (${untoldSales(sql, merchantId, sql`owed`)})
    select t.id, t.created_at, t.currency, t.held_minor + t.captured_minor as amount_minor,
      (select count(*)::int from owed) as looked,
      (select case when bool_or(o.parked) then 'paused' when bool_or(o.state = 'dropped') then 'dropped'
          when bool_or(o.attempts > 0) then 'failing' else 'waiting' end
        from owed o join event v on v.merchant_id = ${merchantId} and v.id = o.event_id
        where v.kind = 'transaction' and v.transaction_id in (select transaction_id from sold)) as cause
    from sold s join transaction t on t.merchant_id = ${merchantId} and t.id = s.transaction_id order by t.id`
  const byCurrency = Map.groupBy(rows, ({ currency }) => currency)
  return {
    count: rows.length,
    amounts: [...byCurrency].map(([currency, all]) => ({ currency, amountMinor: sumOf(all) })),
    first: rows.slice(0, firstFew).map(({ looked: _, cause: __, ...sale }) => sale),
    cause: rows[0]?.cause ?? 'waiting',
    andMore: rows[0]?.looked === countMax,
  }
}

function sumOf(sales: readonly { readonly currency: Currency; readonly amountMinor: bigint }[]): bigint {
  return sales.reduce((sum, { amountMinor }) => sum + amountMinor, 0n)
}

export async function findAttention(sql: Database, merchantId: MerchantId, now: Date): Promise<Attention> {
  const since = droppedSince(now)
  const [[doubt], paused, [dropped], [disputes]] = await Promise.all([
    sql<{ count: number; oldestAt: Date | null; forPerson: number }[]>`
      select count(*)::int, min(created_at) as oldest_at, count(for_person)::int as for_person from (
        select id, created_at, for_person from operation where merchant_id = ${merchantId} and outcome = 'unknown'
        union select id, created_at, for_person from operation
          where merchant_id = ${merchantId} and ${overdue(sql)}
        union select id, created_at, for_person from operation where merchant_id = ${merchantId} and for_person is not null) open`,
    sql<PausedNow[]>`select id, kind, url, paused_because, failing_since from hook_endpoint
      where merchant_id = ${merchantId} and status = 'paused' and deleted_at is null order by id`,
    sql<{ count: number }[]>`select count(*)::int from (
      select from owed_delivery d where d.merchant_id = ${merchantId} and ${waitsForPerson(sql, since)} and exists (select from hook_endpoint e
          where e.merchant_id = ${merchantId} and e.id = d.endpoint_id and e.deleted_at is null and e.listener_id is null)
      limit ${countMax}) counted`,
    sql<{ count: number }[]>`select count(*)::int from dispute where merchant_id = ${merchantId} and status = 'open'`,
  ])
  return {
    inDoubt: doubt ?? { count: 0, oldestAt: null, forPerson: 0 },
    paused,
    dropped: { count: dropped?.count ?? 0, since },
    disputesOpen: disputes?.count ?? 0,
  }
}

export async function findFirstSteps(sql: Database, merchantId: MerchantId): Promise<FirstSteps> {
  const [row] = await sql<FirstSteps[]>`select
    exists (select from gateway where merchant_id = ${merchantId} and status = 'active') as gateway,
    exists (select from offer where merchant_id = ${merchantId} and active) as offer,
    exists (select from hook_endpoint where merchant_id = ${merchantId} and deleted_at is null and listener_id is null
      and kind in ('transaction', 'generic')) as endpoint,
    exists (select from transaction where merchant_id = ${merchantId}
      and status in ('Successful', 'Authorized', 'Partially Refunded', 'Refunded')) as payment`
  if (row === undefined) throw new Error('a question without a table has no answer')
  return row
}
