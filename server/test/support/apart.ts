// Runs long work on a thread of its own. The test runner follows every promise of its thread from its making to its end,
// and work that is all small promises is the slower for it.

import { parentPort, Worker, workerData } from 'node:worker_threads'

/** Resolves with what the module's `workApart` resolves with; rejects with what it throws. */
export function runApart<Result>(module: string, given: unknown): Promise<Result> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(import.meta.filename, { workerData: { module, given } })
    worker.once('message', resolve)
    worker.once('error', reject)
    worker.once('exit', code => reject(new Error(`the thread ended with ${code}`)))
  })
}

if (parentPort !== null && workerData?.module !== undefined) {
  const { workApart } = await import(workerData.module)
  parentPort.postMessage(await workApart(workerData.given))
}
