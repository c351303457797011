// What somebody who mistyped a command or an argument may have meant.

/** Strangers type names of any length, and comparing costs as much as both are long. */
const comparedCharsMax = 64

/** The one that is nearest to what was typed, in letters to change; null: none is near enough to be meant. */
export function nearest(given: string, known: readonly string[]): string | null {
  const typed = given.slice(0, comparedCharsMax)
  const [best] = known
    .filter(name => Math.abs(name.length - typed.length) <= changesMax(typed))
    .map(name => ({ name, changes: changesBetween(typed, name) }))
    .filter(({ changes }) => changes <= changesMax(typed))
    .sort((a, b) => a.changes - b.changes)
  return best?.name ?? null
}

/** Of a short word, more would make any other. */
function changesMax(typed: string): number {
  return Math.min(3, Math.ceil(typed.length / 4))
}

/** One table for all: twenty arguments that nobody knows are compared with thirty that are known. */
const width = comparedCharsMax + 1
const table = new Uint8Array(width * width)

/** Letters added, left out, changed, or swapped with their neighbour. Of each, what it begins with is compared. */
export function changesBetween(one: string, other: string): number {
  const [a, b] = [one.slice(0, comparedCharsMax), other.slice(0, comparedCharsMax)]
  const at = (row: number, column: number) => table[row * width + column] as number
  for (let column = 0; column <= b.length; column++) table[column] = column
  for (let row = 1; row <= a.length; row++) {
    table[row * width] = row
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1] ? 0 : 1
      let changes = Math.min(at(row - 1, column) + 1, at(row, column - 1) + 1, at(row - 1, column - 1) + same)
      const isSwapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      if (isSwapped) changes = Math.min(changes, at(row - 2, column - 2) + 1)
      table[row * width + column] = changes
    }
  }
  return at(a.length, b.length)
}
