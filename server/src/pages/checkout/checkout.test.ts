// The page of an offer, as a customer meets it in every state of the offer and after every outcome.

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
import { tickedIn } from '../../../test/support/plain-forms.ts'
import {
  after,
  card,
  cardToken,
  charge,
  customer,
  noon,
  offer,
  sale,
  transactionId,
} from '../../../test/support/sale-samples.ts'
import { checkoutLifeMs } from '../../core/checkout.ts'
import type { TransactionId } from '../../core/ids.ts'
import type { Entered } from '../../core/people.ts'
import type { Sale } from '../../core/sale.ts'
import type { Transaction } from '../../core/transaction.ts'
import type { Paid } from './ports.ts'

function says({ status, text }: Seen, expected: number, ...sentences: RegExp[]): void {
  assert.equal(status, expected, text)
  for (const sentence of sentences) assert.match(text, sentence)
}

const saleThat = (change: Partial<Transaction>): Sale => ({ ...sale, transaction: { ...sale.transaction, ...change } })
const failedBy = (code: NonNullable<Transaction['failure']>['code']): Sale =>
  saleThat({ status: 'Failed', failure: { code, sentence: 'The gateway’s own words.' } })

/** Fills the form in and sends it. */
async function buy(fake: Fake, paid: Paid, form: { readonly [name: string]: string } = {}): Promise<Seen> {
  fake.pays = paid
  return send(fake, { ...hiddenIn(await look(fake)), ...ada, ...goodCard, ...form })
}

const paymentAt = `/till/offers/${offer.id}?transaction=${transactionId}`

test('the page says what is bought and what it costs, and the form sends no more than was shown', async () => {
  const fake = fakeCheckout({ title: 'A <b>book</b>', details: 'Bound & signed' })
  const page = await look(fake, '?quantity=3')
  says(page, 200, /A &#60;b&#62;book/, /Bound &#38; signed/, /id="total"[^>]*>\$300\.00</, /<button>Pay \$300\.00</)
  const { quantity, total } = hiddenIn(page)
  assert.deepEqual([quantity, total], ['3', '30000'])
})

test('an offer that only reserves says so on its button', async () => {
  says(await look(fakeCheckout({ authorizationOnly: true })), 200, /<button>Reserve \$100\.00</, /only reserved/)
})

test('what makes no sense in the address is ignored', async () => {
  const fake = fakeCheckout()
  const bad = [
    '?quantity=0',
    '?quantity=1e3',
    '?quantity=2&quantity=3',
    '?email=%00',
    '?email=x&email=y',
    '?referrer_context=4111111111111111',
    '?card=x',
    '?again=yes',
    '?proof=',
    `?referrer_context=${'x'.repeat(256)}`,
  ]
  for (const query of bad) {
    const page = await look(fake, query)
    says(page, 200)
    const { quantity, referrer_context } = hiddenIn(page)
    assert.deepEqual([quantity, referrer_context], ['1', undefined], query)
  }
  const good = await look(fake, '?email=Ada%40example.com&referrer_context=a%22b')
  says(good, 200, /value="ada@example\.com"/, /name="referrer_context" value="a&#34;b"/)
})

test('each state of an offer has a page of its own', async () => {
  const past = after(noon, -1)
  says(await look(fakeCheckout({ active: false })), 410, /No longer for sale/)
  says(await look(fakeCheckout({ expiresAt: past })), 410, /has expired/)
  says(await look(fakeCheckout({ stockLeft: 0 })), 410, /Sold out/)
  says(await look(fakeCheckout({}, { fields: null })), 503, /cannot take payments here at the moment/)
  const cardless = await look(fakeCheckout({}, { fields: { kind: 'none' } }))
  says(cardless, 200, /cannot enter a card on this page/)
  assert.doesNotMatch(cardless.text, /<button|<input/, 'nothing belongs to a form that is not there')
  const fake = fakeCheckout()
  for (const path of ['/offers/x', '/offers/00000000-0000-7000-8000-000000000000']) {
    const { statusCode, body } = await fake.app.inject({ url: path })
    assert.equal(statusCode, 404)
    assert.match(body, /This link does not work/)
  }
})

test('an offer for one address tells nobody whose it is', async () => {
  const fake = fakeCheckout({ email: 'ada@example.com' })
  const other = await look(fake, '?email=eve@example.com')
  says(other, 403, /Not for this email/, /Continue with a different email/)
  assert.doesNotMatch(other.text, /ada@/)
  says(await look(fake), 200)
  says(await look(fake, '?email=ADA@example.com'), 200)
  const typed = await buy(fake, { kind: 'busy' }, { email: 'eve@example.com' })
  says(typed, 422, /id="email-problem">This offer is for a different email address/)
  assert.doesNotMatch(typed.text, /ada@/)
})

test('who guesses whom an offer is for is not told for long, and then of right guesses neither', async () => {
  const fake = fakeCheckout({ email: 'ada@example.com' })
  fake.guessesLeft = 2
  says(await look(fake, '?email=eve@example.com'), 403)
  says(await buy(fake, { kind: 'busy' }, { email: 'eve@example.com' }), 422)
  for (const email of ['eve@example.com', 'ada@example.com']) {
    const page = await look(fake, `?email=${email}`)
    says(page, 429, /Open this page again in 2 minutes/)
    assert.equal(page.headers['retry-after'], '120')
    const typed = await buy(fake, { kind: 'busy' }, { email })
    says(typed, 429, /Try again in 2 minutes/)
    assert.doesNotMatch(typed.text, /id="email-problem">[^<]/)
  }
  says(await look(fake), 200)
})

test('where fewer are left than were wanted, the page says how many', async () => {
  const page = await look(fakeCheckout({ stockLeft: 3 }), '?quantity=8')
  says(page, 200, /Only 3 are left/)
  assert.equal(hiddenIn(page).total, '30000')
})

test('a browser keeps its checkout, and one that was here gets no other', async () => {
  const fake = fakeCheckout()
  const first = await look(fake)
  const cookie = String(first.headers['set-cookie'])
  assert.match(cookie, new RegExp(`; Path=/till/offers/${offer.id}; Max-Age=43200; HttpOnly; SameSite=Lax; Secure$`))
  const { checkout = '' } = hiddenIn(first)
  assert.ok(cookie.startsWith(`checkout=${checkout};`))
  const second = await look(fake, '', { cookie: `other=1; checkout=${checkout}` })
  assert.equal(hiddenIn(second).checkout, checkout)
  assert.equal(second.headers['set-cookie'], undefined, 'its time is not prolonged')
  const again = await look(fake, '?again=1&quantity=2', { cookie: `checkout=${checkout}` })
  assert.equal(again.status, 303)
  assert.equal(again.headers.location, `/till/offers/${offer.id}?quantity=2`)
  assert.doesNotMatch(String(again.headers['set-cookie']), new RegExp(checkout))
})

test('in a merchant’s frame the browser keeps its checkout, for that site alone', async () => {
  const fake = fakeCheckout()
  fake.look = { ...fake.look, frameAncestors: ['https://shop.example'] }
  const cookie = String((await look(fake)).headers['set-cookie'])
  assert.match(cookie, /; HttpOnly; SameSite=None; Partitioned; Secure$/)
})

test('an address in capitals leads to the one that cookies know', async () => {
  const fake = fakeCheckout()
  const { statusCode, headers } = await fake.app.inject({ url: `/offers/${offer.id.toUpperCase()}?email=a@b.c` })
  assert.deepEqual([statusCode, headers.location], [303, `/till/offers/${offer.id}?email=a@b.c`])
})

test('a checkout that has a payment shows that instead of the form', async () => {
  const stands: [Partial<Transaction>, RegExp][] = [
    [{ status: 'Processing' }, /in progress/],
    [{ status: 'Further Action Required' }, /is waiting for you/],
    [{ status: 'Authorized' }, /reserved on your card/],
    [{ status: 'Successful' }, /You have paid for this/],
    [{ status: 'Refunded' }, /Your payment was refunded/],
    [{ status: 'Partially Refunded' }, /A part of your payment was refunded/],
    [{ status: 'Voided' }, /cancelled/],
  ]
  for (const [change, sentence] of stands) {
    const standing = saleThat(change)
    const page = await look(fakeCheckout({}, { standing }))
    says(page, 200, sentence, /<button class="second">Buy it again</)
    const soldOut = await look(fakeCheckout({ stockLeft: 0 }, { standing }))
    says(soldOut, 200, sentence)
    assert.doesNotMatch(soldOut.text, /<form/)
    assert.ok(page.text.includes(`href="${paymentAt}"`), page.text)
    assert.doesNotMatch(page.text, /name="number"/)
  }
})

/** Declined, and the gateway said later that it succeeded: a person looks into it. */
const disputed: Sale = {
  ...saleThat({ status: 'Failed' }),
  operations: [{ ...charge, outcome: 'declined', forPerson: 'It succeeded after all.' }],
}

test('what may have been paid after all is not asked for again', async () => {
  const fake = fakeCheckout()
  const form = { ...hiddenIn(await look(fake)), ...ada, ...goodCard }
  fake.visit = { ...fake.visit, attempt: 1, standing: disputed }
  const page = await look(fake)
  says(page, 200, /We are looking into it/)
  assert.ok(page.text.includes(`href="${paymentAt}"`), page.text)
  assert.doesNotMatch(page.text, /<form/)
  assert.equal((await send(fake, form)).headers.location, paymentAt)
  assert.equal(fake.orders.length, 0)
})

test('after a try that failed the page offers the next, and says what became of the last', async () => {
  const page = await look(fakeCheckout({}, { attempt: 2, standing: failedBy('insufficient_funds') }))
  says(page, 200, /lack of funds/)
  assert.equal(hiddenIn(page).attempt, '2')
})

test('what was typed for a try that failed is still there when its customer comes back, but for the card', async () => {
  const entered: Entered = {
    ...{ firstName: 'Grace', lastName: null, billing: null },
    shipping: { street: '1 Navy Way', city: 'Arlington', country: 'US', state: 'VA', zip: '22201' },
    answers: { Size: 'XL' },
  }
  const failed = failedBy('authentication_failed')
  const standing: Sale = {
    ...failed,
    transaction: { ...failed.transaction, entered, quantity: 2, referrerContext: 'mail-7' },
    customer: { ...customer, firstName: 'Somebody else', lastName: 'Known' },
  }
  const customFields = [
    { name: 'Note', required: false },
    { name: 'Size', required: true },
  ]
  const page = await look(fakeCheckout({ address: 'shipping', customFields }, { attempt: 1, standing }))
  for (const [name, value] of [
    ['email', customer.email],
    ['first_name', 'Grace'],
    ['last_name', ''],
    ['street', '1 Navy Way'],
    ['answer_1', ''],
    ['answer_2', 'XL'],
  ])
    says(page, 200, new RegExp(`name="${name}"[^>]* value="${value}"`))
  assert.doesNotMatch(page.text, /Somebody else|Known/)
  const shipping = { street: '9 Old Rd', street2: 'Apt 5', city: 'Oldtown', phone: '555' }
  const proven = { email: 'ada@example.com', customer: { ...customer, shipping }, cards: [] }
  const both = await look(fakeCheckout({ address: 'shipping', customFields }, { attempt: 1, standing, proven }))
  says(both, 200, /name="street"[^>]* value="1 Navy Way"/, /name="street2"[^>]* value=""/, /name="phone"[^>]* value=""/)
  const { total, referrer_context } = hiddenIn(page)
  assert.deepEqual([total, referrer_context], ['20000', 'mail-7'])
})

test('a form from elsewhere, altered, or of another offer is not believed', async () => {
  const fake = fakeCheckout()
  const form = { ...hiddenIn(await look(fake)), ...ada, ...goodCard }
  const begins = (seen: Seen) => {
    says(seen, 403, /Please begin again/)
    assert.doesNotMatch(seen.text, /charged/, 'nobody knows')
  }
  begins(await send(fake, { ...form, form_token: '' }))
  begins(await send(fake, { ...form, attempt: '1' }))
  begins(await send(fake, { ...form, checkout: String(form.checkout).replace(/.$/, 'x') }))
  begins(await send(fake, form, '', { 'sec-fetch-site': 'cross-site' }))
  begins(await send(fake, form, '', { origin: 'https://evil.example' }))
  begins(await send(fake, {}, '', { 'content-type': 'application/json' }))
  assert.equal(fake.orders.length, 0)
  fake.offer = { ...fake.offer, id: '0192aaaa-0000-7000-8000-0000000000ff' as typeof offer.id }
  begins(await send(fake, form))
})

test('what is paid leads to the page of the payment', async () => {
  const fake = fakeCheckout()
  const { status, headers } = await buy(fake, { kind: 'see', transactionId })
  assert.deepEqual([status, headers.location], [303, paymentAt])
  const [order] = fake.orders
  assert.deepEqual([order?.attempt, order?.quantity, order?.address], [0, 1, '127.0.0.1'])
})

test('every wrong field is named beside it, the first has the focus, and what was typed stays', async () => {
  const customFields = [{ name: 'Size', required: true }]
  const fake = fakeCheckout({ customFields })
  const page = await buy(fake, { kind: 'busy' }, { first_name: 'Ada "A"', cvc: '' })
  says(page, 422, /role="alert">You have not been charged\. Please check the 2 marked fields/)
  says(page, 422, /id="answer_1-problem">Please answer this\./, /id="cvc-problem">Enter the security code/)
  says(page, 422, /id="answer_1"[^>]* autofocus[^>]* aria-invalid="true"/, /value="Ada &#34;A&#34;"/)
  assert.equal(page.text.match(/ autofocus/g)?.length, 1)
  assert.equal(fake.orders.length, 0)
})

test('answers as long as they may be are taken in every script', async () => {
  const names = ['one', 'two', 'three', 'four']
  const fake = fakeCheckout({ customFields: names.map(name => ({ name, required: true })) })
  const answers = names.map((_, index) => [`answer_${index + 1}`, '鐘'.repeat(480)])
  const page = await buy(fake, { kind: 'see', transactionId }, Object.fromEntries(answers))
  assert.equal(page.status, 303, page.text)
})

test('nothing of a card is ever shown again', async () => {
  const outcomes: Paid[] = [
    { kind: 'failed', sale: failedBy('card_declined'), attempt: 1 },
    { kind: 'card_refused', sentence: 'The card’s number is not known.' },
    {
      kind: 'paid_before',
      payment: { id: transactionId, at: noon },
      status: 'Successful',
      isByMail: false,
      isSameCard: true,
    },
    { kind: 'too_many_tries', retryAfterS: 60 },
    { kind: 'not_now', cause: 'x' },
    { kind: 'not_for_sale', why: 'for_another' },
    { kind: 'card_not_usable' },
  ]
  const typed = { number: '5555-5555-5555-4444', expiry: '07/31', cvc: '987', first_name: 'pay 5555555555554444' }
  for (const paid of outcomes) {
    const { text } = await buy(fakeCheckout(), paid, typed)
    assert.match(text, /name="number"/, paid.kind)
    assert.doesNotMatch(text, /5555-|5555555555554444|07\/31|"987"/, paid.kind)
  }
  const wrong = await buy(fakeCheckout(), { kind: 'busy' }, { ...typed, email: '5555555555554444' })
  says(wrong, 422)
  assert.doesNotMatch(wrong.text, /5555-|5555555555554444|07\/31|"987"/)
})

test('a decline says what helps, and of lost, stolen and suspected cards nothing', async () => {
  const declined = (code: Parameters<typeof failedBy>[0]) =>
    buy(fakeCheckout(), { kind: 'failed', sale: failedBy(code), attempt: 1 })
  says(
    await declined('card_declined'),
    402,
    /Your card was declined\. You have not been charged\. Please try another card\./,
  )
  says(await declined('card_declined'), 402, /role="alert" tabindex="-1" autofocus>Your card/)
  says(await declined('insufficient_funds'), 402, /for lack of funds/)
  says(await declined('incorrect_cvc'), 402, /the security code is wrong/)
  says(await declined('expired_card'), 402, /it has expired/)
  const plain = (await declined('card_declined')).text
  for (const code of ['lost_card', 'stolen_card', 'fraud_suspected', 'limit_exceeded'] as const)
    assert.equal((await declined(code)).text, plain, code)
  says(await declined('pre_sale_stopped'), 409, /cannot sell this to you at the moment/)
  says(await declined('gateway_not_reached'), 503, /did not go through/)
  says(await declined('processing_error'), 503, /did not go through/)
  assert.equal(hiddenIn(await declined('card_declined')).attempt, '1')
})

test('each other outcome is said in its own words', async () => {
  const outcome = (paid: Paid) => buy(fakeCheckout(), paid)
  const many = await outcome({ kind: 'too_many_tries', retryAfterS: 60 })
  says(many, 429, /too many tries[^<]* in 1 minute\./)
  assert.equal(many.headers['retry-after'], '60')
  says(await outcome({ kind: 'card_refused', sentence: 'It is none.' }), 422, /was not accepted\. It is none\./)
  says(await outcome({ kind: 'not_now', cause: 'gateway down' }), 503, /You have not been charged/)
  says(await outcome({ kind: 'card_not_usable' }), 422, /can no longer be used/)
  says(await outcome({ kind: 'busy' }), 503, /still being processed\. Please do not pay again/)
})

const paidByThisCard = { status: 'Successful', isByMail: false, isSameCard: true } as const

test('a payment that may be repeated by mistake is asked about as it stands', async () => {
  const of = { isByMail: false, isSameCard: false }
  const questions: [Partial<Paid & { kind: 'paid_before' }>, RegExp][] = [
    [{ status: 'Successful', isSameCard: true }, /This card paid for the same thing 3 minutes ago/],
    [{ status: 'Authorized' }, /This was already paid 3 minutes ago/],
    [{ status: 'Refunded', isByMail: true }, /This was already paid 3 minutes ago/],
    [{ status: 'Processing' }, /A payment for this, made 3 minutes ago, is still being processed/],
    [{ status: 'Processing', isByMail: true }, /A payment by email for this, made .* is still being processed/],
    [{ status: 'Failed', isSameCard: true }, /A payment for this, made .* is still being processed/],
    [{ status: 'Further Action Required' }, /A payment for this, made .* waiting for confirmation at the bank/],
    [{ status: 'Further Action Required', isByMail: true }, /A payment by email for this, made .* at the bank/],
  ]
  for (const [more, sentence] of questions) {
    const earlier = { kind: 'paid_before', payment: known, status: 'Successful', ...of, ...more } as const
    const asked = await buy(fakeCheckout(), earlier)
    says(asked, 409, sentence, /You were not charged again/, /<input type="checkbox"[^>]*name="again"/)
  }
})

const known = { id: transactionId, at: after(noon, -180_000) }

test('who ticks the box pays besides the payment that they were told of, also after another try', async () => {
  const fake = fakeCheckout()
  const asked = await buy(fake, { kind: 'paid_before', payment: known, ...paidByThisCard })
  fake.pays = { kind: 'failed', sale: failedBy('card_declined'), attempt: 1 }
  const failed = await send(fake, { ...hiddenIn(asked), ...tickedIn(asked), ...ada, ...goodCard })
  await send(fake, { ...hiddenIn(failed), ...ada, ...goodCard })
  assert.deepEqual(
    fake.orders.map(({ besides }) => besides),
    [null, known, known],
  )
})

test('a yes that names no payment is none', async () => {
  for (const again of [
    'yes',
    '1',
    transactionId,
    `${transactionId}.`,
    `${transactionId}.soon`,
    `x.${noon.getTime()}`,
  ]) {
    const fake = fakeCheckout()
    await buy(fake, { kind: 'see', transactionId }, { again })
    assert.equal(fake.orders[0]?.besides, null, again)
  }
})

test('what sold out while the customer typed is said, and how many are left', async () => {
  const fake = fakeCheckout({ stockLeft: 5 })
  const form = { ...hiddenIn(await look(fake, '?quantity=4')), ...ada, ...goodCard }
  fake.offer = { ...fake.offer, stockLeft: 2 }
  fake.pays = { kind: 'not_for_sale', why: 'used_up' }
  const fewer = await send(fake, form)
  says(fewer, 409, /Only 2 are left/, /<button>Pay \$200\.00</)
  assert.equal(hiddenIn(fewer).quantity, '2')
  fake.offer = { ...fake.offer, stockLeft: 0 }
  says(await send(fake, form), 410, /Sold out/)
})

test('an amount other than the one shown is not charged', async () => {
  const fake = fakeCheckout()
  const page = await buy(fake, { kind: 'see', transactionId }, { quantity: '2' })
  says(page, 422, /The total is now \$200\.00/, /<button>Pay \$200\.00</)
  assert.equal(fake.orders.length, 0)
})

test('without the script, another quantity has another total, and nothing that was typed is lost', async () => {
  const fake = fakeCheckout({ stockLeft: 5 })
  const typed = { ...hiddenIn(await look(fake)), ...ada, ...goodCard }
  const updated = await send(fake, { ...typed, units: '4', update: '1' })
  says(updated, 200, /id="units"[^>]* value="4"/, /<button>Pay \$400\.00</, /value="Ada"/)
  assert.deepEqual([hiddenIn(updated).quantity, hiddenIn(updated).total], ['4', '40000'])
  const scarce = await send(fake, { ...typed, units: '8', update: '1' })
  says(scarce, 200, /Only 5 are left/, /<button>Pay \$500\.00</)
  says(
    await send(fake, { ...typed, units: 'x', update: '1' }),
    422,
    /id="units-problem">Enter a whole number from 1 to 5\./,
  )
  says(await send(fake, { ...typed, units: '4' }), 422, /The total is now \$400\.00/, /<button>Pay \$400\.00</)
  assert.equal(fake.orders.length, 0)
})

test('what is made out to one person is not asked for by the dozen', async () => {
  const page = await look(fakeCheckout({ email: 'ada@example.com' }))
  assert.doesNotMatch(page.text, /id="units"|Price each/)
  says(await look(fakeCheckout({ email: 'ada@example.com' }), '?quantity=2'), 200, /Price each/, /Pay \$200\.00/)
})

test('a page that answers a form says how to ask for it again', async () => {
  const fake = fakeCheckout()
  assert.doesNotMatch((await look(fake)).text, /data-address/)
  const page = await buy(fake, { kind: 'card_not_usable' }, { units: '3', quantity: '3', total: '30000' })
  says(page, 422, new RegExp(`data-address="/till/offers/${offer.id}\\?quantity=3"`))
})

test('a form sent once more after it was paid leads to the payment, whatever is wrong with it', async () => {
  const fake = fakeCheckout()
  const form = hiddenIn(await look(fake))
  fake.visit = { ...fake.visit, standing: saleThat({ status: 'Successful' }) }
  assert.equal((await send(fake, form)).headers.location, paymentAt)
})

test('who pays in an older tab finds that payment, and is asked before paying in the other tab as well', async () => {
  const fake = fakeCheckout()
  const [older, newer] = [hiddenIn(await look(fake)), hiddenIn(await look(fake))]
  const cookie = `checkout=${newer.checkout}`
  fake.pays = { kind: 'see', transactionId }
  const paid = await send(fake, { ...older, ...ada, ...goodCard }, '', { cookie })
  assert.ok(String(paid.headers['set-cookie']).startsWith(`checkout=${older.checkout};`), 'it is the one that is kept')
  const createdAt = after(noon, -180_000)
  fake.visits.set(String(older.checkout), { ...fake.visit, standing: saleThat({ status: 'Successful', createdAt }) })
  const form = { ...newer, ...ada, ...goodCard, number: '5555555555554444' }
  const asked = await send(fake, form, '', { cookie: `checkout=${older.checkout}` })
  says(asked, 409, /You already made a payment for this 3 minutes ago/, /<input type="checkbox"[^>]*name="again"/)
  assert.ok(asked.text.includes(`href="${paymentAt}"`), asked.text)
  assert.equal(asked.headers['set-cookie'], undefined, 'the one that paid is not forgotten')
  assert.equal(fake.orders.length, 1)
  await send(fake, { ...form, ...tickedIn(asked) }, '', { cookie: `checkout=${older.checkout}` })
  assert.equal(fake.orders.length, 2)
})

test('a try that failed or takes long leaves the browser with the right checkout', async () => {
  const fake = fakeCheckout()
  const [older, newer] = [hiddenIn(await look(fake)), hiddenIn(await look(fake))]
  const cookieAfter = async (paid: Paid) => {
    fake.pays = paid
    const cookie = { cookie: `checkout=${newer.checkout}` }
    return (await send(fake, { ...older, ...ada, ...goodCard }, '', cookie)).headers['set-cookie']
  }
  assert.equal(await cookieAfter({ kind: 'failed', sale: failedBy('card_declined'), attempt: 1 }), undefined)
  assert.match(String(await cookieAfter({ kind: 'busy' })), new RegExp(`^checkout=${older.checkout};`))
})

/** A browser that has paid, and what its page shows it. */
async function afterPaying(query = '', fake = fakeCheckout()) {
  const { checkout = '' } = hiddenIn(await look(fake))
  fake.visits.set(checkout, { ...fake.visit, standing: saleThat({ status: 'Successful' }) })
  const cookie = `checkout=${checkout}`
  return { fake, cookie, page: await look(fake, query, { cookie }) }
}

test('who presses that they buy it again is not asked whether it was meant', async () => {
  const { fake, cookie, page } = await afterPaying('?quantity=2&email=ada@example.com')
  const [, action = assert.fail(page.text)] = /<form[^>]* action="([^"]+)"/.exec(page.text) ?? []
  assert.equal(action, `/till/offers/${offer.id}?quantity=2&#38;email=ada%40example.com`)
  const query = '?quantity=2&email=ada@example.com'
  const anew = await send(fake, hiddenIn(page), query, { cookie })
  says(anew, 200, /<button>Pay \$200\.00/, /value="ada@example\.com"/)
  const kept = String(anew.headers['set-cookie']).split(';')[0] ?? ''
  assert.ok(kept.startsWith('checkout=') && kept !== cookie, kept)
  const wrong = await send(fake, { ...hiddenIn(anew), ...ada, ...goodCard, cvc: '' }, '', { cookie: kept })
  fake.pays = { kind: 'see', transactionId }
  await send(fake, { ...hiddenIn(wrong), ...ada, ...goodCard }, '', { cookie: kept })
  const paid = saleThat({ status: 'Successful' }).transaction
  assert.deepEqual(fake.orders[0]?.besides, { id: paid.id, at: paid.createdAt })
  const twice = await send(fake, hiddenIn(page), query, { cookie: kept })
  assert.deepEqual(
    [twice.status, twice.headers.location],
    [303, `/till/offers/${offer.id}?quantity=2&email=ada%40example.com`],
  )
})

test('who has paid in a newer tab since they pressed that they buy it again is asked about that payment', async () => {
  const { fake, cookie, page } = await afterPaying()
  const again = await send(fake, hiddenIn(page), '', { cookie })
  const newer = hiddenIn(await look(fake))
  const id = '0192aaaa-0000-7000-8000-0000000000ff' as TransactionId
  const standing = saleThat({ id, status: 'Successful', createdAt: after(sale.transaction.createdAt, 60_000) })
  fake.visits.set(String(newer.checkout), { ...fake.visit, standing })
  const paidMeanwhile = { cookie: `checkout=${newer.checkout}` }
  const asked = await send(fake, { ...hiddenIn(again), ...ada, ...goodCard }, '', paidMeanwhile)
  says(asked, 409, /You already made a payment for this/, /<input type="checkbox"[^>]*name="again"/)
  assert.equal(fake.orders.length, 0)
  await send(fake, { ...hiddenIn(asked), ...tickedIn(asked), ...ada, ...goodCard }, '', paidMeanwhile)
  assert.equal(fake.orders[0]?.besides?.id, id)
})

test('an address cannot say that a second payment is meant, nor make a browser forget what it paid', async () => {
  const { fake, cookie } = await afterPaying()
  for (const query of ['?again=1', '?again=meant', '?again=yes']) {
    const first = await look(fake, query, { cookie })
    const page = first.status === 303 ? await look(fake, '', { cookie }) : first
    says(page, 200, /You have paid for this/)
    assert.equal(first.headers['set-cookie'], undefined, query)
    const other = await look(fake, query, { cookie: `checkout=${hiddenIn(await look(fake)).checkout}` })
    assert.doesNotMatch(other.text, /name="again"/, query)
  }
})

test('that a second payment is meant is taken from the page of this browser alone', async () => {
  const own = await afterPaying()
  const stranger = await afterPaying('', own.fake)
  assert.notEqual(own.cookie, stranger.cookie)
  for (const form of [{ buy_again: 'yes' }, hiddenIn(stranger.page)]) {
    const answer = await send(own.fake, form, '', { cookie: own.cookie })
    assert.deepEqual([answer.status, answer.headers.location], [303, `/till/offers/${offer.id}`])
    assert.equal(answer.headers['set-cookie'], undefined)
  }
  const elsewhere = { cookie: own.cookie, 'sec-fetch-site': 'cross-site' }
  assert.equal((await send(own.fake, hiddenIn(own.page), '', elsewhere)).status, 403)
})

const tooLate = after(noon, checkoutLifeMs)

test('a page that was open for too long is shown again, with all but the card', async () => {
  const fake = fakeCheckout()
  const form = { ...hiddenIn(await look(fake, '?referrer_context=mail-7')), ...ada, ...goodCard }
  fake.now = tooLate
  const page = await send(fake, form)
  says(page, 409, /open for too long/, /value="Ada@Example\.com"/, /value="Lovelace"/, /name="number"/)
  assert.doesNotMatch(page.text, />[^<]*charged|4111 1111 1111 1111"/)
  const { checkout = '', referrer_context } = hiddenIn(page)
  assert.notEqual(checkout, form.checkout)
  assert.equal(referrer_context, 'mail-7')
  assert.ok(String(page.headers['set-cookie']).startsWith(`checkout=${checkout};`))
  fake.pays = { kind: 'see', transactionId }
  assert.equal((await send(fake, { ...hiddenIn(page), ...ada, ...goodCard })).status, 303)
  assert.deepEqual(
    fake.orders.map(({ secret }) => secret),
    [checkout],
  )
})

test('what such a page has paid is not asked for again', async () => {
  const fake = fakeCheckout()
  const form = { ...hiddenIn(await look(fake)), ...ada, ...goodCard }
  fake.now = tooLate
  fake.visits.set(String(form.checkout), { ...fake.visit, standing: saleThat({ status: 'Successful' }) })
  assert.equal((await send(fake, form)).headers.location, paymentAt)
  assert.equal(fake.orders.length, 0)
})

test('nothing about a customer is shown before they have proven to be that customer', async () => {
  const fake = fakeCheckout({ address: 'billing' })
  const before = await look(fake, '?email=ada@example.com')
  assert.doesNotMatch(before.text, /Lovelace|Springfield|1111"|ending in/)
  fake.visit = { ...fake.visit, proven: { email: 'ada@example.com', customer, cards: [card] } }
  const page = await look(fake)
  says(page, 200, /Visa ending in 1111/, /value="Lovelace"/, /value="Springfield"/, /<option value="US" selected/)
  says(page, 200, new RegExp(`value="${cardToken}"[^>]* checked`), /id="email"[^>]* readonly/)
})

test('where no card can be entered, one that is stored still pays', async () => {
  const proven = { email: 'ada@example.com', customer, cards: [card] }
  for (const fields of [null, { kind: 'none' }] as const) {
    const fake = fakeCheckout({}, { fields, proven })
    const page = await look(fake)
    says(page, 200, /Visa ending in 1111/, /<button>Pay/)
    assert.doesNotMatch(page.text, /name="number"|value="new"/)
    fake.pays = { kind: 'see', transactionId }
    const paid = await send(fake, { ...hiddenIn(page), ...ada, card: cardToken })
    assert.equal(paid.status, 303, paid.text)
    assert.deepEqual(fake.orders[0]?.pays, { kind: 'stored', token: cardToken })
  }
})

test('the page speaks the customer’s language', async () => {
  const fake = fakeCheckout({ address: 'shipping' })
  const page = await look(fake, '', { 'accept-language': 'es-MX,es;q=0.9' })
  says(page, 200, /<html lang="es">/, /Dirección de envío/, /<option value="MX" selected>México</)
})
