// A backup becomes a database again: all of it or nothing, in one transaction, in a database that has nothing of ours yet. Its tables are made as they
// were then, filled, and only then brought to the version of this program, by the same migrations that every upgrade has been through.

import { type LongConnection, type Scope, schemaName } from '../database.ts'
import { isProcess } from '../key-users.ts'
import { beginSchema, type Migration, migrationLock, statementsOf } from '../migrate.ts'
import { type Closed, closeDoors } from './close-doors.ts'
import { copyIn } from './copy.ts'
import { DamagedBackupError, type Header, type Part, rowsIn } from './parts.ts'
import { named, sequenceNames, tablesOf } from './snapshot.ts'

export interface Restored extends Header {
  readonly tables: number
  readonly rows: number
  readonly closed: Closed
  /** Transactions whose outcome was not known then. They are settled anew, and told anew, whatever was told since. */
  readonly underWay: readonly string[]
  /** Tables and sequences that somebody else has put beside ours: they are in the backup, and are not made again. */
  readonly strangers: readonly string[]
}

/** There is something already, which would be lost or mixed up with what was then. */
export class NotEmptyError extends Error {}

/** Somebody else migrates this database, or restores into it. */
export class TakenError extends Error {}

/** Processes of ours are connected. They looked only when they began whether their database was restored, and would serve this one. */
export class InUseError extends Error {}

export async function restore(
  connection: LongConnection,
  parts: AsyncIterable<Part>,
  migrations: readonly Migration[],
): Promise<Restored> {
  const { sql } = connection
  // A service that starts meanwhile waits for it, and finds a whole database. It is let go of with the connection.
  const [lock] = await sql<{ taken: boolean }[]>`select pg_try_advisory_lock(${migrationLock}) as taken`
  if (lock?.taken !== true) throw new TakenError()
  if (await hasAnything(connection)) throw new NotEmptyError()
  if (await isInUse(connection)) throw new InUseError()
  await sql.unsafe(`begin; set local idle_in_transaction_session_timeout = 0; set local statement_timeout = 0`)
  const { header, tables, rows, strangers } = await fill(connection, parts, migrations)
  for (const migration of migrations.filter(({ number }) => number > header.version)) {
    await sql.unsafe(statementsOf(migration))
  }
  const closed = await closeDoors(sql, header.takenAt)
  const underWay = await transactionsUnderWay(sql)
  if (await isInUse(connection)) throw new InUseError()
  await sql`commit`
  return { ...header, tables, rows, closed, underWay, strangers }
}

async function transactionsUnderWay(sql: Scope): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`select id from transaction where status = 'Processing'
    union select transaction_id from operation where outcome in ('pending', 'unknown') order by 1`
  return rows.map(({ id }) => id)
}

async function isInUse({ sql }: LongConnection): Promise<boolean> {
  const [row] = await sql<{ found: boolean }[]>`select exists (select from pg_stat_activity
    where ${isProcess(sql)} and pid <> pg_backend_pid()) as found`
  return row?.found === true
}

async function hasAnything({ sql }: LongConnection): Promise<boolean> {
  const [row] = await sql<{ found: boolean }[]>`
    select exists (select from pg_class where relnamespace = to_regnamespace(${schemaName})) as found`
  return row?.found === true
}

async function fill(connection: LongConnection, parts: AsyncIterable<Part>, migrations: readonly Migration[]) {
  const { sql, client } = connection
  let known: Known | null = null
  for await (const part of parts) {
    switch (part.kind) {
      case 'header':
        known = await begin(connection, part, migrations)
        break
      case 'table':
        if (known?.tables.delete(part.table) === true) await copyIn(client, `copy ${named(part)} from stdin`, part.rows)
        else if (known !== null) await passOver(part, known)
        break
      case 'sequence':
        if (known?.sequences.delete(part.sequence) === true)
          await sql`select setval(${`${schemaName}.${part.sequence}`}::regclass, ${part.lastValue}, ${part.isCalled})`
        else known?.strangers.push(part.sequence)
        break
      case 'end': {
        if (known === null || known.tables.size + known.sequences.size > 0)
          throw new DamagedBackupError('lacks a table')
        const { header, strangers, passedOver } = known
        return { header, strangers, tables: part.tables - passedOver.tables, rows: part.rows - passedOver.rows }
      }
    }
  }
  throw new Error('a backup without an end was not refused')
}

async function passOver(
  { table, rows }: Extract<Part, { kind: 'table' }>,
  { ours, strangers, passedOver }: Known,
): Promise<void> {
  if (ours.has(table)) throw new DamagedBackupError(`has ${table} twice`)
  strangers.push(table)
  passedOver.tables += 1
  for await (const lines of rows) passedOver.rows += rowsIn(lines)
}

interface Known {
  readonly header: Header
  readonly ours: ReadonlySet<string>
  /** Those of ours that are still to come. */
  readonly tables: Set<string>
  readonly sequences: Set<string>
  readonly strangers: string[]
  readonly passedOver: { tables: number; rows: number }
}

/** The tables of that version, without what the migrations put there: that is in the backup as well, as it was then. */
async function begin({ sql }: LongConnection, header: Header, migrations: readonly Migration[]): Promise<Known> {
  await beginSchema(sql)
  for (const { number, text } of migrations) if (number <= header.version) await sql.unsafe(text)
  const tables = (await tablesOf(sql)).map(({ table }) => table)
  await sql`truncate ${sql(tables)} cascade`
  return {
    header,
    ours: new Set(tables),
    tables: new Set(tables),
    sequences: new Set(await sequenceNames(sql)),
    strangers: [],
    passedOver: { tables: 0, rows: 0 },
  }
}
