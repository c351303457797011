// How many tries somebody has left: buckets that fill by themselves, on the service's clock as the database has it, which all
// processes share. Where the sandbox moves it, who has tried too often need not wait.

import type { MerchantId } from '../core/ids.ts'
import type { Limit } from '../core/tries.ts'
import type { Database, Scope } from './database.ts'
import { serviceTime } from './settings.ts'

/** A bucket; `who` is a keyed hash. */
interface Bucket {
  readonly merchantId: MerchantId
  readonly who: Buffer
}

/** Who waits for another's commit has an earlier time than the row by then: no time has passed. */
function filled(sql: Scope, { atOnce, perHour }: Limit) {
  return sql`least(${atOnce}::float8,
    tries.left_over + greatest(0, extract(epoch from ${serviceTime(sql)} - tries.at)::float8) * ${perHour}::float8 / 3600)`
}

/**
 * One statement, so that of two who want the last one, one gets it. Being refused writes nothing: a flood of tries leaves
 * the row as it is. Null: taken; else what there is, which is less than one.
 */
export async function takeTry(sql: Database, { merchantId, who }: Bucket, limit: Limit): Promise<number | null> {
  const full = filled(sql, limit)
  const [row] = await sql<{ taken: boolean; had: number | null }[]>`
    with taken as (
      insert into tries (merchant_id, who, left_over, at) values (${merchantId}, ${who}, ${limit.atOnce}::float8 - 1, ${serviceTime(sql)})
      on conflict (merchant_id, who) do update set left_over = ${full} - 1, at = greatest(tries.at, excluded.at)
        where ${full} >= 1
      returning 1)
    select exists (select from taken) as taken,
      (select ${full} from tries where merchant_id = ${merchantId} and who = ${who}) as had`
  if (row?.taken === true) return null
  // What was seen is from before the wait for another who got the last one.
  const had = row?.had ?? 0
  return had < 1 ? had : 0
}

/** How many there are now, in parts of one. */
export async function triesLeft(sql: Database, { merchantId, who }: Bucket, limit: Limit): Promise<number> {
  const [row] = await sql<{ has: number }[]>`
    select ${filled(sql, limit)} as has from tries where merchant_id = ${merchantId} and who = ${who}`
  return row?.has ?? limit.atOnce
}

/** Never more than there can be: the next who takes one counts no more than that. */
export async function giveTryBack(sql: Database, { merchantId, who }: Bucket): Promise<void> {
  await sql`update tries set left_over = left_over + 1 where merchant_id = ${merchantId} and who = ${who}`
}

/** After so long they are full again, and so as good as never seen. */
export const triesMs = 3_600_000

export function forgetTries(sql: Scope, before: Date, limit: number) {
  return sql`delete from tries where (merchant_id, who) in (
    select merchant_id, who from tries where at < ${before} limit ${limit} for update skip locked)`
}
