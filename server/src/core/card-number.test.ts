import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { testCards } from '../gateways/sandbox/test-cards.ts'
import { isWhollyCardNumber, maskCardNumbers, maskedBeginning, mayBeCardNumber, passesLuhn } from './card-number.ts'

const numbers = testCards.map(({ number }) => number)
/** One of each other brand, as the brands and their processors publish them for tests. */
const otherBrands = [
  ...['30569309025904', '38520000023237', '36006666333344', '3530111333300000', '6200000000000005'],
  ...['6205500000000000004', '6759649826438453', '4222222222222', '2223003122003222', '6445644564456445'],
]
const number = fc.constantFrom(...numbers, ...otherBrands)
const separator = fc.constantFrom('', ' ', '-', '.')
/** Words that hold no digit and do not end or begin with what may stand between digits. */
const words = fc.string({ maxLength: 30 }).map(text => `${text.replace(/[0-9]/g, '')}:`)

function grouped(digits: string, between: string): string {
  return digits.replace(/(.{4})(?=.)/g, `$1${between}`)
}

/** The rule once more, told another way: by the first six digits as a number, and the lengths that go with them. */
const ranges: readonly (readonly [from: number, to: number, lengths: readonly number[]])[] = [
  [400000, 499999, [13, 16, 19]],
  [510000, 559999, [16]],
  [220000, 279999, [16]],
  [340000, 349999, [15]],
  [370000, 379999, [15]],
  [601100, 601199, [16, 17, 18, 19]],
  [644000, 659999, [16, 17, 18, 19]],
  [300000, 305999, [14, 15, 16, 17, 18, 19]],
  [309500, 309599, [14, 15, 16, 17, 18, 19]],
  [360000, 369999, [14, 15, 16, 17, 18, 19]],
  [380000, 399999, [14, 15, 16, 17, 18, 19]],
  [352800, 358999, [16, 17, 18, 19]],
  [620000, 629999, [16, 17, 18, 19]],
  ...[5018, 5020, 5038, 5893, 6304, 6759, 6761, 6762, 6763].map(
    prefix => [prefix * 100, prefix * 100 + 99, [13, 14, 15, 16, 17, 18, 19]] as const,
  ),
]

function isCard(digits: string): boolean {
  const start = Number(digits.slice(0, 6))
  const inRange = ranges.some(([from, to, lengths]) => start >= from && start <= to && lengths.includes(digits.length))
  const sum = [...digits]
    .reverse()
    .map((digit, index) => Number(digit) * (1 + (index % 2)))
    .reduce((total, each) => total + Math.floor(each / 10) + (each % 10), 0)
  return inRange && sum % 10 === 0
}

function holdsCard(text: string): boolean {
  for (const [run] of text.matchAll(/[0-9](?:[ .-]?[0-9])+/g)) {
    const digits = run.replace(/[^0-9]/g, '')
    for (let start = 0; start < digits.length; start++) {
      for (let length = 13; length <= 19 && start + length <= digits.length; length++) {
        if (isCard(digits.slice(start, start + length))) return true
      }
    }
  }
  return false
}

/** Digits as they are typed by mistake: runs long and short, grouped, near to card numbers. */
const digitText = fc
  .array(
    fc.oneof(
      fc.stringMatching(/^[0-9]{1,20}$/),
      number,
      number.map(digits => digits.slice(0, -1)),
      fc.constantFrom(' ', '-', '.', '  ', ', ', 'no. ', '\n'),
    ),
    { maxLength: 8 },
  )
  .map(parts => parts.join(''))

describe('masking', () => {
  for (const digits of [...numbers, ...otherBrands]) {
    test(`${digits} is masked but for its last four`, () => {
      const masked = '*'.repeat(digits.length - 4) + digits.slice(-4)
      assert.equal(maskCardNumbers(digits), masked)
      assert.equal(maskCardNumbers(`My card is ${digits}, thanks.`), `My card is ${masked}, thanks.`)
      for (const between of [' ', '-', '.']) {
        assert.equal(maskCardNumbers(`(${grouped(digits, between)})`), `(${grouped(masked, between)})`)
      }
    })
  }

  test('whatever words stand around it, a number is masked, its last four are kept and so are the words', () => {
    fc.assert(
      fc.property(words, number, separator, words, (before, digits, between, behind) => {
        const masked = '*'.repeat(digits.length - 4) + digits.slice(-4)
        const said = (middle: string) => `${before}${grouped(middle, between)}:${behind}`
        assert.equal(maskCardNumbers(said(digits)), said(masked))
      }),
    )
  })

  test('the beginning of a text is what is left when the whole text is masked and then cut', () => {
    const part = fc.oneof(digitText, fc.uuid(), fc.constantFrom('', '-', ' '))
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), fc.nat(120), (parts, charsMax) => {
        const text = parts.join('')
        assert.equal(maskedBeginning(text, charsMax), maskCardNumbers(text).slice(0, charsMax))
      }),
      { numRuns: 2_000 },
    )
  })

  test('inside a longer run of digits no more than its last four can be read', () => {
    const run = fc.stringMatching(/^[0-9]{0,25}$/)
    fc.assert(
      fc.property(run, number, run, separator, (before, digits, behind, between) => {
        const masked = maskCardNumbers([before, digits, behind].filter(Boolean).join(between))
        const plain = masked.replaceAll(between || '-', '')
        assert.equal(plain.length, before.length + digits.length + behind.length)
        const seen = plain.slice(before.length, before.length + digits.length)
        assert.match(seen, /^\*{9,15}[0-9*]{4}$/)
      }),
      { numRuns: 2_000 },
    )
  })

  test('of two numbers side by side both are masked', () => {
    for (const one of numbers) {
      for (const other of numbers) {
        for (const between of ['', ' ', '-']) {
          const masked = maskCardNumbers(`${one}${between}${other}`)
          const text = `${one}${between}${other} became ${masked}`
          assert.ok(!masked.includes(one.slice(0, -4)) && !masked.includes(other.slice(0, -4)), text)
          assert.ok(masked.endsWith(other.slice(-4)), text)
        }
      }
    }
  })

  test('a text without a number of a brand’s range that passes Luhn is kept as given', () => {
    fc.assert(
      fc.property(fc.oneof(digitText, fc.string({ unit: fc.constantFrom(...'0123456789 -.*éß語😀\u2028') })), text => {
        fc.pre(!holdsCard(text))
        assert.equal(maskCardNumbers(text), text)
      }),
      { numRuns: 2_000 },
    )
  })

  test('whatever the text, no card number is left, nothing but digits is changed, and masking again changes nothing', () => {
    fc.assert(
      fc.property(digitText, text => {
        const masked = maskCardNumbers(text)
        assert.ok(!holdsCard(masked), masked)
        assert.equal(masked === text, !holdsCard(text))
        assert.equal(masked.length, text.length)
        for (const [index, char] of [...masked].entries()) {
          if (char !== text[index]) assert.ok(char === '*' && /[0-9]/.test(text[index] ?? ''))
        }
        assert.equal(maskCardNumbers(masked), masked)
      }),
      { numRuns: 2_000 },
    )
  })

  test('a UUID is kept, whatever its digits, and hides no number beside it', () => {
    // Each has the digits of a number that passes Luhn.
    const ids = ['44769948-1806-4770-9de3-6fb78ab8b9f1', 'B2DEBA22-3771-4058-8056-5391C0F5466E']
    for (const id of ids) {
      assert.equal(maskCardNumbers(id), id)
      assert.equal(maskCardNumbers(`payment-id-${id}@pay.example`), `payment-id-${id}@pay.example`)
      for (const blank of [' ', '.', '-', ''])
        for (const text of [`${id}${blank}4111111111111111`, `4111111111111111${blank}${id}`])
          assert.ok(!maskCardNumbers(text).includes('411111111111'), text)
    }
    fc.assert(fc.property(fc.uuid(), id => maskCardNumbers(id) === id || !/[a-f]/.test(id)))
    const numberLike = '41111111-1111-1111-8111-111111111111'
    for (const text of [numberLike, `${numberLike}-a`]) assert.notEqual(maskCardNumbers(text), text)
    assert.notEqual(maskCardNumbers(`x${ids[0]}`), `x${ids[0]}`)
  })

  test('order numbers, telephone numbers, times and near misses are kept as given', () => {
    const kept = [
      ...['4111111111111112', '411111111111', '1234567890123456', '0000000000000000', '9999999999999995'],
      ...['+49 30 1234567', '2026-11-15T12:00:00.123Z', '1763208000123', '978-3-16-148410-0', '0192aaaa-0000-7000'],
      ...['4111 1111\n1111 1111', '4111  1111  1111  1111', '4111_1111_1111_1111', ''],
    ]
    for (const text of kept) assert.equal(maskCardNumbers(text), text)
  })
})

describe('a value that is wholly a card number', () => {
  test('is known with and without blanks, dots and dashes', () => {
    for (const digits of [...numbers, ...otherBrands]) {
      for (const between of ['', ' ', '-', '.']) assert.ok(isWhollyCardNumber(grouped(digits, between)), digits)
      assert.ok(isWhollyCardNumber(` ${digits} `))
    }
  })

  test('is not one that only contains one, or that is near one', () => {
    for (const digits of numbers) {
      for (const text of [`order ${digits}`, `${digits}x`, `0${digits}`, digits.slice(1), '']) {
        assert.equal(isWhollyCardNumber(text), false, text)
      }
    }
  })
})

test('a name that is a card number, also behind a prefix, is known for one, and a gateway’s own names are not', () => {
  for (const name of [
    '4111111111111111',
    '9999999999999995',
    'token:4111111111111111',
    'token:4111-1111-1111-1111',
    'token:9999999999999995',
    'pm_4111111111111111',
    'cus_1/pm_378282246310005',
    'card4111111111111111x',
  ]) {
    assert.ok(mayBeCardNumber(name), name)
  }
  for (const name of [
    'pm_1MqLiJLkdIwHu7ixUEgbFdYZ',
    'cus_NffrFeUfNV2Hib/pm_card_visa',
    'tokencc_bh_4111111_1111111_11',
    '41111111-1111-1111-a111-111111111111',
    'token:4111111111111112',
    'test:success:1881:03-2031',
    'id9999999999999995x',
  ]) {
    assert.ok(!mayBeCardNumber(name), name)
  }
})

test('Luhn finds any one wrong digit', () => {
  fc.assert(
    fc.property(number, fc.nat(11), fc.integer({ min: 1, max: 9 }), (digits, at, by) => {
      const changed = (Number(digits[at]) + by) % 10
      assert.ok(passesLuhn(digits))
      assert.equal(passesLuhn(digits.slice(0, at) + changed + digits.slice(at + 1)), false)
    }),
  )
})
