// How a figure stands to the one before, as people read it.

export type Change =
  | { readonly kind: 'none' }
  | { readonly kind: 'same' }
  | { readonly kind: 'more' | 'less'; readonly by: string }
  /** So much more that a number in percent says nothing. */
  | { readonly kind: 'times'; readonly by: string }

const timesFrom = 3
const timesMax = 10

/** `12%` more or less, `4` times as much, and over that `10+`. `none`: there was nothing before to compare with. */
export function changeOf(now: number, before: number, locale: string): Change {
  if (before === 0) return { kind: 'none' }
  const times = now / before
  if (times > timesMax) return { kind: 'times', by: `${timesMax}+` }
  if (times >= timesFrom) return { kind: 'times', by: numberIn(locale, 1).format(times) }
  const percent = Math.round(Math.abs(times - 1) * 100)
  if (percent === 0) return { kind: 'same' }
  const format = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 })
  return { kind: times > 1 ? 'more' : 'less', by: format.format(percent / 100) }
}

/** In points of a hundred. */
export function pointsOf(now: number | null, before: number | null, locale: string): Change {
  if (now === null || before === null) return { kind: 'none' }
  const points = Math.round((now - before) * 1_000) / 10
  if (points === 0) return { kind: 'same' }
  return { kind: points > 0 ? 'more' : 'less', by: numberIn(locale, 1).format(Math.abs(points)) }
}

function numberIn(locale: string, maximumFractionDigits: number): Intl.NumberFormat {
  return new Intl.NumberFormat(locale, { maximumFractionDigits })
}
