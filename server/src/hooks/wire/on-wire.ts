// All exchanges that are under way. Nearly all are answered long before their limit, so that none has a timer for it: one look at all of them, now and
// then, finds those that are late.

import { Chain } from '../chain.ts'
import type { Exchange } from './exchange.ts'

/** So much later than its limit may one end. */
const lookEveryMs = 50

export class OnWire {
  readonly #exchanges = new Chain<Exchange>()
  #looksSoon = false

  add(exchange: Exchange): void {
    this.#exchanges.add(exchange)
    this.#lookSoon()
  }

  remove(exchange: Exchange): void {
    this.#exchanges.remove(exchange)
  }

  endAll(): void {
    for (const exchange of this.#exchanges) exchange.end()
  }

  #lookSoon(): void {
    if (this.#looksSoon) return
    this.#looksSoon = true
    setTimeout(() => this.#look(), lookEveryMs).unref() // what is waited for keeps the process alive by itself
  }

  #look(): void {
    this.#looksSoon = false
    const nowMs = performance.now()
    for (const exchange of this.#exchanges) exchange.endIfLate(nowMs)
    if (this.#exchanges.first !== null) this.#lookSoon()
  }
}
