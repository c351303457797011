// A search of headings and text: small enough to look at every section each time.

import type { Heading, ReadPage } from './read-page.ts'

export interface Indexed {
  readonly address: string
  readonly page: ReadPage
}

export interface Hit {
  readonly address: string
  readonly title: string
  readonly heading: Heading | null
  /** The text around what was found, in parts: every second one is what was searched for. */
  readonly excerpt: readonly string[]
}

const hitsMax = 30
const wordsMax = 8
const excerptAround = 90

/** Every word must be there, in the text or a heading; who has them in a heading comes first. */
export function search(pages: readonly Indexed[], asked: string): Hit[] {
  const words = wordsOf(asked)
  if (words.length === 0) return []
  return pages
    .flatMap(({ address, page }) =>
      page.sections.map(({ heading, text }) => {
        const named = `${page.title} ${heading?.text ?? ''}`
        const hit: Hit = { address, title: page.title, heading, excerpt: excerptOf(text, words) }
        return { hit, score: scoreOf(heading?.text ?? page.title, named, text, words) }
      }),
    )
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, hitsMax)
    .map(({ hit }) => hit)
}

export function wordsOf(asked: string): string[] {
  return asked
    .toLowerCase()
    .split(/\s+/)
    .filter(word => word !== '')
    .slice(0, wordsMax)
}

function scoreOf(own: string, named: string, text: string, words: readonly string[]): number {
  const [ownLow, namedLow, textLow] = [own, named, text].map(each => each.toLowerCase()) as [string, string, string]
  if (!words.every(word => namedLow.includes(word) || textLow.includes(word))) return 0
  const each = words.map(
    word => (ownLow.includes(word) ? 10 : 0) + (namedLow.includes(word) ? 5 : 0) + (textLow.includes(word) ? 1 : 0),
  )
  const together = textLow.includes(words.join(' ')) || ownLow.includes(words.join(' ')) ? 3 : 0
  return each.reduce((sum, score) => sum + score, together)
}

function excerptOf(text: string, words: readonly string[]): string[] {
  const low = text.toLowerCase()
  const first = Math.min(...words.map(word => low.indexOf(word)).filter(at => at >= 0))
  if (first === Number.POSITIVE_INFINITY) return [cut(text, 0, 2 * excerptAround)]
  const pattern = new RegExp(`(${words.map(literally).join('|')})`, 'gi')
  return cut(text, Math.max(0, first - excerptAround), first + 2 * excerptAround).split(pattern)
}

/** From and to the end of a word. */
function cut(text: string, from: number, to: number): string {
  const piece = text.slice(from, to)
  const begin = from === 0 ? piece : `… ${piece.replace(/^\S*\s/, '')}`
  return to >= text.length ? begin : `${begin.replace(/\s\S*$/, '')} …`
}

/** As a part of a pattern. */
function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')
}
