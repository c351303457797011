// BullMQ on a Redis that syncs each write, as the others do. What was answered stays with the job.

import { peerPackage } from '../peer-packages.ts'
import { atOnce, type Enter, manyDetails } from './contestant.ts'
import { post } from './post.ts'

const bite = 1_000

interface Job {
  readonly data: { readonly details: string }
}

export const enter: Enter = async ({ receiverUrl, redisPort }) => {
  const { Queue, Worker } = peerPackage('bullmq')
  const connection = { host: '127.0.0.1', port: redisPort, maxRetriesPerRequest: null }
  const queue = new Queue('deliver', { connection })
  const worker = new Worker('deliver', ({ data }: Job) => post(receiverUrl, data.details), {
    connection,
    concurrency: atOnce,
  })
  await worker.waitUntilReady()
  return {
    async load(count) {
      await queue.pause()
      const jobs = manyDetails(count).map(details => ({ name: 'deliver', data: { details } }))
      for (let from = 0; from < count; from += bite) await queue.addBulk(jobs.slice(from, from + bite))
      await queue.resume()
    },
    async left() {
      const { waiting, active, paused, prioritized } = await queue.getJobCounts()
      return waiting + active + (paused ?? 0) + (prioritized ?? 0)
    },
    async tidy() {
      await queue.clean(0, 0, 'completed')
    },
    async stop() {
      await worker.close(true)
      await queue.close()
    },
  }
}
