// What the service refuses something with, in the reader's language. It answers in English, to machines as well, and begins
// with the name of the field: `url must be an https URL in live mode.` Read at the field it needs no name at all, and elsewhere a
// name that people know. refusals.test.ts holds the tables against the sentences in the service's sources.

import type { Language } from './languages.ts'
import { esActs } from './refusals-of-acts.ts'
import { esForms } from './refusals-of-forms.ts'
import { esGateways } from './refusals-of-gateways.ts'
import { esMails } from './refusals-of-mails.ts'
import { fieldNames, valuesInSpanish } from './refused-names.ts'

export interface Said {
  readonly text: string
  /** Not always the reader's: what a gateway says in its own words is shown as it is, and marked. */
  readonly language: Language
}

/** `{1}` stands for what the service fills in. A beginning in lower case: the name of the field stands before it. */
export type Sentences = readonly (readonly [english: string, spanish: string])[]

const spanish = [...esForms, ...esActs, ...esGateways, ...esMails].map(([english, said]) => ({
  pattern: patternOf(english),
  said,
}))

/** Away from its field, or about none (`general`). */
export function refusalIn(language: Language, field: string, sentence: string): Said {
  const named = namedIn(sentence, field)
  const name = named === null ? null : nameIn(fieldNames[language], named.field)
  if (language === 'en') return english(name === null ? sentence : `${name} ${named?.rest}`)
  const whole = inSpanish(sentence)
  if (whole !== null) return { text: whole, language }
  const rest = named === null ? null : inSpanish(named.rest)
  return rest === null ? english(sentence) : { text: `${name}: ${rest}`, language }
}

/**
 * Below the field that it is about, by the name that it has there. Null: it is no sentence of the service's, but one of the page's
 * own.
 */
export function refusalAtField(language: Language, sentence: string, label: string | null = null): string | null {
  const named = namedIn(sentence, null)
  if (language === 'en') {
    if (named === null) return null
    return label === null ? refusalIn(language, named.field, sentence).text : `${label} ${named.rest}`
  }
  const said = inSpanish(sentence) ?? (named === null ? null : inSpanish(named.rest))
  return said === null ? null : said.charAt(0).toUpperCase() + said.slice(1)
}

function english(text: string): Said {
  return { text, language: 'en' }
}

/** The name that a sentence begins with. Arguments of an offer are named by merchants, in any letters. */
function namedIn(sentence: string, field: string | null): { readonly field: string; readonly rest: string } | null {
  const name =
    field !== null && sentence.startsWith(`${field} `)
      ? field
      : /^(?:[a-z][a-z0-9_]*|[A-Z]\w*(-\w+)+)(?= )/.exec(sentence)?.[0]
  return name === undefined ? null : { field: name, rest: sentence.slice(name.length + 1) }
}

/** What has no name of ours keeps its own: also one like `constructor`, which every object has. */
function nameIn(names: { readonly [name: string]: string }, name: string): string {
  return Object.hasOwn(names, name) ? (names[name] ?? name) : name
}

function inSpanish(sentence: string): string | null {
  for (const { pattern, said } of spanish) {
    const values = pattern.exec(sentence)
    if (values !== null) return said.replace(/\{(\d)\}/g, (_, number) => valueInSpanish(values[number] ?? ''))
  }
  return null
}

/** A state, a kind of operation; or a sentence within a sentence. */
function valueInSpanish(value: string): string {
  return (value.includes(' ') ? inSpanish(value) : null) ?? nameIn(valuesInSpanish, value)
}

function patternOf(sentence: string): RegExp {
  const parts = sentence.split(/\{\d\}/).map(part => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('(.+?)')}$`, 's')
}
