// What an app answered, as the service takes it: an app says anything, and what it says must not cost the answer.

import type { HandledHook } from './listen-session.ts'

const reasonCharsMax = 200
const durationMsMax = 60_000
/** Of what is allowed in a request to the service; JSON writes one odd character with six. */
const jsonCharsMax = 40_000

/** The body of a POST to `answers`. */
export function answerBodyOf(request: string, { status, reason, durationMs, answer }: HandledHook) {
  // A machine that slept meanwhile counts its sleep.
  const told = { request, duration_ms: Math.min(durationMs, durationMsMax) }
  if (status === null)
    return {
      ...told,
      reason: takable(reason || 'No answer.')
        .slice(0, reasonCharsMax)
        .toWellFormed(),
    }
  return { ...told, status, body: fitting(takable(answer)) }
}

/** The service keeps what a database can hold: no NUL, and no half of a character. */
function takable(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed()
}

function fitting(answer: string): string {
  let text = answer
  while (JSON.stringify(text).length > jsonCharsMax) text = text.slice(0, text.length / 2).toWellFormed()
  return text
}
