import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  base32,
  fittingPeriod,
  newRecoveryCodes,
  newTotpSecret,
  parseRecoveryCode,
  totpCode,
  totpPeriod,
  totpUri,
} from './totp.ts'

/** Of RFC 6238, appendix B: its codes have eight digits, of which ours are the last six. */
const vectors = [
  [59, '94287082'],
  [1_111_111_109, '07081804'],
  [1_111_111_111, '14050471'],
  [1_234_567_890, '89005924'],
  [2_000_000_000, '69279037'],
  [20_000_000_000, '65353130'],
] as const
const secret = base32(Buffer.from('12345678901234567890'))

test('codes are those of RFC 6238', () => {
  for (const [atS, code] of vectors) assert.equal(totpCode(secret, totpPeriod(atS * 1_000)), code.slice(2))
})

test('a code is good one period early and one late, and no further', () => {
  const nowMs = 1_234_567_890_000
  const now = totpPeriod(nowMs)
  for (const [off, isGood] of [
    [-2, false],
    [-1, true],
    [0, true],
    [1, true],
    [2, false],
  ] as const) {
    const period = fittingPeriod(secret, totpCode(secret, now + off), nowMs, null)
    assert.equal(period, isGood ? now + off : null, String(off))
  }
})

test('no code of a period that was used, or of one before it, is good', () => {
  const nowMs = 1_234_567_890_000
  const now = totpPeriod(nowMs)
  assert.equal(fittingPeriod(secret, totpCode(secret, now), nowMs, now), null)
  assert.equal(fittingPeriod(secret, totpCode(secret, now - 1), nowMs, now), null)
  assert.equal(fittingPeriod(secret, totpCode(secret, now + 1), nowMs, now), now + 1)
})

test('what is no code fits nothing, and blanks in one are passed over', () => {
  const nowMs = 59_000
  for (const given of ['', '28708', '2870822', '28708２', '-87082', '2e7082']) {
    assert.equal(fittingPeriod(secret, given, nowMs, null), null, given)
  }
  assert.equal(fittingPeriod(secret, ' 287 082 ', nowMs, null), 1)
})

test('a secret has 160 bits, and an authenticator is told whose it is', () => {
  assert.match(newTotpSecret(), /^[A-Z2-7]{32}$/)
  assert.equal(
    totpUri('ABC', { issuer: 'Käse: & Söhne', account: 'ada@example.com' }),
    'otpauth://totp/K%C3%A4se%20%20%26%20S%C3%B6hne:ada%40example.com?secret=ABC&issuer=K%C3%A4se%20%20%26%20S%C3%B6hne',
  )
})

test('there are ten recovery codes, each another, and they are read however they are typed', () => {
  const codes = newRecoveryCodes()
  assert.equal(new Set(codes).size, 10)
  for (const code of codes) {
    assert.match(code, /^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/)
    assert.equal(parseRecoveryCode(` ${code.toUpperCase().replaceAll('-', ' ')} `), code.replaceAll('-', ''))
  }
  assert.equal(parseRecoveryCode('287082'), null)
})
