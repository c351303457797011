// The embedded PostgreSQL: a real one, from npm, in the data folder, on a Unix socket only. This file is the entrance.
//
// It runs on its own. The service starts it, watches over it and stops it, but is not needed for its life: when the
// service is killed, PostgreSQL goes on, and the next service adopts it as it is.

import { type Cluster, prepareCluster, type Surroundings } from './cluster.ts'
import { codeOf, EmbeddedDatabaseError, whyNotFolder } from './failure.ts'
import { openAsGuest } from './guest.ts'
import { hasHome } from './location.ts'
import type { Log } from './log.ts'
import { type Opened, openAsOwner } from './owner.ts'
import { addressAt } from './settings.ts'

export { EmbeddedDatabaseError } from './failure.ts'

export interface DatabaseAddress {
  /** The folder of the Unix socket. */
  readonly host: string
  readonly port: number
  readonly database: string
  readonly user: string
}

export interface EmbeddedDatabase {
  readonly address: DatabaseAddress
  /** PGDATA. */
  readonly folder: string
  /** One sentence for the user where data or programs had to live elsewhere than in the data folder. */
  readonly notice: string | null
  /** Lets go of it: an owner stops it, a guest does where it is the last one and nobody owns it. */
  close(): Promise<void>
}

export interface EmbeddedOptions {
  readonly dataFolder: string
  /**
   * owner: the service. Restarts PostgreSQL when it dies, and is refused where another process is the owner.
   * guest: a command. Uses a running PostgreSQL, or starts one for its own duration.
   */
  readonly as: 'owner' | 'guest'
  readonly log: Log
}

export const production: Surroundings = {
  shelter: '/var/lib/tillbell',
  packageFolder: null,
  silenceMaxMs: 30_000,
  stuckAfterMs: 20_000,
}

/** Opens the database of a data folder, creating and starting it where needed. Refuses with EmbeddedDatabaseError. */
export async function openEmbedded(
  options: EmbeddedOptions,
  surroundings: Surroundings = production,
): Promise<EmbeddedDatabase> {
  const { dataFolder, as, log } = options
  try {
    const startedBy = as === 'owner' ? 'tillbell' : 'tillbell-guest'
    const cluster = await prepareCluster(dataFolder, startedBy, surroundings, log)
    const opened = await (as === 'owner' ? openAsOwner(cluster) : openAsGuest(cluster))
    return present(cluster, opened)
  } catch (error) {
    throw explained(error, dataFolder)
  }
}

/** Whether there is one to open in a data folder, or to wait for: for whoever must not make it. */
export function hasEmbedded(dataFolder: string, { shelter }: Surroundings = production): Promise<boolean> {
  return hasHome(dataFolder, shelter)
}

function present({ folder, notice }: Cluster, { postmaster, close }: Opened): EmbeddedDatabase {
  let closing: Promise<void> | null = null
  return {
    address: addressAt(postmaster.socketFolder),
    folder,
    notice,
    close() {
      closing ??= close()
      return closing
    },
  }
}

// A full disk, a folder without permission (ENOSPC, EACCES): failures of the machine, which the user can act on. All else
// is a bug of ours, and stays as it is.
function explained(error: unknown, dataFolder: string): unknown {
  if (error instanceof EmbeddedDatabaseError || !/^E[A-Z0-9]+$/.test(codeOf(error) ?? '')) return error
  const sentence = `The embedded PostgreSQL cannot run on the data folder ${dataFolder}: ${whyNotFolder(error)}.`
  return new EmbeddedDatabaseError(sentence, { cause: error })
}
