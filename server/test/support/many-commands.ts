// Runs commands one after the other, and says what each said and how it ended: those that its argument lists, or those that come over
// the channel of whoever started it. What most of the time of a small command goes into is to start a process and to load the program. Only
// for those that print and end.

import { run } from '../../src/cli/run.ts'
import type { Ended } from './command.ts'

async function ended(words: readonly string[]): Promise<Ended> {
  const said = { stdout: '', stderr: '' }
  const before = { stdout: process.stdout.write, stderr: process.stderr.write }
  for (const stream of ['stdout', 'stderr'] as const) {
    process[stream].write = (text: string | Uint8Array) => {
      said[stream] += text
      return true
    }
  }
  process.exitCode = undefined
  try {
    await run(words)
  } finally {
    for (const stream of ['stdout', 'stderr'] as const) process[stream].write = before[stream]
  }
  return { code: Number(process.exitCode ?? 0), ...said }
}

if (process.send === undefined) {
  const all: Ended[] = []
  for (const words of JSON.parse(process.argv[2] ?? '[]')) all.push(await ended(words))
  process.exitCode = 0
  process.stdout.write(JSON.stringify(all))
} else {
  process.on('message', async words => process.send?.(await ended(words as string[])))
}
