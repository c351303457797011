// Finding card numbers where none belong. A full number must never be kept; strangers type them into notes and answers.

/** The brands' ranges: what the first digits say, and how long the number is. */
const brandRanges = [
  /^4(?:[0-9]{12}|[0-9]{15}|[0-9]{18})$/, // Visa
  /^(?:5[1-5]|2[2-7])[0-9]{14}$/, // Mastercard
  /^3[47][0-9]{13}$/, // American Express
  /^(?:6011|64[4-9][0-9]|65[0-9]{2})[0-9]{12,15}$/, // Discover
  /^3(?:0[0-5][0-9]|095|[689][0-9]{2})[0-9]{10,15}$/, // Diners Club
  /^35(?:2[89]|[3-8][0-9])[0-9]{12,15}$/, // JCB
  /^62[0-9]{14,17}$/, // UnionPay
  /^(?:5018|5020|5038|5893|6304|6759|676[1-3])[0-9]{9,15}$/, // Maestro
]

/** Digits with single blanks, dots or dashes between them, as people write card numbers. */
const digitRuns = /[0-9](?:[ .-]?[0-9])+/g
const lengthMin = 13
const lengthMax = 19

export function passesLuhn(digits: string): boolean {
  let sum = 0
  for (let index = 0; index < digits.length; index++) {
    const digit = digits.charCodeAt(digits.length - 1 - index) - 48
    const doubled = index % 2 === 1 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}

function isCardNumber(digits: string): boolean {
  return brandRanges.some(range => range.test(digits)) && passesLuhn(digits)
}

/** Whether the whole text is a card number: such a value is refused, not masked. */
export function isWhollyCardNumber(text: string): boolean {
  return isCardNumber(text.replace(/[ .-]/g, ''))
}

/**
 * Digits that could be any brand's number, also one that we do not know, alone or behind a prefix: enough to keep them from
 * leaving the service. Amid letters only a known brand's counts: the random names that gateways give have digits, too.
 */
export function mayBeCardNumber(text: string): boolean {
  const parts = text.split(/[^A-Za-z0-9\s.-]+/)
  return parts.some(isLikeCardNumber) || (text.match(/[0-9]+/g) ?? []).some(isCardNumber)
}

function isLikeCardNumber(text: string): boolean {
  const digits = text.replace(/[\s.-]/g, '')
  return new RegExp(`^[0-9]{${lengthMin},${lengthMax}}$`).test(digits) && passesLuhn(digits)
}

/** Every card number in a text with its digits starred, but for the last four. */
export function maskCardNumbers(text: string): string {
  return text.replace(digitRuns, maskRun)
}

/**
 * A number may hide in a longer run of digits (an order number before it), so every window is tried. Also one that
 * overlaps another: digits of two neighbours can look like a third, which must not shield either of them.
 */
function maskRun(run: string): string {
  const places = [...run.matchAll(/[0-9]/g)].map(({ index }) => index)
  const digits = places.map(place => run[place]).join('')
  const chars = [...run]
  for (let start = 0; start + lengthMin <= digits.length; start++) {
    for (let length = lengthMin; length <= Math.min(lengthMax, digits.length - start); length++) {
      if (!isCardNumber(digits.slice(start, start + length))) continue
      for (const place of places.slice(start, start + length - 4)) chars[place] = '*'
    }
  }
  return chars.join('')
}
