import type { Cluster } from './cluster.ts'
import { type Postmaster, quitPostmaster } from './postmaster.ts'

// PostgreSQL can come to a standstill on its way out: version 18, told to stop while it recovers from a crash, neither goes on nor ends. It lets nobody
// in then, and no other can start on its folder. To be told to quit gets it out of there, as a crash would: what is committed is kept.

const stops = 'the database system is shutting down'

/** Hears what PostgreSQL says to who wants in, again and again; null: it lets one in. */
export type Hearing = (from: Postmaster, says: string | null) => Promise<void>

/** One that has said for too long that it stops is told to quit. Only for one that serves nobody: its owner has lost its session, or has not had one yet. */
export function createHearing(
  { folder, stuckAfterMs, log }: Pick<Cluster, 'folder' | 'stuckAfterMs' | 'log'>,
  now = () => performance.now(),
  quit = quitPostmaster,
): Hearing {
  let stopping: { readonly pid: number; readonly sinceMs: number } | null = null
  return async ({ pid }, says) => {
    if (says?.includes(stops) !== true) stopping = null
    else if (stopping?.pid !== pid) stopping = { pid, sinceMs: now() }
    else if (now() - stopping.sinceMs > stuckAfterMs) {
      stopping = null
      log({
        level: 'warn',
        text: `PostgreSQL (process ${pid}) stops, and does not come to its end; it is told to quit`,
      })
      await quit(pid, { folder, log })
    }
  }
}
