import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { after, noon, offer } from '../../test/support/sale-samples.ts'
import {
  canStillBeUsed,
  hasExpired,
  type Offer,
  offerDetailsBytes,
  ourPageUrl,
  pageUrlOf,
  whyNotForSale,
  withUnitsTaken,
} from './offer.ts'

function whyNot(some: Partial<Offer>, sale: { quantity?: number; email?: string | null } = {}): string | null {
  return whyNotForSale({ ...offer, ...some }, { quantity: 1, email: 'ada@example.com', now: noon, ...sale })
}

describe('an offer is for sale', () => {
  test('when nothing speaks against it', () => {
    assert.equal(whyNot({}), null)
    assert.equal(whyNot({ stockLeft: 1, expiresAt: after(noon, 1), email: 'ada@example.com' }), null)
  })

  test('not once it is deactivated', () => {
    assert.equal(whyNot({ active: false }), 'inactive')
  })

  test('until its last millisecond, and not at the very time it expires', () => {
    assert.equal(whyNot({ expiresAt: after(noon, 1) }), null)
    assert.equal(whyNot({ expiresAt: noon }), 'expired')
    assert.equal(whyNot({ expiresAt: after(noon, -1) }), 'expired')
    assert.deepEqual([hasExpired(offer, noon), hasExpired({ ...offer, expiresAt: noon }, noon)], [false, true])
  })

  test('only as often as there are units', () => {
    assert.equal(whyNot({ stockLeft: 3 }, { quantity: 3 }), null)
    assert.equal(whyNot({ stockLeft: 2 }, { quantity: 3 }), 'used_up')
    assert.equal(whyNot({ stockLeft: 0 }), 'used_up')
    assert.equal(whyNot({ stockLeft: -1 }), 'used_up')
    assert.equal(whyNot({ stockLeft: null }, { quantity: 9999 }), null)
  })

  test('only to the customer it is for', () => {
    assert.equal(whyNot({ email: 'grace@example.com' }), 'for_another')
    assert.equal(whyNot({ email: 'ada@example.com' }, { email: null }), 'for_another', 'or erased')
    assert.equal(whyNot({ email: null }, { email: null }), null)
  })

  test('or says one reason, the most final first', () => {
    const everything = { active: false, expiresAt: noon, stockLeft: 0, email: 'grace@example.com' }
    assert.equal(whyNot(everything), 'inactive')
    assert.equal(whyNot({ ...everything, active: true }), 'expired')
    assert.equal(whyNot({ ...everything, active: true, expiresAt: null }), 'used_up')
  })
})

test('an offer can still be used while it is active, has units and has not expired', () => {
  const usable = (some: Partial<Offer>) => canStillBeUsed({ ...offer, ...some }, noon)
  assert.deepEqual([usable({}), usable({ stockLeft: 1 }), usable({ expiresAt: after(noon, 1) })], [true, true, true])
  const over = [
    usable({ active: false }),
    usable({ stockLeft: 0 }),
    usable({ stockLeft: -1 }),
    usable({ expiresAt: noon }),
  ]
  assert.deepEqual(over, [false, false, false, false])
})

test('units are taken and given back, also below zero, and an offer without end has no fewer', () => {
  assert.equal(withUnitsTaken({ ...offer, stockLeft: 3 }, 2).stockLeft, 1)
  assert.equal(withUnitsTaken({ ...offer, stockLeft: 0 }, 2).stockLeft, -2)
  assert.equal(withUnitsTaken({ ...offer, stockLeft: 1 }, -2).stockLeft, 3)
  assert.equal(withUnitsTaken(offer, 2).stockLeft, null)
})

test('the page is the merchant’s own, else ours', () => {
  assert.equal(
    pageUrlOf({ ...offer, pageUrl: 'https://shop.example/hat' }, 'https://pay.example'),
    'https://shop.example/hat',
  )
  assert.equal(pageUrlOf(offer, 'https://pay.example'), ourPageUrl(offer.id, 'https://pay.example'))
  assert.equal(ourPageUrl(offer.id, 'https://pay.example'), `https://pay.example/offers/${offer.id}`)
})

test('an offer’s size is counted in bytes of the JSON that a hook carries', () => {
  const bare = offerDetailsBytes(offer)
  const sizeOf = (some: Partial<Offer>) => offerDetailsBytes({ ...offer, ...some }) - bare
  assert.equal(sizeOf({ customUserData: '语语' }) - sizeOf({ customUserData: '' }), 6)
  assert.equal(sizeOf({ customUserData: '\u0001' }) - sizeOf({ customUserData: '' }), 6, 'as it is escaped')
  assert.equal(sizeOf({ details: 'ab' }) - sizeOf({ details: '' }), 4, 'details are there twice')
  assert.equal(sizeOf({ campaign: 'c', tag: 't', form: 'f' }), 0, 'these are not in hooks')
})
