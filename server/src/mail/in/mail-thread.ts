// A thread that reads inbound email, one job at a time. mail-threads.ts starts it, gives it jobs, and ends it.

import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { concatenateBlobs } from './concatenating-blob.ts'
import type { MailReader } from './mail-reader.ts'
import { readInThisThread } from './read-in-this-thread.ts'

export interface Job {
  readonly name: keyof MailReader
  /** Those of the reader's function. The first is the message, which arrives as bytes without Buffer's methods. */
  readonly given: readonly [Uint8Array, ...unknown[]]
}

/** `ready`: it has loaded, and takes jobs. `cpuMs`: what the job took. */
export type FromThread =
  | { readonly kind: 'ready' }
  | { readonly kind: 'done'; readonly cpuMs: number; readonly result: unknown }
  | { readonly kind: 'failed'; readonly cpuMs: number; readonly error: unknown }

/** A third of what others get: at 10, a tenth, honest mail stood still on a machine with ten times as much to do as it has cores. */
const niceness = 5

/** Linux schedules each thread by itself: payments go first where there are not enough cores for both. */
function giveWay(): void {
  try {
    const [, thread] = /task\/(\d+)$/.exec(readlinkSync('/proc/thread-self')) ?? []
    if (thread !== undefined) setPriority(Number(thread), niceness)
  } catch {
    // Elsewhere threads have no priority of their own.
  }
}

async function done({ name, given }: Job): Promise<FromThread> {
  const before = process.threadCpuUsage()
  const cpuMs = () => {
    const { user, system } = process.threadCpuUsage(before)
    return (user + system) / 1_000
  }
  const [bytes, ...rest] = given
  // A copy: what is shared with the event loop is not accepted everywhere.
  const mail = Buffer.from(bytes)
  const read = readInThisThread[name] as (mail: Buffer, ...rest: readonly unknown[]) => Promise<unknown>
  try {
    const result = await read(mail, ...rest)
    return { kind: 'done', cpuMs: cpuMs(), result }
  } catch (error) {
    return { kind: 'failed', cpuMs: cpuMs(), error }
  }
}

giveWay()
concatenateBlobs()
parentPort?.on('message', async (job: Job) => parentPort?.postMessage(await done(job)))
parentPort?.postMessage({ kind: 'ready' } satisfies FromThread)
