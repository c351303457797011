// Anybody can save a card under anybody's email address. The card is usable only after the browser that entered it has
// proven the same address by a mailed link: until then neither the owner of the mailbox nor anybody else can pay with it.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { maskedEmail } from '../src/core/email.ts'
import { tryLimits } from '../src/core/tries.ts'
import { testCardThat } from '../src/gateways/sandbox/test-cards.ts'
import { readMigrations } from '../src/store/migrate.ts'
import { isAccessible } from './support/axe.ts'
import { confirmationLink } from './support/confirm.ts'
import { payButton, paymentsOf, typeCard, typeNames } from './support/customer.ts'
import { askByMail } from './support/letters.ts'
import { read, startRelay } from './support/mail-relay.ts'
import { type Form, hiddenIn, ticked, tickedIn } from './support/plain-forms.ts'
import { heading, isWiderThanTheScreen, withBrowser } from './support/visitor.ts'

const relay = await startRelay()
after(relay.close)
const browsing = await withBrowser({ TILLBELL_MAIL_RELAY: `smtp://127.0.0.1:${relay.port}` })
const { service, visitor } = browsing
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
    const card = { number: visa, expiry: '12/40', cvc: '987', first_name: 'Ada', ...ticked() }
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
  const filled = { ...hiddenIn(form), email, first_name: 'Ada' }
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

const offered = /You saved this card\. To pay with it again, confirm your email address\./
const saved = /Your card is saved\. You can pay with it from now on\./

/** The payer asks for the link on the page of the payment; answers the link. */
async function askOnPayment(payer: Browser, path: string, email: string, count = 1): Promise<string> {
  const asked = await payer.submit(path)
  assert.match(asked.location ?? asked.text, /\?card=mailed$/)
  return confirmationLink(relay, email, count)
}

test('in the browser that paid, the link confirms the card: it pays from then on, on the page and by email', async () => {
  const email = newAddress()
  const offer = await merchant.makeOffer({ title: 'Brass bell' })
  const payer = new Browser()
  const path = await payer.pay(offer, { email, consent: 'yes' })
  assert.match((await payer.visit(path)).text, offered)
  const link = await askOnPayment(payer, path, email)
  const waits = await payer.visit(`/offers/${offer}?card=mailed`)
  assert.match(waits.text, /Check your email[\s\S]*confirm your email address/)
  assert.ok(waits.text.includes(`href="${path}"`), 'the way back leads to the payment')
  const { fields, body } = read(relay.mails.find(({ to }) => to.includes(email)) ?? assert.fail())
  assert.deepEqual(fields.get('subject'), ['Confirm your email address for Another'])
  assert.doesNotMatch(body, /ending in|Ada|transaction=/, 'nothing of what the payer typed')
  const confirms = await payer.visit(link)
  assert.match(confirms.text, /<h1 class="asks">Confirm your email address[\s\S]*Visa ending in 1111/)
  assert.ok(confirms.text.includes(maskedEmail(email)), 'who can use the card from then on')
  assert.equal((await fetch(link, { method: 'HEAD' })).status, 200)
  assert.deepEqual(await isConfirmed(email), [false], 'opening the link changes nothing')
  const action = /action="([^"]+)"/.exec(confirms.text)?.[1] ?? assert.fail(confirms.text)
  const presses = await Promise.all(Array.from({ length: 5 }, () => payer.visit(action, hiddenIn(confirms))))
  assert.deepEqual(new Set(presses.map(({ location }) => location)), new Set([path]))
  assert.deepEqual(await isConfirmed(email), [true])
  const payment = await payer.visit(path)
  assert.match(payment.text, saved)
  assert.doesNotMatch(payment.text, offered)
  assert.equal((await payer.visit(link)).location, path, 'opened again')
  assert.match((await payer.visit(`/offers/${offer}`)).text, /You have paid for this/, 'nobody is led to pay again')

  const other = new Browser()
  const form = await other.prove(offer, email, 2)
  assert.match(form.text, /Visa ending in 1111/)
  const [card] = await cardsOf(email)
  const filled = { ...hiddenIn(form), email, first_name: 'Ada', card: card?.token ?? '' }
  const asked = await other.visit(`/offers/${offer}`, filled)
  assert.equal(asked.status, 409, asked.text)
  const said = { ...filled, ...hiddenIn(asked), ...tickedIn(asked) }
  assert.match((await other.visit(`/offers/${offer}`, said)).location ?? '', /transaction=/)
  assert.deepEqual((await paymentsOf(service, offer)).charges, 2)
  const next = await merchant.makeOffer()
  const id = await askByMail(service, { merchant: merchant.merchant, offer: next, sender: email, isProven: true })
  const mailed = await confirmationLink(relay, email, 3)
  const third = new Browser()
  assert.match((await third.visit(mailed)).text, /Visa ending in 1111[\s\S]*Confirm and pay/)
  assert.equal((await third.submit(mailed)).location, `/offers/${next}?transaction=${id}`)
  assert.deepEqual(await paymentsOf(service, next), { statuses: ['Successful'], charges: 1 })
})

test('opened in another browser, the link proves the address there and confirms no card', async () => {
  const email = newAddress()
  const offer = await merchant.makeOffer()
  const payer = new Browser()
  const path = await payer.pay(offer, { email, consent: 'yes' })
  const link = await askOnPayment(payer, path, email)
  const other = new Browser()
  const pressed = await other.submit(link)
  const form = await other.visit(pressed.location ?? assert.fail(pressed.text))
  assert.ok(form.text.includes(email), 'the address is proven there')
  assert.doesNotMatch(form.text, /ending in/)
  assert.deepEqual(await isConfirmed(email), [false])
  assert.equal((await payer.visit(link)).status, 410)
  const again = await askOnPayment(payer, path, email, 2)
  assert.equal((await payer.submit(again)).location, path)
  assert.deepEqual(await isConfirmed(email), [true])
})

test('another address that is proven in the same browser confirms no card', async () => {
  const [email, another] = [newAddress(), newAddress()]
  const offer = await merchant.makeOffer()
  const payer = new Browser()
  const path = await payer.pay(offer, { email, consent: 'yes' })
  const own = await payer.visit(await askOnPayment(payer, path, email))
  await payer.submit(`/offers/${offer}?card=stored`, { email: another })
  const link = await confirmationLink(relay, another)
  const told = await payer.visit(link)
  assert.match(told.text, /You have paid for this/)
  const secret = new URL(link).searchParams.get('proof')
  assert.equal((await payer.visit(`/offers/${offer}/proofs/${secret}`, hiddenIn(own))).status, 403)
  const begun = await payer.visit(link, hiddenIn(told))
  const pressed = await payer.submit(begun.location ?? assert.fail(begun.text))
  assert.match((await payer.visit(pressed.location ?? assert.fail(pressed.text))).text, new RegExp(another))
  assert.deepEqual(await isConfirmed(email), [false])
})

test('a link that somebody else asked for confirms no card in the browser that paid, whatever it was asked for', async () => {
  const typo = newAddress()
  const offer = await merchant.makeOffer()
  const [payer, owner] = [new Browser(), new Browser()]
  await payer.pay(offer, { email: typo, consent: 'yes' })
  await owner.submit(`/offers/${offer}?card=stored`, { email: typo })
  const links = [await confirmationLink(relay, typo)]
  const own = await owner.pay(offer, { email: typo, number: mastercard, consent: 'yes' })
  links.push(await askOnPayment(owner, own, typo, 2))
  for (const link of links) assert.match((await payer.visit(link)).text, /You have paid for this/)
  assert.deepEqual(await isConfirmed(typo), [false, false])
})

test('whoever merely has the address of the payment is offered nothing, and can ask for nothing', async () => {
  const email = newAddress()
  const offer = await merchant.makeOffer()
  const payer = new Browser()
  const path = await payer.pay(offer, { email, consent: 'yes' })
  const own = hiddenIn(await payer.visit(path))
  for (const visitor of [new Browser(), new Browser()]) {
    await visitor.visit(`/offers/${offer}`)
    const seen = await visitor.visit(path)
    assert.match(seen.text, /Payment complete/)
    assert.doesNotMatch(seen.text, offered)
    assert.equal((await visitor.visit(`/offers/${offer}/proofs`, own)).status, 403)
  }
  assert.equal((await new Browser().visit(`/offers/${offer}/proofs`, own)).status, 403)
  const isMailed = relay.mails.some(({ to }) => to.includes(email))
  assert.equal(isMailed, false)
  const link = await askOnPayment(payer, path, email)
  const confirms = hiddenIn(await payer.visit(link))
  const secret = new URL(link).searchParams.get('proof')
  assert.equal((await new Browser().visit(`/offers/${offer}/proofs/${secret}`, confirms)).status, 403)
  assert.deepEqual(await isConfirmed(email), [false])
})

test('a card that was not saved, or by an address that was proven before, has nothing to confirm', async () => {
  const email = newAddress()
  const offer = await merchant.makeOffer()
  const once = new Browser()
  const unsaved = await once.visit(await once.pay(offer, { email }))
  assert.doesNotMatch(unsaved.text, offered)
  assert.doesNotMatch(unsaved.text, saved)
  const proven = new Browser()
  await proven.prove(offer, email)
  const paid = await proven.visit(await proven.pay(offer, { email, consent: 'yes' }))
  assert.match(paid.text, saved)
  assert.doesNotMatch(paid.text, offered)
  assert.deepEqual(await isConfirmed(email), [false, true])
})

test('links for a saved card have the limits that every link has, and being refused leads back to the payment', async () => {
  const email = newAddress()
  const payer = new Browser()
  const path = await payer.pay(await merchant.makeOffer(), { email, consent: 'yes' })
  for (let count = 1; count <= tryLimits.mail.atOnce; count++) await askOnPayment(payer, path, email, count)
  const refused = await payer.submit(path)
  assert.equal(refused.status, 429)
  assert.match(refused.text, /Too many links[\s\S]*Your payment is not affected/)
  assert.ok(refused.text.includes(`href="${path}"`))
})

/** `says` is what the bank is told; null: its page is left. Answers the path of the payment's page. */
async function payAtBank(payer: Browser, offer: string, typed: Form, says: 'pass' | 'fail' | null): Promise<string> {
  const path = await payer.pay(offer, { ...typed, number: testCardThat('three_d_secure').number, consent: 'yes' })
  if (says !== null) await answerBank(payer, path, says)
  return path
}

async function answerBank(payer: Browser, path: string, says: 'pass' | 'fail'): Promise<void> {
  const bank = await payer.submit(path)
  const answered = await payer.submit(bank.location ?? assert.fail(bank.text), { result: says })
  await payer.visit(answered.location ?? assert.fail(answered.text))
}

interface ListedCard {
  readonly service_token: string
  readonly card_mask: string
  readonly confirmed: boolean
}

async function listed(email: string, more: Form = { include_unconfirmed: 'true' }): Promise<ListedCard[]> {
  const { json, status, text } = await merchant.ask(`credit_cards?${new URLSearchParams({ email, ...more })}`)
  assert.equal(status, 200, text)
  return json
}

/** Asks by email; answers what the mailed link shows. */
async function askToPay(email: string, count: number): Promise<{ offer: string; link: string; text: string }> {
  const offer = await merchant.makeOffer()
  await askByMail(service, { merchant: merchant.merchant, offer, sender: email, isProven: true })
  const link = await confirmationLink(relay, email, count)
  return { offer, link, text: (await new Browser().visit(link)).text }
}

test('a card whose payment its bank refuses is not saved, though the address was proven: it pays nothing by email', async () => {
  const email = newAddress()
  const offer = await merchant.makeOffer()
  const payer = new Browser()
  await payer.prove(offer, email)
  await payAtBank(payer, offer, { email }, 'fail')
  assert.deepEqual((await paymentsOf(service, offer)).statuses, ['Failed'])
  assert.deepEqual(await listed(email), [])
  assert.doesNotMatch((await askToPay(email, 2)).text, /ending in|Confirm and pay/)
})

test('an address that is proven while the bank is asked confirms no card that the bank then refuses', async () => {
  const email = newAddress()
  const offer = await merchant.makeOffer()
  const payer = new Browser()
  const path = await payAtBank(payer, offer, { email }, null)
  await new Browser().submit(`/offers/${offer}?card=stored`, { email })
  const link = await confirmationLink(relay, email)
  assert.doesNotMatch((await payer.visit(link)).text, /ending in/)
  await answerBank(payer, path, 'fail')
  assert.deepEqual(await listed(email), [])
  assert.doesNotMatch((await askToPay(email, 2)).text, /ending in|Confirm and pay/)
})

test('a card is saved by the success of its payment, and until then nothing else can be paid with it', async () => {
  const email = newAddress()
  const offer = await merchant.makeOffer()
  const payer = new Browser()
  await payer.prove(offer, email)
  const path = await payAtBank(payer, offer, { email }, null)
  assert.deepEqual(await listed(email), [])
  const [card] = await cardsOf(email)
  const token = card?.token ?? assert.fail()
  const refused = await merchant.charge(await merchant.makeOffer(), token)
  assert.equal(refused.status, 422)
  assert.equal(refused.json.errors.token, 'token names a card whose payment has not succeeded.')
  assert.doesNotMatch((await askToPay(email, 2)).text, /ending in|Confirm and pay/)
  await answerBank(payer, path, 'pass')
  assert.match((await payer.visit(path)).text, saved)
  assert.deepEqual(
    (await listed(email)).map(each => each.service_token),
    [token],
  )
  assert.match((await askToPay(email, 3)).text, /ending in[\s\S]*Confirm and pay/)
})

test('the upgrade removes cards that were saved by a payment that did not succeed, and no others', async () => {
  const offer = await merchant.makeOffer()
  const save = async (says: 'pass' | 'fail') => {
    const email = newAddress()
    await payAtBank(new Browser(), offer, { email }, says)
    const [{ token } = assert.fail()] = await cardsOf(email)
    await sql`update card set remove_at = null where token = ${token}`
    return token
  }
  const [paid, refused, onLink] = [await save('pass'), await save('fail'), await save('fail')]
  await sql`update card set created_at = created_at - interval '1 day' where token = ${onLink}`
  const { text } = (await readMigrations()).find(({ number }) => number === 22) ?? assert.fail()
  await sql.unsafe(text)
  const kept = await sql<{ token: string }[]>`select token from card
    where token = any(${[paid, refused, onLink]}) and remove_at is null`
  assert.deepEqual(new Set(kept.map(({ token }) => token)), new Set([paid, onLink]))
})

test('REST lists a customer’s cards without those that somebody only said were theirs', async () => {
  const email = newAddress()
  const own = await merchant.storeCard(mastercard, { email, first_name: 'Ada' })
  const offer = await merchant.makeOffer()
  const payer = new Browser()
  const path = await payer.pay(offer, { email, consent: 'yes', first_name: 'Bob' })
  const seen = (cards: readonly ListedCard[]) => cards.map(card => [card.card_mask, card.confirmed])
  assert.deepEqual(seen(await listed(email, {})), [['4444', true]])
  assert.deepEqual(seen(await listed(email, { include_unconfirmed: 'false' })), [['4444', true]])
  const all = await listed(email)
  assert.deepEqual(seen(all), [
    ['1111', false],
    ['4444', true],
  ])
  assert.equal(all[1]?.service_token, own)
  const shown = await merchant.ask(`credit_cards/${all[0]?.service_token}`)
  assert.equal(shown.json.card.confirmed, false)
  const wrong = await merchant.ask(`credit_cards?email=${email}&include_unconfirmed=maybe`)
  assert.equal(wrong.status, 422)
  assert.match(wrong.text, /include_unconfirmed must be true or false/)
  await payer.submit(await askOnPayment(payer, path, email))
  assert.deepEqual(seen(await listed(email, {})), [
    ['1111', true],
    ['4444', true],
  ])
})

browsing.test('in a browser on a small screen: save the card, ask for the link, confirm, and see it saved', async t => {
  const { page } = await visitor(t, { viewport: { width: 360, height: 640 } })
  const isFine = async (name: string) => {
    assert.equal(await isWiderThanTheScreen(page), false, name)
    await isAccessible(page, name)
  }
  const email = newAddress()
  const offer = await merchant.makeOffer({ title: 'Brass bell' })
  await page.goto(`${service.baseUrl}/offers/${offer}`)
  await typeNames(page, email)
  await typeCard(page, visa)
  await page.getByLabel('Save my card').check()
  await payButton(page).click()
  await page.getByText('You saved this card.').waitFor()
  await isFine('the payment')
  const payment = page.url()
  await page.getByRole('button', { name: 'Email me a link' }).click()
  await page.getByText('We have sent you a link.').waitFor()
  await isFine('the note that a link was sent')
  await page.goto(await confirmationLink(relay, email))
  assert.equal(await heading(page), 'Confirm your email address')
  await isFine('the link')
  await page.getByRole('button', { name: 'Confirm' }).dblclick()
  await page.getByText('Your card is saved.').waitFor()
  assert.equal(page.url(), payment)
  await isFine('the payment with its saved card')
  assert.deepEqual(await isConfirmed(email), [true])
  assert.deepEqual(await paymentsOf(service, offer), { statuses: ['Successful'], charges: 1 })
})
