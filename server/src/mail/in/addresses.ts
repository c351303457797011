// Addresses in a header, read narrowly. Comments, groups, routes and quoted local parts are legal, and two programs read them in
// two ways: a customer who pays by mail needs none of them.

import { decodeWords } from 'postal-mime'
import { parseEmail } from '../../core/email.ts'

export interface Mailbox {
  /** Decoded; empty where there is none. */
  readonly name: string
  /** In lower case. */
  readonly address: string
}

const quoted = '"(?:[^"\\\\\\x00-\\x1f\\x7f]|\\\\[\\x20-\\x7e])*"'
const plain = '[^"(),:;<>@\\[\\]\\\\\\x00-\\x1f\\x7f]'
const spec = '[^\\s"(),:;<>\\[\\]\\\\\\x00-\\x1f\\x7f]+'
const nameThenAddress = new RegExp(`^((?:${quoted}|${plain})*)<(${spec})>$`, 'u')
const bareAddress = new RegExp(`^${spec}$`, 'u')

const charsMax = 8_192

/** Null: not a list of plain mailboxes. */
export function readMailboxes(text: string): Mailbox[] | null {
  const parts = text.length > charsMax ? null : splitAtCommas(text)
  if (parts === null) return null
  const mailboxes = parts.map(readMailbox)
  return mailboxes.every(mailbox => mailbox !== null) ? mailboxes : null
}

/** Commas in quotes are part of a name. Null: a quote does not end, or there is nothing between two commas. */
function splitAtCommas(text: string): string[] | null {
  const parts = ['']
  for (const [piece, closingQuote] of text.matchAll(/"(?:[^"\\]|\\.)*("?)|,|[^",]+/g)) {
    if (closingQuote === '') return null
    if (piece === ',') parts.push('')
    else parts.push(`${parts.pop()}${piece}`)
  }
  return parts.includes('') ? null : parts
}

function readMailbox(part: string): Mailbox | null {
  const text = part.trim()
  const [, phrase = '', inBrackets] = nameThenAddress.exec(text) ?? []
  const written = inBrackets ?? (bareAddress.test(text) ? text : null)
  const address = written === null ? null : parseEmail(written)
  if (written === null || address === null) return null
  // Some letters of other alphabets become ASCII in lower case: whoever signed it may have taken it for another mailbox's name.
  if (address !== written.toLowerCase()) return null
  return { name: decodedName(phrase), address }
}

function decodedName(phrase: string): string {
  const unquoted = phrase.replace(new RegExp(quoted, 'gu'), inQuotes => inQuotes.slice(1, -1).replace(/\\(.)/g, '$1'))
  return decodeWords(unquoted.trim())
}

/** Whether the name shows an address that is not the mailbox's own: many mail programs show the name alone. */
export function showsAnother({ name, address }: Mailbox): boolean {
  const shown = name.normalize('NFKC').toLowerCase().trim()
  return shown.includes('@') && shown.replace(/^<(.*)>$|^'(.*)'$/, '$1$2') !== address
}
