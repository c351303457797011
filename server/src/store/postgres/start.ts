import { type ChildProcess, spawn } from 'node:child_process'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { identityFor } from './account.ts'
import type { Cluster } from './cluster.ts'
import { draftIn } from './draft.ts'
import { isPostmasterOf, readPidFile } from './postmaster.ts'
import { programEnvironment } from './program.ts'
import { settingsArguments } from './settings.ts'
import { createSocketFolder } from './socket-folder.ts'

/** One try to start PostgreSQL. */
export interface Attempt {
  readonly pid: number | null
  /** How it ended; null while it runs. */
  ended(): string | null
  /** What it said before its own log was open. */
  output(): Promise<string>
  /** Ends it, and waits for its end for a while. */
  quit(): Promise<void>
  /** Lets go of it, whether it runs or not. */
  forget(): Promise<void>
}

const quitMaxMs = 5_000
const outputMaxBytes = 4_096

/**
 * Starts PostgreSQL in a session of its own and lets go of it: a Ctrl-C in the terminal does not reach it, and it stays
 * when we are killed.
 */
export async function startPostgres(cluster: Cluster): Promise<Attempt> {
  const { folder, socketFolder, account, binaries, startedBy } = cluster
  if (socketFolder !== folder) await createSocketFolder(socketFolder, account)
  const output = await openNameless(cluster.home)
  try {
    const child = spawn(
      join(binaries.folder, 'bin/postgres'),
      ['-D', folder, ...settingsArguments(socketFolder, startedBy)],
      {
        cwd: '/',
        detached: true,
        stdio: ['ignore', output.fd, output.fd],
        env: { ...programEnvironment(), ...(await stalePidIn(folder)) },
        ...identityFor(account),
      },
    )
    child.unref()
    return attemptOf(child, output)
  } catch (error) {
    await output.close()
    throw error
  }
}

// For the output until the log is open. Not a pipe, which would break with us; and a file without a name, as several may
// start at once and each has to read why its own PostgreSQL did not.
async function openNameless(home: string): Promise<FileHandle> {
  const path = draftIn(home, 'postgres-start-')
  const handle = await open(path, 'ax+', 0o600)
  await unlink(path)
  return handle
}

// The process that a stale postmaster.pid names is dead, or is not PostgreSQL but got the same id later. PostgreSQL cannot
// tell the latter from a living postmaster and would refuse to start, unless it is told, by this variable, that the
// process is not one. The file stays, unlike with the usual advice to remove it: it names the shared memory too, and by
// that PostgreSQL finds out whether children of the dead one are still writing.
async function stalePidIn(folder: string): Promise<NodeJS.ProcessEnv> {
  const file = await readPidFile(folder)
  // Asked again: somebody who starts at the same time may have written a new file since we found the stale one.
  const isStale = file !== null && !(await isPostmasterOf(file.pid, folder))
  return isStale ? { PG_GRANDPARENT_PID: String(file.pid) } : {}
}

function attemptOf(child: ChildProcess, output: FileHandle): Attempt {
  let ended: string | null = null
  child.once('error', error => {
    ended = error.message
  })
  child.once('exit', (code, signal) => {
    ended = signal === null ? `it exited with code ${code}` : `it was ended by ${signal}`
  })
  return {
    pid: child.pid ?? null,
    ended: () => ended,
    output: async () => {
      const { buffer, bytesRead } = await output.read({ buffer: Buffer.alloc(outputMaxBytes), position: 0 })
      return buffer.toString('utf8', 0, bytesRead).trim()
    },
    quit: async () => {
      const until = performance.now() + quitMaxMs
      if (ended === null) child.kill('SIGQUIT')
      while (ended === null && performance.now() < until) await pause(10)
    },
    forget: () => output.close(),
  }
}
