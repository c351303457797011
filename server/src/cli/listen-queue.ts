// A few at once, in the order in which they came: an app on a developer's machine is not made for more.

export interface Forwarder {
  add(request: Request): void
  /** When nothing is left. */
  idle(): Promise<void>
}

type Request = { readonly [name: string]: unknown }

const atOnceMax = 8

/** `work` never rejects. */
export function forwarderOf(work: (request: Request) => Promise<void>): Forwarder {
  const waiting: Request[] = []
  const running = new Set<Promise<void>>()

  function next(): void {
    while (running.size < atOnceMax) {
      const request = waiting.shift()
      if (request === undefined) return
      const done = work(request).finally(() => {
        running.delete(done)
        next()
      })
      running.add(done)
    }
  }

  return {
    add(request) {
      waiting.push(request)
      next()
    },
    async idle() {
      while (running.size > 0) await Promise.race(running)
    },
  }
}
