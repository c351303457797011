// A token pays once, or once for each customer, also where a payment with it failed and its success turns up late: whatever kind of
// token it is, and whether the customer pays again before or after that success is accepted.

import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import { paymentMail } from '@tillbell/sdk/payment-mail'
import { createToken, type TokenTarget } from '@tillbell/sdk/token'
import { answered } from './support/answers.ts'
import { audited } from './support/audited.ts'
import { type BadLine, connectBadLine } from './support/bad-line.ts'
import type { Client } from './support/client.ts'
import { openCommandLine } from './support/command.ts'
import {
  type FilledMail,
  filledBy,
  type MailWorld,
  mailDomain,
  sendSigned,
  startMailWorld,
} from './support/mail-world.ts'
import { until } from './support/until.ts'

const tillbell = openCommandLine()

let world: MailWorld
let demo: Client & { readonly card: string }
let line: BadLine
before(async () => {
  world = await startMailWorld()
  demo = world.service.demo
  line = await connectBadLine(demo)
  answered(await demo.ask(`gateways/${line.gateway}`, { method: 'PATCH', json: { default: true } }), 200)
  answered(await demo.ask('mail_settings', { method: 'PATCH', json: { public_charge_at_once: true } }), 200)
})
after(async () => {
  await line.close()
  await world.stop()
})

/** More than a customer may pay with one email: it is confirmed by a second one. */
const amount = '600.00'
const atOnce = '40.00'

const keys = () => ({
  partnerId: Number(world.service.demoSheet.partner_id),
  privateKey: world.service.demoSheet.private_key,
  servicePublicKey: String(world.service.demoSheet.service_public_key),
})

async function offlineToken(target: TokenTarget, amount: string): Promise<FilledMail> {
  const token = createToken({ ...keys(), target, amount, currency: 'USD', userData: { item_name: 'Brass bell' } })
  const merchant = answered(await demo.ask('payment_page'), 200).json.payment_page.name
  return filledBy(paymentMail({ token, mailDomain, merchant, amount, currency: 'USD', title: 'Brass bell' }).mailTo)
}

async function linkFor(email: string, more: { readonly email?: string; readonly amount: string }): Promise<FilledMail> {
  const offer = await demo.makeOffer({ title: 'Brass bell', stock: 5, ...more })
  const { link } = answered(await demo.ask(`offers/${offer}/links`, { form: { email } }), 200).json
  return filledBy(link.mail_to)
}

interface Kind {
  readonly emailFor: (email: string, card: string, amount: string) => Promise<FilledMail>
  /** What a second payment ends as, or stays, if it is confirmed after the first one was paid. */
  readonly second: 'Further Action Required' | 'Failed'
}

/** An offer that was made from a token for one customer has one unit, and is sold out with it. */
const kinds: { readonly [kind: string]: Kind } = {
  'of a link for one customer': {
    emailFor: (email, _, amount) => linkFor(email, { amount }),
    second: 'Further Action Required',
  },
  'of an offer for one customer': {
    emailFor: (email, _, amount) => linkFor(email, { email, amount }),
    second: 'Further Action Required',
  },
  'for an email': { emailFor: (email, _, amount) => offlineToken({ email }, amount), second: 'Failed' },
  'for a card': { emailFor: (_, card, amount) => offlineToken({ card }, amount), second: 'Failed' },
  'for a page': { emailFor: (_, __, amount) => offlineToken({ url: '' }, amount), second: 'Further Action Required' },
}

function resolve(t: TestContext, operation: string, as: string, ...more: string[]): Promise<void> {
  return command(t, [
    ...['doubt', 'resolve', operation, '--as', as, '--by', 'Ada', '--note', 'Seen at the gateway.'],
    ...more,
  ])
}

async function command(t: TestContext, words: string[]): Promise<void> {
  const { database, dataFolder } = world.service
  const place = { DATABASE_URL: database.url, TILLBELL_DATA: dataFolder, TILLBELL_LOG: 'fatal' }
  const { code, stderr } = await tillbell(t, words, place)
  assert.deepEqual([code, stderr], [0, ''])
}

/** What came of it, once it is processed. */
async function receive(
  from: string,
  mail: FilledMail,
): Promise<{ transaction: string | null; because: string | null }> {
  const { sql } = world.service.database
  const [newest] = await sql<{ id: string }[]>`select id from letter order by id desc limit 1`
  assert.match(await sendSigned(world, from, mail.to, mail), /^250/)
  const processed = () => sql<{ transactionId: string | null; closedBecause: string }[]>`
    select transaction_id, closed_because from letter
    where sender = ${from} and state = 'done' and (${newest?.id ?? null}::uuid is null or id > ${newest?.id ?? null}::uuid)`
  await until('the email is processed', async () => (await processed()).length > 0)
  const [row] = await processed()
  return { transaction: row?.transactionId ?? null, because: row?.closedBecause ?? null }
}

const transactionOf = async (id: string) => answered(await demo.ask(`transactions/${id}`), 200).json.transaction
const statusOf = async (id: string) => (await transactionOf(id)).status
const confirmationOf = async (id: string) => filledBy((await transactionOf(id)).further_action.mail_to)

async function ask(from: string, mail: FilledMail): Promise<string> {
  const { transaction, because } = await receive(from, mail)
  const id = transaction ?? assert.fail(`it came to nothing: ${because}`)
  assert.equal(await statusOf(id), 'Further Action Required')
  return id
}

async function pay(from: string, mail: FilledMail): Promise<string> {
  const id = await ask(from, mail)
  await receive(from, await confirmationOf(id))
  await until('it is paid', async () => (await statusOf(id)) === 'Successful')
  return id
}

const operationOf = async (id: string) => {
  const { sql } = world.service.database
  const [row] = await sql<{ id: string; outcome: string; cause: string }[]>`
    select id, outcome, cause from operation where transaction_id = ${id}`
  return row ?? assert.fail('no operation')
}

/** The charge is lost, somebody settles it as not made while the gateway is away, and then it is made there. */
async function failedWithLateSuccess(t: TestContext, from: string, mail: FilledMail) {
  const { sql } = world.service.database
  const id = await ask(from, mail)
  const confirmation = await confirmationOf(id)
  line.loses = true
  await receive(from, confirmation)
  // Without a cause it is still under way.
  await until('it is in doubt', async () => {
    const { outcome, cause } = await operationOf(id)
    return outcome === 'unknown' && cause !== null
  })
  line.loses = false
  const operation = (await operationOf(id)).id
  await sql`update operation set next_ask_at = next_ask_at + interval '1 hour' where id = ${operation}`
  line.isDead = true
  await resolve(t, operation, 'not-made')
  assert.equal(await statusOf(id), 'Failed')
  const { gatewayRef } = JSON.parse(await line.arrive())
  line.isDead = false
  const accept = async () => {
    await sql`update operation set for_person = 'The gateway reports a success.' where id = ${operation}`
    await resolve(t, operation, 'succeeded', '--gateway-ref', gatewayRef)
  }
  return { id, accept }
}

const usersOf = async (ids: readonly string[]) => {
  const rows = await world.service.database.sql<{ id: string }[]>`select distinct u.transaction_id as id
    from token_use u join transaction t on t.id = u.transaction_id and t.token_sha256 = u.box_sha256
    where u.transaction_id = any(${[...ids]}::uuid[])`
  return rows.map(({ id }) => id).sort()
}

let customers = 0
async function newCustomer(): Promise<{ email: string; card: string }> {
  const email = `ada-${customers++}@example.org`
  return { email, card: await demo.storeCard('4111111111111111', { email, first_name: 'Ada' }) }
}

for (const [kind, { emailFor, second: leftAs }] of Object.entries(kinds)) {
  describe(`a token ${kind}`, () => {
    test('pays once: a success that is accepted late keeps a second payment from being confirmed', async t => {
      const { email, card } = await newCustomer()
      const mail = await emailFor(email, card, amount)
      const late = await failedWithLateSuccess(t, email, mail)
      const second = await ask(email, mail)
      const confirmation = await confirmationOf(second)
      await late.accept()
      assert.equal(await statusOf(late.id), 'Successful')
      const sendings = line.sendings
      await receive(email, confirmation)
      assert.deepEqual([await statusOf(second), line.sendings], [leftAs, sendings])
      assert.deepEqual(await usersOf([late.id, second]), [late.id])
    })

    test('that paid meanwhile: the late success is accepted, and the record says what used the token', async t => {
      const { email, card } = await newCustomer()
      const mail = await emailFor(email, card, amount)
      const late = await failedWithLateSuccess(t, email, mail)
      const second = await pay(email, mail)
      await late.accept()
      assert.deepEqual([await statusOf(late.id), await statusOf(second)], ['Successful', 'Successful'])
      const { id, cause } = await operationOf(late.id)
      assert.match(cause, new RegExp(`Its token was used by transaction ${second} meanwhile\\.$`), id)
      assert.deepEqual(await usersOf([late.id, second]), [second])
    })
  })
}

/** Paid at once, and lost; settled as not made while the gateway is away; then the gateway's word comes to the list by itself. */
async function listedLateSuccess(t: TestContext, from: string, mail: FilledMail) {
  const { sql } = world.service.database
  line.loses = true
  const { transaction } = await receive(from, mail)
  const id = transaction ?? assert.fail('it came to nothing')
  await until('it is in doubt', async () => (await operationOf(id)).outcome === 'unknown')
  line.loses = false
  const { id: operation } = await operationOf(id)
  await sql`update operation set next_ask_at = next_ask_at + interval '1 hour' where id = ${operation}`
  line.isDead = true
  await resolve(t, operation, 'not-made')
  await line.arrive()
  line.isDead = false
  const listed = () => sql<{ sentence: string }[]>`select for_person as sentence from operation
    where id = ${operation} and for_person is not null`
  await until('the late success is listed', async () => (await listed()).length === 1)
  assert.equal(await statusOf(id), 'Failed')
  const [row] = await listed()
  return { id, dismiss: () => resolve(t, operation, 'dismissed', '--answers', row?.sentence ?? '') }
}

for (const [kind, { emailFor }] of Object.entries(kinds)) {
  test(`a token ${kind} charges nobody while a late success is listed, and pays once that is dismissed`, async t => {
    const { email, card } = await newCustomer()
    const mail = await emailFor(email, card, atOnce)
    const late = await listedLateSuccess(t, email, mail)
    const sendings = line.sendings
    if (kind === 'for a page') assert.match((await receive(email, mail)).because ?? '', /^Its token was used/)
    else assert.match(await sendSigned(world, email, mail.to, mail), /^550 5\.7\.1 Nothing was charged/)
    assert.equal(line.sendings, sendings, 'the gateway was not called')
    await audited(world.service.database.sql)

    await late.dismiss()
    assert.deepEqual(await usersOf([late.id]), [])
    const third = (await receive(email, mail)).transaction ?? assert.fail('it came to nothing')
    await until('it is paid', async () => (await statusOf(third)) === 'Successful')
  })
}

test('what is left of a payment is not refunded while a refund that was settled as not made may have been made', async t => {
  const { sql } = world.service.database
  const { card } = await newCustomer()
  const { id } = (await demo.charge(await demo.makeOffer({ amount: '100.00' }), card)).json.transaction
  const refund = () => demo.ask('transactions/refunds', { form: { transaction: id, amount: '40.00' } })
  line.loses = true
  answered(await refund(), 202)
  line.loses = false
  const find = async () => {
    const [row] = await sql<{ id: string; forPerson: string | null }[]>`select id, for_person from operation
      where transaction_id = ${id} and kind = 'refund'`
    return row ?? assert.fail('no refund')
  }
  const { id: operation } = await find()
  await sql`update operation set next_ask_at = next_ask_at + interval '1 hour' where id = ${operation}`
  line.isDead = true
  await resolve(t, operation, 'not-made')
  await line.arrive()
  line.isDead = false
  await until('the late success is listed', async () => (await find()).forPerson !== null)
  assert.match(answered(await refund(), 409).json.errors.transaction, /has a refund that may have been made/)
  await resolve(t, operation, 'dismissed', '--answers', String((await find()).forPerson))
  answered(await refund(), 200)
})

test('there is no other link for a customer whose payment with the first may have been made', async t => {
  const { email } = await newCustomer()
  const offer = await demo.makeOffer({ title: 'Brass bell', amount: atOnce, stock: 5 })
  const newLink = () => demo.ask(`offers/${offer}/links`, { form: { email } })
  const { link } = answered(await newLink(), 200).json
  const late = await listedLateSuccess(t, email, filledBy(link.mail_to))
  assert.equal(answered(await newLink(), 200).json.link.token, link.token)
  answered(await demo.ask('tokens/revocations', { form: { token: link.token } }), 200)
  assert.match(answered(await newLink(), 409).json.errors.general, new RegExp(late.id))
  await late.dismiss()
  assert.notEqual(answered(await newLink(), 200).json.link.token, link.token)
})

test('a token for a page is used by each customer for themselves, also by a late success', async t => {
  const [ada, bob] = [await newCustomer(), await newCustomer()]
  const mail = await offlineToken({ url: '' }, amount)
  const late = await failedWithLateSuccess(t, ada.email, mail)
  const bobs = await pay(bob.email, mail)
  await late.accept()
  assert.doesNotMatch((await operationOf(late.id)).cause, /meanwhile/)
  assert.deepEqual(await usersOf([late.id, bobs]), [late.id, bobs].sort())
  for (const { email } of [ada, bob]) assert.match((await receive(email, mail)).because ?? '', /^Its token was used/)
})

test('a customer who was erased meanwhile has still used the token of their offer', async t => {
  const { email } = await newCustomer()
  const mail = await linkFor(email, { email, amount })
  const late = await failedWithLateSuccess(t, email, mail)
  const second = await pay(email, mail)
  await command(t, ['customer', 'erase', '--email', email, '--merchant', world.service.demoSheet.merchant])
  await late.accept()
  assert.match((await operationOf(late.id)).cause, new RegExp(`Its token was used by transaction ${second} meanwhile`))
  await audited(world.service.database.sql)
})
