// Numbered SQL, applied in order under a lock, each with its row in one transaction: two processes that start together
// wait for each other, and a crash leaves either the old schema or the new one.

import { readdir, readFile } from 'node:fs/promises'
import { type Database, type Scope, schemaName } from './database.ts'

export interface Migration {
  readonly number: number
  readonly name: string
  readonly text: string
}

/** The database was migrated by a newer program: running on would write what that program does not expect. */
export class DatabaseIsNewerError extends Error {}

/** Held by whoever migrates, or restores. */
export const migrationLock = 7_216_550_771

export async function readMigrations(): Promise<Migration[]> {
  const folder = new URL('./migrations/', import.meta.url)
  const files = (await readdir(folder)).filter(file => file.endsWith('.sql')).sort()
  return Promise.all(
    files.map(async file => {
      const name = file.replace('.sql', '')
      return { number: Number(name.slice(0, 4)), name, text: await readFile(new URL(file, folder), 'utf8') }
    }),
  )
}

/** Returns the names of what was applied. */
export async function migrate(sql: Database, migrations: readonly Migration[]): Promise<string[]> {
  const connection = await sql.reserve()
  try {
    await connection`select pg_advisory_lock(${migrationLock})`
    return await applyMissing(connection as unknown as Database, migrations)
  } finally {
    // Where the connection is lost, so is the lock, and the first error is the one to tell.
    await connection`select pg_advisory_unlock_all()`.start().catch(() => null)
    connection.release()
  }
}

async function applyMissing(sql: Database, migrations: readonly Migration[]): Promise<string[]> {
  await beginSchema(sql)
  const [newest] = await sql<{ number: number | null }[]>`select max(number) as number from migration`
  const from = newest?.number ?? 0
  refuseNewer('database', from, migrations)
  const missing = migrations.filter(({ number }) => number > from)
  for (const migration of missing) await applyOne(sql, migration)
  return missing.map(({ name }) => name)
}

export function refuseNewer(what: 'database' | 'backup', version: number, migrations: readonly Migration[]): void {
  const known = migrations.at(-1)?.number ?? 0
  if (version <= known) return
  const newer = what === 'database' ? 'Start the newer Tillbell that migrated it.' : 'Restore it with a newer Tillbell.'
  throw new DatabaseIsNewerError(
    `The ${what} is at version ${version} and this Tillbell knows versions up to ${known}. ${newer}`,
  )
}

/** The place of what the migrations make, and of what they note. */
export async function beginSchema(sql: Scope): Promise<void> {
  await sql`create schema if not exists ${sql(schemaName)}`
  await sql`create table if not exists migration (number int primary key, name text not null, applied_at timestamptz not null)`
}

/** The statements that apply it and note it down, for whoever has begun a transaction. */
export function statementsOf({ number, name, text }: Migration): string {
  return `${text}; insert into migration values (${number}, '${name}', now())`
}

async function applyOne(sql: Database, migration: Migration): Promise<void> {
  await sql
    .unsafe(`begin; ${statementsOf(migration)}; commit`)
    .start()
    .catch(async error => {
      await sql`rollback`
      throw error
    })
}
