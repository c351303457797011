// How much is worked on at once. Behind a door there are so many places; whoever finds none waits in a line, which is as long, and is
// turned away where it is full or moves too slowly. Everybody has a name (a merchant, an address), and nobody takes it all.

/** full: no room in the line. waited: no place came free in time. */
export type Reason = 'full' | 'waited'

export interface Place {
  readonly name: string
  /** Once: a second time does nothing. */
  leave(): void
}

export interface Door {
  /** Null: turned away. */
  enter(name: string): Place | null | Promise<Place | null>
  readonly counts: { readonly inHand: number; readonly waiting: number }
}

export interface DoorOptions {
  readonly places: number
  readonly waitMaxMs: number
  readonly turnedAway: (reason: Reason) => void
}

interface Waiter {
  readonly letIn: (place: Place | null) => void
  readonly over: NodeJS.Timeout
}

export function createDoor({ places, waitMaxMs, turnedAway }: DoorOptions): Door {
  const held = new Map<string, number>()
  let inHand = 0
  /** By name, in the order of their turns. */
  const lines = new Map<string, Waiter[]>()
  let waiting = 0

  /**
   * A name may hold as many places as are free: alone half of all, two that come at once a third each. So eight in a row that take all
   * they can, and hold it, leave one of 256 to the ninth. A fixed share for each would either stand empty, where there is one
   * merchant, or not be kept, where there are a hundred.
   */
  const hasRoomFor = (name: string) => (held.get(name) ?? 0) < places - inHand

  function take(name: string): Place {
    change(name, 1)
    let isHeld = true
    return {
      name,
      leave() {
        if (!isHeld) return
        isHeld = false
        change(name, -1)
        letInNext()
      },
    }
  }

  function change(name: string, by: 1 | -1): void {
    inHand += by
    const left = (held.get(name) ?? 0) + by
    if (left === 0) held.delete(name)
    else held.set(name, left)
  }

  function letInNext(): void {
    for (const [name, line] of lines) {
      if (inHand >= places) return
      const next = hasRoomFor(name) ? line[0] : undefined
      if (next === undefined) continue
      takeOut(name, next)
      if (lines.delete(name) && line.length > 0) lines.set(name, line) // the others of this name come after everybody else
      next.letIn(take(name))
    }
  }

  function takeOut(name: string, waiter: Waiter): void {
    const line = lines.get(name) ?? []
    clearTimeout(waiter.over)
    line.splice(line.indexOf(waiter), 1)
    waiting -= 1
    if (line.length === 0) lines.delete(name)
  }

  function turnAway(name: string, waiter: Waiter, reason: Reason): void {
    takeOut(name, waiter)
    turnedAway(reason)
    waiter.letIn(null)
  }

  /** In a full line whoever has most in it makes room for one that has less, with its newest. */
  function makeRoomFor(name: string): boolean {
    if (waiting < places) return true
    let longest: [string, Waiter[]] = [name, lines.get(name) ?? []]
    const own = longest[1].length
    for (const each of lines) if (each[1].length > longest[1].length) longest = each
    const newest = longest[1].at(-1)
    if (newest === undefined || longest[1].length <= own + 1) return false
    turnAway(longest[0], newest, 'full')
    return true
  }

  function waitFor(name: string): Promise<Place | null> {
    waiting += 1
    return new Promise(letIn => {
      const waiter: Waiter = { letIn, over: setTimeout(() => turnAway(name, waiter, 'waited'), waitMaxMs) }
      const line = lines.get(name)
      if (line === undefined) lines.set(name, [waiter])
      else line.push(waiter)
    })
  }

  return {
    enter(name) {
      // Nobody passes those of the same name; others who wait have all they may have.
      if (!lines.has(name) && hasRoomFor(name)) return take(name)
      if (makeRoomFor(name)) return waitFor(name)
      turnedAway('full')
      return null
    },
    get counts() {
      return { inHand, waiting }
    },
  }
}
