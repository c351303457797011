// pg-boss, fetching and completing in batches: twice as many on the wire as the others have, because a batch ends with its last. Each job has a
// result of its own, or one hook that fails would send the others of its batch again. One setting, not tuned.

import { peerPackage } from '../peer-packages.ts'
import { type Enter, loadCounted, manyDetails, tidying } from './contestant.ts'
import { post } from './post.ts'

const workers = 4
const batch = 64

interface Job {
  readonly id: string
  readonly data: { readonly details: string }
}

export const enter: Enter = async ({ receiverUrl, databaseUrl }) => {
  const { PgBoss } = peerPackage('pg-boss')
  const { Pool } = peerPackage('pg')
  const pool = new Pool({ connectionString: databaseUrl, max: 1 })
  const boss = new PgBoss({ connectionString: databaseUrl, max: 10, supervise: false, schedule: false })
  await boss.start()
  await boss.createQueue('deliver')
  const options = {
    batchSize: batch,
    localConcurrency: workers,
    pollingIntervalSeconds: 0.5,
    burstWhenBatchFull: true,
    perJobResults: true,
  }
  const deliver = ({ id, data }: Job) =>
    post(receiverUrl, data.details).then(
      output => ({ id, status: 'completed', output }),
      error => ({ id, status: 'failed', output: error }),
    )
  await boss.work('deliver', options, (jobs: readonly Job[]) => Promise.all(jobs.map(deliver)))
  return {
    async load(count) {
      const jobs = manyDetails(count).map(details => ({ data: { details } }))
      await loadCounted(pool, 'pgboss.job', client => {
        const db = { executeSql: (text: string, values: unknown[]) => client.query(text, values) }
        return boss.insert('deliver', jobs, { db })
      })
    },
    async left() {
      const { rows } = await pool.query(
        `select count(*)::int as left from pgboss.job where name = 'deliver' and state < 'completed'`,
      )
      return rows[0].left
    },
    async tidy() {
      for (const statement of tidying) await pool.query(statement)
    },
    async stop() {
      await boss.stop({ graceful: false })
      await pool.end()
    },
  }
}
