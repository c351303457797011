// Turns at work that others in this process would wait for. At most so many begin in one turn of the event loop, and at most so many are under
// way: of these places a name may have as many as are free, so alone half of them. Names take turns.

import { Shares } from '../core/shared-turns.ts'

export interface Entry {
  /** False: it gave up before it had its turn. After true, `leave` is due. */
  readonly entered: Promise<boolean>
  /** Without effect once it has its turn. */
  giveUp(): void
}

type Settle = (entered: boolean) => void

export class PacedTurns<Name> {
  readonly #shares: Shares<Name>
  readonly #inTurnMax: number
  /** Names that have waited longest for a turn come first. */
  readonly #lines = new Map<Name, Set<Settle>>()
  #begun = 0

  constructor(places: number, inTurnMax: number) {
    this.#shares = new Shares(places)
    this.#inTurnMax = inTurnMax
  }

  enter(name: Name): Entry {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const line = this.#lines.get(name) ?? new Set()
    this.#lines.set(name, line.add(resolve))
    this.#letIn()
    return {
      entered: promise,
      giveUp: () => {
        if (!line.delete(resolve)) return
        if (line.size === 0 && this.#lines.get(name) === line) this.#lines.delete(name)
        resolve(false)
      },
    }
  }

  leave(name: Name): void {
    this.#shares.leave(name)
    this.#letIn()
  }

  #letIn(): void {
    for (const [name, line] of this.#lines) {
      if (this.#begun >= this.#inTurnMax) return
      const [next] = line
      if (next === undefined || !this.#shares.hasRoomFor(name)) continue
      line.delete(next)
      this.#lines.delete(name)
      if (line.size > 0) this.#lines.set(name, line) // its others come after everybody else
      this.#begin(name, next)
    }
  }

  #begin(name: Name, settle: Settle): void {
    this.#shares.enter(name)
    this.#begun += 1
    if (this.#begun === 1) setImmediate(() => this.#newTurn())
    settle(true)
  }

  #newTurn(): void {
    this.#begun = 0
    this.#letIn()
  }
}
