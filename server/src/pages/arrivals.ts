// Those who wait for something new to arrive: until it does, until they have waited long enough or go, or until the
// service stops.

export interface Waiter {
  readonly over: Promise<void>
  leave(): void
}

export interface Arrivals {
  /** Before looking: what arrives while one looks is not missed. */
  enter(maxMs: number): Waiter
  arrived(): void
  close(): void
}

export function createArrivals(): Arrivals {
  const waiting = new Set<() => void>()
  let closed = false
  const arrived = () => {
    for (const leave of waiting) leave()
  }
  return {
    arrived,
    enter(maxMs) {
      const { promise: over, resolve } = Promise.withResolvers<void>()
      const leave = () => {
        clearTimeout(timer)
        waiting.delete(leave)
        resolve()
      }
      const timer = setTimeout(leave, closed ? 0 : maxMs)
      waiting.add(leave)
      return { over, leave }
    },
    close() {
      closed = true
      arrived()
    },
  }
}
