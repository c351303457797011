// Refund, capture, void: how much moves, here and at the gateway, what the record says of it, and what is refused.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { answered, answeredAbout, booked, refused, writingNothing } from './support/answers.ts'
import type { Answer, Client } from './support/client.ts'
import { connectFarGateway } from './support/far-gateway.ts'
import { startTestService, type TestService } from './support/service.ts'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.stop())

type Form = { readonly [name: string]: string }

const refund = (id: string, more: Form = {}, client: Client = service.demo) =>
  client.ask('transactions/refunds', { form: { transaction: id, ...more } })
const capture = (id: string, form: Form = {}) =>
  service.demo.ask(`transactions/${id}/capture`, { method: 'POST', form })
const release = (id: string) => service.demo.ask(`transactions/${id}/void`, { method: 'POST' })

async function sell(amount = '100.00', more: Form = {}): Promise<string> {
  const { demo } = service
  const answer = await demo.charge(await demo.makeOffer({ amount }), demo.card, { form: more })
  return answeredAbout(answer, 200).json.transaction.id
}

const authorise = (amount = '100.00') => sell(amount, { authorization_only: 'true' })

async function money(id: string) {
  const [row] = await service.database
    .sql`select status, held_minor, captured_minor, refund_reserved_minor, refunded_minor
    from transaction where id = ${id}`
  const { status, heldMinor, capturedMinor, refundReservedMinor, refundedMinor } = row ?? assert.fail()
  return [status, heldMinor, capturedMinor, refundReservedMinor, refundedMinor].map(String).join(' ')
}

async function refusedToMove(status: number, field: string, ask: () => Promise<Answer>): Promise<Answer> {
  const answer = await writingNothing(service.database.sql, ask)
  refused(answeredAbout(answer, status), status, [field])
  assert.equal(answer.headers['retry-after'], undefined, 'waiting will not do')
  return answer
}

test('a refund without an amount gives everything back, and says who, when and why', async () => {
  const id = await sell()
  const answer = await refund(id, { user: 'Grace', notes: 'Broken in the mail' })
  const { status, amount, refund: newest, refunds } = answeredAbout(answer, 200).json.transaction
  assert.deepEqual([status, amount, answer.json.errors], ['Refunded', '100.00', null])
  const { refunded_at, refunded_token, ...rest } = newest
  assert.deepEqual(rest, { refunded_by: 'Grace', refunded_reason: 'Broken in the mail', refunded_amount: '100.00' })
  assert.ok(Math.abs(Date.parse(refunded_at) - Date.now()) < 60_000)
  assert.match(refunded_at, /\.\d{3}\+00:00$/)
  assert.match(refunded_token, /^[0-9a-f-]{36}$/)
  assert.deepEqual(refunds, [newest])
  assert.deepEqual(await booked(service.database.sql, 'refund', [id]), { count: 1, sumMinor: 10_000n })
})

test('the 100th refund of a payment must be of all that is left, so that no money is locked in', async () => {
  const id = await sell('100.00')
  for (let index = 0; index < 99; index++) answeredAbout(await refund(id, { amount: '0.50' }), 200)
  const answer = await refusedToMove(422, 'amount', () => refund(id, { amount: '0.50' }))
  assert.equal(
    answer.json.errors.amount,
    'amount must be all that is left (50.50): the transaction already has 99 refunds.',
  )
  const { status, refunds } = answeredAbout(await refund(id, { amount: '50.50' }), 200).json.transaction
  assert.deepEqual([status, refunds.length], ['Refunded', 100])
  await refusedToMove(409, 'transaction', () => refund(id, { amount: '0.50' }))
})

test('a payment takes 1,000 refunds that are declined; one more is refused, and nothing is written', async () => {
  const id = await sell('5000.00')
  answeredAbout(await refund(id, { amount: '4000.02' }), 402)
  await service.database.sql`insert into operation
    select (jsonb_populate_record(o, jsonb_build_object('id', gen_random_uuid()))).*
    from operation o cross join generate_series(1, 998) where o.transaction_id = ${id} and o.kind = 'refund'`
  answeredAbout(await refund(id, { amount: '4000.02' }), 402)
  for (const more of [{ amount: '4000.02' }, { amount: '1.00' }, {}]) {
    const answer = await refusedToMove(422, 'general', () => refund(id, more))
    assert.equal(
      answer.json.errors.general,
      'The payment already has 1000 refunds that were declined or not sent. Make this refund at the gateway itself.',
    )
  }
  assert.equal(await money(id), 'Successful 0 500000 0 0')
})

test('partial refunds add up, the newest is refund and all are in refunds', async () => {
  const id = await sell()
  const record = (await service.demo.ask(`transactions/${id}`)).json.transaction
  assert.ok(!('refund' in record) && !('refunds' in record))
  const first = answeredAbout(await refund(id, { amount: '30.00', notes: 'one' }), 200).json.transaction
  assert.deepEqual([first.status, first.refund.refunded_reason], ['Partially Refunded', 'one'])
  const second = answeredAbout(await refund(id, { amount: '0.01' }), 200).json.transaction
  assert.deepEqual([second.refund.refunded_reason, second.refund.refunded_by], [null, null])
  const rest = answeredAbout(await refund(id), 200).json.transaction
  assert.equal(rest.status, 'Refunded')
  const amounts = rest.refunds.map((each: { refunded_amount: string }) => each.refunded_amount)
  assert.deepEqual(amounts, ['30.00', '0.01', '69.99'])
  assert.deepEqual(rest.refund, rest.refunds[2])
  assert.equal(await money(id), 'Refunded 0 10000 0 10000')
  assert.deepEqual(await booked(service.database.sql, 'refund', [id]), { count: 3, sumMinor: 10_000n })
})

test('a refund of more than is left, or of no amount, is 422; of nothing left, 409', async () => {
  const id = await sell()
  await refusedToMove(422, 'amount', () => refund(id, { amount: '100.01' }))
  answered(await refund(id, { amount: '60.00' }), 200)
  const over = await refusedToMove(422, 'amount', () => refund(id, { amount: '40.01' }))
  assert.match(over.json.errors.amount, /40\.00/)
  for (const amount of ['0', '-1', '1e1', '1.234', '', ' 1', 'NaN', '00.5']) {
    await refusedToMove(422, 'amount', () => refund(id, { amount }))
  }
  answered(await refund(id, { amount: '40.00' }), 200)
  await refusedToMove(409, 'transaction', () => refund(id))
  await refusedToMove(409, 'transaction', () => refund(id, { amount: '0.01' }))
})

test('a refund that the gateway declines is 402, leaves no trace in the record, and can be asked again', async () => {
  const id = await sell('5000.00')
  const answer = answeredAbout(await refund(id, { amount: '4000.02', notes: 'declined' }), 402)
  assert.equal(answer.json.transaction.status, 'Successful')
  assert.ok(!('refund' in answer.json.transaction))
  assert.deepEqual(answer.json.errors, { general: 'The card was declined: insufficient funds.' })
  assert.equal(await money(id), 'Successful 0 500000 0 0')
  answered(await refund(id), 200)
  assert.equal(await money(id), 'Refunded 0 500000 0 500000')
})

test('a refund in doubt is 202, its money is promised to nobody else, and it is settled later', async () => {
  const id = await sell('5000.00')
  const { json } = answeredAbout(await refund(id, { amount: '4200.03' }), 202)
  assert.deepEqual([json.transaction.status, json.errors], ['Successful', null])
  assert.equal(await money(id), 'Successful 0 500000 420003 0')
  await refusedToMove(422, 'amount', () => refund(id, { amount: '799.98' }))
  answered(await refund(id, { amount: '799.97' }), 200)
  await refusedToMove(409, 'transaction', () => refund(id))
  answered(await service.demo.ask('sandbox/clock', { form: { advance_s: 60 } }), 200)
  assert.equal(await money(id), 'Refunded 0 500000 0 500000')
  assert.deepEqual(await booked(service.database.sql, 'refund', [id]), { count: 2, sumMinor: 500_000n })
})

test('a refund at a gateway that is gone is 502, and its money is free again', async () => {
  const merchant = await service.newMerchant()
  const gateway = await connectFarGateway(merchant)
  const charged = await merchant.charge(await merchant.makeOffer(), await merchant.storeCard())
  const { id } = answered(charged, 200).json.transaction
  await gateway.goAway()
  const answer = answeredAbout(await refund(id, {}, merchant), 502)
  assert.deepEqual([answer.json.transaction.status, Object.keys(answer.json.errors)], ['Successful', ['general']])
  assert.equal(await money(id), 'Successful 0 10000 0 0')
})

test('a capture takes all that is authorised, or less and releases the rest', async () => {
  const whole = await authorise()
  assert.equal(await money(whole), 'Authorized 10000 0 0 0')
  const all = answeredAbout(await capture(whole), 200).json.transaction
  assert.deepEqual([all.status, all.amount, all.net_amount], ['Successful', '100.00', '96.80'])
  assert.equal(await money(whole), 'Successful 0 10000 0 0')
  const part = await authorise()
  const less = answeredAbout(await capture(part, { amount: '25.00' }), 200).json.transaction
  assert.deepEqual([less.status, less.amount, less.net_amount], ['Successful', '100.00', '23.97'])
  assert.equal(less.captured_amount, '25.00')
  assert.equal(await money(part), 'Successful 0 2500 0 0')
  assert.deepEqual(await booked(service.database.sql, 'capture', [whole, part]), { count: 2, sumMinor: 12_500n })
  await refusedToMove(422, 'amount', () => refund(part, { amount: '25.01' }))
  assert.equal(answered(await refund(part), 200).json.transaction.status, 'Refunded')
})

test('a capture twice is 409, and of more than is authorised or of no amount 422', async () => {
  const id = await authorise()
  for (const amount of ['100.01', '0', '-5', '1e1', '']) {
    await refusedToMove(422, 'amount', () => capture(id, { amount }))
  }
  answered(await capture(id, { amount: '50.00' }), 200)
  await refusedToMove(409, 'transaction', () => capture(id))
  await refusedToMove(409, 'transaction', () => capture(id, { amount: '50.00' }))
  assert.deepEqual(await booked(service.database.sql, 'capture', [id]), { count: 1, sumMinor: 5_000n })
})

test('a capture that is declined is 402 and leaves the authorisation, to capture or void', async () => {
  const id = await authorise('5000.00')
  const answer = answeredAbout(await capture(id, { amount: '4000.01' }), 402)
  assert.deepEqual([answer.json.transaction.status, Object.keys(answer.json.errors)], ['Authorized', ['general']])
  answered(await release(id), 200)
  assert.equal(await money(id), 'Voided 0 0 0 0')
})

test('a capture in doubt is 202, nothing else may open beside it, and it is settled later', async () => {
  const id = await authorise('5000.00')
  const { json } = answeredAbout(await capture(id, { amount: '4200.03' }), 202)
  assert.deepEqual([json.transaction.status, json.errors], ['Authorized', null])
  await refusedToMove(409, 'transaction', () => capture(id))
  await refusedToMove(409, 'transaction', () => release(id))
  answered(await service.demo.ask('sandbox/clock', { form: { advance_s: 60 } }), 200)
  assert.equal(await money(id), 'Successful 0 420003 0 0')
})

test('a void releases, once, and nothing can follow it', async () => {
  const id = await authorise()
  const { status, net_amount } = answeredAbout(await release(id), 200).json.transaction
  assert.deepEqual([status, net_amount], ['Voided', null])
  assert.equal(await money(id), 'Voided 0 0 0 0')
  for (const ask of [release, capture, refund]) await refusedToMove(409, 'transaction', () => ask(id))
  assert.equal((await booked(service.database.sql, 'void', [id])).count, 1)
})

test('what does not fit the state is 409: refund before capture, void after it, capture of a sale', async () => {
  const held = await authorise()
  await refusedToMove(409, 'transaction', () => refund(held))
  answered(await capture(held), 200)
  await refusedToMove(409, 'transaction', () => release(held))
  const sold = await sell()
  for (const ask of [capture, release]) await refusedToMove(409, 'transaction', () => ask(sold))
  const { demo } = service
  const failed = await demo.charge(demo.offer, await demo.storeCard('4012888888881881'))
  const waiting = await demo.charge(demo.offer, await demo.storeCard('4000001000016006'))
  for (const { json } of [failed, waiting]) {
    for (const ask of [refund, capture, release]) {
      const answer = await refusedToMove(409, 'transaction', () => ask(json.transaction.id))
      assert.match(answer.json.errors.transaction, new RegExp(json.transaction.status))
    }
  }
})
