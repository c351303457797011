// A few at a time for each name: what one merchant has many of at once waits for its own, and others do not wait for it.

export function createTurns(atOnceMax: number): <Value>(name: string, work: () => Promise<Value>) => Promise<Value> {
  const lines = new Map<string, { running: number; readonly waiting: (() => void)[] }>()

  return async (name, work) => {
    const line = lines.get(name) ?? { running: 0, waiting: [] }
    lines.set(name, line)
    if (line.running < atOnceMax) line.running += 1
    else await new Promise<void>(begin => line.waiting.push(begin))
    try {
      return await work()
    } finally {
      // Whoever waits takes the turn over, so that nobody who comes later is faster.
      const next = line.waiting.shift()
      if (next !== undefined) next()
      else {
        line.running -= 1
        if (line.running === 0) lines.delete(name)
      }
    }
  }
}
