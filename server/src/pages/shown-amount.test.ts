import assert from 'node:assert/strict'
import { test } from 'node:test'
import { amountMinorMax, type Currency } from '../core/money.ts'
import { shownAmount } from './shown-amount.ts'

/** With plain blanks: which one stands between an amount and its currency is the locale's business. */
const shown = (amountMinor: bigint, currency: string, locale = 'en-US') =>
  shownAmount(amountMinor, currency as Currency, locale).replaceAll(/\s/g, ' ')

test('thousands are told apart, and every decimal of the currency is there', () => {
  assert.equal(shown(99n, 'USD'), '$0.99')
  assert.equal(shown(100_000n, 'USD'), '$1,000.00')
  assert.equal(shown(123_456_789n, 'EUR'), '€1,234,567.89')
  assert.equal(shown(1_000n, 'JPY'), '¥1,000')
  assert.equal(shown(1_234_567_890n, 'KWD'), 'KWD 1,234,567.890')
})

test('currencies have the decimals that we charge with, whatever else is usual', () => {
  assert.equal(shown(12_345n, 'HUF'), 'HUF 123.45')
  assert.equal(shown(12_345n, 'ISK'), 'ISK 12,345')
  assert.equal(shown(12_345n, 'IQD'), 'IQD 12.345')
})

test('an amount is written as in the customer’s country', () => {
  assert.equal(shown(1_234_567n, 'USD', 'es'), '12.345,67 US$')
  assert.equal(shown(1_234_567n, 'MXN', 'es-MX'), '$12,345.67')
  assert.equal(shown(1_234_567n, 'USD', 'es-MX'), 'USD 12,345.67')
  assert.equal(shown(1_234_567n, 'EUR', 'es-ES'), '12.345,67 €')
})

test('the largest amount is shown to its last digit', () => {
  assert.equal(shown(amountMinorMax, 'USD'), '$9,999,999,999.99')
  assert.equal(shown(10n ** 20n + 1n, 'USD'), '$1,000,000,000,000,000,000.01')
})
