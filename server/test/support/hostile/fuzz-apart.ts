// A fuzzer on a thread of its own: one that hangs is ended and says which case it was at, and one that takes memory without end
// dies of it alone. The test runner follows every promise of its own thread, which would make small ones slow, too.

import assert from 'node:assert/strict'
import { parentPort, Worker, workerData } from 'node:worker_threads'
import { again, type Budget, type Fuzzed, fuzz, type Outcomes } from './fuzz.ts'

/** Of one case, and of the beginning. No case takes a thousandth of it. */
const hangsMs = 120_000
const memoryMiB = 512

/** `module` exports `open`, which answers what is to be held. */
export async function fuzzApart(module: string, given: Budget): Promise<Outcomes> {
  const at = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(import.meta.filename, {
    workerData: { fuzzed: module, given, at },
    resourceLimits: { maxOldGenerationSizeMb: memoryMiB },
  })
  const { promise, resolve, reject } = Promise.withResolvers<Outcomes>()
  let seenAt = -1
  const watch = setInterval(() => {
    if (at[0] !== seenAt) seenAt = at[0] ?? 0
    else {
      reject(new Error(`case ${seenAt} hangs; again: ${again(given.seed, seenAt)}`))
      void worker.terminate()
    }
  }, hangsMs)
  worker.once('message', resolve)
  worker.once('error', reject)
  worker.once('exit', code => reject(new Error(`the thread ended with ${code}`)))
  return promise.finally(() => clearInterval(watch))
}

/** That the cases were worth something: at least so many of a hundred ended in each of these ways. */
export function reached(outcomes: Outcomes, percents: { readonly [word: string]: number }): void {
  const all = Object.values(outcomes).reduce((sum, count) => sum + count, 0)
  if (all < 1_000) return // of a few, chance decides
  for (const [word, percent] of Object.entries(percents)) {
    assert.ok((outcomes[word] ?? 0) >= (all * percent) / 100, `${word}: ${JSON.stringify(outcomes)}`)
  }
}

if (parentPort !== null && workerData?.fuzzed !== undefined) {
  const { fuzzed, given, at } = workerData
  const { open } = (await import(fuzzed)) as { open: () => Promise<Fuzzed<unknown>> | Fuzzed<unknown> }
  const opened = await open()
  try {
    const outcomes = await fuzz(opened, given, index => {
      at[0] = index
    })
    parentPort.postMessage(outcomes)
  } finally {
    await opened.close?.()
  }
}
