import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { card, customer, noon } from '../../test/support/sale-samples.ts'
import { billingAddressLine, canCustomerUse, cardHasExpired, expirationDate, fullName } from './people.ts'

describe('a card', () => {
  const expiring = { ...card, expiryMonth: 12, expiryYear: 2026 }
  const hasExpired = (time: string) => cardHasExpired(expiring, new Date(time))

  test('is good to the end of its month, wherever on earth its bank is', () => {
    assert.equal(hasExpired('2026-12-01T00:00:00.000Z'), false)
    assert.equal(hasExpired('2026-12-31T23:59:59.999Z'), false)
    assert.equal(hasExpired('2027-01-01T11:59:59.999Z'), false, 'it is still December at UTC-12')
    assert.equal(hasExpired('2027-01-01T12:00:00.000Z'), true)
    assert.equal(hasExpired('2030-01-01T00:00:00.000Z'), true)
  })

  test('of February is good through a leap day', () => {
    const february = { ...card, expiryMonth: 2, expiryYear: 2028 }
    assert.equal(cardHasExpired(february, new Date('2028-02-29T23:00:00Z')), false)
    assert.equal(cardHasExpired(february, new Date('2028-03-01T12:00:00Z')), true)
  })

  test('can be used by its customer if the merchant brought it or it was confirmed, and is kept', () => {
    const canUse = (some: Partial<typeof card>) => canCustomerUse({ ...expiring, ...some }, noon)
    assert.equal(canUse({}), true, 'the merchant brought it')
    assert.equal(canUse({ consentedAt: noon }), false, 'entered under an address that was only typed')
    assert.equal(canUse({ consentedAt: noon, confirmedAt: noon }), true)
    assert.equal(canUse({ removeAt: noon }), false, 'given for one payment')
    assert.equal(canUse({ confirmedAt: noon, removeAt: noon }), false)
    assert.equal(canUse({ removedAt: noon }), false)
    assert.equal(canUse({ expiryYear: 2020 }), false)
  })

  test('expires, as the interface writes it, on the first day of its month', () => {
    assert.equal(expirationDate(expiring), '2026-12-01')
    assert.equal(expirationDate({ ...card, expiryMonth: 3, expiryYear: 2031 }), '2031-03-01')
  })
})

describe('a billing address', () => {
  const whole = { street: '1 Main St', city: 'Springfield', state: 'IL', zip: '62701' }

  test('is street, city and state, zip', () => {
    assert.equal(billingAddressLine(whole), '1 Main St, Springfield IL, 62701')
  })

  test('leaves out what is missing, and the comma with it', () => {
    const { street, city, state, zip } = whole
    assert.equal(billingAddressLine({ street, city, zip }), '1 Main St, Springfield, 62701')
    assert.equal(billingAddressLine({ street, state, zip }), '1 Main St, IL, 62701')
    assert.equal(billingAddressLine({ street, zip }), '1 Main St, 62701')
    assert.equal(billingAddressLine({ city, state }), 'Springfield IL')
    assert.equal(billingAddressLine({ zip }), '62701')
    assert.equal(billingAddressLine({ ...whole, street: '' }), 'Springfield IL, 62701')
  })

  test('does not say street2, country or phone', () => {
    assert.equal(
      billingAddressLine({ ...whole, street2: 'Floor 2', country: 'US', phone: '1' }),
      billingAddressLine(whole),
    )
  })

  test('is empty where there is none', () => {
    assert.deepEqual(
      [billingAddressLine(null), billingAddressLine({}), billingAddressLine({ country: 'US' })],
      ['', '', ''],
    )
  })
})

test('a name is first and last joined by a blank, or the one that is known, or null', () => {
  const named = (firstName: string | null, lastName: string | null) => fullName({ ...customer, firstName, lastName })
  assert.equal(named('Ada', 'Lovelace'), 'Ada Lovelace')
  assert.equal(named('Ada', null), 'Ada')
  assert.equal(named('', 'Lovelace'), 'Lovelace')
  assert.equal(named(null, null), null)
  assert.equal(named('', ''), null)
})
