// JSON of strangers that is kept and given back: the database holds no NUL and no half of a character.

import type { Json } from './offer.ts'

export const memberNameCharsMax = 255
const depthMax = 32

/** Why a member cannot be kept, as the rest of a sentence about its name; null: it can. */
export function whyNotKept(name: string, value: Json): string | null {
  if (name === '__proto__') return 'is not a name for an argument.'
  const texts = textsIn(value)
  if (texts === null) return 'is nested too deeply.'
  if ([name, ...texts].some(text => text.includes('\0'))) return 'must not contain NUL.'
  return [name, ...texts].every(text => text.isWellFormed()) ? null : 'is not valid Unicode.'
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
