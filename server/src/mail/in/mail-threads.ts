// Threads that read inbound email, so that no message can hold up the event loop, on which payments are served. A message that
// takes too much time or memory ends its thread, and is refused; the others go on in a new one. Threads start with the first
// message and end when there was none for a while: a process that gets no email does not pay for them. Which network's message is
// read next, and which one rests, job-queue.ts says.

import { availableParallelism } from 'node:os'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { JobQueue } from './job-queue.ts'
import { type MailReader, TooCostlyMailError } from './mail-reader.ts'
import type { FromThread, Job } from './mail-thread.ts'
import type { MailNetwork } from './turns.ts'

export interface MailThreads {
  /** Reads mail of this network, in turns with others. */
  of(network: MailNetwork): MailReader
  /** Ends the threads. What they have not read by then is not read. */
  close(): Promise<void>
}

export interface MailThreadLimits {
  readonly threadsMax: number
  /**
   * For one job, of the thread's own CPU time: on a machine that is busy with other things, an honest message waits and is not
   * refused. The slowest that we could construct takes a tenth of it.
   */
  readonly cpuMs: number
  /** The same messages need less than half of it. */
  readonly heapMb: number
  /** How long a thread waits for the next job before it ends. */
  readonly idleMs: number
  /** What a thread runs. */
  readonly program: URL
}

const usual: MailThreadLimits = {
  // One core is left for the event loop.
  threadsMax: Math.max(1, Math.min(2, availableParallelism() - 1)),
  cpuMs: 2_000,
  heapMb: 64,
  idleMs: 30_000,
  // In the npm package these files are JavaScript.
  program: new URL(`./mail-thread${extname(import.meta.filename)}`, import.meta.url),
}

/** A job, whose mail it reads, and whoever waits for it. */
interface Task {
  readonly network: MailNetwork
  readonly job: Job
  resolve(result: unknown): void
  reject(error: unknown): void
}

export function createMailThreads(given: Partial<MailThreadLimits> = {}, nowMs = () => performance.now()): MailThreads {
  const pool = new ThreadPool({ ...usual, ...given }, nowMs)
  return {
    of(network) {
      const inThread = <Name extends keyof MailReader>(name: Name) =>
        ((...given: readonly unknown[]) => pool.run(network, { name, given })) as MailReader[Name]
      return {
        describe: inThread('describe'),
        verifySignatures: inThread('verifySignatures'),
        judge: inThread('judge'),
        judgeConsent: inThread('judgeConsent'),
        redact: inThread('redact'),
      }
    },
    close: () => pool.close(),
  }
}

class ThreadPool {
  readonly #limits: MailThreadLimits
  readonly #threads = new Set<MailThread>()
  readonly #queue: JobQueue<Task>
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(limits: MailThreadLimits, nowMs: () => number) {
    this.#limits = limits
    this.#queue = new JobQueue({ threads: limits.threadsMax, jobMaxMs: limits.cpuMs, nowMs })
  }

  run(network: MailNetwork, job: Job): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(stopped())
    return new Promise((resolve, reject) => {
      this.#queue.add(network, { network, job, resolve, reject })
      this.#dispatch()
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#rejectAll(stopped())
    await Promise.all([...this.#threads].map(thread => thread.end(stopped())))
  }

  #dispatch(): void {
    clearTimeout(this.#timer)
    for (const thread of this.#threads) {
      const task = thread.isFree ? this.#queue.next() : null
      if (task !== null) thread.read(task)
    }
    const starting = [...this.#threads].filter(({ isStarting }) => isStarting).length
    if (starting < this.#queue.length && this.#threads.size < this.#limits.threadsMax) this.#start()
    if (this.#queue.length > 0) this.#timer = setTimeout(() => this.#dispatch(), restLookMs)
  }

  #start(): void {
    const thread = new MailThread(this.#limits, {
      took: ({ network }, cpuMs) => this.#queue.took(network, cpuMs),
      free: () => this.#dispatch(),
      ended: whyNotStarted => {
        this.#threads.delete(thread)
        // One that cannot even start would be followed by the next that cannot, for ever.
        if (whyNotStarted !== null) this.#rejectAll(whyNotStarted)
        else this.#dispatch()
      },
    })
    this.#threads.add(thread)
  }

  #rejectAll(error: Error): void {
    clearTimeout(this.#timer)
    for (const { reject } of this.#queue.takeAll()) reject(error)
  }
}

const lookAgainMs = 50
/** How often it is looked whether a network that waits has rested. */
const restLookMs = 10

const stopped = () => new Error('inbound email is no longer read: the service stops')

interface ThreadEvents {
  took(task: Task, cpuMs: number): void
  /** It takes a job now. */
  free(): void
  /** It is gone; with the reason if it never took a job. */
  ended(whyNotStarted: Error | null): void
}

/** One worker thread, from its start to its end. */
class MailThread {
  readonly #limits: MailThreadLimits
  readonly #events: ThreadEvents
  readonly #worker: Worker
  #state: 'starting' | 'free' | 'reading' | 'ended' = 'starting'
  #task: Task | null = null
  #timer: NodeJS.Timeout | undefined

  constructor(limits: MailThreadLimits, events: ThreadEvents) {
    this.#limits = limits
    this.#events = events
    this.#worker = new Worker(limits.program, {
      resourceLimits: { maxOldGenerationSizeMb: limits.heapMb, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 },
      // What reads strangers' bytes needs no secrets of the process; and flags that preload modules mean the process, not threads.
      ...{ env: {}, argv: [], execArgv: [] },
    })
    this.#worker.on('message', (said: FromThread) => this.#hear(said))
    this.#worker.on('error', error => this.#stop(isOutOfMemory(error) ? new TooCostlyMailError() : error))
    this.#worker.on('exit', code => this.#stop(new Error(`a thread that reads mail ended with ${code}`)))
  }

  get isFree(): boolean {
    return this.#state === 'free'
  }

  get isStarting(): boolean {
    return this.#state === 'starting'
  }

  read(task: Task): void {
    this.#state = 'reading'
    this.#task = task
    this.#watch(task, this.#usedMs())
    this.#worker.postMessage(task.job)
  }

  /** Ends the thread once the job has used up its time. */
  #watch(task: Task, before: Promise<number>, leftMs = this.#limits.cpuMs): void {
    this.#after(leftMs, async () => {
      const usedMs = (await this.#usedMs()) - (await before)
      if (this.#task !== task) return
      if (usedMs >= this.#limits.cpuMs) await this.end(new TooCostlyMailError())
      else this.#watch(task, before, Math.max(lookAgainMs, this.#limits.cpuMs - usedMs))
    })
  }

  /** Of one that has just ended by itself, nobody asks how long it took. */
  async #usedMs(): Promise<number> {
    const { user, system } = await this.#worker.cpuUsage().catch(() => ({ user: 0, system: 0 }))
    return (user + system) / 1_000
  }

  /** `error` is for whoever waits for what it reads. */
  async end(error: Error): Promise<void> {
    this.#stop(error)
    await this.#worker.terminate()
  }

  #hear(said: FromThread): void {
    if (this.#state === 'ended') return
    const task = this.#task
    this.#task = null
    if (said.kind === 'done') task?.resolve(said.result)
    if (said.kind === 'failed') task?.reject(said.error)
    if (said.kind !== 'ready' && task !== null) this.#events.took(task, said.cpuMs)
    this.#becomeFree()
  }

  #becomeFree(): void {
    this.#state = 'free'
    this.#after(this.#limits.idleMs, () => void this.end(stopped()))
    this.#events.free()
  }

  #stop(error: Error): void {
    if (this.#state === 'ended') return
    const hasStarted = this.#state !== 'starting'
    const task = this.#task
    this.#state = 'ended'
    this.#task = null
    clearTimeout(this.#timer)
    task?.reject(error)
    if (task !== null) this.#events.took(task, this.#limits.cpuMs)
    this.#events.ended(hasStarted ? null : error)
  }

  #after(delayMs: number, act: () => void): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(act, delayMs)
  }
}

function isOutOfMemory(error: Error): boolean {
  return (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY'
}
