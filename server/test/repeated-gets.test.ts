// A GET without a key that comes again because its answer was lost: within 60 seconds it gets the first answer, and charges nothing.

import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'
import { testCardThat } from '../src/gateways/sandbox/test-cards.ts'
import { migrate, readMigrations } from '../src/store/migrate.ts'
import { forgetWhatIsOver } from '../src/store/retention.ts'
import { answered, answeredAbout, booked, writingNothing } from './support/answers.ts'
import { type Answer, type Asked, Client, encodeForm } from './support/client.ts'
import { signedIn } from './support/console.ts'
import { emptyDatabase } from './support/database.ts'
import { expireLeases } from './support/leases.ts'
import { startTestService, type TestService } from './support/service.ts'
import { until } from './support/until.ts'
import { openCrashWorld } from './support/world.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.stop())

/** The same bytes, marked as a replay. */
function replays(first: Pick<Answer, 'status' | 'text'>, again: Answer): void {
  answered(again, first.status)
  assert.equal(again.text, first.text)
  assert.equal(again.headers['idempotent-replayed'], 'true')
}

function isFirst(answer: Answer, status = 200): Answer {
  assert.equal(answeredAbout(answer, status).headers['idempotent-replayed'], undefined)
  return answer
}

const charge = (offer: string, card = service.demo.card, asked: Asked = {}) =>
  service.demo.charge(offer, card, { method: 'GET', ...asked })

const refund = (form: { [name: string]: string }) => service.demo.ask('transactions/refunds', { method: 'GET', form })

const atOnce = (count: number, ask: () => Promise<Answer>) => Promise.all(Array.from({ length: count }, ask))

async function advance(seconds: number): Promise<Date> {
  const { json } = answered(await service.demo.ask('sandbox/clock', { form: { advance_s: seconds } }), 200)
  return new Date(json.clock.now)
}

async function transactionsOf(offer: string): Promise<string[]> {
  const rows = await service.database.sql<{ id: string }[]>`
    select id from transaction where offer_id = ${offer} order by id`
  return rows.map(({ id }) => id)
}

async function chargesOf(offer: string): Promise<number> {
  return (await booked(service.database.sql, 'charge', await transactionsOf(offer))).count
}

/** Sends a GET, and destroys the connection once the gateway has the operation: nobody reads the answer. */
async function loseTheAnswer(
  path: string,
  form: { [name: string]: string },
  kind: string,
  transaction: () => Promise<string>,
) {
  const { sql } = service.database
  const { hostname, port } = new URL(service.baseUrl)
  const body = encodeForm(form)
  const socket = connect(Number(port), hostname)
  const head = [
    `GET /api/v5/rest/${path} HTTP/1.1`,
    `Host: ${hostname}`,
    `Authorization: ${service.demo.authorization}`,
    'Content-Type: application/x-www-form-urlencoded',
    `Content-Length: ${body.length}`,
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  await until('the gateway has it', async () => {
    const rows = await sql`select from sandbox_entry where kind = ${kind} and transaction_id = ${await transaction()}`
    return rows.length > 0
  })
  socket.destroy()
  await until('it is settled', async () => {
    const rows = await sql`select from operation where kind = ${kind} and transaction_id = ${await transaction()}
      and outcome = 'succeeded'`
    return rows.length === 1
  })
}

/** The gateway takes its time to answer. */
const slowAmount = '4100.15'
const nil = '00000000-0000-0000-0000-000000000000'

test('a charge whose answer was lost is not made again: the GET that comes again gets the answer, also from another process', async () => {
  const offer = await service.demo.makeOffer({ amount: slowAmount })
  const transaction = async () => (await transactionsOf(offer))[0] ?? nil
  await loseTheAnswer('transactions', { service_offer: offer, token: service.demo.card }, 'charge', transaction)
  const again = answeredAbout(await charge(offer), 200)
  assert.equal(again.headers['idempotent-replayed'], 'true')
  assert.deepEqual([again.json.transaction.id, again.json.transaction.status], [await transaction(), 'Successful'])
  await service.restart()
  await writingNothing(service.database.sql, async () => replays(again, await charge(offer)))
  await advance(50)
  replays(again, await charge(offer))
  await advance(11)
  const next = isFirst(await charge(offer))
  assert.notEqual(next.json.transaction.id, again.json.transaction.id)
  replays(next, await charge(offer))
  assert.equal(await chargesOf(offer), 2)
})

test('a refund whose answer was lost is not made again', async () => {
  const { demo, database } = service
  const offer = await demo.makeOffer({ amount: slowAmount })
  const { id } = isFirst(await charge(offer)).json.transaction
  const form = { transaction: id, amount: '10.00' }
  await loseTheAnswer('transactions/refunds', form, 'refund', async () => id)
  const again = answeredAbout(await refund(form), 200)
  assert.equal(again.headers['idempotent-replayed'], 'true')
  assert.equal(again.json.transaction.refunds.length, 1)
  await advance(61)
  const next = isFirst(await refund(form))
  assert.equal(next.json.transaction.refunds.length, 2)
  replays(next, await refund(form))
  assert.deepEqual(await booked(database.sql, 'refund', [id]), { count: 2, sumMinor: 2_000n })
})

test('an amount is the same with fewer zeros', async () => {
  const { demo, database } = service
  const { id } = isFirst(await charge(await demo.makeOffer())).json.transaction
  const first = isFirst(await refund({ transaction: id, amount: '1' }))
  for (const amount of ['1.0', '1.00']) replays(first, await refund({ transaction: id, amount }))
  isFirst(await refund({ transaction: id, amount: '10' }))
  assert.deepEqual(await booked(database.sql, 'refund', [id]), { count: 2, sumMinor: 1_100n })
})

test('a refund of all that is left, asked for again, is not told that nothing is left', async () => {
  const { id } = isFirst(await charge(await service.demo.makeOffer())).json.transaction
  const first = isFirst(await refund({ transaction: id }))
  replays(first, await refund({ transaction: id }))
  await advance(61)
  answeredAbout(await refund({ transaction: id }), 409)
})

test('the last unit is not sold out for the GET that bought it', async () => {
  const offer = await service.demo.makeOffer({ stock: 1 })
  replays(isFirst(await charge(offer)), await charge(offer))
  await advance(61)
  answered(await charge(offer), 422)
})

test('a decline is replayed too, and 60 seconds later the card is tried again', async () => {
  const card = await service.demo.storeCard(testCardThat('insufficient_funds').number)
  const offer = await service.demo.makeOffer()
  const first = isFirst(await charge(offer, card), 402)
  replays(first, await charge(offer, card))
  await advance(61)
  assert.notEqual(isFirst(await charge(offer, card), 402).json.transaction.id, first.json.transaction.id)
})

test('a GET that was refused before a record exists keeps nothing', async () => {
  const offer = await service.demo.makeOffer({ stock: 0 })
  for (const _ of [1, 2]) answered(await writingNothing(service.database.sql, () => charge(offer)), 422)
  answered(await service.demo.ask(`offers/${offer}`, { method: 'DELETE' }), 200)
  answered(await writingNothing(service.database.sql, () => charge(offer)), 422)
})

test('while the customer must act, the GET that comes again gets the record, and 60 seconds after the end a new one', async () => {
  const card = await service.demo.storeCard(testCardThat('three_d_secure').number)
  const offer = await service.demo.makeOffer()
  const first = isFirst(await charge(offer, card), 202)
  assert.equal(first.json.transaction.status, 'Further Action Required')
  await advance(1_200)
  replays(first, await charge(offer, card))
  await advance(601)
  const { id } = first.json.transaction
  assert.equal((await service.demo.ask(`transactions/${id}`)).json.transaction.status, 'Failed')
  replays(first, await charge(offer, card))
  await advance(61)
  assert.notEqual(isFirst(await charge(offer, card), 202).json.transaction.id, id)
})

test('in doubt the GET that comes again gets the record however late, and once settled the answer for 60 seconds', async () => {
  const offer = await service.demo.makeOffer({ amount: '4200.03' })
  const { id } = isFirst(await charge(offer), 202).json.transaction
  const inDoubt = answeredAbout(await charge(offer), 202)
  assert.deepEqual(
    [inDoubt.json.transaction.id, inDoubt.json.transaction.status, inDoubt.headers['idempotent-replayed']],
    [id, 'Processing', 'true'],
  )
  await advance(10)
  const settled = answeredAbout(await charge(offer), 200)
  assert.equal(settled.json.transaction.id, id)
  replays(settled, await charge(offer))
  await advance(61)
  assert.notEqual(answeredAbout(await charge(offer), 202).json.transaction.id, id)
})

test('two hundred equal GETs are one charge; fifty at second 61 are one more; fifty refunds likewise', async () => {
  const { database } = service
  const offer = await service.demo.makeOffer()
  const oneAnswer = (answers: readonly Answer[]) => {
    const done = answers.filter(({ status }) => status !== 409)
    assert.ok(done.length >= 1)
    assert.deepEqual([...new Set(done.map(({ text }) => text))], [done[0]?.text])
    assert.equal(done.filter(({ headers }) => headers['idempotent-replayed'] === undefined).length, 1)
    return done[0]?.json.transaction.id as string
  }
  const id = oneAnswer(await atOnce(200, () => charge(offer)))
  assert.equal(await chargesOf(offer), 1)
  await advance(61)
  assert.notEqual(oneAnswer(await atOnce(50, () => charge(offer))), id)
  assert.equal(await chargesOf(offer), 2)
  const form = { transaction: id, amount: '1.00' }
  oneAnswer(await atOnce(50, () => refund(form)))
  await advance(61)
  oneAnswer(await atOnce(50, () => refund(form)))
  assert.deepEqual(await booked(database.sql, 'refund', [id]), { count: 2, sumMinor: 200n })
})

test('fifty equal GETs at second 61 of a counted offer take one unit', async () => {
  const offer = await service.demo.makeOffer({ stock: 10 })
  isFirst(await charge(offer))
  await advance(61)
  for (const answer of await atOnce(50, () => charge(offer))) assert.ok([200, 409].includes(answer.status), answer.text)
  const [row] = await service.database.sql`select stock_left from offer where id = ${offer}`
  assert.deepEqual([row?.stockLeft, await chargesOf(offer)], [8, 2])
})

test('order, encoding, the case of an id and explicit defaults make no other GET', async () => {
  const { demo, database } = service
  const [service_offer, token] = [await demo.makeOffer(), demo.card]
  const first = isFirst(await charge(service_offer))
  const same: Asked[] = [
    { form: { token, service_offer } },
    { form: { service_offer: service_offer.toUpperCase(), token, quantity: 1 } },
    { json: { quantity: '1', token, service_offer } },
  ]
  await writingNothing(database.sql, async () => {
    for (const asked of same) replays(first, await demo.ask('transactions', { ...asked, method: 'GET' }))
  })
})

test('other arguments, another API key, a POST and a key are sales of their own', async () => {
  const { demo, database, demoSheet } = service
  const offer = await demo.makeOffer()
  const owner = await signedIn(service.baseUrl, demoSheet.dashboard)
  const made = await owner.ask('api_keys', { method: 'POST', json: { name: 'another till' } })
  const { id, secret } = made.json.api_key
  const otherKey = new Client(service.baseUrl, id, secret)
  isFirst(await charge(offer))
  isFirst(await charge(offer, demo.card, { form: { referrer_context: 'till 2' } }))
  isFirst(await otherKey.charge(offer, demo.card, { method: 'GET' }))
  isFirst(await demo.charge(offer, demo.card))
  isFirst(await demo.charge(offer, demo.card))
  isFirst(await demo.charge(offer, demo.card, { method: 'GET', key: 'of-its-own' }))
  assert.equal(await chargesOf(offer), 6)
  assert.equal((await database.sql`select from transaction where offer_id = ${offer}`).length, 6)
})

test('what is kept of a GET is forgotten with the keys', async () => {
  const { database } = service
  const offer = await service.demo.makeOffer()
  isFirst(await charge(offer))
  const day = 86_400_000
  const retention = { keysMs: day, answersMs: 30 * day, detailsMs: 90 * day, mailMs: 7 * day }
  const kept = () => database.sql`select from idempotency_key k join transaction t on t.id = k.transaction_id
    where t.offer_id = ${offer}`
  assert.equal((await kept()).length, 1)
  await forgetWhatIsOver(database.sql, retention, await advance(86_500))
  assert.equal((await kept()).length, 0)
})

test('the GET that comes again after its process was killed learns what became of the charge', async t => {
  const world = await openCrashWorld()
  t.after(() => world.close())
  const victim = await world.spawnVictim()
  const helper = world.clientOf(world.rescuer)
  const [offer, card] = [await helper.makeOffer({ amount: '25.00' }), await helper.storeCard()]
  const held = world.gate.holdNext('answer')
  const lost = world
    .clientOf(victim)
    .charge(offer, card, { method: 'GET' })
    .catch(() => 'lost')
  await held.reached
  answeredAbout(await helper.charge(offer, card, { method: 'GET' }), 409)
  await victim.kill('SIGKILL')
  held.release()
  assert.equal(await lost, 'lost')
  await expireLeases(world.database.sql)
  const again = () => helper.charge(offer, card, { method: 'GET' })
  const [row] = await world.database.sql<{ id: string }[]>`select id from transaction where offer_id = ${offer}`
  await until('the charge is proven', async () => {
    const answer = await again()
    assert.ok([202, 200].includes(answer.status), answer.text)
    assert.deepEqual([answer.json.transaction.id, answer.headers['idempotent-replayed']], [row?.id, 'true'])
    return answer.status === 200
  })
  assert.equal((await world.ledger()).filter(({ state }) => state === 'succeeded').length, 1)
})

test('a GET that was open when the service was upgraded is recognised afterwards', async t => {
  const { sql, drop } = await emptyDatabase()
  t.after(drop)
  const migrations = await readMigrations()
  await migrate(
    sql,
    migrations.filter(({ number }) => number < 18),
  )
  const charged = '00000000-0000-7000-8000-000000000001'
  const refunded = '00000000-0000-7000-8000-000000000002'
  await sql`insert into transaction (merchant_id, id, created_at, status, source, offer_id, customer_id, gateway_id, currency,
      unit_price_minor, quantity, amount_minor, authorization_only, pre_sale, held_minor, captured_minor, refund_reserved_minor,
      refunded_minor, repeat_guard, version)
    values ('m', ${charged}, now(), 'Processing', 'Web Transaction', ${charged}, ${charged}, 'g', 'USD', 100, 1, 100, false,
      'not_asked', 0, 0, 0, 0, 'guard of a charge', 1)`
  await sql`insert into operation (merchant_id, id, transaction_id, kind, gateway_id, amount_minor, currency, created_at, outcome,
      sendings, asks, repeat_guard, lease_no, lease_until)
    values ('m', ${refunded}, ${charged}, 'refund', 'g', 100, 'USD', now(), 'unknown', 1, 0, 'guard of a refund', 1, now())`
  await migrate(sql, migrations)
  const rows =
    await sql`select operation, key, arguments_hash, transaction_id, operation_id, status from idempotency_key order by 1`
  const open = { transactionId: charged, status: null }
  const refund = { operation: 'GET refunds', key: 'guard of a refund', argumentsHash: 'guard of a refund' }
  const charge = { operation: 'GET transactions', key: 'guard of a charge', argumentsHash: 'guard of a charge' }
  assert.deepEqual(
    rows.map(row => ({ ...row })),
    [
      { ...refund, ...open, operationId: refunded },
      { ...charge, ...open, operationId: null },
    ],
  )
})
