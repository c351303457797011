// The text of an email, read so strictly that every program reads the same: plain text alone, or plain text and HTML as
// alternatives, and nothing before, between or after them. Where a signature leaves open how a body is to be read, whoever
// passes the email on could have encoded words decoded that its sender saw as a row of letters and digits, or could have words
// that its sender saw taken for the fields of a part: so it is told, too, how the body reads to who decodes nothing.

import { type Field, valuesOf } from './header.ts'
import { isPlainHtml } from './html-words.ts'

export interface Texts {
  readonly text: string
  /** Null: there is no such part. */
  readonly html: string | null
}

export interface TextParts extends Texts {
  /** As it stands in the body. Null: there it is encoded, or beside it is more than a program needs to say how it is to be read. */
  readonly written: Texts | null
}

/** `body` is text of bytes, with lines that end with CRLF. Null: it is anything else. */
export function readTextParts(fields: readonly Field[], body: string): TextParts | null {
  const { type, parameters } = contentTypeOf(fields)
  if (type === 'text/plain') return textParts(decodedPart(fields, body), null)
  const boundary = parameters.get('boundary')
  if (type !== 'multipart/alternative' || boundary === undefined || boundary === '') return null
  const [plain, html, another] = partsBetween(body, boundary) ?? []
  if (plain === undefined || html === undefined || another !== undefined) return null
  const [text, markup] = [textOf(plain, 'text/plain'), textOf(html, 'text/html')]
  return markup === null ? null : textParts(text, markup, isPlainBoundary(boundary))
}

function textParts(plain: DecodedPart | null, html: DecodedPart | null, isPlain = true): TextParts | null {
  if (plain === null) return null
  const { text, written } = plain
  const markup = html?.written ?? null
  const isAllWritten = html === null || (markup !== null && isPlain && isPlainHtml(markup))
  const isWritten = written !== null && isAllWritten
  return { text, html: html?.text ?? null, written: isWritten ? { text: written, html: markup } : null }
}

/** Programs make boundaries of digits and of a word or two. */
function isPlainBoundary(boundary: string): boolean {
  const words = boundary.split(/[^0-9A-Za-z]+/).filter(part => /^[A-Za-z]+$/.test(part))
  return /^[0-9A-Za-z'()+_,./:=?-]{1,70}$/.test(boundary) && words.length <= 3
}

const plainFields = [
  /^content-type:\s*text\/(?:plain|html)(?:\s*;\s*(?:charset|format|delsp)\s*=\s*"?[\w-]{1,20}"?)*$/i,
  /^content-transfer-encoding:\s*(?:7bit|8bit|quoted-printable)$/i,
  /^content-disposition:\s*inline$/i,
]

/** Whether the header of a part says nothing else than how it is to be read. */
function isPlainHead(head: string): boolean {
  const lines = head.split(/\r\n(?![ \t])/).filter(Boolean)
  const kinds = lines.map(line => plainFields.findIndex(field => field.test(line.trimEnd())))
  return !kinds.includes(-1) && new Set(kinds).size === kinds.length
}

interface ContentType {
  /** In lower case; empty: it cannot be read, or is there more than once. */
  readonly type: string
  readonly parameters: ReadonlyMap<string, string>
}

const parameter = /;\s*([\w*-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/g

function contentTypeOf(fields: readonly Field[]): ContentType {
  const [value = 'text/plain', another] = valuesOf(fields, 'content-type')
  const [, type = ''] = /^([\w.+-]+\/[\w.+-]+)\s*(?:;|$)/.exec(value) ?? []
  const pairs = [...value.matchAll(parameter)].map(
    ([, name = '', quoted, plain]) => [name.toLowerCase(), quoted ?? plain ?? ''] as const,
  )
  const isOnce = another === undefined && new Set(pairs.map(([name]) => name)).size === pairs.length
  return { type: isOnce ? type.toLowerCase() : '', parameters: new Map(pairs) }
}

const toOldPrograms = /^\s*(?:This is a multi-?part message in MIME format\.?)?\s*$/i

/** Null: there is more than the parts. */
function partsBetween(body: string, boundary: string): string[] | null {
  const delimiter = `--${boundary}`
  const lines = body.split('\r\n')
  const places = lines.flatMap((line, place) => (line.trimEnd() === delimiter ? [place] : []))
  const ends = lines.flatMap((line, place) => (line.trimEnd() === `${delimiter}--` ? [place] : []))
  const [first] = places
  const [end, another] = ends
  if (first === undefined || end === undefined || another !== undefined || end < (places.at(-1) ?? 0)) return null
  const isOnlyParts =
    toOldPrograms.test(lines.slice(0, first).join('\n')) && lines.slice(end + 1).every(line => line.trim() === '')
  if (!isOnlyParts) return null
  return places.map((place, index) => lines.slice(place + 1, places[index + 1] ?? end).join('\r\n'))
}

function textOf(part: string, type: string): DecodedPart | null {
  const blank = part.startsWith('\r\n') ? 0 : part.indexOf('\r\n\r\n')
  if (blank < 0) return null
  const fields = part
    .slice(0, blank)
    .split(/\r\n(?![ \t])/)
    .filter(Boolean)
    .map(line => ({
      name: line
        .slice(0, Math.max(line.indexOf(':'), 0))
        .trim()
        .toLowerCase(),
      value: line
        .slice(line.indexOf(':') + 1)
        .replace(/\r\n/g, '')
        .trim(),
    }))
  const isShown = valuesOf(fields, 'content-disposition').every(value => /^inline\s*$/i.test(value))
  if (!isShown || contentTypeOf(fields).type !== type) return null
  const decoded = decodedPart(fields, part.slice(blank).trimStart())
  return decoded === null || isPlainHead(part.slice(0, blank)) ? decoded : { ...decoded, written: null }
}

interface DecodedPart {
  readonly text: string
  /** As who decodes nothing reads it, but for letters that are not ASCII. Null: that is something else. */
  readonly written: string | null
}

/** Null: it cannot be decoded for sure. */
function decodedPart(fields: readonly Field[], body: string): DecodedPart | null {
  const [written = '7bit', another] = valuesOf(fields, 'content-transfer-encoding')
  const encoding = written.toLowerCase()
  const bytes = another === undefined ? decodedBytes(body, encoding) : null
  const charset = contentTypeOf(fields).parameters.get('charset') ?? 'utf-8'
  try {
    if (bytes === null) return null
    const decoder = new TextDecoder(charset, { fatal: true })
    const text = decoder.decode(bytes)
    const undecoded = encoding === 'quoted-printable' ? withoutNeededEscapes(body) : body
    const isWritten = asciiOf(undecoded) === asciiOf(text)
    return { text, written: isWritten ? decoder.decode(Buffer.from(undecoded, 'latin1')) : null }
  } catch {
    return null
  }
}

const softLineEnd = /=[ \t]*\r\n/g
const escapedByte = /=([0-9a-f]{2})/gi
const codeOf = (hex: string) => Number.parseInt(hex, 16)

function decodedBytes(body: string, encoding: string): Buffer | null {
  switch (encoding) {
    case '7bit':
    case '8bit':
    case 'binary':
      return Buffer.from(body, 'latin1')
    case 'quoted-printable': {
      const unescaped = body
        .replace(softLineEnd, '')
        .replace(escapedByte, (_, hex: string) => String.fromCharCode(codeOf(hex)))
      return Buffer.from(unescaped, 'latin1')
    }
    case 'base64':
      return /^[A-Za-z0-9+/=\s]*$/.test(body) ? Buffer.from(body, 'base64') : null
    default:
      return null
  }
}

/** A line that need not be broken ends where it ends. */
const longLineChars = 60
const anyLineEnd = /^(.*)=[ \t]*\r\n/gm

/**
 * Quoted-printable must escape what is not ASCII, its own sign, and a space at the end of a line, and must break long lines. It can escape everything,
 * and break everywhere.
 */
function withoutNeededEscapes(body: string): string {
  return body
    .replace(/=(?:20|09)(?==?\r\n|$)/gi, ' ')
    .replace(anyLineEnd, (_, line: string) => (line.length < longLineChars ? `${line}\r\n` : line))
    .replace(escapedByte, (escaped, hex: string) => {
      const char = String.fromCharCode(codeOf(hex))
      return /[=\x80-\xff]/.test(char) ? char : escaped
    })
}

const asciiOf = (text: string) => text.replace(/[\s\u0080-\u{10ffff}]+/gu, '')
