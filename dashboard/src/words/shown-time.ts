// Times as people read them.

const unitsS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

/** `3 days, 2 hours`: the two largest units. */
export function shownSpan(seconds: number, locale: string): string {
  const parts: string[] = []
  let left = Math.round(seconds)
  for (const [unit, unitS] of unitsS) {
    const count = Math.floor(left / unitS)
    left -= count * unitS
    if (count > 0) parts.push(new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(count))
  }
  if (parts.length === 0)
    parts.push(new Intl.NumberFormat(locale, { style: 'unit', unit: 'second', unitDisplay: 'long' }).format(0))
  return new Intl.ListFormat(locale, { type: 'unit' }).format(parts.slice(0, 2))
}
