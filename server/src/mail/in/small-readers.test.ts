import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mailDomain, offerId, payment, testIntake } from '../../../test/support/test-intake.ts'
import { fieldOf } from './header.ts'
import { readLanguage } from './language.ts'
import { hasBareLineFeed, hasStrayBytes, withCrlf } from './lines.ts'
import { isRecipient, readRecipient } from './recipient.ts'
import { readDate } from './written-at.ts'

test('dates as RFC 5322 writes them, and no others', () => {
  const at = (text: string) => readDate(text)?.toISOString() ?? null
  assert.equal(at('Sun, 15 Nov 2026 10:00:00 +0000'), '2026-11-15T10:00:00.000Z')
  assert.equal(at('15 Nov 2026 10:00:00 -0530'), '2026-11-15T15:30:00.000Z')
  assert.equal(at('Sun,  5 Nov 2026 10:00 +0100 (CET)'), '2026-11-05T09:00:00.000Z')
  assert.equal(at('Sun, 15 Nov 2026 10:00:00 GMT'), '2026-11-15T10:00:00.000Z')
  const bad = ['', 'now', '2026-11-15T10:00:00Z', 'Sun, 31 Nov 2026 10:00:00 +0000', '15 Nov 26 10:00:00 +0000']
  bad.push(
    '15 Foo 2026 10:00:00 +0000',
    '15 Nov 2026 24:00:00 +0000',
    '15 Nov 2026 10:00:00',
    '0 Nov 2026 10:00:00 +0000',
  )
  for (const text of bad) assert.equal(at(text), null, text)
})

test('the language that a mail says, where we have it', () => {
  const language = (...lines: string[]) => readLanguage(lines.map(fieldOf))
  assert.equal(language(), 'en')
  assert.equal(language('Content-Language: es'), 'es')
  assert.equal(language('Accept-Language: de-DE, es-mx;q=0.5', 'Content-Language: en-US'), 'es-MX')
  assert.equal(language('Content-Language: fr', 'Accept-Language: x; DROP'), 'en')
})

test('recipients in any case, and nobody else', async () => {
  assert.deepEqual(readRecipient(payment.toUpperCase(), mailDomain), { kind: 'offer', address: payment, offerId })
  const tokenAddress = `transaction@${mailDomain}`
  assert.deepEqual(readRecipient(`Transaction@${mailDomain}`, 'Pay.Test'), { kind: 'token', address: tokenAddress })
  for (const text of [
    `x${payment}`,
    `payment-id-@${mailDomain}`,
    'transaction@x.pay.test',
    `a@b@${mailDomain}`,
    'transaction',
  ]) {
    assert.equal(readRecipient(text, mailDomain), null, text)
  }
  const intake = testIntake(async () => [])
  const known = [payment, tokenAddress, payment.replace('01@', '02@'), 'a@b.test']
  assert.deepEqual(await Promise.all(known.map(each => isRecipient(intake, each))), [true, true, false, false])
})

test('lines end with CRLF', () => {
  assert.equal(hasStrayBytes(Buffer.from('a\r\nb\nc\r\n')), false)
  for (const text of ['a\rb', 'a\r', 'a\0', '\r\r\n']) assert.equal(hasStrayBytes(Buffer.from(text)), true)
  assert.equal(hasBareLineFeed(Buffer.from('a\r\n')), false)
  for (const text of ['\n', 'a\r\n\n']) assert.equal(hasBareLineFeed(Buffer.from(text)), true)
  assert.equal(withCrlf(Buffer.from('a\nb\r\n\n')).toString(), 'a\r\nb\r\n\r\n')
})
