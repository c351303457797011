// How much was paid over time, read from the transactions themselves: what was refunded or accepted late is in it at once.
//
// Measured with a million transactions of one merchant in thirty days, it takes about a second: a rollup would make it a
// few milliseconds, but each charge would have to write to the row of its hour, all charges of a merchant one after the
// other. A page that is looked at may wait and be kept for a while (join-console-home.ts); a charge may not.

import { type HomeRange, homeRanges, type SalesByTime, type SalesCell } from '../core/home.ts'
import type { MerchantId } from '../core/ids.ts'
import type { Database } from './database.ts'
import { idAt } from './id-at.ts'

/** PostgreSQL's word for a time zone that it does not know. */
const notKnownCode = '22023'

export async function salesByTime(
  sql: Database,
  merchantId: MerchantId,
  asked: { readonly range: HomeRange; readonly timeZone: string; readonly now: Date },
): Promise<SalesByTime | 'no such zone'> {
  const starts = await bucketStarts(sql, asked)
  if (starts === 'no such zone') return starts
  const [first, from] = [starts[0] as Date, starts[starts.length / 2] as Date]
  // The range before is compared as far as this one has come.
  const beforeTo = new Date(asked.now.getTime() - (from.getTime() - first.getTime()))
  const cells = await sql.begin(async scope => {
    // Planned anew each time: a day is a few rows of an index, and ninety are all that there are.
    const [, rows] = await Promise.all([
      scope.unsafe('set local plan_cache_mode = force_custom_plan'),
      scope<(Omit<SalesCell, 'bucket'> & { bucket: number })[]>`
        with quarter as (
          -- Every zone is whole quarters of an hour away from every other, and so few groups are quickly sorted into buckets.
          select floor(date_part('epoch', created_at) / 900)::int as number, currency,
            count(*) filter (where captured_minor > 0) as paid_count, sum(captured_minor) as paid_minor,
            sum(refunded_minor) as refunded_minor, count(*) filter (where status = 'Failed') as failed_count
          from transaction
          where merchant_id = ${merchantId} and id > ${idAt(first, -1)} and created_at >= ${first}
            and created_at <= ${asked.now} and (created_at < ${beforeTo} or created_at >= ${from})
          group by 1, 2)
        select width_bucket(to_timestamp(number * 900.0), ${starts}::timestamptz[]) - 1 as bucket, currency,
          sum(paid_count)::int as paid_count, sum(paid_minor)::bigint as paid_minor,
          sum(refunded_minor)::bigint as refunded_minor, sum(failed_count)::int as failed_count
        from quarter group by 1, 2`,
    ])
    return rows
  })
  return { starts, cells }
}

/** Of the range and of the one before it: hours or days as they begin in the viewer's zone. */
async function bucketStarts(
  sql: Database,
  { range, timeZone, now }: { readonly range: HomeRange; readonly timeZone: string; readonly now: Date },
): Promise<Date[] | 'no such zone'> {
  const days = homeRanges[range]
  const listed =
    range === '24h'
      ? sql<{ at: Date }[]>`select at from generate_series(date_trunc('hour', ${now}::timestamptz, ${timeZone})
          - interval '47 hours', ${now}::timestamptz, interval '1 hour') at`
      : sql<{ at: Date }[]>`select day at time zone ${timeZone} as at from generate_series(
          date_trunc('day', ${now}::timestamptz at time zone ${timeZone}) - ${2 * days - 1} * interval '1 day',
          ${now}::timestamptz at time zone ${timeZone}, interval '1 day') day`
  const rows = await listed.start().catch(error => {
    if (error.code === notKnownCode) return null
    throw error
  })
  return rows === null ? 'no such zone' : rows.map(({ at }) => at)
}
