// Bodies that take long to read. What one merchant has many of at once is read one after the other, with rests between in which others have
// their turn: arguments of 50 KB take 20 ms, so that fifty of them in a second would leave nobody else a moment.

export interface LargeBodies {
  /** Reads it, now or when it is the turn of that name. False: too many wait already. */
  read(name: string, work: () => void): boolean
}

/** In the time of the event loop until its next turn: what is done right after reading counts, too. */
const restTimes = 2

export interface LoopTime {
  nowMs(): number
  /** In the next turn of the event loop, told how long this one took from `sinceMs` on. */
  afterTurn(sinceMs: number, then: (tookMs: number) => void): void
  after(ms: number, then: () => void): void
}

const realTime: LoopTime = {
  nowMs: () => performance.now(),
  afterTurn: (sinceMs, then) => void setImmediate(() => then(performance.now() - sinceMs)),
  after: (ms, then) => void setTimeout(then, ms),
}

export function createLargeBodies(waitingMax: number, time = realTime): LargeBodies {
  /** Those that wait, by the names that read or rest. */
  const busy = new Map<string, (() => void)[]>()

  function next(name: string, waiting: (() => void)[]): void {
    const work = waiting.shift()
    if (work === undefined) return void busy.delete(name)
    const beganMs = time.nowMs()
    work()
    time.afterTurn(beganMs, tookMs => time.after(restTimes * tookMs, () => next(name, waiting)))
  }

  return {
    read(name, work) {
      const waiting = busy.get(name)
      if (waiting !== undefined) return waiting.length < waitingMax && waiting.push(work) > 0
      const first = [work]
      busy.set(name, first)
      next(name, first)
      return true
    },
  }
}
