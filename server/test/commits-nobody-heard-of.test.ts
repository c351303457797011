// The line to the database breaks after a commit was made and before anybody heard so, at every commit of a payment: whoever asked is answered as
// if nothing were, and everything is there once.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { answered } from './support/answers.ts'
import { findingsOfAudit } from './support/audited.ts'
import { type CommitLosingProxy, startCommitLosingProxy } from './support/commit-losing-proxy.ts'
import { freshDatabase, type TestDatabase } from './support/database.ts'
import { connectFarGateway, type FarGateway } from './support/far-gateway.ts'
import { type HookReceiver, startReceiver } from './support/hook-receiver.ts'
import { askByMail } from './support/letters.ts'
import { addEndpoint, removeEndpoints } from './support/merchant-endpoint.ts'
import { hiddenIn } from './support/plain-forms.ts'
import { startTestService, type TestService } from './support/service.ts'
import { until } from './support/until.ts'

let database: TestDatabase
let proxy: CommitLosingProxy
let service: TestService
let receiver: HookReceiver
let gateway: FarGateway
let lost = 0
/** Two of three, so that one that must be made again is made. */
let losing = false

before(async () => {
  database = await freshDatabase()
  let commits = 0
  proxy = await startCommitLosingProxy(database.url, () => {
    if (!losing || ++commits % 3 === 0) return 'passes'
    lost += 1
    return 'is not heard of'
  })
  service = await startTestService({ DATABASE_URL: proxy.url })
  // Its books are not in this database: it would be the gateway whose commits are lost.
  gateway = await connectFarGateway(service.demo)
  receiver = await startReceiver(service.demoSheet.private_key)
  await removeEndpoints(database.sql)
  for (const kind of ['generic', 'update']) {
    await addEndpoint(database.sql, service.demoSheet.merchant, { url: receiver.url, kind })
  }
})

after(async () => {
  await service.stop()
  await receiver.close()
  await gateway.goAway()
  await proxy.close()
  await database.drop()
})

/** From then on, of every payment. */
async function askPreSale(): Promise<void> {
  const { sql } = database
  const { merchant } = service.demoSheet
  const known = await sql`select from hook_endpoint where merchant_id = ${merchant} and kind = 'pre_sale'`
  if (known.length === 0) await addEndpoint(sql, merchant, { url: receiver.url, kind: 'pre_sale' })
}

/** What the customer or the office does one after the other, and the status that the payment has then. */
interface Life {
  readonly of: string
  readonly card?: string
  readonly form?: { readonly [name: string]: string }
  readonly later?: (
    id: string,
  ) => readonly { readonly path: string; readonly form?: { readonly [name: string]: string } }[]
  readonly ends: string
}

const lives: readonly Life[] = [
  { of: 'a charge', ends: 'Successful' },
  { of: 'a charge that is declined', card: '4012888888881881', ends: 'Failed' },
  {
    of: 'a refund in two parts',
    later: id =>
      ['30.00', '70.00'].map(amount => ({ path: 'transactions/refunds', form: { transaction: id, amount } })),
    ends: 'Refunded',
  },
  {
    of: 'an authorisation that is captured',
    form: { authorization_only: 'true' },
    later: id => [{ path: `transactions/${id}/capture`, form: { amount: '60.00' } }],
    ends: 'Successful',
  },
  {
    of: 'an authorisation that is voided',
    form: { authorization_only: 'true' },
    later: id => [{ path: `transactions/${id}/void`, form: {} }],
    ends: 'Voided',
  },
]

async function live(
  name: string,
  { card, form = {}, later = () => [] }: Life,
  offer: string,
  token: string,
): Promise<string> {
  const { demo } = service
  const keyed = (step: number) => ({ headers: { 'idempotency-key': `${name.replaceAll(/\W+/g, '-')}-${step}` } })
  const charged = await demo.charge(offer, token, { form, ...keyed(0) })
  const { id } = answered(charged, card === undefined ? 200 : 402).json.transaction
  for (const [index, { path, form }] of later(id).entries()) {
    answered(await demo.ask(path, { ...keyed(index + 1), ...(form !== undefined && { form }) }), 200)
  }
  return id
}

/** Waits for the answer with commits that are lost, and then for all that follows from it. */
async function whileLosing<T>(work: () => Promise<T>): Promise<T> {
  losing = true
  return work().finally(() => {
    losing = false
  })
}

for (const stock of [null, 10]) {
  for (const life of lives) {
    const name = stock === null ? life.of : `${life.of}, of an offer that is counted, with Pre-Sale`
    test(`${name}: answered as made, and there once`, async () => {
      const { demo } = service
      const lostBefore = lost
      if (stock !== null) await askPreSale()
      for (let round = 0; round < 3; round++) {
        const offer = await demo.makeOffer(stock === null ? {} : { stock })
        const token = await demo.storeCard(life.card)
        const id = await whileLosing(() => live(`${name} ${round}`, life, offer, token))
        const { transaction } = answered(await demo.ask(`transactions/${id}`), 200).json
        assert.equal(transaction.status, life.ends)
        const rows = await database.sql<{ stockLeft: number }[]>`select stock_left from offer where id = ${offer}`
        const isBack = ['Failed', 'Voided'].includes(life.ends)
        assert.equal(rows[0]?.stockLeft, stock === null ? null : stock - (isBack ? 0 : 1))
      }
      assert.ok(lost - lostBefore >= 4, `${lost - lostBefore} commits were lost`)
    })
  }
}

const askedByMail = (offer: string, sender: string | null) =>
  askByMail(
    { ...service, database },
    { merchant: service.demoSheet.merchant, offer, sender, isProven: sender !== null, hasConsent: sender !== null },
  )

const statusOf = async (id: string) =>
  (await database.sql<{ status: string }[]>`select status from transaction where id = ${id}`)[0]?.status

test('a mail that pays, and one that names nobody: each comes to one payment', async () => {
  const { demo } = service
  const offer = await demo.makeOffer({ stock: 10 })
  await demo.storeCard('4111111111111111', { email: 'mails@example.org' })
  await demo.ask('mail_settings', { method: 'PATCH', json: { public_charge_at_once: true } })
  await whileLosing(async () => {
    const paid = await askedByMail(offer, 'mails@example.org')
    await until('it is paid', async () => (await statusOf(paid)) === 'Successful')
    const nobodys = await askedByMail(offer, null)
    assert.equal(await statusOf(nobodys), 'Further Action Required')
  })
})

test('a payment by mail that goes on on the page, where Pre-Sale is asked: paid once', async () => {
  for (let round = 0; round < 3; round++) {
    const offer = await service.demo.makeOffer({ stock: 10 })
    const email = `page-${round}@example.org`
    const id = await askedByMail(offer, email)
    const page = `${service.baseUrl}/offers/${offer}`
    const shown = { text: await (await fetch(`${page}?transaction=${id}`)).text() }
    const typed = { number: '4111111111111111', expiry: '12/40', cvc: '987', first_name: 'Ada', email }
    const body = new URLSearchParams({ ...hiddenIn(shown), ...typed })
    const send = () => fetch(page, { method: 'POST', redirect: 'manual', body })
    const answer = await whileLosing(async () => {
      for (;;) {
        const answer = await send()
        // Their card was stored, or not: they are asked to send it again.
        if (answer.status !== 503) return answer
      }
    })
    assert.equal(answer.headers.get('location') ?? (await answer.text()), `/offers/${offer}?transaction=${id}`)
    assert.equal(await statusOf(id), 'Successful')
  }
})

test('of all that, every hook arrives, and the books fit', async () => {
  const events = await database.sql<{ name: string }[]>`
    select transaction_id || ' ' || type as name from event where ${true}`
  // A refund in two parts has two of one name.
  const times = (wanted: string) => events.filter(({ name }) => name === wanted).length
  await until('every hook arrived', async () =>
    events.every(({ name }) => (receiver.accepted.get(name) ?? 0) >= times(name)),
  )
  const owed = () => database.sql`select from owed_delivery where state = ${'pending'}`
  await until('nothing is owed', async () => (await owed()).length === 0)
  assert.equal((await database.sql`select from delivery where ${true}`).length, events.length)
  assert.equal((await database.sql`select from transaction where ${true}`).length, lives.length * 6 + 5)
  assert.deepEqual(await findingsOfAudit(database.sql), [])
  assert.doesNotMatch(service.logged(), /request failed|paying by mail failed/)
})
