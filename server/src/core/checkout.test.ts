import assert from 'node:assert/strict'
import { test } from 'node:test'
import { charge, failed, processing } from '../../test/support/sale-samples.ts'
import {
  attemptOf,
  checkoutLifeMs,
  checkoutSecret,
  mayHavePaid,
  nextAttempt,
  parseCheckoutSecret,
  standing,
} from './checkout.ts'

const noon = new Date('2026-11-15T12:00:00Z')
const chance = 'Aa0_-'.repeat(9).slice(0, 43)
const later = (ms: number) => new Date(noon.getTime() + ms)

test('a secret is known until its time is over, and not in any other form', () => {
  const secret = checkoutSecret(noon, chance)
  assert.equal(parseCheckoutSecret(secret, noon), secret)
  assert.equal(parseCheckoutSecret(secret, later(checkoutLifeMs - 1)), secret)
  assert.equal(parseCheckoutSecret(secret, later(checkoutLifeMs)), null)
  for (const wrong of ['', chance, `${secret}x`, secret.slice(1), `${secret.slice(0, -1)}.`, secret.toUpperCase()])
    assert.equal(parseCheckoutSecret(wrong, noon), null, wrong)
})

test('the try that stands is the one that may have paid, else the newest', () => {
  const [failed, again] = [{ mayHavePaid: false }, { mayHavePaid: false }]
  const waits = { mayHavePaid: true }
  assert.equal(standing([]), null)
  assert.equal(standing([failed, again]), again)
  assert.equal(standing([failed, waits, again]), waits)
})

test('what has failed may have paid all the same, where a person looks into it', () => {
  const declined = { ...charge, outcome: 'declined' as const, forPerson: null }
  const late = { ...declined, forPerson: 'It succeeded after all.' }
  assert.equal(mayHavePaid({ transaction: failed, operations: [declined] }), false)
  assert.equal(mayHavePaid({ transaction: failed, operations: [declined, late] }), true)
  assert.equal(mayHavePaid({ transaction: processing, operations: [] }), true)
})

test('no secret is from the future', () => {
  assert.equal(parseCheckoutSecret(checkoutSecret(later(3_600_000), chance), noon), null)
  assert.notEqual(parseCheckoutSecret(checkoutSecret(later(60_000), chance), noon), null)
})

test('the next try has the next number, also when the first ones are forgotten', () => {
  assert.deepEqual([nextAttempt([]), nextAttempt([{ number: 0 }]), nextAttempt([{ number: 3 }])], [0, 1, 4])
  assert.notEqual(attemptOf('a', 1).key, attemptOf('a', 11).key)
})
