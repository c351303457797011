// Where the points of a chart go.

/** Round numbers from 0 to the largest or a little beyond: 1, 2, 2.5 or 5 times a power of ten apart. */
export function ticksTo(largest: number, about = 4): readonly number[] {
  if (!(largest > 0)) return [0, 1]
  const rough = largest / about
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = ([1, 2, 2.5, 5, 10].find(each => each * power >= rough) ?? 10) * power
  const count = Math.ceil(largest / step - 1e-9)
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)))
}

/** Which of `count` labels there is room for, the last among them. */
export function labelEvery(count: number, widthPx: number, labelPx: number): number {
  const fitting = Math.max(1, Math.floor(widthPx / labelPx))
  return Math.max(1, Math.ceil(count / fitting))
}
