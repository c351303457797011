import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import {
  amountAsNumber,
  amountMinorMax,
  amountTextForComparison,
  type Currency,
  currencyDecimals,
  defaultCurrency,
  displayAmount,
  formatAmount,
  parseAmount,
  parseCurrency,
} from './money.ts'

const usd = 'USD' as Currency
const yen = 'JPY' as Currency
const dinar = 'KWD' as Currency

const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
const every = letters.flatMap(a => letters.flatMap(b => letters.map(c => a + b + c)))
const currencies = every.map(parseCurrency).filter(code => code !== null)
const amountMinor = fc.bigInt({ min: 1n, max: amountMinorMax })

function wrong(text: string, currency = usd): string {
  const parsed = parseAmount(text, currency)
  return 'wrong' in parsed ? parsed.wrong : assert.fail(`${text} was taken for ${parsed.amountMinor}`)
}

describe('amounts', () => {
  test('what is formatted parses back to itself, in every currency', () => {
    assert.ok(currencies.length > 140)
    for (const currency of currencies) {
      fc.assert(
        fc.property(amountMinor, minor => {
          assert.deepEqual(parseAmount(formatAmount(minor, currency), currency), { amountMinor: minor })
        }),
        { numRuns: 30, examples: [[1n], [amountMinorMax]] },
      )
    }
  })

  test('what parses formats back to the same number, with the currency’s decimals', () => {
    const decimal = fc.stringMatching(/^(0|[1-9][0-9]{0,9})(\.[0-9]{1,3})?$/)
    fc.assert(
      fc.property(decimal, fc.constantFrom(usd, yen, dinar), (text, currency) => {
        const parsed = parseAmount(text, currency)
        if ('wrong' in parsed) return
        const formatted = formatAmount(parsed.amountMinor, currency)
        assert.match(formatted, currency === yen ? /^\d+$/ : currency === usd ? /^\d+\.\d\d$/ : /^\d+\.\d{3}$/)
        assert.ok(formatted.startsWith(text), `${text} became ${formatted}`)
        assert.match(formatted.slice(text.length), /^(\.?0+)?$/, 'a digit appeared that nobody gave')
      }),
      { numRuns: 2_000 },
    )
  })

  test('the wire has the currency’s decimals', () => {
    assert.equal(formatAmount(10_000n, usd), '100.00')
    assert.equal(formatAmount(5n, usd), '0.05')
    assert.equal(formatAmount(100n, yen), '100')
    assert.equal(formatAmount(1n, dinar), '0.001')
    assert.equal(formatAmount(-2_055n, usd), '-20.55')
    assert.equal(formatAmount(0n, usd), '0.00')
  })

  test('fewer decimals than the currency has are understood', () => {
    assert.deepEqual(parseAmount('100', usd), { amountMinor: 10_000n })
    assert.deepEqual(parseAmount('0.5', usd), { amountMinor: 50n })
  })

  test('two texts are compared as equal where they are the same amount, and only there', () => {
    const decimal = fc.stringMatching(/^(0|[1-9][0-9]{0,2}0{0,3})(\.[0-9]{0,2}0{0,2})?$/)
    const same = (one: string, other: string) => amountTextForComparison(one) === amountTextForComparison(other)
    fc.assert(
      fc.property(decimal, decimal, fc.constantFrom(usd, dinar), (one, other, currency) => {
        const [first, second] = [parseAmount(one, currency), parseAmount(other, currency)]
        if ('wrong' in first || 'wrong' in second) return
        assert.equal(same(one, other), first.amountMinor === second.amountMinor)
        assert.ok(same(one, formatAmount(first.amountMinor, currency)))
      }),
      { numRuns: 2_000, examples: [['1', '1.0', usd]] },
    )
    for (const text of ['1.', '.0', '1e0', '-1.0', '1.0.0', '']) assert.equal(amountTextForComparison(text), text)
  })

  const noDecimals = ['1e3', 'NaN', '-5', '', ' ', ' 5', '5 ', '+5', '5\n', '5.', '.5', '05', '00.5', '1,000', '1_000']
  const noDecimalsEither = ['0x10', 'Infinity', '-0.01', '1.2.3', '٣', '５', '$5', '5 USD', 'null', '1e-2', '1n', '१']
  for (const text of [...noDecimals, ...noDecimalsEither]) {
    test(`${JSON.stringify(text)} is no amount`, () => {
      assert.equal(wrong(text), 'must be a decimal number such as "100.00".')
    })
  }

  test('the example in the refusal is of the currency', () => {
    assert.equal(wrong('x', yen), 'must be a decimal number such as "100".')
    assert.equal(wrong('x', dinar), 'must be a decimal number such as "100.000".')
  })

  test('more decimals than the currency has are refused, never rounded', () => {
    assert.equal(wrong('1.234'), 'has more decimals than USD has (2).')
    assert.equal(wrong('1.000'), 'has more decimals than USD has (2).')
    assert.equal(wrong('0.001'), 'has more decimals than USD has (2).')
    assert.equal(wrong('1.0', yen), 'has more decimals than JPY has (0).')
    assert.equal(wrong('1.2345', dinar), 'has more decimals than KWD has (3).')
  })

  test('nothing is no amount', () => {
    for (const text of ['0', '0.0', '0.00']) assert.equal(wrong(text), 'must be more than zero.')
  })

  test('twelve digits are the most, decimals included', () => {
    assert.deepEqual(parseAmount('9999999999.99', usd), { amountMinor: amountMinorMax })
    assert.deepEqual(parseAmount('999999999999', yen), { amountMinor: amountMinorMax })
    assert.deepEqual(parseAmount('999999999.999', dinar), { amountMinor: amountMinorMax })
    const tooMany = 'must have at most 12 digits.'
    assert.equal(wrong('10000000000.00'), tooMany)
    assert.equal(wrong('10000000000'), tooMany, 'its cents make it thirteen')
    assert.equal(wrong('999999999999'), tooMany)
    assert.equal(wrong('1000000000000', yen), tooMany)
    assert.equal(wrong('9'.repeat(100_000)), tooMany)
  })

  test('as a JSON number it prints the very digits of the text', () => {
    fc.assert(
      fc.property(amountMinor, fc.constantFrom(usd, yen, dinar), (minor, currency) => {
        const number = amountAsNumber(minor, currency)
        assert.equal(number.toFixed(currencyDecimals(currency)), formatAmount(minor, currency))
        assert.ok(!JSON.stringify(number).includes('e'))
      }),
    )
    assert.equal(amountAsNumber(2_055n, usd), 20.55)
  })

  test('people read a dollar sign, or the currency’s code', () => {
    assert.equal(displayAmount(10_000n, usd), '$100.00')
    assert.equal(displayAmount(10_000n, 'EUR' as Currency), '100.00 EUR')
    assert.equal(displayAmount(500n, yen), '500 JPY')
  })
})

describe('currencies', () => {
  test('a code is understood in any case, and is upper case from then on', () => {
    assert.equal(parseCurrency('eur'), 'EUR')
    assert.equal(parseCurrency('Usd'), usd)
    assert.equal(defaultCurrency, usd)
  })

  test('what is no currency that a card is charged in is refused', () => {
    for (const text of ['', 'US', 'USDT', 'XXX', 'XTS', 'XAU', 'ABC', '   ', '$', 'constructor']) {
      assert.equal(parseCurrency(text), null, text)
    }
  })

  test('currencies have the decimals that ISO 4217 gives them', () => {
    const decimals = (codes: string) => codes.split(' ').map(code => currencyDecimals(code as Currency))
    assert.deepEqual(decimals('USD EUR GBP MRU MGA HUF'), [2, 2, 2, 2, 2, 2])
    assert.deepEqual(decimals('JPY KRW CLP ISK XOF UGX'), [0, 0, 0, 0, 0, 0])
    assert.deepEqual(decimals('BHD KWD TND'), [3, 3, 3])
    assert.throws(() => currencyDecimals('XXX' as Currency), /not a currency: XXX/)
  })
})
