// So many places, shared by whoever comes: a name may have as many as are free, so alone half of them, and at least one. Names take turns;
// those who wait in one name keep their order.

export class Shares<Name> {
  readonly #taken = new Map<Name, number>()
  #free: number

  constructor(places: number) {
    this.#free = places
  }

  hasRoomFor(name: Name): boolean {
    return (this.#taken.get(name) ?? 0) < this.#free
  }

  enter(name: Name): void {
    this.#change(name, 1)
  }

  leave(name: Name): void {
    this.#change(name, -1)
  }

  #change(name: Name, by: 1 | -1): void {
    const taken = (this.#taken.get(name) ?? 0) + by
    this.#free -= by
    if (taken === 0) this.#taken.delete(name)
    else this.#taken.set(name, taken)
  }
}

export interface SharedTurns<Name> {
  isFreeFor(name: Name): boolean
  /** Null: it has a turn already. Rejected: none came free for it within this time. */
  enter(name: Name, withinMs?: number): Promise<void> | null
  leave(name: Name): void
}

export function createSharedTurns<Name>(places: number): SharedTurns<Name> {
  const shares = new Shares<Name>(places)
  /** Those that have waited longest for a turn come first. */
  const lines = new Map<Name, (() => void)[]>()
  const isFreeFor = (name: Name) => !lines.has(name) && shares.hasRoomFor(name)

  function letIn(): void {
    for (const [name, line] of lines) {
      const next = shares.hasRoomFor(name) ? line.shift() : undefined
      if (next === undefined) continue
      lines.delete(name)
      if (line.length > 0) lines.set(name, line) // its others come after everybody else
      shares.enter(name)
      next()
    }
  }

  return {
    isFreeFor,
    enter(name, withinMs) {
      if (isFreeFor(name)) {
        shares.enter(name)
        return null
      }
      const line = lines.get(name) ?? []
      lines.set(name, line)
      return new Promise((resolve, reject) => {
        line.push(letInNext)
        const timer = withinMs === undefined ? undefined : setTimeout(giveUp, withinMs)
        function letInNext() {
          clearTimeout(timer)
          resolve()
        }
        function giveUp() {
          line.splice(line.indexOf(letInNext), 1)
          if (line.length === 0) lines.delete(name)
          reject(new Error(`no turn came free within ${withinMs} ms`))
        }
      })
    },
    leave(name) {
      shares.leave(name)
      letIn() // at once, so that nobody comes in between
    },
  }
}
