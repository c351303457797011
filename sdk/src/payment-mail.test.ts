import assert from 'node:assert/strict'
import { test } from 'node:test'
import { confirmationSentence, mailWith, paymentMail, paymentSentence } from './payment-mail.ts'

const facts = { merchant: 'Corner Shop', amount: '100.00', currency: 'USD', title: 'Brass bell' }
const asked = { ...facts, mailDomain: 'pay.example', token: '@AAAAAAAAAAI=~abc==@' }
const opened = (link: string) => {
  const url = new URL(link)
  return { to: url.pathname, subject: url.searchParams.get('subject') ?? '', body: url.searchParams.get('body') ?? '' }
}
const titled = (title: string, merchant = facts.merchant) => opened(paymentMail({ ...asked, title, merchant }).mailTo)

test('the email says what will be paid, and to whom, in subject and text; its token has a line of its own', () => {
  const { to, subject, text, mailTo } = paymentMail(asked)
  assert.equal(to, 'transaction@pay.example')
  assert.equal(subject, '$100.00 to Corner Shop: Brass bell')
  for (const said of ['$100.00', 'Corner Shop', 'Brass bell']) assert.ok(text.includes(said), said)
  assert.ok(text.startsWith(paymentSentence(facts)))
  assert.ok(text.endsWith('\n@AAAAAAAAAAI=~abc==@\n'))
  assert.deepEqual(opened(mailTo), { to, subject, body: text.replaceAll('\n', '\r\n') })
})

test('amounts have the decimals of their currency, however they are given', () => {
  const says = (amount: number | string, currency: string) => paymentSentence({ ...facts, amount, currency })
  assert.match(says(20.5, 'USD'), / pay \$20\.50 to /)
  assert.match(says('20', 'EUR'), / pay 20\.00 EUR to /)
  assert.match(says('1200', 'JPY'), / pay 1200 JPY to /)
  assert.match(says('1200.00', 'JPY'), / pay 1200 JPY to /)
  assert.match(says('1.25', 'KWD'), / pay 1\.250 KWD to /)
})

test('without a title it is called what the service calls it', () => {
  assert.match(paymentSentence({ ...facts, title: undefined }), /\nPayment of \$100\.00\.\n/)
})

test('it is percent-encoded as RFC 6068 wants: blanks as %20, lines as %0D%0A, and nothing else that means something', () => {
  const { mailTo } = paymentMail({ ...asked, title: 'a+b&body=c %0A' })
  assert.doesNotMatch(mailTo, /[ \r\n"<>+]/)
  assert.equal([...mailTo.matchAll(/[?&]/g)].length, 2)
  const lines = mailTo.match(/%0D%0A/g)?.length ?? 0
  assert.deepEqual([lines > 3, mailTo.match(/%0A/g)?.length, mailTo.match(/%0D/g)?.length], [true, lines, lines])
  assert.match(opened(mailTo).body, /\r\na\+b&body=c %0A\r\n/)
})

test('whatever a title or a name is, it stays on its line', () => {
  for (const title of ['Bell & "clapper" <b>?', 'جرس نحاسي', '🔔👩‍👩‍👧‍👦 100 % + 1'])
    assert.equal(titled(title).subject, `$100.00 to Corner Shop: ${title}`)
  assert.equal(titled('half \ud800').subject, '$100.00 to Corner Shop: half \ufffd')
  const { subject, body } = titled('two\r\nBcc: lines', 'a\u2028b')
  assert.equal(subject, '$100.00 to a b: two Bcc: lines')
  assert.ok(body.includes('\r\ntwo Bcc: lines\r\n'))
})

test('what is long is cut between characters, so that every system opens the link', () => {
  const family = '👩‍👩‍👧‍👦'
  assert.ok(titled(`${'x'.repeat(58)}${family}${family}${family}`).body.includes(`\r\n${'x'.repeat(58)}${family}…\r\n`))
  // As long as a token of an offer for one customer.
  const token = `@${'A'.repeat(320)}==@`
  const long = { ...asked, token, title: '鐘'.repeat(255), merchant: '店'.repeat(255) }
  const lengths = [paymentMail(long), mailWith(long, confirmationSentence(long), token, 'transaction@pay.example')]
  for (const { mailTo } of lengths) assert.ok(mailTo.length < 2_000, String(mailTo.length))
})
