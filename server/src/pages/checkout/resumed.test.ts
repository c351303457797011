// A payment by mail that waits for its customer, on the page: the form for it, and the link that confirms it at a press.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ada,
  type Fake,
  fakeCheckout,
  goodCard,
  hiddenIn,
  look,
  type Seen,
  send,
} from '../../../test/support/fake-checkout-ports.ts'
import {
  after,
  card,
  cardToken,
  noon,
  offer,
  customer as ofSamples,
  sale,
  transactionId,
} from '../../../test/support/sale-samples.ts'
import type { CheckoutSecret } from '../../core/checkout.ts'
import type { Sale } from '../../core/sale.ts'
import type { Transaction } from '../../core/transaction.ts'
import type { Paid, Proof } from './ports.ts'

const page = `/till/offers/${offer.id}`
const payment = `${page}?transaction=${transactionId}`
const here = `?transaction=${transactionId}`

function says({ status, text }: Seen, expected: number, ...sentences: RegExp[]): void {
  assert.equal(status, expected, text)
  for (const sentence of sentences) assert.match(text, sentence)
}

const saleThat = (change: Partial<Transaction>): Sale => ({ ...sale, transaction: { ...sale.transaction, ...change } })
const wanted = { status: 'Further Action Required', actionWants: 'proof', actionExpiresAt: after(noon, 1_000) } as const
const customer = { ...ofSamples, email: 'bea@example.com', firstName: 'Bea', lastName: 'Curie' }
const asked: Sale = { ...saleThat({ ...wanted, source: 'Email Transaction', cardToken: null }), customer, card: null }
const bea = { ...ada, email: 'bea@example.com' }
const paid: Paid = { kind: 'see', transactionId }
const declined: Paid = {
  ...{ kind: 'failed', attempt: 1 },
  sale: saleThat({ status: 'Failed', failure: { code: 'card_declined', sentence: 'No.' } }),
}

function waiting(...of: Parameters<typeof fakeCheckout>): Fake {
  const fake = fakeCheckout(...of)
  fake.waiting = asked
  return fake
}

async function pays(fake: Fake, form: { readonly [name: string]: string } = {}): Promise<Seen> {
  return send(fake, { ...hiddenIn(await look(fake, here)), ...bea, ...goodCard, ...form })
}

test('the form goes on with what was asked for: as many, for the address that asked, and nothing else of its customer', async () => {
  const fake = waiting()
  const form = await look(fake, `${here}&quantity=3&referrer_context=x`)
  says(
    form,
    200,
    /completes the payment that <bdi>bea@example\.com<\/bdi> asked for by email/,
    /<button>Pay \$100\.00</,
    /value="bea@example\.com"/,
  )
  assert.doesNotMatch(form.text, /name="units"|name="update"|Bea"|Curie|Main St|ending in/)
  assert.deepEqual([hiddenIn(form).transaction, hiddenIn(form).quantity], [transactionId, '1'])
  says(form, 200, new RegExp(`href="${page}\\?transaction=${transactionId}&#38;card=stored`))
  fake.pays = paid
  const seen = await pays(fake)
  assert.deepEqual([seen.status, seen.headers.location], [303, payment])
  assert.deepEqual([fake.orders[0]?.resumes, fake.orders[0]?.quantity], [transactionId, 1])
})

test('a form may say another quantity, which is not what was asked for', async () => {
  const fake = waiting()
  fake.pays = paid
  assert.equal((await pays(fake, { quantity: '5', units: '5', update: '1' })).status, 200, 'there is nothing to update')
  says(await pays(fake, { quantity: '5', units: '5', total: '50000' }), 422, /The total is now \$100\.00/)
  assert.equal((await pays(fake, { quantity: '5', units: '5' })).status, 303)
  assert.deepEqual(
    fake.orders.map(({ quantity }) => quantity),
    [1],
  )
})

test('the payment that a form goes on with is the one that its page was for', async () => {
  const fake = waiting()
  const { transaction: _, ...plain } = hiddenIn(await look(fake, here))
  says(await send(fake, { ...plain, ...bea, ...goodCard }), 403)
  const own = hiddenIn(await look(fake))
  says(await send(fake, { ...own, transaction: transactionId, ...bea, ...goodCard }), 403)
  assert.deepEqual(fake.orders, [])
})

test('what is wrong is said in the same form; after a decline the next try is a payment of its own', async () => {
  const fake = waiting()
  const wrong = await pays(fake, { number: '1' })
  says(wrong, 422, /completes the payment/)
  assert.equal(hiddenIn(wrong).transaction, transactionId)
  for (const kind of ['card_not_usable', 'busy'] as const) {
    fake.pays = { kind }
    const { text } = await pays(fake)
    assert.match(text, new RegExp(`transaction(?:=|" value=")${transactionId}`), kind)
  }
  fake.pays = declined
  const form = await look(fake, here)
  const again = await send(fake, { ...hiddenIn(form), ...bea, ...goodCard })
  says(again, 402, /Your card was declined/)
  assert.doesNotMatch(again.text, /completes the payment|name="transaction"/)
  fake.waiting = null
  const { checkout = '', ...next } = hiddenIn(again)
  fake.visits.set(checkout, { ...fake.visit, attempt: 1, standing: declined.sale })
  fake.pays = paid
  await send(fake, { ...next, checkout, ...bea, ...goodCard })
  assert.deepEqual(
    fake.orders.slice(-2).map(({ resumes, attempt }) => [resumes, attempt]),
    [
      [transactionId, 0],
      [null, 1],
    ],
  )
  fake.pays = declined
  says(await send(fake, { ...hiddenIn(form), ...bea, ...goodCard }), 402, /Your card was declined/)
})

test('in another browser, which comes too late, the payment itself says how it stands', async () => {
  const fake = waiting()
  const form = { ...hiddenIn(await look(fake, here)), ...bea, ...goodCard }
  fake.pays = { kind: 'waits_no_more', transactionId }
  const meanwhile = await send(fake, form)
  assert.deepEqual([meanwhile.status, meanwhile.headers.location], [303, payment])
  fake.waiting = null
  const later = await send(fake, form)
  assert.deepEqual([later.status, later.headers.location], [303, payment])
  assert.equal(fake.orders.length, 1)
})

test('left open for half a day, the form begins anew and still goes on with the payment', async () => {
  const fake = waiting()
  const form = { ...hiddenIn(await look(fake, here)), ...bea, ...goodCard }
  fake.now = after(noon, 13 * 3_600_000)
  const anew = await send(fake, form)
  says(anew, 409, /open for too long/)
  assert.equal(hiddenIn(anew).transaction, transactionId)
})

test('a browser that has paid for the offer before is told so, and then goes on with the payment by mail', async () => {
  const fake = waiting()
  const { checkout = '' } = hiddenIn(await look(fake))
  fake.visits.set(checkout, { ...fake.visit, standing: saleThat({ status: 'Successful' }) })
  const cookie = `checkout=${checkout}`
  const told = await look(fake, here, { cookie })
  says(told, 200, /You have paid for this/, /action="[^"]*\?transaction=/)
  const again = await send(fake, hiddenIn(told), here, { cookie })
  assert.equal(again.headers.location, `${page}?transaction=${transactionId}`)
  assert.doesNotMatch(String(again.headers['set-cookie']), new RegExp(checkout))
})

test('an offer that is gone says so, also to who asked for it by mail', async () => {
  says(await look(waiting({ stockLeft: 0 }), here), 410, /Sold out/)
  says(await look(waiting({ expiresAt: noon }), here), 410, /has expired/)
  assert.equal((await look(waiting(), here, { 'accept-language': 'es' })).text.includes('pidió por correo'), true)
})

test('who asks for a link there is mailed one that leads back to the same payment', async () => {
  const fake = waiting()
  const ask = await look(fake, `${here}&card=stored`)
  says(ask, 200, /value="bea@example\.com"/, new RegExp(`href="${page}\\?transaction=${transactionId}"`))
  const mailed = await send(fake, { ...hiddenIn(ask), email: 'bea@example.com' }, '/proofs')
  assert.equal(mailed.headers.location, `${page}?transaction=${transactionId}&card=mailed`)
  assert.deepEqual(
    fake.asked.map(({ resumes }) => resumes),
    [transactionId],
  )
  says(await look(fake, `${here}&card=mailed`), 200, /Check your email/, new RegExp(`href="${page}\\?transaction=`))
  fake.waiting = null
  await send(fake, { ...hiddenIn(ask), email: 'bea@example.com' }, '/proofs')
  assert.equal(fake.asked.at(-1)?.resumes, null)
  fake.waiting = asked
  const another = await send(fake, { ...hiddenIn(ask), email: 'ada@example.com' }, '/proofs')
  assert.equal(another.headers.location, `${page}?card=mailed`)
  assert.equal(fake.asked.at(-1)?.resumes, null, 'who did not ask for it')
})

test('another address than that of who asked begins a payment of its own', async () => {
  const fake = waiting()
  fake.pays = paid
  await pays(fake, { email: 'ada@example.com' })
  assert.deepEqual([fake.orders[0]?.email, fake.orders[0]?.resumes], ['ada@example.com', null])
})

const open: Proof = {
  ...{ email: 'bea@example.com', offerId: offer.id, quantity: 1, referrerContext: null, resumes: transactionId },
  isForSavedCard: false,
  state: 'open',
}

/** A link to confirm with, whose owner has a card. */
function withLink(change: Partial<Proof> = {}, ...of: Parameters<typeof fakeCheckout>): Fake {
  const fake = waiting(...of)
  fake.proofs.set('s3cret', { ...open, ...change })
  fake.customers.set('bea@example.com', { email: 'bea@example.com', customer, cards: [card] })
  fake.pays = paid
  return fake
}

test('the link shows what is paid, to whom and with which card; its button pays, and opening it pays nothing', async () => {
  const fake = withLink()
  const link = await look(fake, '?proof=s3cret')
  says(await look(fake, '?proof=s3cret'), 200, /asked to pay/, /\$100\.00/, /Visa ending in 1111/)
  says(
    link,
    200,
    /<button>Confirm and pay \$100\.00</,
    /<button class="second" name="other" value="1">Use another card</,
  )
  assert.match(link.text, /An email from <bdi>b…@example\.com<\/bdi> asked/)
  assert.doesNotMatch(link.text, /bea@|Main St/)
  assert.deepEqual([fake.orders.length, fake.proofs.get('s3cret')?.state], [0, 'open'])
  const form = hiddenIn(link)
  const pressed = await send(fake, form, '/proofs/s3cret')
  assert.deepEqual([pressed.status, pressed.headers.location], [303, payment])
  const [order = assert.fail()] = fake.orders
  assert.deepEqual(order.pays, { kind: 'stored', token: cardToken })
  assert.deepEqual([order.resumes, order.attempt, order.email], [transactionId, 0, 'bea@example.com'])
  const { firstName, lastName, billing, shipping } = customer
  assert.deepEqual(order.entered, { firstName, lastName, billing, shipping, answers: {} })
  assert.deepEqual(fake.proven, [order.secret])
  fake.proofs.set('s3cret', open)
  fake.waiting = { ...asked, transaction: { ...asked.transaction, authorizationOnly: true } }
  says(await look(fake, '?proof=s3cret'), 200, /<button>Confirm and reserve \$100\.00</)
})

test('pressed twice, it is the same try of the same checkout', async () => {
  const fake = withLink()
  const form = hiddenIn(await look(fake, '?proof=s3cret'))
  for (const _ of [1, 2]) assert.equal((await send(fake, form, '/proofs/s3cret')).headers.location, payment)
  assert.deepEqual(new Set(fake.orders.map(({ secret, attempt }) => `${secret} ${attempt}`)).size, 1)
  const visit = fake.visits.get(form.checkout ?? '') ?? assert.fail()
  fake.visits.set(form.checkout ?? '', { ...visit, standing: saleThat({ status: 'Successful' }) })
  fake.waiting = null
  assert.equal((await send(fake, form, '/proofs/s3cret')).headers.location, payment)
  assert.equal(fake.orders.length, 2, 'it has paid by then')
})

test('a card other than the one that was shown is not what the button charges', async () => {
  const fake = withLink()
  const form = hiddenIn(await look(fake, '?proof=s3cret'))
  const { card: _, ...without } = form
  for (const changed of [{ ...form, card: 'A'.repeat(24) }, without])
    says(await send(fake, changed, '/proofs/s3cret'), 403)
  assert.deepEqual([fake.orders.length, fake.proofs.get('s3cret')?.state], [0, 'open'])
})

test('a page that was left open for half a day is shown anew, and pays nothing', async () => {
  const fake = withLink()
  const form = hiddenIn(await look(fake, '?proof=s3cret'))
  fake.now = after(noon, 13 * 3_600_000)
  const late = await send(fake, form, '/proofs/s3cret')
  assert.deepEqual([late.status, late.headers.location], [303, `${page}?proof=s3cret`])
  assert.deepEqual([fake.orders.length, fake.proofs.get('s3cret')?.state], [0, 'open'])
})

test('with another card: the link is used, nothing is paid, and the form has all cards', async () => {
  const fake = withLink()
  const form = hiddenIn(await look(fake, '?proof=s3cret'))
  const other = await send(fake, { ...form, other: '1' }, '/proofs/s3cret')
  assert.deepEqual([other.status, other.headers.location, fake.orders.length], [303, payment, 0])
  const cookie = `checkout=${form.checkout}`
  const choice = await look(fake, here, { cookie })
  says(choice, 200, /completes the payment/, /ending in 1111/, /Another card/)
  says(choice, 200, new RegExp(`href="${page}\\?again=1&#38;transaction=${transactionId}">Use a different email`))
  assert.equal((await look(fake, '?proof=s3cret', { cookie })).headers.location, payment, 'opened again')
})

test('where no card can pay at once, the link leads to the form', async () => {
  const missing = [
    () => {
      const fake = withLink()
      fake.customers.clear()
      return fake
    },
    () => withLink({}, { customFields: [{ name: 'Size', required: true }] }),
    () => {
      const fake = withLink({ email: 'ada@example.com' })
      fake.customers.set('ada@example.com', { email: 'ada@example.com', customer: ofSamples, cards: [card] })
      return fake
    },
  ]
  for (const make of missing) {
    const fake = make()
    const link = await look(fake, '?proof=s3cret')
    says(link, 200, /<button>Continue</, /\$100\.00/)
    assert.doesNotMatch(link.text, /1111|Confirm and pay/)
    const pressed = await send(fake, hiddenIn(link), '/proofs/s3cret')
    assert.deepEqual([pressed.headers.location, fake.orders.length], [payment, 0])
  }
})

test('what a confirmation comes to is said in the form, with all cards', async () => {
  const fake = withLink()
  const form = hiddenIn(await look(fake, '?proof=s3cret'))
  fake.pays = {
    kind: 'paid_before',
    payment: { id: transactionId, at: noon },
    status: 'Successful',
    isByMail: false,
    isSameCard: true,
  }
  const before = await send(fake, form, '/proofs/s3cret')
  says(before, 409, /This card paid for the same thing/, /name="again"/, /value="bea@example\.com"/, /value="Bea"/)
  assert.equal(hiddenIn(before).transaction, transactionId)
  fake.pays = declined
  const again = await send(fake, form, '/proofs/s3cret')
  says(again, 402, /Your card was declined/, /ending in 1111/)
  assert.equal(hiddenIn(again).transaction, undefined)
  const visit = fake.visits.get(form.checkout ?? '') ?? assert.fail()
  fake.visits.set(form.checkout ?? '', { ...visit, attempt: 1, standing: declined.sale })
  fake.waiting = null
  const twice = await send(fake, form, '/proofs/s3cret')
  assert.deepEqual([twice.headers.location, fake.orders.length], [page, 2], 'the form says why')
})

test('a link whose payment waits no more leads to it, used or not, in any browser', async () => {
  for (const state of ['open', 'used', 'expired'] as const) {
    const fake = withLink({ state })
    fake.waiting = null
    assert.equal((await look(fake, '?proof=s3cret')).headers.location, payment, state)
  }
  const fake = withLink()
  const form = hiddenIn(await look(fake, '?proof=s3cret'))
  fake.proofs.set('s3cret', { ...open, state: 'used' })
  says(await send(fake, form, '/proofs/s3cret'), 410, /has been used/, /card=stored">Get a new link|transaction=/)
  fake.waiting = null
  assert.equal((await send(fake, form, '/proofs/s3cret')).headers.location, payment)
  assert.deepEqual(fake.orders, [])
})

test('a link that was used in another browser leads to a new one, for the same payment', async () => {
  const used = await look(withLink({ state: 'used' }), '?proof=s3cret')
  says(used, 410, /has been used/, new RegExp(`transaction=${transactionId}&#38;card=stored">Get a new link`))
  says(await look(withLink({}, { stockLeft: 0 }), '?proof=s3cret'), 410, /Sold out/)
  const planted = 'x' as CheckoutSecret
  says(await send(withLink(), { checkout: planted, card: cardToken }, '/proofs/s3cret'), 403)
})
