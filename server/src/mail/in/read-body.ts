// The token in a mail's own words.

import PostalMime from 'postal-mime'
import { htmlWords } from './html-words.ts'
import { hasMoreLines } from './lines.ts'
import { ownWords, quotesOthers } from './own-words.ts'

/** The same token twice is one. */
export interface BodyRead {
  readonly tokens: readonly string[]
  /** Whether there are words of others, in whichever way the body is read. */
  readonly quotesOthers: boolean
}

const limits = { maxNestingDepth: 32, maxHeadersSize: 512 * 1024, maxRfc822NestingDepth: 0 }

// The reader takes its time for each line, however short: a megabyte of line ends would keep it busy for half a minute.
const linesMax = 60_000

/** Null: its lines, or the parts in its parts, are too many to be read. */
export async function readBody(mail: Buffer, bodyStart: number): Promise<BodyRead | null> {
  if (hasMoreLines(mail, linesMax)) return null
  const email = await PostalMime.parse(readable(mail, bodyStart), limits).catch(() => null)
  if (email === null) return null
  const text = email.text ?? null
  const html = email.html === undefined ? null : htmlWords(email.html)
  const inText = text === null ? null : tokensIn(ownWords(text))
  const inHtml = html === null ? [] : tokensIn(ownWords(html.own))
  // Where there are both, a plain part may have been made from an HTML part, and what was quoted there shows no more.
  const onlyQuoted = html === null ? [] : tokensIn(html.all).filter(token => !inHtml.includes(token))
  return {
    tokens: inText === null ? inHtml : inText.filter(token => !onlyQuoted.includes(token)),
    quotesOthers: [mail.toString('latin1', bodyStart), text ?? '', email.html ?? ''].some(quotesOthers),
  }
}

const needed = /^(content-type|content-transfer-encoding|mime-version)[ \t]*:/i

/** Without the fields that say nothing about how to read the body. */
function readable(mail: Buffer, bodyStart: number): Buffer {
  const lines = mail.toString('latin1', 0, bodyStart).split('\r\n')
  let isKept = false
  const kept = lines.filter(line => {
    if (!/^[ \t]/.test(line)) isKept = needed.test(line)
    return isKept
  })
  return Buffer.concat([
    Buffer.from(`${kept.map(line => `${line}\r\n`).join('')}\r\n`, 'latin1'),
    mail.subarray(bodyStart),
  ])
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
    const token = `@${segment.replace(/[ \t\u00a0]*\r?\n[ \t\u00a0]*/g, '')}@`
    if (tokenShape.test(token)) found.add(token)
  }
  return [...found]
}
