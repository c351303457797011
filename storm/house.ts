// The real processes of an installation with several machines, and the lines between them: two that answer, two that send, one that takes
// mail, a gateway, and one PostgreSQL. Whoever is killed is started again, as an operator's supervisor would.

import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { connect, type Database } from '../server/src/store/database.ts'
import { type EmbeddedDatabase, openEmbedded } from '../server/src/store/postgres/embedded.ts'
import { end, type ServiceProcess, spawnService, spawnTillbell } from '../server/test/support/process.ts'
import { type Line, openLine } from './line.ts'
import { type LineName, type ProcessName, processes } from './plan.ts'

export interface House {
  readonly sql: Database
  readonly lines: ReadonlyMap<LineName, Line>
  readonly mailLine: Line
  readonly gatewayUrl: string
  readonly environment: Environment
  /** Null while it is being started. */
  running(name: ProcessName): ServiceProcess | null
  /** Ends it at once, and it comes back after a while; false: it was not there. */
  kill(name: ProcessName, backAfterMs: number): Promise<boolean>
  stopGateway(): void
  continueGateway(): void
  /** Of the time of day in one process. */
  jump(name: ProcessName, byMs: number): Promise<void>
  /** What PostgreSQL is told. */
  signalDatabase(signal: 'SIGQUIT' | 'SIGINT'): Promise<void>
  /** All are there. */
  settled(): Promise<void>
  close(): Promise<void>
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

export async function openHouse(more: Environment): Promise<House> {
  const folder = await mkdtemp(join(tmpdir(), 'tillbell-storm-'))
  await chmod(folder, 0o711) // as root, PostgreSQL runs as another user and must get through
  const database = await openEmbedded({ dataFolder: folder, as: 'owner', log: () => {} })
  const sql = connect({ address: database.address, connectionsMax: 8, name: 'storm' })
  const { sandbox, url: sandboxUrl } = await startGateway()
  const lines = new Map<LineName, Line>([['gateway', await openLine(Number(new URL(sandboxUrl).port))]])
  for (const name of ['merchant', 'customers of api 1', 'customers of api 2'] as const)
    lines.set(name, await openLine())
  const mailLine = await openLine()
  const { host, port, database: name, user } = database.address
  for (const process of processes) lines.set(`database of ${process}`, await openLine(join(host, `.s.PGSQL.${port}`)))
  const shared: Environment = { TILLBELL_DATA: folder, TILLBELL_BASE_URL: 'http://tillbell.test', ...more }
  const addressBy = (lineName: LineName) => `postgres://${user}@127.0.0.1:${(lines.get(lineName) as Line).port}/${name}`
  const rooms = new Map(processes.map(process => [process, newRoom(process)]))

  function newRoom(process: ProcessName): Room {
    const clockFile = join(folder, `clock-of-${process.replace(' ', '-')}`)
    return createRoom({
      clockFile,
      environment: {
        ...shared,
        DATABASE_URL: addressBy(`database of ${process}`),
        TILLBELL_ROLES: rolesOf[process],
        NODE_OPTIONS: `--import=${join(import.meta.dirname, 'jumping-clock.ts')}`,
        STORM_CLOCK: clockFile,
      },
      isThere(service) {
        if (process === 'mail') mailLine.leadTo(service === null ? null : service.mailPort)
        if (process !== 'api 1' && process !== 'api 2') return
        lines.get(`customers of ${process}`)?.leadTo(service === null ? null : Number(new URL(service.baseUrl).port))
      },
    })
  }
  const roomOf = (process: ProcessName) => rooms.get(process) as Room

  // One migrates, and makes what the others share.
  for (const room of rooms.values()) await room.start()
  return {
    sql,
    lines,
    mailLine,
    gatewayUrl: sandboxUrl,
    environment: { ...shared, DATABASE_URL: `postgres:///${name}?host=${encodeURIComponent(host)}&user=${user}` },
    running: process => roomOf(process).service,
    kill: (process, backAfterMs) => roomOf(process).kill(backAfterMs),
    stopGateway: () => void sandbox.kill('SIGSTOP'),
    continueGateway: () => void sandbox.kill('SIGCONT'),
    jump: (process, byMs) => writeFile(roomOf(process).clockFile, String(byMs)),
    signalDatabase: async signal => void process.kill(await postmasterOf(database), signal),
    settled: async () => void (await Promise.all([...rooms.values()].map(room => room.back))),
    async close() {
      for (const room of rooms.values()) await room.close()
      await end(sandbox)
      for (const line of [...lines.values(), mailLine]) await line.close()
      await sql.end()
      await database.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
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

function createRoom(about: {
  readonly clockFile: string
  readonly environment: Environment
  isThere(service: ServiceProcess | null): void
}): Room {
  let service: ServiceProcess | null = null
  let back = Promise.resolve()
  let isOver = false

  /** Again and again: while the database is away it refuses to start, and says so. */
  async function start(): Promise<void> {
    while (service === null && !isOver) {
      service = await spawnService(about.environment).catch(() => delay(300, null))
    }
    about.isThere(service)
  }

  async function kill(backAfterMs: number): Promise<boolean> {
    const victim = service
    if (victim === null) return false
    service = null
    about.isThere(null)
    await victim.kill('SIGKILL')
    back = delay(backAfterMs).then(start)
    return true
  }

  return {
    clockFile: about.clockFile,
    get service() {
      return service
    },
    get back() {
      return back
    },
    start,
    kill,
    async close() {
      isOver = true
      await back
      await service?.kill('SIGKILL')
    },
  }
}

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
