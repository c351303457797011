// A histogram for what happens ten thousand times in a second: the library's own makes a few objects and texts each time, this one adds two numbers. It
// has no labels, and says what it knows in the library's words.

import type { Metric, Registry } from 'prom-client'

export interface HistogramOptions {
  readonly name: string
  readonly help: string
  /** Upper bounds, rising. */
  readonly buckets: readonly number[]
  readonly registry: Registry
}

export class QuickHistogram {
  readonly name: string
  readonly #help: string
  readonly #buckets: readonly number[]
  /** In each bucket alone, and behind the last bound. */
  readonly #counts: number[]
  #sum = 0

  constructor({ name, help, buckets, registry }: HistogramOptions) {
    this.name = name
    this.#help = help
    this.#buckets = buckets
    this.#counts = Array(buckets.length + 1).fill(0)
    registry.registerMetric(this as unknown as Metric) // to say it, it calls nothing but `get`
  }

  observe(value: number): void {
    if (!Number.isFinite(value)) throw new TypeError('what is observed is not a number')
    const buckets = this.#buckets
    let at = 0
    while (at < buckets.length && value > (buckets[at] as number)) at += 1
    this.#counts[at] = (this.#counts[at] as number) + 1
    this.#sum += value
  }

  async get() {
    let count = 0
    const values = [...this.#buckets, '+Inf'].map((le, index) => {
      count += this.#counts[index] as number
      return { metricName: `${this.name}_bucket`, labels: { le }, value: count }
    })
    const whole = [
      { metricName: `${this.name}_sum`, labels: {}, value: this.#sum },
      { metricName: `${this.name}_count`, labels: {}, value: count },
    ]
    return { name: this.name, help: this.#help, type: 'histogram', aggregator: 'sum', values: [...values, ...whole] }
  }
}
