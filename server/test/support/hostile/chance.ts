// Chance that can be had again: the same numbers for the same seed.

/** A whole number from 0, below that. */
export type Chance = (below: number) => number

export function chanceOf(seed: number): Chance {
  let state = seed >>> 0
  return below => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

/** Of one case alone, so that it can be run again without those before it. */
export function chanceOfCase(seed: number, index: number): Chance {
  return chanceOf(Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) + Math.imul(index + 1, 0xc2b2ae35))
}

export const pick = <T>(list: readonly T[], chance: Chance): T => list[chance(list.length)] as T
