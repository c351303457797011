// Does something while a commit that is under way holds rows that it needs.

import type { Database, Scope } from '../../src/store/database.ts'
import { until } from './until.ts'

/** `hold` changes the rows, and is committed once somebody waits for them. */
export async function whileHeld<Result>(
  sql: Database,
  hold: (scope: Scope) => PromiseLike<unknown>,
  work: () => Promise<Result>,
  kinds?: readonly string[],
): Promise<Result> {
  const [held, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const holding = sql.begin(async scope => {
    await hold(scope)
    held.resolve()
    await goOn.promise
  })
  await Promise.race([held.promise, holding])
  const working = work()
  await until('somebody waits for the commit', async () => (await waiters(sql, kinds)).length > 0).finally(goOn.resolve)
  await holding
  return working
}

/** Whoever waits for rows that a commit holds. */
export function waiters(sql: Database, kinds: readonly string[] = ['transactionid', 'tuple']) {
  return sql`select from pg_locks where not granted and locktype = any(${kinds}::text[])
    and pid in (select pid from pg_stat_activity where datname = current_database())`
}
