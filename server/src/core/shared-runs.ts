// Many who want the same thing done at once. A gateway tells of each refund of a payment by itself, and each time all of the
// payment is asked for: a thousand notices must not ask a thousand times at once.

/** More than one: a run calls the gateway, which may tell of what that call did, and wait for our answer before it answers. */
export const runsAtOnce = 4

interface Line<Result> {
  readonly running: Set<Promise<Result>>
  /** Begins as soon as one of those has ended. */
  next: Promise<Result> | null
}

/**
 * A few runs at a time for each key. Who comes while so many are running waits for the next one, and shares it with all others
 * who wait: it begins after they came, so that it sees what they tell of.
 */
export function shareRuns<Result>(): (key: string, run: () => Promise<Result>) => Promise<Result> {
  const lines = new Map<string, Line<Result>>()

  function begin(key: string, line: Line<Result>, run: () => Promise<Result>): Promise<Result> {
    const running = run()
    line.running.add(running)
    const end = () => {
      line.running.delete(running)
      if (line.running.size === 0 && line.next === null) lines.delete(key)
    }
    running.then(end, end)
    return running
  }

  return (key, run) => {
    const line = lines.get(key) ?? { running: new Set(), next: null }
    lines.set(key, line)
    if (line.running.size < runsAtOnce) return begin(key, line, run)
    const beginNext = () => {
      line.next = null
      return begin(key, line, run)
    }
    line.next ??= Promise.race(line.running).then(beginNext, beginNext)
    return line.next
  }
}
