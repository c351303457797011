import assert from 'node:assert/strict'
import { test } from 'node:test'
import { argumentsOf, canBeShown, emptyForm } from './offer-form.ts'

const empty = emptyForm('USD')
const texts = (given: Partial<typeof empty.texts>) => ({ ...empty, texts: { ...empty.texts, ...given } })

test('what is left empty is left to the defaults', () => {
  assert.deepEqual(argumentsOf(texts({ amount: ' 12.50 ', title: '  ' }), 'en-US'), {
    amount: '12.50',
    currency: 'USD',
  })
})

test('a currency may be typed small, and a time is the one on the clock of who typed it', () => {
  const { currency, expires_at } = argumentsOf(
    { ...texts({ currency: 'eur' }), expiresAt: '2026-11-15T10:00' },
    'en-US',
  )
  assert.deepEqual([currency, expires_at], ['EUR', new Date(2026, 10, 15, 10).toISOString()])
})

test('fields without a name are left out, and data of one’s own never takes the place of an argument', () => {
  const form = {
    ...texts({ amount: '1.00' }),
    authorizationOnly: true,
    customFields: [
      { name: ' Engraving ', required: true },
      { name: ' ', required: false },
    ],
    customData: [
      { name: 'colour', value: 'red' },
      { name: 'amount', value: '2.00' },
      { name: '', value: 'lost' },
    ],
  }
  assert.deepEqual(argumentsOf(form, 'en-US'), {
    ...{ amount: '1.00', currency: 'USD', authorization_only: true },
    custom_fields: [{ name: 'Engraving', required: true }],
    custom_data: { colour: 'red', amount: '2.00' },
  })
})

test('there is something to look at once there is a price', () => {
  assert.deepEqual(
    ['', '1', '1.', '1.5', 'a'].map(amount => canBeShown(texts({ amount }), 'en-US')),
    [false, true, false, true, false],
  )
  const typed = texts({ amount: '49,90' })
  assert.equal(canBeShown(typed, 'es'), true)
  assert.equal(argumentsOf(typed, 'es').amount, '49.90')
})
