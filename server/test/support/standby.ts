// A PostgreSQL and its synchronous standby, each behind a line of its own that can fall silent: what a failover is made of.

import { spawn } from 'node:child_process'
import { appendFile, chmod, chown, cp, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import pg from 'pg'
import { type Line, openLine } from '../../../storm/line.ts'
import { connect, type Database } from '../../src/store/database.ts'
import { identityFor } from '../../src/store/postgres/account.ts'
import { type Cluster, prepareCluster } from '../../src/store/postgres/cluster.ts'
import { production } from '../../src/store/postgres/embedded.ts'
import { programEnvironment } from '../../src/store/postgres/program.ts'
import { atEnd, emptyFolder, noneIsLeftIn, processesIn } from './temporary-folder.ts'
import { until } from './until.ts'

export interface PostgresServer {
  readonly line: Line
  /** Past the line. */
  readonly sql: Database
  /** SIGKILL, to all of its processes. */
  kill(): Promise<void>
}

export interface Pair {
  readonly primary: PostgresServer
  readonly standby: PostgresServer
  /** Both, as an operator names them. */
  readonly url: string
  /** Resolves when the standby takes writes. */
  promote(): Promise<void>
}

export async function openPair(t: TestContext): Promise<Pair> {
  const folder = await emptyFolder(t)
  const cluster = await prepareCluster(join(folder, 'primary'), 'tillbell-guest', production, () => {})
  const copy = join(folder, 'standby', 'postgres')
  await mkdir(join(folder, 'standby'))
  await cp(cluster.folder, copy, { recursive: true, preserveTimestamps: true })
  await ownedBy(cluster, copy)
  // It has nothing that the primary has not written since: so there is no need to copy a running one.
  await writeFile(join(copy, 'standby.signal'), '')
  const from = `host=${await socketsIn(cluster, folder, 'p')} user=tillbell application_name=standby`
  await appendFile(join(copy, 'postgresql.auto.conf'), `primary_conninfo = '${from}'\n`)
  // In its file, where it can be taken back while it runs.
  await appendFile(join(cluster.folder, 'postgresql.auto.conf'), `synchronous_standby_names = '*'\n`)
  const primary = await startServer(t, cluster, cluster.folder, join(folder, 'p'))
  const standby = await startServer(t, cluster, copy, await socketsIn(cluster, folder, 's'))
  const follows = async () =>
    (await primary.sql`select from pg_stat_replication where sync_state = 'sync'`.start().catch(() => [])).length === 1
  await until('the standby follows', follows, 60_000)
  return {
    primary,
    standby,
    url: `postgres://tillbell@127.0.0.1:${primary.line.port},127.0.0.1:${standby.line.port}/tillbell?target_session_attrs=read-write`,
    async promote() {
      // Not by a connection of ours, which take a standby for nobody there.
      const client = new pg.Client({ host: join(folder, 's'), user: 'tillbell', database: 'tillbell' })
      await client.connect()
      const { rows } = await client.query('select pg_promote() as done')
      await client.end()
      if (rows[0].done !== true) throw new Error('it was not promoted')
    },
  }
}

async function startServer(
  t: TestContext,
  { binaries, account }: Cluster,
  folder: string,
  sockets: string,
): Promise<PostgresServer> {
  const settings = ['listen_addresses=', `unix_socket_directories=${sockets}`, 'max_connections=200']
  const child = spawn(
    join(binaries.folder, 'bin/postgres'),
    ['-D', folder, ...settings.flatMap(setting => ['-c', setting])],
    { cwd: '/', stdio: 'ignore', env: programEnvironment(), ...identityFor(account) },
  )
  const line = await openLine(join(sockets, '.s.PGSQL.5432'))
  atEnd(t, () => line.close())
  const sql = connect({
    address: `postgres:///tillbell?host=${sockets}&user=tillbell`,
    connectionsMax: 3,
    name: 'test',
  })
  atEnd(t, () => sql.end())
  const server = {
    line,
    sql,
    async kill() {
      child.kill('SIGKILL')
      for (const pid of await processesIn(folder)) process.kill(pid, 'SIGKILL')
      await noneIsLeftIn(folder)
    },
  }
  atEnd(t, () => server.kill().catch(() => {}))
  return server
}

async function socketsIn({ account }: Cluster, folder: string, name: string): Promise<string> {
  const path = join(folder, name)
  await mkdir(path, { recursive: true })
  await chown(path, account.uid, account.gid)
  return path
}

async function ownedBy({ account }: Cluster, folder: string): Promise<void> {
  await chmod(folder, 0o700)
  for (const name of ['.', ...(await readdir(folder, { recursive: true }))]) {
    await chown(join(folder, name), account.uid, account.gid)
  }
}
