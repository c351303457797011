// The days that a person filters by, in their own zone, as the times that the service is asked for.

/** `2026-11-03` is from its first moment here … Null: no day. */
export function startOfDay(day: string): string | null {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(day) ? new Date(`${day}T00:00:00`) : null
  return at === null || Number.isNaN(at.getTime()) ? null : at.toISOString()
}

/** … to the first of the next. */
export function endOfDay(day: string): string | null {
  const start = startOfDay(day)
  if (start === null) return null
  const at = new Date(start)
  // Not 24 hours later: a day on which the clocks change is shorter or longer.
  at.setDate(at.getDate() + 1)
  return at.toISOString()
}
