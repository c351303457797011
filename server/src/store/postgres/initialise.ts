import { lchown, mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Account, runningAsRoot } from './account.ts'
import { type Binaries, majorOf } from './binaries.ts'
import { draftIn, publish, removeAbandoned } from './draft.ts'
import { codeOf, EmbeddedDatabaseError } from './failure.ts'
import { runProgram } from './program.ts'
import { databaseName, databaseUser } from './settings.ts'

/** Exported for the test that interrupts an initialisation. */
export const draftPrefix = 'postgres.initialising-'

/**
 * Makes sure that PGDATA holds a database of our version, and says whether it was created just now. A new one is made
 * in a folder beside it and renamed, so that a process killed in the middle leaves no half of one in its place.
 */
export async function initialise(folder: string, binaries: Binaries, account: Account): Promise<boolean> {
  const home = dirname(folder)
  await removeAbandoned(home, draftPrefix)
  const existing = await versionIn(folder)
  if (existing !== null) {
    assertSameMajor(existing, folder, binaries)
    return false
  }
  await assertFree(folder)
  const draft = draftIn(home, draftPrefix)
  try {
    await mkdir(draft, { mode: 0o700 })
    if (runningAsRoot()) await lchown(draft, account.uid, account.gid)
    await createCluster(draft, binaries, account)
    await createDatabase(draft, binaries, account)
    // Not published: somebody who started at the same time was faster, and made the same.
    return await publish(draft, folder)
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

async function versionIn(folder: string): Promise<string | null> {
  try {
    return (await readFile(join(folder, 'PG_VERSION'), 'utf8')).trim()
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
}

async function assertFree(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  // Looked at again, as a whole database may have come between the two looks.
  if (names.length === 0 || (await versionIn(folder)) !== null) return
  throw new EmbeddedDatabaseError(
    `${folder} is not empty, and holds no PostgreSQL database. Move what is in it elsewhere, or use another data folder.`,
  )
}

function assertSameMajor(existing: string, folder: string, binaries: Binaries): void {
  const ours = majorOf(binaries.version)
  if (existing === ours) return
  throw new EmbeddedDatabaseError(
    `The database in ${folder} was created by PostgreSQL ${existing}, and this Tillbell brings PostgreSQL ${ours}, ` +
      `which cannot read it. Use the Tillbell that brought PostgreSQL ${existing}, or dump it with that one and ` +
      'restore it into a new data folder.',
  )
}

async function createCluster(draft: string, binaries: Binaries, account: Account): Promise<void> {
  // C.UTF-8 of the builtin provider sorts by code point and knows upper case beyond ASCII, and no update of the
  // system's libraries can change its order under our indexes.
  const { succeeded, output } = await runProgram(
    join(binaries.folder, 'bin/initdb'),
    [
      ...['--pgdata', draft, '--username', databaseUser],
      ...['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
      // Who reaches the socket is decided by its folder's mode. No port is opened; if one were, it would let nobody in.
      ...['--auth-local=trust', '--auth-host=reject'],
      ...['--data-checksums', '--no-instructions'],
    ],
    { account },
  )
  if (succeeded) return
  if (/could not look up effective user ID/.test(output)) throw nameless(account)
  if (/No space left on device/.test(output))
    throw new EmbeddedDatabaseError(`No database could be made in ${dirname(draft)}: its disk is full.`)
  throw new EmbeddedDatabaseError(`PostgreSQL could not be initialised: ${output}`)
}

function nameless({ uid }: Account): EmbeddedDatabaseError {
  return new EmbeddedDatabaseError(
    `PostgreSQL needs its user to have a name, and uid ${uid} has none on this machine. Add it to /etc/passwd, run as a ` +
      'user that has one, or set DATABASE_URL to a PostgreSQL of your own.',
  )
}

// In single-user mode, before anybody can see the folder: "initialised" then always means "with our database".
async function createDatabase(draft: string, binaries: Binaries, account: Account): Promise<void> {
  const { succeeded, output } = await runProgram(
    join(binaries.folder, 'bin/postgres'),
    ['--single', '-D', draft, '-c', 'exit_on_error=on', '-c', 'log_min_messages=warning', 'template1'],
    { account, input: `create database ${databaseName}\n` },
  )
  if (!succeeded) throw new EmbeddedDatabaseError(`The database could not be created: ${output}`)
}
