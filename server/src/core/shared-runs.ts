// Many who want the same thing done at once. A gateway tells of each refund of a payment by itself, and each time all of the
// payment is asked for: a thousand notices must not ask a thousand times at once.

/**
 * One run at a time for each key. Who comes while one is running waits for the next one, and shares it with all others who
 * wait: it begins after they came, so that it sees what they tell of.
 */
export function shareRuns<Result>(): (key: string, run: () => Promise<Result>) => Promise<Result> {
  const lines = new Map<string, { readonly running: Promise<Result>; next: Promise<Result> | null }>()

  function begin(key: string, run: () => Promise<Result>): Promise<Result> {
    const running = run()
    const line = { running, next: null as Promise<Result> | null }
    lines.set(key, line)
    const end = () => {
      if (line.next === null) lines.delete(key)
    }
    running.then(end, end)
    return running
  }

  return (key, run) => {
    const line = lines.get(key)
    if (line === undefined) return begin(key, run)
    const beginNext = () => begin(key, run)
    line.next ??= line.running.then(beginNext, beginNext)
    return line.next
  }
}
