// Which languages there are, and which one a customer reads.

import { en } from './en.ts'
import { es } from './es.ts'

export type Words = typeof en

const languages: readonly Words[] = [en, es]

/** By Accept-Language (RFC 9110): the one wanted most that we have; English where we have none. */
export function wordsFor(acceptLanguage: string | undefined): Words {
  const wanted = (acceptLanguage ?? '')
    .split(',')
    .map(asked)
    .filter(({ weight }) => weight > 0)
  wanted.sort((one, other) => other.weight - one.weight)
  for (const { primary } of wanted) {
    const found = languages.find(({ language }) => language === primary)
    if (found !== undefined) return found
  }
  return en
}

function asked(range: string): { readonly primary: string; readonly weight: number } {
  const [tag = '', ...parameters] = range.split(';').map(part => part.trim().toLowerCase())
  const [, q = '1'] = /^q=([01](?:\.[0-9]{0,3})?)$/.exec(parameters.join(';')) ?? []
  return { primary: tag.split('-')[0] ?? '', weight: Number(q) }
}
