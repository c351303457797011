// Facts of the whole installation, one row each.

import type { Database, Json, Scope } from './database.ts'

export async function readSetting(sql: Database, name: string): Promise<Json | null> {
  const [row] = await sql<{ value: Json }[]>`select value from setting where name = ${name}`
  return row?.value ?? null
}

/** The service's clock in a statement: the database's, plus what the sandbox moved it by. What is kept for a time is dated by it. */
export function serviceTime(scope: Scope) {
  return scope`now() + coalesce((select value::float8 from setting where name = 'clock_offset_ms'), 0) * interval '1 millisecond'`
}

export async function writeSetting(sql: Scope, name: string, value: Json): Promise<void> {
  await sql`insert into setting (name, value) values (${name}, ${sql.json(value)})
    on conflict (name) do update set value = excluded.value`
}

/** Writes it only if nobody has: of two processes that start together, one wins, and both read the winner's. */
export async function keepFirst(sql: Database, name: string, value: Json): Promise<Json> {
  await sql`insert into setting (name, value) values (${name}, ${sql.json(value)}) on conflict (name) do nothing`
  const settled = await readSetting(sql, name)
  if (settled === null) throw new Error(`setting ${name} is gone`)
  return settled
}
