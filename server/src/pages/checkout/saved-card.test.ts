// What the page of a payment says of the card that was saved with it, and to whom.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Fake, fakeCheckout, hiddenIn, look, send } from '../../../test/support/fake-checkout-ports.ts'
import { card, merchant, noon, sale, successful } from '../../../test/support/sale-samples.ts'
import { type CheckoutSecret, checkoutSecret } from '../../core/checkout.ts'
import { maskedEmail } from '../../core/email.ts'
import { plainLook } from '../../core/look.ts'
import type { Card } from '../../core/people.ts'
import type { Sale } from '../../core/sale.ts'
import type { Frame } from '../frame.ts'
import { wordsFor } from '../words/words.ts'
import { savedCardPart } from './saved-card.ts'

const frame: Frame = { words: wordsFor('en'), root: '/till', of: { merchant, look: plainLook }, isSandbox: true }
const own = checkoutSecret(noon, 'own'.padStart(43, 's'))

function paidWith(some: Partial<Card>): Sale {
  return { ...sale, transaction: successful, card: { ...card, consentedAt: noon, ...some } }
}

/** What a browser reads that has paid, or some other one. */
async function partOf(
  payment: Sale,
  {
    fake = fakeCheckout(),
    secret = own,
    headers = {},
  }: { fake?: Fake; secret?: CheckoutSecret; headers?: object } = {},
): Promise<string | null> {
  fake.visits.set(own, { ...fake.visit, standing: payment })
  const request = { headers: { cookie: `checkout=${secret}`, ...headers } }
  return (await savedCardPart(fake.ports, request)(frame, payment))?.text ?? null
}

test('who saved a card is offered a link that confirms the address, which is not in the page', async () => {
  const part = (await partOf(paidWith({}))) ?? assert.fail()
  assert.match(part, /confirm your email address[\s\S]*Email me a link/)
  assert.match(part, /action="\/till\/offers\/[0-9a-f-]+\/proofs"/)
  assert.doesNotMatch(part, /@/)
})

test('when it is confirmed, the page says so, also where no mail is sent', async () => {
  const fake = fakeCheckout()
  fake.sendsMail = false
  const part = await partOf(paidWith({ confirmedAt: noon }), { fake })
  assert.match(part ?? '', /Your card is saved/)
})

test('nothing is said of a card that is not kept, that the merchant brought, or that is gone', async () => {
  for (const some of [{ consentedAt: null }, { removeAt: noon }, { removedAt: noon }])
    assert.equal(await partOf(paidWith(some)), null, JSON.stringify(some))
  assert.equal(await partOf({ ...paidWith({}), card: null }), null)
})

test('another browser, and one that has paid something else, read nothing', async () => {
  const other = checkoutSecret(noon, 'other'.padStart(43, 's'))
  assert.equal(await partOf(paidWith({}), { secret: other }), null)
  const fake = fakeCheckout()
  fake.visits.set(other, {
    ...fake.visit,
    standing: { ...sale, transaction: { ...successful, id: sale.offer.id as never } },
  })
  assert.equal(await partOf(paidWith({}), { fake, secret: other }), null)
})

test('no link is offered where none can be mailed, or where it would not find the cookie of a frame', async () => {
  const fake = fakeCheckout()
  fake.sendsMail = false
  assert.equal(await partOf(paidWith({}), { fake }), null)
  assert.equal(await partOf(paidWith({}), { headers: { 'sec-fetch-dest': 'iframe' } }), null)
})

/** The browser has paid, and the link that was mailed to this address is opened in it. */
function withLinkTo(email: string, resumes: Sale | null = null, isForSavedCard = resumes === null) {
  const fake = fakeCheckout()
  const payment = paidWith({})
  fake.visits.set(own, { ...fake.visit, standing: payment })
  fake.waiting = resumes
  const asked = { email, offerId: sale.offer.id, quantity: 1, referrerContext: null }
  fake.proofs.set('s3cret', { ...asked, resumes: resumes?.transaction.id ?? null, isForSavedCard, state: 'open' })
  return { fake, path: `/till/offers/${sale.offer.id}?transaction=${payment.transaction.id}` }
}

const address = sale.customer.email ?? assert.fail()
const cookie = { cookie: `checkout=${own}` }

test('the link confirms the card and does not prove the checkout, whose secret somebody may have put into this browser', async () => {
  const { fake, path } = withLinkTo(address)
  const link = await look(fake, '?proof=s3cret', cookie)
  assert.match(link.text, /Confirm your email address/)
  assert.ok(link.text.includes(maskedEmail(address)), 'who can use the card from then on')
  const pressed = await send(fake, hiddenIn(link), '/proofs/s3cret', cookie)
  assert.deepEqual([pressed.status, pressed.headers.location], [303, path])
  assert.equal(pressed.headers['set-cookie'], undefined, 'the browser still knows that it has paid')
  assert.deepEqual(fake.proven, [])
  assert.notEqual(fake.visits.get(own)?.standing?.card?.confirmedAt, null)
})

test('a press from elsewhere uses no link up', async () => {
  const { fake } = withLinkTo(address)
  const form = hiddenIn(await look(fake, '?proof=s3cret', cookie))
  const crossSite = { ...cookie, 'sec-fetch-site': 'cross-site' }
  assert.equal((await send(fake, form, '/proofs/s3cret', crossSite)).status, 403)
  assert.equal((await send(fake, { ...form, form_token: 'x' }, '/proofs/s3cret', cookie)).status, 403)
  assert.equal((await send(fake, form, '/proofs/s3cret')).status, 403, 'a browser without the cookie')
  assert.equal((await send(fake, form, '/proofs/another', cookie)).status, 403)
  assert.equal(fake.proofs.get('s3cret')?.state, 'open')
})

test('a link to another address, one for a payment by email, and one that was asked for elsewhere confirm no card', async () => {
  const elsewhere = withLinkTo('bea@example.com').fake
  assert.match((await look(elsewhere, '?proof=s3cret', cookie)).text, /You have paid for this/)
  const waiting: Sale = { ...sale, transaction: { ...sale.transaction, actionWants: 'proof' } }
  const byEmail = withLinkTo(address, waiting).fake
  assert.match((await look(byEmail, '?proof=s3cret', cookie)).text, /You have paid for this/)
  const asked = withLinkTo(address, null, false).fake
  assert.match((await look(asked, '?proof=s3cret', cookie)).text, /You have paid for this/)
})
