// How often somebody failed to sign in, by keyed hashes. On the database's own clock, as sessions are.

import { forgottenAfterS, type SignInTryKind, waitS } from '../core/sign-in-tries.ts'
import type { Database, Scope } from './database.ts'

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
 * to wait, where one of them says to: then none counts. Rows are locked in one order by all.
 */
export async function takeSignInTry(sql: Database, buckets: readonly SignInBucket[]): Promise<number> {
  const ordered = buckets.toSorted((one, other) => Buffer.compare(one.who, other.who))
  const all = ordered.map(({ who }) => who)
  return sql.begin(async scope => {
    for (const who of all) {
      await scope`insert into sign_in_try (who, failures) values (${who}, 0) on conflict (who) do nothing`
    }
    const counted = await scope<Counted[]>`
      select who, failures, greatest(0, extract(epoch from clock_timestamp() - at))::float8 as since_s
      from sign_in_try where who = any(${all}) order by who for update`
    const waits = counted.map(({ who, failures, sinceS }) => {
      const kind = ordered.find(bucket => bucket.who.equals(who))?.kind
      return kind === undefined ? 0 : waitS(kind, failures, sinceS)
    })
    const longestS = Math.max(0, ...waits)
    if (longestS > 0) return longestS
    await scope`update sign_in_try set at = clock_timestamp(),
        failures = 1 + case when at < now() - make_interval(secs => ${forgottenAfterS}) then 0 else failures end
      where who = any(${all})`
    return 0
  })
}

/** It was none: one less. */
export async function giveSignInTryBack(scope: Scope, buckets: readonly SignInBucket[]): Promise<void> {
  const all = buckets.map(({ who }) => who)
  await scope`update sign_in_try set failures = greatest(0, failures - 1) where who = any(${all})`
}

export async function forgetSignInTries(scope: Scope, buckets: readonly SignInBucket[]): Promise<void> {
  await scope`delete from sign_in_try where who = any(${buckets.map(({ who }) => who)})`
}
