// Whose bytes are read next. What a merchant's endpoints send is decrypted and parsed in this thread: four hundred that were held back
// and come in the same moment would take it for seconds. So it reads for a few milliseconds, lets everything else have its turn of the
// event loop, and goes on with the merchants one after the other.

/** In one turn of the event loop; the last reading may take longer. */
const turnMs = 5

/** Answers what it has taken of this thread, in ms of CPU time. */
export type Reading = () => number

export class ReadingTurns {
  /** Those that have the longest wait since their last turn come first. */
  readonly #waiting = new Map<string, Reading[]>()
  #spentMs = 0
  #isArmed = false

  /** Now, or in this merchant's turn. */
  take(merchant: string, read: Reading): void {
    if (this.#waiting.size === 0 && this.#spentMs < turnMs) this.#spentMs += read()
    else {
      const line = this.#waiting.get(merchant)
      if (line === undefined) this.#waiting.set(merchant, [read])
      else line.push(read)
    }
    this.#arm()
  }

  #arm(): void {
    if (this.#isArmed) return
    this.#isArmed = true
    setImmediate(() => {
      this.#isArmed = false
      this.#spentMs = 0
      for (const read of this.#next()) {
        this.#spentMs += read()
        if (this.#spentMs >= turnMs) break
      }
      if (this.#waiting.size > 0) this.#arm()
    })
  }

  *#next(): Generator<Reading> {
    for (let [first] = this.#waiting; first !== undefined; [first] = this.#waiting) {
      const [merchant, line] = first
      // To the end of the round.
      this.#waiting.delete(merchant)
      const read = line.shift()
      if (line.length > 0) this.#waiting.set(merchant, line)
      if (read !== undefined) yield read
    }
  }
}
