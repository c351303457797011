// Hooks leave time to whoever waits for an answer of this process. Each step of a payment waits for the end of a turn of the event loop, and
// an endpoint that answers at once fills a turn with as many hooks as may be in flight: twenty or thirty milliseconds of them.

/** Begun in one turn while somebody waits: what they then add to a turn is about a millisecond. */
export const inTurnMax = 8
/** A hook with so many characters more counts as one more. */
const countsAsOne = 8_192
/** Who is answered asks again soon, or somebody else does: all that would be in flight by then is in their way. */
const leavesTimeForMs = 1_000

export interface Pace {
  /** Another attempt may begin in this turn. */
  hasRoom(): boolean
  begun(details: string): void
  newTurn(): void
}

export function createPace(isAwaited: () => boolean): Pace {
  let inTurn = 0
  let awaitedMs = Number.NEGATIVE_INFINITY

  function wasAwaited(): boolean {
    const nowMs = performance.now()
    if (isAwaited()) awaitedMs = nowMs
    return nowMs - awaitedMs < leavesTimeForMs
  }

  return {
    hasRoom: () => inTurn < inTurnMax || !wasAwaited(),
    begun({ length }) {
      inTurn += 1 + length / countsAsOne
    },
    newTurn() {
      inTurn = 0
    },
  }
}
