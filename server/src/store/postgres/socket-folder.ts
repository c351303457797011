import { lchown, lstat, mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Account, runningAsRoot } from './account.ts'
import { codeOf, EmbeddedDatabaseError } from './failure.ts'
import { hashOf } from './location.ts'
import { databasePort } from './settings.ts'

// A socket's path is cut at 104 bytes on macOS and at 108 on Linux, its final zero included.
const pathMaxBytes = 100

/**
 * The folder of the socket: PGDATA itself, which PostgreSQL keeps closed to everybody else, or, where that path is too
 * long for a socket, one in the system's temporary folder.
 */
export function socketFolderFor(folder: string): string {
  const short = `tillbell-${hashOf(folder)}`
  const candidates = [folder, join(tmpdir(), short)]
  return candidates.find(candidate => Buffer.byteLength(socketPath(candidate)) <= pathMaxBytes) ?? join('/tmp', short)
}

/** Creates the folder where it is missing, and refuses one that somebody else may have prepared. */
export async function createSocketFolder(socketFolder: string, account: Account): Promise<void> {
  try {
    await mkdir(socketFolder, { mode: 0o700 })
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
  const { uid } = await lstat(socketFolder)
  // Our own of this moment, or of a start that was killed right here. `lchown`, as a link must not lead us elsewhere.
  if (uid === 0 && runningAsRoot()) await lchown(socketFolder, account.uid, account.gid)
  await assertPrivate(socketFolder, account)
}

/**
 * Refuses a folder that is not the account's alone: anyone can create one in /tmp before us, with a socket of their own
 * in it, and would then be told every statement.
 */
export async function assertPrivate(socketFolder: string, account: Account): Promise<void> {
  const stats = await lstat(socketFolder)
  if (stats.isDirectory() && stats.uid === account.uid && (stats.mode & 0o077) === 0) return
  throw new EmbeddedDatabaseError(
    `${socketFolder} is not a folder of uid ${account.uid} alone, so somebody else may have put it there. ` +
      'Look at what it is, and remove it, or use a data folder with a shorter path.',
  )
}

function socketPath(folder: string): string {
  return join(folder, `.s.PGSQL.${databasePort}`)
}
