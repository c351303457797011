// What a web address is, for everybody who takes one.

export const webAddressCharsMax = 2_048

/** With a user name and a password. A host has at most 253. */
const authorityCharsMax = 512
/** As the parser finds it, which takes a backslash for a slash. */
const authority = /^[a-z][a-z0-9+.-]*:[\\/]*([^\\/?#]*)/i

/**
 * What others wrote, for `URL` to read. Null: it is none, or longer than a browser would send. For a host of thousands of different letters
 * the parser takes a hundred milliseconds: its time grows with their number squared.
 */
export function parsedUrl(text: string): URL | null {
  if (text.length > webAddressCharsMax) return null
  const [, host = ''] = authority.exec(text) ?? []
  return host.length > authorityCharsMax ? null : URL.parse(text)
}

/** Blanks and brackets are no part of an address: the URL parser repairs them silently, and we keep what was given. */
export function isWebAddress(text: string): boolean {
  if (text.length > webAddressCharsMax) return false
  return /^https?:\/\/[^\s<>"]+$/i.test(text) && parsedUrl(text) !== null
}
