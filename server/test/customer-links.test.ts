// POST offers/{id}/links: a link with which one customer pays an offer by email at once, and nobody else.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createToken, paymentMail } from '@tillbell/sdk'
import type { MerchantId } from '../src/core/ids.ts'
import { testCardThat } from '../src/gateways/sandbox/test-cards.ts'
import type { Scope } from '../src/store/database.ts'
import { forgetAddress } from '../src/store/erasure.ts'
import { filledBy, type MailWorld, mailDomain, type Shop, sendSigned, startMailWorld } from './support/mail-world.ts'
import { until } from './support/until.ts'
import { whileHeld } from './support/while-held.ts'

let world: MailWorld
let shop: Shop
before(async () => {
  world = await startMailWorld()
  shop = await world.newShop()
})
after(() => world.stop())

let customers = 0
async function newCustomer(): Promise<string> {
  customers += 1
  const email = `linked-${customers}@example.org`
  await shop.newCard(email)
  return email
}

const askLink = (offer: string, email: string) => shop.rest.ask(`offers/${offer}/links`, { form: { email } })

async function linkOf(offer: string, email: string) {
  const { status, text, json } = await askLink(offer, email)
  assert.equal(status, 200, text)
  return json.link
}

/** Presses send. */
async function sendLink(email: string, mailTo: string): Promise<string> {
  const { to, ...words } = filledBy(mailTo)
  return sendSigned(world, email, to, words)
}

async function statusesOf(email: string, count: number): Promise<string[]> {
  const ask = async (): Promise<{ status: string }[]> => (await shop.rest.ask(`transactions?email=${email}`)).json
  await until(
    `${count} settled`,
    async () => (await ask()).filter(({ status }) => status !== 'Processing').length >= count,
  )
  return (await ask()).map(({ status }) => status)
}

test('the link opens an email to the address of tokens, and sending it pays at once', async () => {
  const email = await newCustomer()
  const offer = await shop.newOffer({ stock: 3 })
  const link = await linkOf(offer, email.toUpperCase())
  assert.deepEqual([link.offer, link.email, link.expires_at], [offer, email, null])
  const { to, text } = filledBy(link.mail_to)
  assert.equal(to, `transaction@${mailDomain}`)
  assert.ok(text.includes(link.token))
  assert.ok(link.button_html.includes(link.mail_to.replaceAll('&', '&amp;')))
  assert.match(await sendLink(email, link.mail_to), /^250 /)
  assert.deepEqual(await statusesOf(email, 1), ['Successful'])
  assert.equal((await shop.rest.ask(`offers/${offer}`)).json.offer.stock, 2)
})

test('the same offer and customer have the same token until it is used or revoked', async () => {
  const email = await newCustomer()
  const offer = await shop.newOffer()
  const links = await Promise.all(Array.from({ length: 8 }, () => linkOf(offer, email)))
  assert.equal(new Set(links.map(({ token }) => token)).size, 1, 'also of requests at the same time')
  const first = links[0]
  assert.notEqual((await linkOf(offer, await newCustomer())).token, first.token)
  assert.match(await sendLink(email, first.mail_to), /^250 /)
  assert.deepEqual(await statusesOf(email, 1), ['Successful'])
  assert.match(await sendLink(email, first.mail_to), /^550 /, 'it pays once')
  const second = await linkOf(offer, email)
  assert.notEqual(second.token, first.token)
  const revoked = await shop.rest.ask('tokens/revocations', { form: { token: second.token } })
  assert.equal(revoked.status, 200)
  assert.notEqual((await linkOf(offer, email)).token, second.token)
  assert.equal((await shop.rest.ask(`offers/${offer}`)).json.offer.active, true, 'the offer is not ended with it')
})

const stateOf = async (token: string): Promise<string> =>
  (await shop.rest.ask('tokens/inspections', { form: { token } })).json.token.state

const paymentsOf = async (email: string): Promise<{ id: string; status: string }[]> =>
  (await shop.rest.ask(`transactions?email=${email}`)).json

/** The customer does not finish the step of the bank, and comes back to the page. */
async function failBankStep(email: string, offer: string): Promise<void> {
  const { sql } = world.service.database
  const { baseUrl } = world.service
  const [{ id } = { id: '' }] = await paymentsOf(email)
  const [operation] = await sql`select id, gateway_id from operation where transaction_id = ${id}`
  const page = `${baseUrl}/offers/${offer}?transaction=${id}`
  const bank = `${baseUrl}/sandbox/challenges/${operation?.gatewayId}/${operation?.id}?return=${encodeURIComponent(page)}`
  const body = new URLSearchParams({ result: 'fail' })
  assert.equal((await fetch(bank, { method: 'POST', redirect: 'manual', body })).status, 303)
  await fetch(`${page}&returned=1`)
  assert.deepEqual(await statusesOf(email, 1), ['Failed'])
}

const bankStepCard = '4000001000016006'

test('while a payment with the link waits at the bank, the customer has the same link; if it fails, that link pays, once', async () => {
  const email = 'at-the-bank@example.org'
  await shop.newCard(email, bankStepCard)
  const offer = await shop.newOffer()
  const first = await linkOf(offer, email)
  assert.match(await sendLink(email, first.mail_to), /^250 /)
  assert.deepEqual(await statusesOf(email, 1), ['Further Action Required'])
  assert.equal((await linkOf(offer, email)).token, first.token, 'a reminder has no second way to pay')
  await failBankStep(email, offer)
  await shop.newCard(email)
  assert.match(await sendLink(email, first.mail_to), /^250 /)
  assert.deepEqual(await statusesOf(email, 2), ['Successful', 'Failed'])
  assert.match(await sendLink(email, first.mail_to), /^550 /)
})

for (const [name, card, more] of [
  ['waits at the bank', bankStepCard, {}],
  ['is in doubt', testCardThat('time_out_after').number, {}],
  ['is only authorized', undefined, { authorization_only: 'true' }],
] as const) {
  for (const isOwn of [false, true]) {
    test(`a revoked ${isOwn ? 'own token' : 'link'} whose payment ${name} has no successor until that payment is over`, async () => {
      customers += 1
      const email = `revoked-${customers}@example.org`
      await shop.newCard(email, card)
      const offer = await shop.newOffer({ ...more, ...(isOwn && { email }) })
      const first = await linkOf(offer, email)
      assert.match(await sendLink(email, first.mail_to), /^250 /)
      await until(
        'it is under way',
        async () =>
          (
            await world.service.database.sql`select from operation p
        join transaction t on t.id = p.transaction_id where t.offer_id = ${offer}`
          ).length === 1,
      )
      const [payment] = await paymentsOf(email)
      assert.equal((await shop.rest.ask('tokens/revocations', { form: { token: first.token } })).status, 200)
      const refused = await askLink(offer, email)
      assert.equal(refused.status, 409, refused.text)
      assert.equal(
        refused.json.errors.general,
        `Transaction ${payment?.id}, paid with an earlier link of this customer, is still open. Make a new link when it has failed or was voided.`,
      )
      if (name !== 'is only authorized') return
      assert.equal((await shop.rest.ask(`transactions/${payment?.id}/void`, { method: 'POST' })).status, 200)
      assert.notEqual((await linkOf(offer, email)).token, first.token)
    })
  }
}

for (const kind of ['a link of an offer for everybody', 'the own token of an offer for one customer']) {
  test(`${kind} stays the same one while its payment is only authorized, and a successful payment ends it for good`, async () => {
    const email = await newCustomer()
    const isOwn = kind.startsWith('the own')
    const offer = await shop.newOffer({ authorization_only: 'true', ...(isOwn && { email }) })
    const first = await linkOf(offer, email)
    assert.match(await sendLink(email, first.mail_to), /^250 /)
    assert.deepEqual(await statusesOf(email, 1), ['Authorized'])
    assert.equal((await linkOf(offer, email)).token, first.token)
    const [{ id } = { id: '' }] = await paymentsOf(email)
    assert.equal((await shop.rest.ask(`transactions/${id}/void`, { method: 'POST' })).status, 200)
    assert.equal((await linkOf(offer, email)).token, first.token)
    assert.match(await sendLink(email, first.mail_to), /^250 /)
    assert.deepEqual(await statusesOf(email, 2), ['Authorized', 'Voided'])
    const [{ id: next } = { id: '' }] = await paymentsOf(email)
    assert.equal((await shop.rest.ask(`transactions/${next}/capture`, { method: 'POST' })).status, 200)
    assert.equal(await stateOf(first.token), 'used')

    const second = await linkOf(offer, email)
    assert.notEqual(second.token, first.token)
    assert.deepEqual([await stateOf(first.token), await stateOf(second.token)], ['revoked', 'open'])
    assert.equal((await linkOf(offer, email)).token, second.token)
    if (isOwn) {
      const { sql } = world.service.database
      const [row] = await sql`select token_content from offer where id = ${offer}`
      assert.equal(row?.tokenContent, first.token, 'hooks name the token that the offer was made with')
    }
  })
}

test('the link of one customer charges nobody else, however proven', async () => {
  const [ada, bob] = [await newCustomer(), await newCustomer()]
  const offer = await shop.newOffer()
  const { mail_to } = await linkOf(offer, ada)
  assert.match(await sendLink(bob, mail_to), /^250 /)
  assert.deepEqual(await statusesOf(bob, 1), ['Failed'])
  assert.match(await sendLink(ada, mail_to), /^250 /)
  assert.deepEqual(await statusesOf(ada, 1), ['Successful'])
})

test('an offer for one customer has that customer’s token in its own mail_to, and in its link', async () => {
  const email = await newCustomer()
  const offer = await shop.newOffer({ email })
  const { mail_to, button_html } = (await shop.rest.ask(`offers/${offer}`)).json.offer
  const link = await linkOf(offer, email)
  assert.equal(link.mail_to, mail_to)
  assert.ok(button_html.includes(mail_to.replaceAll('&', '&amp;')))
  assert.match(await sendLink(email, mail_to), /^250 /)
  assert.deepEqual(await statusesOf(email, 1), ['Successful'])
})

test('a public offer has its public address in mail_to', async () => {
  const offer = await shop.newOffer()
  const { mail_to } = (await shop.rest.ask(`offers/${offer}`)).json.offer
  assert.equal(filledBy(mail_to).to, shop.addressOf(offer))
})

test('what cannot be paid by link is refused, by the field', async () => {
  const email = await newCustomer()
  const refused = async (some: { readonly [name: string]: string | number }, to = email) => {
    const { status, json } = await askLink(await shop.newOffer(some), to)
    return [status, json.link, json.errors]
  }
  const wrong = (errors: object) => [422, null, errors]
  const other = { email: 'email is not the customer whom this offer is for.' }
  assert.deepEqual(await refused({ email: 'another@example.org' }), wrong(other))
  assert.deepEqual(await refused({ stock: 0 }), wrong({ offer: 'offer is used up: not enough units are left.' }))
  assert.deepEqual(await refused({ expires_at: '2020-01-01T00:00:00Z' }), wrong({ offer: 'offer has expired.' }))
  const large = { offer: 'offer is too large for a token: its amount must be below 100000.00 USD.' }
  assert.deepEqual(await refused({ amount: '100000.00' }), wrong(large))
  assert.deepEqual(await refused({}, 'nobody'), wrong({ email: 'email must be an email address.' }))
  const ended = await shop.newOffer()
  await shop.rest.ask(`offers/${ended}`, { method: 'DELETE' })
  assert.equal((await askLink(ended, email)).status, 422)
  assert.equal((await askLink('0199a000-0000-7000-8000-000000000000', email)).status, 404)
  const stranger = await world.newShop()
  assert.equal((await askLink(await stranger.newOffer(), email)).status, 404)
  assert.equal((await shop.rest.ask(`offers/${await shop.newOffer()}/links`, { form: {} })).status, 422)
})

test('a repeated key gets the same answer; another customer under it is refused', async () => {
  const [email, other] = [await newCustomer(), await newCustomer()]
  const offer = await shop.newOffer()
  const ask = (to: string) =>
    shop.rest.ask(`offers/${offer}/links`, { form: { email: to }, headers: { 'idempotency-key': `link-${offer}` } })
  const [first, again] = [await ask(email), await ask(email)]
  assert.deepEqual([again.text, again.headers['idempotent-replayed']], [first.text, 'true'])
  assert.equal((await ask(other)).status, 422)
  await shop.rest.ask(`offers/${offer}`, { method: 'DELETE' })
  assert.equal((await ask(email)).text, first.text, 'also when the offer has ended')
})

test('a personal token is on no page, in no QR code, and in no answer to a registration', async () => {
  const email = await newCustomer()
  const offer = await shop.newOffer({ email })
  const { token } = await linkOf(offer, email)
  const { demoSheet } = world.service
  const offline = createToken({
    partnerId: Number(demoSheet.partner_id),
    privateKey: demoSheet.private_key,
    servicePublicKey: String(demoSheet.service_public_key),
    target: { email },
    amount: '20.00',
  })
  const { baseUrl } = world.service
  const body = new URLSearchParams({ token: offline })
  const registered = await fetch(`${baseUrl}/token/registrations`, { method: 'POST', body })
  const answer = await registered.text()
  const shown = [answer, await (await fetch(JSON.parse(answer).url)).text()]
  for (const path of [`offers/${offer}`, `offers/${offer}?email=${email}`, `offers/${offer}.svg`])
    shown.push(await (await fetch(`${baseUrl}/${path}`)).text())
  for (const text of shown) {
    for (const content of [token, offline]) assert.ok(!text.includes(content.slice(1, 60)), text)
    assert.doesNotMatch(text, /mailto:transaction/)
  }
})

test('a link that is asked for while its customer is erased is refused, and the address is not written again', async () => {
  const email = 'erased-meanwhile@example.org'
  const { sql } = world.service.database
  const offer = await shop.newOffer({ email })
  await sql`update token set revoked_at = now() where offer_id = ${offer}` // so that a new one is made
  const [owner] = await sql<{ merchantId: MerchantId }[]>`select merchant_id from offer where id = ${offer}`
  assert.ok(owner !== undefined)
  const erase = (scope: Scope) => forgetAddress(scope, owner.merchantId, email, new Date())
  const { status, json } = await whileHeld(sql, erase, () => askLink(offer, email))
  assert.deepEqual([status, json.errors], [422, { offer: 'offer is not active any more.' }])
  assert.equal((await sql`select from offer_link where email = ${email}`).length, 0)
})

test('an erased customer’s links are forgotten, and their tokens pay nothing', async () => {
  const email = await newCustomer()
  const offer = await shop.newOffer()
  const { mail_to, token } = await linkOf(offer, email)
  assert.equal((await shop.rest.ask('customers/erasures', { form: { email } })).status, 200)
  const { sql } = world.service.database
  assert.equal((await sql`select from offer_link where email = ${email}`).length, 0)
  assert.match(await sendLink(email, mail_to), /^550 /)
  const kept = await sql`select from idempotency_key where strpos(answer, ${token}) > 0`
  assert.equal(kept.length, 0)
})

test('a link whose payment waits at the bank pays nothing once its customer is erased, also when the payment fails later', async () => {
  const email = 'erased-at-the-bank@example.org'
  await shop.newCard(email, bankStepCard)
  const offer = await shop.newOffer()
  const first = await linkOf(offer, email)
  assert.match(await sendLink(email, first.mail_to), /^250 /)
  assert.deepEqual(await statusesOf(email, 1), ['Further Action Required'])
  const reminder = await linkOf(offer, email)
  const { sql } = world.service.database
  const [sale] = await sql`select t.id, p.id as operation, p.gateway_id from transaction t
    join operation p on p.transaction_id = t.id where t.offer_id = ${offer}`
  assert.equal((await shop.rest.ask('customers/erasures', { form: { email } })).status, 200)
  const { baseUrl } = world.service
  const page = `${baseUrl}/offers/${offer}?transaction=${sale?.id}`
  const bank = `${baseUrl}/sandbox/challenges/${sale?.gatewayId}/${sale?.operation}?return=${encodeURIComponent(page)}`
  await fetch(bank, { method: 'POST', redirect: 'manual', body: new URLSearchParams({ result: 'fail' }) })
  await fetch(`${page}&returned=1`)
  await until(
    'failed',
    async () => (await shop.rest.ask(`transactions/${sale?.id}`)).json.transaction.status === 'Failed',
  )
  await shop.newCard(email)
  for (const { token, mail_to } of [first, reminder]) {
    assert.equal(await stateOf(token), 'revoked')
    assert.match(await sendLink(email, mail_to), /^550 /)
  }
})

test('a link of an address that was never a customer’s is forgotten with it, and so is the kept answer of its key', async () => {
  const email = 'never-a-customer@example.org'
  const offer = await shop.newOffer()
  const asked = { form: { email }, headers: { 'idempotency-key': `erased-${offer}` } }
  const { token } = (await shop.rest.ask(`offers/${offer}/links`, asked)).json.link
  assert.equal((await shop.rest.ask('customers/erasures', { form: { email } })).status, 200)
  const again = await shop.rest.ask(`offers/${offer}/links`, asked)
  assert.ok(!again.text.includes(token) && !again.text.includes(email), again.text)
})

test('the sdk writes the same email for a token that was made offline', async () => {
  const { demo, demoSheet } = world.service
  const email = 'offline@example.org'
  await demo.storeCard('4111111111111111', { email })
  const token = createToken({
    partnerId: Number(demoSheet.partner_id),
    privateKey: demoSheet.private_key,
    servicePublicKey: String(demoSheet.service_public_key),
    target: { email },
    amount: '20.50',
    userData: { item_name: 'Silver bell & “clapper”' },
  })
  const said = { merchant: 'Demo', amount: '20.5', currency: 'USD', title: 'Silver bell & “clapper”' }
  const { to, subject, text } = paymentMail({ ...said, mailDomain, token })
  const encoded = `=?utf-8?B?${Buffer.from(subject).toString('base64')}?=`
  assert.match(await sendSigned(world, email, to, { subject: encoded, text }), /^250 /)
  await until('paid', async () => {
    const [sale] = (await demo.ask(`transactions?email=${email}`)).json
    return sale?.status === 'Successful'
  })
})

const settings = (json: object) => shop.rest.ask('mail_settings', { method: 'PATCH', json })

test('a merchant may list sentences of their own, and turn charging at once off and on', async () => {
  const plain = (await shop.rest.ask('mail_settings')).json.mail_settings
  const { public_charge_at_once, personal_charge_at_once, sentences } = plain
  assert.deepEqual([public_charge_at_once, personal_charge_at_once, sentences], [false, true, []])
  for (const wrong of [[''], ['  '], ['x'.repeat(501)], Array(21).fill('x'), [1], 'no list', ['\0'], { a: 1 }]) {
    const { status, json } = await settings({ sentences: wrong })
    assert.equal(status, 422, JSON.stringify(wrong))
    assert.match(json.errors.sentences, /^sentences /)
  }
  const changed = await settings({ sentences: ['Yes,  I pay.', 'Ja, ich zahle.'] })
  assert.deepEqual(changed.json.mail_settings.sentences, ['Yes,  I pay.', 'Ja, ich zahle.'])
  const says = async (text: (token: string) => string) => {
    const email = await newCustomer()
    const { token } = await linkOf(await shop.newOffer(), email)
    assert.match(await sendSigned(world, email, `transaction@${mailDomain}`, { text: text(token) }), /^250 /)
    return (await statusesOf(email, 1))[0]
  }
  assert.equal(await says(token => `Yes, I\npay. ${token}`), 'Successful')
  assert.equal(await says(token => `No, I\npay. ${token}`), 'Further Action Required')
  await settings({ personal_charge_at_once: false })
  assert.equal(await says(token => `Yes, I\npay. ${token}`), 'Further Action Required')
  await settings({ personal_charge_at_once: true, sentences: [] })
})

test('public addresses charge at once only where the merchant wants that, and the words are those of the link', async () => {
  await settings({ public_charge_at_once: true })
  const sends = async (change: (text: string) => string) => {
    const email = await newCustomer()
    const offer = await shop.newOffer()
    const { to, subject, text } = filledBy((await shop.rest.ask(`offers/${offer}`)).json.offer.mail_to)
    assert.match(await sendSigned(world, email, to, { subject, text: change(text) }), /^250 /)
    return (await statusesOf(email, 1))[0]
  }
  assert.equal(await sends(text => text), 'Successful')
  assert.equal(await sends(text => `${text}\nNo!`), 'Further Action Required')
  assert.equal(await sends(() => ''), 'Further Action Required')
  await settings({ public_charge_at_once: false })
  assert.equal(await sends(text => text), 'Further Action Required')
})
