// Small records of TLS are read a few at a time, however many connections brought them in one turn of the event loop: each is within
// its limits, and two thousand of them together would hold everybody else up for seconds. Networks take turns.

export interface RecordTurns {
  /** `read` reads so many records: at once, or in a turn to come. What one connection gives is read in its order. */
  take(network: string, records: number, read: () => void): void
}

interface Waiting {
  readonly records: number
  readonly read: () => void
}

/** Some 25 µs at the most for each, and usually a fifth of that. */
const inTurnMax = 50

export function createRecordTurns(): RecordTurns {
  /** By network. Those that have waited longest for a turn come first. */
  const lines = new Map<string, Waiting[]>()
  let inTurn = 0
  let comes = false

  function nextTurnComes(): void {
    if (comes) return
    comes = true
    setImmediate(() => {
      comes = false
      inTurn = 0
      readSome()
    })
  }

  function readSome(): void {
    for (const [network, line] of lines) {
      if (inTurn >= inTurnMax) break
      const next = line.shift()
      lines.delete(network)
      if (line.length > 0) lines.set(network, line) // its others come after everybody else
      if (next !== undefined) count(next.records)
      next?.read()
    }
    if (lines.size > 0) nextTurnComes()
  }

  function count(records: number): void {
    inTurn += records
    nextTurnComes()
  }

  return {
    take(network, records, read) {
      if (lines.size === 0 && inTurn < inTurnMax) {
        if (records > 0) count(records)
        read()
        return
      }
      const line = lines.get(network)
      if (line === undefined) lines.set(network, [{ records, read }])
      else line.push({ records, read })
      nextTurnComes()
    },
  }
}
