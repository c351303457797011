// Stops the service inside a commit, by a trigger that waits for a lock which the test holds. `before` waits in the
// statement: a process killed there never commits. `committing` waits inside COMMIT itself: the commit goes through,
// though the process that asked for it is dead.

import type { Database } from '../../src/store/database.ts'
import { until } from './until.ts'

export interface HeldAt {
  readonly table: 'transaction' | 'operation' | 'letter' | 'outgoing_mail'
  /** Of its state: not that somebody takes it in hand. */
  readonly on: 'insert' | 'update' | 'update of state'
  readonly moment: 'before' | 'committing'
}

export interface HeldCommits {
  /** Resolves when so many wait. */
  reached(count: number): Promise<void>
  release(): Promise<void>
}

const lockNumber = 4_242

/** Each of an offer of its own. All are set up before the first is reached, and let go together. */
export async function holdCommits(
  sql: Database,
  all: readonly (HeldAt & { readonly offer: string })[],
): Promise<HeldCommits> {
  const lock = await sql.reserve()
  await lock`select pg_advisory_lock(${lockNumber})`
  await sql.unsafe(`create or replace function wait_for_test() returns trigger language plpgsql as $$
    declare held jsonb := to_jsonb(new);
    begin
      if tg_argv[0] = coalesce(held->>'offer_id',
          (select offer_id::text from transaction where id = (held->>'transaction_id')::uuid))
      then perform pg_advisory_xact_lock_shared(${lockNumber}); end if;
      return new;
    end $$`)
  for (const [index, { table, on, moment, offer }] of all.entries()) {
    const trigger =
      moment === 'before'
        ? `create trigger held_${index} before ${on} on ${table}`
        : `create constraint trigger held_${index} after ${on} on ${table} deferrable initially deferred`
    await sql.unsafe(`${trigger} for each row execute function wait_for_test('${offer}')`)
  }
  const waiters = () => sql<
    { pid: number }[]
  >`select pid from pg_locks where locktype = 'advisory' and objid = ${lockNumber} and not granted
    and database = (select oid from pg_database where datname = current_database())`
  return {
    reached: count => until(`${count} commits wait`, async () => (await waiters()).length >= count),
    async release() {
      const held = new Set((await waiters()).map(({ pid }) => pid))
      await lock`select pg_advisory_unlock(${lockNumber})`
      lock.release()
      await until('nobody waits', async () => (await waiters()).length === 0)
      for (const [index, { table }] of all.entries())
        await until('the trigger is gone', () => dropTrigger(sql, `held_${index} on ${table}`, held))
    },
  }
}

/**
 * Waits for whoever still has the table open. Of those that were held, a stopped process is cut off, as its idle transaction
 * would be in time; each once: a backend that is told to end while it is ending can get stuck for ever.
 */
async function dropTrigger(sql: Database, trigger: string, held: Set<number>): Promise<boolean> {
  const idle = await sql<{ pid: number }[]>`select pid from pg_stat_activity
    where state = 'idle in transaction' and pid = any(${[...held]}::int[])`
  for (const { pid } of idle) {
    await sql`select pg_terminate_backend(${pid})`
    held.delete(pid)
  }
  return sql.unsafe(`set local lock_timeout = '100ms'; drop trigger ${trigger}`).then(
    () => true,
    () => false,
  )
}
