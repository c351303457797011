// What a search that found nothing may have meant: words that are nowhere, each as the nearest one that is somewhere.

import { type Indexed, search, wordsOf } from './search.ts'

/** Of those that are known, the one that is nearest to what was typed; null: none is near. */
export type Nearest = (typed: string, known: readonly string[]) => string | null

/** Every search shares a process with those who pay: what is compared letter by letter is little. */
const typedMax = 3
const charsMax = 24
const charsMin = 4

export type Vocabulary = readonly string[]

export function vocabularyOf(index: readonly Indexed[]): Vocabulary {
  const words = index.flatMap(({ named, text }) => `${named} ${text}`.match(/[a-z][a-z_-]{3,}/g) ?? [])
  return [...new Set(words)]
}

/** Null: nothing that would be found. */
export function meant(index: readonly Indexed[], known: Vocabulary, asked: string, nearest: Nearest): string | null {
  const typed = wordsOf(asked)
  const isThere = (word: string) => index.some(({ named, text }) => named.includes(word) || text.includes(word))
  const unknown = typed.filter(word => !isThere(word))
  if (unknown.length === 0 || unknown.length > typedMax) return null
  const words = typed.map(word => (unknown.includes(word) ? nearestTo(word, known, nearest) : word))
  if (words.includes(null)) return null
  const other = words.join(' ')
  return search(index, other).length === 0 ? null : other
}

/** Who mistypes a word seldom begins it with another letter. */
function nearestTo(word: string, known: Vocabulary, nearest: Nearest): string | null {
  if (word.length < charsMin || word.length > charsMax) return null
  const alike = known.filter(each => each[0] === word[0] && Math.abs(each.length - word.length) <= 2)
  return nearest(word, alike)
}
