import { setTimeout as pause } from 'node:timers/promises'
import { bringUp } from './bring-up.ts'
import type { Cluster } from './cluster.ts'
import { EmbeddedDatabaseError } from './failure.ts'
import type { Opened } from './owner.ts'
import { claimPresence, isLastOut } from './ownership.ts'
import { stopPostmaster } from './postmaster.ts'
import type { Holding } from './supervise.ts'

const joinMaxMs = 10_000
const joinEveryMs = 50
const leaveMaxMs = 5_000

/** Uses the database for a command. The last guest stops what a guest had started, unless an owner came meanwhile. */
export async function openAsGuest(cluster: Cluster): Promise<Opened> {
  const holding = await join(cluster)
  return { postmaster: holding.postmaster, close: () => leave(holding, cluster) }
}

async function join(cluster: Cluster): Promise<Holding> {
  const until = performance.now() + joinMaxMs
  for (;;) {
    const postmaster = await bringUp(cluster)
    const claim = await claimPresence(postmaster.socketFolder)
    if (claim.kind === 'held') return { postmaster, session: claim.session }
    if (performance.now() > until) {
      throw new EmbeddedDatabaseError(`The database in ${cluster.folder} could not be used: ${claim.text}`)
    }
    await pause(joinEveryMs)
  }
}

async function leave({ postmaster, session }: Holding, cluster: Cluster): Promise<void> {
  // A lost session means that PostgreSQL has ended, or crashed and come back: not ours to stop any more.
  const stops = !session.isLost() && (await isLastOut(session, leaveMaxMs).catch(() => false))
  if (stops) await stopPostmaster(postmaster, cluster)
  await session.end()
}
