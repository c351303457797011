// What a benchmark says: what was measured under which settings, and whether its goals were met.

export interface Bar {
  readonly label: string
  readonly value: number
  readonly unit: string
  /** Tillbell's; another's; what cannot be surpassed. */
  readonly kind: 'ours' | 'theirs' | 'limit'
}

export interface Result {
  readonly name: string
  /** What its picture shows. */
  readonly title: string
  readonly bars: readonly Bar[]
  readonly settings: { readonly [name: string]: number | string }
  readonly rows: readonly { readonly [column: string]: number | string }[]
  readonly goals: readonly { readonly goal: string; readonly value: number; readonly met: boolean }[]
}

export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN
}

/** How many times theirs, in the median of all rounds: the two of one round were measured within half a minute. */
export function timesOf(ours: readonly number[], theirs: readonly number[]): number {
  return quantile(
    ours.map((each, round) => each / (theirs[round] ?? Number.NaN)),
    0.5,
  )
}
