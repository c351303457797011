// A customer sends a mail, and has paid; or gets one clear mail about what is missing. Over real SMTP, signed with keys that
// stand in a real DNS, to a merchant whose application is told by hooks.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createToken, paymentMail } from '@tillbell/sdk'
import { answered } from './support/answers.ts'
import { audited } from './support/audited.ts'
import { confirmationLink, confirmByLink } from './support/confirm.ts'
import { read } from './support/mail-relay.ts'
import {
  filledBy,
  type MailWorld,
  mailDomain,
  mailsTo,
  type Shop,
  sendPersonal,
  sendSigned,
  startMailWorld,
} from './support/mail-world.ts'
import { send, sign, write } from './support/mailbox.ts'
import { until } from './support/until.ts'

let world: MailWorld
let shop: Shop
before(async () => {
  world = await startMailWorld()
  shop = await world.newShop()
})
after(() => world.stop())

let customers = 0
const newCustomer = () => {
  customers += 1
  return `customer-${customers}@example.org`
}

/** The kinds of hooks that a transaction has owed, in order. */
async function hooksOf(transaction: string): Promise<string[]> {
  const { sql } = world.service.database
  const rows = await sql<
    { kind: string }[]
  >`select kind from event where transaction_id = ${transaction} order by at, id`
  return rows.map(({ kind }) => kind)
}

async function verdictOf(transaction: string) {
  const { json } = await shop.rest.ask(`letters?transaction=${transaction}`)
  return json[0]?.verdict ?? assert.fail(JSON.stringify(json))
}

describe('a proven sender with a card', () => {
  test('has paid by pressing send: a Successful transaction, a Transaction hook, and a receipt', async () => {
    const ada = newCustomer()
    await shop.newCard(ada)
    const offer = await shop.newOffer({ ref_id: 'bell-1' })
    const said = await sendPersonal(world, shop, ada, offer, { messageId: '<first@example.org>' })
    assert.match(said, /^250 /)
    await until(
      'paid',
      async () => (await shop.rest.ask(`transactions?email=${ada}&status=Successful`)).json.length === 1,
    )
    const [paid] = (await shop.rest.ask(`transactions?email=${ada}`)).json
    assert.deepEqual([paid.source, paid.amount, paid.offer.id], ['Email Transaction', '100.00', offer])
    assert.deepEqual(await hooksOf(paid.id), ['transaction'])
    const [event] = await world.service.database.sql<
      { details: string }[]
    >`select details from event where transaction_id = ${paid.id}`
    const details = JSON.parse(event?.details ?? '')
    assert.deepEqual([details.type, details.token.site, details.email], ['success', false, ada])
    const [receipt] = await mailsTo(world, ada, 1)
    const { fields } = read(receipt ?? assert.fail())
    assert.deepEqual(fields.get('in-reply-to'), ['<first@example.org>'])
    assert.deepEqual(fields.get('auto-submitted'), ['auto-replied'])
    assert.match(receipt?.raw ?? '', new RegExp(paid.id.slice(-12)))
    const verdict = await verdictOf(paid.id)
    assert.equal(verdict.proven, true, JSON.stringify(verdict))
  })

  test('pays with a public token in the mail’s own words when they confirm it, once', async () => {
    const ada = newCustomer()
    await shop.newCard(ada)
    const offer = await shop.newOffer()
    const { sql } = world.service.database
    const [row] = await sql<{ tokenContent: string }[]>`select token_content from offer where id = ${offer}`
    const text = `I take it.\n\n${row?.tokenContent.match(/.{1,70}/g)?.join('\n')}\n\n-- \nAda\n\n> @not-this-one@`
    const to = `transaction@${mailDomain}`
    assert.match(await sendSigned(world, ada, to, { text }), /^250 /)
    await confirmByLink(world.relay, ada)
    await until(
      'paid',
      async () => (await shop.rest.ask(`transactions?email=${ada}&status=Successful`)).json.length === 1,
    )
    const again = await sendSigned(world, ada, to, { text })
    assert.match(again, /^250 /, 'the token pays for others still')
    await until('closed', async () => {
      const waiting = await sql`select from letter where sender = ${ada} and state = 'waiting'`
      return waiting.length === 0
    })
    assert.equal((await shop.rest.ask(`transactions?email=${ada}`)).json.length, 1)
  })
})

describe('who lacks something is asked for it', () => {
  test('no card: Further Action Required, a FAR hook, and a mail with a link that goes on with it', async () => {
    const ada = newCustomer()
    const offer = await shop.newOffer()
    assert.match(await sendSigned(world, ada, shop.addressOf(offer)), /^250 /)
    await until('asked', async () => (await shop.rest.ask(`transactions?email=${ada}`)).json.length === 1)
    const [asked] = (await shop.rest.ask(`transactions?email=${ada}`)).json
    assert.equal(asked.status, 'Further Action Required')
    assert.equal(asked.further_action.signup_url, `${world.service.baseUrl}/offers/${offer}?transaction=${asked.id}`)
    assert.deepEqual(await hooksOf(asked.id), ['far'])
    const [mail] = await mailsTo(world, ada, 1)
    assert.match(mail?.raw.replace(/=\r\n/g, '') ?? '', new RegExp(`/offers/${offer}\\?proof=`))
  })

  test('no proof: the same, though there is a card; and the mail to the address alone confirms it', async () => {
    const ada = newCustomer()
    await shop.newCard(ada)
    const offer = await shop.newOffer()
    const to = shop.addressOf(offer)
    // SPF alone: it says which machine sent it, not who wrote it.
    assert.match(await send(world.service.mailPort, write(ada, { to }), { from: ada, to }), /^250 /)
    await until('asked', async () => (await shop.rest.ask(`transactions?email=${ada}`)).json.length === 1)
    const [asked] = (await shop.rest.ask(`transactions?email=${ada}`)).json
    assert.deepEqual([asked.status, asked.customer.card_mask], ['Further Action Required', ''])
    const verdict = await verdictOf(asked.id)
    assert.deepEqual([verdict.proven, verdict.aligned, verdict.spf], [false, true, 'pass'])
    assert.equal((await mailsTo(world, ada, 1)).length, 1)
  })

  test('over the limits: the mailto link in the hook goes on with it, once, from that sender alone', async () => {
    const ada = newCustomer()
    await shop.newCard(ada)
    const offer = await shop.newOffer({ amount: '500.01' })
    assert.match(await sendPersonal(world, shop, ada, offer), /^250 /)
    await until('asked', async () => (await shop.rest.ask(`transactions?email=${ada}`)).json.length === 1)
    const [asked] = (await shop.rest.ask(`transactions?email=${ada}`)).json
    const link = new URL(asked.further_action.mail_to)
    assert.equal(link.pathname, `transaction@${mailDomain}`)
    const { text, subject } = filledBy(link.href)
    const bob = newCustomer()
    await shop.newCard(bob)
    assert.match(await sendSigned(world, bob, link.pathname, { text, subject }), /^250 /)
    await until('seen', async () => {
      const { sql } = world.service.database
      return (await sql`select from letter where sender = ${bob} and state = 'done'`).length === 1
    })
    assert.equal((await shop.rest.ask(`transactions/${asked.id}`)).json.transaction.status, 'Further Action Required')
    assert.match(
      await sendSigned(world, ada, link.pathname, { text, subject, messageId: '<word@example.org>' }),
      /^250 /,
    )
    await until('paid', async () => {
      return (await shop.rest.ask(`transactions/${asked.id}`)).json.transaction.status === 'Successful'
    })
    assert.deepEqual(await hooksOf(asked.id), ['far', 'transaction'])
    assert.match(await sendSigned(world, ada, link.pathname, { text }), /^550 /, 'it was used')
    const again = { text, subject, messageId: '<word@example.org>' }
    assert.match(await sendSigned(world, ada, link.pathname, again), /^250 /, 'this very mail was taken before')
    assert.equal((await shop.rest.ask(`transactions?email=${bob}`)).json.length, 0)
  })

  test('over the limits, a second email in other words confirms nothing: the same payment is then confirmed by a link', async () => {
    const ada = newCustomer()
    await shop.newCard(ada)
    const offer = await shop.newOffer({ amount: '500.01' })
    assert.match(await sendPersonal(world, shop, ada, offer), /^250 /)
    await until('asked', async () => (await shop.rest.ask(`transactions?email=${ada}`)).json.length === 1)
    const [asked] = (await shop.rest.ask(`transactions?email=${ada}`)).json
    const { to, text } = filledBy(asked.further_action.mail_to)
    assert.match(await sendSigned(world, ada, to, { text: `No, do not charge me!\n\n${text}` }), /^250 /)
    await confirmationLink(world.relay, ada, 2)
    const waits = (await shop.rest.ask(`transactions/${asked.id}`)).json.transaction
    assert.deepEqual([waits.status, waits.further_action.mail_to], ['Further Action Required', null])
    await confirmByLink(world.relay, ada, 2)
    assert.equal((await shop.rest.ask(`transactions/${asked.id}`)).json.transaction.status, 'Successful')
    assert.deepEqual(await hooksOf(asked.id), ['far', 'transaction'])
    await audited(world.service.database.sql)
  })

  test('what cannot be paid fails, with an Error hook and a polite mail', async () => {
    const ada = newCustomer()
    const offer = await shop.newOffer({ stock: 0 })
    assert.match(await sendSigned(world, ada, shop.addressOf(offer)), /^250 /)
    await until('told', async () => (await shop.rest.ask(`transactions?email=${ada}`)).json.length === 1)
    const [failed] = (await shop.rest.ask(`transactions?email=${ada}`)).json
    assert.deepEqual([failed.status, failed.error_code], ['Failed', 'offer_used_up'])
    assert.deepEqual(await hooksOf(failed.id), ['error'])
    await mailsTo(world, ada, 1)
  })
})

test('the same mail a hundred times, at once, over many connections, is one charge', async () => {
  const ada = newCustomer()
  await shop.newCard(ada)
  const offer = await shop.newOffer({ amount: '1.00' })
  const { to, ...words } = await shop.personalMail(offer, ada)
  const mail = await sign(write(ada, { to, ...words }), { by: world.customers })
  const said = new Set<string>()
  for (let round = 0; round < 5; round += 1) {
    const replies = Array.from({ length: 20 }, () => send(world.service.mailPort, mail, { from: ada, to }))
    for (const reply of await Promise.all(replies)) said.add(reply.slice(0, 3))
  }
  assert.deepEqual([...said], ['250'])
  await until(
    'paid',
    async () => (await shop.rest.ask(`transactions?email=${ada}&status=Successful`)).json.length === 1,
  )
  assert.equal((await shop.rest.ask(`transactions?email=${ada}`)).json.length, 1)
  const { sql } = world.service.database
  const [books] = await sql<
    { count: bigint }[]
  >`select count(*) from sandbox_entry e join transaction t on t.id = e.transaction_id
    join customer u on u.merchant_id = t.merchant_id and u.id = t.customer_id where u.email = ${ada} and e.kind = 'charge'`
  assert.equal(books?.count, 1n, 'by the gateway’s own books')
})

test('a mail signed for one offer, and sent to another, charges nothing', async () => {
  const ada = newCustomer()
  await shop.newCard(ada)
  const [one, other] = [await shop.newOffer({ amount: '1.00' }), await shop.newOffer({ amount: '400.00' })]
  const mail = await sign(write(ada, { to: shop.addressOf(one) }), { by: world.customers })
  const to = shop.addressOf(other)
  assert.match(await send(world.service.mailPort, mail, { from: ada, to }), /^250 /)
  await until('asked', async () => (await shop.rest.ask(`transactions?email=${ada}`)).json.length === 1)
  const [asked] = (await shop.rest.ask(`transactions?email=${ada}`)).json
  assert.deepEqual([asked.status, asked.offer.id], ['Further Action Required', other])
})

test('while DNS does not answer, nothing is decided: the mail may come again, and is then taken', async () => {
  const ada = newCustomer()
  await shop.newCard(ada)
  const offer = await shop.newOffer({ amount: '1.00' })
  const { to, ...words } = await shop.personalMail(offer, ada)
  const mail = await sign(write(ada, { to, ...words }), { by: world.customers })
  world.dnsSays = () => 'fails'
  assert.match(await send(world.service.mailPort, mail, { from: ada, to }), /^451 4\.4\.3 /)
  world.dnsSays = null
  assert.match(await send(world.service.mailPort, mail, { from: ada, to }), /^250 /)
  await until(
    'paid',
    async () => (await shop.rest.ask(`transactions?email=${ada}&status=Successful`)).json.length === 1,
  )
})

test('mails that prove nothing are taken by the dozen, and not by the hundred', async () => {
  const offer = await shop.newOffer()
  const to = shop.addressOf(offer)
  const said: string[] = []
  for (let count = 0; count < 32; count += 1) {
    const nobody = `nobody-${count}@stranger.test`
    said.push((await send(world.service.mailPort, write(nobody, { to }), { from: nobody, to })).slice(0, 9))
  }
  // Thirty at once, and one was the mail above, whose DNS did not answer.
  assert.deepEqual([said[0], said[28]], ['250 2.6.0', '250 2.6.0'])
  assert.equal(said.at(-1), '451 4.7.1')
})

test('a token for one card charges that card, also when its owner confirms it by a second mail', async () => {
  const { demo, demoSheet } = world.service
  const ada = newCustomer()
  const own = await demo.storeCard('5555555555554444', { email: ada })
  await demo.storeCard('4111111111111111', { email: ada })
  const token = createToken({
    partnerId: Number(demoSheet.partner_id),
    privateKey: demoSheet.private_key,
    servicePublicKey: String(demoSheet.service_public_key),
    target: { card: own },
    amount: '600.00',
  })
  const { to, ...words } = paymentMail({ merchant: 'Demo', amount: '600.00', currency: 'USD', mailDomain, token })
  assert.match(await sendSigned(world, ada, to, words), /^250 /)
  await until('asked', async () => (await demo.ask(`transactions?email=${ada}`)).json.length === 1)
  const [asked] = (await demo.ask(`transactions?email=${ada}`)).json
  const { to: again, ...word } = filledBy(asked.further_action.mail_to)
  assert.match(await sendSigned(world, ada, again, word), /^250 /)
  await until('paid', async () => (await demo.ask(`transactions?email=${ada}&status=Successful`)).json.length === 1)
  const { transaction } = (await demo.ask(`transactions/${asked.id}`)).json
  assert.equal(transaction.customer.card_mask, '4444')
})

test('a broken copy that comes first keeps nobody from paying, and makes no second payment', async () => {
  const ada = newCustomer()
  await shop.newCard(ada)
  const { to, ...words } = await shop.personalMail(await shop.newOffer({ amount: '1.00' }), ada)
  const mail = await sign(write(ada, { to, ...words }), { by: world.customers })
  const broken = Buffer.from(mail.toString('latin1').replace('Send this', 'send this'), 'latin1')
  assert.match(await send(world.service.mailPort, broken, { from: ada, to }), /^250 /)
  await until('asked', async () => (await shop.rest.ask(`transactions?email=${ada}`)).json.length === 1)
  const [asked] = (await shop.rest.ask(`transactions?email=${ada}`)).json
  assert.equal(asked.status, 'Further Action Required')
  assert.match(await send(world.service.mailPort, mail, { from: ada, to }), /^250 /)
  await until(
    'paid',
    async () => (await shop.rest.ask(`transactions?email=${ada}&status=Successful`)).json.length === 1,
  )
  const all = (await shop.rest.ask(`transactions?email=${ada}`)).json
  assert.deepEqual(
    all.map(({ id }: { id: string }) => id),
    [asked.id],
  )
})

test('a forged mail with the name of the real one makes nobody pay for another offer', async () => {
  const ada = newCustomer()
  await shop.newCard(ada)
  const [own, other] = [await shop.newOffer({ amount: '1.00' }), await shop.newOffer({ amount: '400.00' })]
  const messageId = '<seen-by-many@example.org>'
  const forged = { from: ada, to: shop.addressOf(other) }
  assert.match(await send(world.service.mailPort, write(ada, { to: forged.to, messageId }), forged), /^250 /)
  await until('asked', async () => (await shop.rest.ask(`transactions?email=${ada}`)).json.length === 1)
  assert.match(await sendPersonal(world, shop, ada, own, { messageId }), /^250 /)
  await until(
    'paid',
    async () => (await shop.rest.ask(`transactions?email=${ada}&status=Successful`)).json.length === 1,
  )
  const all = (await shop.rest.ask(`transactions?email=${ada}`)).json
  const told = all.map(({ status, offer }: { status: string; offer: { id: string } }) => `${offer.id} ${status}`)
  assert.deepEqual(told.sort(), [`${own} Successful`, `${other} Further Action Required`].sort())
})

test('where the gateway is not active, a payment fails at once, and says so', async () => {
  const closed = await world.newShop()
  const ada = newCustomer()
  await closed.newCard(ada)
  const to = closed.addressOf(await closed.newOffer())
  const [gateway] = (await closed.rest.ask('gateways')).json
  await closed.rest.ask(`gateways/${gateway.id}`, { method: 'PATCH', json: { status: 'inactive' } })
  assert.match(await sendSigned(world, ada, to), /^250 /)
  await until('told', async () => (await closed.rest.ask('transactions')).json.length === 1)
  const [failed] = (await closed.rest.ask('transactions')).json
  assert.deepEqual([failed.status, failed.error_code], ['Failed', 'gateway_inactive'])
})

test('an email that waited until its merchant took no payments by email is confirmed by a link', async () => {
  const { sql } = world.service.database
  const [closing, ada] = [await world.newShop(), newCustomer()]
  await closing.newCard(ada)
  // Claimed so often that no worker takes it.
  await sql`create function held() returns trigger language plpgsql as 'begin new.lease_no = 100; return new; end'`
  await sql`create trigger held before insert on letter for each row execute function held()`
  assert.match(await sendPersonal(world, closing, ada, await closing.newOffer()), /^250 /)
  await sql`drop trigger held on letter`
  answered(await closing.rest.ask('mail_settings', { method: 'PATCH', json: { payments: false } }), 200)
  await sql`update letter set lease_no = 0 where merchant_id = ${closing.rest.merchant}`
  const decided = () => sql`select status, action_wants from transaction where merchant_id = ${closing.rest.merchant}`
  await until('it is decided', async () => (await decided()).some(({ status }) => status !== 'Processing'))
  assert.deepEqual([...(await decided())], [{ status: 'Further Action Required', actionWants: 'confirmation' }])
})

test('an email of which neither SPF nor DKIM fits its sender owes the hook, and is never answered', async () => {
  const { sql } = world.service.database
  const nobody = 'never-answered@stranger.test'
  const other = await world.newShop()
  const to = other.addressOf(await other.newOffer())
  assert.match(await send(world.service.mailPort, write(nobody, { to }), { from: nobody, to }), /^250 /)
  await until('asked', async () => (await other.rest.ask('transactions')).json.length === 1)
  const [asked] = (await other.rest.ask('transactions')).json
  assert.deepEqual([asked.status, await hooksOf(asked.id)], ['Further Action Required', ['far']])
  await until('its answer is dealt with', async () => {
    const waiting =
      await sql`select from outgoing_mail m join letter l on l.merchant_id = m.merchant_id and l.id = m.letter_id
      where l.transaction_id = ${asked.id} and m.state = 'waiting'`
    return waiting.length === 0
  })
  assert.equal(world.relay.mails.filter(mail => mail.to.includes(nobody)).length, 0)
})

test('a verification token is good for an hour', async () => {
  const ada = newCustomer()
  await shop.newCard(ada)
  const offer = await shop.newOffer({ amount: '500.01' })
  const over = async () => {
    const before = (await shop.rest.ask(`transactions?email=${ada}`)).json.length
    assert.match(await sendPersonal(world, shop, ada, offer, { messageId: `<${before}@example.org>` }), /^250 /)
    const listed = async () => (await shop.rest.ask(`transactions?email=${ada}`)).json
    await until('asked', async () => (await listed()).length === before + 1)
    return (await listed())[0]
  }
  const pass = (seconds: number) => world.service.demo.ask('sandbox/clock', { form: { advance_s: seconds } })
  const [late, soon] = [await over(), await over()]
  await pass(3_540)
  assert.match(await sendSigned(world, ada, ...wordsOf(soon)), /^250 /)
  await until(
    'paid',
    async () => (await shop.rest.ask(`transactions/${soon.id}`)).json.transaction.status === 'Successful',
  )
  await pass(120)
  assert.match(await sendSigned(world, ada, ...wordsOf(late)), /^550 /)
  assert.equal((await shop.rest.ask(`transactions/${late.id}`)).json.transaction.status, 'Further Action Required')
})

function wordsOf({ further_action }: { readonly further_action: { readonly mail_to: string } }) {
  const { to, text, subject } = filledBy(further_action.mail_to)
  return [to, { text, subject }] as const
}
