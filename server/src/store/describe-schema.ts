// The schema as text, read from the catalogs: tables with their columns, constraints, indexes and triggers, views and functions.
// What the migrations lead to is committed as schema.sql, and a test compares.

import { type Database, schemaName } from './database.ts'

export async function describeSchema(sql: Database): Promise<string> {
  const [tables, views, functions, sequences] = await Promise.all([
    tableTexts(sql),
    viewTexts(sql),
    functionTexts(sql),
    sequenceTexts(sql),
  ])
  return `${[...sequences, ...tables, ...views, ...functions].join('\n\n')}\n`
}

async function tableTexts(sql: Database): Promise<string[]> {
  const rows = await sql<
    {
      name: string
      kind: string
      columns: string
      constraints: string | null
      indexes: string | null
      triggers: string | null
    }[]
  >`
    select c.relname as name, case c.relpersistence when 'u' then 'unlogged table' else 'table' end as kind,
      (select string_agg(format('  %I %s%s', a.attname, format_type(a.atttypid, a.atttypmod),
        case when a.attnotnull then ' not null' else '' end || case when a.attidentity <> '' then ' generated always as identity' else '' end),
        e',\n' order by a.attnum) from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
      (select string_agg(format('  constraint %I %s', k.conname, pg_get_constraintdef(k.oid, true)), e',\n' order by k.contype, k.conname)
        from pg_constraint k where k.conrelid = c.oid and k.contype in ('p', 'u', 'f', 'c')) as constraints,
      (select string_agg(pg_get_indexdef(i.indexrelid, 0, true) || ';', e'\n' order by i.indexrelid::regclass::text)
        from pg_index i where i.indrelid = c.oid and not exists (select from pg_constraint k where k.conindid = i.indexrelid
          and k.contype in ('p', 'u'))) as indexes,
      (select string_agg(pg_get_triggerdef(g.oid, true) || ';', e'\n' order by g.tgname)
        from pg_trigger g where g.tgrelid = c.oid and not g.tgisinternal) as triggers
    from pg_class c where c.relnamespace = ${schemaName}::regnamespace and c.relkind = 'r' order by c.relname`
  return rows.map(({ name, kind, columns, constraints, indexes, triggers }) => {
    const body = [columns, constraints].filter(part => part !== null).join(',\n')
    return [`create ${kind} ${name} (\n${body}\n);`, indexes, triggers].filter(part => part !== null).join('\n')
  })
}

async function viewTexts(sql: Database): Promise<string[]> {
  const rows = await sql<{ name: string; definition: string }[]>`
    select c.relname as name, pg_get_viewdef(c.oid, true) as definition
    from pg_class c where c.relnamespace = ${schemaName}::regnamespace and c.relkind = 'v' order by c.relname`
  return rows.map(({ name, definition }) => `create view ${name} as\n${definition}`)
}

async function functionTexts(sql: Database): Promise<string[]> {
  const rows = await sql<{ text: string }[]>`select pg_get_functiondef(p.oid) as text from pg_proc p
    where p.pronamespace = ${schemaName}::regnamespace order by p.proname`
  return rows.map(({ text }) => `${text.trim()};`)
}

async function sequenceTexts(sql: Database): Promise<string[]> {
  const rows = await sql<{ name: string; start: bigint }[]>`select sequencename as name, start_value as start
    from pg_sequences where schemaname = ${schemaName} and sequencename not like '%\_seq' order by 1`
  return rows.map(({ name, start }) => `create sequence ${name} start ${start};`)
}
