// What a web address is, for everybody who takes one.

export const webAddressCharsMax = 2_048

/** Blanks and brackets are no part of an address: the URL parser repairs them silently, and we keep what was given. */
export function isWebAddress(text: string): boolean {
  return /^https?:\/\/[^\s<>"]+$/i.test(text) && URL.canParse(text)
}
