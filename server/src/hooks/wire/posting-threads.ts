// Threads that post the hooks for which a name must be resolved or TLS be spoken: what the other side writes costs computing, and
// payments are served by the event loop. A merchant is always served by the same thread. Threads start with the first such hook
// and end when there was none for a while.

import { availableParallelism } from 'node:os'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Posted } from './exchange.ts'
import type { FromThread, ThreadOptions, ToThread } from './posting-thread.ts'
import type { Request, SenderOptions } from './sender.ts'

export interface PostingThreads {
  /** As `Post`. */
  post(request: Request, merchant: string): Promise<Posted>
  cutOff(): void
}

export interface PostingThreadLimits {
  /** A thread that is so much later than a request's limit is given up, with all that it does. */
  readonly lateMaxMs: number
  readonly idleMs: number
  /** What a thread runs. */
  readonly program: URL
}

const usual: PostingThreadLimits = {
  lateMaxMs: 10_000,
  idleMs: 60_000,
  // In the npm package these files are JavaScript.
  program: new URL(`./posting-thread${extname(import.meta.filename)}`, import.meta.url),
}

export function createPostingThreads(options: SenderOptions, given: Partial<PostingThreadLimits> = {}): PostingThreads {
  const count = Math.max(1, Math.min(4, Math.floor(availableParallelism() / 2)))
  const threads = Array.from({ length: count }, () => new PostingThread(options, { ...usual, ...given }))
  return {
    post(request, merchant) {
      const thread = threads[numberOf(merchant) % count]
      if (thread === undefined) throw new Error('there is no thread')
      return thread.post(request, merchant)
    },
    cutOff() {
      for (const thread of threads) thread.cutOff()
    },
  }
}

/** The same for the same text. */
function numberOf(text: string): number {
  let number = 0
  for (let at = 0; at < text.length; at += 1) number = (number * 31 + text.charCodeAt(at)) >>> 0
  return number
}

/** What Node takes from the environment and its flags to know whose certificates are trusted. */
function trustOfProcess(environment: NodeJS.ProcessEnv, flags: readonly string[]) {
  const names = ['NODE_EXTRA_CA_CERTS', 'NODE_USE_SYSTEM_CA', 'SSL_CERT_FILE', 'SSL_CERT_DIR']
  const allFlags = [...flags, ...(environment.NODE_OPTIONS ?? '').split(/\s+/)]
  return {
    env: Object.fromEntries(Object.entries(environment).filter(([name]) => names.includes(name))),
    argv: [],
    execArgv: allFlags.filter(flag => flag === '--use-system-ca'),
  }
}

interface Waiting {
  readonly resolve: (posted: Posted) => void
  readonly reject: (error: unknown) => void
  readonly startedMs: number
  /** The thread itself ends it before. */
  readonly lostAtMs: number
}

const lookEveryMs = 1_000

class PostingThread {
  readonly #options: SenderOptions
  readonly #limits: PostingThreadLimits
  readonly #waiting = new Map<number, Waiting>()
  #worker: Worker | null = null
  #nextId = 0
  #timer: NodeJS.Timeout | undefined
  #idleSinceMs = 0

  constructor(options: SenderOptions, limits: PostingThreadLimits) {
    this.#options = options
    this.#limits = limits
  }

  post({ url, body, isJson, timeoutMs, moreHeaders }: Request, merchant: string): Promise<Posted> {
    const worker = this.#worker ?? this.#start()
    const id = this.#nextId++
    const { promise, resolve, reject } = Promise.withResolvers<Posted>()
    const startedMs = performance.now()
    this.#waiting.set(id, { resolve, reject, startedMs, lostAtMs: startedMs + timeoutMs + this.#limits.lateMaxMs })
    // Whoever waits for an answer is not left alone by a process that has nothing else to do.
    if (this.#waiting.size === 1) worker.ref()
    const [ownPorts, inboxPort] = [this.#options.ownPorts(), this.#options.inboxPort()]
    const request: Request = {
      ...{ url, body, timeoutMs },
      ...(isJson !== undefined && { isJson }),
      ...(moreHeaders !== undefined && { moreHeaders }),
    }
    worker.postMessage({ kind: 'post', id, request, merchant, ownPorts, inboxPort } satisfies ToThread)
    return promise
  }

  cutOff(): void {
    this.#worker?.postMessage({ kind: 'cut off' } satisfies ToThread)
  }

  #start(): Worker {
    const { mode, allow, proxy, dns, ca } = this.#options
    const worker = new Worker(this.#limits.program, {
      workerData: { mode, allow, proxy, dns, ...(ca !== undefined && { ca }) } satisfies ThreadOptions,
      // It needs no secrets of the process; and flags that preload modules mean the process, not threads.
      ...trustOfProcess(process.env, process.execArgv),
    })
    worker.on('message', (message: FromThread) => this.#hear(message))
    worker.on('error', error => this.#end(worker, error))
    worker.on('exit', code => this.#end(worker, new Error(`a thread that posts hooks ended with ${code}`)))
    worker.unref()
    this.#worker = worker
    this.#timer = setInterval(() => this.#look(worker), lookEveryMs).unref()
    return worker
  }

  #hear(message: FromThread): void {
    const waiting = this.#waiting.get(message.id)
    this.#waiting.delete(message.id)
    if (this.#waiting.size === 0) {
      this.#worker?.unref()
      this.#idleSinceMs = performance.now()
    }
    if (message.kind === 'posted') waiting?.resolve(message.posted)
    else waiting?.reject(message.error)
  }

  #look(worker: Worker): void {
    const nowMs = performance.now()
    // In the order in which they began. One with a shorter limit behind another is found a little later.
    const [first] = this.#waiting.values()
    if (first !== undefined && nowMs > first.lostAtMs) this.#giveUp(worker)
    if (first === undefined && nowMs - this.#idleSinceMs > this.#limits.idleMs) {
      this.#end(worker, new Error('nobody waits'))
      void worker.terminate()
    }
  }

  #giveUp(worker: Worker): void {
    const nowMs = performance.now()
    for (const { resolve, startedMs } of this.#waiting.values()) {
      resolve({ status: null, reason: hangs, durationMs: Math.round(nowMs - startedMs), answer: '' })
    }
    this.#waiting.clear()
    this.#end(worker, new Error(hangs))
    void worker.terminate()
  }

  #end(worker: Worker, error: Error): void {
    if (this.#worker !== worker) return
    clearInterval(this.#timer)
    this.#worker = null
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }
}

const hangs = 'It was given up: connections to other endpoints took too much computing.'
