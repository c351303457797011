// The token in a mail's own words.

import PostalMime from 'postal-mime'
import { everyReading } from './every-reading.ts'
import { htmlWords } from './html-words.ts'
import { ownWords, quotesOthers } from './own-words.ts'
import type { RelaxedMail } from './relaxed.ts'

/** The same token twice is one. */
export interface BodyRead {
  readonly tokens: readonly string[]
  /** Whether there are words of others, or words that nobody sees, in whichever way the body is read. */
  readonly quotesOthers: boolean
}

const limits = { maxNestingDepth: 32, maxHeadersSize: 512 * 1024, maxRfc822NestingDepth: 0 }

/** Null: the parts in its parts are too many to be read. */
export async function readBody({ mail, bodyStart }: RelaxedMail): Promise<BodyRead | null> {
  const email = await PostalMime.parse(readable(mail, bodyStart), limits).catch(() => null)
  if (email === null) return null
  const text = email.text ?? null
  const html = email.html === undefined ? null : htmlWords(email.html)
  const inText = text === null ? null : tokensIn(ownWords(text))
  const inHtml = html === null ? [] : tokensIn(ownWords(html.own))
  // Where there are both, a plain part may have been made from an HTML part, and what was quoted there shows no more.
  const onlyQuoted = html === null ? [] : tokensIn(html.all).filter(token => !inHtml.includes(token))
  const tokens = inText === null ? inHtml : inText.filter(token => !onlyQuoted.includes(token))
  const readings = [...everyReading(mail.toString('latin1', bodyStart)), text ?? '', email.html ?? '']
  return { tokens, quotesOthers: readings.some(reading => quotesOthers(reading) || hides(reading, tokens)) }
}

/** As plain text it shows a token that as HTML it does not: in a comment, in a link. */
function hides(reading: string, tokens: readonly string[]): boolean {
  const [asText, asHtml] = [tokensIn(reading), tokensIn(ownWords(htmlWords(reading).own))]
  return tokens.some(token => asText.includes(token) && !asHtml.includes(token))
}

const needed = /^(content-type|content-transfer-encoding|mime-version):/

/** Without the fields that say nothing about how to read the body. */
function readable(mail: Buffer, bodyStart: number): Buffer {
  const fields = mail.toString('latin1', 0, bodyStart).split('\r\n')
  const kept = fields.filter(field => needed.test(field)).map(field => `${field}\r\n`)
  return Buffer.concat([Buffer.from(`${kept.join('')}\r\n`, 'latin1'), mail.subarray(bodyStart)])
}

const tokenShape = /^@(?:[A-Za-z0-9_-]{11}=~)?(?:[A-Za-z0-9_-]{4}){16,}(?:[A-Za-z0-9_-]{2}==|[A-Za-z0-9_-]{3}=)?@$/
const tokenCharsMax = 16_384
const invisible = /[\u00ad\u200b-\u200d\u2060\ufeff]/g

/** Mail programs break long words over lines, and put marks between letters that nobody sees. */
function tokensIn(words: string): string[] {
  const segments = words.replace(invisible, '').split('@')
  const found = new Set<string>()
  for (const segment of segments.slice(1, -1)) {
    if (segment.length > tokenCharsMax) continue
    const token = `@${segment
      .split('\n')
      .map(line => line.trim())
      .join('')}@`
    if (tokenShape.test(token)) found.add(token)
  }
  return [...found]
}
