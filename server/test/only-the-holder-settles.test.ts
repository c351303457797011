// The numbers in every commit: a result without the lease is dropped, a decision over an old version is made anew, and
// a process that lost its right learns it from the database, not from its own clock.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { chargeOffer } from '../src/core/charge.ts'
import type { Gateway } from '../src/core/gateway.ts'
import type { CardToken, OfferId, TransactionId } from '../src/core/ids.ts'
import { newCharge } from '../src/core/new-operation.ts'
import type { HeldOperation } from '../src/core/operation.ts'
import type { Sale } from '../src/core/sale.ts'
import { chargeFailed, chargeSucceeded } from '../src/core/transaction.ts'
import { claimAbandoned, claimOperations } from '../src/store/sweeping.ts'
import { type Bench, openBench, type Shop } from './support/bench.ts'

let bench: Bench
let shop: Shop
before(async () => {
  bench = await openBench()
  shop = await bench.newShop()
})
after(() => bench.close())

const claim = { limit: 10, leaseMs: 60_000 }

/** A charge whose process died in the call: the operation is pending, its lease over. */
async function diedInTheCall(): Promise<{ sale: Sale; held: HeldOperation }> {
  const openGateway = async (): Promise<Gateway> => ({ ...shop.gateway, send: () => Promise.reject(new Error('died')) })
  const asked = {
    merchantId: shop.merchantId,
    offerId: shop.offer as OfferId,
    cardToken: (await shop.card('4111111111111111')) as CardToken,
  }
  const rest = {
    quantity: 1,
    authorizationOnly: false,
    referrerContext: null,
    entered: null,
    source: 'Web Transaction' as const,
    repetition: null,
  }
  await assert.rejects(chargeOffer({ ...bench.ports, openGateway }, { ...asked, ...rest }), /died/)
  const id = (await bench.transactionsOf(shop.merchantId)).at(-1) as TransactionId
  const sale = await bench.ports.store.load(shop.merchantId, id)
  const [operation] = sale?.operations ?? []
  assert.ok(sale !== null && operation !== undefined)
  await bench.sql`update operation set lease_until = now() where id = ${operation.id}`
  return { sale, held: { ...operation, leaseNo: 1 } }
}

const proofs = {
  success: (sale: Sale) => chargeSucceeded(sale.transaction, null),
  failure: (sale: Sale) => chargeFailed(sale.transaction, { code: 'gateway_not_reached', sentence: 'Not reached.' }),
}

function settling(sale: Sale, held: HeldOperation, proof: keyof typeof proofs) {
  const outcome = proof === 'success' ? ('succeeded' as const) : ('not_sent' as const)
  const operation = { ...held, outcome, gatewayRef: 'x', settledAt: bench.ports.now(), nextAskAt: null }
  return bench.ports.store.commit({
    before: sale.transaction,
    after: proofs[proof](sale),
    settles: { held, operation },
  })
}

test('while another process holds a charge, its first one cannot begin the next', async () => {
  const { sale, held } = await diedInTheCall()
  await claimOperations(bench.sql, shop.merchantId, { ...claim, now: bench.ports.now() })
  const failed = { ...held, outcome: 'declined' as const, declineCode: 'card_declined' as const }
  const before = sale.transaction
  const committed = await bench.ports.store.commit({
    before,
    after: before,
    settles: { held, operation: { ...failed, settledAt: bench.ports.now(), nextAskAt: null } },
    begins: { operation: newCharge(bench.ports, before, null), leaseMs: 1, repetition: null },
  })
  assert.equal(committed, 'lease_lost')
  const now = await bench.ports.store.load(shop.merchantId, before.id)
  assert.deepEqual([now?.operations.length, now?.transaction.version], [1, before.version])
  assert.equal(await settling(sale, { ...held, leaseNo: 2 }, 'success'), 'committed')
})

test('while another process holds an operation, its first one cannot say how it ended', async () => {
  const { sale, held } = await diedInTheCall()
  const [taken] = await claimOperations(bench.sql, shop.merchantId, { ...claim, now: bench.ports.now() })
  assert.equal(taken?.leaseNo, 2)
  assert.equal(await settling(sale, held, 'failure'), 'lease_lost')
  assert.equal(await bench.ports.store.countSending({ ...held, sendings: 2 }), false)
  assert.equal(await settling(sale, { ...held, leaseNo: 2 }, 'success'), 'committed')
})

test('what is settled is not settled again, whoever comes', async () => {
  const { sale, held } = await diedInTheCall()
  assert.equal(await settling(sale, held, 'success'), 'committed')
  assert.equal(await settling(sale, held, 'failure'), 'lease_lost')
})

test('a decision over an old version is not written', async () => {
  const { sale, held } = await diedInTheCall()
  await bench.sql`update transaction set version = version + 1 where id = ${sale.transaction.id}`
  assert.equal(await settling(sale, held, 'success'), 'stale')
})

test('a claim is made once: of two sweepers, one gets each row', async () => {
  // One after the other: each takes the newest transaction for its own.
  for (let count = 0; count < 3; count++) await diedInTheCall()
  const now = bench.ports.now()
  const claims = await Promise.all(
    [1, 2, 3, 4].map(() => claimOperations(bench.sql, shop.merchantId, { ...claim, now })),
  )
  const ids = claims.flat().map(({ id }) => id)
  assert.equal(new Set(ids).size, ids.length)
  assert.ok(ids.length >= 3)
})

test('a transaction taken over before its operation was written cannot be charged by its first process', async () => {
  const { sale } = await diedInTheCall()
  const { transaction } = sale
  await bench.sql`delete from operation where transaction_id = ${transaction.id}`
  await bench.sql`update transaction set lease_until = now() where id = ${transaction.id}`
  const [operation] = sale.operations
  assert.ok(operation !== undefined)
  const begins = { operation, leaseMs: 1_000, repetition: null }
  const late = () => bench.ports.store.commit({ before: transaction, after: transaction, begins })
  assert.equal(await late(), 'stale', 'its lease is over, though nobody has taken it')
  assert.deepEqual(await claimAbandoned(bench.sql, shop.merchantId, claim), [transaction.id])
  assert.equal(await late(), 'stale', 'another process has it')
})
