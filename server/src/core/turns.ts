// A few at a time for each name: what one merchant has many of at once waits for its own, and others do not wait for it.

export interface Turn {
  /** Once: a second time does nothing. */
  end(): void
}

export interface Turns {
  /** Null: too many wait already. */
  enter(name: string): Turn | Promise<Turn> | null
}

interface Queue {
  running: number
  readonly waiting: (() => void)[]
}

export function createTurns(atOnceMax: number, waitingMax = Number.POSITIVE_INFINITY): Turns {
  const queues = new Map<string, Queue>()

  function turnIn(name: string, queue: Queue): Turn {
    let isOver = false
    return {
      end() {
        if (isOver) return
        isOver = true
        // Whoever waits takes the turn over, so that nobody who comes later is faster.
        const next = queue.waiting.shift()
        if (next !== undefined) return next()
        queue.running -= 1
        if (queue.running === 0) queues.delete(name)
      },
    }
  }

  return {
    enter(name) {
      const queue = queues.get(name) ?? { running: 0, waiting: [] }
      queues.set(name, queue)
      if (queue.running < atOnceMax) {
        queue.running += 1
        return turnIn(name, queue)
      }
      if (queue.waiting.length >= waitingMax) return null
      return new Promise(begin => queue.waiting.push(() => begin(turnIn(name, queue))))
    },
  }
}

/** A million characters take the event loop some 60 ms to read and to answer with. */
const restMsForMillion = 600
/** What is smaller is no burden. */
const restMinMs = 5

/** Later, where so many characters were read in it: until then others have theirs. */
export function endAfterRest(turn: Turn, charactersRead: number): void {
  const restMs = (charactersRead / 1e6) * restMsForMillion
  if (restMs < restMinMs) turn.end()
  else setTimeout(turn.end, restMs)
}

/** For turns that any number may wait for. */
export async function inTurn<Value>(turns: Turns, name: string, work: () => Promise<Value>): Promise<Value> {
  const turn = await turns.enter(name)
  try {
    return await work()
  } finally {
    turn?.end()
  }
}

/** Null: its turn did not come within this time, or too many wait already. Then it is not done. */
export async function inTurnWithin<Value>(
  turns: Turns,
  name: string,
  withinMs: number,
  work: () => Promise<Value>,
): Promise<Value | null> {
  const turn = await within(turns.enter(name), withinMs)
  if (turn === null) return null
  try {
    return await work()
  } finally {
    turn.end()
  }
}

function within(entered: ReturnType<Turns['enter']>, withinMs: number): Turn | null | Promise<Turn | null> {
  if (!(entered instanceof Promise)) return entered
  return new Promise(resolve => {
    let isLate = false
    const giveUp = () => {
      isLate = true
      resolve(null)
    }
    const timer = setTimeout(giveUp, withinMs)
    entered.then(turn => {
      clearTimeout(timer)
      if (isLate) turn.end()
      else resolve(turn)
    })
  })
}
