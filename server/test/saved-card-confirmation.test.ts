// Anybody can save a card under anybody's email address. The card is usable only after the browser that entered it has
// proven the same address by a mailed link: until then neither the owner of the mailbox nor anybody else can pay with it.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { testCardThat } from '../src/gateways/sandbox/test-cards.ts'
import { confirmationLink } from './support/confirm.ts'
import { paymentsOf } from './support/customer.ts'
import { askByMail } from './support/letters.ts'
import { read, startRelay } from './support/mail-relay.ts'
import { type Form, hiddenIn } from './support/plain-forms.ts'
import { withBrowser } from './support/visitor.ts'

const relay = await startRelay()
after(relay.close)
const browsing = await withBrowser({ TILLBELL_MAIL_RELAY: `smtp://127.0.0.1:${relay.port}` })
const { service } = browsing
const { sql } = service.database
const merchant = await service.newMerchant()

const visa = testCardThat('success').number
const mastercard = '5555555555554444'

interface Shown {
  readonly status: number
  readonly text: string
  readonly location: string | null
}

/** One browser: it keeps the cookie of each offer's page. */
class Browser {
  readonly #cookies = new Map<string, string>()

  async visit(url: string, form?: Form): Promise<Shown> {
    const at = new URL(url, service.baseUrl)
    const [offerPath = ''] = /^\/offers\/[^/]+/.exec(at.pathname) ?? []
    const sent = form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }
    const headers = { cookie: this.#cookies.get(offerPath) ?? '' }
    const answer = await fetch(at, { redirect: 'manual', headers, ...sent })
    for (const each of answer.headers.getSetCookie()) this.#cookies.set(offerPath, each.split(';')[0] ?? '')
    return { status: answer.status, text: await answer.text(), location: answer.headers.get('location') }
  }

  /** Sends the form of the page that this address shows. */
  async submit(url: string, typed: Form = {}): Promise<Shown> {
    const page = await this.visit(url)
    const [, action = assert.fail(page.text)] = /<form[^>]* method="post" action="([^"]+)"/.exec(page.text) ?? []
    return this.visit(action, { ...hiddenIn(page), ...typed })
  }

  /** Pays with a new card; answers the path of the payment's page. */
  async pay(offer: string, typed: Form): Promise<string> {
    const card = { number: visa, expiry: '12/40', cvc: '987', first_name: 'Ada', again: 'yes' }
    const paid = await this.submit(`/offers/${offer}`, { ...card, ...typed })
    return paid.location ?? assert.fail(paid.text)
  }

  /** Asks the offer's page for a link to this address, and presses the button behind it. */
  async prove(offer: string, email: string, count = 1): Promise<Shown> {
    await this.submit(`/offers/${offer}?card=stored`, { email })
    const pressed = await this.submit(await confirmationLink(relay, email, count))
    return this.visit(pressed.location ?? assert.fail(pressed.text))
  }
}

let customers = 0
const newAddress = () => `saver-${++customers}@example.com`

async function cardsOf(email: string) {
  return sql<{ token: string; mask: string; isConfirmed: boolean; confirmedAt: Date | null }[]>`
    select c.token, c.mask, c.confirmed_at is not null as is_confirmed, c.confirmed_at from card c
      join customer u on u.merchant_id = c.merchant_id and u.id = c.customer_id
    where u.email = ${email} order by c.created_at, c.token`
}

const isConfirmed = async (email: string) => (await cardsOf(email)).map(card => card.isConfirmed)

test('who owns a mistyped mailbox sees no card that a stranger saved under the address, on any page', async () => {
  const email = newAddress()
  const offer = await merchant.makeOffer()
  await new Browser().pay(offer, { email, consent: 'yes' })
  const owner = new Browser()
  const form = await owner.prove(offer, email)
  assert.equal(form.status, 200, form.text)
  assert.doesNotMatch(form.text, /ending in/)
  assert.deepEqual(await isConfirmed(email), [false])
})

test('a form that posts the token of an unconfirmed card is refused, and nothing is charged', async () => {
  const email = newAddress()
  const offer = await merchant.makeOffer()
  await new Browser().pay(offer, { email, consent: 'yes' })
  const [card] = await cardsOf(email)
  const token = card?.token ?? assert.fail()
  const own = await merchant.storeCard(mastercard, { email, first_name: 'Ada' })
  const owner = new Browser()
  const form = await owner.prove(offer, email)
  assert.ok(form.text.includes(own), 'there is a choice of cards')
  const filled = { ...hiddenIn(form), email, first_name: 'Ada', again: 'yes' }
  const refused = await owner.visit(`/offers/${offer}`, { ...filled, card: token })
  assert.equal(refused.status, 422, refused.location ?? refused.text)
  assert.deepEqual(await paymentsOf(service, offer), { statuses: ['Successful'], charges: 1 })
  assert.deepEqual(await isConfirmed(email), [false, false])
})

test('a press on the link of an email payment charges no unconfirmed card, and neither mail nor page names it', async () => {
  const email = newAddress()
  const offer = await merchant.makeOffer()
  await new Browser().pay(offer, { email, consent: 'yes' })
  const id = await askByMail(service, { merchant: merchant.merchant, offer, sender: email, isProven: true })
  const link = await confirmationLink(relay, email)
  for (const mail of relay.mails.filter(({ to }) => to.includes(email)))
    assert.doesNotMatch(read(mail).body, /ending in/)
  const owner = new Browser()
  assert.doesNotMatch((await owner.visit(link)).text, /ending in|Confirm and pay/)
  const pressed = await owner.submit(link)
  assert.equal(pressed.location, `/offers/${offer}?transaction=${id}`)
  const form = await owner.visit(pressed.location)
  assert.match(form.text, /name="number"/)
  assert.doesNotMatch(form.text, /ending in/)
  const { charges, statuses } = await paymentsOf(service, offer)
  assert.deepEqual([charges, [...statuses].sort()], [1, ['Further Action Required', 'Successful']])
})
