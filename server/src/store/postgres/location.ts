import { createHash } from 'node:crypto'
import { access, chmod, constants, lstat, mkdir, readdir, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Account, accountForNew, blockedAt, runningAsRoot } from './account.ts'
import { codeOf, EmbeddedDatabaseError } from './failure.ts'

// data folder: what the user named. home: the folder PostgreSQL's own folder lives in, the data folder where possible.
// shelter: where root keeps homes and programs that PostgreSQL's account could not reach where they were.

export interface Location {
  /** The data folder, absolute and without links. */
  readonly dataFolder: string
  readonly home: string
  /** PGDATA. */
  readonly folder: string
  readonly account: Account
  /** Why the home is not the data folder, as the end of a sentence. */
  readonly movedBecause: string | null
}

/** Decides where the database of a data folder lives. Data that exists decides: it is never passed over for a new home. */
export async function locate(dataFolder: string, shelter: string): Promise<Location> {
  // Root's data folder can be entered by others, but not listed: PostgreSQL's account has to get to its own folder.
  await mkdir(dataFolder, { recursive: true, mode: runningAsRoot() ? 0o711 : 0o700 })
  const real = await realpath(dataFolder)
  return runningAsRoot() ? locateAsRoot(real, shelter) : locateAsUser(real, shelter)
}

/** Whether a data folder has a database, or somebody is just making it one. Changes nothing. */
export async function hasHome(dataFolder: string, shelter: string): Promise<boolean> {
  try {
    const real = await realpath(dataFolder)
    if ((await readdir(real)).some(name => name.startsWith('postgres'))) return true
    return await exists(homeInShelter(real, shelter))
  } catch (error) {
    // One that cannot be looked into may have one: opening it says what is wrong.
    return codeOf(error) !== 'ENOENT'
  }
}

export function hashOf(path: string): string {
  return createHash('sha256').update(path).digest('hex').slice(0, 16)
}

/** Creates the folder that keeps what root had to move, or refuses one that others could have put things into. */
export async function openShelter(shelter: string): Promise<void> {
  await mkdir(shelter, { recursive: true, mode: 0o755 })
  const stats = await lstat(shelter)
  if (!stats.isDirectory() || stats.uid !== 0 || (stats.mode & 0o022) !== 0) {
    throw new EmbeddedDatabaseError(
      `${shelter} must be a folder of root's that nobody else can write to, as PostgreSQL's programs and data are kept there.`,
    )
  }
  // Under a umask of 077 it came out closed to everybody else.
  await chmod(shelter, 0o755)
}

async function locateAsUser(dataFolder: string, shelter: string): Promise<Location> {
  const location = inHome(dataFolder, dataFolder, accountForNew(), null)
  const sheltered = homeInShelter(dataFolder, shelter)
  if (!(await exists(location.folder)) && (await exists(sheltered))) {
    throw new EmbeddedDatabaseError(
      `The database of ${dataFolder} was created by root and is kept in ${sheltered}. Run Tillbell as root, ` +
        'or give it a data folder of its own.',
    )
  }
  await assertOurs(location.folder)
  return location
}

async function locateAsRoot(dataFolder: string, shelter: string): Promise<Location> {
  const existing = await databaseOwner(join(dataFolder, 'postgres'))
  if (existing !== null) return existingInDataFolder(dataFolder, existing)
  const account = accountForNew()
  const blocked = await blockedAt(dataFolder, account)
  const sheltered = homeInShelter(dataFolder, shelter)
  if (blocked === null && (await databaseOwner(join(sheltered, 'postgres'))) === null) {
    return inHome(dataFolder, dataFolder, account, null)
  }
  await openShelter(shelter)
  await mkdir(sheltered, { recursive: true })
  // Root's own, so that PostgreSQL's account cannot exchange a folder in it while root works on it; not to be listed.
  await chmod(sheltered, 0o711)
  const reason = blocked === null ? 'it has been there before' : `uid ${account.uid} cannot enter ${blocked}`
  return inHome(dataFolder, sheltered, account, reason)
}

// A database that a plain user created keeps running as that user: root may come by for one command, and must not leave
// files behind that the user cannot read.
async function existingInDataFolder(dataFolder: string, owner: Account): Promise<Location> {
  const location = inHome(dataFolder, dataFolder, owner, null)
  if (owner.uid === 0) {
    throw new EmbeddedDatabaseError(
      `${location.folder} belongs to root, as whom PostgreSQL refuses to run. Give it to another account: ` +
        `chown -R 65534:65534 '${location.folder}'`,
    )
  }
  const blocked = await blockedAt(dataFolder, owner)
  if (blocked === null) return location
  throw new EmbeddedDatabaseError(
    `The database in ${location.folder} belongs to uid ${owner.uid}, which cannot enter ${blocked}. ` +
      `Let it through: chmod o+x '${blocked}'`,
  )
}

function inHome(dataFolder: string, home: string, account: Account, movedBecause: string | null): Location {
  return { dataFolder, home, folder: join(home, 'postgres'), account, movedBecause }
}

function homeInShelter(dataFolder: string, shelter: string): string {
  return join(shelter, hashOf(dataFolder))
}

async function assertOurs(folder: string): Promise<void> {
  try {
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return
    const owner = (await ownerOf(folder))?.uid ?? 'unknown'
    throw new EmbeddedDatabaseError(
      `The database in ${folder} belongs to another user (uid ${owner}). Run Tillbell as that user or as root, ` +
        'or give it a data folder of its own.',
      { cause: error },
    )
  }
}

// An empty folder that somebody prepared is not a database yet, and its owner says nothing.
async function databaseOwner(folder: string): Promise<Account | null> {
  return (await exists(join(folder, 'PG_VERSION'))) ? ownerOf(folder) : null
}

async function ownerOf(path: string): Promise<Account | null> {
  try {
    const { uid, gid } = await stat(path)
    return { uid, gid }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
}

async function exists(path: string): Promise<boolean> {
  return (await ownerOf(path)) !== null
}
