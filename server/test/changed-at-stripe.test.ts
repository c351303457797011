// What somebody does in Stripe's dashboard against what our books say: a capture of what a person had settled as voided, a
// payment whose metadata is gone, a capture of more than was authorised. Each is written where it can be, and listed where not.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { answered, answeredAbout } from './support/answers.ts'
import { tillbell } from './support/command.ts'
import { openStripeShop } from './support/stripe/shop.ts'
import { until } from './support/until.ts'

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
