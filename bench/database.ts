// A real PostgreSQL for a benchmark: the embedded one, in a folder that goes with it.

import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from '../server/src/store/database.ts'
import { type EmbeddedDatabase, openEmbedded } from '../server/src/store/postgres/embedded.ts'

export interface BenchDatabase {
  readonly url: string
  readonly folder: string
  close(): Promise<void>
}

export async function openBenchDatabase(): Promise<BenchDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'tillbell-bench-'))
  await chmod(folder, 0o711) // as root, PostgreSQL runs as another user and must get through
  const open = () => openEmbedded({ dataFolder: folder, as: 'owner', log: () => {} })
  await rememberCommitTimes(await open())
  const database = await open()
  const { host, user, database: name } = database.address
  return {
    url: `postgres:///${name}?host=${encodeURIComponent(host)}&user=${user}`,
    folder,
    async close() {
      await database.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Takes effect with its next start. A benchmark asks when something was committed, and only the database knows. */
async function rememberCommitTimes(database: EmbeddedDatabase): Promise<void> {
  const sql = connect({ address: database.address, connectionsMax: 1, name: 'bench' })
  await sql.unsafe('alter system set track_commit_timestamp = on')
  await sql.end()
  await database.close()
}
