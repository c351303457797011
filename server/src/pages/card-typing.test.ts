// The browser's script that follows a card as it is typed, run here without a browser.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { createContext, runInContext } from 'node:vm'
import * as fc from 'fast-check'
import { passesLuhn } from '../core/card-number.ts'
import type { Currency } from '../core/money.ts'
import { brandNames, brandOf, isPlausible } from './brands.ts'
import { parseQuantity } from './checkout/units.ts'
import { shownAmount } from './shown-amount.ts'
import { parseExpiry } from './typed-card.ts'

interface CardTyping {
  brandOf(digits: string): { readonly name: string; readonly codeDigits: readonly number[] }
  grouped(digits: string): string
  regrouped(text: string, caret: number): { readonly text: string; readonly caret: number }
  isNumber(digits: string): boolean
  passesLuhn(digits: string): boolean
  slashed(text: string, deletes: boolean): string
  wrongExpiry(text: string, now: Date): string
  unitsOf(text: string, max: number): string | null
  amount(minor: bigint, shown: { locale: string; currency: string; decimals: string }): string
}

const browser = createContext({ Intl }) as { readonly cardTyping: CardTyping }
runInContext(readFileSync(new URL('card-typing.js', import.meta.url), 'utf8'), browser)
const { cardTyping } = browser

/** Types keys one by one behind what is there, as a person does. */
function typed(keys: string): string {
  return [...keys].reduce((text, key) => cardTyping.slashed(text + key, false), '')
}

test('a number is grouped as it stands on the card', () => {
  assert.equal(cardTyping.grouped('4111111111111111'), '4111 1111 1111 1111')
  assert.equal(cardTyping.grouped('378282246310005'), '3782 822463 10005')
  assert.equal(cardTyping.grouped('41111'), '4111 1')
  assert.equal(cardTyping.grouped('4111'), '4111')
  assert.equal(cardTyping.grouped(''), '')
  assert.equal(cardTyping.grouped('4111111111111111234'), '4111 1111 1111 1111 234')
})

test('the caret stays behind the digit where it was, whatever is typed, pasted or deleted', () => {
  const typedText = fc.stringMatching(/^[0-9 -]{0,24}$/)
  fc.assert(
    fc.property(typedText, fc.nat(24), (text, at) => {
      const caret = Math.min(at, text.length)
      const digitsOf = (part: string) => part.replace(/\D/g, '').slice(0, 19)
      const after = cardTyping.regrouped(text, caret)
      assert.equal(digitsOf(after.text), digitsOf(text))
      assert.equal(digitsOf(after.text.slice(0, after.caret)), digitsOf(text.slice(0, caret)))
    }),
  )
  // Who deletes a blank stands before it then, and deletes the digit with the next stroke.
  assert.deepEqual({ ...cardTyping.regrouped('41112', 4) }, { text: '4111 2', caret: 4 })
})

test('the browser knows the same brands, lengths and check digits as the server', () => {
  const digits = fc.oneof(
    fc.stringMatching(/^[0-9]{1,19}$/),
    fc
      .tuple(
        fc.constantFrom('4', '51', '2221', '2720', '2721', '34', '6011', '644', '65'),
        fc.stringMatching(/^[0-9]{9,15}$/),
      )
      .map(parts => parts.join('')),
  )
  fc.assert(
    fc.property(digits, number => {
      const ours = brandOf(number)
      const theirs = cardTyping.brandOf(number)
      assert.equal(theirs.name, brandNames[ours.type] ?? '')
      assert.deepEqual([...theirs.codeDigits], ours.codeDigits)
      assert.equal(cardTyping.passesLuhn(number), passesLuhn(number))
      assert.equal(cardTyping.isNumber(number), isPlausible(number))
    }),
    { numRuns: 2_000 },
  )
  assert.equal(cardTyping.isNumber('4111111111111111'), true)
  assert.equal(cardTyping.isNumber('4111111111111112'), false)
})

test('an expiry gets its slash by itself', () => {
  for (const keys of ['0829', '08/29', '829', '8/29', '08/2029', '082029', '8/2029'])
    assert.equal(typed(keys), '08/29', keys)
  assert.equal(typed('1/29'), '01/29')
  assert.equal(typed('1229'), '12/29')
  assert.equal(typed('08/20'), '08/20')
  assert.equal(cardTyping.slashed('12/2029', false), '12/29', 'pasted')
  assert.equal(cardTyping.slashed('2029-12', false), '12/29', 'filled in by the browser')
  assert.equal(cardTyping.slashed('08', false), '08/')
  assert.equal(cardTyping.slashed('08', true), '08', 'the slash can be deleted')
})

test('a quantity is read as the server reads it, and what is none is none', () => {
  for (const text of ['1', '007', ' 12 ', '9999', '0100', '1e2', '2.0', '', '0', '99999', '-3', '+3', '0x10', '１']) {
    const units = cardTyping.unitsOf(text, 9_999)
    assert.equal(units === null ? null : Number(units), parseQuantity(text), text)
  }
  assert.equal(cardTyping.unitsOf('007', 9), '7')
  assert.equal(cardTyping.unitsOf('10', 9), null, 'more than are left')
})

test('an amount is written as the server writes it', () => {
  for (const [currency, decimals] of [
    ['USD', '2'],
    ['JPY', '0'],
  ] as const) {
    for (const [minor, locale] of [
      [7n, 'en-US'],
      [123_456_789_012n, 'es'],
      [1_050n, 'es-MX'],
    ] as const) {
      const written = cardTyping.amount(minor, { locale, currency: currency.toLowerCase(), decimals })
      assert.equal(written, shownAmount(minor, currency as Currency, locale))
    }
  }
})

test('an expiry is judged as the server judges it', () => {
  const now = new Date('2026-11-15T12:00:00Z')
  assert.equal(cardTyping.wrongExpiry('11/26', now), '')
  assert.equal(cardTyping.wrongExpiry('10/26', now), 'expired')
  for (const text of ['13/29', '00/29', '08', '', '08/2', '8/29'])
    assert.equal(cardTyping.wrongExpiry(text, now), 'expiry')
  assert.equal(cardTyping.wrongExpiry('10/26', new Date('2026-11-01T11:59:59Z')), '', 'somewhere it is still October')
  for (const keys of ['0829', '8/29', '08/2029']) assert.notEqual(parseExpiry(typed(keys)), null)
})
