// How an address is proven: the same answers for everybody, a link that is used by a button, and once.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Fake, fakeCheckout, hiddenIn, look, type Seen, send } from '../../../test/support/fake-checkout-ports.ts'
import { offer, sale } from '../../../test/support/sale-samples.ts'
import type { Sale } from '../../core/sale.ts'
import type { Proof } from './ports.ts'

const open: Proof = {
  email: 'ada@example.com',
  offerId: offer.id,
  quantity: 2,
  referrerContext: 'mail-7',
  resumes: null,
  isForSavedCard: false,
  state: 'open',
}
const page = `/till/offers/${offer.id}`

function says({ status, text }: Seen, expected: number, ...sentences: RegExp[]): void {
  assert.equal(status, expected, text)
  for (const sentence of sentences) assert.match(text, sentence)
}

function withLink(proof: Proof = open): Fake {
  const fake = fakeCheckout()
  fake.proofs.set('s3cret', proof)
  return fake
}

test('who has a stored card is mailed a link, and reloading mails nothing', async () => {
  const fake = fakeCheckout()
  says(await look(fake), 200, /Use a card I saved/)
  const form = hiddenIn(await look(fake, '?card=stored&quantity=2&referrer_context=mail-7'))
  const asked = await send(fake, { ...form, email: 'Ada@example.com' }, '/proofs')
  assert.equal(asked.status, 303)
  assert.equal(asked.headers.location, `${page}?card=mailed&quantity=2&referrer_context=mail-7`)
  assert.deepEqual(fake.asked, [
    {
      ...{ email: 'ada@example.com', quantity: 2, referrerContext: 'mail-7', resumes: null },
      ...{ savedCardOf: null, address: '127.0.0.1', language: 'en' },
    },
  ])
  says(await look(fake, '?card=mailed'), 200, /Check your email/)
  assert.equal(fake.asked.length, 1)
})

test('nothing is mailed to what is no address, or for a form from elsewhere', async () => {
  const fake = fakeCheckout()
  const form = hiddenIn(await look(fake, '?card=stored'))
  for (const email of ['nobody', 'x:ada@example.com', 'ada@example.com(x)', '"ada"@example.com', 'ada@example.com.']) {
    says(await send(fake, { ...form, email }, '/proofs'), 422, /id="email-problem">Enter an email address/)
  }
  says(await send(fake, { ...form, email: 'a@b.c', form_token: 'x' }, '/proofs'), 403)
  says(await send(fake, { ...form, email: 'a@b.c' }, '/proofs', { 'sec-fetch-site': 'cross-site' }), 403)
  assert.deepEqual(fake.asked, [])
})

test('opening the link uses nothing up; its button does, and leads to the form', async () => {
  const fake = withLink()
  const link = await look(fake, '?proof=s3cret')
  says(await look(fake, '?proof=s3cret'), 200, /Yes, continue/)
  assert.match(link.text, /Continue as <bdi>a…@example\.com<\/bdi>/)
  assert.doesNotMatch(link.text, /ada@/)
  assert.equal(fake.proofs.get('s3cret')?.state, 'open')
  const form = hiddenIn(link)
  const used = await send(fake, form, '/proofs/s3cret')
  assert.deepEqual([used.status, used.headers.location], [303, `${page}?quantity=2&referrer_context=mail-7`])
  assert.ok(String(used.headers['set-cookie']).startsWith(`checkout=${form.checkout};`))
  const twice = await send(fake, form, '/proofs/s3cret', { cookie: `checkout=${form.checkout}` })
  assert.equal(twice.headers.location, used.headers.location, 'a double click')
})

test('a button from elsewhere, or of another browser’s page, uses nothing up', async () => {
  const fake = withLink()
  const form = hiddenIn(await look(fake, '?proof=s3cret'))
  says(await send(fake, { ...form, form_token: 'x' }, '/proofs/s3cret'), 403)
  says(await send(fake, { ...form, checkout: String(form.checkout).replace(/.$/, 'x') }, '/proofs/s3cret'), 403)
  says(await send(fake, form, '/proofs/s3cret', { 'sec-fetch-site': 'cross-site' }), 403)
  assert.equal(fake.proofs.get('s3cret')?.state, 'open')
})

test('a link that is used, over or unknown says so, with the way to a new one', async () => {
  says(await look(withLink({ ...open, state: 'used' }), '?proof=s3cret'), 410, /has been used/, /Get a new link/)
  says(await look(withLink({ ...open, state: 'expired' }), '?proof=s3cret'), 410, /has expired/, /Get a new link/)
  says(await look(withLink(), '?proof=other'), 404, /does not work/, /Get a new link/)
})

test('a checkout that somebody else may have put into this browser is never the one that is proven', async () => {
  const fake = withLink()
  const { checkout: planted = '' } = hiddenIn(await look(fake))
  const cookie = `checkout=${planted}`
  const link = await look(fake, '?proof=s3cret', { cookie })
  assert.equal(link.headers['set-cookie'], undefined, 'looking changes nothing')
  const form = hiddenIn(link)
  const used = await send(fake, form, '/proofs/s3cret', { cookie })
  assert.equal(used.status, 303)
  assert.equal(fake.proven.length, 1)
  assert.notEqual(fake.proven[0], planted)
  assert.ok(String(used.headers['set-cookie']).startsWith(`checkout=${fake.proven[0]};`))
})

test('who has paid in this browser meanwhile is told so first, and may use the link to buy it again', async () => {
  const fake = withLink()
  const cookie = `checkout=${hiddenIn(await look(fake)).checkout}`
  const form = hiddenIn(await look(fake, '?proof=s3cret', { cookie }))
  const paid: Sale = { ...sale, transaction: { ...sale.transaction, status: 'Successful' } }
  fake.visits.set(cookie.slice('checkout='.length), { ...fake.visit, standing: paid })
  const pressed = await send(fake, form, '/proofs/s3cret', { cookie })
  assert.equal(pressed.headers.location, `${page}?proof=s3cret`)
  const told = await look(fake, '?proof=s3cret', { cookie })
  says(told, 200, /You have paid for this/, /action="[^"]*\?proof=s3cret"/)
  assert.equal(fake.proofs.get('s3cret')?.state, 'open')
  const again = await send(fake, hiddenIn(told), '?proof=s3cret', { cookie })
  assert.equal(again.headers.location, `${page}?proof=s3cret`)
  const kept = String(again.headers['set-cookie']).split(';')[0] ?? ''
  says(await look(fake, '?proof=s3cret', { cookie: kept }), 200, /<button>Yes, continue</)
})

test('an address in the link of the page is carried to where a link is asked for, and back', async () => {
  const fake = fakeCheckout()
  const form = await look(fake, '?email=ada@example.com&quantity=2')
  says(form, 200, /href="[^"]*\?card=stored&#38;quantity=2&#38;email=ada%40example\.com"/)
  const ask = await look(fake, '?card=stored&quantity=2&email=ada@example.com')
  says(ask, 200, /value="ada@example\.com"/, /href="[^"]*\?quantity=2&#38;email=ada%40example\.com"/)
  const wrong = await send(fake, { ...hiddenIn(ask), email: 'ada' }, '/proofs')
  assert.doesNotMatch(wrong.text, /[?;]email=/)
})

test('without mail nobody is offered to prove anything', async () => {
  const fake = withLink()
  fake.sendsMail = false
  assert.doesNotMatch((await look(fake)).text, /Use a card I saved/)
  says(await look(fake, '?card=stored'), 200, /<button>Pay/)
  says(await send(fake, {}, '/proofs'), 404)
  says(await send(fake, {}, '/proofs/s3cret'), 404)
})
