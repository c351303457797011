// What no gateway proves: it is asked for three days and every ask is shown; then, or before, a person settles it beside the
// running service, on record, and the merchant is told as if the gateway had said so.

import assert from 'node:assert/strict'
import { after, before, type TestContext, test } from 'node:test'
import type { MerchantId, TransactionId } from '../src/core/ids.ts'
import { loadSale } from '../src/store/sale-reading.ts'
import { keepLateSuccess } from '../src/store/sweeping.ts'
import { answered } from './support/answers.ts'
import { audited } from './support/audited.ts'
import { type BadLine, connectBadLine } from './support/bad-line.ts'
import type { Client } from './support/client.ts'
import { type Ended, openCommandLine, refusedWith } from './support/command.ts'
import { startCommitLosingProxy } from './support/commit-losing-proxy.ts'
import { type MerchantEndpoint, startEndpoint } from './support/merchant-endpoint.ts'
import { startTestService, type TestService } from './support/service.ts'
import { until } from './support/until.ts'

const tillbell = openCommandLine()

type Seller = Client & { readonly merchant: string }

let service: TestService
let receiver: MerchantEndpoint
let seller: Seller
let line: BadLine
before(async () => {
  service = await startTestService()
  receiver = await startEndpoint(response => void response.writeHead(200).end())
  seller = await service.newMerchant()
  line = await connectBadLine(seller)
  for (const kind of ['generic', 'update']) {
    answered(await seller.ask('hook_endpoints', { form: { kind, url: receiver.url } }), 200)
  }
})
after(async () => {
  await line.close()
  await receiver.close()
  await service.stop()
})

const doubt = (t: TestContext, ...words: string[]): Promise<Ended> => {
  const place = { DATABASE_URL: service.database.url, TILLBELL_DATA: service.dataFolder, TILLBELL_LOG: 'error' }
  return tillbell(t, ['doubt', ...words], place)
}

async function said(t: TestContext, ...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await doubt(t, ...words)
  assert.deepEqual([code, stderr], [0, ''])
  return stdout
}

const resolve = (operation: string, as: string, ...more: string[]) => [
  ...['resolve', operation, '--as', as, '--by', 'Ada', '--note', 'Seen in the dashboard.', ...more],
]

const told = (transaction: string) =>
  receiver.received
    .map(({ body }) => JSON.parse(new URLSearchParams(body).get('details') ?? ''))
    .filter(details => details.transaction === transaction)
    .map(({ type }) => type)

async function isTold(transaction: string, types: readonly string[]): Promise<void> {
  await until(`${types} are told`, async () => told(transaction).length >= types.length)
  assert.deepEqual(told(transaction), types)
}

interface InDoubt {
  readonly id: string
  readonly operation: string
  readonly offer: string
  readonly again: () => ReturnType<Client['charge']>
}

/** With a gateway that cannot be asked: where it can, its own word decides. */
async function whileDead<Result>(work: () => Promise<Result>): Promise<Result> {
  line.isDead = true
  return work().finally(() => {
    line.isDead = false
  })
}

test('what the gateway proves counts, whatever a person says', async t => {
  const { id, operation } = await chargeInDoubt()
  const refusal = await doubt(t, ...resolve(operation, 'succeeded', '--gateway-ref', 'ch_0'))
  refusedWith(refusal, 1, /The gateway says that the charge was not made: it is settled so/)
  assert.equal(await statusOf(id), 'Failed')
  assert.equal((await operationNow(operation)).outcome, 'not_sent')
  await isTold(id, ['error'])
})

let keys = 0
/** A charge that does not arrive at the gateway. */
async function chargeInDoubt(more: { readonly [name: string]: string | number } = {}): Promise<InDoubt> {
  keys += 1
  const offer = await seller.makeOffer(more)
  const key = `key-${keys}`
  const again = () => seller.charge(offer, line.card, { key })
  line.loses = true
  const { id } = answered(await again(), 202).json.transaction
  line.loses = false
  // Nobody asks by himself, unless a test says so.
  const [row] = await service.database.sql<
    { id: string }[]
  >`update operation set next_ask_at = next_ask_at + interval '1 hour'
    where transaction_id = ${id} returning id`
  return { id, offer, again, operation: row?.id ?? assert.fail('no operation') }
}

async function operationNow(id: string) {
  const [row] = await service.database.sql<
    { outcome: string; forPerson: string | null; gatewayRef: string | null; sendings: number }[]
  >`select outcome, for_person, gateway_ref, sendings from operation where id = ${id}`
  return row ?? assert.fail('no operation')
}

const statusOf = async (id: string) => answered(await seller.ask(`transactions/${id}`), 200).json.transaction.status
const stockOf = async (offer: string) => answered(await seller.ask(`offers/${offer}`), 200).json.offer.stock

test('it is asked for three days on the schedule, every ask is shown, and then only a person can say', async t => {
  const { demo } = service
  const offer = await seller.makeOffer()
  line.isDead = true
  t.after(() => {
    line.isDead = false
  })
  const { id, created_at } = answered(await seller.charge(offer, line.card), 202).json.transaction
  answered(await demo.ask('sandbox/clock', { form: { advance_s: 3 * 86_400 + 3_600 } }), 200)
  assert.equal(await statusOf(id), 'Processing', 'and nothing was guessed')

  const [listed, ...others] = JSON.parse(await said(t, 'list', '--json'))
  assert.deepEqual([listed.transaction, others], [id, []])
  const { operation, merchant, kind, amount, gateway, since, asks, next_ask_at, for_person, last_heard } = listed
  assert.deepEqual([merchant, kind, amount, gateway], [seller.merchant, 'charge', '100.00', line.gateway])
  assert.deepEqual([asks, next_ask_at], [75, null])
  assert.match(for_person, /asked for three days and proved nothing/)
  assert.match(last_heard, /ECONNRESET|closed/)
  assert.ok(Math.abs(Date.parse(since) - Date.parse(created_at)) < 1_000)

  const { asked, resolutions } = JSON.parse(await said(t, 'show', operation, '--json'))
  assert.deepEqual([asked.length, resolutions], [75, []])
  const afterS = (index: number) => Math.floor((Date.parse(asked[index].at) - Date.parse(since)) / 1_000)
  for (const [index, dueS] of [5, 35, 155, 300, 3_900].entries()) {
    const lateS = afterS(index) - dueS
    assert.ok(lateS >= 0 && lateS < 60, `ask ${index + 1} came ${lateS} s late`)
  }
  assert.ok(afterS(74) <= 3 * 86_400)
  const steps = asked.map(({ step }: { step: string }) => step)
  assert.deepEqual(steps, [...Array(3).fill('send_again'), ...Array(72).fill('fence_and_look_up')])
  const exchange = (index: number) => asked[index].heard.join('\n')
  assert.match(
    exchange(0),
    /^before that -> The [^\n]+\nPOST \/operations -> The connection[^\n]+\n= Still in doubt\. The/,
  )
  assert.match(
    exchange(3),
    /^POST \/operations\/\S+\/fence -> The [^\n]+\nGET \/operations\/\S+ -> The [^\n]+\n= Still in doubt\. The [^\n]+$/,
  )
  assert.match(exchange(74), /\n= Left to a person\. The gateway was asked for three days/)

  assert.match(
    await said(t, ...resolve(operation, 'not-made')),
    /the charge was not made\. Transaction \S+ is Failed\./,
  )
  await isTold(id, ['error'])
})

test('a charge that succeeded is told, answered from then on, and can be given back', async t => {
  const { id, operation, again } = await chargeInDoubt()
  await line.arrive()
  const text = await said(t, 'list', '--merchant', seller.merchant)
  assert.match(text, /^OPERATION +KIND +AMOUNT +SINCE +OUTCOME +ASKS +NEXT ASK\n/)
  const place = `transaction ${id} of ${seller.merchant}, at ${line.gateway}`
  const row = `${operation} +charge +\\$100\\.00 +\\S+ +unknown +0 +\\S+\n  ${place}\n  last heard: The connection `
  assert.match(text, new RegExp(row))
  const ref = `sandbox_charge_${operation}`
  const named = resolve(operation, 'succeeded', '--gateway-ref', ref, '--json')
  const unanswered = await whileDead(() => doubt(t, ...named))
  refusedWith(unanswered, 1, /did not answer, so the reference \S+ cannot be checked\. Nothing has changed: try again/)
  assert.deepEqual([await statusOf(id), (await operationNow(operation)).gatewayRef], ['Processing', null])
  assert.match(await said(t, 'list'), new RegExp(operation))
  const resolved = JSON.parse(await said(t, ...named))
  assert.deepEqual(
    [resolved.outcome, resolved.gateway_ref, resolved.transaction_status],
    ['succeeded', ref, 'Successful'],
  )
  const [{ at, ...resolution }] = resolved.resolutions
  assert.deepEqual(resolution, { verdict: 'succeeded', by: 'Ada', note: 'Seen in the dashboard.', answers: null })
  assert.match(at, /^\d{4}-\d\d-\d\dT/)
  await isTold(id, ['success'])
  const repeated = answered(await again(), 200)
  assert.deepEqual([repeated.json.transaction.status, repeated.headers['idempotent-replayed']], ['Successful', 'true'])

  const other = await chargeInDoubt()
  const [second, namesake] = await Promise.all([
    doubt(t, ...resolve(operation, 'not-made')),
    doubt(t, ...resolve(other.operation, 'succeeded', '--gateway-ref', ref)),
  ])
  refusedWith(second, 1, /settled already: it succeeded/)
  refusedWith(namesake, 1, new RegExp(`${ref} is that of a charge of transaction ${id} already`))
  await service.database.sql`update operation set next_ask_at = created_at where id = ${other.operation}`
  answered(await seller.ask('transactions/refunds', { form: { transaction: id } }), 200)
  await until('the service asks, and it is made', async () => (await statusOf(other.id)) === 'Successful')
})

test('who is just asking is not disturbed; what he learns too late waits for a person, and is accepted', async t => {
  const { sql } = service.database
  const { id, operation, offer, again } = await chargeInDoubt({ stock: 1 })
  const held = Promise.withResolvers<void>()
  line.holds = held.promise
  t.after(() => held.resolve())
  const sendings = line.sendings
  await sql`update operation set next_ask_at = created_at where id = ${operation}`
  await until('the service asks again', async () => line.sendings > sendings)
  refusedWith(await doubt(t, ...resolve(operation, 'not-made')), 1, /being asked about just now; try again/)

  // Its lease is over, and it hangs still.
  await sql`update operation set lease_until = now() where id = ${operation}`
  const decided = await whileDead(() => said(t, ...resolve(operation, 'not-made')))
  assert.match(decided, /was not made\. Transaction \S+ is Failed/)
  await isTold(id, ['error'])
  assert.equal((await again()).status, 502)
  assert.equal(await stockOf(offer), 1)
  line.holds = null
  const bought = answered(await seller.charge(offer, line.card), 200).json.transaction
  held.resolve()
  await until('the late success is kept', async () => (await operationNow(operation)).forPerson !== null)
  assert.match(service.logged(), /reports a success for a charge that was settled as not_sent/)
  assert.deepEqual([await statusOf(id), told(id)], ['Failed', ['error']], 'nothing is done about it by itself')

  assert.match(
    await said(t, ...resolve(operation, 'succeeded')),
    /the charge succeeded\. Transaction \S+ is Successful/,
  )
  await isTold(id, ['error', 'success'])
  assert.equal(await stockOf(offer), -1, 'one more was sold than there was')
  assert.equal((await again()).status, 502, 'what was answered once stays so')
  answered(await seller.ask('transactions/refunds', { form: { transaction: id } }), 200)
  answered(await seller.ask('transactions/refunds', { form: { transaction: bought.id } }), 200)
  const shown = await said(t, 'show', operation)
  assert.match(shown, /^outcome: succeeded$/m)
  assert.match(shown, /\nDecided:\n\S+ {2}Ada: not_made\. Seen in the dashboard\.\n\S+ {2}Ada: succeeded\. /)
})

test('a late success whose money was given back by hand is dismissed, and does not come back', async t => {
  const { sql } = service.database
  const declined = await seller.charge(await seller.makeOffer(), await seller.storeCard('4012888888881881'))
  const { id } = answered(declined, 402).json.transaction
  const [row] = await sql<{ id: string }[]>`update operation set for_person = 'The gateway reports a success.'
    where transaction_id = ${id} returning id`
  const operation = row?.id ?? assert.fail('no operation')
  const silent = await doubt(t, ...resolve(operation, 'dismissed'))
  refusedWith(silent, 1, /To dismiss what is said of the charge.* --answers 'The gateway reports a success\.'/)
  const others = await doubt(t, ...resolve(operation, 'dismissed', '--answers', 'It was something else.'))
  refusedWith(
    others,
    1,
    /has changed meanwhile, and nothing was dismissed\. It now says: The gateway reports a success\./,
  )
  const answer = ['--answers', 'The gateway reports a success.']
  assert.match(
    await said(t, ...resolve(operation, 'dismissed', ...answer)),
    /the charge is dismissed\. Transaction \S+ is Failed/,
  )
  assert.deepEqual([await statusOf(id), told(id)], ['Failed', ['error']])
  const [nothing, all] = await Promise.all([said(t, 'list'), said(t, 'list', '--all', '--json')])
  assert.equal(nothing, 'Nothing is in doubt.\n')
  assert.ok(JSON.parse(all).some((each: { operation: string }) => each.operation === operation))
  const sale = await loadSale(sql, seller.merchant as MerchantId, id as TransactionId)
  const charge = sale?.operations.find(each => each.id === operation) ?? assert.fail('no operation')
  assert.equal(await keepLateSuccess(sql, charge, 'The gateway reports a success.'), false)
  assert.equal((await operationNow(operation)).forPerson, null)
  assert.equal(await keepLateSuccess(sql, charge, 'The gateway reports something else.'), true)
  await said(t, ...resolve(operation, 'dismissed', '--answers', 'The gateway reports something else.'))
  assert.match(
    await said(t, 'show', operation),
    /Ada: dismissed\. .*\n {2}in answer to: The gateway reports a success\.\n/,
  )
})

test('a verdict whose commit was made and not heard of is told as made, and is there once', async t => {
  const { sql, url } = service.database
  const declined = await seller.charge(await seller.makeOffer(), await seller.storeCard('4012888888881881'))
  const { id } = answered(declined, 402).json.transaction
  const [row] = await sql<{ id: string }[]>`update operation set for_person = 'The gateway reports a success.'
    where transaction_id = ${id} returning id`
  const operation = row?.id ?? assert.fail('no operation')
  const proxy = await startCommitLosingProxy(url, () => (proxy.fates.length === 0 ? 'is not heard of' : 'passes'))
  t.after(() => proxy.close())
  const place = { DATABASE_URL: proxy.url, TILLBELL_DATA: service.dataFolder, TILLBELL_LOG: 'error' }
  const { code, stdout } = await tillbell(
    t,
    ['doubt', ...resolve(operation, 'dismissed', '--answers', 'The gateway reports a success.')],
    place,
  )
  assert.match(stdout, /the charge is dismissed\. Transaction \S+ is Failed/)
  assert.deepEqual([code, proxy.fates[0]], [0, 'is not heard of'])
  assert.equal((await sql`select from resolution where operation_id = ${operation}`).length, 1)
})

test('a success of another amount is not booked as the amount asked', async t => {
  const charged = await seller.charge(await seller.makeOffer(), await seller.storeCard('4000001000015008'))
  const { id } = answered(charged, 202).json.transaction
  const [row] = await service.database.sql<{ id: string }[]>`select id from operation where transaction_id = ${id}`
  const operation = row?.id ?? assert.fail('no operation')
  assert.match(await said(t, 'show', operation), /\nIt was not asked about again\.\n$/)
  const refusal = await doubt(t, ...resolve(operation, 'succeeded'))
  refusedWith(refusal, 1, /reports \$99\.99 where \$100\.00 was asked\. .*Give all of it back.* settle it as not-made/)
  assert.equal(await statusOf(id), 'Processing')
  assert.match(await said(t, ...resolve(operation, 'not-made')), /the charge was not made\. Transaction \S+ is Failed/)
})

test('what cannot be settled is one sentence', async t => {
  const nobody = '0192aaaa-0000-7000-8000-000000000001'
  const [unknown, noVerdict, noRef, ...badNames] = await Promise.all([
    doubt(t, 'show', nobody),
    doubt(t, ...resolve(nobody, 'maybe')),
    doubt(t, ...resolve('x', 'dismissed', '--gateway-ref', 'ch_2')),
    ...['4111111111111111', 'ch 2', 'c'.repeat(256)].map(ref =>
      doubt(t, ...resolve(nobody, 'succeeded', '--gateway-ref', ref)),
    ),
    doubt(t, 'resolve', nobody, '--as', 'not-made', '--by', 'A'.repeat(101), '--note', 'Seen.'),
  ])
  refusedWith(unknown, 4, /no such operation/)
  refusedWith(noVerdict, 2, /--as must be one of succeeded, not-made, dismissed/)
  refusedWith(noRef, 2, /--gateway-ref is for what succeeded/)
  const [cardNumber, blank, long, longName] = badNames as [Ended, Ended, Ended, Ended]
  refusedWith(cardNumber, 2, /--gateway-ref may be a card number/)
  for (const each of [blank, long]) refusedWith(each, 2, /--gateway-ref must be 1 to 255 visible characters/)
  refusedWith(longName, 2, /--by must have at most 100 characters/)
})

test('a long list is whole for programs, and says for people that it is not', async t => {
  const { sql } = service.database
  const { operation } = await chargeInDoubt()
  const facts = { kind: 'refund', outcome: 'not_sent', for_person: 'Many of them.', settled_at: new Date() }
  await sql`insert into operation select (made).* from (
    select jsonb_populate_record(o, ${sql.json(facts as never)}::jsonb || jsonb_build_object('id', gen_random_uuid())) as made
    from operation o, generate_series(1, 1100) where o.id = ${operation}) s`
  t.after(() => sql`delete from operation where for_person = 'Many of them.'`)
  const listed: { for_person: string | null }[] = JSON.parse(await said(t, 'list', '--json'))
  assert.equal(listed.filter(each => each.for_person === 'Many of them.').length, 1_100)
  assert.match(await said(t, 'list'), /\nThese are the oldest 1000\. --json prints all of them\.\n$/)
})

test('after all of it, every change has just what it owes', async () => {
  await audited(service.database.sql)
})
