// Which processes are at work on this database, and with which secret keys: each says so in the name of its connections. There it is
// as long as the process is, and not a moment longer, which no row of a table could promise.

import type { Database, Scope } from './database.ts'

export interface KeyUser {
  readonly pid: number
  /** Where it connects from; null: this machine. */
  readonly address: string | null
  /** What its keys are called, the one that it seals with first. None: a version from before they were said. */
  readonly keyNames: readonly string[]
}

/** PostgreSQL cuts it off after 63 bytes. */
export function connectionName(pid: number, keyNames: readonly string[]): string {
  return ['tillbell', pid, ...keyNames].join(' ')
}

/** Of a row of pg_stat_activity. Who only keeps the embedded database running has a name without a number. */
export function isProcess(sql: Scope) {
  return sql`datname = current_database() and application_name ~ '^tillbell [0-9]+( [0-9a-f]{8})*$'`
}

export async function listKeyUsers(sql: Database): Promise<KeyUser[]> {
  const rows = await sql<{ name: string; address: string | null }[]>`
    select distinct application_name as name, host(client_addr) as address from pg_stat_activity
    where ${isProcess(sql)}
    order by name, address`
  return rows.map(({ name, address }) => {
    const [, pid, ...keyNames] = name.split(' ')
    return { pid: Number(pid), address, keyNames }
  })
}
