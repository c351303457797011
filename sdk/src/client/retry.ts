// Whether a call is tried again, and when. Every call here may be: one that changes anything has a key, under which the
// service does it once.

import type { Answered, Attempt } from './attempt.ts'
import { recordIn } from './body.ts'

/** Refused before anything was done, or at an end that another try may not meet. */
const worthAnotherTry = new Set([408, 425, 429, 500, 502, 503, 504])
const firstWaitMs = 500
const waitMsMax = 8_000
/** Between two looks at whether a first run is over, whatever Retry-After says: 0, or a date that has passed. */
const lookMsMin = 250

export interface Again {
  readonly afterMs: number
  /** It takes one of the retries. Waiting for the same request's first run to end does not: the deadline bounds that. */
  readonly isRetry: boolean
}

/** Null: this is how it ends. `retry` counts from 0, `chance` is from 0 to 1. */
export function nextTry(last: Attempt, retry: number, chance: number): Again | null {
  const growingMs = Math.min(firstWaitMs * 2 ** retry, waitMsMax)
  // Half of it by chance, so that many clients that failed together do not come again together.
  const backoffMs = growingMs / 2 + (growingMs / 2) * chance
  if (last.kind === 'silent') return last.because === 'abort' ? null : { afterMs: backoffMs, isRetry: true }
  const askedMs = retryAfterMs(last.headers.get('retry-after'))
  if (isSettled(last)) return null
  if (last.status === 409 && askedMs !== null) return { afterMs: Math.max(askedMs, lookMsMin), isRetry: false }
  if (!worthAnotherTry.has(last.status)) return null
  return { afterMs: Math.max(askedMs ?? 0, backoffMs), isRetry: true }
}

/** The service keeps this answer for the key: asked again, it would say the same. */
function isSettled(last: Answered): boolean {
  return last.headers.get('idempotent-replayed') === 'true' || recordIn(last.text) !== null
}

/** Whether what was asked for may have been done, as far as this try and those before it tell. */
export function doubtAfter(last: Attempt, before: boolean): boolean {
  if (last.kind === 'silent') return before || last.maybeSent
  if (isSettled(last)) return false
  const stillRuns = last.status === 409 && last.headers.has('retry-after')
  // With 2xx it comes here only if it is no answer of the service's: the request got somewhere, and who knows how far.
  const isOdd = last.status >= 200 && last.status <= 299
  // A refusal says nothing of an earlier try: that one may have been slower on its way, and still arrive.
  return before || last.status >= 500 || isOdd || stillRuns
}

export function retryAfterMs(text: string | null, nowMs: number = Date.now()): number | null {
  if (text === null) return null
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000
  const atMs = Date.parse(text)
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - nowMs)
}
