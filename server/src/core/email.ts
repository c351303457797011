// What an email address is, for everybody who takes one. Narrower than what mail allows: quotes, comments and groups give
// one mailbox any number of names, and whatever is counted or known by an address would be counted and known by each.

import { maskCardNumbers } from './card-number.ts'

const letter = '\\p{L}\\p{M}\\p{Nd}'
const atom = `[${letter}!#$%&'*+/=?^_\`{|}~-]+`
const label = `[${letter}](?:[${letter}-]{0,61}[${letter}])?`

/** With the flag `u`. */
export const emailPattern = `^${atom}(?:\\.${atom})*@${label}(?:\\.${label})*$`
export const emailCharsMax = 254
const localCharsMax = 64

const shape = new RegExp(emailPattern, 'u')

export function isEmail(text: string): boolean {
  return text.length <= emailCharsMax && text.indexOf('@') <= localCharsMax && shape.test(text)
}

/** What somebody typed, as it is kept. Null: it is none, or has a card number. */
export function parseEmail(text: string): string | null {
  const email = text.trim().toLowerCase()
  return isEmail(email) && maskCardNumbers(email) === email ? email : null
}

/** For words of others that go into a log: they may repeat whom a mail was for. */
export function maskEmails(text: string): string {
  return text.replace(/[^\s<>(),;:]+@[^\s<>(),;:]+/g, '…@…')
}
