// How much is worked on at once. Behind a door there are so many places; whoever finds none waits in a line, which is as long, and is
// turned away where it is full or moves too slowly. Everybody has a name (a merchant, an address), and nobody takes it all. What strangers
// ask of a merchant counts for both: for the stranger's address, and for the merchant.

/** full: no room in the line. waited: no place came free in time. */
export type Reason = 'full' | 'waited'

export interface Whose {
  readonly by: string
  /** For whom the work is, if that is another. */
  readonly for: string | null
}

export interface Place {
  readonly whose: Whose
  /** Once: a second time does nothing. */
  leave(): void
}

export interface Door {
  /** Null: turned away. */
  enter(whose: Whose): Place | null | Promise<Place | null>
  readonly counts: { readonly inHand: number; readonly waiting: number }
}

export interface DoorOptions {
  readonly places: number
  readonly waitMaxMs: number
  readonly turnedAway: (reason: Reason) => void
}

interface Waiter {
  readonly whose: Whose
  readonly letIn: (place: Place | null) => void
  readonly over: NodeJS.Timeout
}

/** The two together. */
const pairOf = (whose: Whose): string => (whose.for === null ? whose.by : `${whose.for} ${whose.by}`)
/** Those that may each have as many as are free. */
const namesIn = (whose: Whose): readonly string[] => (whose.for === null ? [whose.by] : [whose.by, whose.for])

export function createDoor({ places, waitMaxMs, turnedAway }: DoorOptions): Door {
  /** By name, and by pair. */
  const held = counter()
  let inHand = 0
  /** By pair, in the order of their turns. */
  const lines = new Map<string, Waiter[]>()
  /** All, in the order in which they came; and how many, by name. */
  const waiters = new Set<Waiter>()
  const waiting = counter()

  /**
   * A name may hold as many places as are free: alone half of all, two that come at once a third each. So eight in a row that take all
   * they can, and hold it, leave one of 256 to the ninth. A fixed share for each would either stand empty, where there is one
   * merchant, or not be kept, where there are a hundred.
   */
  function hasRoomFor(whose: Whose): boolean {
    // Of the half that a merchant has alone, a stranger has as many as are free, too.
    if (whose.for !== null && held.of(pairOf(whose)) >= places / 2 - held.of(whose.for)) return false
    return namesIn(whose).every(name => held.of(name) < places - inHand)
  }

  function take(whose: Whose): Place {
    change(whose, 1)
    let isHeld = true
    return {
      whose,
      leave() {
        if (!isHeld) return
        isHeld = false
        change(whose, -1)
        letInNext()
      },
    }
  }

  function change(whose: Whose, by: 1 | -1): void {
    inHand += by
    for (const name of namesIn(whose)) held.add(name, by)
    if (whose.for !== null) held.add(pairOf(whose), by)
  }

  function letInNext(): void {
    for (const [pair, line] of lines) {
      if (inHand >= places) return
      const next = line[0]
      if (next === undefined || !hasRoomFor(next.whose)) continue
      takeOut(next)
      if (lines.delete(pair) && line.length > 0) lines.set(pair, line) // the others of this pair come after everybody else
      next.letIn(take(next.whose))
    }
  }

  function takeOut(waiter: Waiter): void {
    const pair = pairOf(waiter.whose)
    const line = lines.get(pair) ?? []
    clearTimeout(waiter.over)
    line.splice(line.indexOf(waiter), 1)
    if (line.length === 0) lines.delete(pair)
    waiters.delete(waiter)
    for (const name of namesIn(waiter.whose)) waiting.add(name, -1)
  }

  function turnAway(waiter: Waiter, reason: Reason): void {
    takeOut(waiter)
    turnedAway(reason)
    waiter.letIn(null)
  }

  /** In a full line whoever has most in it makes room for one that has less, with its newest. */
  function makeRoomFor(whose: Whose): boolean {
    if (waiters.size < places) return true
    const own = Math.max(...namesIn(whose).map(waiting.of))
    const [most, count] = waiting.largest()
    if (count <= own + 1) return false
    const newest = [...waiters].findLast(waiter => namesIn(waiter.whose).includes(most))
    if (newest !== undefined) turnAway(newest, 'full')
    return true
  }

  function waitFor(whose: Whose): Promise<Place | null> {
    return new Promise(letIn => {
      const waiter: Waiter = { whose, letIn, over: setTimeout(() => turnAway(waiter, 'waited'), waitMaxMs) }
      const line = lines.get(pairOf(whose))
      if (line === undefined) lines.set(pairOf(whose), [waiter])
      else line.push(waiter)
      waiters.add(waiter)
      for (const name of namesIn(whose)) waiting.add(name, 1)
    })
  }

  return {
    enter(whose) {
      // Nobody passes those of the same pair; others who wait have all they may have.
      if (!lines.has(pairOf(whose)) && hasRoomFor(whose)) return take(whose)
      if (makeRoomFor(whose)) return waitFor(whose)
      turnedAway('full')
      return null
    },
    get counts() {
      return { inHand, waiting: waiters.size }
    },
  }
}

/** Of names with more than none. */
function counter() {
  const counts = new Map<string, number>()
  return {
    of: (name: string): number => counts.get(name) ?? 0,
    add(name: string, by: 1 | -1): void {
      const count = (counts.get(name) ?? 0) + by
      if (count === 0) counts.delete(name)
      else counts.set(name, count)
    },
    largest(): readonly [string, number] {
      let largest: readonly [string, number] = ['', 0]
      for (const each of counts) if (each[1] > largest[1]) largest = each
      return largest
    },
  }
}
