// What every command stands on: the database, migrated; the key that seals secrets; the clock; the service's key pair.

import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Clock, openClock, readOffsetMs } from './clock.ts'
import { type Config, ConfigError } from './config.ts'
import { type KeyPair, newKeyPair } from './keys/key-pair.ts'
import { uuidMaker } from './keys/new-ids.ts'
import { createSealer, type Sealer } from './keys/sealing.ts'
import { secretKeyInFolder } from './keys/secret-key.ts'
import type { Logger } from './observe/log.ts'
import { connect, type Database } from './store/database.ts'
import { migrate, readMigrations } from './store/migrate.ts'
import { runningAsRoot } from './store/postgres/account.ts'
import { type EmbeddedDatabase, openEmbedded } from './store/postgres/embedded.ts'
import { keepFirst, readSetting } from './store/settings.ts'

export interface Foundation {
  readonly config: Config
  readonly sql: Database
  readonly sealer: Sealer
  readonly clock: Clock
  readonly newUuid: () => string
  readonly servicePublicKey: string
  /** Opens the tokens that were boxed to the public one. */
  readonly servicePrivateKey: string
  /** Something the user should know about where the embedded database lives. */
  readonly notice: string | null
  close(): Promise<void>
}

const connectionsMax = 20
const serverVersionMin = 150_000
export const demoSetting = 'demo_merchant'

export async function openFoundation(config: Config, as: 'owner' | 'guest', log: Logger): Promise<Foundation> {
  if (config.databaseUrl === null || config.secretKey === null) await refuseImpossibleFolder(config.dataFolder)
  const embedded = config.databaseUrl === null ? await openOwn(config, as, log) : null
  const address = embedded?.address ?? config.databaseUrl ?? ''
  const sql = connect({ address, connectionsMax, name: `tillbell ${process.pid}` })
  const close = async () => {
    await sql.end({ timeout: 5 })
    await embedded?.close()
  }
  try {
    await prepare(sql, log)
    const secretKey = config.secretKey ?? (await keyInFolder(config.dataFolder))
    const sealer = createSealer(secretKey)
    const clock = await openClock(sql)
    if (config.mode === 'live') await refuseSandboxData(sql)
    const serviceKeys = await serviceKeyPair(sql, sealer)
    return {
      config,
      sql,
      sealer,
      clock,
      newUuid: uuidMaker(clock.now),
      servicePublicKey: serviceKeys.publicKey,
      servicePrivateKey: serviceKeys.privateKey,
      notice: embedded?.notice ?? null,
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
    if (error.code !== 'ENOENT') return
    throw new ConfigError(`TILLBELL_DATA ${dataFolder} cannot be used: no folder can be made in ${dirname(missing)}.`)
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

async function keyInFolder(dataFolder: string): Promise<Buffer> {
  return secretKeyInFolder(dataFolder).catch(error => {
    throw new ConfigError(error.code ? `TILLBELL_DATA ${dataFolder} cannot be used (${error.code}).` : error.message)
  })
}

async function prepare(sql: Database, log: Logger): Promise<void> {
  const [version] = await sql<{ number: number; name: string }[]>`
    select current_setting('server_version_num')::int as number, current_setting('server_version') as name`
  if (version !== undefined && version.number < serverVersionMin) {
    throw new ConfigError(`DATABASE_URL leads to PostgreSQL ${version.name}; Tillbell needs 15 or newer.`)
  }
  for (const name of await migrate(sql, await readMigrations())) log.info({ migration: name }, 'migrated')
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
async function serviceKeyPair(sql: Database, sealer: Sealer): Promise<KeyPair> {
  const fresh = newKeyPair()
  const privateKeySealed = sealer.seal(fresh.privateKey, 'private key of the service').toString('base64')
  const kept = await keepFirst(sql, 'service_key', { publicKey: fresh.publicKey, privateKeySealed })
  const { publicKey, privateKeySealed: sealed } = kept as { publicKey: string; privateKeySealed: string }
  // Opening it proves, before anything is served, that this is the key that everything else was sealed with.
  return { publicKey, privateKey: sealer.open(Buffer.from(sealed, 'base64'), 'private key of the service') }
}
