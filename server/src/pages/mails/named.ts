// What somebody else wrote, such as a merchant's name or an offer's title, as it may stand in a mail: it begins no line, no
// header and no link of its own, turns no sentence around, and is not longer than anybody reads.

const charsMax = 120

/** They set the direction of all that follows. */
const directions = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
/** What mail programs make a link of; a joiner that nobody sees keeps them from it. */
const linkBegins = /:\/(?=\/)|\bwww(?=\.)/gi
const joiner = '\u2060'

export function named(text: string): string {
  const line = text
    .replace(directions, '')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
  return cut(line).replace(linkBegins, begin => `${begin}${joiner}`)
}

/** By what is seen as one character, which may be several. */
function cut(line: string): string {
  if (line.length <= charsMax) return line
  const seen = [...new Intl.Segmenter().segment(line.slice(0, charsMax * 8))].map(({ segment }) => segment)
  return seen.length <= charsMax ? line.slice(0, charsMax * 8) : `${seen.slice(0, charsMax - 1).join('')}…`
}

const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/** In plain text: whichever way its letters run, those around it stay in their order. */
export function isolated(text: string): string {
  return rightToLeft.test(text) ? `\u2068${text}\u2069` : text
}
