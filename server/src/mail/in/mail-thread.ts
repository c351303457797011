// A thread that reads inbound email, one job at a time. mail-threads.ts starts it, gives it jobs, and ends it.

import { parentPort } from 'node:worker_threads'
import { giveWay } from '../../threads/give-way.ts'
import { concatenateBlobs } from './concatenating-blob.ts'
import type { MailReader } from './mail-reader.ts'
import { readInThisThread } from './read-in-this-thread.ts'

export interface Job {
  readonly name: keyof MailReader
  /** Those of the reader's function. A message arrives as bytes without Buffer's methods. */
  readonly given: readonly unknown[]
}

/** `ready`: it has loaded, and takes jobs. `cpuMs`: what the job took. */
export type FromThread =
  | { readonly kind: 'ready' }
  | { readonly kind: 'done'; readonly cpuMs: number; readonly result: unknown }
  | { readonly kind: 'failed'; readonly cpuMs: number; readonly error: unknown }

async function done({ name, given }: Job): Promise<FromThread> {
  const before = process.threadCpuUsage()
  const cpuMs = () => {
    const { user, system } = process.threadCpuUsage(before)
    return (user + system) / 1_000
  }
  // A copy: what is shared with the event loop is not accepted everywhere.
  const all = given.map(each => (each instanceof Uint8Array ? Buffer.from(each) : each))
  const read = readInThisThread[name] as (...given: readonly unknown[]) => Promise<unknown>
  try {
    const result = await read(...all)
    return { kind: 'done', cpuMs: cpuMs(), result }
  } catch (error) {
    return { kind: 'failed', cpuMs: cpuMs(), error }
  }
}

giveWay()
concatenateBlobs()
parentPort?.on('message', async (job: Job) => parentPort?.postMessage(await done(job)))
parentPort?.postMessage({ kind: 'ready' } satisfies FromThread)
