// Times as people read them, in their own zone.

const unitsS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

/** `3 days, 2 hours`: the two largest units, and what is left of the second rounded. */
export function shownSpan(seconds: number, locale: string): string {
  const largest = unitsS.findIndex(([, unitS]) => seconds >= unitS)
  const smallestS = largest < 0 ? 1 : (unitsS[largest + 1]?.[1] ?? 1)
  let left = Math.max(0, Math.round(seconds / smallestS) * smallestS)
  const parts = unitsS.flatMap(([unit, unitS]) => {
    const count = Math.floor(left / unitS)
    left -= count * unitS
    return count === 0 ? [] : [counted(count, unit, locale)]
  })
  if (parts.length === 0) return counted(0, 'second', locale)
  return new Intl.ListFormat(locale, { type: 'unit' }).format(parts.slice(0, 2))
}

function counted(count: number, unit: string, locale: string): string {
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(count)
}

/** `3 minutes ago`, `in 2 hours`, `now`; beyond a month it is the date that says something. */
export function shownAgo(at: Date, now: Date, locale: string): string {
  const seconds = (at.getTime() - now.getTime()) / 1_000
  if (Math.abs(seconds) > 30 * 86_400) return shownTime(at, now, locale)
  const format = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
  for (const [unit, unitS] of unitsS) {
    if (Math.abs(seconds) >= unitS && unit !== 'second') return format.format(Math.trunc(seconds / unitS), unit)
  }
  return format.format(0, 'second')
}

/**
 * As much as is needed: `Nov 3, 2:05 PM` this year, `Nov 3, 2025` before. Today has its day as well: in a list it stands
 * between others.
 */
export function shownTime(at: Date, now: Date, locale: string, timeZone?: string): string {
  const zone = timeZone === undefined ? {} : { timeZone }
  const in_ = (date: Date, options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { ...options, ...zone }).format(date)
  const isThisYear = in_(at, { year: 'numeric' }) === in_(now, { year: 'numeric' })
  if (isThisYear) return in_(at, { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' })
  return in_(at, { year: 'numeric', month: 'short', day: 'numeric' })
}

/** `November 3, 2026 at 2:05:09 PM GMT+1` */
export function shownWholeTime(at: Date, locale: string, timeZone?: string): string {
  const zone = timeZone === undefined ? {} : { timeZone }
  return new Intl.DateTimeFormat(locale, {
    dateStyle: 'long',
    timeStyle: 'medium',
    ...zone,
  }).format(at)
}

/** `2026-11-03 13:05:09.120 UTC`: what logs say. */
export function exactUtc(at: Date): string {
  return at.toISOString().replace('T', ' ').replace('Z', ' UTC').replace('.000', '')
}
