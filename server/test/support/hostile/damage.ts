// Damages text of bytes (latin1) in the ways that do not know what it means. What a language finds hard to read is given as its spices.

import { type Chance, pick } from './chance.ts'

type Damage = (text: string, chance: Chance) => string

export const spliced = (text: string, at: number, removed: number, added: string) =>
  text.slice(0, at) + added + text.slice(at + removed)

const place = (text: string, chance: Chance) => chance(text.length + 1)
const length = (chance: Chance) => 1 + chance(pick([2, 8, 40], chance))

const blind: readonly Damage[] = [
  (text, chance) => spliced(text, place(text, chance), 1, String.fromCharCode(chance(256))),
  (text, chance) => {
    const at = place(text, chance)
    return spliced(text, at, 1, String.fromCharCode(((text.charCodeAt(at) || 0) ^ (1 << chance(8))) & 0xff))
  },
  (text, chance) => spliced(text, place(text, chance), length(chance), ''),
  (text, chance) => text.slice(0, place(text, chance)),
  (text, chance) => text.slice(place(text, chance)),
  (text, chance) => {
    const at = place(text, chance)
    return spliced(text, place(text, chance), 0, text.slice(at, at + length(chance)))
  },
  (text, chance) => {
    const at = place(text, chance)
    return text + text.slice(at)
  },
]

/** One to four changes, half of them with a spice. */
export function damaged(text: string, chance: Chance, spices: readonly string[]): string {
  let changed = text
  for (let count = 1 + chance(4); count > 0; count -= 1) {
    const isSpiced = chance(2) === 0
    changed = isSpiced
      ? spliced(changed, place(changed, chance), chance(2) * length(chance), pick(spices, chance))
      : pick(blind, chance)(changed, chance)
  }
  return changed
}

/** Pieces taken out of it, the largest first; then single ones made plain. */
export function* shorter(text: string): Generator<string> {
  for (let size = Math.ceil(text.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < text.length; at += size) yield spliced(text, at, size, '')
  }
}
