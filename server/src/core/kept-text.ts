// Text of strangers that is kept: a gateway's words, a person's note. The database holds no NUL and no half of a character,
// a terminal obeys control characters, and nobody's card number may stay.

import { maskedBeginning } from './card-number.ts'

/** One line, without card numbers. */
export function keptLine(text: string, charsMax: number): string {
  const line = text.replace(/\p{Cc}+/gu, ' ').trim()
  const kept = maskedBeginning(line, charsMax)
  return (line.length <= charsMax ? kept : `${kept.slice(0, charsMax - 1)}…`).toWellFormed()
}
