// Which languages there are, and which one a customer reads.

import { en } from './en.ts'
import { es } from './es.ts'

export type Words = typeof en

/** The first one is for whoever wants none of them. */
export const languages: readonly Words[] = [en, es]

/**
 * By Accept-Language (RFC 9110): the one of ours that is wanted most. Where the customer's country is said, amounts are
 * written as they are there: what is a thousand in Spain is one in Mexico.
 */
export function wordsFor(acceptLanguage: string | undefined): Words {
  const ranges = (acceptLanguage ?? '').split(',').map(rangeOf)
  const [most = null] = languages
    .map(words => ({ words, wanted: mostWanted(ranges, words.language) }))
    .filter(({ wanted }) => wanted.weight > 0)
    .sort((one, other) => other.wanted.weight - one.wanted.weight || one.wanted.place - other.wanted.place)
  if (most === null) return en
  const { words, wanted } = most
  return wanted.country === '' ? words : { ...words, locale: `${words.language}-${wanted.country.toUpperCase()}` }
}

interface Range {
  readonly language: string
  readonly country: string
  /** From 0, not at all, to 1. */
  readonly weight: number
}

const unreadable: Range = { language: '', country: '', weight: 0 }

function rangeOf(text: string): Range {
  const range =
    /^\s*(\*|[a-z]{2,3})(?:-[a-z]{4})?(?:-([a-z]{2}|[0-9]{3}))?(?:-[a-z0-9-]+)?\s*(?:;\s*q=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)\s*)?$/i
  const [all, language = '', country = '', q = '1'] = range.exec(text) ?? []
  return all === undefined ? unreadable : { language: language.toLowerCase(), country, weight: Number(q) }
}

/** How much a language is wanted, and at which place it was named: by its own name, or else by `*`. */
function mostWanted(ranges: readonly Range[], language: string): Range & { readonly place: number } {
  const placed = ranges.map((range, place) => ({ ...range, place }))
  const named = placed.filter(range => range.language === language)
  const [first] = (named.length === 0 ? placed.filter(range => range.language === '*') : named).sort(
    (one, other) => other.weight - one.weight,
  )
  return first ?? { ...unreadable, place: ranges.length }
}
