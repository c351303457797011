// Whose bytes are read next. What a merchant's endpoints send is decrypted and parsed in this thread: four hundred answers that were
// held back and come in the same moment would take it for seconds. So it reads for a few milliseconds, lets everything else have its
// turn of the event loop, and goes on with the merchants one after the other. One whose connections cost too much rests in between.

/** In one turn of the event loop; the last reading may take longer. */
const turnMs = 5

/** How long a merchant whose connections cost too much rests after each, and after each reading, times what it took. */
export const restTimes = 5

/** Answers what it has taken of this thread, in ms of CPU time. */
export type Reading = () => number

interface Waiting {
  readonly read: Reading
  readonly isCostly: () => boolean
}

export class ReadingTurns {
  /** Those that have the longest wait since their last turn come first. */
  readonly #waiting = new Map<string, Waiting[]>()
  readonly #restingUntilMs = new Map<string, number>()
  #spentMs = 0
  #timer: NodeJS.Immediate | NodeJS.Timeout | null = null

  /** Now, or in this merchant's turn. `isCostly`: whether it rests after it. */
  take(merchant: string, read: Reading, isCostly: () => boolean = () => false): void {
    const waiting = { read, isCostly }
    if (this.#waiting.size === 0 && this.#spentMs < turnMs && !this.#isResting(merchant)) this.#read(merchant, waiting)
    else {
      const line = this.#waiting.get(merchant)
      if (line === undefined) this.#waiting.set(merchant, [waiting])
      else line.push(waiting)
    }
    this.#arm()
  }

  #read(merchant: string, { read, isCostly }: Waiting): void {
    const tookMs = read()
    this.#spentMs += tookMs
    if (isCostly()) this.#restingUntilMs.set(merchant, performance.now() + tookMs * restTimes)
  }

  #isResting(merchant: string): boolean {
    const untilMs = this.#restingUntilMs.get(merchant)
    if (untilMs === undefined) return false
    if (performance.now() < untilMs) return true
    this.#restingUntilMs.delete(merchant)
    return false
  }

  #arm(): void {
    if (this.#timer !== null) return
    const areAllResting = this.#waiting.size > 0 && this.#nextOf() === null
    const turn = () => {
      this.#timer = null
      this.#turn()
    }
    this.#timer = areAllResting ? setTimeout(turn, 1) : setImmediate(turn)
  }

  #turn(): void {
    this.#spentMs = 0
    for (let merchant = this.#nextOf(); merchant !== null; merchant = this.#nextOf()) {
      const line = this.#waiting.get(merchant) ?? []
      // To the end of the round.
      this.#waiting.delete(merchant)
      const next = line.shift()
      if (line.length > 0) this.#waiting.set(merchant, line)
      if (next !== undefined) this.#read(merchant, next)
      if (this.#spentMs >= turnMs) break
    }
    if (this.#waiting.size > 0) this.#arm()
  }

  /** Null: all who wait are resting. */
  #nextOf(): string | null {
    for (const merchant of this.#waiting.keys()) if (!this.#isResting(merchant)) return merchant
    return null
  }
}
