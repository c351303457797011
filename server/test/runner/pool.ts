// Hands the files of a run to workers, each as soon as one is free.

import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { hasOwnProcess, isAlone } from './files.ts'
import type { FromWorker, Ran, ToWorker } from './messages.ts'
import { root } from './places.ts'

export interface PoolOptions {
  readonly workers: number
  readonly env: NodeJS.ProcessEnv
  /** `--test-…`, for node:test. */
  readonly flags: readonly string[]
  /** Nothing more is begun. */
  readonly stop: AbortSignal
  readonly onRan: (ran: Ran, printed: string) => void
}

/** A process that lives for all of a run would keep every test's modules and connections. */
const filesPerWorker = 60
const fileMaxMs = 1_200_000
const endMaxMs = 10_000

export async function runFiles(files: readonly string[], options: PoolOptions): Promise<void> {
  for (const file of files.filter(isAlone)) await drain([file], options)
  const others = files.filter(file => !isAlone(file))
  const queue = [...others.filter(hasOwnProcess), ...others.filter(file => !hasOwnProcess(file))]
  await Promise.all(Array.from({ length: Math.min(options.workers, queue.length) }, () => drain(queue, options)))
}

async function drain(queue: string[], options: PoolOptions): Promise<void> {
  while (queue.length > 0 && !options.stop.aborted) await runSome(queue, options)
}

/** The first file that a worker may run which has run so many already. */
function takeFrom(queue: string[], ranBefore: number): string | null {
  const index = ranBefore === 0 ? 0 : queue.findIndex(file => !hasOwnProcess(file))
  return queue.splice(index, index < 0 ? 0 : 1)[0] ?? null
}

interface Held {
  file: string | null
  hasFailures: boolean
  printed: string
  timedOut: boolean
}

/** One worker's life. A file that ends it has failed. */
async function runSome(queue: string[], { env, flags, stop, onRan }: PoolOptions): Promise<void> {
  const worker = forkWorker(env, flags)
  const held: Held = { file: null, hasFailures: false, printed: '', timedOut: false }
  let timer: NodeJS.Timeout | undefined
  let ran = 0
  let last = 'the worker'
  const handOut = () => {
    const isDone = stop.aborted || ran === filesPerWorker || (ran > 0 && hasOwnProcess(last))
    held.file = isDone ? null : takeFrom(queue, ran++)
    held.printed = ''
    worker.send({ file: held.file } satisfies ToWorker)
    clearTimeout(timer)
    if (held.file === null) return
    last = held.file
    timer = setTimeout(() => {
      held.timedOut = true
      worker.kill('SIGKILL')
    }, fileMaxMs)
  }
  const keep = (text: string) => {
    held.printed += text
  }
  worker.stdout?.setEncoding('utf8').on('data', keep)
  worker.stderr?.setEncoding('utf8').on('data', keep)
  worker.on('message', (message: FromWorker) => {
    if (message.kind === 'ran') {
      held.hasFailures ||= message.ran.failures.length > 0
      onRan(message.ran, held.printed)
    }
    handOut()
  })
  const failed = await ended(worker, held)
  clearTimeout(timer)
  if (failed !== null) onRan(failureOf(held.file ?? last, failed), held.printed)
}

function forkWorker(env: NodeJS.ProcessEnv, flags: readonly string[]): ChildProcess {
  const reporter = join(import.meta.dirname, 'reporter.ts')
  return fork(join(import.meta.dirname, 'worker.ts'), [], {
    cwd: root,
    env,
    execArgv: [...flags, `--test-reporter=${reporter}`, '--test-reporter-destination=stdout'],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
}

/** Null: as it should. */
async function ended(worker: ChildProcess, held: Held): Promise<string | null> {
  const closed = new Promise<string | null>(resolve =>
    worker.on('close', (code, signal) => resolve(signal ?? (code === 0 ? null : `exit code ${code}`))),
  )
  const disconnected = new Promise<void>(resolve => worker.on('disconnect', resolve))
  await Promise.race([closed, disconnected])
  const waiting = new AbortController()
  const how = await Promise.race([
    closed,
    after(endMaxMs, 'open' as const, { signal: waiting.signal }).catch(() => null),
  ])
  waiting.abort()
  if (how === 'open') {
    worker.kill('SIGKILL')
    await closed
    return 'A test left something open: its process did not end by itself. Run the files apart to see which.'
  }
  if (held.timedOut) return `It was not done after ${fileMaxMs / 60_000} minutes.`
  if (held.file !== null) return `The process ended while the file ran: ${how ?? 'exit code 0'}.`
  // node:test ends a process with 1 for failures that are told already.
  return how === null || held.hasFailures ? null : `Something failed outside of every test: ${how}.`
}

const failureOf = (file: string, text: string): Ran => ({
  file,
  passed: 0,
  skipped: [],
  notes: [],
  failures: [{ test: '(process)', text }],
  wallMs: 0,
  cpuMs: 0,
})
