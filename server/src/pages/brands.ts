// What the first digits of a card say: its brand, how long its number is, and how long its security code.
// `card-typing.js` has the same table for the browser, and a test compares the two.

import { passesLuhn } from '../core/card-number.ts'
import type { CardType } from '../core/gateway.ts'

interface Brand {
  readonly type: CardType
  readonly begins: RegExp
  readonly lengths: readonly number[]
  readonly codeDigits: readonly number[]
}

const brands: readonly Brand[] = [
  { type: 'visa', begins: /^4/, lengths: [13, 16, 19], codeDigits: [3] },
  {
    type: 'master',
    begins: /^(?:5[1-5]|22[3-9]|222[1-9]|2[3-6]|27[01]|2720)/,
    lengths: [16],
    codeDigits: [3],
  },
  { type: 'american_express', begins: /^3[47]/, lengths: [15], codeDigits: [4] },
  { type: 'discover', begins: /^(?:6011|64[4-9]|65)/, lengths: [16, 17, 18, 19], codeDigits: [3] },
]
const unknown: Brand = {
  type: 'other',
  begins: /^/,
  lengths: [12, 13, 14, 15, 16, 17, 18, 19],
  codeDigits: [3, 4],
}

export function brandOf(digits: string): Brand {
  return brands.find(({ begins }) => begins.test(digits)) ?? unknown
}

/** Whether it can be a card's number: all digits, as long as its brand's are, with the right check digit. */
export function isPlausible(digits: string): boolean {
  return /^[0-9]+$/.test(digits) && brandOf(digits).lengths.includes(digits.length) && passesLuhn(digits)
}

/** As they write themselves, in every language. */
export const brandNames: { readonly [type in CardType]: string | null } = {
  visa: 'Visa',
  master: 'Mastercard',
  american_express: 'American Express',
  discover: 'Discover',
  other: null,
}
