// Hashing a password is slow on purpose, and takes a processor and memory while it lasts: only a few are hashed at a time, some
// more wait, and the rest come again.

export type FewAtOnce = <Value>(work: () => Promise<Value>) => Promise<Value | 'busy'>

export function fewAtOnce(atOnce: number, waitingMax: number): FewAtOnce {
  let running = 0
  const waiting: (() => void)[] = []
  return async work => {
    if (running < atOnce) running += 1
    else if (waiting.length >= waitingMax) return 'busy'
    else await new Promise<void>(begin => waiting.push(begin))
    try {
      return await work()
    } finally {
      // Whoever waits takes the place over, so that nobody who comes later is faster.
      const next = waiting.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
}
