// Has DNS asked in a thread, so that no answer can hold up whoever asks: the event loop, on which payments are served, or a thread that posts
// hooks. The thread starts with the
// first lookup and ends when there was none for a while. If it ends by itself, the next lookup starts another.

import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { DnsOptions, Lookup, LookupEnd } from './dns-thread.ts'

/** Rejects with a `code`, as Node's resolver does. `spend` is told what the thread took to read the answer, whatever it said. */
export type Resolve = (name: string, type: string, spend?: (cpuMs: number) => void) => Promise<string[] | string[][]>

export interface DnsLookups {
  readonly resolve: Resolve
  /** Ends the thread. What DNS has not answered by then is not answered. */
  close(): Promise<void>
}

export interface DnsThreadLimits {
  readonly heapMb: number
  /** How long a thread waits, for the next lookup or for the end of one, before it is ended. */
  readonly idleMs: number
  /** What a thread runs. */
  readonly program: URL
}

const usual: DnsThreadLimits = {
  heapMb: 32,
  // Longer than three silent servers take.
  idleMs: 30_000,
  // In the npm package these files are JavaScript.
  program: new URL(`./dns-thread${extname(import.meta.filename)}`, import.meta.url),
}

export function createDnsLookups(options: DnsOptions, given: Partial<DnsThreadLimits> = {}): DnsLookups {
  const limits = { ...usual, ...given }
  let thread: DnsThread | null = null
  let isClosed = false
  return {
    async resolve(name, type, spend = () => {}) {
      if (isClosed) throw notAnswered('the service stops')
      if (thread === null || thread.hasEnded) thread = new DnsThread(options, limits)
      return thread.lookUp({ name, type }, spend)
    },
    async close() {
      isClosed = true
      await thread?.end('the service stops')
    },
  }
}

/** It does not mean that there is no record: another time there may be an answer. */
const notAnswered = (why: string) => Object.assign(new Error(`no answer of DNS: ${why}`), { code: 'ECANCELLED' })

interface Asker {
  resolve(answer: string[][] | string[]): void
  reject(error: Error): void
  spend(cpuMs: number): void
}

class DnsThread {
  readonly #worker: Worker
  readonly #askers = new Map<number, Asker>()
  readonly #idleMs: number
  #timer: NodeJS.Timeout | undefined
  #asked = 0
  #hasEnded = false

  constructor(options: DnsOptions, { heapMb, idleMs, program }: DnsThreadLimits) {
    this.#worker = new Worker(program, {
      workerData: options,
      resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 },
      // What reads strangers' bytes needs no secrets of the process; and flags that preload modules mean the process, not threads.
      ...{ env: {}, argv: [], execArgv: [] },
    })
    this.#worker.on('message', (said: LookupEnd) => this.#hear(said))
    this.#worker.on('error', ({ message }) => this.#stop(`its thread failed: ${message}`))
    this.#worker.on('exit', code => this.#stop(`its thread ended with ${code}`))
    this.#worker.unref()
    this.#idleMs = idleMs
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  lookUp(lookup: Omit<Lookup, 'id'>, spend: Asker['spend']): ReturnType<Resolve> {
    return new Promise((resolve, reject) => {
      // Of several that wait, each new one would put off the end of a thread that answers none.
      if (this.#askers.size === 0) this.#restartTimer()
      // A process waits for what it asked, and not for the thread alone.
      this.#worker.ref()
      this.#asked += 1
      this.#askers.set(this.#asked, { resolve, reject, spend })
      this.#worker.postMessage({ id: this.#asked, ...lookup } satisfies Lookup)
    })
  }

  async end(why: string): Promise<void> {
    this.#stop(why)
    await this.#worker.terminate()
  }

  #hear(said: LookupEnd): void {
    const asker = this.#askers.get(said.id)
    this.#askers.delete(said.id)
    this.#restartTimer()
    if (this.#askers.size === 0) this.#worker.unref()
    asker?.spend(said.cpuMs)
    if ('answer' in said) asker?.resolve(said.answer)
    else asker?.reject(Object.assign(new Error(said.message), { code: said.code }))
  }

  #restartTimer(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.end('its thread did not answer'), this.#idleMs).unref()
  }

  #stop(why: string): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    clearTimeout(this.#timer)
    for (const { reject } of this.#askers.values()) reject(notAnswered(why))
    this.#askers.clear()
  }
}
