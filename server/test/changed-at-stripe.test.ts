// What somebody does in Stripe's dashboard against what our books say: a capture of what a person had settled as voided, a
// payment whose metadata is gone, a capture of more than was authorised. Each is written where it can be, and listed where not.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { answered, answeredAbout } from './support/answers.ts'
import { audited } from './support/audited.ts'
import { openCommandLine } from './support/command.ts'
import { openStripeShop } from './support/stripe/shop.ts'
import { until } from './support/until.ts'

const tillbell = openCommandLine()

const { service, stripe, shop, connected, record } = await openStripeShop()
const { sql } = service.database
const place = { DATABASE_URL: service.database.url, TILLBELL_DATA: service.dataFolder, TILLBELL_LOG: 'error' }

async function command(t: TestContext, ...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await tillbell(t, words, place)
  assert.deepEqual([code, stderr], [0, ''])
  return stdout
}

const decide = (t: TestContext, operation: string, as: string, ...more: string[]) =>
  command(t, ...['doubt', 'resolve', operation, '--as', as, '--by', 'Ada', '--note', 'Seen there.', ...more])

async function sold(form: { readonly [name: string]: string } = {}): Promise<string> {
  const charged = await shop.charge(await shop.makeOffer(), await connected.card(), { form })
  const { id } = answeredAbout(charged, 200).json.transaction
  await stripe.webhooks.settled()
  return id
}
const authorised = () => sold({ authorization_only: 'true' })

interface Row {
  readonly id: string
  readonly kind: string
  readonly outcome: string
  readonly amountMinor: bigint
  readonly forPerson: string | null
}
const operationsOf = (id: string) => sql<Row[]>`select id, kind, outcome, amount_minor, for_person from operation
  where transaction_id = ${id} order by id`

async function operationOf(id: string, kind: string): Promise<Row> {
  return (await operationsOf(id)).find(each => each.kind === kind) ?? assert.fail(`no ${kind}`)
}

/** Somebody reads why it is listed, and dismisses just that. */
async function dismiss(t: TestContext, id: string, kind: string): Promise<void> {
  const { id: operation, forPerson } = await operationOf(id, kind)
  await decide(t, operation, 'dismissed', '--answers', forPerson ?? assert.fail('it is not listed'))
}

const errorsAbout = (id: string) =>
  service
    .logged()
    .split('\n')
    .filter(line => line.includes(id) && line.includes('"level":"error"'))

test('what a person had settled as voided, and somebody captures at Stripe, is listed', async t => {
  const id = await authorised()
  stripe.faults.always({ kind: 'reset', at: 'before' })
  answered(await shop.ask(`transactions/${id}/void`, { method: 'POST' }), 202)
  await decide(t, (await operationOf(id, 'void')).id, 'succeeded')
  stripe.faults.clear()
  await until('it is listed', async () => (await operationOf(id, 'void')).forPerson !== null)
  assert.match(String((await operationOf(id, 'void')).forPerson), /does not know of a void/)
  await dismiss(t, id, 'void')
  await until('nothing is left to be asked', async () => {
    const rows = await sql`select from operation where transaction_id = ${id} and next_ask_at is not null`
    return rows.length === 0
  })

  await stripe.dashboard.capture(connected.intentOf(id).id)
  await stripe.webhooks.settled()
  const says = 'The gateway reports a capture of $100.00 for what is Voided.'
  assert.deepEqual([(await record(id)).status, (await operationOf(id, 'void')).forPerson], ['Voided', says])
  assert.ok(
    errorsAbout(id).some(line => line.includes(says)),
    'and told in the log',
  )
  assert.match(await command(t, 'doubt', 'list'), new RegExp(id))
})

/** Somebody edits the payment's metadata at Stripe. */
function withMetadata(id: string, metadata: { readonly [name: string]: string }): string {
  const intent = connected.intentOf(id)
  intent.metadata = metadata
  return intent.id
}

test('a refund and a dispute of a payment whose metadata is gone arrive, by the reference that Stripe gave us', async t => {
  const id = await sold()
  const intent = withMetadata(id, { 'a note': 'of the merchant' })
  await stripe.dashboard.refund(intent, 4_000)
  await stripe.dashboard.openDispute(intent, 6_000)
  await stripe.webhooks.settled()
  const { status, refund, dispute } = await record(id)
  assert.deepEqual([status, refund?.refunded_amount, dispute?.amount], ['Partially Refunded', '40.00', '60.00'])
  assert.doesNotMatch(await command(t, 'doubt', 'list'), new RegExp(id))
})

test('an authorisation whose metadata is gone ends here as it ended at Stripe', async () => {
  const id = await authorised()
  await stripe.dashboard.capture(withMetadata(id, {}), 6_000)
  await stripe.webhooks.settled()
  const { status, net_amount } = await record(id)
  assert.deepEqual([status, net_amount], ['Successful', '57.96'])
})

test('a payment of ours that now bears the ids of another gateway is written nowhere, and told in the log', async () => {
  const id = await sold()
  const { metadata } = connected.intentOf(id)
  const intent = withMetadata(id, { ...metadata, tillbell_gateway: 'gw_AAAAAAAAAAAAAAAAAAAAAA' })
  await stripe.dashboard.openDispute(intent, 6_000)
  await stripe.webhooks.settled()
  assert.equal((await record(id)).dispute, undefined)
  const says = `The gateway told of ${intent}, which is a payment of ours by its reference, and reports none of ours there.`
  assert.ok(
    errorsAbout(id).some(line => line.includes(says)),
    errorsAbout(id).join('\n'),
  )
})

test('a reference that a person gave is not followed where the payment does not say whose it is, and that is told', async t => {
  const card = await connected.card()
  stripe.webhooks.moments = () => []
  stripe.faults.next({ kind: 'reset', at: 'after' }, ({ method }) => method === 'POST')
  stripe.faults.always({ kind: 'reset', at: 'before' }, ({ method, path }) => {
    return method !== 'GET' || !/\/payment_intents\/pi_\w+$/.test(path)
  })
  const { id } = answered(await shop.charge(await shop.makeOffer(), card), 202).json.transaction
  const { id: intent } = connected.intentOf(id)
  await decide(t, (await operationOf(id, 'charge')).id, 'succeeded', '--gateway-ref', intent)
  stripe.faults.clear()
  stripe.webhooks.moments = () => ['after']
  await until('nothing is left to be asked', async () => {
    const rows = await sql`select from operation where transaction_id = ${id} and next_ask_at is not null`
    return rows.length === 0
  })
  withMetadata(id, {})
  await stripe.dashboard.refund(intent, 4_000)
  await stripe.webhooks.settled()
  assert.equal((await record(id)).status, 'Successful')
  assert.ok(
    errorsAbout(id).some(line => line.includes(`The gateway told of ${intent}`)),
    errorsAbout(id).join('\n'),
  )
})

/** The authorisation is raised by $20.00 at Stripe, and captured in its dashboard. */
async function captureBeyond(id: string): Promise<string> {
  const intent = connected.intentOf(id)
  const charge = stripe.state.find('charge', intent.latest_charge) ?? assert.fail('no charge')
  const raised = intent.amount + 2_000
  Object.assign(intent, { amount: raised, amount_capturable: raised })
  Object.assign(charge, { amount: raised })
  await stripe.dashboard.capture(intent.id)
  await stripe.webhooks.settled()
  return intent.id
}

async function capturedBeyond(): Promise<{ readonly id: string; readonly intent: string }> {
  const id = await authorised()
  return { id, intent: await captureBeyond(id) }
}

const beyond =
  'The gateway captured $120.00, and $100.00 of it is written here. Give the difference of $20.00 back there, or keep it outside these books; then dismiss this.'

test('of a capture of more than was authorised, what was authorised is written, and the rest is listed until it is dismissed', async t => {
  const { id, intent } = await capturedBeyond()
  assert.deepEqual([(await record(id)).status, (await operationOf(id, 'capture')).amountMinor], ['Successful', 10_000n])
  assert.equal((await operationOf(id, 'capture')).forPerson, beyond)
  assert.equal(errorsAbout(id).filter(line => line.includes(beyond)).length, 1, 'told in the log, once')
  assert.match(await command(t, 'doubt', 'list'), new RegExp(id))
  const events = await sql<{ type: string }[]>`select type from event where transaction_id = ${id} order by id`
  assert.deepEqual(
    events.map(({ type }) => type),
    ['success', 'success'],
  )

  await stripe.dashboard.refund(intent, 2_000)
  await stripe.webhooks.settled()
  const { status, refunds } = await record(id)
  assert.deepEqual([status, refunds], ['Successful', undefined], 'what comes back of the rest is no refund of the sale')
  await dismiss(t, id, 'capture')
  await until('nothing is left to be asked', async () => {
    const rows = await sql`select from operation where transaction_id = ${id} and next_ask_at is not null`
    return rows.length === 0
  })
  assert.doesNotMatch(await command(t, 'doubt', 'list'), new RegExp(id))

  answered(await shop.ask('transactions/refunds', { form: { transaction: id } }), 200)
  await stripe.webhooks.settled()
  assert.deepEqual(
    [(await record(id)).status, stripe.ledger().get(id)?.refunded],
    ['Refunded', 12_000],
    'all of the sale can be given back',
  )
})

test('a refund of more than was captured beyond the authorisation gives back the rest of it from the sale', async () => {
  const { id, intent } = await capturedBeyond()
  await stripe.dashboard.refund(intent, 5_000)
  await stripe.webhooks.settled()
  const { status, refund } = await record(id)
  assert.deepEqual([status, refund.refunded_amount], ['Partially Refunded', '30.00'])
  await stripe.dashboard.refund(intent)
  await stripe.webhooks.settled()
  assert.equal((await record(id)).status, 'Refunded')
})

test('a refund that waited for a person is written, when it can be, without what was captured beyond the authorisation', async t => {
  const { id, intent } = await capturedBeyond()
  stripe.faults.always({ kind: 'reset', at: 'before' })
  answered(await shop.ask('transactions/refunds', { form: { transaction: id } }), 202)
  const { id: ours } = await operationOf(id, 'refund')
  await until('nobody is at it', async () => {
    const left = await sql`update operation set for_person = 'Who knows.', next_ask_at = null
      where id = ${ours} and outcome = 'unknown' and lease_until <= now()`
    return left.count === 1
  })
  stripe.faults.clear()
  await stripe.dashboard.refund(intent, 5_000)
  await stripe.webhooks.settled()
  const kept = (await operationsOf(id)).find(each => each.kind === 'refund' && each.id !== ours)
  assert.match(String(kept?.forPerson), /a refund of \$50\.00, which cannot be written before a person/)

  await decide(t, ours, 'not-made')
  await stripe.dashboard.openDispute(intent, 1_000)
  await stripe.webhooks.settled()
  const { status, refund } = await record(id)
  assert.deepEqual([status, refund.refunded_amount], ['Partially Refunded', '30.00'])
  assert.deepEqual(
    (await operationsOf(id)).map(({ kind, outcome, amountMinor }) => [kind, outcome, amountMinor]),
    [
      ['charge', 'succeeded', 10_000n],
      ['capture', 'succeeded', 10_000n],
      ['refund', 'not_sent', 10_000n],
      ['refund', 'succeeded', 3_000n],
    ],
  )
})

test('our own capture, which finds that more was captured at Stripe, is declined, and what was authorised is written', async () => {
  const id = await authorised()
  stripe.webhooks.moments = () => ['held']
  await captureBeyond(id)
  const asked = answered(await shop.ask(`transactions/${id}/capture`, { method: 'POST' }), 402)
  assert.match(asked.text, /not in a state that allows this/)
  stripe.webhooks.moments = () => ['after']
  await stripe.webhooks.release()
  await stripe.webhooks.settled()
  assert.equal((await record(id)).status, 'Successful')
  assert.ok((await operationsOf(id)).some(({ forPerson }) => forPerson === beyond))
  assert.equal(stripe.ledger().get(id)?.taken, 12_000)
})

/** Asked for while Stripe does not answer, until a person has to look. */
async function waitingForPerson(
  kind: 'capture' | 'void',
): Promise<{ readonly id: string; readonly operation: string }> {
  const id = await authorised()
  stripe.faults.always({ kind: 'reset', at: 'before' })
  const form = kind === 'capture' ? { amount: '50.00' } : {}
  answered(await shop.ask(`transactions/${id}/${kind}`, { method: 'POST', form }), 202)
  answered(await service.demo.ask('sandbox/clock', { form: { advance_s: 76 * 3_600 } }), 200)
  stripe.faults.clear()
  const { id: operation, forPerson } = await operationOf(id, kind)
  assert.match(String(forPerson), /three days/)
  return { id, operation }
}

for (const kind of ['capture', 'void'] as const) {
  test(`an authorisation that is captured at Stripe while our ${kind} waits for a person is written once that is decided`, async t => {
    const { id, operation } = await waitingForPerson(kind)
    await stripe.dashboard.capture(connected.intentOf(id).id)
    await stripe.webhooks.settled()
    assert.equal((await record(id)).status, 'Authorized')
    await decide(t, operation, 'not-made')
    await until('the capture is written', async () => (await record(id)).status === 'Successful')
    assert.equal((await record(id)).captured_amount, '100.00')
    const [events] =
      await sql`select count(*)::int as count from event where transaction_id = ${id} and type = 'success'`
    assert.equal(events?.count, 2, 'of the authorisation, and of the capture')
    await audited(sql)
  })
}

test('an authorisation that is released at Stripe while our capture waits for a person is written once that is decided', async t => {
  const { id, operation } = await waitingForPerson('capture')
  await stripe.dashboard.cancel(connected.intentOf(id).id)
  await stripe.webhooks.settled()
  await decide(t, operation, 'not-made')
  await until('the release is written', async () => (await record(id)).status === 'Voided')
  await audited(sql)
})
