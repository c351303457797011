// Whose secure connection is opened next. One thread opens some hundred in a second at most, and merchants share it: they take turns,
// and where the thread has more to do than it can, few are opened at a time, so that whoever comes is soon served. What takes long
// because the other side is far away or silent costs the thread nothing, and stands in nobody's way.

import { performance } from 'node:perf_hooks'
import { type Limit, leftMs } from './limit.ts'

/** At once, where the thread is busy all the time. */
const openingsMin = 3
/** After a pause. Where they leave time, twice as many are next. */
const openingsFirst = 32
const openingsMax = 512
/** After that an opening is not counted any more: it waits for the other side, not for this thread. */
const countedForMs = 250
const lookEveryMs = 50
/** Of its time: what is above is too busy. */
const busyShare = 0.7

interface Waiting {
  go: () => void
}

export class OpeningTurns {
  /** Those that have the longest wait since their last turn come first. */
  readonly #waiting = new Map<string, Waiting[]>()
  readonly #busy: () => number
  #max = openingsFirst
  #counted = 0
  #timer: NodeJS.Timeout | undefined

  /** `busy`: the share of its time that the thread had something to do since it was asked last. */
  constructor(busy = busySinceLastAsked()) {
    this.#busy = busy
  }

  /** Null: it did not come within the limit. Else what to call when the connection is open, or will not be. */
  async take(merchant: string, limit: Limit): Promise<(() => void) | null> {
    this.#lookSoon()
    if (this.#counted >= this.#max || this.#waiting.size > 0) {
      if (!(await this.#turn(merchant, limit))) return null
    } else this.#counted += 1
    return this.#opening()
  }

  #turn(merchant: string, limit: Limit): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const timer = setTimeout(() => {
      this.#leave(merchant, waiting)
      resolve(false)
    }, leftMs(limit))
    const waiting = {
      go() {
        clearTimeout(timer)
        resolve(true)
      },
    }
    const line = this.#waiting.get(merchant)
    if (line === undefined) this.#waiting.set(merchant, [waiting])
    else line.push(waiting)
    this.#next()
    return promise
  }

  #leave(merchant: string, waiting: Waiting): void {
    const line = this.#waiting.get(merchant)?.filter(each => each !== waiting) ?? []
    if (line.length === 0) this.#waiting.delete(merchant)
    else this.#waiting.set(merchant, line)
  }

  #opening(): () => void {
    let isCounted = true
    const end = () => {
      if (!isCounted) return
      isCounted = false
      clearTimeout(timer)
      this.#counted -= 1
      this.#next()
    }
    const timer = setTimeout(end, countedForMs).unref()
    return end
  }

  #next(): void {
    while (this.#counted < this.#max) {
      const [first] = this.#waiting
      if (first === undefined) return
      const [merchant, line] = first
      // To the end of the round.
      this.#waiting.delete(merchant)
      const waiting = line.shift()
      if (line.length > 0) this.#waiting.set(merchant, line)
      if (waiting === undefined) continue
      this.#counted += 1
      waiting.go()
    }
  }

  #lookSoon(): void {
    this.#timer ??= setTimeout(() => this.#look(), lookEveryMs).unref()
  }

  #look(): void {
    this.#timer = undefined
    const isTooBusy = this.#busy() > busyShare
    const isUsed = this.#counted > this.#max / 2
    if (isTooBusy) this.#max = Math.max(openingsMin, this.#max / 2)
    else if (isUsed) this.#max = Math.min(openingsMax, this.#max * 2)
    this.#next()
    if (this.#counted > 0 || this.#waiting.size > 0) this.#lookSoon()
    else this.#max = Math.min(this.#max, openingsFirst)
  }
}

function busySinceLastAsked(): () => number {
  let last = performance.eventLoopUtilization()
  return () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, last)
    last = now
    return utilization
  }
}
