// Facts of the whole installation, one row each.

import type { Database, Json, Scope } from './database.ts'

/** The service's key pair: `{publicKey, privateKeySealed}`. */
export const serviceKeySetting = 'service_key'

/** The names of all secret keys that something here may be sealed with. */
const sealingKeysSetting = 'sealing_keys'

/**
 * Of a service that starts: it seals with the first, and opens with each. Returns those that others seal with and that are not among them; then it is not
 * added. A database of before they were noted may have something of each.
 */
export async function addSealingKey(sql: Database, names: readonly string[]): Promise<string[]> {
  for (;;) {
    const added = await sql`
      insert into setting as s (name, value) values (${sealingKeysSetting}, ${sql.json([...names])})
      on conflict (name) do update set value = case when s.value @> ${sql.json(names.slice(0, 1))} then s.value else s.value || ${sql.json(names.slice(0, 1))} end
        where s.value <@ ${sql.json([...names])}
      returning 1`
    if (added.length > 0) return []
    const sealedWith = (await readSetting(sql, sealingKeysSetting)) as string[] | null
    const missing = sealedWith?.filter(name => !names.includes(name)) ?? []
    if (missing.length > 0) return missing
  }
}

/** Nothing is sealed with another any more. */
export async function setSealingKey(sql: Database, name: string): Promise<void> {
  await writeSetting(sql, sealingKeysSetting, [name])
}

export async function readSetting(sql: Database, name: string): Promise<Json | null> {
  const [row] = await sql<{ value: Json }[]>`select value from setting where name = ${name}`
  return row?.value ?? null
}

export async function readSettings(sql: Database, names: readonly string[]): Promise<Map<string, Json>> {
  const rows = await sql<{ name: string; value: Json }[]>`select name, value from setting where name = any(${names})`
  return new Map(rows.map(({ name, value }) => [name, value]))
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

export async function removeSetting(sql: Scope, name: string): Promise<void> {
  await sql`delete from setting where name = ${name}`
}
