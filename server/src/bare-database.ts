// The database as it is, and the key that it was sealed with, for commands that must change neither: nothing is migrated, and no key is made.

import { type Config, ConfigError } from './config.ts'
import { createSealer, type Derived, type Sealer, type SecretKeys } from './keys/sealing.ts'
import { knownKeysInFolder } from './keys/secret-key.ts'
import type { Logger } from './observe/log.ts'
import { type LongConnection, openLongConnection } from './store/database.ts'
import { connectionName } from './store/key-users.ts'
import { openEmbedded } from './store/postgres/embedded.ts'

export interface BareDatabase {
  readonly connection: LongConnection
  /** Something the user should know about where the embedded database lives. */
  readonly notice: string | null
  close(): Promise<void>
}

export async function openBareDatabase(
  config: Config,
  as: 'owner' | 'guest',
  sealer: Sealer,
  log: Logger,
): Promise<BareDatabase> {
  const { databaseUrl, dataFolder } = config
  const embedded =
    databaseUrl === null ? await openEmbedded({ dataFolder, as, log: ({ level, text }) => log[level](text) }) : null
  try {
    const name = connectionName(process.pid, sealer.keyNames)
    const connection = await openLongConnection(embedded?.address ?? databaseUrl ?? '', name)
    const close = async () => {
      await connection.end()
      await embedded?.close()
    }
    return { connection, notice: embedded?.notice ?? null, close }
  } catch (error) {
    await embedded?.close()
    throw error
  }
}

export async function knownSealer({ secretKeys, dataFolder }: Config): Promise<Sealer> {
  const keys = secretKeys ?? (await keysIn(dataFolder))
  if (keys !== null) return createSealer(keys)
  throw new ConfigError(
    `There is no secret key: TILLBELL_SECRET_KEY is not set, and there is no secret.key in ${dataFolder}. Give it the key of the service that was backed up.`,
  )
}

function keysIn(dataFolder: string): Promise<SecretKeys | null> {
  return knownKeysInFolder(dataFolder).catch(error => {
    throw new ConfigError(error.code ? `TILLBELL_DATA ${dataFolder} cannot be used (${error.code}).` : error.message)
  })
}

/** The first makes a backup, each reads one. What they are derived for must never change, or no backup opens any more. */
export function backupKeys(sealer: Sealer): Derived {
  return sealer.derive('backups')
}
