import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type AgreeWorld, disputeThere, open, refundThere, worldOf } from '../../test/support/agree-world.ts'
import { authorized, charge, failed, madeCharge, successful } from '../../test/support/sale-samples.ts'
import type { Operation } from './operation.ts'
import type { Transaction } from './transaction.ts'

/** A row that says it, which moves no money and owes nothing until a person accepts it. */
function assertKept(world: AgreeWorld, sentence: string): void {
  const [change, ...others] = world.commits
  const [row] = change?.reported ?? []
  assert.deepEqual([others, change?.event, change?.after], [[], undefined, change?.before])
  assert.deepEqual([row?.kind, row?.outcome, row?.forPerson], ['refund', 'not_sent', sentence])
}

describe('a second refund under the id of one of ours', () => {
  const refunded: Transaction = { ...successful, status: 'Partially Refunded', refundedMinor: 3_000n }
  const ours: Operation = { ...open('refund', 3_000n), outcome: 'succeeded', gatewayRef: 'refund_1', nextAskAt: null }
  const both = [
    refundThere(3_000n, { operationId: ours.id }),
    refundThere(3_000n, { operationId: ours.id, gatewayRef: 'refund_2' }),
  ]
  const sentence =
    'The gateway reports a second refund of $30.00 under the id of one of ours. If the customer got both, accept it; else put it right there and dismiss it.'

  test('is a row for a person, once, and is not written by itself when it is said again', async () => {
    const world = worldOf(refunded, madeCharge, ours)
    for (let times = 0; times < 3; times++) assert.equal(await world.hear({ refunds: both }), 'agreed')
    assertKept(world, sentence)
    assert.deepEqual([world.alerts, world.sale.transaction.refundedMinor], [[sentence], 3_000n])
  })

  test('that fails is not the failure of ours', async () => {
    const world = worldOf(refunded, madeCharge, ours)
    const refunds = both.map(
      each => ({ ...each, state: each.gatewayRef === 'refund_2' ? 'failed' : each.state }) as const,
    )
    assert.equal(await world.hear({ refunds }), 'agreed')
    assert.deepEqual([world.commits, world.operation(ours.id)?.outcome], [[], 'succeeded'])
  })
})

describe('a refund made at the gateway', () => {
  test('is written once, however often it is said, with who and why', async () => {
    const world = worldOf(successful)
    const refunds = [refundThere(4_000n, { reason: 'Card 4111 1111 1111 1111\u0000' })]
    for (let times = 0; times < 3; times++) assert.equal(await world.hear({ refunds }), 'agreed')
    const row = world.sale.operations.find(({ kind }) => kind === 'refund')
    assert.deepEqual([row?.refundedBy, row?.refundedReason], ['gateway', 'Card **** **** **** 1111'])
    assert.deepEqual([world.sale.transaction.status, world.commits.length], ['Partially Refunded', 1])
    assert.deepEqual(world.eventsSaid, [{ kind: 'update', type: 'refund' }])
    assert.equal(world.lastDetails.balance, '60.00')
  })

  test('costs the same to compare, however many others are known', async () => {
    const count = 300
    const refunds = Array.from({ length: count }, (_, n) => refundThere(1n, { gatewayRef: `refund_${n}` }))
    const world = worldOf({ ...successful, refundedMinor: BigInt(count), status: 'Partially Refunded' })
    let reads = 0
    const operations = refunds.map(({ gatewayRef }, n) => {
      const refund = { ...madeCharge, id: `refund-${n}` as Operation['id'], kind: 'refund' as const, gatewayRef }
      const kind = () => {
        reads += 1
        return 'refund'
      }
      return Object.defineProperty(refund, 'kind', { enumerable: true, get: kind })
    })
    world.put({ ...world.sale, operations: [madeCharge, ...operations] })
    assert.equal(await world.hear({ refunds }), 'agreed')
    assert.deepEqual(world.commits, [])
    assert.ok(reads <= 20 * count, `${reads} reads for ${count} refunds`)
  })

  test('that is pending there, or failed, is none', async () => {
    const world = worldOf(successful)
    const refunds = [refundThere(1n, { state: 'pending' }), refundThere(1n, { state: 'failed', gatewayRef: 'r2' })]
    assert.equal(await world.hear({ refunds }), 'agreed')
    assert.deepEqual(world.commits, [])
  })

  test('that finds its money reserved by one of ours waits until ours is settled', async () => {
    const world = worldOf({ ...successful, refundReservedMinor: 7_000n }, madeCharge, open('refund', 7_000n))
    assert.equal(await world.hear({ refunds: [refundThere(3_001n)] }), 'not_now')
    assert.deepEqual([world.commits, world.alerts], [[], []])
    assert.equal(await world.hear({ refunds: [refundThere(3_000n)] }), 'agreed', 'what is free is free')
  })

  test('that finds only what waits for a person in its way alerts, and is not asked for again and again', async () => {
    const stuck = (operation: Operation): Operation => ({ ...operation, outcome: 'unknown', forPerson: 'Who knows.' })
    const reserved = { ...successful, refundReservedMinor: 7_000n }
    const captured = { gatewayRef: 'capture_1', amountMinor: 10_000n, feeMinor: null }
    for (const [transaction, inTheWay] of [
      [reserved, stuck(open('refund', 7_000n))],
      [authorized, stuck(open('capture', 5_000n))],
    ] as const) {
      const world = worldOf(transaction, madeCharge, inTheWay)
      assert.equal(await world.hear({ captured, refunds: [refundThere(3_001n)] }), 'agreed')
      const sentence = 'which cannot be written before a person has settled what is in its way.'
      assert.deepEqual(world.alerts, [`The gateway reports a refund of $30.01, ${sentence}`])
      assertKept(world, `The gateway reports a refund of $30.01, ${sentence}`)
      assert.equal(await world.hear({ captured, refunds: [refundThere(3_001n)] }), 'agreed')
      assert.deepEqual([world.commits.length, world.alerts.length], [1, 1], 'and is no news the next time')
    }
    const another = { ...open('refund', 3_000n), id: 'another' as Operation['id'] }
    const world = worldOf(
      { ...reserved, refundReservedMinor: 10_000n },
      madeCharge,
      stuck(open('refund', 7_000n)),
      another,
    )
    assert.equal(await world.hear({ refunds: [refundThere(3_000n)] }), 'not_now', 'the other ends by itself')
    assert.deepEqual(world.alerts, [])
  })

  test('that was kept for a person is written when what stood in its way is gone, unless a person dismissed it', async () => {
    const stuck: Operation = { ...open('refund', 7_000n), outcome: 'unknown', forPerson: 'Who knows.' }
    for (const isDismissed of [false, true]) {
      const world = worldOf({ ...successful, refundReservedMinor: 7_000n }, madeCharge, stuck)
      await world.hear({ refunds: [refundThere(3_001n)] })
      const kept = world.sale.operations.find(({ gatewayRef }) => gatewayRef === 'refund_1') ?? assert.fail()
      const settled: Operation = { ...stuck, outcome: 'not_sent', forPerson: null, settledAt: stuck.createdAt }
      const operations = [madeCharge, settled, isDismissed ? { ...kept, forPerson: null } : kept]
      world.put({ ...world.sale, transaction: { ...world.sale.transaction, refundReservedMinor: 0n }, operations })
      for (const _ of [1, 2]) assert.equal(await world.hear({ refunds: [refundThere(3_001n)] }), 'agreed')
      const { refundedMinor } = world.sale.transaction
      assert.deepEqual([refundedMinor, world.eventsSaid.length], isDismissed ? [0n, 0] : [3_001n, 1])
    }
  })

  test('of nothing is none', async () => {
    const world = worldOf(successful)
    assert.equal(await world.hear({ refunds: [refundThere(0n), refundThere(500n, { gatewayRef: 'r2' })] }), 'agreed')
    assert.deepEqual([world.commits.length, world.sale.transaction.refundedMinor], [1, 500n])
  })

  test('of more than is left, or in another currency, alerts and is kept for a person', async () => {
    for (const some of [{ amountMinor: 10_001n }, { currency: 'EUR' as Transaction['currency'] }]) {
      const world = worldOf(successful)
      assert.equal(await world.hear({ refunds: [refundThere(10_000n, some)] }), 'agreed')
      assert.equal(world.alerts.length, 1)
      assertKept(world, world.alerts[0] ?? '')
    }
  })

  test('that the bank sends back later is no refund any more, and that is told', async () => {
    const world = worldOf(successful)
    await world.hear({ refunds: [refundThere(10_000n)] })
    for (let times = 0; times < 3; times++) {
      assert.equal(await world.hear({ refunds: [refundThere(10_000n, { state: 'failed' })] }), 'agreed')
    }
    const row = world.sale.operations.find(({ kind }) => kind === 'refund')
    assert.deepEqual([row?.outcome, world.sale.transaction.status], ['declined', 'Successful'])
    assert.deepEqual(world.eventsSaid, [
      { kind: 'update', type: 'refund' },
      { kind: 'update', type: 'refund' },
    ])
    assert.equal(world.lastDetails.balance, '100.00')
  })
})

describe('a refund of ours', () => {
  const ours = open('refund', 6_000n)
  const refunding: Transaction = { ...successful, refundReservedMinor: 6_000n }
  const there = (some: object) => [refundThere(6_000n, { operationId: ours.id, ...some })]

  test('is settled by the gateway’s word, once, and takes no money twice', async () => {
    const world = worldOf(refunding, madeCharge, ours)
    world.othersAreAtIt = true
    for (let times = 0; times < 3; times++) assert.equal(await world.hear({ refunds: there({}) }), 'agreed')
    const { refundReservedMinor, refundedMinor } = world.sale.transaction
    assert.deepEqual([refundReservedMinor, refundedMinor, world.sale.operations.length], [0n, 6_000n, 2])
    assert.equal(world.commits.length, 1)
    assert.equal(world.commits[0]?.answer?.status, 200)
  })

  test('that failed there gives its reservation back, when nobody is at it', async () => {
    const world = worldOf(refunding, madeCharge, ours)
    world.othersAreAtIt = true
    assert.equal(await world.hear({ refunds: there({ state: 'failed' }) }), 'not_now')
    assert.deepEqual(world.commits, [])
    world.othersAreAtIt = false
    await world.hear({ refunds: there({ state: 'failed' }) })
    assert.deepEqual([world.sale.transaction.refundReservedMinor, world.operation(ours.id)?.outcome], [0n, 'declined'])
    assert.deepEqual(world.eventsSaid, [], 'nothing was given back')
  })

  test('that is pending there stays open, its money reserved', async () => {
    const world = worldOf(refunding, madeCharge, ours)
    assert.equal(await world.hear({ refunds: there({ state: 'pending' }) }), 'agreed')
    assert.deepEqual(world.commits, [])
  })

  test('that failed here, and succeeded there, is kept for a person', async () => {
    const lost: Operation = { ...ours, outcome: 'declined', declineCode: 'wrong_state', settledAt: ours.createdAt }
    const world = worldOf(successful, madeCharge, lost)
    await world.hear({ refunds: there({}) })
    assert.equal(world.kept.length, 1)
    assert.deepEqual(world.commits, [])
  })

  test('is known by the gateway’s name, too', async () => {
    const made: Operation = { ...ours, outcome: 'succeeded', gatewayRef: 'refund_1', settledAt: ours.createdAt }
    const world = worldOf({ ...successful, status: 'Partially Refunded', refundedMinor: 6_000n }, madeCharge, made)
    assert.equal(await world.hear({ refunds: [refundThere(6_000n)] }), 'agreed')
    assert.deepEqual(world.commits, [])
  })
})

describe('a dispute', () => {
  test('is written and told of when it is opened and whenever it changes, and moves no money', async () => {
    const world = worldOf(successful)
    const said = [
      disputeThere(),
      disputeThere(),
      disputeThere({ amountMinor: 5_000n }),
      disputeThere({ amountMinor: 5_000n, status: 'lost' }),
    ]
    for (const dispute of said) assert.equal(await world.hear({ disputes: [dispute] }), 'agreed')
    assert.deepEqual(world.sale.disputes, [disputeThere({ amountMinor: 5_000n, status: 'lost' })])
    assert.deepEqual(
      world.eventsSaid,
      [1, 2, 3].map(() => ({ kind: 'update', type: 'dispute' })),
    )
    const { authorization, capture, balance } = world.lastDetails
    assert.deepEqual([authorization, capture, balance], [false, false, '100.00'])
  })

  test('of a payment that failed here is written as well', async () => {
    const world = worldOf(failed, { ...charge, outcome: 'not_sent', settledAt: charge.createdAt })
    await world.hear({ disputes: [disputeThere()] })
    assert.equal(world.sale.disputes.length, 1)
  })
})
