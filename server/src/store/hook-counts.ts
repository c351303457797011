// Counts of what is owed, for the metrics.

import type { Currency } from '../core/money.ts'
import type { Database } from './database.ts'
import { notToAnyListener } from './not-listeners.ts'

export interface HookCounts {
  readonly due: number
  readonly later: number
  readonly parked: number
  readonly oldestDueAt: Date | null
  /** Paid, and owed to an endpoint, and none has taken word of it. */
  readonly untold: readonly { readonly currency: Currency; readonly amountMinor: bigint }[]
}

export async function countHooks(sql: Database, now: Date): Promise<HookCounts> {
  const [[counts], untold] = await Promise.all([
    sql<{ due: bigint; later: bigint; parked: bigint; oldestDueAt: Date | null }[]>`
      select count(*) filter (where not parked and due_at <= ${now}) as due,
        count(*) filter (where not parked and due_at > ${now}) as later, count(*) filter (where parked) as parked,
        min(due_at) filter (where not parked and due_at <= ${now}) as oldest_due_at
      from owed_delivery d where state = 'pending' and ${notToAnyListener(sql)}`,
    sql<{ currency: Currency; amountMinor: bigint }[]>`
      select t.currency, sum(t.held_minor + t.captured_minor)::bigint as amount_minor
      from (select distinct v.merchant_id, v.transaction_id from owed_delivery d
          join event v on v.merchant_id = d.merchant_id and v.id = d.event_id and v.kind = 'transaction'
        where d.state in ('pending', 'dropped') and ${notToAnyListener(sql)} and v.transaction_id is not null
          and not exists (select from whole_delivery o
              join hook_endpoint e on e.merchant_id = o.merchant_id and e.id = o.endpoint_id and e.listener_id is null
            where o.merchant_id = d.merchant_id and o.event_id = d.event_id and o.state = 'delivered')) owed
        join transaction t on t.merchant_id = owed.merchant_id and t.id = owed.transaction_id
      group by t.currency`,
  ])
  const number = (value: bigint | undefined) => Number(value ?? 0)
  return {
    due: number(counts?.due),
    later: number(counts?.later),
    parked: number(counts?.parked),
    oldestDueAt: counts?.oldestDueAt ?? null,
    untold,
  }
}
