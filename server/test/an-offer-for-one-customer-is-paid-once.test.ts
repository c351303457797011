// An offer for one customer can be paid on its page and by email with its own token. Whichever comes first uses that token, and
// whoever pays on the page afterwards is asked first, whatever card they enter and however long ago it was.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { testCardThat } from '../src/gateways/sandbox/test-cards.ts'
import { answered } from './support/answers.ts'
import { audited } from './support/audited.ts'
import { tillbell } from './support/command.ts'
import { confirmationLink, confirmByLink, openLink } from './support/confirm.ts'
import {
  type FilledMail,
  filledBy,
  type MailWorld,
  type Shop,
  sendSigned,
  startMailWorld,
} from './support/mail-world.ts'
import { type Form, hiddenIn, tickedIn } from './support/plain-forms.ts'
import { pressButton } from './support/press-button.ts'
import { until } from './support/until.ts'

let world: MailWorld
let shop: Shop
before(async () => {
  world = await startMailWorld()
  shop = await world.newShop()
})
after(() => world.stop())

const visa = testCardThat('success').number
const mastercard = '5555555555554444'
const secured = testCardThat('three_d_secure').number

let customers = 0

/** An offer that only this customer may pay, who has a card here, and the email that its link fills in. */
async function newInvoice(number = visa, more: { readonly [name: string]: string | number } = {}) {
  const email = `invoiced-${++customers}@example.org`
  const card = await shop.newCard(email, number)
  const offer = await shop.newOffer({ email, ...more })
  const { mail_to: mailTo } = answered(await shop.rest.ask(`offers/${offer}`), 200).json.offer
  return { email, card, offer, mail: filledBy(mailTo) }
}

async function sendMail(from: string, { to, ...words }: FilledMail): Promise<string> {
  return sendSigned(world, from, to, words)
}

async function settled(offer: string): Promise<string[]> {
  const { sql } = world.service.database
  await until('nothing is under way', async () => {
    const open = await sql`select from letter where state = 'waiting' and offer_id = ${offer}
      union all select from transaction where status = 'Processing' and offer_id = ${offer}`
    return open.length === 0
  })
  const rows = await sql<{ status: string; source: string }[]>`select status, source from transaction
    where offer_id = ${offer} order by id`
  return rows.map(({ status, source }) => `${source.split(' ')[0]} ${status}`)
}

async function chargesOf(offer: string): Promise<number> {
  const rows = await world.service.database.sql`select distinct e.operation_id from sandbox_entry e
    join transaction t on t.id = e.transaction_id where t.offer_id = ${offer} and e.kind = 'charge' and e.code is null`
  return rows.length
}

async function show(url: string, form?: Form) {
  const sent = form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }
  const answer = await fetch(new URL(url, world.service.baseUrl), { redirect: 'manual', ...sent })
  return { status: answer.status, text: await answer.text(), location: answer.headers.get('location') }
}

/** Each time in a browser that was not here before. */
async function payOnPage(offer: string, email: string, typed: Form = {}) {
  const page = await show(`/offers/${offer}`)
  const card = { number: visa, expiry: '12/40', cvc: '987', first_name: 'Ada' }
  return show(`/offers/${offer}`, { ...hiddenIn(page), email, ...card, ...typed })
}

const usesOf = async (offer: string) => {
  const rows = await world.service.database.sql<{ source: string }[]>`select t.source from token_use u
    join transaction t on t.id = u.transaction_id where t.offer_id = ${offer}`
  return rows.map(({ source }) => source.split(' ')[0])
}

test('paid on the page, an email with the token of the offer that arrives later charges nothing', async () => {
  const { email, offer, mail } = await newInvoice()
  assert.equal((await payOnPage(offer, email)).status, 303)
  assert.match(await sendMail(email, mail), /^550 /)
  assert.deepEqual([await settled(offer), await chargesOf(offer)], [['Web Successful'], 1])
  assert.deepEqual(await usesOf(offer), ['Web'])
  await audited(world.service.database.sql)
})

test('paid by email, the page asks first with any card and at any time, and pays when that was meant', async () => {
  const { email, offer, mail } = await newInvoice()
  assert.match(await sendMail(email, mail), /^250 /)
  assert.deepEqual(await settled(offer), ['Email Successful'])
  const { sql } = world.service.database
  for (const number of [visa, mastercard]) {
    const asked = await payOnPage(offer, email, { number })
    assert.equal(asked.status, 409)
    assert.match(asked.text, /name="again"/)
    assert.match(asked.text, /This was already paid a moment ago\. You were not charged again\./)
  }
  await sql`update operation p set settled_at = p.settled_at - interval '3 days' from transaction t
    where t.id = p.transaction_id and t.offer_id = ${offer}`
  const asked = await payOnPage(offer, email, { number: mastercard })
  assert.equal(asked.status, 409)
  assert.match(asked.text, /This was already paid 3 days ago/)
  assert.equal(await chargesOf(offer), 1)
  const meant = await show(`/offers/${offer}`, {
    ...{
      ...hiddenIn(asked),
      ...tickedIn(asked),
      email,
      number: mastercard,
      expiry: '12/40',
      cvc: '987',
      first_name: 'Ada',
    },
  })
  assert.equal(meant.status, 303, meant.text)
  assert.deepEqual(await settled(offer), ['Email Successful', 'Web Successful'])
  assert.deepEqual(await usesOf(offer), ['Email'])
  await audited(sql)
})

/** Of the service's clock. */
async function passSeconds(seconds: number): Promise<void> {
  answered(await world.service.demo.ask('sandbox/clock', { form: { advance_s: seconds } }), 200)
}

const passMinutes = (minutes: number) => passSeconds(minutes * 60)

/** The bank's page is left until the time for it is over. */
async function expire(offer: string): Promise<void> {
  await world.service.database.sql`update transaction set action_expires_at = now() - interval '1 minute'
    where offer_id = ${offer} and status = 'Further Action Required'`
  await passSeconds(1)
  await until('it has failed', async () => !(await settled(offer)).some(each => each.endsWith('Required')))
}

test('an email that is late is confirmed first, where the page was paid while another payment had the token and gave it back', async () => {
  const { email, offer, mail } = await newInvoice()
  assert.equal((await payOnPage(offer, email, { number: secured })).status, 303)
  const asked = await payOnPage(offer, email, { number: mastercard })
  assert.equal(asked.status, 409)
  assert.equal((await payOnPage(offer, email, { number: mastercard, ...tickedIn(asked) })).status, 303)
  await expire(offer)
  assert.deepEqual(await settled(offer), ['Web Failed', 'Web Successful'])
  assert.match(await sendMail(email, mail), /^250 /)
  const waits = ['Web Failed', 'Web Successful', 'Email Further Action Required']
  assert.deepEqual(await settled(offer), waits)
  await assert.rejects(confirmByLink(world.relay, email), /409[\s\S]*This was already paid/)
  assert.deepEqual(await settled(offer), waits)
  await audited(world.service.database.sql)
})

test('an email is confirmed first, while a person looks into a payment that may have been made', async () => {
  const { email, offer, mail } = await newInvoice()
  assert.equal((await payOnPage(offer, email, { number: testCardThat('card_declined').number })).status, 402)
  const { sql } = world.service.database
  await sql`update operation p set for_person = 'The gateway reports a success.' from transaction t
    where t.id = p.transaction_id and t.offer_id = ${offer}`
  assert.match(await sendMail(email, mail), /^250 /)
  assert.deepEqual(await settled(offer), ['Web Failed', 'Email Further Action Required'])
  assert.equal(await chargesOf(offer), 0)
})

test('a link that was made after a payment pays at once', async () => {
  const { email, offer, mail } = await newInvoice()
  await sendMail(email, mail)
  assert.deepEqual(await settled(offer), ['Email Successful'])
  await sendMail(email, await shop.personalMail(offer, email))
  assert.deepEqual(await settled(offer), ['Email Successful', 'Email Successful'])
})

test('charged by the merchant over REST, the page asks first', async () => {
  const { email, card, offer } = await newInvoice()
  await shop.rest.charge(offer, card)
  assert.equal((await payOnPage(offer, email, { number: mastercard })).status, 409)
  assert.equal(await chargesOf(offer), 1)
})

test('an email payment that waits at the bank is named by the question, in both languages', async () => {
  const { email, offer, mail } = await newInvoice(secured)
  await sendMail(email, mail)
  assert.deepEqual(await settled(offer), ['Email Further Action Required'])
  const asked = await payOnPage(offer, email, { number: mastercard })
  assert.equal(asked.status, 409)
  assert.match(asked.text, /A payment by email for this, made a moment ago, is waiting for confirmation at the bank/)
  const page = await show(`/offers/${offer}`)
  const card = { number: mastercard, expiry: '12/40', cvc: '987', first_name: 'Ada' }
  const body = new URLSearchParams({ ...hiddenIn(page), email, ...card })
  const inSpanish = await fetch(`${world.service.baseUrl}/offers/${offer}`, {
    ...{ method: 'POST', body, redirect: 'manual', headers: { 'accept-language': 'es' } },
  })
  assert.match(
    await inSpanish.text(),
    /Un pago por correo electrónico por esto, hecho .* espera la confirmación del banco/,
  )
  assert.deepEqual(await settled(offer), ['Email Further Action Required'])
})

test('a payment on the page that fails gives the token back, and the email pays', async () => {
  const { email, offer, mail } = await newInvoice()
  assert.equal((await payOnPage(offer, email, { number: testCardThat('card_declined').number })).status, 402)
  assert.deepEqual(await usesOf(offer), [])
  assert.match(await sendMail(email, mail), /^250 /)
  assert.deepEqual(await settled(offer), ['Web Failed', 'Email Successful'])
  assert.deepEqual(await usesOf(offer), ['Email'])
  await audited(world.service.database.sql)
})

test('a late success of the page takes the token again', async t => {
  const { email, offer, mail } = await newInvoice()
  assert.equal((await payOnPage(offer, email, { number: testCardThat('card_declined').number })).status, 402)
  const { service } = world
  const [row] = await service.database.sql<{ id: string }[]>`update operation p
    set for_person = 'The gateway reports a success.' from transaction t
    where t.id = p.transaction_id and t.offer_id = ${offer} returning p.id`
  const operation = row?.id ?? assert.fail('no operation')
  await service.database.sql`update sandbox_entry set step = 'succeeded', code = null, booked_minor = asked_minor
    where operation_id = ${operation}`
  const asked = await payOnPage(offer, email, { number: mastercard })
  assert.equal(asked.status, 409, 'it may have been paid')
  const words = ['doubt', 'resolve', operation, '--as', 'succeeded', '--gateway-ref', `sandbox_charge_${operation}`]
  const place = { DATABASE_URL: service.database.url, TILLBELL_DATA: service.dataFolder, TILLBELL_LOG: 'fatal' }
  const { code, stderr } = await tillbell(t, [...words, '--by', 'Ada', '--note', 'Seen at the gateway.'], place)
  assert.deepEqual([code, stderr], [0, ''])
  assert.deepEqual(await usesOf(offer), ['Web'])
  assert.match(await sendMail(email, mail), /^550 /)
  assert.deepEqual(await settled(offer), ['Web Successful'])
  await audited(service.database.sql)
})

test('a new link of an offer that was paid is used by the next payment on the page', async () => {
  const { email, offer, mail } = await newInvoice()
  await sendMail(email, mail)
  await settled(offer)
  const next = await shop.personalMail(offer, email)
  assert.notEqual(next.text, mail.text)
  const asked = await payOnPage(offer, email)
  assert.equal((await payOnPage(offer, email, tickedIn(asked))).status, 303)
  assert.match(await sendMail(email, next), /^550 /)
  assert.deepEqual(await settled(offer), ['Email Successful', 'Web Successful'])
})

/** An offer that was paid on its page, and for which the merchant has made a new link since. */
async function newlyLinked() {
  const { email, offer } = await newInvoice()
  assert.equal((await payOnPage(offer, email)).status, 303)
  return { email, offer, mail: await shop.personalMail(offer, email) }
}

const cardTyped = (email: string, number = mastercard) => ({
  ...{ email, number, expiry: '12/40', cvc: '987', first_name: 'Ada' },
})

test('who says yes to a second payment is asked about the one that an email made meanwhile', async () => {
  const { email, offer, mail } = await newlyLinked()
  const asked = await payOnPage(offer, email, { number: mastercard })
  assert.match(await sendMail(email, mail), /^250 /)
  assert.deepEqual(await settled(offer), ['Web Successful', 'Email Successful'])
  const said = { ...hiddenIn(asked), ...tickedIn(asked), ...cardTyped(email) }
  const again = await show(`/offers/${offer}`, said)
  assert.equal(again.status, 409, again.text)
  assert.equal(await chargesOf(offer), 2)
  const meant = await show(`/offers/${offer}`, { ...hiddenIn(again), ...tickedIn(again), ...cardTyped(email) })
  assert.equal(meant.status, 303, meant.text)
  assert.equal(await chargesOf(offer), 3)
})

test('a yes that a decline came between does not cover what an email paid since', async () => {
  const { email, offer, mail } = await newlyLinked()
  const asked = await payOnPage(offer, email, { number: mastercard })
  const declined = { ...hiddenIn(asked), ...tickedIn(asked), ...cardTyped(email, testCardThat('card_declined').number) }
  const failed = await show(`/offers/${offer}`, declined)
  assert.equal(failed.status, 402, failed.text)
  assert.match(await sendMail(email, mail), /^250 /)
  await settled(offer)
  const again = await show(`/offers/${offer}`, { ...hiddenIn(failed), ...cardTyped(email) })
  assert.equal(again.status, 409, again.text)
  assert.equal(await chargesOf(offer), 2)
})

test('who buys again from the page of a payment is asked about the one that an email made meanwhile', async () => {
  const { email, offer } = await newInvoice()
  const page = await fetch(new URL(`/offers/${offer}`, world.service.baseUrl))
  const [cookie = ''] = page.headers.get('set-cookie')?.split(';') ?? []
  const visit = async (form?: Form) => {
    const sent = form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }
    const url = new URL(`/offers/${offer}`, world.service.baseUrl)
    const answer = await fetch(url, { redirect: 'manual', ...sent, headers: { cookie } })
    return { status: answer.status, text: await answer.text() }
  }
  assert.equal((await visit({ ...hiddenIn({ text: await page.text() }), ...cardTyped(email, visa) })).status, 303)
  const form = await visit(hiddenIn(await visit()))
  assert.match(form.text, /name="again"/)
  await sendMail(email, await shop.personalMail(offer, email))
  assert.deepEqual(await settled(offer), ['Web Successful', 'Email Successful'])
  assert.equal((await visit({ ...hiddenIn(form), ...cardTyped(email) })).status, 409)
  assert.equal(await chargesOf(offer), 2)
})

test('two browsers that were asked about the same payment: the second to say yes is asked about the first', async () => {
  const { email, offer } = await newInvoice()
  assert.equal((await payOnPage(offer, email)).status, 303)
  const asked = await Promise.all([visa, mastercard].map(number => payOnPage(offer, email, { number })))
  const said = asked.map(page => ({ ...hiddenIn(page), ...tickedIn(page), ...cardTyped(email) }))
  const paid: number[] = []
  for (const form of said) paid.push((await show(`/offers/${offer}`, form)).status)
  assert.deepEqual(paid, [303, 409])
  assert.equal(await chargesOf(offer), 2)
})

test('an email to the public address that is confirmed on the page uses the token as well', async () => {
  const { email, offer, mail } = await newInvoice()
  await sendSigned(world, email, shop.addressOf(offer), { text: 'I want it.' })
  assert.deepEqual(await settled(offer), ['Email Further Action Required'])
  await confirmByLink(world.relay, email)
  assert.deepEqual(await settled(offer), ['Email Successful'])
  assert.match(await sendMail(email, mail), /^550 /)
  assert.deepEqual([await settled(offer), await chargesOf(offer)], [['Email Successful'], 1])
  await audited(world.service.database.sql)
})

/** A sweep may wait for the table, too. */
const insertsThatWait = () =>
  world.service.database
    .sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
    and wait_event = 'relation' and query like '%insert into transaction%'`

/** Both stand before their first commit, and have looked at all else, before either is written. */
async function atOnce(first: () => Promise<unknown>, second: () => Promise<unknown>): Promise<unknown[]> {
  const { sql } = world.service.database
  return sql.begin(async scope => {
    await scope`set local idle_in_transaction_session_timeout = 0`
    await scope`lock table transaction in share mode`
    const one = first()
    await until('the first waits', async () => (await insertsThatWait()).length === 1)
    const two = second()
    await until('the second waits', async () => (await insertsThatWait()).length === 2)
    return [one, two]
  })
}

for (const isMailFirst of [true, false, true, false]) {
  test(`page and email at the same moment are one payment, ${isMailFirst ? 'email' : 'page'} first`, async () => {
    const { email, offer, mail } = await newInvoice()
    const byMail = () => sendMail(email, mail)
    // Another card than the email charges: nothing but the offer's token is common to them.
    // They have answered a question, but not about the email, which they could not be asked about yet.
    const again = `${randomUUID()}.${Date.now() - 60_000}`
    const onPage = () => payOnPage(offer, email, { number: mastercard, again }).then(({ status }) => status)
    const results = await Promise.all(await atOnce(isMailFirst ? byMail : onPage, isMailFirst ? onPage : byMail))
    const all = await settled(offer)
    assert.equal(await chargesOf(offer), 1, all.join())
    const [won, ...others] = all
    assert.deepEqual(others, [])
    assert.equal(results[isMailFirst ? 1 : 0], won === 'Web Successful' ? 303 : 409, won)
    await audited(world.service.database.sql)
  })
}

/** The words that its link fills in, without the token: what the public link of the offer asks for. */
const publicWords = ({ subject, text }: FilledMail) => ({ subject, text: text.replace(/@[^@]{60,}@/s, '').trim() })

async function revoke({ text }: FilledMail): Promise<void> {
  const [token] = /@[^@]{60,}@/.exec(text.replace(/\s/g, '')) ?? assert.fail(text)
  answered(await shop.rest.ask('tokens/revocations', { form: { token } }), 200)
}

/** While emails to public addresses charge at once. */
async function chargingPublicMails(work: () => Promise<void>): Promise<void> {
  const set = (on: boolean) =>
    shop.rest
      .ask('mail_settings', { method: 'PATCH', json: { public_charge_at_once: on } })
      .then(it => answered(it, 200))
  await set(true)
  await work().finally(() => set(false))
}

for (const other of ['public', 'personal'] as const) {
  test(`an email to the public address that charges at once, and a ${other} one at the same moment, are one payment`, () =>
    chargingPublicMails(async () => {
      const { email, offer, mail } = await newInvoice()
      const toPublic = () => sendSigned(world, email, shop.addressOf(offer), publicWords(mail))
      await Promise.all(await atOnce(toPublic, other === 'public' ? toPublic : () => sendMail(email, mail)))
      assert.deepEqual((await settled(offer)).sort(), ['Email Further Action Required', 'Email Successful'])
      assert.equal(await chargesOf(offer), 1)
      await audited(world.service.database.sql)
    }))
}

for (const isMailFirst of [true, false]) {
  test(`no token is left: page and public email at the same moment are one payment, ${isMailFirst ? 'email' : 'page'} first`, () =>
    chargingPublicMails(async () => {
      const { email, offer, mail } = await newInvoice()
      await revoke(mail)
      const byMail = () => sendSigned(world, email, shop.addressOf(offer), publicWords(mail))
      const onPage = () => payOnPage(offer, email, { number: mastercard }).then(({ status }) => status)
      const results = await Promise.all(await atOnce(isMailFirst ? byMail : onPage, isMailFirst ? onPage : byMail))
      const all = await settled(offer)
      assert.equal(await chargesOf(offer), 1, all.join())
      assert.equal(results[isMailFirst ? 1 : 0], all.includes('Web Successful') ? 303 : 409, all.join())
      await audited(world.service.database.sql)
    }))
}

test('two browsers with two cards at the same moment: one pays, the other is asked', async () => {
  const { email, offer } = await newInvoice()
  const paid = await Promise.all([visa, mastercard].map(number => payOnPage(offer, email, { number })))
  assert.deepEqual(paid.map(({ status }) => status).sort(), [303, 409])
  assert.equal(await chargesOf(offer), 1)
})

test('an offer for everybody: a card that paid by email a moment ago is asked about on the page, another is not', async () => {
  const email = `invoiced-${++customers}@example.org`
  await shop.newCard(email)
  const offer = await shop.newOffer()
  await sendMail(email, await shop.personalMail(offer, email))
  assert.deepEqual(await settled(offer), ['Email Successful'])
  const asked = await payOnPage(offer, email)
  assert.equal(asked.status, 409)
  assert.match(asked.text, /This card paid for the same thing a moment ago/)
  assert.equal((await payOnPage(offer, email, { number: mastercard })).status, 303)
})

/** `location`: where the page sent them. */
async function sayYesAtBank(location: string | null): Promise<void> {
  const bank = await pressButton(new URL(location ?? assert.fail(), world.service.baseUrl).href)
  const body = new URLSearchParams({ result: 'pass' })
  const said = await fetch(bank, { method: 'POST', body, headers: { origin: new URL(bank).origin } })
  assert.equal(said.status, 200)
}

/** An offer for everybody, and a customer with a card. */
async function newBuyer() {
  const email = `buyer-${++customers}@example.org`
  await shop.newCard(email)
  return { email, offer: await shop.newOffer() }
}

const askByEmail = async (email: string, offer: string) => {
  assert.match(await sendSigned(world, email, shop.addressOf(offer), { text: 'I want it.' }), /^250 /)
  await settled(offer)
}

test('an email that was confirmed long after it was sent was paid when it was confirmed: the page asks about its card', async () => {
  const { email, offer } = await newBuyer()
  await askByEmail(email, offer)
  await passMinutes(11)
  await confirmByLink(world.relay, email)
  assert.deepEqual(await settled(offer), ['Email Successful'])
  const asked = await payOnPage(offer, email)
  assert.equal(asked.status, 409)
  assert.match(asked.text, /This card paid for the same thing a moment ago/)
  assert.equal(await chargesOf(offer), 1)
  await passMinutes(11)
  assert.equal((await payOnPage(offer, email)).status, 303)
})

test('of two emails that are confirmed one after the other, long after they were sent, the second is asked about', async () => {
  const { email, offer } = await newBuyer()
  const links: string[] = []
  for (const count of [1, 2]) {
    await askByEmail(email, offer)
    links.push(await confirmationLink(world.relay, email, count))
  }
  await passMinutes(11)
  const pressed: number[] = []
  for (const link of links) pressed.push((await (await openLink(link)).press()).status)
  assert.deepEqual(pressed, [303, 409])
  assert.equal(await chargesOf(offer), 1)
})

test('a payment that waits at the bank is asked about, and once more after it was confirmed there', async () => {
  const { email, offer } = await newBuyer()
  const { location } = await payOnPage(offer, email, { number: secured })
  await passMinutes(11)
  assert.equal((await payOnPage(offer, email, { number: secured })).status, 409, 'while it waits')
  await sayYesAtBank(location)
  assert.deepEqual(await settled(offer), ['Web Successful'])
  assert.equal((await payOnPage(offer, email, { number: secured })).status, 409, 'after it')
})

test('an email with a link is confirmed first, where a payment that waited at the bank was made seconds after the link was', async () => {
  const { email, offer, mail: own } = await newInvoice()
  await revoke(own)
  const { location } = await payOnPage(offer, email, { number: secured })
  await passSeconds(2)
  const mail = await shop.personalMail(offer, email)
  await passSeconds(20)
  await sayYesAtBank(location)
  assert.deepEqual(await settled(offer), ['Web Successful'])
  assert.match(await sendMail(email, mail), /^250 /)
  assert.deepEqual(await settled(offer), ['Web Successful', 'Email Further Action Required'])
  assert.equal(await chargesOf(offer), 1)
})

test('an email with a link is confirmed first, where an older email was paid after the link was made', async () => {
  const { email, offer, mail: own } = await newInvoice()
  await askByEmail(email, offer)
  await revoke(own)
  await passMinutes(1)
  const mail = await shop.personalMail(offer, email)
  await passMinutes(1)
  assert.equal((await payOnPage(offer, email, { number: secured })).status, 303, 'it has the token while it waits')
  const asked = await (await openLink(await confirmationLink(world.relay, email))).press()
  const question = { text: await asked.text() }
  const typed = { email, first_name: 'Ada', number: mastercard, expiry: '12/40', cvc: '987', card: 'new' }
  const paid = await show(`/offers/${offer}`, { ...hiddenIn(question), ...tickedIn(question), ...typed })
  assert.equal(paid.status, 303, paid.text)
  await expire(offer)
  assert.deepEqual(await settled(offer), ['Email Successful', 'Web Failed'])
  assert.match(await sendMail(email, mail), /^250 /)
  assert.deepEqual(await settled(offer), ['Email Successful', 'Web Failed', 'Email Further Action Required'])
})
