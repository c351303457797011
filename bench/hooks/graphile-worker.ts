// graphile-worker, fetching and completing jobs many at a time. It has no place for what was answered: a job that is done is deleted. One setting, not tuned.

import type { EventEmitter } from 'node:events'
import { peerPackage } from '../peer-packages.ts'
import { atOnce, type Enter, loadCounted, manyDetails, tidying } from './contestant.ts'
import { post } from './post.ts'

/** As its own function does, but as part of a transaction. */
const addJobs = `select from graphile_worker.add_jobs(array(select json_populate_recordset(null::graphile_worker.job_spec, $1::json)))`

export const enter: Enter = async ({ receiverUrl, databaseUrl }) => {
  const { run, Logger } = peerPackage('graphile-worker')
  const { Pool } = peerPackage('pg')
  const pool = new Pool({ connectionString: databaseUrl, max: 10 })
  pool.on('error', () => {})
  pool.on('connect', (client: EventEmitter) => client.on('error', () => {}))
  const runner = await run({
    pgPool: pool,
    logger: new Logger(() => () => {}),
    noHandleSignals: true,
    preset: {
      worker: {
        concurrentJobs: atOnce,
        pollInterval: 500,
        localQueue: { size: 500 },
        completeJobBatchDelay: 4,
        failJobBatchDelay: 4,
      },
    },
    taskList: { deliver: ({ details }: { details: string }) => post(receiverUrl, details) },
  })
  return {
    async load(count) {
      const jobs = manyDetails(count).map(details => ({ identifier: 'deliver', payload: { details } }))
      await loadCounted(pool, 'graphile_worker._private_jobs', client => client.query(addJobs, [JSON.stringify(jobs)]))
    },
    async left() {
      const { rows } = await pool.query('select count(*)::int as left from graphile_worker._private_jobs')
      return rows[0].left
    },
    async tidy() {
      for (const statement of tidying) await pool.query(statement)
    },
    async stop() {
      await runner.stop()
      await pool.end()
    },
  }
}
