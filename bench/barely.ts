// Tables without what every row costs: indexes and checks are taken off while very many rows are written, and are there again when it is over.

import type { Database } from '../server/src/store/database.ts'

type Own = Awaited<ReturnType<Database['reserve']>>

export async function barely<T>(own: Own, tables: readonly string[], work: () => Promise<T>): Promise<T> {
  const indexes = await own<{ name: string; text: string }[]>`
    select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as text from pg_index i
    where i.indrelid = any(${tables}::regclass[]) and not exists (select from pg_constraint k where k.conindid = i.indexrelid)`
  const checks = await own<{ table: string; name: string; text: string }[]>`
    select k.conrelid::regclass::text as table, quote_ident(k.conname) as name, pg_get_constraintdef(k.oid) as text
    from pg_constraint k where k.contype = 'c' and k.conrelid = any(${tables}::regclass[])`
  for (const { name } of indexes) await own.unsafe(`drop index ${name}`)
  for (const { table, name } of checks) await own.unsafe(`alter table ${table} drop constraint ${name}`)
  const done = await work()
  await own.unsafe("set maintenance_work_mem = '256MB'")
  for (const { text } of indexes) await own.unsafe(text)
  for (const { table, name, text } of checks) await own.unsafe(`alter table ${table} add constraint ${name} ${text}`)
  return done
}
