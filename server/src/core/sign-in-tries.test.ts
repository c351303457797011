import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forgottenAfterS, patience, type SignInTryKind, waitS } from './sign-in-tries.ts'

const kinds = Object.keys(patience) as SignInTryKind[]

test('a few failures cost nothing; then each doubles the wait, up to a most', () => {
  for (const kind of kinds) {
    const { free, firstS, maxS } = patience[kind]
    assert.equal(waitS(kind, free - 1, 0), 0, kind)
    assert.equal(waitS(kind, free, 0), firstS, kind)
    assert.equal(waitS(kind, free + 1, 0), Math.min(maxS, firstS * 2), kind)
    assert.equal(waitS(kind, free + 1_000_000, 0), maxS, kind)
  }
})

test('who has waited need not wait, and what is long ago is forgotten', () => {
  assert.equal(waitS('here', 5, 14.2), 1)
  assert.equal(waitS('here', 5, 15), 0)
  assert.equal(waitS('here', 50, forgottenAfterS), 0)
})

test('a stranger’s failures never keep a person from an unknown browser waiting for longer than a minute', () => {
  assert.ok(patience.everywhere.maxS <= 60)
})

test('a year of guessing codes, with the password at hand, finds one with a chance below five in a hundred', () => {
  const guesses = patience.code.free + (365 * 86_400) / patience.code.maxS
  assert.ok((guesses * 3) / 1_000_000 < 0.05)
})
