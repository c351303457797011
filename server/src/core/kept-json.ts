// JSON of strangers that is kept and given back: the database holds no NUL and no half of a character, and nothing that JSON can say
// is as large as the number that 1e999 is read as: it would come back as null.

import { maskCardNumbers } from './card-number.ts'
import type { Json } from './offer.ts'

export const memberNameCharsMax = 255
const depthMax = 32
const shownNameCharsMax = 64

/** A stranger's name for something, as far as an error may repeat it; it may be nothing but blanks. */
export function shownName(name: string): string {
  const whole = maskCardNumbers(name.replaceAll('\0', '').toWellFormed())
  return whole.slice(0, shownNameCharsMax).replace(/[\ud800-\udbff]$/, '')
}

/** Why a member cannot be kept, as the rest of a sentence about its name; null: it can. */
export function whyNotKept(name: string, value: Json): string | null {
  if (name === '__proto__') return 'is not a name for an argument.'
  const texts = textsIn(value)
  if (texts === null) return 'is nested too deeply.'
  if ([name, ...texts].some(text => text.includes('\0'))) return 'must not contain NUL.'
  if (![name, ...texts].every(text => text.isWellFormed())) return 'is not valid Unicode.'
  return hasEndlessNumber(value) ? 'has a number that is too large.' : null
}

/** Not nested too deeply, as is known by then. */
function hasEndlessNumber(value: Json): boolean {
  if (typeof value === 'number') return !Number.isFinite(value)
  return value !== null && typeof value === 'object' && Object.values(value).some(hasEndlessNumber)
}

/** Null: nested deeper than anything we were asked to keep. */
function textsIn(value: Json, depth = 0): string[] | null {
  if (typeof value === 'string') return [value]
  if (value === null || typeof value !== 'object') return []
  if (depth === depthMax) return null
  const all: string[] = []
  for (const [name, inner] of Object.entries(value)) {
    const texts = textsIn(inner, depth + 1)
    if (texts === null) return null
    all.push(name, ...texts)
  }
  return all
}
