// What happens at Stripe without us arrives here: refunds, captures, cancellations and disputes made in its dashboard,
// refunds that banks send back, new cards. And what we did ourselves, told again by Stripe at whatever moment and however
// often, is done and told once.

import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import type { MerchantId } from '../src/core/ids.ts'
import { answered, answeredAbout } from './support/answers.ts'
import { audited } from './support/audited.ts'
import { type Answer, send } from './support/client.ts'
import { repetitions } from './support/repetitions.ts'
import { connectStripe } from './support/stripe/connected.ts'
import { startStripe } from './support/stripe/server.ts'
import { openStripeShop } from './support/stripe/shop.ts'
import { type Moment, signatureOf } from './support/stripe/webhooks.ts'

const { service, stripe, shop, connected, record } = await openStripeShop()

afterEach(() => {
  stripe.webhooks.moments = () => ['after']
  stripe.state.releasesAreRefunds = false
})

type Form = { readonly [name: string]: string }

async function sold(form: Form = {}): Promise<string> {
  const charged = await shop.charge(await shop.makeOffer(), await connected.card(), { form })
  const { id } = answeredAbout(charged, 200).json.transaction
  await stripe.webhooks.settled()
  return id
}
const authorised = () => sold({ authorization_only: 'true' })
const intentId = (transaction: string) => connected.intentOf(transaction).id

/** What its changes owed, in order. */
async function told(id: string): Promise<string[]> {
  const rows = await service.database.sql<
    { type: string }[]
  >`select type from event where transaction_id = ${id} order by id`
  return rows.map(({ type }) => type)
}

/** Which refund or dispute each of them told of. */
async function newsIn(id: string, name: 'refund' | 'dispute'): Promise<unknown[]> {
  const rows = await service.database.sql<
    { details: string }[]
  >`select details from event where transaction_id = ${id} order by id`
  return rows.map(({ details }) => JSON.parse(details)[name]).filter(news => news !== undefined)
}

test('refunds made in the dashboard arrive, in part and of the rest, each once', async () => {
  const id = await sold()
  stripe.webhooks.moments = () => ['before', 'with', 'after']
  await stripe.dashboard.refund(intentId(id), 3_000)
  const part = await record(id)
  assert.deepEqual([part.status, part.refund.refunded_amount], ['Partially Refunded', '30.00'])
  await stripe.dashboard.refund(intentId(id))
  const all = await record(id)
  assert.deepEqual([all.status, all.refunds.length], ['Refunded', 2])
  assert.deepEqual(await told(id), ['success', 'refund', 'refund'])
  const said = all.refunds.map((refund: object) => ({ status: 'succeeded', ...refund }))
  assert.deepEqual(await newsIn(id, 'refund'), said)
})

test('our own refund, told by Stripe before it answers, is one refund', async () => {
  const id = await sold()
  stripe.webhooks.moments = () => ['before', 'before', 'after']
  const form = { transaction: id, amount: '40.00', user: 'Grace' }
  const { refunds } = answeredAbout(await shop.ask('transactions/refunds', { form }), 200).json.transaction
  await stripe.webhooks.settled()
  assert.deepEqual([refunds.length, refunds[0].refunded_by], [1, 'Grace'])
  assert.deepEqual((await record(id)).refunds, refunds)
  assert.deepEqual(await told(id), ['success', 'refund'])
})

test('a refund that the bank sends back is none any more', async () => {
  const id = await sold()
  answered(await shop.ask('transactions/refunds', { form: { transaction: id } }), 200)
  assert.equal((await record(id)).status, 'Refunded')
  const [made] = stripe.state.all('refund')
  await stripe.dashboard.failRefund(made?.id ?? '')
  const after = await record(id)
  assert.deepEqual([after.status, 'refunds' in after], ['Successful', false])
  const statuses = (await newsIn(id, 'refund')).map(refund => (refund as { status: string }).status)
  assert.deepEqual(statuses, ['succeeded', 'failed'])
  assert.equal(stripe.ledger().get(id)?.refunded, 0)
  assert.equal(answered(await shop.ask('transactions/refunds', { form: { transaction: id } }), 200).status, 200)
})

test('an authorisation captured in the dashboard is a sale', async () => {
  const id = await authorised()
  await stripe.dashboard.capture(intentId(id))
  const { status, net_amount } = await record(id)
  assert.deepEqual([status, net_amount], ['Successful', '96.80'])
  assert.deepEqual(await told(id), ['success', 'success'])
})

for (const isOld of [false, true]) {
  const account = isOld ? 'of an older API version, where it is a refund' : 'of our API version'
  test(`what an authorisation lets go of is no refund to the customer, in an account ${account}`, async () => {
    stripe.state.releasesAreRefunds = isOld
    const part = await authorised()
    await stripe.dashboard.capture(intentId(part), 8_000)
    const taken = await record(part)
    assert.deepEqual([taken.status, taken.net_amount, 'refunds' in taken], ['Successful', '77.38', false])
    const back = await shop.ask('transactions/refunds', { form: { transaction: part } })
    assert.equal(answeredAbout(back, 200).json.transaction.refund.refunded_amount, '80.00')
    for (const end of ['cancel', 'expire'] as const) {
      const id = await authorised()
      await stripe.dashboard[end](intentId(id))
      const released = await record(id)
      assert.deepEqual([released.status, 'refunds' in released], ['Voided', false])
      assert.deepEqual(await told(id), ['success', 'void'])
    }
  })
}

test('a dispute is shown and told when it opens and when it ends', async () => {
  for (const end of ['won', 'lost'] as const) {
    const id = await sold()
    const dispute = await stripe.dashboard.openDispute(intentId(id), 6_000)
    const open = await record(id)
    assert.deepEqual([open.status, open.dispute.status, open.dispute.amount], ['Successful', 'open', '60.00'])
    await stripe.dashboard.closeDispute(dispute, end)
    const closed = await record(id)
    assert.deepEqual([closed.dispute.status, closed.disputes.length], [end, 1])
    assert.deepEqual(await told(id), ['success', 'dispute', 'dispute'])
    assert.deepEqual(await newsIn(id, 'dispute'), [open.dispute, closed.dispute])
  }
})

test('in any order, what arrives is how things are', async () => {
  const id = await sold()
  stripe.webhooks.moments = () => ['held', 'held']
  await stripe.dashboard.refund(intentId(id), 1_000)
  const dispute = await stripe.dashboard.openDispute(intentId(id))
  await stripe.dashboard.refund(intentId(id), 2_000)
  await stripe.dashboard.closeDispute(dispute, 'won')
  await stripe.webhooks.release(events => events.toReversed())
  const { status, refunds, disputes } = await record(id)
  assert.deepEqual([status, refunds.length, disputes.length, disputes[0].status], ['Partially Refunded', 2, 1, 'won'])
})

test('a charge whose answer was lost is settled by the notice, without waiting', async () => {
  const card = await connected.card()
  stripe.faults.next({ kind: 'reset', at: 'after' }, ({ method }) => method === 'POST')
  const asked = await shop.charge(await shop.makeOffer(), card)
  const { id } = answeredAbout(asked, 202).json.transaction
  await stripe.webhooks.settled()
  assert.equal((await record(id)).status, 'Successful')
  assert.deepEqual(await told(id), ['success'])
})

test('a card that its bank replaced shows its new expiry', async () => {
  const token = await connected.card()
  const [method] = stripe.state.all('payment_method')
  await stripe.dashboard.updateCard(method?.id ?? '', { month: 3, year: 2044 })
  const { card } = answered(await shop.ask(`credit_cards/${token}`), 200).json
  assert.equal(card.expiration_date, '2044-03-01')
})

test('only what Stripe signed, just now, with the secret of this gateway, is believed', async () => {
  const id = await sold()
  stripe.webhooks.moments = () => []
  await stripe.dashboard.refund(intentId(id))
  const object = stripe.state.find('payment_intent', intentId(id))
  const event = { id: 'evt_1', object: 'event', type: 'payment_intent.succeeded', data: { object } }
  const refunded = { ...event, type: 'charge.refunded', data: { object: stripe.state.all('charge')[0] } }
  const body = JSON.stringify(refunded)
  const { webhook_secret: secret } = stripe.credentials
  const nowS = Math.floor(Date.now() / 1000)
  const post = (signature: string, text = body, gateway = connected.gateway) => {
    const headers = { 'content-type': 'application/json', 'stripe-signature': signature }
    return send(`${service.baseUrl}/gateways/${gateway}/events`, { method: 'POST', headers, body: text })
  }
  for (const [signature, text] of [
    [signatureOf(body, 'whsec_another', nowS), body],
    [signatureOf(body, secret, nowS - 3_600), body],
    [signatureOf(body, secret, nowS), `${body} `],
    ['', body],
  ] as const) {
    const answer = await post(signature, text)
    assert.equal(answer.status, 400)
    assert.doesNotMatch(answer.text, /whsec/)
  }
  assert.equal((await post(signatureOf(body, secret, nowS), body, 'gw_AAAAAAAAAAAAAAAAAAAAAA')).status, 404)
  assert.equal((await record(id)).status, 'Successful')
  assert.equal((await post(signatureOf(body, secret, nowS))).status, 200)
  assert.equal((await record(id)).status, 'Refunded')
})

test("payments of the same account that are none of ours are nobody's business here", async () => {
  const before = stripe.webhooks.delivered.length
  const headers = {
    authorization: `Bearer ${stripe.credentials.secret_key}`,
    'content-type': 'application/x-www-form-urlencoded',
  }
  const pays = 'payment_method=pm_card_visa&confirm=true&off_session=true'
  const body = `amount=5000&currency=usd&${pays}`
  const { json } = await send(`${stripe.url}/v1/payment_intents`, { method: 'POST', headers, body })
  await stripe.dashboard.refund(json.id)
  const statuses = stripe.webhooks.delivered.slice(before).map(({ status }) => status)
  assert.ok(statuses.length >= 4)
  assert.deepEqual(new Set(statuses), new Set([200]))
})

/** What waits for a person of a transaction. */
async function listedOf(id: string): Promise<(string | null)[]> {
  const rows = await service.database.sql<
    { forPerson: string | null }[]
  >`select for_person from operation where transaction_id = ${id} and for_person is not null order by id`
  return rows.map(({ forPerson }) => forPerson)
}

/** Stripe tells of something that nobody here asked for. */
async function tell(type: string, object: object): Promise<void> {
  const created = Math.floor(Date.now() / 1_000)
  const event = { id: stripe.state.newId('evt'), object: 'event', type, created, data: { object } }
  await stripe.webhooks.send(event as never)
  await stripe.webhooks.settled()
}

test('a second payment under the same ids is listed for a person, and what becomes of it is not written to the first', async () => {
  const id = await sold()
  const first = connected.intentOf(id)
  const made = stripe.state.all('charge').find(each => each.id === first.latest_charge) ?? assert.fail()
  const [ref, charge] = [stripe.state.newId('pi'), stripe.state.newId('ch')]
  stripe.state.add({ ...structuredClone(made), id: charge, payment_intent: ref })
  const second = stripe.state.add({ ...structuredClone(first), id: ref, latest_charge: charge })
  await tell('payment_intent.succeeded', second)
  const sentence = `The gateway has a second payment under the id of this charge: ${ref}, beside ${first.id}.`
  const [listed, ...others] = await listedOf(id)
  assert.deepEqual([String(listed).startsWith(sentence), others], [true, []])
  assert.ok(service.logged().includes(sentence), 'and told in the log')

  await stripe.dashboard.refund(ref)
  await stripe.dashboard.openDispute(ref, 5_000)
  await stripe.webhooks.settled()
  const { status, refunds, dispute } = await record(id)
  assert.deepEqual([status, refunds, dispute, await told(id)], ['Successful', undefined, undefined, ['success']])
  await stripe.dashboard.refund(first.id, 1_000)
  await stripe.webhooks.settled()
  assert.equal((await record(id)).refund.refunded_amount, '10.00', 'what becomes of the first is')
})

test('a second refund under the id of one of ours is listed for a person', async () => {
  const id = await sold()
  answered(await shop.ask('transactions/refunds', { form: { transaction: id, amount: '30.00' } }), 200)
  await stripe.webhooks.settled()
  const first = stripe.state.all('refund').find(each => each.payment_intent === intentId(id)) ?? assert.fail()
  const second = stripe.state.add({ ...structuredClone(first), id: stripe.state.newId('re') })
  await tell('refund.created', second)
  await tell('refund.created', second)
  assert.deepEqual([(await listedOf(id)).length, (await record(id)).refunds.length], [1, 1])
  assert.match(String((await listedOf(id))[0]), /reports a second refund of \$30\.00 under the id of one of ours/)
})

/** Before, with and after the answer, and twice. */
const moments: readonly (readonly Moment[])[] = [['before'], ['with'], ['after'], ['with', 'with'], ['before', 'after']]

/** A merchant whose Stripe tells of everything at one of these moments, in turn. */
async function openRace() {
  const racer = await service.newMerchant()
  const account = await startStripe()
  const racing = await connectStripe(racer, account, ['payment_intent.succeeded', 'refund.created'])
  let told = 0
  account.webhooks.moments = () => moments[told++ % moments.length] ?? []
  const [offer, card] = [await racer.makeOffer(), await racing.card()]
  const stands = (answer: Answer, status: string): string => {
    const { transaction, errors } = answeredAbout(answer, 200).json
    assert.deepEqual([transaction.status, errors], [status, null])
    return transaction.id
  }
  return {
    merchant: racer.merchant as MerchantId,
    account,
    sell: async () => stands(await racer.charge(offer, card), 'Successful'),
    async capture() {
      const id = stands(await racer.charge(offer, card, { form: { authorization_only: 'true' } }), 'Authorized')
      stands(await racer.ask(`transactions/${id}/capture`, { method: 'POST' }), 'Successful')
    },
    async refund(transaction: string) {
      stands(await racer.ask('transactions/refunds', { form: { transaction } }), 'Refunded')
    },
  }
}

async function writtenOf(merchant: MerchantId) {
  const [counted] = await service.database.sql`select
      (select count(*)::int from transaction where merchant_id = ${merchant} and status = 'Successful') as kept,
      (select count(*)::int from transaction where merchant_id = ${merchant} and status = 'Refunded') as refunded,
      (select count(*)::int from operation where merchant_id = ${merchant} and outcome = 'succeeded') as done,
      (select count(*)::int from event where merchant_id = ${merchant}) as events,
      (select count(distinct transaction_id)::int from event
        where merchant_id = ${merchant} and kind = 'transaction') as told`
  return { ...counted }
}

const [charges, captures, refunds, lanes] = [repetitions(250, 1_000), 25, 25, 25]

test(`Stripe’s word and our own, at the same moment, of ${charges} charges, and captures and refunds: each once, with one event`, async () => {
  const { merchant, account, sell, capture, refund } = await openRace()
  try {
    const race = async () => {
      const sold: string[] = []
      for (let each = 0; each < charges / lanes; each++) sold.push(await sell())
      for (let each = 0; each < captures / lanes; each++) await capture()
      for (const id of sold.slice(0, refunds / lanes)) await refund(id)
    }
    await Promise.all(Array.from({ length: lanes }, race))
    await account.webhooks.settled()
    const sold = charges + captures
    const done = sold + captures + refunds
    const written = { kept: sold - refunds, refunded: refunds, done, events: done, told: sold }
    assert.deepEqual(await writtenOf(merchant), written)
    const ledger = [...account.ledger().values()]
    assert.equal(ledger.length, sold)
    for (const { charges: made, taken } of ledger) assert.deepEqual([made, taken], [1, 10_000])
    assert.equal(ledger.filter(({ refunded }) => refunded === 10_000).length, refunds)
    // Put off while something of ours was to be settled first, and taken when it was said again; never refused.
    const answers = new Set(account.webhooks.delivered.map(({ status }) => status))
    assert.deepEqual(
      [...answers].filter(status => status !== 503),
      [200],
    )
    assert.deepEqual(account.webhooks.refused(), [])
    assert.deepEqual(account.complaints, [])
    await audited(service.database.sql, merchant)
  } finally {
    await account.close()
  }
})
