// The header section of a mail, and the limits of what we read of it.

export interface Field {
  /** In lower case. */
  readonly name: string
  /** Unfolded, and read as UTF-8. */
  readonly value: string
}

export interface Header {
  readonly fields: readonly Field[]
  /** Where the body begins. */
  readonly end: number
}

const headerBytesMax = 64 * 1024
// What reads the signatures later takes time with the square of these.
const linesMax = 2_000
const signaturesMax = 10
// For each length that a signature stops at, the body is read once more. Nobody who pays by mail has one.
const lengthsMax = 2

const blankLine = Buffer.from('\r\n\r\n')

/**
 * Of a mail whose lines end with CRLF. Null: there is more of it than anybody who pays would send, or a line that is neither a
 * field nor goes on with one. Programs read such a line in different ways, and signatures hold for some of them.
 */
export function readHeader(mail: Buffer): Header | null {
  const blank = mail.subarray(0, headerBytesMax + blankLine.length).indexOf(blankLine)
  if (blank < 0 && mail.length > headerBytesMax) return null
  const isEmpty = mail.subarray(0, 2).toString('latin1') === '\r\n'
  const end = isEmpty ? 2 : blank < 0 ? mail.length : blank + blankLine.length
  const lines = isEmpty ? [] : mail.toString('latin1', 0, end).split('\r\n').filter(Boolean)
  if (lines.length > linesMax || !lines.every(isWellFormed)) return null
  const fields = joinFolded(lines).map(fieldOf)
  return hasTooMuchSigned(valuesOf(fields, 'dkim-signature')) ? null : { fields, end }
}

function hasTooMuchSigned(signatures: readonly string[]): boolean {
  const lengths = signatures.map(signature => /(?:^|;)\s*l\s*=\s*([0-9]*)/i.exec(signature)?.[1])
  const different = new Set(lengths.filter(length => length !== undefined))
  return signatures.length > signaturesMax || different.size > lengthsMax
}

const isFolded = (line: string) => /^[ \t]+[^ \t]/.test(line)

function isWellFormed(line: string, place: number): boolean {
  return /^[\x21-\x39\x3b-\x7e]+[ \t]*:/.test(line) || (place > 0 && isFolded(line))
}

function joinFolded(lines: readonly string[]): string[] {
  const joined: string[] = []
  for (const line of lines) {
    if (isFolded(line)) joined.push(`${joined.pop() ?? ''}\r\n${line}`)
    else joined.push(line)
  }
  return joined
}

/** `line` is text of bytes, as `latin1` makes it. */
export function fieldOf(line: string): Field {
  const colon = line.indexOf(':')
  const name = line.slice(0, Math.max(colon, 0)).trim().toLowerCase()
  const value = Buffer.from(line.slice(colon + 1), 'latin1').toString('utf8')
  return { name, value: value.replace(/\r\n/g, '').trim() }
}

export function valuesOf(fields: readonly Field[], name: string): string[] {
  return fields.filter(field => field.name === name).map(({ value }) => value)
}
