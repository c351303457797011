// The Date of a mail, as RFC 5322 writes it. Null: it is none that we read.

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const shape =
  /^(?:[a-z]{3}\s*,\s*)?(\d{1,2})\s+([a-z]{3})\s+(\d{4})\s+(\d{2}):(\d{2})(?::(\d{2}))?\s+(?:([+-])(\d{2})(\d{2})|gmt|ut|utc|z)(?:\s*\([^()]*\))?$/i

export function readDate(text: string): Date | null {
  const found = shape.exec(text)
  if (found === null) return null
  const [day, year, hour, minute, second, zoneHours, zoneMinutes] = [1, 3, 4, 5, 6, 8, 9].map(at =>
    Number(found[at] ?? 0),
  )
  const month = months.indexOf((found[2] ?? '').toLowerCase())
  if (month < 0 || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return null
  const utcMs = Date.UTC(Number(year), month, day, hour, minute, second)
  if (new Date(Date.UTC(Number(year), month, day)).getUTCDate() !== day) return null
  const zoneMs = (Number(zoneHours) * 60 + Number(zoneMinutes)) * 60_000
  return new Date(found[7] === '-' ? utcMs + zoneMs : utcMs - zoneMs)
}
