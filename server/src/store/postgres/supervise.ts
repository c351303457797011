import { setTimeout as pause } from 'node:timers/promises'
import type { Bell } from './bell.ts'
import { bringUp } from './bring-up.ts'
import type { Cluster } from './cluster.ts'
import { textOf } from './failure.ts'
import { claimOwnership } from './ownership.ts'
import { isPostmasterOf, type Postmaster } from './postmaster.ts'
import type { Session } from './session.ts'
import { createHearing } from './stuck.ts'

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
  const ending = new AbortController()
  const { signal } = ending
  const restart = restarter(cluster, signal)
  const claim = claimer(cluster, bell, signal)
  const hear = createHearing(cluster)
  let { postmaster, session } = first

  async function round(): Promise<void> {
    if (!(await isPostmasterOf(postmaster.pid, cluster.folder))) postmaster = await restart(postmaster)
    if (!session.isLost()) return
    const claimed = await claim(postmaster, session)
    session = claimed.session
    await hear(postmaster, claimed.says)
  }

  async function watch(): Promise<void> {
    for (;;) {
      await bell.wait(session.isLost() ? claimEveryMs : lookEveryMs, signal)
      if (signal.aborted) return
      // A round that fails (no file handles left, say) must not be the last.
      await round().catch(error => {
        if (signal.aborted) return
        cluster.log({ level: 'error', text: `PostgreSQL could not be looked after: ${textOf(error)}` })
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

/** Brings PostgreSQL up again, after a delay that grows when it dies again and again. Only the signal makes it give up. */
function restarter(cluster: Cluster, signal: AbortSignal): (dead: Postmaster) => Promise<Postmaster> {
  const { log } = cluster
  let restarts = 0
  let restartedAt = 0
  return async dead => {
    log({ level: 'warn', text: `PostgreSQL (process ${dead.pid}) ended unexpectedly; it is started again` })
    if (performance.now() - restartedAt > stableAfterMs) restarts = 0
    for (;;) {
      await pause(Math.min(restartDelayMinMs * 2 ** restarts++, restartDelayMaxMs), undefined, { signal })
      try {
        const postmaster = await bringUp(cluster, signal)
        restartedAt = performance.now()
        log({ level: 'info', text: `PostgreSQL answers again (process ${postmaster.pid})` })
        return postmaster
      } catch (error) {
        if (signal.aborted) throw error
        log({ level: 'error', text: textOf(error) })
      }
    }
  }
}

/** Tries once to own PostgreSQL again: the new session, or the lost one where that is not possible now, and what it says then. */
function claimer(
  { log, dataFolder }: Cluster,
  bell: Bell,
  signal: AbortSignal,
): (at: Postmaster, lost: Session) => Promise<{ readonly session: Session; readonly says: string | null }> {
  let rival: number | null = null
  return async ({ socketFolder }, lost) => {
    const claim = await claimOwnership(socketFolder, bell.ring)
    if (claim.kind === 'held') {
      rival = null
      await lost.end()
      return { session: claim.session, says: null }
    }
    if (claim.kind === 'taken' && claim.ownerPid !== rival) {
      rival = claim.ownerPid
      const text = `Another Tillbell (process ${rival}) has taken over the database of ${dataFolder}; stop one of the two`
      log({ level: 'error', text })
    }
    // It will not be gone in the next moment.
    if (claim.kind === 'taken') await pause(lookEveryMs, undefined, { signal })
    return { session: lost, says: claim.kind === 'passing' ? claim.text : null }
  }
}
