// A real PostgreSQL for a benchmark: the embedded one, in a folder that goes with it.

import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbedded } from '../server/src/store/postgres/embedded.ts'

export interface BenchDatabase {
  readonly url: string
  readonly folder: string
  close(): Promise<void>
}

export async function openBenchDatabase(): Promise<BenchDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'tillbell-bench-'))
  await chmod(folder, 0o711) // as root, PostgreSQL runs as another user and must get through
  const database = await openEmbedded({ dataFolder: folder, as: 'owner', log: () => {} })
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
