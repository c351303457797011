// The promise: however many letters come at once, and whoever pays them, a customer's limits, an offer's stock and a
// token's uses are never passed. Two workers, a process each, and as many letters in hand as they take.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { audited } from './support/audited.ts'
import {
  type FilledMail,
  filledBy,
  type MailWorld,
  mailDomain,
  type Shop,
  sendSigned,
  startMailWorld,
} from './support/mail-world.ts'
import { type ServiceProcess, spawnService } from './support/process.ts'
import { until } from './support/until.ts'
import { waiters } from './support/while-held.ts'

let world: MailWorld
let shop: Shop
let another: ServiceProcess
before(async () => {
  world = await startMailWorld()
  shop = await world.newShop()
  await shop.rest.ask('mail_settings', { method: 'PATCH', json: { public_charge_at_once: true } })
  const { service, dns, relay } = world
  another = await spawnService({
    DATABASE_URL: service.database.url,
    TILLBELL_DATA: service.dataFolder,
    TILLBELL_BASE_URL: service.baseUrl,
    TILLBELL_DNS: dns.address,
    TILLBELL_MAIL_DOMAIN: mailDomain,
    TILLBELL_MAIL_RELAY: `smtp://127.0.0.1:${relay.port}`,
    TILLBELL_ROLES: 'worker',
  })
})
after(async () => {
  await another.kill('SIGTERM')
  await world.stop()
})

let customers = 0
async function newCustomer(): Promise<string> {
  customers += 1
  const email = `customer-${customers}@example.org`
  await shop.newCard(email)
  return email
}

/** Four of a merchant's letters in hand, in each of two workers. */
const inHandMax = 8

/** Fewer than an address may have: those before may not be closed yet. */
const connectionsAtOnce = 10

/** All are taken in, and as many as can be stand before their first commit at the same time, before the first is paid. */
async function allAtOnce(senders: readonly string[], { to, ...words }: FilledMail): Promise<void> {
  const { sql } = world.service.database
  await sql.begin(async scope => {
    await scope`set local idle_in_transaction_session_timeout = 0`
    await scope`lock table transaction in share mode`
    for (let from = 0; from < senders.length; from += connectionsAtOnce) {
      const some = senders.slice(from, from + connectionsAtOnce)
      for (const reply of await Promise.all(some.map(sender => sendSigned(world, sender, to, words))))
        assert.match(reply, /^250 /)
    }
    await until(
      'both workers have their hands full',
      async () => (await waiters(sql, ['relation'])).length === inHandMax,
    )
  })
  await until('all are done', async () => {
    const open = await sql`select from letter where state = 'waiting'
      union all select from transaction where status = 'Processing' union all select from outgoing_mail where state = 'waiting'`
    return open.length === 0
  })
}

/** How many transactions of an offer there are of each kind; and that the gateway has charged the paid ones, once each. */
async function outcomes(offer: string): Promise<{ readonly [status: string]: number }> {
  const { sql } = world.service.database
  const rows = await sql<{ id: string; status: string; why: string | null }[]>`
    select id, status, coalesce(failure_code, action_wants) as why from transaction where offer_id = ${offer}`
  const charged = await sql<{ transactionId: string }[]>`select e.transaction_id from sandbox_entry e
    join transaction t on t.id = e.transaction_id where t.offer_id = ${offer} and e.kind = 'charge'`
  const paid = rows.filter(({ status }) => status === 'Successful').map(({ id }) => id)
  assert.deepEqual(charged.map(({ transactionId }) => transactionId).sort(), paid.sort(), 'by the gateway’s own books')
  const receipts = await sql<{ transactionId: string }[]>`select m.transaction_id from outgoing_mail m
    join transaction t on t.id = m.transaction_id where t.offer_id = ${offer} and m.kind = 'receipt' and m.state = 'sent'`
  assert.deepEqual(receipts.map(({ transactionId }) => transactionId).sort(), paid.sort(), 'a receipt for each')
  await audited(sql)
  const names = rows.map(({ status, why }) => (why === null ? status : `${status}: ${why}`))
  return Object.fromEntries([...Map.groupBy(names, name => name)].map(([name, all]) => [name, all.length]))
}

/** What the offer's own link fills in: it pays at once, because this merchant wants that. */
async function filledIn(offer: string): Promise<FilledMail> {
  return filledBy((await shop.rest.ask(`offers/${offer}`)).json.offer.mail_to)
}

/** The same, with the offer's public token instead of its address. */
async function filledWithToken(offer: string): Promise<FilledMail> {
  const { sql } = world.service.database
  const [row] = await sql<{ tokenContent: string }[]>`select token_content from offer where id = ${offer}`
  const { subject, text } = await filledIn(offer)
  return { subject, to: `transaction@${mailDomain}`, text: `${text}\n${row?.tokenContent ?? assert.fail()}` }
}

test('twenty letters of one customer, who may pay ten times a day: ten are paid, ten wait', async () => {
  const ada = await newCustomer()
  const offer = await shop.newOffer({ amount: '1.00' })
  await allAtOnce(Array(20).fill(ada), await filledIn(offer))
  assert.deepEqual(await outcomes(offer), { Successful: 10, 'Further Action Required: limit': 10 })
})

test('eight letters of 300.00 each, of one customer, who may pay 1,000.00 a day: three are paid, five wait', async () => {
  const ada = await newCustomer()
  const offer = await shop.newOffer({ amount: '300.00' })
  await allAtOnce(Array(8).fill(ada), await filledIn(offer))
  assert.deepEqual(await outcomes(offer), { Successful: 3, 'Further Action Required: limit': 5 })
})

test('fifty letters for the last ten: ten are paid, forty are told that it is used up, and none is left', async () => {
  const five = await Promise.all(Array.from({ length: 5 }, newCustomer))
  const offer = await shop.newOffer({ amount: '1.00', stock: 10 })
  await allAtOnce(Array(10).fill(five).flat(), await filledIn(offer))
  assert.deepEqual(await outcomes(offer), { Successful: 10, 'Failed: offer_used_up': 40 })
  const [left] = await world.service.database.sql<
    { stockLeft: number }[]
  >`select stock_left from offer where id = ${offer}`
  assert.equal(left?.stockLeft, 0)
})

test('a token for one customer, in twenty mails of theirs, pays once, and the others come to nothing', async () => {
  const ada = await newCustomer()
  const offer = await shop.newOffer({ amount: '1.00', email: ada })
  await allAtOnce(Array(20).fill(ada), await filledIn(offer))
  assert.deepEqual(await outcomes(offer), { Successful: 1 })
})

test('a token for everybody, in two mails of each of five customers, pays once for each', async () => {
  const five = await Promise.all(Array.from({ length: 5 }, newCustomer))
  const offer = await shop.newOffer({ amount: '1.00' })
  await allAtOnce([...five, ...five], await filledWithToken(offer))
  assert.deepEqual(await outcomes(offer), { Successful: 5 })
})
