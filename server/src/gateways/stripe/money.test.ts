import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { amountMinorMax, type Currency, parseCurrency } from '../../core/money.ts'
import { fromStripeAmount, toStripeAmount } from './money.ts'

const asWritten: [amountMinor: bigint, currency: string, atStripe: number | null][] = [
  [10_00n, 'USD', 1_000],
  [500n, 'JPY', 500],
  [500n, 'KRW', 500],
  [5n, 'ISK', 500],
  [5n, 'UGX', 500],
  [5_00n, 'MGA', 5],
  [5_01n, 'MGA', null],
  [10_00n, 'HUF', 1_000],
  [10_00n, 'TWD', 1_000],
  [5_120n, 'KWD', 5_120],
  [5_124n, 'KWD', null],
]
for (const [amountMinor, currency, atStripe] of asWritten) {
  test(`${amountMinor} of ${currency} is ${atStripe ?? 'nothing that can be said'} at Stripe`, () => {
    assert.equal(toStripeAmount({ amountMinor, currency: currency as Currency }), atStripe)
    if (atStripe === null) return
    assert.deepEqual(fromStripeAmount(atStripe, currency.toLowerCase()), { amountMinor, currency })
  })
}

test('what Stripe can be told comes back as the same amount, in every currency', () => {
  const codes = 'USD EUR JPY CLP ISK UGX MGA KWD BHD TND HUF XOF'.split(' ')
  fc.assert(
    fc.property(fc.bigInt(1n, amountMinorMax), fc.constantFrom(...codes), (amountMinor, code) => {
      const currency = parseCurrency(code)
      assert.ok(currency !== null)
      const amount = toStripeAmount({ amountMinor, currency })
      if (amount !== null) assert.deepEqual(fromStripeAmount(amount, code.toLowerCase()), { amountMinor, currency })
    }),
  )
})

test('nothing is made of an amount or a currency that is none', () => {
  for (const amount of ['100', 1.5, -1, null, Number.NaN, 2 ** 53]) assert.equal(fromStripeAmount(amount, 'usd'), null)
  for (const currency of ['usdc', '', null, 7]) assert.equal(fromStripeAmount(100, currency), null)
  assert.equal(fromStripeAmount(150, 'isk'), null)
})
