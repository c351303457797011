// A repetition at Stripe is the same request, parameter by parameter: also after the card was renewed, and from a release that
// would send something else.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answered } from './support/answers.ts'
import { openStripeShop } from './support/stripe/shop.ts'

const { service, stripe, shop, connected, record } = await openStripeShop()
const { sql } = service.database

const advance = async (seconds: number) =>
  answered(await service.demo.ask('sandbox/clock', { form: { advance_s: seconds } }), 200)

const operationOf = async (transaction: string) => {
  const [row] = await sql<{ id: string; request: Stored }[]>`
    select id, request from operation where transaction_id = ${transaction} order by id desc limit 1`
  return row ?? assert.fail('no operation')
}
/** As if a release with another version of Stripe's API, and with more to say, had begun the newest operation. */
async function begunElsewhere(transaction: string): Promise<string> {
  const { id, request } = await operationOf(transaction)
  const { parameters } = request.wire
  const metadata = { ...parameters.metadata, begun_by: 'an older release' }
  const older = { ...request, wire: { apiVersion: '2024-06-20', parameters: { ...parameters, metadata } } }
  await sql`update operation set request = ${JSON.stringify(older)}::json where id = ${id}`
  return id
}

interface Stored {
  readonly wire: { readonly parameters: { readonly metadata: object } }
}

const askedUnder = (key: string) => stripe.asked.filter(asked => asked.key === key && asked.method === 'POST')

test('a charge that got lost is sent again as it was, whatever its card is called by now', async () => {
  const card = await connected.card()
  stripe.faults.next({ kind: 'reset', at: 'before' }, ({ path }) => path === '/v1/payment_intents')
  const { id } = answered(await shop.charge(await shop.makeOffer(), card), 202).json.transaction
  await sql`update card set card_ref = 'cus_other/pm_other' where token = ${card}`
  await advance(10)
  assert.equal((await record(id)).status, 'Successful')
  const [first, second, ...others] = askedUnder((await operationOf(id)).id)
  assert.deepEqual([second, others], [first, []])
})

test('a charge and a refund that another release began are sent as that release stored them', async () => {
  stripe.faults.next({ kind: 'reset', at: 'before' }, ({ path }) => path === '/v1/payment_intents')
  const { id } = answered(await shop.charge(await shop.makeOffer(), await connected.card()), 202).json.transaction
  const charge = await begunElsewhere(id)
  await advance(10)
  assert.equal((await record(id)).status, 'Successful')

  stripe.faults.next({ kind: 'reset', at: 'before' }, ({ path }) => path === '/v1/refunds')
  answered(await shop.ask('transactions/refunds', { form: { transaction: id } }), 202)
  const refund = await begunElsewhere(id)
  await advance(10)
  assert.equal((await record(id)).status, 'Refunded')

  for (const operation of [charge, refund]) {
    const last = askedUnder(operation).at(-1) ?? assert.fail('it was not sent again')
    assert.equal(JSON.stringify(last.form).includes('an older release'), true)
    assert.equal(last.version, '2024-06-20')
  }
})
