// How often somebody failed to sign in, by keyed hashes. On the database's own clock, as sessions are.

import { forgottenAfterS, type SignInTryKind, waitS } from '../core/sign-in-tries.ts'
import type { Database, Scope } from './database.ts'
import type { Piece } from './sql.ts'
import { undoable } from './undoable.ts'

export interface SignInBucket {
  readonly kind: SignInTryKind
  readonly who: Buffer
}

interface Counted {
  readonly who: Buffer
  readonly failures: number
  readonly sinceS: number
}

/**
 * Counts a failure in each before it is known whether it is one, so that many at once are not taken for none. Returns how long
 * to wait, where one of them says to: then none counts, and nothing is written, or strangers would fill the table with
 * addresses while they wait. Rows are locked in one order by all.
 */
export async function takeSignInTry(sql: Database, buckets: readonly SignInBucket[]): Promise<number> {
  const waitsS = await longestWaitS(sql, buckets, sql``)
  if (waitsS > 0) return waitsS
  const all = buckets.map(({ who }) => who).toSorted(Buffer.compare)
  return undoable(sql, async (scope, undo) => {
    for (const who of all) {
      await scope`insert into sign_in_try (who, failures) values (${who}, 0) on conflict (who) do nothing`
    }
    const nowWaitsS = await longestWaitS(scope, buckets, scope`order by who for update`)
    if (nowWaitsS > 0) undo(nowWaitsS)
    await scope`update sign_in_try set at = clock_timestamp(),
        failures = 1 + case when at < now() - make_interval(secs => ${forgottenAfterS}) then 0 else failures end
      where who = any(${all})`
    return 0
  })
}

async function longestWaitS(scope: Scope, buckets: readonly SignInBucket[], locked: Piece): Promise<number> {
  const counted = await scope<Counted[]>`
    select who, failures, greatest(0, extract(epoch from clock_timestamp() - at))::float8 as since_s
    from sign_in_try where who = any(${buckets.map(({ who }) => who)}) ${locked}`
  const waits = counted.map(({ who, failures, sinceS }) => {
    const kind = buckets.find(bucket => bucket.who.equals(who))?.kind
    return kind === undefined ? 0 : waitS(kind, failures, sinceS)
  })
  return Math.max(0, ...waits)
}

/** It was none: one less. */
export async function giveSignInTryBack(scope: Scope, buckets: readonly SignInBucket[]): Promise<void> {
  const all = buckets.map(({ who }) => who)
  await scope`update sign_in_try set failures = greatest(0, failures - 1) where who = any(${all})`
}

export async function forgetSignInTries(scope: Scope, buckets: readonly SignInBucket[]): Promise<void> {
  await scope`delete from sign_in_try where who = any(${buckets.map(({ who }) => who)})`
}
