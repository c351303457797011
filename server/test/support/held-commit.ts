// Stops the service inside a commit, by a trigger that waits for a lock which the test holds. `before` waits in the
// statement: a process killed there never commits. `committing` waits inside COMMIT itself: the commit goes through,
// though the process that asked for it is dead.

import type { Database } from '../../src/store/database.ts'
import { until } from './until.ts'

export interface HeldCommit {
  readonly reached: Promise<void>
  release(): Promise<void>
}

const lockNumber = 4_242

export async function holdCommit(
  sql: Database,
  at: {
    readonly table: 'transaction' | 'operation'
    readonly on: 'insert' | 'update'
    readonly moment: 'before' | 'committing'
  },
): Promise<HeldCommit> {
  const lock = await sql.reserve()
  await lock`select pg_advisory_lock(${lockNumber})`
  await sql.unsafe(`create or replace function wait_for_test() returns trigger language plpgsql as $$
    begin perform pg_advisory_xact_lock_shared(${lockNumber}); return new; end $$`)
  const moment =
    at.moment === 'before'
      ? `create trigger held before ${at.on} on ${at.table}`
      : `create constraint trigger held after ${at.on} on ${at.table} deferrable initially deferred`
  await sql.unsafe(`${moment} for each row execute function wait_for_test()`)
  const waiters = () => sql`select from pg_locks where locktype = 'advisory' and objid = ${lockNumber} and not granted
    and database = (select oid from pg_database where datname = current_database())`
  return {
    reached: until('a commit waits', async () => (await waiters()).length > 0),
    async release() {
      await lock`select pg_advisory_unlock(${lockNumber})`
      lock.release()
      await until('nobody waits', async () => (await waiters()).length === 0)
      const cutOff = new Set<number>()
      await until('the trigger is gone', () => dropTrigger(sql, at.table, cutOff))
    },
  }
}

/**
 * Waits for whoever still has the table open; a stopped process is cut off, as its idle transaction would be in time.
 * Each once: a backend that is told to end while it is ending can get stuck for ever.
 */
async function dropTrigger(sql: Database, table: string, cutOff: Set<number>): Promise<boolean> {
  const idle = await sql<{ pid: number }[]>`select pid from pg_stat_activity
    where datname = current_database() and state = 'idle in transaction' and pid <> pg_backend_pid()`
  for (const { pid } of idle) {
    if (!cutOff.has(pid)) await sql`select pg_terminate_backend(${pid})`
    cutOff.add(pid)
  }
  return sql.unsafe(`set local lock_timeout = '100ms'; drop trigger held on ${table}`).then(
    () => true,
    () => false,
  )
}
