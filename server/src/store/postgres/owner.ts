import { setTimeout as pause } from 'node:timers/promises'
import { createBell } from './bell.ts'
import { bringUp } from './bring-up.ts'
import type { Cluster } from './cluster.ts'
import { EmbeddedDatabaseError } from './failure.ts'
import { claimOwnership, type Passing, type Taken } from './ownership.ts'
import { findPostmaster, type Postmaster, stopPostmaster } from './postmaster.ts'
import { type Holding, supervise } from './supervise.ts'

export interface Opened {
  readonly postmaster: Postmaster
  close(): Promise<void>
}

const claimMaxMs = 10_000
const claimEveryMs = 50

/** Takes the database for the service, and supervises it until it is closed. */
export async function openAsOwner(cluster: Cluster): Promise<Opened> {
  const bell = createBell()
  const first = await takeOver(cluster, claimMaxMs, bell.ring)
  const { postmaster } = first
  cluster.log({ level: 'info', text: `PostgreSQL runs on ${cluster.folder} (process ${postmaster.pid})` })
  // Restarts must come back under the address that the service's connections know.
  const supervised = { ...cluster, socketFolder: postmaster.socketFolder }
  const supervision = supervise(supervised, first, bell)
  return { postmaster, close: async () => letGo(await supervision.end(), cluster) }
}

async function takeOver(cluster: Cluster, waitMaxMs: number, onLost: () => void): Promise<Holding> {
  const until = performance.now() + waitMaxMs
  for (;;) {
    const postmaster = await bringUp(cluster)
    const claim = await claimOwnership(postmaster.socketFolder, onLost)
    if (claim.kind === 'held') return { postmaster, session: claim.session }
    // PostgreSQL keeps running, even if we started it a moment ago: it is the other's now.
    if (claim.kind === 'taken' || performance.now() > until) throw refusal(cluster, claim)
    await pause(claimEveryMs)
  }
}

function refusal({ dataFolder, folder }: Cluster, claim: Taken | Passing): EmbeddedDatabaseError {
  if (claim.kind === 'passing' && claim.ownerPid === null) {
    return new EmbeddedDatabaseError(`The database in ${folder} could not be taken: ${claim.text}`)
  }
  return new EmbeddedDatabaseError(
    `Another Tillbell (process ${claim.ownerPid}) already runs on the data folder ${dataFolder}. ` +
      'Stop that one first, or give this one a data folder of its own.',
  )
}

/** Stops PostgreSQL if it is still ours. */
async function letGo({ postmaster, session }: Holding, cluster: Cluster): Promise<void> {
  if (!session.isLost()) {
    await stopPostmaster(postmaster, cluster)
    return session.end()
  }
  await session.end()
  const again = await takeBack(cluster)
  if (again === null) return
  await stopPostmaster(again.postmaster, cluster)
  await again.session.end()
}

// PostgreSQL lost us just before the end: it crashed, and may be up again by itself, by somebody else, or not at all.
async function takeBack({ folder }: Cluster): Promise<Holding | null> {
  const until = performance.now() + claimMaxMs
  for (;;) {
    const postmaster = await findPostmaster(folder)
    if (postmaster === null) return null
    const claim = await claimOwnership(postmaster.socketFolder, () => {})
    if (claim.kind === 'held') return { postmaster, session: claim.session }
    if (claim.kind === 'taken' || performance.now() > until) return null
    await pause(claimEveryMs)
  }
}
