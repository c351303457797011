// How long ago something was, and how long there is to wait, as people say it.

import type { Words } from './words/words.ts'

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
  return format.format(Math.sign(minutes) * whole(Math.abs(minutes) / 60), 'hour')
}
