// What a message's own words say: the text of its parts without what is quoted, and the tokens in it. Everything is bounded, and
// takes time in proportion to the length: strangers write what they like.

import PostalMime from 'postal-mime'
import { everyReading } from './every-reading.ts'
import { htmlWords } from './html-words.ts'
import { ownWords, quotesOthers } from './own-words.ts'
import type { RelaxedMail } from './relaxed.ts'

export interface BodyRead {
  /** The same token twice is one. */
  readonly tokens: readonly string[]
  /** Whether there are words of others, or words that nobody sees, in whichever way the body is read; also where it is too long. */
  readonly quotesOthers: boolean
}

const limits = { maxNestingDepth: 32, maxHeadersSize: 512 * 1024, maxRfc822NestingDepth: 0 }

/** Of a part's text. Who pays writes a line or two. */
export const textCharsMax = 64 * 1024
/** Of a part's HTML: programs write many times as much markup as people write words. */
const htmlCharsMax = 256 * 1024

/** Null: the parts in its parts are too many to be read, or the sender's own words too long. */
export async function readBody({ mail, bodyStart }: RelaxedMail): Promise<BodyRead | null> {
  const email = await PostalMime.parse(readable(mail, bodyStart), limits).catch(() => null)
  if (email === null) return null
  const text = email.text === undefined ? null : readWords(email.text)
  const html = email.html === undefined ? null : readHtml(email.html)
  if (text?.own === null || html?.own === null) return null
  const tokens = tokensOf(text?.own ?? null, html)
  const isCut = text?.isCut === true || html?.isCut === true
  const readings = isCut ? null : readingsOf(mail, bodyStart, [email.text ?? '', email.html ?? ''])
  return {
    tokens,
    quotesOthers: readings?.some(reading => quotesOthers(reading) || hides(reading, tokens)) ?? true,
  }
}

interface WordsRead {
  /** Null: they did not end before the limit. */
  readonly own: string | null
  readonly isCut: boolean
}

function readWords(words: string): WordsRead {
  const isCut = words.length > textCharsMax
  const own = ownWords(words.slice(0, textCharsMax))
  return { own: isCut && own.isToTheEnd ? null : own.words, isCut }
}

interface HtmlRead extends WordsRead {
  /** Also what is quoted. */
  readonly all: string
}

function readHtml(html: string): HtmlRead {
  const words = htmlWords(html.slice(0, htmlCharsMax))
  const isMarkupCut = html.length > htmlCharsMax
  const own = ownWords(words.own.slice(0, textCharsMax))
  const isOwnCut = words.own.length > textCharsMax || (isMarkupCut && !words.endsQuoted)
  return {
    all: words.all.slice(0, textCharsMax),
    own: isOwnCut && own.isToTheEnd ? null : own.words,
    isCut: isMarkupCut || words.all.length > textCharsMax,
  }
}

function tokensOf(ownText: string | null, html: HtmlRead | null): string[] {
  const inHtml = html === null ? new Set<string>() : tokensIn(html.own ?? '')
  if (ownText === null) return [...inHtml]
  const inText = [...tokensIn(ownText)]
  if (html === null) return inText
  // Parts that name different tokens: it does not matter which of them somebody saw.
  const named = new Set([...inText, ...inHtml])
  if (named.size > 1) return [...named]
  // Where there are both, a plain part may have been made from an HTML part, and what was quoted there shows no more. What was not
  // read may be quoted, too.
  if (html.isCut) return inText.filter(token => inHtml.has(token))
  const inAll = tokensIn(html.all)
  return inText.filter(token => inHtml.has(token) || !inAll.has(token))
}

/** Null: more than is read in every way. */
function readingsOf(mail: Buffer, bodyStart: number, decoded: readonly string[]): string[] | null {
  if (mail.length - bodyStart > textCharsMax) return null
  const readings = everyReading(mail.toString('latin1', bodyStart))
  return readings === null ? null : [...readings, ...decoded]
}

/** As plain text it shows a token that as HTML it does not: in a comment, in a link. */
function hides(reading: string, tokens: readonly string[]): boolean {
  if (tokens.length === 0) return false
  const [asText, asHtml] = [tokensIn(reading), tokensIn(ownWords(htmlWords(reading).own).words)]
  return tokens.some(token => asText.has(token) && !asHtml.has(token))
}

const needed = /^(content-type|content-transfer-encoding|mime-version):/

/** Without the fields that say nothing about how to read the body. */
function readable(mail: Buffer, bodyStart: number): Buffer {
  const fields = mail.toString('latin1', 0, bodyStart).split('\r\n')
  const kept = fields.filter(field => needed.test(field)).map(field => `${field}\r\n`)
  return Buffer.concat([Buffer.from(`${kept.join('')}\r\n`, 'latin1'), mail.subarray(bodyStart)])
}

const tokenShape = /^@(?:[A-Za-z0-9_-]{11}=~)?(?:[A-Za-z0-9_-]{4}){16,}(?:[A-Za-z0-9_-]{2}==|[A-Za-z0-9_-]{3}=)?@$/
/** Between its two `@`. */
const tokenCharsMin = 64
const tokenCharsMax = 16_384
const invisible = /[\u00ad\u200b-\u200d\u2060\ufeff]/g

/** Mail programs break long words over lines, and put marks between letters that nobody sees. */
export function tokensIn(words: string): Set<string> {
  const text = words.replace(invisible, '')
  const found = new Set<string>()
  let open = text.indexOf('@')
  while (open >= 0) {
    const close = text.indexOf('@', open + 1)
    const length = close - open - 1
    if (length >= tokenCharsMin && length <= tokenCharsMax) {
      const token = `@${withoutLineEnds(text.slice(open + 1, close))}@`
      if (tokenShape.test(token)) found.add(token)
    }
    open = close
  }
  return found
}

function withoutLineEnds(segment: string): string {
  return segment
    .split('\n')
    .map(line => line.trim())
    .join('')
}
