import assert from 'node:assert/strict'
import { test } from 'node:test'
import { declineCodes } from '../../core/gateway.ts'
import { behaviourOfAmount, behaviours, testAmounts, testCardOf, testCards } from './test-cards.ts'

function passesLuhn(number: string): boolean {
  const sum = [...number].reverse().reduce((total, digit, place) => {
    const value = place % 2 === 0 ? Number(digit) : Number(digit) * 2
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return sum % 10 === 0
}

test('every test card passes Luhn and is listed once', () => {
  for (const { number } of testCards) assert.ok(passesLuhn(number), number)
  assert.equal(new Set(testCards.map(({ number }) => number)).size, testCards.length)
})

test('the interface’s eight cards do what it says', () => {
  const does = (numbers: string): unknown[] =>
    numbers.split(' ').map(number => [testCardOf(number)?.type, testCardOf(number)?.behaviour])
  const types = ['visa', 'master', 'discover', 'american_express']
  assert.deepEqual(
    does('4111111111111111 5555555555554444 6011111111111117 378282246310005'),
    types.map(type => [type, 'success']),
  )
  assert.deepEqual(
    does('4012888888881881 5105105105105100 6011000990139424 371449635398431'),
    types.map(type => [type, 'card_declined']),
  )
})

test('there is a card and an amount for every behaviour', () => {
  const byCard = new Set(testCards.map(({ behaviour }) => behaviour))
  assert.deepEqual([...byCard].sort(), Object.keys(behaviours).sort())
  const byAmount = testAmounts.map(({ fromMinor, behaviourOf }) => behaviourOf(fromMinor))
  for (const { behaviour } of Object.values(behaviours)) {
    const isThere = byAmount.some(({ kind }) => kind === behaviour.kind) || behaviour.kind === 'succeed'
    assert.ok(isThere, behaviour.kind)
  }
})

test('a card and an amount can cause every decline that is the card’s', () => {
  const rules = ['amount_too_large', 'wrong_state', 'authentication_failed']
  const wanted = Object.keys(declineCodes).filter(code => !rules.includes(code))
  const codes = testAmounts.flatMap(({ fromMinor, behaviourOf }) => {
    const behaviour = behaviourOf(fromMinor)
    return behaviour.kind === 'decline' ? [behaviour.code] : []
  })
  assert.deepEqual([...codes].sort(), [...wanted].sort())
  for (const code of wanted)
    assert.ok(
      testCards.some(({ behaviour }) => behaviour === code),
      code,
    )
})

test('amounts next to the table are ordinary', () => {
  for (const { fromMinor, toMinor } of testAmounts) {
    assert.ok(fromMinor <= toMinor)
    const listed = testAmounts.filter(row => row.fromMinor <= toMinor && fromMinor <= row.toMinor)
    assert.equal(listed.length, 1, `${fromMinor} stands twice`)
  }
  for (const amountMinor of [1n, 400_000n, 400_011n, 410_000n, 410_100n, 420_000n, 420_006n, 430_000n, 430_002n]) {
    assert.deepEqual(behaviourOfAmount(amountMinor), { kind: 'succeed' })
  }
  assert.deepEqual(behaviourOfAmount(410_001n), { kind: 'slow', answerAfterMs: 100 })
  assert.deepEqual(behaviourOfAmount(410_099n), { kind: 'slow', answerAfterMs: 9_900 })
})
