import { type Account, runningAsRoot } from './account.ts'
import { type Binaries, findPackage, majorOf, prepareBinaries } from './binaries.ts'
import { initialise } from './initialise.ts'
import { type Location, locate, openShelter } from './location.ts'
import type { Log } from './log.ts'
import type { StartedBy } from './settings.ts'
import { socketFolderFor } from './socket-folder.ts'

/** Everything needed to start PostgreSQL on one data folder. */
export interface Cluster {
  /** What the user named, absolute. */
  readonly dataFolder: string
  readonly home: string
  /** PGDATA. */
  readonly folder: string
  readonly socketFolder: string
  readonly binaries: Binaries
  readonly account: Account
  readonly startedBy: StartedBy
  readonly silenceMaxMs: number
  readonly stuckAfterMs: number
  readonly notice: string | null
  readonly log: Log
}

/** What is fixed in production, and what tests change. */
export interface Surroundings {
  /** Where root keeps what PostgreSQL's account could not reach in its place. */
  readonly shelter: string
  /** The npm package with PostgreSQL; null: the installed one for this platform. */
  readonly packageFolder: string | null
  /** How long a running PostgreSQL may say nothing at all before we give up on it. */
  readonly silenceMaxMs: number
  /** How long one that was told to stop, and not by its owner, may take for it before it is told to quit. */
  readonly stuckAfterMs: number
}

/** Finds or makes the programs, the folders and the database. */
export async function prepareCluster(
  dataFolder: string,
  startedBy: StartedBy,
  surroundings: Surroundings,
  log: Log,
): Promise<Cluster> {
  const packageFolder = surroundings.packageFolder ?? findPackage()
  const location = await locate(dataFolder, surroundings.shelter)
  const { folder, home, account } = location
  const shelter = async () => {
    await openShelter(surroundings.shelter)
    return surroundings.shelter
  }
  const copyFolders = runningAsRoot() ? [shelter, async () => home] : [async () => home]
  const binaries = await prepareBinaries(packageFolder, account, copyFolders)
  const created = await initialise(folder, binaries, account)
  if (created) log({ level: 'info', text: `PostgreSQL ${majorOf(binaries.version)} has a new database in ${folder}` })
  return {
    ...{ dataFolder: location.dataFolder, home, folder, binaries, account, startedBy, log },
    socketFolder: socketFolderFor(folder),
    silenceMaxMs: surroundings.silenceMaxMs,
    stuckAfterMs: surroundings.stuckAfterMs,
    notice: noticeOf(location, binaries),
  }
}

function noticeOf(location: Location, binaries: Binaries): string | null {
  const { dataFolder, folder, home, movedBecause } = location
  const { copiedBecause } = binaries
  const data = movedBecause === null ? null : `keeps the data of ${dataFolder} in ${folder}, because ${movedBecause}`
  const isElsewhere = copiedBecause !== null && !(home === dataFolder && binaries.folder.startsWith(`${home}/`))
  const programs = isElsewhere ? `runs from a copy in ${binaries.folder}, because ${copiedBecause}` : null
  const parts = [data, programs].filter(part => part !== null)
  return parts.length === 0 ? null : `PostgreSQL ${parts.join(', and ')}.`
}
