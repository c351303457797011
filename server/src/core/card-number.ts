// Finding card numbers where none belong. A full number must never be kept; strangers type them into notes and answers.

/** The brands' ranges: the first four digits, from and until, and how long the number may be. */
const brandRanges: readonly (readonly [number, number, readonly number[]])[] = [
  [4000, 4999, [13, 16, 19]], // Visa
  [5100, 5599, [16]], // Mastercard
  [2200, 2799, [16]],
  [3400, 3499, [15]], // American Express
  [3700, 3799, [15]],
  [6011, 6011, [16, 17, 18, 19]], // Discover
  [6440, 6599, [16, 17, 18, 19]],
  [3000, 3059, [14, 15, 16, 17, 18, 19]], // Diners Club
  [3095, 3095, [14, 15, 16, 17, 18, 19]],
  [3600, 3699, [14, 15, 16, 17, 18, 19]],
  [3800, 3999, [14, 15, 16, 17, 18, 19]],
  [3528, 3589, [16, 17, 18, 19]], // JCB
  [6200, 6299, [16, 17, 18, 19]], // UnionPay
  ...[5018, 5020, 5038, 5893, 6304, 6759, 6761, 6762, 6763].map(
    first => [first, first, [13, 14, 15, 16, 17, 18, 19]] as const, // Maestro
  ),
]

/** By the first four digits. */
const lengthsOf: readonly (readonly number[])[] = Array.from({ length: 10_000 }, (_, first) => [
  ...new Set(brandRanges.flatMap(([from, until, lengths]) => (first >= from && first <= until ? lengths : []))),
])

/** Digits with single blanks, dots or dashes between them, as people write card numbers. */
const digitRun = '[0-9](?:[ .-]?[0-9])+'
/**
 * One UUID of a thousand has digits like a card's, and offers, payments and most shops' orders are called by UUIDs. Nobody writes
 * a card number as part of one; of digits alone it is none.
 */
const uuid =
  '(?<![0-9a-z])(?=[0-9-]{0,35}[a-f])[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}(?![0-9a-z])'
const uuidOrDigits = new RegExp(`(${uuid})|${digitRun}`, 'gi')
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
  return (lengthsOf[Number(digits.slice(0, 4))] ?? []).includes(digits.length) && passesLuhn(digits)
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
  return text.replace(uuidOrDigits, (run, id: string | undefined) => id ?? maskRun(run))
}

/** As many characters as a number or a UUID that begins within a text can reach beyond it. */
const beyondMax = 64

/** The beginning of a text, masked before it is cut: half a number is no longer recognised as one. What comes after it costs nothing. */
export function maskedBeginning(text: string, charsMax: number): string {
  return maskCardNumbers(text.slice(0, charsMax + beyondMax)).slice(0, charsMax)
}

/**
 * A number may hide in a longer run of digits (an order number before it), so every window is tried. Also one that
 * overlaps another: digits of two neighbours can look like a third, which must not shield either of them. Strangers send runs
 * of a megabyte: no window is looked at digit by digit.
 */
function maskRun(run: string): string {
  if (run.length < lengthMin) return run
  const read = run.length <= usualRun.places.length ? usualRun : roomFor(run.length)
  const count = readDigits(run, read)
  let chars: Buffer | null = null
  let first = (read.digits[0] ?? 0) * 100 + (read.digits[1] ?? 0) * 10 + (read.digits[2] ?? 0)
  for (let start = 0; start + lengthMin <= count; start++) {
    first = (first % 1_000) * 10 + (read.digits[start + 3] ?? 0)
    const lengths = lengthsOf[first] ?? []
    for (let which = 0; which < lengths.length; which++) {
      const end = start + (lengths[which] ?? 0)
      if (end > count || !passesInRun(read, start, end)) continue
      chars ??= Buffer.from(run, 'utf16le')
      for (let at = start; at < end - 4; at++) chars[(read.places[at] ?? 0) * 2] = star
    }
  }
  return chars === null ? run : chars.toString('utf16le')
}

const star = 0x2a

/** The digits of a run, where they are, and Luhn's sums up to each: with every even place as it is and every odd one doubled, and the other way round. */
interface DigitsOfRun {
  readonly places: Uint32Array
  readonly digits: Uint8Array
  readonly sums: readonly [Uint32Array, Uint32Array]
}

function roomFor(length: number): DigitsOfRun {
  const sums = [new Uint32Array(length + 1), new Uint32Array(length + 1)] as const
  return { places: new Uint32Array(length), digits: new Uint8Array(length), sums }
}

/** Used again for each: a text may have thousands of runs. */
const usualRun = roomFor(256)

/** How many there are. */
function readDigits(run: string, { places, digits, sums: [even, odd] }: DigitsOfRun): number {
  let count = 0
  for (let at = 0; at < run.length; at++) {
    const digit = run.charCodeAt(at) - 0x30
    if (digit < 0 || digit > 9) continue
    const doubled = digit > 4 ? digit * 2 - 9 : digit * 2
    const isEven = count % 2 === 0
    even[count + 1] = (even[count] ?? 0) + (isEven ? digit : doubled)
    odd[count + 1] = (odd[count] ?? 0) + (isEven ? doubled : digit)
    places[count] = at
    digits[count++] = digit
  }
  return count
}

/** Luhn's sum of any window is the difference of two sums from the beginning: of those where its last digit is not doubled. */
function passesInRun({ sums }: DigitsOfRun, start: number, end: number): boolean {
  const sum = sums[(end - 1) % 2 === 0 ? 0 : 1]
  return ((sum[end] ?? 0) - (sum[start] ?? 0)) % 10 === 0
}
