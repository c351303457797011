// What every command stands on: the database, migrated; the key that seals secrets; the clock; the service's key pair.

import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Clock, openClock, readOffsetMs } from './clock.ts'
import { type Config, ConfigError } from './config.ts'
import { newKeyPair } from './keys/key-pair.ts'
import { uuidMaker } from './keys/new-ids.ts'
import { createSealer, DoesNotOpenError, type Opened, type Sealer, type SecretKeys } from './keys/sealing.ts'
import { keyReadByOthers, secretKeysInFolder } from './keys/secret-key.ts'
import { type LastingKeys, openLastingKeys } from './lasting-keys.ts'
import type { Logger } from './observe/log.ts'
import { belongsTo } from './setup/merchant.ts'
import { connect, type Database, type Json, type Scope } from './store/database.ts'
import { connectionName } from './store/key-users.ts'
import { migrate, readMigrations } from './store/migrate.ts'
import { runningAsRoot } from './store/postgres/account.ts'
import { type EmbeddedDatabase, openEmbedded } from './store/postgres/embedded.ts'
import { whyNotFolder } from './store/postgres/failure.ts'
import { addSealingKey, keepFirst, readSetting, serviceKeySetting } from './store/settings.ts'

export interface Foundation {
  readonly config: Config
  readonly sql: Database
  readonly sealer: Sealer
  readonly lastingKeys: LastingKeys
  readonly clock: Clock
  readonly newUuid: () => string
  readonly servicePublicKey: string
  /** Opens the tokens that were boxed to the public one. */
  readonly servicePrivateKey: string
  /** Something the user should know about where the embedded database lives. */
  readonly notice: string | null
  /** Of the database, as this program knows it. */
  readonly schemaVersion: number
  close(): Promise<void>
}

const connectionsMax = 20
const serverVersionMin = 150_000
export const demoSetting = 'demo_merchant'

export async function openFoundation(config: Config, as: 'owner' | 'guest', log: Logger): Promise<Foundation> {
  if (config.databaseUrl === null || config.secretKeys === null) await refuseImpossibleFolder(config.dataFolder)
  const embedded = config.databaseUrl === null ? await openOwn(config, as, log) : null
  const address = embedded?.address ?? config.databaseUrl ?? ''
  let sql: Database | null = null
  const close = async () => {
    await sql?.end({ timeout: 5 })
    await embedded?.close()
  }
  try {
    const sealer = createSealer(config.secretKeys ?? (await keysInFolder(config.dataFolder, log)))
    sql = connect({ address, connectionsMax, name: connectionName(process.pid, sealer.keyNames) })
    const schemaVersion = await prepare(sql, log)
    const clock = await openClock(sql, byMs => {
      log.warn(`the database's time of day went back by ${Math.round(byMs / 1_000)} seconds`)
    })
    if (config.mode === 'live') await refuseSandboxData(sql)
    const service = await serviceKeyPair(sql, sealer)
    return {
      config,
      sql,
      sealer,
      lastingKeys: await openLastingKeys(sql, sealer, service.opened),
      clock,
      newUuid: uuidMaker(clock.now),
      servicePublicKey: service.publicKey,
      servicePrivateKey: service.opened.text,
      notice: embedded?.notice ?? null,
      schemaVersion,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * Where the parent is there and takes no folder, as in /proc, Node's recursive mkdir tries for ever. So the first folder that is
 * missing is made alone, with the mode that the rest will have; what else stands against it is said by who needs it.
 */
async function refuseImpossibleFolder(dataFolder: string): Promise<void> {
  const missing = await firstMissing(dataFolder)
  if (missing === null) return
  await mkdir(missing, { mode: runningAsRoot() ? 0o711 : 0o700 }).catch(error => {
    if (error.code === 'EEXIST') return
    const why = error.code === 'ENOENT' ? `no folder can be made in ${dirname(missing)}` : whyNotFolder(error)
    throw new ConfigError(`TILLBELL_DATA ${dataFolder} cannot be used: ${why}.`)
  })
}

/** Null: all of the path is there, or cannot be looked at. */
async function firstMissing(path: string): Promise<string | null> {
  const isMissing = (each: string) =>
    stat(each).then(
      () => false,
      error => error.code === 'ENOENT',
    )
  if (!(await isMissing(path))) return null
  return (await firstMissing(dirname(path))) ?? path
}

function openOwn(config: Config, as: 'owner' | 'guest', log: Logger): Promise<EmbeddedDatabase> {
  return openEmbedded({ dataFolder: config.dataFolder, as, log: ({ level, text }) => log[level](text) })
}

async function keysInFolder(dataFolder: string, log: Logger): Promise<SecretKeys> {
  const keys = await secretKeysInFolder(dataFolder).catch(error => {
    const why = `TILLBELL_DATA ${dataFolder} cannot be used: ${whyNotFolder(error)}.`
    throw new ConfigError(error.code ? why : error.message)
  })
  const open = await keyReadByOthers(dataFolder)
  if (open !== null) log.warn(`${open} can be read by others, and opens all that is sealed: chmod 600 it`)
  return keys
}

/** Returns the version that the database has now. */
async function prepare(sql: Database, log: Logger): Promise<number> {
  await refuseOldServer(sql)
  const migrations = await readMigrations()
  for (const name of await migrate(sql, migrations)) log.info({ migration: name }, 'migrated')
  return migrations.at(-1)?.number ?? 0
}

export async function refuseOldServer(sql: Scope): Promise<void> {
  const [version] = await sql<{ number: number; name: string }[]>`
    select current_setting('server_version_num')::int as number, current_setting('server_version') as name`
  if (version !== undefined && version.number < serverVersionMin) {
    throw new ConfigError(`DATABASE_URL leads to PostgreSQL ${version.name}; Tillbell needs 15 or newer.`)
  }
}

/** Real money never meets what the sandbox left: a moved clock, or a merchant whose secrets were printed. */
async function refuseSandboxData(sql: Database): Promise<void> {
  if ((await readOffsetMs(sql)) !== 0) {
    throw new ConfigError(
      'TILLBELL_MODE is live, and the clock of this database was moved in the sandbox. Use a database of its own.',
    )
  }
  if ((await readSetting(sql, demoSetting)) !== null) {
    throw new ConfigError(
      'TILLBELL_MODE is live, and this database holds the demo merchant. Use a database of its own.',
    )
  }
}

/** Made by the first start; tokens are boxed to its public half. */
async function serviceKeyPair(sql: Database, sealer: Sealer): Promise<{ publicKey: string; opened: Opened }> {
  const fresh = newKeyPair()
  const privateKeySealed = sealer.seal(fresh.privateKey, belongsTo.serviceKey).toString('base64')
  const kept = await keepFirst(sql, serviceKeySetting, { publicKey: fresh.publicKey, privateKeySealed })
  // Opening it proves, before anything is served, that there is the key that all else was sealed with: it is sealed again last.
  return openServiceKey(kept, sealer)
}

/** Refuses with DoesNotOpenError. */
export function openServiceKey(kept: Json, sealer: Sealer): { publicKey: string; opened: Opened } {
  const { publicKey, privateKeySealed } = kept as { publicKey: string; privateKeySealed: string }
  const opened = sealer.openedBy(Buffer.from(privateKeySealed, 'base64'), belongsTo.serviceKey)
  if (opened === null) throw new DoesNotOpenError(opensNothing(sealer.keyNames))
  return { publicKey, opened }
}

/**
 * For a service, which will seal: who goes back to the old key alone, while a new one has sealed already, could not open what that one sealed. A command is not
 * refused: one of them is how to get out of it.
 */
export async function refuseUnknownSealers({ sql, sealer: { keyNames } }: Foundation): Promise<void> {
  const [missing] = await addSealingKey(sql, keyNames)
  if (missing === undefined) return
  throw new DoesNotOpenError(
    `A service that seals with the key ${missing} was started on this database, and TILLBELL_SECRET_KEY does not hold that key: what it has sealed could not be opened. Add it behind the others, with a comma between them. If it is lost, tillbell secret-key reseal says whether anything needs it.`,
  )
}

function opensNothing(names: readonly string[]): string {
  const which = names.length === 1 ? `the key ${names[0]}` : `any of the keys ${names.join(', ')}`
  return `What this database holds does not open with this TILLBELL_SECRET_KEY: the service's own key was not sealed with ${which}. Set the one that it was sealed with; where it is to be replaced, both, with a comma between them.`
}
