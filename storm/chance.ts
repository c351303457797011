// Chance that a number decides: the same seed draws the same storm again.

export interface Chance {
  /** From 0, below 1. */
  next(): number
  /** Both ends included. */
  between(least: number, most: number): number
  pick<Item>(items: readonly Item[]): Item
  happens(share: number): boolean
}

/** `purpose`: whoever draws more or less often does not change what others draw. */
export function chanceOf(seed: number, purpose: string): Chance {
  let state = [...purpose].reduce((mixed, letter) => Math.imul(mixed ^ letter.charCodeAt(0), 0x01000193), seed | 0)
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    next,
    between: (least, most) => least + Math.floor(next() * (most - least + 1)),
    pick(items) {
      const item = items[Math.floor(next() * items.length)]
      if (item === undefined) throw new Error('there is nothing to pick from')
      return item
    },
    happens: share => next() < share,
  }
}
