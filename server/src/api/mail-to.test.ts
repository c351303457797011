import assert from 'node:assert/strict'
import { test } from 'node:test'
import { offer as sample } from '../../test/support/sale-samples.ts'
import { displayAmount, parseCurrency } from '../core/money.ts'
import { expectedSentence, mailToConfirm, mailToOffer, mailToPublic } from './mail-to.ts'

const merchant = { name: 'Corner Shop' }
const token = '@AAAAAAAAAAI=~abc==@'
const everybodys = { ...sample, title: 'Brass bell', email: null, tokenContent: token }
const adas = { ...everybodys, email: 'ada@example.com' }
const opened = (link: string) => {
  const url = new URL(link)
  return { to: url.pathname, body: url.searchParams.get('body') ?? '' }
}

test('an offer for everybody has its public address, and no token', () => {
  const { to, body } = opened(mailToOffer(everybodys, merchant, 'pay.example'))
  assert.equal(to, `payment-id-${sample.id}@pay.example`)
  assert.ok(!body.includes(token))
})

test('an offer for one customer has the address of tokens, and its own', () => {
  const { to, body } = opened(mailToOffer(adas, merchant, 'pay.example'))
  assert.equal(to, 'transaction@pay.example')
  assert.ok(body.endsWith(`\r\n${token}\r\n`))
  assert.ok(!opened(mailToPublic(adas, merchant, 'pay.example')).body.includes(token))
})

test('one that is too large for a token, or whose customer was erased, has the public address', () => {
  const { to } = opened(mailToOffer({ ...adas, tokenContent: '' }, merchant, 'pay.example'))
  assert.equal(to, `payment-id-${sample.id}@pay.example`)
})

test('what is expected of an email is what its link fills in', () => {
  const without = (body: string) => body.replaceAll('\r\n', '\n').replace(`\n${token}\n`, '')
  for (const link of [mailToOffer(everybodys, merchant, 'a.example'), mailToOffer(adas, merchant, 'a.example')])
    assert.equal(without(opened(link).body), expectedSentence(adas, merchant, false))
  const confirms = opened(mailToConfirm(adas, merchant, 'a.example', token)).body
  assert.equal(without(confirms), expectedSentence(adas, merchant, true))
})

test('amounts are written as everywhere else, in every currency', () => {
  const currencies = Intl.supportedValuesOf('currency').map(parseCurrency)
  const known = currencies.filter(currency => currency !== null)
  assert.ok(known.length > 100)
  for (const currency of known) {
    const said = expectedSentence({ ...adas, currency, amountMinor: 123_450n }, merchant, false)
    assert.ok(said.includes(` pay ${displayAmount(123_450n, currency)} to Corner Shop for:`), said)
  }
})
