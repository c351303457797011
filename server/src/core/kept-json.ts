// JSON of strangers that is kept and given back: the database holds no NUL and no half of a character, and nothing that JSON can say
// is as large as the number that 1e999 is read as: it would come back as null.

import { maskedBeginning } from './card-number.ts'
import type { Json } from './offer.ts'

export const memberNameCharsMax = 255
/** Lists and objects in one another. */
export const keptDepthMax = 32
export const tooDeep = 'is nested too deeply.'
const shownNameCharsMax = 64

/** A stranger's name for something, as far as an error may repeat it; it may be nothing but blanks. */
export function shownName(name: string): string {
  return maskedBeginning(name.replaceAll('\0', '').toWellFormed(), shownNameCharsMax).replace(/[\ud800-\udbff]$/, '')
}

/** Why a member cannot be kept, as the rest of a sentence about its name; null: it can. */
export function whyNotKept(name: string, value: Json): string | null {
  if (name === '__proto__') return 'is not a name for an argument.'
  return faultOfText(name) ?? faultIn(value, 0)
}

function faultOfText(text: string): string | null {
  if (text.includes('\0')) return 'must not contain NUL.'
  return text.isWellFormed() ? null : 'is not valid Unicode.'
}

/** A whole number beyond 2^53 was rounded when it was read: an order number would come back as another one. */
function faultOfNumber(value: number): string | null {
  if (!Number.isFinite(value)) return 'has a number that is too large.'
  return Number.isInteger(value) && !Number.isSafeInteger(value)
    ? 'has a whole number beyond 9007199254740991, which cannot be kept as it is: send it as text.'
    : null
}

/** Visits each value once and copies none: strangers send tens of thousands. */
function faultIn(value: Json, depth: number): string | null {
  if (typeof value === 'string') return faultOfText(value)
  if (typeof value === 'number') return faultOfNumber(value)
  if (value === null || typeof value !== 'object') return null
  if (depth === keptDepthMax) return tooDeep
  if (Array.isArray(value)) return firstFault(value, inner => faultIn(inner, depth + 1))
  return firstFault(Object.keys(value), name => faultOfText(name) ?? faultIn(value[name] ?? null, depth + 1))
}

function firstFault<Item>(items: readonly Item[], faultOf: (item: Item) => string | null): string | null {
  for (const item of items) {
    const fault = faultOf(item)
    if (fault !== null) return fault
  }
  return null
}
