import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isEmail, maskEmails, parseEmail } from './email.ts'

test('what people have for an address is one', () => {
  for (const email of [
    'ada@example.com',
    'ada.lovelace+shop@mail.example.co.uk',
    "o'brien_1-2@example.com",
    '!#$%&*/=?^`{|}~@example.com',
    'ada@localhost',
    'ada@xn--mnchen-3ya.example',
    'josé@münchen.example',
    '用户@例子.example',
    'अदा@उदाहरण.example',
    `${'a'.repeat(64)}@${'b'.repeat(63)}.example`,
  ]) {
    assert.ok(isEmail(email), email)
    assert.equal(parseEmail(` ${email} `), email)
  }
})

test('what mail reads as another address, or as several, is none', () => {
  for (const text of [
    ...['', 'ada', '@', 'ada@', '@example.com', 'ada@eve@example.com', 'a da@example.com', 'ada@exam ple.com'],
    ...['x:ada@example.com', 'x:ada@example.com;', 'ada@example.com(c)', '(c)ada@example.com', '"ada"@example.com'],
    ...['a\\da@example.com', '<ada@example.com>', 'ada@example.com,eve@example.com', 'ada@[127.0.0.1]'],
    ...['.ada@example.com', 'ada.@example.com', 'a..da@example.com'],
    ...['ada@example.com.', 'ada@.example.com', 'ada@example..com', 'ada@-example.com', 'ada@example-.com'],
    ...['ada@exam_ple.com', 'ada@example。com', 'ada@example．com', 'ada\u200b@example.com', 'ada\0@example.com'],
    ...['ada@example.com\n', '\ud800@example.com', `${'a'.repeat(65)}@example.com`, `ada@${'b'.repeat(64)}.example`],
    `ada@${'b.'.repeat(130)}example`,
  ]) {
    assert.equal(isEmail(text), false, JSON.stringify(text))
  }
})

test('letters are counted small, and a card number is no address', () => {
  assert.equal(parseEmail('ADA@Example.COM'), 'ada@example.com')
  assert.equal(parseEmail('4111111111111111@example.com'), null)
})

test('addresses in the words of others are masked, and the rest is not', () => {
  const says =
    '550 5.1.1 <ada@example.com>: Recipient address rejected: josé@münchen.example, "x"@example.com (user:ada+1@b)'
  assert.equal(maskEmails(says), '550 5.1.1 <…@…>: Recipient address rejected: …@…, …@… (user:…@…)')
  assert.equal(maskEmails('421 Too many connections @ 10:00'), '421 Too many connections @ 10:00')
  assert.equal(maskEmails('x'.repeat(100_000)).length, 500)
})
