// A search of headings and text: small enough to look at every section each time.

import type { Heading, ReadPage, Section } from './read-page.ts'

/** A section, with what is looked at for every search: all of them share a process with those who pay. */
export interface Indexed {
  readonly address: string
  readonly page: ReadPage
  readonly section: Section
  /** In lower case: its heading or the title of its page, both, and its text. */
  readonly own: string
  readonly named: string
  readonly text: string
  /** How much of what is found in it counts. */
  readonly weight: number
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
/** A section that says a word often is about it, up to a point. */
const countedMax = 5
const excerptAround = 90

/** Why something was decided is seldom what somebody looks for who has something to do. */
const weightOfReasons = 1 / 3
/** A field is in many requests; whoever wants to know about it wants the guide first. */
export const weightOfRequests = 1 / 2

export function indexed(
  address: string,
  page: ReadPage,
  weight = address.startsWith('decisions/') ? weightOfReasons : 1,
): Indexed[] {
  const title = page.title.toLowerCase()
  return page.sections.map(section => {
    const heading = section.heading?.text.toLowerCase()
    const named = heading === undefined ? title : `${title} ${heading}`
    return { address, page, section, own: heading ?? title, named, text: section.text.toLowerCase(), weight }
  })
}

/** Every word must be there, in the text or a heading; who has them in a heading comes first. Among equals, the index decides. */
export function search(index: readonly Indexed[], asked: string): Hit[] {
  const words = wordsOf(asked)
  if (words.length === 0) return []
  return index
    .map(each => ({ each, score: scoreOf(each, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, hitsMax)
    .map(({ each }) => hitOf(each, words))
}

function hitOf({ address, page, section, text }: Indexed, words: readonly string[]): Hit {
  const excerpt = excerptOf(section.text, text, words)
  return { address, title: page.title, heading: section.heading, excerpt }
}

export function wordsOf(asked: string): string[] {
  return asked
    .toLowerCase()
    .split(/\s+/)
    .filter(word => word !== '')
    .slice(0, wordsMax)
}

function scoreOf({ own, named, text, weight }: Indexed, words: readonly string[]): number {
  if (!words.every(word => named.includes(word) || text.includes(word))) return 0
  const each = words.map(word => (own.includes(word) ? 10 : 0) + (named.includes(word) ? 5 : 0) + countOf(word, text))
  const together = text.includes(words.join(' ')) || own.includes(words.join(' ')) ? 3 : 0
  return weight * each.reduce((sum, one) => sum + one, together)
}

function countOf(word: string, text: string): number {
  let count = 0
  for (let at = text.indexOf(word); at >= 0 && count < countedMax; at = text.indexOf(word, at + word.length)) count++
  return count
}

function excerptOf(text: string, low: string, words: readonly string[]): string[] {
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
