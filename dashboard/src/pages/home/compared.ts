// How a figure stands to the one before, as people read it.

/** `+12 %`. Null: there was nothing before to compare with. */
export function shownChange(now: number, before: number, locale: string): string | null {
  if (before === 0) return null
  const format = new Intl.NumberFormat(locale, {
    style: 'percent',
    signDisplay: 'exceptZero',
    maximumFractionDigits: 0,
  })
  return format.format((now - before) / before)
}

/** `+3.5`, in points of a hundred. Null: one of the two is not known. */
export function shownPoints(now: number | null, before: number | null, locale: string): string | null {
  if (now === null || before === null) return null
  const format = new Intl.NumberFormat(locale, { signDisplay: 'exceptZero', maximumFractionDigits: 1 })
  return format.format((now - before) * 100)
}
