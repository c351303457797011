// Keeps what was used last, so many and no more.

export class RecentlyUsed<Name, Thing> {
  readonly #max: number
  readonly #letGo: (thing: Thing) => void
  /** What was not used for longest comes first. */
  readonly #things = new Map<Name, Thing>()

  constructor(max: number, letGo: (thing: Thing) => void) {
    this.#max = max
    this.#letGo = letGo
  }

  /** Counts as a use. */
  get(name: Name): Thing | undefined {
    const thing = this.#things.get(name)
    if (thing === undefined) return undefined
    this.#things.delete(name)
    this.#things.set(name, thing)
    return thing
  }

  /** Lets go of what had this name, or else, where there are too many, of what was not used for longest. */
  set(name: Name, thing: Thing): void {
    const [oldest] = this.#things.keys()
    if (this.#things.has(name)) this.#remove(name)
    else if (oldest !== undefined && this.#things.size >= this.#max) this.#remove(oldest)
    this.#things.set(name, thing)
  }

  #remove(name: Name): void {
    const thing = this.#things.get(name)
    this.#things.delete(name)
    if (thing !== undefined) this.#letGo(thing)
  }
}
