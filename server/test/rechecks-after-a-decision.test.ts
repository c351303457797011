// After a person's decision the gateway is asked again, so that what it did otherwise, or meanwhile, is not missed. The
// decisions are made by a command, which ends with them: only what it has written down can lead to anything later.

import assert from 'node:assert/strict'
import { afterEach, type TestContext, test } from 'node:test'
import { answered } from './support/answers.ts'
import { type BadLine, connectBadLine } from './support/bad-line.ts'
import { openCommandLine } from './support/command.ts'
import { connectStripe } from './support/stripe/connected.ts'
import { openStripeShop } from './support/stripe/shop.ts'
import { until } from './support/until.ts'

const tillbell = openCommandLine()

const { service, stripe, shop, connected, record } = await openStripeShop()
const { sql } = service.database

afterEach(() => {
  stripe.webhooks.moments = () => ['after']
})

async function command(t: TestContext, ...words: string[]): Promise<string> {
  const place = { DATABASE_URL: service.database.url, TILLBELL_DATA: service.dataFolder, TILLBELL_LOG: 'error' }
  const { code, stdout, stderr } = await tillbell(t, words, place)
  assert.deepEqual([code, stderr], [0, ''])
  return stdout
}

const decide = (t: TestContext, operation: string, as: string, ...more: string[]) =>
  command(t, ...['doubt', 'resolve', operation, '--as', as, '--by', 'Ada', '--note', 'Seen there.', ...more])

/** Somebody reads why it is listed, and dismisses just that. */
async function dismiss(t: TestContext, transaction: string, kind = 'charge'): Promise<void> {
  const { id, forPerson } = await operationOf(transaction, kind)
  await decide(t, id, 'dismissed', '--answers', forPerson ?? assert.fail('it is not listed'))
}

async function operationOf(transaction: string, kind = 'charge') {
  const [row] = await sql<{ id: string; outcome: string; nextAskAt: Date | null; forPerson: string | null }[]>`
    select id, outcome, next_ask_at, for_person from operation where transaction_id = ${transaction} and kind = ${kind}`
  return row ?? assert.fail('no operation')
}

async function listedAs(transaction: string, kind = 'charge'): Promise<string> {
  await until('it is listed', async () => (await operationOf(transaction, kind)).forPerson !== null)
  return String((await operationOf(transaction, kind)).forPerson)
}

/** Somebody has seen to it: it is listed no more, also after the recheck which follows, and the books fit. */
async function isSeenTo(t: TestContext, transaction: string, kind = 'charge'): Promise<void> {
  const place = { DATABASE_URL: service.database.url, TILLBELL_DATA: service.dataFolder, TILLBELL_LOG: 'error' }
  const asked = async () => {
    const { id } = await operationOf(transaction, kind)
    return (await sql`select from ask where operation_id = ${id}`).length
  }
  const before = await asked()
  await dismiss(t, transaction, kind)
  await until('it was asked once more', async () => (await asked()) > before)
  assert.equal((await operationOf(transaction, kind)).forPerson, null)
  assert.doesNotMatch((await tillbell(t, ['audit'], place)).stdout, new RegExp(transaction))
}

/** Listed with this sentence, and told in the log. */
async function isTold(t: TestContext, transaction: string, says: RegExp, kind = 'charge'): Promise<void> {
  assert.match(await listedAs(transaction, kind), says)
  const about = service
    .logged()
    .split('\n')
    .filter(line => line.includes(transaction))
  assert.match(about.join('\n'), says)
  assert.match(await command(t, 'doubt', 'list'), new RegExp(transaction))
}

/**
 * Stripe gets the next request that changes something, and can then neither answer nor be asked; nor does it tell. What is still
 * asked about earlier operations, by their keys, is not that request.
 */
async function goAway(): Promise<void> {
  stripe.webhooks.moments = () => ['held']
  const earlier = (await sql<{ id: string }[]>`select id from operation`).map(({ id }) => id)
  const isNew = (key: string | null) => !earlier.some(id => key?.startsWith(id))
  stripe.faults.next({ kind: 'reset', at: 'after' }, ({ method, key }) => method === 'POST' && isNew(key))
  stripe.faults.always({ kind: 'reset', at: 'before' })
}

/** Stripe shows a payment to whoever knows its name. It lists none and changes none, so that no lookup proves anything. */
function answerByNameOnly(): void {
  stripe.faults.clear()
  stripe.faults.always({ kind: 'reset', at: 'before' }, ({ method, path }) => {
    return method !== 'GET' || !/\/payment_intents\/pi_\w+$/.test(path)
  })
}

async function comeBack(): Promise<void> {
  stripe.faults.clear()
  stripe.webhooks.moments = () => ['after']
  await stripe.webhooks.release()
  await stripe.webhooks.settled()
}

const charged = async (card: string, more = {}) =>
  answered(await shop.charge(await shop.makeOffer(more), card), 202).json.transaction.id as string

const later = async (seconds: number) =>
  answered(await service.demo.ask('sandbox/clock', { form: { advance_s: seconds } }), 200)
const threeDaysS = 3 * 86_400 + 7_200

/** Charged by Stripe, settled here as not made by a person while Stripe was away, and found to be made since. */
async function lateSuccess(t: TestContext): Promise<{ readonly id: string; readonly operation: string }> {
  const card = await connected.card()
  await goAway()
  const id = await charged(card)
  const operation = (await operationOf(id)).id
  await decide(t, operation, 'not-made')
  assert.equal((await record(id)).status, 'Failed')
  await comeBack()
  await until('the late success is kept', async () => (await operationOf(id)).forPerson !== null)
  return { id, operation }
}

test('a refund made while a late success waits for a person is written down once it is accepted', async t => {
  const { id, operation } = await lateSuccess(t)
  await stripe.dashboard.refund(connected.intentOf(id).id, 4_000)
  await stripe.dashboard.openDispute(connected.intentOf(id).id, 6_000)
  await stripe.webhooks.settled()
  const told = stripe.webhooks.delivered.length
  assert.equal((await record(id)).status, 'Failed')

  await decide(t, operation, 'succeeded')
  await until('the refund is written down', async () => (await record(id)).status === 'Partially Refunded')
  const { refunds, dispute } = await record(id)
  assert.deepEqual([refunds.length, dispute.amount], [1, '60.00'])
  await until('nothing is left to be asked', async () => (await operationOf(id)).nextAskAt === null)
  assert.equal(stripe.webhooks.delivered.length, told, 'Stripe did not tell again')
})

test('a gateway that does not answer after the decision is asked until it does', async t => {
  const { id, operation } = await lateSuccess(t)
  await stripe.dashboard.refund(connected.intentOf(id).id)
  await stripe.webhooks.settled()
  stripe.faults.always({ kind: 'reset', at: 'before' })
  await decide(t, operation, 'succeeded')
  await until('it was asked in vain', async () => {
    const asks = await sql`select from ask where operation_id = ${operation} and heard::text like '%not_now%'`
    return asks.length > 0
  })
  const { outcome, nextAskAt } = await operationOf(id)
  assert.deepEqual([outcome, nextAskAt !== null, (await record(id)).status], ['succeeded', true, 'Successful'])
  stripe.faults.clear()
  await until('the refund is written down', async () => (await record(id)).status === 'Refunded')
})

/** A charge that is still on its way to a gateway that cannot be asked, and that a person settles as not made. */
async function settledWhileOnItsWay(t: TestContext): Promise<{ readonly id: string; readonly line: BadLine }> {
  const seller = await service.newMerchant()
  const line = await connectBadLine(seller)
  t.after(() => line.close())
  line.loses = true
  const { id } = answered(await seller.charge(await seller.makeOffer(), line.card), 202).json.transaction
  line.isDead = true
  const said = await decide(t, (await operationOf(id)).id, 'not-made')
  assert.match(said, /may still carry it out\. It is looked up again for three days/)
  line.loses = false
  return { id, line }
}

test('a charge that the gateway carries out after a person settled it as not made is found, and kept for a person', async t => {
  const { id, line } = await settledWhileOnItsWay(t)
  assert.match(await line.arrive(), /succeeded/)
  line.isDead = false
  await until('the late success is kept', async () => (await operationOf(id)).forPerson !== null)
  await until('nothing is left to be asked', async () => (await operationOf(id)).nextAskAt === null)
  const { outcome, forPerson } = await operationOf(id)
  assert.equal(outcome, 'not_sent')
  assert.match(String(forPerson), /reports a success for a charge that was settled as not_sent/)
  assert.match(service.logged(), /reports a success for a charge that was settled as not_sent/)
  assert.match(await command(t, 'doubt', 'list'), new RegExp(id))
})

test('a charge that has not arrived when the gateway can be asked again is refused there from then on', async t => {
  const { id, line } = await settledWhileOnItsWay(t)
  line.isDead = false
  await until('it is proven', async () => (await operationOf(id)).nextAskAt === null)
  assert.doesNotMatch(await line.arrive(), /succeeded/)
  assert.equal((await operationOf(id)).forPerson, null)
})

const declining = { kind: 'declines', code: 'card_declined', decline_code: 'generic_decline' } as const

test('another amount at the gateway than the one a person accepted is told', async t => {
  const card = await connected.card()
  await goAway()
  const id = await charged(card)
  const intent = connected.intentOf(id)
  answerByNameOnly()
  await decide(t, (await operationOf(id)).id, 'succeeded', '--gateway-ref', intent.id)
  Object.assign(intent, { amount: 6_000, amount_received: 6_000 })
  const made = stripe.state.all('charge').find(each => each.id === intent.latest_charge) ?? assert.fail()
  Object.assign(made, { amount: 6_000, amount_captured: 6_000 })
  await comeBack()
  await isTold(t, id, /The gateway reports \$60\.00 where \$100\.00 was asked\./)
  await isSeenTo(t, id)
})

test('a capture that a person accepted and the gateway has not made is told', async t => {
  const held = await shop.charge(await shop.makeOffer({ authorization_only: 'true' }), await connected.card())
  const { id } = answered(held, 200).json.transaction
  await stripe.webhooks.settled() // they cannot be followed while Stripe is away
  stripe.faults.always({ kind: 'reset', at: 'before' })
  answered(await shop.ask(`transactions/${id}/capture`, { method: 'POST' }), 202)
  await decide(t, (await operationOf(id, 'capture')).id, 'succeeded')
  stripe.faults.clear()
  await isTold(t, id, /The gateway does not know of a capture that a person had settled as succeeded\./, 'capture')
  assert.equal(connected.intentOf(id).status, 'requires_capture')
  await isSeenTo(t, id, 'capture')
})

const ends = {
  capture: { form: { amount: '60.00' }, status: 'Successful' },
  void: { form: {}, status: 'Voided' },
} as const

for (const kind of ['capture', 'void'] as const) {
  for (const first of ['notice', 'recheck'] as const) {
    test(`a ${kind} that a person said was not made, and was, is written down once: the ${first} comes first`, async t => {
      const held = await shop.charge(await shop.makeOffer({ authorization_only: 'true' }), await connected.card())
      const { id } = answered(held, 200).json.transaction
      await stripe.webhooks.settled()
      await goAway()
      answered(await shop.ask(`transactions/${id}/${kind}`, { form: ends[kind].form }), 202)
      const { id: operation } = await operationOf(id, kind)
      await decide(t, operation, 'not-made')
      if (first === 'recheck') {
        stripe.faults.clear()
        await later(60)
        assert.match(await listedAs(id, kind), /reports a success/)
      }
      await comeBack()
      await until('it is written down', async () => (await record(id)).status === ends[kind].status)
      await later(3_600)
      const rows = await sql`select id, outcome, next_ask_at, for_person from operation
        where transaction_id = ${id} and kind = ${kind}`
      assert.deepEqual([...rows], [{ id: operation, outcome: 'succeeded', nextAskAt: null, forPerson: null }])
      assert.equal((await sql`select from event where transaction_id = ${id}`).length, 2)
      assert.equal(connected.intentOf(id).status, kind === 'capture' ? 'succeeded' : 'canceled')
    })
  }
}

test('a reference is refused while the gateway does not answer, and the operation stays in doubt', async t => {
  const card = await connected.card()
  await goAway()
  const id = await charged(card)
  const { id: operation } = await operationOf(id)
  const unanswered =
    /The gateway did not answer, so the reference \w+ cannot be checked\. Nothing has changed: try again/
  const right = connected.intentOf(id).id
  await assert.rejects(decide(t, operation, 'succeeded', '--gateway-ref', right), unanswered)
  assert.deepEqual([(await record(id)).status, (await record(id)).in_doubt], ['Processing', true])
  assert.match(await command(t, 'doubt', 'list'), new RegExp(id))
  assert.equal((await sql`select from resolution where operation_id = ${operation}`).length, 0)
  await comeBack()
  await until('it is settled by itself', async () => (await record(id)).status === 'Successful')

  await goAway()
  answered(await shop.ask('transactions/refunds', { form: { transaction: id, amount: '30.00' } }), 202)
  const { id: refund } = await operationOf(id, 'refund')
  const other = await stripe.dashboard.refund(right, 3_000)
  await assert.rejects(decide(t, refund, 'succeeded', '--gateway-ref', other), unanswered)
  await comeBack()
  await until('both refunds are written down', async () => (await record(id)).refunds.length === 2)
  const { refunds } = await record(id)
  const amounts = refunds.map((each: { readonly refunded_amount: string }) => each.refunded_amount)
  assert.deepEqual(amounts, ['30.00', '30.00'])
})

test('of two payments in doubt neither gets the reference of the other, and a refund is written to its own', async t => {
  const card = await connected.card()
  await goAway()
  const first = await charged(card)
  stripe.faults.clear()
  await goAway()
  const second = await charged(card)
  const ofSecond = connected.intentOf(second).id
  const give = async () => decide(t, (await operationOf(first)).id, 'succeeded', '--gateway-ref', ofSecond)
  await assert.rejects(give(), /cannot be checked/)
  answerByNameOnly()
  await assert.rejects(give(), /is not that of this charge/)
  await stripe.dashboard.refund(ofSecond, 3_000)
  await stripe.dashboard.openDispute(ofSecond, 7_000)
  await comeBack()
  for (const id of [first, second]) {
    await until('it is settled', async () => (await record(id)).status !== 'Processing')
  }
  await until('the refund is written down', async () => (await record(second)).status === 'Partially Refunded')
  await until('the dispute is written down', async () => (await record(second)).dispute?.amount === '70.00')
  const { status, refunds, dispute } = await record(first)
  assert.deepEqual([status, refunds, dispute], ['Successful', undefined, undefined])
})

test('a charge that a person accepted and that still waits for its customer is told', async t => {
  const card = await connected.cardWith({ kind: 'authenticates', evenOffSession: true, afterwards: 'pays' })
  await goAway()
  const id = await charged(card)
  const intent = connected.intentOf(id)
  assert.notEqual(intent.status, 'succeeded')
  const operation = (await operationOf(id)).id
  answerByNameOnly()
  await decide(t, operation, 'succeeded', '--gateway-ref', intent.id)
  await comeBack()
  await isTold(t, id, /still waits for its customer/)
  await until('it was asked', async () => (await sql`select from ask where operation_id = ${operation}`).length > 0)
  assert.notEqual((await operationOf(id)).nextAskAt, null, 'and it is asked about again')
  await isSeenTo(t, id)
})

test('who dismisses that a gateway was silent still hears of its success', async t => {
  const card = await connected.card()
  await goAway()
  const id = await charged(card)
  await decide(t, (await operationOf(id)).id, 'not-made')
  await later(threeDaysS)
  assert.match(await listedAs(id), /has not answered since the charge was settled as not made/)
  await dismiss(t, id)
  await comeBack()
  await isTold(t, id, /reports a success for a charge that was settled as not_sent/)

  await dismiss(t, id)
  await stripe.webhooks.release()
  await stripe.dashboard.openDispute(connected.intentOf(id).id, 100)
  await stripe.webhooks.settled()
  assert.equal((await operationOf(id)).forPerson, null, 'what was dismissed is no news')
})

test('who dismisses that a gateway was silent still hears of its decline', async t => {
  const card = await connected.cardWith(declining)
  await goAway()
  const id = await charged(card)
  answerByNameOnly()
  await decide(t, (await operationOf(id)).id, 'succeeded', '--gateway-ref', connected.intentOf(id).id)
  await goAway()
  await later(threeDaysS)
  assert.match(await listedAs(id), /has not answered since the charge was accepted/)
  await dismiss(t, id)
  await comeBack()
  await isTold(t, id, /reports as not made a charge that a person had settled as succeeded/)
  await dismiss(t, id)
})

test('a dismissal answers what was read and not what was said since, and answers it once', async t => {
  const card = await connected.card()
  await goAway()
  const id = await charged(card)
  const operation = (await operationOf(id)).id
  await decide(t, operation, 'not-made')
  await later(threeDaysS)
  const read = await listedAs(id)
  await comeBack()
  const isKept = async () =>
    (await sql`select from operation where id = ${operation} and more_for_person <> '{}'`).length
  await until('the success is kept', async () => (await isKept()) > 0)
  await decide(t, operation, 'dismissed', '--answers', read)
  assert.match(await listedAs(id), /reports a success/)
  await assert.rejects(decide(t, operation, 'dismissed', '--answers', read), /changed meanwhile/)
  assert.match(await listedAs(id), /reports a success/)
})

test('a decline that the gateway could still take back is asked about again after the decision', async t => {
  const card = await connected.cardWith(declining)
  await goAway()
  const id = await charged(card)
  stripe.faults.clear()
  stripe.faults.always({ kind: 'reset', at: 'before' }, ({ method }) => method === 'POST')
  await decide(t, (await operationOf(id)).id, 'not-made')
  assert.notEqual((await operationOf(id)).nextAskAt, null)
  stripe.faults.clear()
  await stripe.dashboard.payWithSecret(connected.intentOf(id).client_secret, 'pm_card_visa')
  await until('the success is found', async () => (await operationOf(id)).forPerson !== null)
  assert.match(await listedAs(id), /reports a success/)
})

test("another customer's payment is not taken for this one, and not refunded", async t => {
  const other = await service.newMerchant()
  const theirs = await connectStripe(other, stripe)
  const paid = answered(await other.charge(await other.makeOffer(), await theirs.card()), 200).json.transaction
  const wrong = theirs.intentOf(paid.id).id
  const card = await connected.card()
  await goAway()
  const id = await charged(card)
  const operation = (await operationOf(id)).id
  answerByNameOnly()
  await assert.rejects(decide(t, operation, 'succeeded', '--gateway-ref', wrong), /is not that of this charge/)
  const right = connected.intentOf(id).id
  await decide(t, operation, 'succeeded', '--gateway-ref', right)
  await comeBack()
  answered(await shop.ask('transactions/refunds', { form: { transaction: id } }), 200)
  const refundsOf = (ref: string) => stripe.state.all('refund').filter(each => each.payment_intent === ref).length
  assert.deepEqual([refundsOf(wrong), refundsOf(right)], [0, 1])
})
