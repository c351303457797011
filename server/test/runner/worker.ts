// Runs test files one after the other in one process: starting a process and loading our code takes longer than most files.

import { join } from 'node:path'
import { describe, mock } from 'node:test'
import { pathToFileURL } from 'node:url'
import type { FromWorker, Ran, Summary, ToWorker } from './messages.ts'
import { root } from './places.ts'
import { nextSummary } from './reporter.ts'

/** Idle connections of `fetch` are gone by then. */
const saysOpenAfterMs = 8_000

const tell = (message: FromWorker) => process.send?.(message)

function nextFile(): Promise<string | null> {
  return new Promise(resolve => process.once('message', (message: ToWorker) => resolve(message.file)))
}

async function run(file: string): Promise<Ran> {
  const environment = { ...process.env }
  const startedAt = performance.now()
  const cpuBefore = process.cpuUsage()
  const summary = nextSummary()
  // A suite holds the hooks that the file has at its top, too: they run before and after its own tests alone.
  describe(file, async () => {
    await import(pathToFileURL(join(root, file)).href)
  })
  const ran = withTests(await summary)
  // What a file mocks or sets for all its tests ends with them.
  mock.reset()
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name]
  Object.assign(process.env, environment)
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

// Some of our timers keep no process alive, and a test may wait for one of them alone.
const awake = setInterval(() => {}, 3_600_000)
tell({ kind: 'ready' })
let file = await nextFile()
while (file !== null) {
  tell({ kind: 'ran', ran: await run(file) })
  file = await nextFile()
}
// What a test left open keeps the process alive: the run says so, and this says what it is.
clearInterval(awake)
process.disconnect()
const say = () => process.stdout.write(`Still open: ${process.getActiveResourcesInfo().join(', ')}\n`)
setTimeout(say, saysOpenAfterMs).unref()
