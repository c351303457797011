// More was captured at the gateway than is written here: what was authorised is written, the rest is for a person, and what
// is given back there counts against the rest first.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { type AgreeWorld, open, paid, refundThere, worldOf } from '../../test/support/agree-world.ts'
import { authorized, madeCharge, noon, sale, successful } from '../../test/support/sale-samples.ts'
import { beyondMinor, excessMinor } from './agree/excess.ts'
import { faultsOfBooks } from './audit/books.ts'
import type { ReportedRefund } from './gateway.ts'
import type { OperationId } from './ids.ts'
import type { Operation } from './operation.ts'
import type { Transaction } from './transaction.ts'

const captured = (amountMinor: bigint) => ({ gatewayRef: 'capture_1', amountMinor, feeMinor: 400n })
const listed =
  'The gateway captured $120.00, and $100.00 of it is written here. Give the difference of $20.00 back there, or keep it outside these books; then dismiss this.'

/** Authorised here at $100.00, captured there at $120.00. */
async function capturedBeyond(...refunds: ReportedRefund[]): Promise<AgreeWorld> {
  const world = worldOf(authorized)
  assert.equal(await world.hear({ captured: captured(12_000n), refunds }), 'agreed')
  return world
}

const refundsOf = ({ sale: { operations } }: AgreeWorld) =>
  operations.filter(({ kind }) => kind === 'refund').map(({ outcome, amountMinor }) => [outcome, amountMinor])

function assertBooks({ sale: { transaction, operations } }: AgreeWorld): void {
  const rows = operations.map(operation => ({ ...operation, followed: true }))
  assert.deepEqual(faultsOfBooks({ ...transaction, inHand: false, operations: rows, absent: [] }), [])
}

describe('a capture of more than was authorised', () => {
  test('is written in what was authorised, told of, and the rest is for a person', async () => {
    const world = await capturedBeyond()
    const { status, heldMinor, capturedMinor, netAmountMinor } = world.sale.transaction
    assert.deepEqual([status, heldMinor, capturedMinor, netAmountMinor], ['Successful', 0n, 10_000n, 9_600n])
    assert.deepEqual(world.eventsSaid, [{ kind: 'transaction', type: 'success' }])
    assert.deepEqual(
      world.kept.map(({ operation, sentence }) => [operation.kind, sentence]),
      [['capture', listed]],
    )
    assert.deepEqual([world.alerts, world.commits.length], [[listed], 1])
    assertBooks(world)
  })

  test('whose difference is given back already is for nobody', async () => {
    const world = await capturedBeyond(refundThere(2_000n))
    assert.deepEqual([world.kept, world.alerts, refundsOf(world)], [[], [], [['not_sent', 2_000n]]])
    assert.deepEqual([world.sale.transaction.status, world.eventsSaid.length], ['Successful', 1])
    assertBooks(world)
  })

  test('that a person had settled as not made is that operation', async () => {
    const asked: Operation = { ...open('capture', 10_000n), outcome: 'not_sent', settledAt: noon, nextAskAt: noon }
    const world = worldOf(authorized, madeCharge, asked)
    await world.hear({ captured: captured(12_000n), refunds: [refundThere(12_000n)] })
    assert.deepEqual([world.operation(asked.id)?.outcome, world.sale.transaction.status], ['succeeded', 'Refunded'])
    assert.deepEqual([refundsOf(world), world.kept], [[['succeeded', 10_000n]], []])
    assertBooks(world)
  })
})

describe('what is given back of more than is written here', () => {
  test('is no refund up to the difference, and one of the rest, however often it is said', async () => {
    const world = await capturedBeyond()
    const refunds = [refundThere(500n), refundThere(5_000n, { gatewayRef: 'refund_2' })]
    await world.hear({ captured: captured(12_000n), refunds: refunds.slice(0, 1) })
    for (let times = 0; times < 3; times++) await world.hear({ captured: captured(12_000n), refunds })
    assert.deepEqual(refundsOf(world), [
      ['not_sent', 500n],
      ['succeeded', 3_500n],
    ])
    assert.deepEqual([world.sale.transaction.refundedMinor, world.eventsSaid.length], [3_500n, 2])
    assertBooks(world)
  })

  test('is for a person again when it fails later, also where the first sentence was dismissed', async () => {
    const world = await capturedBeyond()
    await world.hear({ captured: captured(12_000n), refunds: [refundThere(2_000n)] })
    await world.hear({ captured: captured(12_000n), refunds: [refundThere(2_000n, { state: 'failed' })] })
    assert.equal(world.kept.length, 2)
    assert.match(
      String(world.kept[1]?.sentence),
      /The refund refund_1 of the difference failed there, and \$20\.00 of it is/,
    )
    assert.equal(world.sale.transaction.status, 'Successful')
  })

  test('is no refund either where it was kept for a person before', async () => {
    for (const [amountMinor, expected] of [
      [2_000n, [['not_sent', 2_000n]]],
      [5_000n, [['succeeded', 3_000n]]],
    ] as const) {
      const id = 'kept' as OperationId
      const row = {
        ...open('refund', amountMinor),
        id,
        outcome: 'not_sent',
        sendings: 0,
        gatewayRef: 'refund_1',
      } as const
      const world = worldOf(authorized, madeCharge, {
        ...row,
        settledAt: noon,
        nextAskAt: null,
        forPerson: 'In its way.',
      })
      await world.hear({ captured: captured(12_000n), refunds: [refundThere(amountMinor)] })
      assert.deepEqual([refundsOf(world), world.operation(id)?.forPerson, world.kept], [expected, null, []])
      assertBooks(world)
    }
  })

  test('is a refund as ever where it was ours', async () => {
    const ours = open('refund', 6_000n)
    const world = await capturedBeyond()
    const { transaction, operations } = world.sale
    world.put({
      ...world.sale,
      transaction: { ...transaction, refundReservedMinor: 6_000n },
      operations: [...operations, ours],
    })
    await world.hear({ captured: captured(12_000n), refunds: [refundThere(6_000n, { operationId: ours.id })] })
    assert.deepEqual([world.sale.transaction.refundedMinor, refundsOf(world)], [6_000n, [['succeeded', 6_000n]]])
    assertBooks(world)
  })
})

test('only a capture of an authorisation is beyond what is written, and only refunds of its currency count against it', () => {
  const taken: Transaction = { ...successful, authorizationOnly: true }
  const of = (transaction: Transaction) => ({ ...sale, transaction, operations: [madeCharge] })
  const said = { ...paid, captured: captured(12_000n) }
  assert.equal(beyondMinor(of(taken), said), 2_000n)
  assert.equal(beyondMinor(of(successful), said), 0n)
  assert.equal(beyondMinor(of(authorized), said), 0n)
  assert.equal(beyondMinor(of({ ...authorized, status: 'Voided', heldMinor: 0n }), said), 0n)
  assert.equal(beyondMinor(of(taken), { ...paid, captured: captured(9_000n) }), 0n)
  const row: Operation = { ...open('refund', 500n), outcome: 'not_sent', sendings: 0, gatewayRef: 'refund_1' }
  const withRow = { ...of(taken), operations: [madeCharge, row] }
  const euro = refundThere(500n, { currency: 'EUR' as Transaction['currency'] })
  assert.equal(excessMinor(withRow, madeCharge, { ...said, refunds: [refundThere(500n)] }), 1_500n)
  assert.equal(excessMinor(withRow, madeCharge, { ...said, refunds: [euro] }), 2_000n)
})

test('whatever is captured and given back there, in whatever order it is heard: what is left is the same here, up to what was authorised', async () => {
  const capturedThere = fc.bigInt({ min: 1n, max: 15_000n })
  const parts = fc.array(fc.bigInt({ min: 1n, max: 6_000n }), { maxLength: 5 })
  const heard = fc.array(fc.nat(5), { maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(capturedThere, parts, heard, async (minor, amounts, order) => {
      const refunds: ReportedRefund[] = []
      let leftMinor = minor
      for (const amountMinor of amounts) {
        if (amountMinor > leftMinor) continue
        leftMinor -= amountMinor
        refunds.push(refundThere(amountMinor, { gatewayRef: `refund_${refunds.length}` }))
      }
      const world = worldOf(authorized)
      for (const count of [...order, refunds.length])
        assert.equal(await world.hear({ captured: captured(minor), refunds: refunds.slice(0, count) }), 'agreed')
      const { capturedMinor, refundedMinor } = world.sale.transaction
      assert.equal(capturedMinor - refundedMinor, leftMinor < capturedMinor ? leftMinor : capturedMinor)
      assert.equal(capturedMinor, minor < 10_000n ? minor : 10_000n)
      assertBooks(world)
    }),
    { numRuns: 500 },
  )
})
