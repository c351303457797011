// Notifications are a few at once, in the order in which they came: an app on a developer's machine is not made for more. For
// Pre-Sale a customer waits, and the service no longer than a few seconds: it never queues, behind whatever else is slow.

export interface Forwarder {
  add(request: Request): void
  /** What was not begun is another's to send again. */
  forgetWaiting(): void
  /** When nothing is left. */
  idle(): Promise<void>
}

type Request = { readonly [name: string]: unknown }

const atOnceMax = 8

/** `work` never rejects. */
export function forwarderOf(work: (request: Request) => Promise<void>): Forwarder {
  const waiting: Request[] = []
  const notifying = new Set<Promise<void>>()
  const asking = new Set<Promise<void>>()

  function begin(request: Request, lane: Set<Promise<void>>): void {
    const done = work(request).finally(() => {
      lane.delete(done)
      next()
    })
    lane.add(done)
  }

  function next(): void {
    while (notifying.size < atOnceMax) {
      const request = waiting.shift()
      if (request === undefined) return
      begin(request, notifying)
    }
  }

  return {
    add(request) {
      if (request.kind === 'pre_sale') return begin(request, asking)
      waiting.push(request)
      next()
    },
    forgetWaiting() {
      waiting.length = 0
    },
    async idle() {
      while (notifying.size + asking.size > 0) await Promise.race([...notifying, ...asking])
    },
  }
}
