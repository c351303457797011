// All that is in the database, at one moment, while others go on writing: one transaction that reads what was committed before it began, table by table.

import type { Scope } from '../database.ts'
import { type LongConnection, schemaName } from '../database.ts'
import { copyOut } from './copy.ts'
import type { Part, SequenceState, TableName } from './parts.ts'

/** Who reads for an hour must not be cut off between two tables, and writes the same text whatever the server is set to. */
const settings = `set local idle_in_transaction_session_timeout = 0; set local statement_timeout = 0; set local timezone = 'UTC';
  set local datestyle = 'ISO'; set local intervalstyle = 'postgres'; set local bytea_output = 'hex'; set local extra_float_digits = 1`

/** The tables were changed while they were looked at. */
export class MigratedMeanwhileError extends Error {}

/** A database in which no Tillbell has been. */
export class NoTablesError extends Error {}

export interface Snapshot {
  readonly takenAt: Date
  readonly version: number
  /** In the order in which they can be written: what is referred to comes first. */
  readonly tables: readonly TableName[]
}

/** Begins the transaction. It ends with the connection. */
export async function takeSnapshot({ sql }: LongConnection): Promise<Snapshot> {
  const before = await tablesOf(sql)
  if (before.length === 0) throw new NoTablesError()
  await sql.unsafe(`begin isolation level repeatable read read only; ${settings}`)
  // Before anything is read: so a migration has either ended, or waits until all is copied.
  await sql`lock table ${sql(before.map(({ table }) => table))} in access share mode`
  const [row] = await sql<{ takenAt: Date; version: number }[]>`
    select clock_timestamp() as taken_at, (select max(number) from migration) as version`
  const tables = await tablesOf(sql)
  if (row === undefined || JSON.stringify(tables) !== JSON.stringify(before)) throw new MigratedMeanwhileError()
  return { ...row, tables }
}

export async function* partsOf(
  { sql, client }: LongConnection,
  { takenAt, version, tables }: Snapshot,
  key: string,
): AsyncGenerator<Exclude<Part, { kind: 'end' }>> {
  yield { kind: 'header', takenAt, version, key }
  for (const each of tables) {
    yield { kind: 'table', ...each, rows: copyOut(client, `copy ${named(each)} to stdout`) }
  }
  for (const each of await sequencesOf(sql)) yield { kind: 'sequence', ...each }
}

/** As a statement names it. */
export function named({ table, columns }: TableName): string {
  const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`
  return `${schemaName}.${quoted(table)} (${columns.map(quoted).join(', ')})`
}

/** Those that outlive a crash of PostgreSQL: what is in the others is of the moment. */
export async function tablesOf(sql: Scope): Promise<TableName[]> {
  const tables = await sql<(TableName & { refersTo: string[] })[]>`
    select c.relname::text as table,
      array(select a.attname::text from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
        and a.attgenerated = '' order by a.attnum) as columns,
      array(select distinct f.relname::text from pg_constraint k join pg_class f on f.oid = k.confrelid
        where k.conrelid = c.oid and k.contype = 'f' and k.confrelid <> c.oid order by 1) as refers_to
    from pg_class c where c.relnamespace = to_regnamespace(${schemaName}) and c.relkind = 'r' and c.relpersistence = 'p'
    order by c.relname`
  return inOrder(tables)
}

function inOrder(tables: readonly (TableName & { readonly refersTo: readonly string[] })[]): TableName[] {
  const placed = new Map<string, TableName>()
  while (placed.size < tables.length) {
    const next = tables.filter(
      ({ table, refersTo }) => !placed.has(table) && refersTo.every(other => placed.has(other)),
    )
    if (next.length === 0) throw new Error('tables refer to each other in a circle')
    for (const { table, columns } of next) placed.set(table, { table, columns })
  }
  return [...placed.values()]
}

/** A sequence knows no transactions. Read after the rows were fixed, it is as far as they need, or further. */
async function sequencesOf(sql: Scope): Promise<SequenceState[]> {
  const found: SequenceState[] = []
  for (const sequence of await sequenceNames(sql)) {
    const [state] = await sql<
      Pick<SequenceState, 'lastValue' | 'isCalled'>[]
    >`select last_value, is_called from ${sql(sequence)}`
    if (state !== undefined) found.push({ sequence, ...state })
  }
  return found
}

export async function sequenceNames(sql: Scope): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`select relname::text as name from pg_class
    where relnamespace = to_regnamespace(${schemaName}) and relkind = 'S' order by 1`
  return rows.map(({ name }) => name)
}
