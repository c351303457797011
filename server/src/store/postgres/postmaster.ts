import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Cluster } from './cluster.ts'
import { codeOf, textOf } from './failure.ts'
import type { Log } from './log.ts'

// postmaster: PostgreSQL's first process, whose id is in PGDATA/postmaster.pid, and the parent of all others.

export interface Postmaster {
  readonly pid: number
  readonly socketFolder: string
}

interface PidFile {
  readonly pid: number
  /** Empty until it listens. */
  readonly socketFolder: string
}

const stopMaxMs = 60_000
const quitMaxMs = 10_000
const stopPollMs = 20

/** The postmaster that runs on PGDATA, whoever started it; null where the file is missing or stale. */
export async function findPostmaster(folder: string): Promise<Postmaster | null> {
  const file = await readPidFile(folder)
  return file !== null && (await isPostmasterOf(file.pid, folder)) ? file : null
}

export async function readPidFile(folder: string): Promise<PidFile | null> {
  // Only what ends with a newline: the file may grow while we read it, and half a path is another path.
  const lines = (await readIfThere(join(folder, 'postmaster.pid'))).split('\n').slice(0, -1)
  // Negative for the single-user mode, which holds the folder just as well.
  const pid = Math.abs(Number.parseInt(lines[0] ?? '', 10))
  return pid > 0 ? { pid, socketFolder: lines[4] ?? '' } : null
}

/**
 * Whether a process is PostgreSQL on that folder. Being alive is not enough: after a restart of the machine, or in a
 * container, the id of a dead one is soon somebody else's. A dead one that nobody has reaped has no command line.
 */
export async function isPostmasterOf(pid: number, folder: string): Promise<boolean> {
  if (process.platform === 'linux') {
    const [program, ...args] = (await readIfThere(`/proc/${pid}/cmdline`)).split('\0')
    return basename(program ?? '') === 'postgres' && args.includes(folder)
  }
  const command = await promisify(execFile)('ps', ['-ww', '-o', 'command=', '-p', String(pid)]).catch(() => null)
  return command?.stdout.includes('/bin/postgres ') === true && command.stdout.includes(` ${folder} `)
}

/** Stops PostgreSQL cleanly and waits until it is gone. */
export async function stopPostmaster(
  { pid }: Postmaster,
  { folder, log }: Pick<Cluster, 'folder' | 'log'>,
): Promise<void> {
  await send(pid, folder, 'SIGINT', log)
  if (await isGone(pid, folder, stopMaxMs)) return
  log({
    level: 'warn',
    text: `PostgreSQL (process ${pid}) has not stopped in ${stopMaxMs / 1000} s; it is told to quit`,
  })
  await quitPostmaster(pid, { folder, log })
  if (await isGone(pid, folder, quitMaxMs)) return
  log({ level: 'error', text: `PostgreSQL (process ${pid}) does not stop, and is left running` })
}

/** At once: what is committed is found in its log by the next start. */
export function quitPostmaster(pid: number, { folder, log }: Pick<Cluster, 'folder' | 'log'>): Promise<void> {
  return send(pid, folder, 'SIGQUIT', log)
}

async function send(pid: number, folder: string, signal: NodeJS.Signals, log: Log): Promise<void> {
  if (!(await isPostmasterOf(pid, folder))) return
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (codeOf(error) !== 'ESRCH') log({ level: 'error', text: `Process ${pid} cannot be stopped: ${textOf(error)}` })
  }
}

async function isGone(pid: number, folder: string, waitMaxMs: number): Promise<boolean> {
  const until = performance.now() + waitMaxMs
  while (await isPostmasterOf(pid, folder)) {
    if (performance.now() > until) return false
    await pause(stopPollMs)
  }
  return true
}

async function readIfThere(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    // ESRCH: the process ended between the opening of its file and the reading.
    if (['ENOENT', 'ESRCH'].includes(codeOf(error) ?? '')) return ''
    throw error
  }
}
