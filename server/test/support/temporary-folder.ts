import { chmod, mkdir, mkdtemp, readdir, readFile, readlink, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Surroundings } from '../../src/store/postgres/cluster.ts'
import { type DatabaseAddress, type EmbeddedDatabase, openEmbedded } from '../../src/store/postgres/embedded.ts'
import type { Log } from '../../src/store/postgres/log.ts'
import { findPostmaster } from '../../src/store/postgres/postmaster.ts'
import { openSession } from '../../src/store/postgres/session.ts'

const endings = new WeakMap<TestContext, (() => Promise<void>)[]>()

/** Like `t.after`, but the last one given is the first to run: what came into a folder goes before the folder. */
export function atEnd(t: TestContext, end: () => Promise<void>): void {
  const known = endings.get(t)
  if (known !== undefined) {
    known.push(end)
    return
  }
  const ends = [end]
  endings.set(t, ends)
  t.after(async () => {
    const failures: unknown[] = []
    for (const each of ends.reverse()) await each().catch(error => failures.push(error))
    if (failures.length > 0) throw failures[0]
  })
}

/** An empty folder that PostgreSQL's account can enter. */
export async function emptyFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tb-'))
  await chmod(folder, 0o755)
  atEnd(t, async () => {
    await endAllIn(folder)
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  return folder
}

// The database of one test is the next one's: initialising one for each would take most of the tests' time, and copying
// one is hardly faster. It is whole after each test, as that is what the tests are about.
const spares: string[] = []
const spareFolders: string[] = []

/** A data folder with an initialised database, which may hold tables of earlier tests; `names` are folders on the way. */
export async function initialisedFolder(t: TestContext, ...names: string[]): Promise<string> {
  const folder = await emptyFolder(t)
  const dataFolder = join(folder, ...names)
  await mkdir(dataFolder, { recursive: true })
  const spare = spares.pop() ?? (await initialiseSpare())
  const inUse = join(dataFolder, 'postgres')
  await rename(spare, inUse)
  atEnd(t, async () => {
    await endAllIn(folder)
    await rename(inUse, spare)
    spares.push(spare)
  })
  return dataFolder
}

async function initialiseSpare(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tb-spare-'))
  spareFolders.push(folder)
  await chmod(folder, 0o755)
  const database = await openEmbedded({ dataFolder: folder, as: 'guest', log: () => {} })
  await database.close()
  return database.folder
}

/** To be given to `after` by each test file that uses initialised folders. */
export async function removeSpares(): Promise<void> {
  spares.length = 0
  for (const folder of spareFolders.splice(0)) await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}

/** Opens in this process, and closes at the end of the test where the test did not. */
export async function openHere(
  t: TestContext,
  dataFolder: string,
  as: 'owner' | 'guest',
  { log = () => {}, surroundings }: { log?: Log; surroundings?: Surroundings } = {},
): Promise<EmbeddedDatabase> {
  const database = await openEmbedded({ dataFolder, as, log }, surroundings)
  atEnd(t, () => database.close())
  return database
}

/** One statement on a connection of its own. */
export async function ask<Row extends object>(address: DatabaseAddress, statement: string): Promise<Row[]> {
  const { sql, end } = openSession(address.host, 'tillbell test')
  try {
    return [...(await sql.unsafe(statement))] as unknown as Row[]
  } finally {
    await end()
  }
}

export async function isAnswering(address: DatabaseAddress): Promise<boolean> {
  return ask(address, 'select 1').then(
    () => true,
    () => false,
  )
}

export async function postmasterPid(folder: string): Promise<number> {
  const postmaster = await findPostmaster(folder)
  if (postmaster === null) throw new Error(`no PostgreSQL runs on ${folder}`)
  return postmaster.pid
}

/** Waits for a condition, and fails with its name when it does not come true. */
export async function until(what: string, condition: () => Promise<boolean> | boolean, maxMs = 10_000): Promise<void> {
  const end = performance.now() + maxMs
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`not within ${maxMs} ms: ${what}`)
    await pause(10)
  }
}

export function noneIsLeftIn(folder: string): Promise<void> {
  return until(`no process is left in ${folder}`, async () => (await processesIn(folder)).length === 0)
}

/** PostgreSQL's processes, of which each works in its data folder; those that are dead but not reaped do not count. */
export async function processesIn(folder: string): Promise<number[]> {
  if (process.platform !== 'linux') return []
  const pids = (await readdir('/proc')).filter(name => /^\d+$/.test(name))
  const found = await Promise.all(
    pids.map(async pid => {
      const place = await readlink(`/proc/${pid}/cwd`).catch(() => '')
      const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
      return place.startsWith(folder) && command.includes('postgres') ? [Number(pid)] : []
    }),
  )
  return found.flat()
}

export async function endAllIn(folder: string): Promise<void> {
  for (const pid of await processesIn(folder)) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It ended by itself.
    }
  }
  await noneIsLeftIn(folder)
}
