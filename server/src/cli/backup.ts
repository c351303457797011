// tillbell backup FILE
//
// A file, and not a folder: one thing to copy, to check and to delete, which is there whole or not at all.

import { join } from 'node:path'
import { backupKeys, knownSealer, openBareDatabase } from '../bare-database.ts'
import { type Config, ConfigError } from '../config.ts'
import { isoTime } from '../core/sale.ts'
import { openServiceKey } from '../foundation.ts'
import type { Sealer } from '../keys/sealing.ts'
import { nameOfKey, type Totals } from '../store/backup/parts.ts'
import {
  MigratedMeanwhileError,
  NoTablesError,
  partsOf,
  type Snapshot,
  takeSnapshot,
} from '../store/backup/snapshot.ts'
import { written } from '../store/backup/write.ts'
import type { Json, LongConnection, Scope } from '../store/database.ts'
import { readMigrations, refuseNewer } from '../store/migrate.ts'
import { serviceKeySetting } from '../store/settings.ts'
import { type Call, type Command, exitCodes, FailedError, jsonOption } from './command.ts'
import { refuseWithoutData } from './key.ts'
import { refuseTaken, writeNewFile } from './new-file.ts'
import { whenToldToStop } from './told-to-stop.ts'

export const backup: Command = {
  positionals: ['FILE'],
  options: { json: jsonOption },
  notes: [
    'The file is compressed, for its owner alone (mode 0600), and never replaces another. The secret key is not in it: without TILLBELL_SECRET_KEY,',
    'or secret.key of the data folder, it cannot be restored. Keep the key, and not where the backups are.',
  ],
  examples: ['tillbell backup tillbell-2026-11-15.backup'],
  async run(call) {
    const { config, log } = call
    const file = call.positionals[0] ?? ''
    await refuseTaken(file)
    await refuseWithoutData(config)
    const sealer = await knownSealer(config)
    const database = await openBareDatabase(config, 'guest', sealer, log)
    try {
      const snapshot = await snapshotOf(database.connection, sealer)
      await write(call, file, database.connection, snapshot, backupKeys(sealer)[0])
    } finally {
      await database.close()
    }
    return exitCodes.done
  },
}

async function snapshotOf(connection: LongConnection, sealer: Sealer): Promise<Snapshot> {
  try {
    const snapshot = await takeSnapshot(connection)
    refuseNewer('database', snapshot.version, await readMigrations())
    openServiceKey(await serviceKeyIn(connection.sql), sealer)
    return snapshot
  } catch (error) {
    if (error instanceof MigratedMeanwhileError)
      throw new FailedError('The database was migrated at this very moment. Start the backup again.')
    if (error instanceof NoTablesError) throw new ConfigError(nothingThere)
    throw error
  }
}

const nothingThere =
  'DATABASE_URL leads to a database that no Tillbell has been started on: there is nothing to back up.'

async function serviceKeyIn(sql: Scope): Promise<Json> {
  const [row] = await sql<{ value: Json }[]>`select value from setting where name = ${serviceKeySetting}`
  if (row === undefined) throw new ConfigError(nothingThere)
  return row.value
}

async function write(call: Call, file: string, from: LongConnection, snapshot: Snapshot, key: Buffer): Promise<void> {
  let totals: Totals = { tables: 0, rows: 0 }
  const bytes = written(partsOf(from, snapshot, nameOfKey(key)), key, told => {
    totals = told
  })
  const stopping = new AbortController()
  void whenToldToStop().then(() => stopping.abort())
  const size = await writeNewFile(file, bytes, stopping.signal)
  const shown = { file, ...totals, bytes: size, taken_at: isoTime(snapshot.takenAt), version: snapshot.version }
  call.print(
    call.options.json === true ? JSON.stringify({ ...shown, has_secret_key: false }) : asText(shown, call.config),
  )
}

interface Shown extends Totals {
  readonly file: string
  readonly bytes: number
  readonly taken_at: string
  readonly version: number
}

function asText({ file, tables, rows, bytes, taken_at, version }: Shown, { secretKeys, dataFolder }: Config): string {
  const key = secretKeys === null ? join(dataFolder, 'secret.key') : 'TILLBELL_SECRET_KEY'
  return [
    `Wrote ${file}: ${rows} rows of ${tables} tables in ${bytes} bytes, as of ${taken_at} (version ${version}).`,
    `The secret key is NOT in it. Without ${key} it cannot be restored, and what is sealed in it cannot be read: keep the key, and not where the backups are.`,
  ].join('\n')
}
