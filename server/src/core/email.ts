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
const wordsCharsMax = 500

const shape = new RegExp(emailPattern, 'u')

export function isEmail(text: string): boolean {
  return text.length <= emailCharsMax && text.indexOf('@') <= localCharsMax && shape.test(text)
}

/**
 * The one rule for the case of an address: A to Z are small, and all other letters stay as they are. Languages and versions of Unicode do
 * not agree about the others (the two i of Turkish, the two small sigmas of Greek), so that a database could hold for two what is one
 * here. And some of them become ASCII, such as the Kelvin sign: one mailbox would take another's name.
 */
export function lowerCaseEmail(text: string): string {
  return text.replace(/[A-Z]/g, letter => letter.toLowerCase())
}

/** What somebody typed, as it is kept. Null: it is none, or has a card number. */
export function parseEmail(text: string): string | null {
  const email = lowerCaseEmail(text.trim())
  return isEmail(email) && maskCardNumbers(email) === email ? email : null
}

/** Enough to know one's own address by, where strangers may read it: `a…@example.com`. */
export function maskedEmail(email: string): string {
  const [first = ''] = email
  return `${first}…${email.slice(email.indexOf('@'))}`
}

/** For words of others that go into a log: they may repeat whom a mail was for. Of long ones the beginning, which takes little time to read. */
export function maskEmails(text: string): string {
  return text.slice(0, wordsCharsMax).replace(/[^\s<>(),;:]+@[^\s<>(),;:]+/g, '…@…')
}
