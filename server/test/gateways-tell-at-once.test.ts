// What gateways tell by themselves, on a real database, while everybody else is at work on the same sales: whoever is
// first, each thing is written once and told of once, and nobody waits for anybody for ever.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { chargeOffer } from '../src/core/charge.ts'
import { followUp } from '../src/core/follow-up.ts'
import type { Gateway, ReportedPayment, StoredCard } from '../src/core/gateway.ts'
import type { CardToken, GatewayId, OfferId, TransactionId } from '../src/core/ids.ts'
import { defaultCurrency } from '../src/core/money.ts'
import { hearNotice, type NoticePorts } from '../src/core/notice.ts'
import type { Ports } from '../src/core/ports.ts'
import type { Sale } from '../src/core/sale.ts'
import { findCharge, hasCard, renewCard } from '../src/store/notices.ts'
import { audited } from './support/audited.ts'
import { type Bench, openBench, type Shop } from './support/bench.ts'

let bench: Bench
let shop: Shop
let ports: NoticePorts
before(async () => {
  bench = await openBench()
  shop = await bench.newShop()
  const { sql } = bench
  ports = {
    ...bench.ports,
    findCharge: (at, chargeRef) => findCharge(sql, at, chargeRef),
    hasCard: (at, cardRef) => hasCard(sql, at, cardRef),
    renewCard: (at, card) => renewCard(sql, at, card),
  }
})
after(() => bench.close())

async function charge(by: Ports = bench.ports): Promise<TransactionId> {
  const cardToken = (await shop.card('4111111111111111')) as CardToken
  const asked = { merchantId: shop.merchantId, offerId: shop.offer as OfferId, cardToken, quantity: 1 }
  const rest = {
    authorizationOnly: false,
    referrerContext: null,
    entered: null,
    source: 'Web Transaction' as const,
    repetition: null,
  }
  const { text } = await chargeOffer(by, { ...asked, ...rest })
  return JSON.parse(text).transaction.id
}

async function saleOf(id: TransactionId): Promise<Sale> {
  return (await bench.ports.store.load(shop.merchantId, id)) ?? assert.fail('no such sale')
}

async function eventsOf(id: TransactionId): Promise<string[]> {
  const rows = await bench.sql<{ type: string }[]>`select type from event where transaction_id = ${id} order by type`
  return rows.map(({ type }) => type)
}

/** As the gateway would report it, if nothing more had happened to it. */
function reportOf({ transaction, operations }: Sale): ReportedPayment {
  const [operation] = operations
  assert.ok(operation !== undefined)
  const { amountMinor, currency } = operation
  const made = { gatewayRef: operation.gatewayRef ?? 'there', amountMinor, currency, feeMinor: 320n }
  const whole = { captured: null, released: false, refunds: [], disputes: [] }
  return {
    kind: 'payment',
    transactionId: transaction.id,
    operationId: operation.id,
    gatewayRef: made.gatewayRef,
    charge: { kind: 'succeeded', ...made },
    ...whole,
  }
}

function hear(sale: Sale, now: () => ReportedPayment) {
  const { gatewayId } = sale.transaction
  const chargeRef = sale.operations[0]?.gatewayRef ?? 'there'
  const gateway: Gateway = { ...shop.gateway, notices: { read: () => assert.fail(), payment: async () => now() } }
  return hearNotice(ports, { merchantId: shop.merchantId, gatewayId }, gateway, {
    kind: 'payment',
    chargeRef,
    news: 'refund',
  })
}

function refundThere(gatewayRef: string, amountMinor: bigint) {
  return {
    gatewayRef,
    operationId: null,
    amountMinor,
    currency: defaultCurrency,
    state: 'succeeded' as const,
    reason: null,
  }
}

test('notices, repeated, and refunds of ours at the same moment: each refund and each change of a dispute once', async () => {
  const ids = await Promise.all(Array.from({ length: 20 }, () => charge()))
  await Promise.all(
    ids.map(async id => {
      const sale = await saleOf(id)
      const refunds = [refundThere(`r1 ${id}`, 1_000n), refundThere(`r2 ${id}`, 2_000n)]
      const dispute = { gatewayRef: `d ${id}`, amountMinor: 500n, currency: defaultCurrency, reason: null }
      const opened = { ...dispute, status: 'open' as const, openedAt: bench.ports.now() }
      const said = { ...reportOf(sale), refunds, disputes: [opened] }
      const refund = { merchantId: shop.merchantId, transactionId: id, kind: 'refund' as const, amount: '5.00' }
      const rest = { refundedBy: null, refundedReason: null, repetition: null }
      const ours = [1, 2].map(() => followUp(bench.ports, { ...refund, ...rest }))
      await Promise.all([...Array.from({ length: 5 }, () => hear(sale, () => said)), ...ours])
      assert.equal(await hear(sale, () => said), 'done')
      const lost = { ...said, disputes: [{ ...opened, status: 'lost' as const }] }
      await Promise.all(Array.from({ length: 3 }, () => hear(sale, () => lost)))
      assert.equal(await hear(sale, () => lost), 'done')
    }),
  )
  for (const id of ids) {
    const { transaction, operations, disputes } = await saleOf(id)
    const { status, refundedMinor, refundReservedMinor, netAmountMinor } = transaction
    assert.deepEqual(
      [status, refundedMinor, refundReservedMinor, netAmountMinor],
      ['Partially Refunded', 4_000n, 0n, 9_680n],
    )
    assert.deepEqual([operations.length, disputes.map(each => each.status)], [5, ['lost']])
    const expected = ['dispute', 'dispute', 'refund', 'refund', 'refund', 'refund', 'success']
    assert.deepEqual(await eventsOf(id), expected)
  }
  await audited(bench.sql, shop.merchantId)
})

test('a decline is left to the process that waits for it, and told by the notice when that is gone', async () => {
  const reached = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<void>()
  const send: Gateway['send'] = async (...asked) => {
    const outcome = await shop.gateway.send(...asked)
    reached.resolve()
    await answer.promise
    return outcome
  }
  const waiting = charge({ ...bench.ports, openGateway: async () => ({ ...shop.gateway, send }) })
  await reached.promise
  const id = (await bench.transactionsOf(shop.merchantId)).at(-1) ?? assert.fail('no transaction')
  const sale = await saleOf(id)
  const declined = { ...reportOf(sale), charge: { kind: 'declined', code: 'insufficient_funds' } as const }
  assert.equal(await hear(sale, () => declined), 'not_now', 'who waits may have asked before')
  assert.equal((await saleOf(id)).transaction.status, 'Processing')
  await bench.sql`update operation set lease_until = now() where transaction_id = ${id}`
  assert.equal(await hear(sale, () => declined), 'done')
  assert.equal((await saleOf(id)).transaction.failure?.code, 'insufficient_funds')
  answer.resolve()
  await waiting
  const [operation] = (await saleOf(id)).operations
  assert.match(operation?.forPerson ?? '', /a success for a charge that was settled as declined/)
  assert.deepEqual(await eventsOf(id), ['error'])
})

test('a refund that finds its money reserved is written when the reservation is gone', async () => {
  const id = await charge()
  const silent = async () => ({ ...shop.gateway, send: async () => ({ kind: 'unknown' as const, cause: 'silence' }) })
  const refund = { merchantId: shop.merchantId, transactionId: id, kind: 'refund' as const, amount: '80.00' }
  const rest = { refundedBy: null, refundedReason: null, repetition: null }
  await followUp({ ...bench.ports, openGateway: silent }, { ...refund, ...rest })
  const sale = await saleOf(id)
  const ours = sale.operations.find(({ kind }) => kind === 'refund') ?? assert.fail('no refund')
  const theirs = refundThere(`r ${id}`, 5_000n)
  const said = { ...reportOf(sale), refunds: [theirs] }
  assert.equal(await hear(sale, () => said), 'not_now')
  const failed = { ...refundThere(`ours ${id}`, 8_000n), operationId: ours.id, state: 'failed' as const }
  assert.equal(await hear(sale, () => ({ ...said, refunds: [failed, theirs] })), 'done')
  const { refundedMinor, refundReservedMinor } = (await saleOf(id)).transaction
  assert.deepEqual([refundedMinor, refundReservedMinor], [5_000n, 0n])
  assert.equal(await hear(sale, () => ({ ...said, refunds: [failed, { ...theirs, state: 'failed' }] })), 'done')
  assert.equal((await saleOf(id)).transaction.status, 'Successful')
  await audited(bench.sql, shop.merchantId)
})

test('a card that its bank replaced is renewed, named by its own vault or by the vault of its copy', async () => {
  const { sql } = bench
  const { merchantId } = shop
  const token = await shop.card('5555555555554444')
  const gatewayId = 'gw_CCCCCCCCCCCCCCCCCCCCCC' as GatewayId
  await sql`insert into gateway (merchant_id, id, type, credentials_sealed, is_default, status, created_at)
    values (${merchantId}, ${gatewayId}, 'test', '', false, 'active', now())`
  await sql`insert into card_copy (merchant_id, token, gateway_id, card_ref, fingerprint, created_at)
    values (${merchantId}, ${token}, ${gatewayId}, 'copy', 'before', now())`
  const read = async () => {
    const [row] = await sql`select c.mask, c.expiry_month, c.expiry_year, c.fingerprint, y.fingerprint as copied
      from card c join card_copy y on y.merchant_id = c.merchant_id and y.token = c.token where c.token = ${token}`
    return { ...row }
  }
  const [own] = await sql<{ gatewayId: GatewayId; cardRef: string; fingerprint: string }[]>`
    select gateway_id, card_ref, fingerprint from card where token = ${token}`
  assert.ok(own !== undefined)
  const renew = (at: GatewayId, some: Pick<StoredCard, 'cardRef' | 'mask' | 'expiryMonth' | 'fingerprint'>) => {
    const describeCard = async (): Promise<StoredCard> => ({
      kind: 'stored',
      type: 'master',
      expiryYear: 2044,
      ...some,
    })
    const gateway: Gateway = { ...shop.gateway, describeCard }
    return hearNotice(ports, { merchantId, gatewayId: at }, gateway, { kind: 'card', cardRef: some.cardRef })
  }
  await renew(gatewayId, { cardRef: 'copy', mask: '1234', expiryMonth: 3, fingerprint: 'at the copy' })
  const renewed = { expiryYear: 2044, copied: 'at the copy' }
  assert.deepEqual(await read(), { ...renewed, mask: '1234', expiryMonth: 3, fingerprint: own.fingerprint })
  await renew(own.gatewayId, { cardRef: own.cardRef, mask: '5678', expiryMonth: 4, fingerprint: 'own' })
  assert.deepEqual(await read(), { ...renewed, mask: '5678', expiryMonth: 4, fingerprint: 'own' })
  const others = await sql`select from card where merchant_id = ${merchantId} and mask in ('1234', '5678')`
  assert.equal(others.length, 1)
})
