// tillbell restore FILE: the whole file is read and proven before anything is written, and read again to write it.

import { access, constants } from 'node:fs/promises'
import { backupKeys, knownSealer, openBareDatabase } from '../bare-database.ts'
import { type Config, ConfigError } from '../config.ts'
import { isoTime } from '../core/sale.ts'
import { refuseOldServer } from '../foundation.ts'
import type { Sealer } from '../keys/sealing.ts'
import { BackupRefusedError, DamagedBackupError } from '../store/backup/parts.ts'
import { readBackup } from '../store/backup/read.ts'
import {
  InUseError,
  NotEmptyError,
  type Restored,
  restore as restoreParts,
  TakenError,
} from '../store/backup/restore.ts'
import { readMigrations, refuseNewer } from '../store/migrate.ts'
import { type Call, type Command, exitCodes, FailedError, jsonOption } from './command.ts'
import { whenToldToStop } from './told-to-stop.ts'
import { unreadable } from './unreadable.ts'

export const restore: Command = {
  positionals: ['FILE'],
  options: { json: jsonOption },
  notes: [
    'Into the database of DATABASE_URL, or a data folder without one. It must have nothing of Tillbell yet, and the secret key must be the one that the backup was',
    'made with. Sessions and one-time links end, and the service lets nothing new in until tillbell reopen.',
  ],
  examples: ['tillbell restore tillbell-2026-11-15.backup'],
  async run(call) {
    const { config } = call
    const file = call.positionals[0] ?? ''
    const sealer = await knownSealer(config)
    const keys = backupKeys(sealer)
    try {
      await prove(file, keys)
      const restored = await restoreInto(call, file, sealer)
      call.print(call.options.json === true ? asJson(restored) : asText(file, restored))
    } catch (error) {
      throw explained(error, file, config)
    }
    return exitCodes.done
  },
}

/** Reads it to its end, and writes nothing. */
async function prove(file: string, keys: readonly Buffer[]): Promise<void> {
  await access(file, constants.R_OK).catch(error => {
    throw new FailedError(unreadable(file, error))
  })
  const migrations = await readMigrations()
  for await (const part of readBackup(file, keys)) {
    if (part.kind === 'header') refuseNewer('backup', part.version, migrations)
    if (part.kind === 'table') for await (const _ of part.rows);
  }
}

async function restoreInto({ config, log, print }: Call, file: string, sealer: Sealer): Promise<Restored> {
  // As its owner: a service that runs on the data folder refuses it, and one cannot start meanwhile.
  const database = await openBareDatabase(config, 'owner', sealer, log)
  let isToldToStop = false
  void whenToldToStop().then(() => {
    isToldToStop = true
    return database.connection.end()
  })
  try {
    await refuseOldServer(database.connection.sql)
    const restored = await restoreParts(
      database.connection,
      readBackup(file, backupKeys(sealer)),
      await readMigrations(),
    )
    if (database.notice !== null) print(database.notice)
    return restored
  } catch (error) {
    throw isToldToStop ? new FailedError('It was told to stop. Nothing was restored.') : error
  } finally {
    await database.close()
  }
}

function explained(error: unknown, file: string, { databaseUrl, dataFolder }: Config): unknown {
  const where = databaseUrl === null ? `The database in ${dataFolder}` : 'The database that DATABASE_URL leads to'
  if (error instanceof DamagedBackupError) return new FailedError(`${file} ${error.message}. Nothing was restored.`)
  if (error instanceof BackupRefusedError) return new ConfigError(`${file} ${error.message}. Nothing was restored.`)
  if (error instanceof NotEmptyError)
    return new ConfigError(`${where} has data of Tillbell already. A backup is restored into an empty one only.`)
  if (error instanceof InUseError)
    return new ConfigError(
      `${where} has processes of Tillbell on it. Stop all of them first: they would serve what is restored. Nothing was restored.`,
    )
  if (error instanceof TakenError)
    return new ConfigError(`${where} is being migrated, or restored, by another process. Nothing was restored.`)
  const { code } = error as NodeJS.ErrnoException
  return code === 'EISDIR' ? new FailedError(unreadable(file, error as NodeJS.ErrnoException)) : error
}

function asJson({ takenAt, version, tables, rows, closed, underWay, strangers }: Restored): string {
  const { sessions, loginLinks, cardLinks, addressLinks, letters } = closed
  return JSON.stringify({
    ...{ taken_at: isoTime(takenAt), version, tables, rows },
    ended: { sessions, login_links: loginLinks, card_links: cardLinks, address_links: addressLinks, mails: letters },
    under_way: underWay,
    not_restored: strangers,
  })
}

function asText(file: string, { takenAt, version, tables, rows, closed, underWay, strangers }: Restored): string {
  const { sessions, loginLinks, cardLinks, addressLinks, letters } = closed
  return [
    `Restored ${rows} rows of ${tables} tables from ${file}, as of ${isoTime(takenAt)} (version ${version}).`,
    `Ended: ${sessions} sessions and ${loginLinks} links of the dashboard, ${cardLinks} links to enter a card, ${addressLinks} links that prove an address.`,
    ...(letters === 0
      ? []
      : [
          `${letters} mails that waited to be paid are not paid, since they may have been meanwhile: tillbell mail list.`,
        ]),
    ...(underWay.length === 0
      ? []
      : [`Under way then, and settled and told anew, whatever was told since: ${underWay.join(', ')}.`]),
    ...(strangers.length === 0
      ? []
      : [`Not restored, since Tillbell has nothing of that name: ${strangers.join(', ')}.`]),
    'What happened after that moment is not in it. Start the service with TILLBELL_ROLES=worker, tillbell reconcile each gateway, and then tillbell reopen.',
  ].join('\n')
}
