import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mailToConfirm, mailToOffer } from './mail-to.ts'
import type { Currency } from './money.ts'
import { offer as sample } from './samples.test.ts'

const merchant = { name: 'Corner Shop' }
const offer = { ...sample, title: 'Brass bell', amountMinor: 10_000n, currency: 'USD' as Currency }
const opened = (link: string) => {
  const url = new URL(link)
  return { to: url.pathname, subject: url.searchParams.get('subject') ?? '', body: url.searchParams.get('body') ?? '' }
}
const titled = (title: string, name = merchant.name) =>
  opened(mailToOffer({ ...offer, title }, { name }, 'pay.example'))

test('a mail to an offer says what will be paid, and to whom, in subject and body', () => {
  const { to, subject, body } = titled('Brass bell')
  assert.equal(to, `payment-id-${offer.id}@pay.example`)
  assert.equal(subject, '$100.00 to Corner Shop: Brass bell')
  for (const said of ['$100.00', 'Corner Shop', 'Brass bell']) assert.ok(body.includes(said), said)
})

test('it is percent-encoded as RFC 6068 wants: blanks as %20, lines as %0D%0A, and nothing else that means something', () => {
  const link = mailToOffer({ ...offer, title: 'a+b&body=c %0A' }, merchant, 'pay.example')
  assert.doesNotMatch(link, /[ \r\n"<>+]/)
  assert.equal([...link.matchAll(/[?&]/g)].length, 2)
  const lines = link.match(/%0D%0A/g)?.length ?? 0
  assert.deepEqual([lines > 3, link.match(/%0A/g)?.length, link.match(/%0D/g)?.length], [true, lines, lines])
  assert.match(opened(link).body, /\r\na\+b&body=c %0A\r\n/)
})

test('whatever a title or a name is, it stays on its line', () => {
  for (const title of ['Bell & "clapper" <b>?', 'جرس نحاسي', '🔔👩‍👩‍👧‍👦 100 % + 1', 'half \ud800'])
    assert.equal(titled(title).subject, `$100.00 to Corner Shop: ${title.toWellFormed()}`)
  const { subject, body } = titled('two\r\nBcc: lines', 'a\u2028b')
  assert.equal(subject, '$100.00 to a b: two Bcc: lines')
  assert.ok(body.includes('\r\ntwo Bcc: lines\r\n'))
})

test('what is long is cut between characters, so that every system opens the link', () => {
  const family = '👩‍👩‍👧‍👦'
  assert.ok(titled(`${'x'.repeat(58)}${family}${family}${family}`).body.includes(`\r\n${'x'.repeat(58)}${family}…\r\n`))
  const long = mailToOffer({ ...offer, title: '鐘'.repeat(255) }, { name: '店'.repeat(255) }, 'pay.example')
  assert.ok(long.length < 2_000, String(long.length))
})

test('a mail that confirms has its token on a line of its own', () => {
  const { to, body } = opened(mailToConfirm(offer, merchant, 'pay.example', '@AAAAAAAAAAI=~abc==@'))
  assert.equal(to, 'transaction@pay.example')
  assert.ok(body.includes('\r\n@AAAAAAAAAAI=~abc==@\r\n'))
})
