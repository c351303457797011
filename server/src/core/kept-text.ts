// Text of strangers that is kept: a gateway's words, a person's note. The database holds no NUL and no half of a character,
// a terminal obeys control characters, and nobody's card number may stay.

import { maskCardNumbers } from './card-number.ts'

/** One line, masked before it is cut: half a number is no longer recognised as one. */
export function keptLine(text: string, charsMax: number): string {
  const line = maskCardNumbers(text)
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
  return (line.length <= charsMax ? line : `${line.slice(0, charsMax - 1)}…`).toWellFormed()
}
