import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Currency } from '../core/money.ts'
import { shownAmount } from './shown-amount.ts'

test('thousands are told apart, and decimals are left alone', () => {
  const shown = ([amountMinor, currency]: [bigint, string]) => shownAmount(amountMinor, currency as Currency)
  const amounts: [bigint, string][] = [
    ...([
      [99n, 'USD'],
      [99_999n, 'USD'],
      [100_000n, 'USD'],
      [123_456_789n, 'EUR'],
    ] as [bigint, string][]),
    ...([
      [999n, 'JPY'],
      [1_000n, 'JPY'],
      [1_234_567_890n, 'KWD'],
    ] as [bigint, string][]),
  ]
  assert.deepEqual(amounts.map(shown), [
    ...['$0.99', '$999.99', '$1,000.00', '1,234,567.89 EUR'],
    ...['999 JPY', '1,000 JPY', '1,234,567.890 KWD'],
  ])
})
