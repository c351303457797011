// The real processes of an installation with several machines, and the lines between them: two that answer, two that send, one that takes
// mail, a gateway, and one PostgreSQL. Whoever is killed is started again, as an operator's supervisor would.

import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { connect, type Database } from '../server/src/store/database.ts'
import { type EmbeddedDatabase, openEmbedded } from '../server/src/store/postgres/embedded.ts'
import { end as endProcess, type ServiceProcess, spawnService, spawnTillbell } from '../server/test/support/process.ts'
import { type Line, openLine } from './line.ts'
import { type LineName, lineNames, type ProcessName, processes } from './plan.ts'

export interface House {
  readonly sql: Database
  readonly gatewayUrl: string
  readonly environment: Environment
  /** Who ended though nobody killed it, or could not be brought back, and what it said. */
  readonly troubles: readonly string[]
  /** By all processes, also those that are gone. */
  logged(): string[]
  line(name: LineName): Line
  /** Those that are there. */
  services(): (readonly [ProcessName, ServiceProcess])[]
  /** False: it was not there. */
  signal(name: ProcessName | 'gateway', signal: 'SIGSTOP' | 'SIGCONT'): boolean
  /** Ends it at once, and it comes back after a while; false: it was not there. */
  kill(name: ProcessName, backAfterMs: number): Promise<boolean>
  /** The time of day in one process is another for a while. */
  jump(name: ProcessName, byMs: number, forMs: number): Promise<boolean>
  signalDatabase(signal: 'SIGQUIT' | 'SIGINT'): Promise<boolean>
  /** All are there, or never will be. */
  settled(): Promise<void>
}

interface Environment {
  readonly [name: string]: string
}

const rolesOf: { readonly [name in ProcessName]: string } = {
  'api 1': 'api',
  'api 2': 'api,pages',
  'worker 1': 'worker',
  'worker 2': 'worker',
  mail: 'mail',
}

/** `end`: whatever is opened here is closed with it, also when the rest cannot be opened. */
export async function openHouse(more: Environment, end: AsyncDisposableStack): Promise<House> {
  const folder = await mkdtemp(join(tmpdir(), 'tillbell-storm-'))
  end.defer(() => rm(folder, { recursive: true, force: true }))
  await chmod(folder, 0o711) // as root, PostgreSQL runs as another user and must get through
  const database = await openEmbedded({ dataFolder: folder, as: 'owner', log: () => {} })
  end.defer(database.close)
  const sql = connect({ address: database.address, connectionsMax: 8, name: 'storm' })
  end.defer(() => sql.end())
  const { sandbox, url: gatewayUrl } = await startGateway()
  end.defer(() => endProcess(sandbox))
  const lines = await openLines(database, end)
  const line = (name: LineName) => lines.get(name) as Line
  line('gateway').leadTo(Number(new URL(gatewayUrl).port))
  const { host, database: name, user } = database.address
  const shared: Environment = {
    ...{ TILLBELL_DATA: folder, TILLBELL_BASE_URL: 'http://tillbell.test' },
    ...{ TILLBELL_MAIL_RELAY: `smtp://127.0.0.1:${line('relay').port}`, ...more },
  }
  const troubles: string[] = []
  const ran: ServiceProcess[] = []
  const faults = { areOver: false }
  const rooms = new Map(
    processes.map(process => {
      const at = `postgres://${user}@127.0.0.1:${line(`database of ${process}`).port}/${name}`
      return [process, createRoom(process, folder, { ...shared, DATABASE_URL: at }, line, { troubles, ran, faults })]
    }),
  )
  const roomOf = (process: ProcessName) => rooms.get(process) as Room
  for (const room of rooms.values()) end.defer(room.close)
  // One migrates, and makes what the others share.
  for (const room of rooms.values()) await room.start()
  return {
    ...{ sql, gatewayUrl, troubles, line },
    logged: () => ran.flatMap(service => service.logged().split('\n')),
    environment: { ...shared, DATABASE_URL: `postgres:///${name}?host=${encodeURIComponent(host)}&user=${user}` },
    services: () => [...rooms].flatMap(([name, { service }]) => (service === null ? [] : [[name, service] as const])),
    signal: (who, signal) => (who === 'gateway' ? sandbox : roomOf(who).service?.child)?.kill(signal) ?? false,
    kill: (process, backAfterMs) => roomOf(process).kill(backAfterMs),
    async jump(process, byMs, forMs) {
      await writeFile(roomOf(process).clockFile, String(byMs))
      await delay(forMs)
      await writeFile(roomOf(process).clockFile, '0')
      return true
    },
    signalDatabase: async signal => process.kill(await postmasterOf(database), signal),
    async settled() {
      faults.areOver = true
      await Promise.all([...rooms.values()].map(room => room.back))
    },
  }
}

async function openLines(database: EmbeddedDatabase, end: AsyncDisposableStack): Promise<Map<LineName, Line>> {
  const { host, port } = database.address
  const lines = new Map<LineName, Line>()
  for (const name of lineNames) {
    const line = await openLine(name.startsWith('database of ') ? join(host, `.s.PGSQL.${port}`) : null)
    lines.set(name, line)
    end.defer(line.close)
  }
  return lines
}

interface Room {
  readonly clockFile: string
  readonly service: ServiceProcess | null
  /** Resolves when it is there again. */
  readonly back: Promise<void>
  start(): Promise<void>
  kill(backAfterMs: number): Promise<boolean>
  close(): Promise<void>
}

/** Long after a database that goes away is back. */
const backWithinMs = 90_000

interface Shared {
  readonly troubles: string[]
  readonly ran: ServiceProcess[]
  readonly faults: { readonly areOver: boolean }
}

function createRoom(
  name: ProcessName,
  folder: string,
  environment: Environment,
  line: House['line'],
  { troubles, ran, faults }: Shared,
): Room {
  const clockFile = join(folder, `clock-of-${name.replace(' ', '-')}`)
  const settings = {
    ...environment,
    TILLBELL_ROLES: rolesOf[name],
    NODE_OPTIONS: `--import=${join(import.meta.dirname, 'jumping-clock.ts')}`,
    STORM_CLOCK: clockFile,
  }
  let service: ServiceProcess | null = null
  let back = Promise.resolve()
  let isOver = false

  function isThere(): void {
    if (name === 'mail') line('mail').leadTo(service === null ? null : service.mailPort)
    if (name === 'api 1' || name === 'api 2')
      line(`customers of ${name}`).leadTo(service === null ? null : Number(new URL(service.baseUrl).port))
  }

  async function start(): Promise<void> {
    const started = await spawnService(settings)
    service = started
    ran.push(started)
    isThere()
    started.child.once('exit', (code, signal) => {
      if (service !== started) return
      leave()
      troubles.push(`${name} ended by itself (${code ?? signal}): ${lastOf(started)}`)
      back = comeBack()
    })
  }

  function leave(): void {
    service = null
    isThere()
  }

  /**
   * Again and again: while the database is away it refuses to start, and says so. A line may be silent for half a minute, and fall silent
   * again: how long it takes counts only once there are no more faults.
   */
  async function comeBack(): Promise<void> {
    let deadlineMs = performance.now() + backWithinMs
    while (!isOver && service === null) {
      if (!faults.areOver) deadlineMs = performance.now() + backWithinMs
      const failed: unknown = await start().catch(error => error)
      if (failed === undefined) return
      if (performance.now() > deadlineMs) return void troubles.push(`${name} did not come back: ${failed}`)
      await delay(300)
    }
  }

  return {
    clockFile,
    start,
    get service() {
      return service
    },
    get back() {
      return back
    },
    async kill(backAfterMs) {
      const victim = service
      if (victim === null) return false
      leave()
      await victim.kill('SIGKILL')
      back = delay(backAfterMs).then(comeBack)
      return true
    },
    async close() {
      isOver = true
      await back
      const last = service
      service = null
      await last?.kill('SIGKILL')
    },
  }
}

/** Enough to see what it was about when it said no more. */
export const lastOf = (service: ServiceProcess) => service.logged().split('\n').slice(-20).join('\n')

async function startGateway() {
  const sandbox = spawnTillbell(['sandbox-gateway', '--port', '0', '--json'], {})
  for await (const line of createInterface({ input: sandbox.stdout })) {
    return { sandbox, url: String(JSON.parse(line).url) }
  }
  throw new Error('the gateway ended without a word')
}

async function postmasterOf({ folder }: EmbeddedDatabase): Promise<number> {
  const [pid] = (await readFile(join(folder, 'postmaster.pid'), 'utf8')).split('\n')
  return Number(pid)
}
