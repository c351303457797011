import { setTimeout as pause } from 'node:timers/promises'
import type { Bell } from './bell.ts'
import { bringUp } from './bring-up.ts'
import type { Cluster } from './cluster.ts'
import { textOf } from './failure.ts'
import { claimOwnership } from './ownership.ts'
import { isPostmasterOf, type Postmaster } from './postmaster.ts'
import type { Session } from './session.ts'

/** What an owner has in hand. The session may be lost, and is then to be replaced. */
export interface Holding {
  readonly postmaster: Postmaster
  readonly session: Session
}

export interface Supervision {
  /** Ends the supervision, and gives back what is held now. */
  end(): Promise<Holding>
}

const lookEveryMs = 1_000
const claimEveryMs = 100
const restartDelayMinMs = 100
const restartDelayMaxMs = 5_000
// Who lives this long has not died of how it was started.
const stableAfterMs = 60_000

/**
 * Keeps PostgreSQL running and owned. One loop does both, so that they cannot get in each other's way. It looks at the
 * process by its id, as one that was adopted is not our child and would not tell us of its end. The bell is rung when a
 * session is lost: PostgreSQL's death shows there first.
 */
export function supervise(cluster: Cluster, first: Holding, bell: Bell): Supervision {
  const { log } = cluster
  const ending = new AbortController()
  const { signal } = ending
  let { postmaster, session } = first
  let rival: number | null = null
  let restarts = 0
  let restartedAt = 0

  async function restart(): Promise<void> {
    log({ level: 'warn', text: `PostgreSQL (process ${postmaster.pid}) ended unexpectedly; it is started again` })
    if (performance.now() - restartedAt > stableAfterMs) restarts = 0
    while (!signal.aborted) {
      await pause(Math.min(restartDelayMinMs * 2 ** restarts++, restartDelayMaxMs), undefined, { signal })
      try {
        postmaster = await bringUp(cluster, signal)
        restartedAt = performance.now()
        log({ level: 'info', text: `PostgreSQL answers again (process ${postmaster.pid})` })
        return
      } catch (error) {
        if (!signal.aborted) log({ level: 'error', text: textOf(error) })
      }
    }
  }

  async function reclaim(): Promise<void> {
    const claim = await claimOwnership(postmaster.socketFolder, bell.ring)
    if (claim.kind === 'held') {
      session = claim.session
      rival = null
    } else if (claim.kind === 'taken' && claim.ownerPid !== rival) {
      rival = claim.ownerPid
      log({
        level: 'error',
        text: `Another Tillbell (process ${rival}) has taken over the database of ${cluster.dataFolder}; one of the two should be stopped`,
      })
    }
  }

  async function round(): Promise<void> {
    if (!(await isPostmasterOf(postmaster.pid, cluster.folder))) await restart()
    if (!signal.aborted && session.isLost()) await reclaim()
  }

  async function watch(): Promise<void> {
    for (;;) {
      await bell.wait(session.isLost() ? claimEveryMs : lookEveryMs, signal)
      if (signal.aborted) return
      // A round that fails (no file handles left, say) must not be the last.
      await round().catch(error => {
        if (!signal.aborted) log({ level: 'error', text: `PostgreSQL could not be looked after: ${textOf(error)}` })
      })
    }
  }

  const watching = watch()
  return {
    async end() {
      ending.abort()
      await watching
      return { postmaster, session }
    },
  }
}
