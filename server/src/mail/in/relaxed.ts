// A mail as its signatures see it: by what DKIM calls relaxed (RFC 6376, 3.4), blanks may be added and taken away on the way, and
// every signature still holds. A blank is enough to make other words of a body. So what a mail says is read from what is left when
// all of that is undone.

import type { Header } from './header.ts'

export interface RelaxedMail {
  readonly mail: Buffer
  /** Where the body begins. */
  readonly bodyStart: number
}

/** Of a mail whose lines end with CRLF. */
export function relaxed(mail: Buffer, { end }: Pick<Header, 'end'>): RelaxedMail {
  const header = Buffer.from(relaxedHeader(mail.toString('latin1', 0, end)), 'latin1')
  const body = Buffer.from(relaxedBody(mail.toString('latin1', end)), 'latin1')
  return { mail: Buffer.concat([header, body]), bodyStart: header.length }
}

function relaxedHeader(header: string): string {
  const unfolded = header.replace(/\r\n(?=[ \t])/g, '').split('\r\n')
  return `${unfolded
    .filter(Boolean)
    .map(line => `${relaxedField(line)}\r\n`)
    .join('')}\r\n`
}

function relaxedField(line: string): string {
  const colon = line.indexOf(':')
  return `${line.slice(0, colon).trim().toLowerCase()}:${oneBlank(line.slice(colon + 1)).trim()}`
}

function relaxedBody(body: string): string {
  const lines = oneBlank(body)
    .split('\r\n')
    .map(line => (line.endsWith(' ') ? line.slice(0, -1) : line))
  const last = lines.findLastIndex(line => line !== '')
  return last < 0 ? '' : `${lines.slice(0, last + 1).join('\r\n')}\r\n`
}

const oneBlank = (text: string) => text.replace(/[ \t]+/g, ' ')
