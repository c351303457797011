// Runs test files one after the other in one process: starting a process and loading our code takes longer than most files.

import { join } from 'node:path'
import { describe } from 'node:test'
import { pathToFileURL } from 'node:url'
import type { FromWorker, Ran, Summary, ToWorker } from './messages.ts'
import { root } from './places.ts'
import { nextSummary } from './reporter.ts'

const tell = (message: FromWorker) => process.send?.(message)

function nextFile(): Promise<string | null> {
  return new Promise(resolve => process.once('message', (message: ToWorker) => resolve(message.file)))
}

async function run(file: string): Promise<Ran> {
  const startedAt = performance.now()
  const cpuBefore = process.cpuUsage()
  const summary = nextSummary()
  // A suite holds the hooks that the file has at its top, too: they run before and after its own tests alone.
  describe(file, async () => {
    await import(pathToFileURL(join(root, file)).href)
  })
  const ran = withTests(await summary)
  const cpu = process.cpuUsage(cpuBefore)
  return {
    file,
    ...ran,
    wallMs: performance.now() - startedAt,
    cpuMs: (cpu.user + cpu.system) / 1_000,
  }
}

/** A file whose tests were all left out by a name pattern is fine; one that has none guards nothing. */
function withTests(summary: Summary): Summary {
  const { passed, skipped, failures } = summary
  const isEmpty = passed + skipped.length + failures.length === 0
  const isFiltered = process.execArgv.some(flag => flag.startsWith('--test-') && flag.includes('pattern'))
  if (!isEmpty || isFiltered) return summary
  return { ...summary, failures: [{ test: '(file)', text: 'It holds no test.' }] }
}

tell({ kind: 'ready' })
let file = await nextFile()
while (file !== null) {
  tell({ kind: 'ran', ran: await run(file) })
  file = await nextFile()
}
// What a test left open keeps the process alive: the run says so.
process.disconnect()
