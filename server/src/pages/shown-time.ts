// When something was, how long ago, and how long there is to wait, as people say it.

import type { Words } from './words/words.ts'

/** We do not know where the customer is, so the time zone is said. */
export function shownDate(at: Date, locale: string): string {
  const day = { day: 'numeric', month: 'long', year: 'numeric' } as const
  const time = { hour: 'numeric', minute: '2-digit', timeZone: 'UTC', timeZoneName: 'short' } as const
  return new Intl.DateTimeFormat(locale, { ...day, ...time }).format(at)
}

/** `3 minutes ago`. */
export function shownAgo({ checkout, locale }: Words, ms: number): string {
  const minutes = Math.round(ms / 60_000)
  return minutes < 1 ? checkout.justNow : shownMinutes(locale, -minutes, Math.round)
}

/** `in 3 minutes`: never too early. */
export function shownWait({ locale }: Words, seconds: number): string {
  return shownMinutes(locale, Math.max(1, Math.ceil(seconds / 60)), Math.ceil)
}

function shownMinutes(locale: string, minutes: number, whole: (hours: number) => number): string {
  const format = new Intl.RelativeTimeFormat(locale)
  if (Math.abs(minutes) < 60) return format.format(minutes, 'minute')
  const hours = whole(Math.abs(minutes) / 60)
  if (hours < 48) return format.format(Math.sign(minutes) * hours, 'hour')
  return format.format(Math.sign(minutes) * whole(hours / 24), 'day')
}
