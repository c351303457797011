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

/** Letters added, left out, changed, or swapped with their neighbour. */
export function changesBetween(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)]
  const at = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    rows.push(current)
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1] ? 0 : 1
      const swapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      current[column] = Math.min(
        at(row - 1, column) + 1,
        at(row, column - 1) + 1,
        at(row - 1, column - 1) + same,
        swapped ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
      )
    }
  }
  return at(a.length, b.length)
}
