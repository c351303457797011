// A payment by email that its customer has to confirm: only the button behind the link that was mailed to them pays, once.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { confirmationLink, confirmByLink, openLink } from './support/confirm.ts'
import { paymentsOf } from './support/customer.ts'
import { read } from './support/mail-relay.ts'
import { type MailWorld, mailDomain, mailsTo, type Shop, sendSigned, startMailWorld } from './support/mail-world.ts'
import { until } from './support/until.ts'

let world: MailWorld
let shop: Shop
before(async () => {
  world = await startMailWorld()
  shop = await world.newShop()
})
after(() => world.stop())

let customers = 0

interface Asked {
  readonly email: string
  readonly card: string
  readonly offer: string
  readonly id: string
  /** The link in the newest mail to the customer. */
  readonly link: string
}

/** A customer with a card wrote to the public address of an offer. */
async function asks(some: { readonly [name: string]: string | number } = {}): Promise<Asked> {
  customers += 1
  const email = `confirms-${customers}@example.org`
  const card = await shop.newCard(email)
  const offer = await shop.newOffer({ stock: 5, ...some })
  assert.match(await sendSigned(world, email, shop.addressOf(offer), { text: 'I want it.' }), /^250 /)
  const link = await confirmationLink(world.relay, email)
  const [{ id }] = (await shop.rest.ask(`transactions?email=${email}`)).json
  return { email, card, offer, id, link }
}

async function statusOf({ id }: Asked): Promise<string> {
  return (await shop.rest.ask(`transactions/${id}`)).json.transaction.status
}

async function stockOf({ offer }: Asked): Promise<number> {
  return (await shop.rest.ask(`offers/${offer}`)).json.offer.stock
}

async function hooksOf({ id }: Asked): Promise<string[]> {
  const { sql } = world.service.database
  const rows = await sql<{ kind: string }[]>`select kind from event where transaction_id = ${id} order by at, id`
  return rows.map(({ kind }) => kind)
}

test('the customer is told plainly who is to be paid, how much, for what, and with which card', async () => {
  const asked = await asks()
  const [mail] = await mailsTo(world, asked.email, 1)
  const { fields, body } = read(mail ?? assert.fail())
  assert.deepEqual(fields.get('subject'), ['Please confirm your payment to Another'])
  for (const said of [
    'Another',
    '$100.00',
    'Brass bell',
    'Visa ending in 1111',
    'If you did not want to pay, do nothing.',
  ])
    assert.ok(body.includes(said), `${said} in ${body}`)
  const page = await openLink(asked.link)
  for (const said of [
    'Another',
    '$100.00',
    'Brass bell',
    'Visa ending in 1111',
    'If you did not want to pay, or this is not your email address, do nothing',
  ])
    assert.ok(page.text.includes(said), said)
})

test('one press pays, resuming the same transaction; stock is taken then, and not before', async () => {
  const asked = await asks()
  assert.deepEqual([await statusOf(asked), await stockOf(asked)], ['Further Action Required', 5])
  assert.equal(await confirmByLink(world.relay, asked.email), `/offers/${asked.offer}?transaction=${asked.id}`)
  assert.deepEqual([await statusOf(asked), await stockOf(asked)], ['Successful', 4])
  assert.deepEqual(await hooksOf(asked), ['far', 'transaction'])
  assert.deepEqual(await paymentsOf(world.service, asked.offer), { statuses: ['Successful'], charges: 1 })
})

test('a scanner that opens the link by GET and HEAD changes nothing, and does not use it up', async () => {
  const asked = await asks()
  for (const method of ['GET', 'HEAD', 'GET', 'HEAD'])
    assert.equal((await fetch(asked.link, { method, redirect: 'manual' })).status, 200)
  assert.equal(await statusOf(asked), 'Further Action Required')
  assert.deepEqual(await paymentsOf(world.service, asked.offer), { statuses: ['Further Action Required'], charges: 0 })
  await confirmByLink(world.relay, asked.email)
  assert.equal(await statusOf(asked), 'Successful')
})

test('a POST that does not come from the page pays nothing', async () => {
  const asked = await asks()
  const { pathname, searchParams } = new URL(asked.link)
  const action = new URL(`${pathname}/proofs/${searchParams.get('proof')}`, asked.link)
  const forged = await fetch(action, { method: 'POST', body: new URLSearchParams({ card: asked.card }) })
  assert.equal(forged.status, 403)
  assert.equal(await statusOf(asked), 'Further Action Required')
})

test('pressed twice, and from two tabs at the same time, it is one charge', async () => {
  const asked = await asks()
  const tabs = await Promise.all([openLink(asked.link), openLink(asked.link)])
  const pressed = await Promise.all(tabs.flatMap(tab => [tab.press(), tab.press(), tab.press()]))
  const paid = `/offers/${asked.offer}?transaction=${asked.id}`
  for (const answer of pressed)
    assert.ok(answer.headers.get('location') === paid || answer.status === 410, String(answer.status))
  assert.ok(pressed.some(answer => answer.headers.get('location') === paid))
  assert.deepEqual(await paymentsOf(world.service, asked.offer), { statuses: ['Successful'], charges: 1 })
  assert.equal(await stockOf(asked), 4)
})

test('over the limits for email, the press is the customer’s permission for this one payment', async () => {
  const asked = await asks({ amount: '5000.00' })
  await confirmByLink(world.relay, asked.email)
  assert.equal(await statusOf(asked), 'Successful')
})

test('after the offer has ended the link charges nothing, opened before or after', async () => {
  const asked = await asks()
  const open = await openLink(asked.link)
  await shop.rest.ask(`offers/${asked.offer}`, { method: 'DELETE' })
  assert.equal((await openLink(asked.link)).status, 410)
  assert.equal((await open.press()).status, 410)
  const { sql } = world.service.database
  const expired = await asks()
  const openBefore = await openLink(expired.link)
  await sql`update offer set expires_at = now() - interval '1 second' where id = ${expired.offer}`
  assert.equal((await openLink(expired.link)).status, 410)
  assert.equal((await openBefore.press()).status, 410)
  for (const each of [asked, expired])
    assert.deepEqual(await paymentsOf(world.service, each.offer), { statuses: ['Further Action Required'], charges: 0 })
})

test('after the card was removed the link charges nothing, opened before or after', async () => {
  const asked = await asks()
  const open = await openLink(asked.link)
  assert.equal((await shop.rest.ask(`credit_cards/${asked.card}`, { method: 'DELETE' })).status, 200)
  assert.doesNotMatch((await openLink(asked.link)).text, /1111|Confirm and pay/)
  assert.equal((await open.press()).status, 422)
  assert.deepEqual(await paymentsOf(world.service, asked.offer), { statuses: ['Further Action Required'], charges: 0 })
})

test('no web link in the hook or the record charges a stored card: it opens the page without proof', async () => {
  const asked = await asks()
  const { transaction } = (await shop.rest.ask(`transactions/${asked.id}`)).json
  const { signup_url, mail_to } = transaction.further_action
  assert.equal(mail_to, null)
  const page = await openLink(signup_url)
  assert.equal(page.status, 200)
  assert.doesNotMatch(page.text, /ending in 1111|Confirm and pay/)
  const [event] = await world.service.database.sql<{ details: string }[]>`select details from event
    where transaction_id = ${asked.id} and kind = 'far'`
  assert.doesNotMatch(event?.details ?? '', /proof=/)
})

test('a proven sender is answered each time: three emails within a minute are three links', async () => {
  const asked = await asks()
  for (const count of [2, 3]) {
    assert.match(await sendSigned(world, asked.email, shop.addressOf(asked.offer), { text: 'Again.' }), /^250 /)
    await confirmationLink(world.relay, asked.email, count)
  }
  assert.deepEqual((await paymentsOf(world.service, asked.offer)).charges, 0)
})

test('a public token pays once for each customer: the second payment that waits for the same one is refused, and says so', async () => {
  customers += 1
  const email = `confirms-${customers}@example.org`
  await shop.newCard(email)
  const offer = await shop.newOffer()
  const { sql } = world.service.database
  const [row] = await sql<{ content: string }[]>`select token_content as content from offer where id = ${offer}`
  const links: string[] = []
  for (const count of [1, 2]) {
    assert.match(await sendSigned(world, email, `transaction@${mailDomain}`, { text: row?.content ?? '' }), /^250 /)
    links.push(await confirmationLink(world.relay, email, count))
  }
  const [first, second] = await Promise.all(links.map(openLink))
  assert.equal((await first?.press())?.status, 303)
  const refused = await second?.press()
  assert.equal(refused?.status, 410, await refused?.text())
  assert.equal((await paymentsOf(world.service, offer)).charges, 1)
})

test('a token for one card is confirmed with that card', async () => {
  const { demo, demoSheet } = world.service
  const { createToken } = await import('@tillbell/sdk/token')
  const email = 'two-cards@example.org'
  const own = await demo.storeCard('5555555555554444', { email })
  await demo.storeCard('4111111111111111', { email })
  const text = createToken({
    partnerId: Number(demoSheet.partner_id),
    privateKey: demoSheet.private_key,
    servicePublicKey: String(demoSheet.service_public_key),
    target: { card: own },
    amount: '20.00',
  })
  assert.match(await sendSigned(world, email, `transaction@${mailDomain}`, { text }), /^250 /)
  const { sql } = world.service.database
  const linkOf = async () => {
    const [mail] = await sql<{ text: string }[]>`select text from inbox_mail where to_address = ${email}`
    return /http\S+\?proof=[\w-]{43}/.exec(mail?.text ?? '')?.[0] ?? null
  }
  await until('the link is there', async () => (await linkOf()) !== null)
  const page = await openLink((await linkOf()) ?? assert.fail())
  assert.match(page.text, /Mastercard ending in 4444/)
  assert.doesNotMatch(page.text, /1111/)
})
