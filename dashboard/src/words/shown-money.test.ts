import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shownMoney } from './shown-money.ts'

/** Intl puts blanks that do not break between a number and its currency. */
const plain = (text: string) => text.replace(/\s/g, ' ')

test('an amount has the decimals that the service says, in the viewer’s way', () => {
  assert.equal(shownMoney('1234.50', 'USD', 'en-US'), '$1,234.50')
  assert.equal(plain(shownMoney('12345.50', 'EUR', 'es')), '12.345,50 €')
  assert.equal(shownMoney('1234', 'JPY', 'en-US'), '¥1,234')
  assert.equal(plain(shownMoney('1.234', 'KWD', 'en-US')), 'KWD 1.234')
})

test('an amount too large for a float loses no cent', () => {
  assert.equal(shownMoney('90071992547409931.27', 'USD', 'en-US'), '$90,071,992,547,409,931.27')
})
