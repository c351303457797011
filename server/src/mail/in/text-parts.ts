// The text of an email, read so strictly that every program reads the same: plain text alone, or plain text and HTML as
// alternatives, and nothing before, between or after them. Where a signature leaves open how a body is to be read, whoever
// passes the email on could have encoded words decoded that its sender saw as a row of letters and digits: so it is told whether
// the words stand in the body as they are read.

import type { Field } from './header.ts'
import { valuesOf } from './header.ts'

export interface TextParts {
  readonly text: string
  /** Who decodes nothing reads the same, but for letters that are not ASCII. */
  readonly isWrittenAsRead: boolean
  /** Null: there is no such part. */
  readonly html: string | null
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
  return markup === null ? null : textParts(text, markup.text)
}

const textParts = (plain: DecodedPart | null, html: string | null): TextParts | null =>
  plain === null ? null : { ...plain, html }

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
  return isShown && contentTypeOf(fields).type === type ? decodedPart(fields, part.slice(blank).trimStart()) : null
}

type DecodedPart = Omit<TextParts, 'html'>

/** Null: it cannot be decoded for sure. */
function decodedPart(fields: readonly Field[], body: string): DecodedPart | null {
  const [written = '7bit', another] = valuesOf(fields, 'content-transfer-encoding')
  const encoding = written.toLowerCase()
  const bytes = another === undefined ? decodedBytes(body, encoding) : null
  const charset = contentTypeOf(fields).parameters.get('charset') ?? 'utf-8'
  try {
    if (bytes === null) return null
    const text = new TextDecoder(charset, { fatal: true }).decode(bytes)
    const undecoded = encoding === 'quoted-printable' ? withoutNeededEscapes(body) : body
    return { text, isWrittenAsRead: asciiOf(undecoded) === asciiOf(text) }
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

/** Quoted-printable must escape what is not ASCII, its own sign, and a space at the end of a line. It can escape everything. */
function withoutNeededEscapes(body: string): string {
  return body
    .replace(/=(?:20|09)(?==?\r\n|$)/gi, ' ')
    .replace(softLineEnd, '')
    .replace(escapedByte, (escaped, hex: string) => {
      const char = String.fromCharCode(codeOf(hex))
      return /[=\x80-\xff]/.test(char) ? char : escaped
    })
}

const asciiOf = (text: string) => text.replace(/[\s\u0080-\u{10ffff}]+/gu, '')
