import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { disputeThere, open, paid, refundThere, worldOf } from '../../test/support/agree-world.ts'
import { challenge, silence, success } from '../../test/support/fake-world.ts'
import {
  authorized,
  charge,
  failed,
  gatewayId,
  madeCharge,
  noon,
  processing,
  successful,
} from '../../test/support/sale-samples.ts'
import { agreeWithGateway } from './agree.ts'
import type { GatewayId, OperationId } from './ids.ts'
import type { Operation } from './operation.ts'
import type { Transaction } from './transaction.ts'

const declined = { kind: 'declined', code: 'insufficient_funds' } as const
const captured = (amountMinor: bigint) => ({ gatewayRef: 'capture_1', amountMinor, feeMinor: null })

describe('a charge of ours that is open', () => {
  test('is settled by a success, also while another process is at it: it is proof, whoever brings it', async () => {
    const world = worldOf(processing, charge)
    world.othersAreAtIt = true
    assert.equal(await world.hear({ charge: success({ feeMinor: 320n }) }), 'agreed')
    const { status, netAmountMinor } = world.sale.transaction
    assert.deepEqual([status, netAmountMinor], ['Successful', 9_680n])
    assert.deepEqual(world.eventsSaid, [{ kind: 'transaction', type: 'success' }])
    assert.equal(world.commits[0]?.answer?.status, 200, 'and repetitions are answered by it')
  })

  test('that another process settled at the same moment is told of once', async () => {
    const world = worldOf(processing, charge)
    world.meanwhile = () => world.takeOver({ ...madeCharge }, successful)
    assert.equal(await world.hear({}), 'agreed')
    assert.deepEqual([world.commits, world.alerts, world.kept], [[], [], []])
  })

  test('is not moved by less than a success while another process is at it, who may have asked before: it is told again', async () => {
    for (const said of [declined, challenge, success({ amountMinor: 9_999n })]) {
      const world = worldOf(processing, charge)
      world.othersAreAtIt = true
      assert.equal(await world.hear({ charge: said }), 'not_now')
      assert.deepEqual([world.commits, world.sale.transaction.status], [[], 'Processing'])
    }
  })

  test('that another process has just settled is read again', async () => {
    const world = worldOf(processing, charge)
    const read = world.sale
    world.othersAreAtIt = true
    world.takeOver({ ...madeCharge }, successful)
    assert.equal(await agreeWithGateway(world.ports, read, gatewayId, { ...paid, charge: declined }), 'stale')
    assert.deepEqual([world.commits, world.alerts], [[], []])
  })

  test('is failed by a decline when nobody is at it', async () => {
    const world = worldOf(processing, charge)
    assert.equal(await world.hear({ charge: declined }), 'agreed')
    assert.equal(world.sale.transaction.failure?.code, 'insufficient_funds')
    assert.deepEqual(world.eventsSaid, [{ kind: 'error', type: 'error' }])
  })

  test('waits for its customer from when the gateway says so, and is told of once', async () => {
    const world = worldOf(processing, charge)
    for (let times = 0; times < 3; times++) assert.equal(await world.hear({ charge: challenge }), 'agreed')
    assert.equal(world.sale.transaction.status, 'Further Action Required')
    assert.deepEqual(world.eventsSaid, [{ kind: 'far', type: 'far' }])
    assert.equal(world.commits.length, 1)
    await world.hear({})
    assert.equal(world.sale.transaction.status, 'Successful')
  })

  test('of another amount is a person’s matter, said once, and what follows it as well', async () => {
    const world = worldOf(processing, charge)
    const said = { charge: success({ amountMinor: 9_999n }), refunds: [refundThere(9_999n)] }
    for (let times = 0; times < 3; times++) assert.equal(await world.hear(said), 'agreed')
    assert.deepEqual(world.alerts, ['The gateway reports $99.99 where $100.00 was asked.'])
    assert.deepEqual([world.sale.transaction.status, world.commits.length], ['Processing', 1])
  })

  test('of another amount, while another process is at it, is that one’s to hear; what follows waits', async () => {
    const world = worldOf(processing, charge)
    world.othersAreAtIt = true
    const said = { charge: success({ amountMinor: 9_999n }), refunds: [refundThere(9_999n)] }
    assert.equal(await world.hear(said), 'not_now')
    assert.deepEqual([world.commits, world.alerts], [[], []])
  })

  test('stays so when the gateway cannot say', async () => {
    const world = worldOf(processing, charge)
    assert.equal(await world.hear({ charge: silence }), 'agreed')
    assert.deepEqual(world.commits, [])
  })
})

describe('a charge of ours that is settled', () => {
  test('as failed, and succeeded at the gateway, is kept for a person', async () => {
    const notSent: Operation = { ...charge, outcome: 'not_sent', settledAt: charge.createdAt, nextAskAt: null }
    const world = worldOf(failed, notSent)
    assert.equal(await world.hear({ refunds: [refundThere(10_000n)] }), 'agreed')
    assert.match(world.kept[0]?.sentence ?? '', /a success for a charge that was settled as not_sent/)
    assert.deepEqual([world.commits, world.sale.transaction.status], [[], 'Failed'])
  })

  test('as made, and declined at the gateway, alerts and stays', async () => {
    const world = worldOf(successful)
    assert.equal(await world.hear({ charge: declined }), 'agreed')
    assert.equal(world.alerts.length, 1)
    assert.deepEqual(world.commits, [])
  })

  test('in another amount is a person’s matter: not even a decline makes it fail by itself', async () => {
    const world = worldOf(processing, charge)
    await world.hear({ charge: success({ amountMinor: 9_999n }) })
    assert.equal(await world.hear({ charge: declined }), 'agreed')
    const { transaction, operations } = world.sale
    assert.deepEqual([transaction.status, operations[0]?.outcome], ['Processing', 'unknown'])
    assert.match(world.alerts.at(-1) ?? '', /reports as declined a charge of which it had reported another amount/)
  })

  test('the same way is no difference', async () => {
    const world = worldOf({ ...successful, netAmountMinor: 9_680n })
    assert.equal(await world.hear({ charge: success({ feeMinor: 320n }) }), 'agreed')
    assert.deepEqual([world.commits, world.alerts], [[], []])
  })

  test('without the gateway’s fee gets it, and nobody is told', async () => {
    const world = worldOf(successful)
    await world.hear({ charge: success({ feeMinor: 320n }) })
    assert.equal(world.sale.transaction.netAmountMinor, 9_680n)
    assert.deepEqual([world.commits.length, world.eventsSaid], [1, []])
  })
})

test('a late success at a gateway that had declined changes nothing of what the next gateway took', async () => {
  const before: Operation = {
    ...charge,
    outcome: 'declined',
    declineCode: 'card_declined',
    settledAt: charge.createdAt,
  }
  const nextGateway = 'gw_BBBBBBBBBBBBBBBBBBBBBB' as GatewayId
  const next: Operation = { ...madeCharge, id: 'next' as OperationId, gatewayId: nextGateway, gatewayRef: 'elsewhere' }
  const world = worldOf({ ...successful, gatewayId: nextGateway }, before, next)
  const refunds = [refundThere(10_000n)]
  assert.equal(
    await world.hear({ charge: success({ feeMinor: 320n }), captured: captured(10_000n), refunds }),
    'agreed',
  )
  assert.deepEqual([world.kept.length, world.commits], [1, []])
})

describe('a second payment under the id of a charge', () => {
  const second = { gatewayRef: 'gateway_2', charge: success({ gatewayRef: 'gateway_2' }) }
  const became = { refunds: [refundThere(4_000n)], disputes: [disputeThere()], captured: captured(6_000n) }
  const late: Operation = { ...madeCharge, outcome: 'not_sent', forPerson: 'The gateway reports a success.' }
  const sentence = /^The gateway has a second payment under the id of this charge: gateway_2, beside gateway_1\. /

  test('is kept for a person, and nothing that became of it is written to the first', async () => {
    for (const [transaction, operation] of [
      [successful, madeCharge],
      [authorized, madeCharge],
      [failed, late],
    ] as const) {
      const world = worldOf(transaction, operation)
      assert.equal(await world.hear({ ...second, ...became }), 'agreed')
      assert.deepEqual([world.commits, world.sale.disputes], [[], []])
      assert.deepEqual(
        world.kept.map(each => each.operation.id),
        [madeCharge.id],
      )
      assert.match(String(world.kept[0]?.sentence), sentence)
      assert.deepEqual(world.alerts, [world.kept[0]?.sentence])
    }
  })

  test('is kept as well while the first is of another amount and waits for a person', async () => {
    const world = worldOf(processing, charge)
    await world.hear({ charge: success({ amountMinor: 9_999n }) })
    const other = { ...second, charge: success({ gatewayRef: 'gateway_2', amountMinor: 9_998n }) }
    assert.equal(await world.hear(other), 'agreed')
    assert.match(world.kept.map(each => each.sentence).join(), sentence)
    assert.deepEqual([world.sale.transaction.status, world.commits.length], ['Processing', 1])
  })

  test('that took no money is nothing to anybody', async () => {
    for (const said of [declined, challenge, silence]) {
      const world = worldOf(successful)
      assert.equal(await world.hear({ ...second, charge: said }), 'agreed')
      assert.deepEqual([world.commits, world.kept, world.alerts], [[], [], []])
    }
  })

  test('is none while no reference of the charge is known', async () => {
    const world = worldOf(processing, charge)
    assert.equal(await world.hear(second), 'agreed')
    const [operation] = world.sale.operations
    assert.deepEqual([operation?.outcome, operation?.gatewayRef, world.kept], ['succeeded', 'gateway_2', []])
  })
})

test('a payment under an operation id that is not of this sale at this gateway alerts, and changes nothing', async () => {
  const elsewhere = 'gw_BBBBBBBBBBBBBBBBBBBBBB' as GatewayId
  const unknownId = 'another' as OperationId
  const refund = open('refund', 1_000n)
  for (const [from, operationId] of [
    [elsewhere, charge.id],
    [undefined, unknownId],
    [undefined, refund.id],
  ] as const) {
    const world = worldOf(processing, charge, refund)
    assert.equal(await world.hear({ operationId }, from), 'not_now')
    assert.deepEqual([world.alerts.length, world.commits], [1, []])
  }
})

describe('an authorisation', () => {
  test('that was captured at the gateway is taken, in what was captured', async () => {
    const world = worldOf(authorized)
    assert.equal(await world.hear({ captured: { ...captured(6_000n), feeMinor: 200n } }), 'agreed')
    const { status, heldMinor, capturedMinor, netAmountMinor } = world.sale.transaction
    assert.deepEqual([status, heldMinor, capturedMinor, netAmountMinor], ['Successful', 0n, 6_000n, 5_800n])
    const row = world.sale.operations.find(({ kind }) => kind === 'capture')
    assert.deepEqual(
      [row?.outcome, row?.sendings, row?.amountMinor, row?.gatewayRef, row?.cause],
      ['succeeded', 0, 6_000n, 'capture_1', 'Reported by the gateway.'],
    )
    assert.deepEqual(world.eventsSaid, [{ kind: 'transaction', type: 'success' }])
    const { authorization, capture, balance } = world.lastDetails
    assert.deepEqual([authorization, capture, balance], [false, true, '60.00'])
  })

  test('that was released there, or expired, is voided, and its units are for sale again', async () => {
    const world = worldOf(authorized)
    assert.equal(await world.hear({ released: true }), 'agreed')
    assert.equal(world.sale.transaction.status, 'Voided')
    assert.deepEqual(world.eventsSaid, [{ kind: 'update', type: 'void' }])
    assert.equal(world.commits[0]?.givesBackUnits, 1)
    assert.equal(await world.hear({ released: true }), 'agreed')
    assert.equal(world.commits.length, 1)
  })

  test('that ended as we asked settles our asking, though another process is at it', async () => {
    for (const [ours, said, status] of [
      [open('capture', 6_000n), { captured: captured(6_000n) }, 'Successful'],
      [open('void', 10_000n), { released: true }, 'Voided'],
    ] as const) {
      const world = worldOf(authorized, madeCharge, ours)
      world.othersAreAtIt = true
      assert.equal(await world.hear(said), 'agreed')
      assert.deepEqual([world.sale.transaction.status, world.operation(ours.id)?.outcome], [status, 'succeeded'])
      assert.deepEqual([world.sale.operations.length, world.eventsSaid.length], [2, 1])
    }
  })

  test('that ended as a person said it had not is that operation, and no second one', async () => {
    for (const [kind, said, status] of [
      ['capture', { captured: captured(6_000n) }, 'Successful'],
      ['void', { released: true }, 'Voided'],
    ] as const) {
      const asked = open(kind, kind === 'capture' ? 6_000n : 10_000n)
      const notMade: Operation = { ...asked, outcome: 'not_sent', settledAt: noon, nextAskAt: noon }
      const listed: Operation = { ...notMade, nextAskAt: null, forPerson: 'The gateway reports a success.' }
      for (const ours of [notMade, listed]) {
        const world = worldOf(authorized, madeCharge, ours)
        for (let times = 0; times < 2; times++) assert.equal(await world.hear(said), 'agreed')
        const row = world.operation(ours.id)
        assert.deepEqual([row?.outcome, row?.nextAskAt, row?.forPerson], ['succeeded', null, null])
        assert.deepEqual([world.sale.transaction.status, world.sale.operations.length], [status, 2])
        assert.deepEqual(
          [world.eventsSaid.length, world.commits[0]?.givesBackUnits],
          [1, kind === 'void' ? 1 : undefined],
        )
      }
    }
  })

  test('that ended otherwise than what was not made, or after that was proven, is an operation of its own', async () => {
    const notMade: Operation = { ...open('capture', 6_000n), outcome: 'not_sent', settledAt: noon, nextAskAt: noon }
    for (const [ours, said] of [
      [{ ...notMade, nextAskAt: null }, { captured: captured(6_000n) }],
      [{ ...notMade, gatewayRef: 'another' }, { captured: captured(6_000n) }],
      [notMade, { captured: captured(5_000n) }],
      [notMade, { released: true }],
    ] as const) {
      const world = worldOf(authorized, madeCharge, ours)
      assert.equal(await world.hear(said), 'agreed')
      assert.deepEqual([world.operation(ours.id)?.outcome, world.sale.operations.length], ['not_sent', 3])
    }
  })

  test('that ended otherwise than we just ask waits until ours is settled', async () => {
    for (const [ours, said] of [
      [open('capture', 6_000n), { captured: captured(5_000n) }],
      [open('capture', 10_000n), { released: true }],
      [open('void', 10_000n), { captured: captured(10_000n) }],
    ] as const) {
      const world = worldOf(authorized, madeCharge, ours)
      assert.equal(await world.hear(said), 'not_now')
      assert.deepEqual([world.commits, world.sale.transaction.status], [[], 'Authorized'])
      const aPersons = worldOf(authorized, madeCharge, { ...ours, outcome: 'unknown', forPerson: 'In doubt.' })
      assert.equal(await aPersons.hear(said), 'agreed', 'a person settles ours, and then this')
    }
  })

  test('that ended otherwise than it did here alerts', async () => {
    const taken: Transaction = { ...successful, authorizationOnly: true, netAmountMinor: 9_000n }
    const voided: Transaction = { ...authorized, status: 'Voided', heldMinor: 0n }
    for (const [transaction, said] of [
      [voided, { captured: captured(10_000n) }],
      [taken, { released: true }],
      [taken, { captured: captured(9_999n) }],
      [authorized, { captured: captured(0n) }],
    ] as const) {
      const world = worldOf(transaction)
      assert.equal(await world.hear(said), 'agreed')
      assert.deepEqual([world.alerts.length, world.commits], [1, []])
    }
    const same = worldOf(taken)
    await same.hear({ captured: captured(10_000n) })
    assert.deepEqual([same.alerts, same.commits], [[], []])
  })
})

test('several differences are one commit each, in the order in which one needs the other', async () => {
  const world = worldOf({ ...processing, authorizationOnly: true }, charge)
  const refunds = [refundThere(1_000n), refundThere(2_000n, { gatewayRef: 'refund_2' })]
  assert.equal(await world.hear({ captured: captured(8_000n), refunds, disputes: [disputeThere()] }), 'agreed')
  assert.deepEqual(
    world.eventsSaid.map(({ type }) => type),
    ['success', 'success', 'refund', 'refund', 'dispute'],
  )
  const { status, capturedMinor, refundedMinor } = world.sale.transaction
  assert.deepEqual([status, capturedMinor, refundedMinor], ['Partially Refunded', 8_000n, 3_000n])
})

test('what waits for something of ours does not hold up the rest', async () => {
  const world = worldOf({ ...successful, refundReservedMinor: 9_000n }, madeCharge, open('refund', 9_000n))
  assert.equal(await world.hear({ refunds: [refundThere(5_000n)], disputes: [disputeThere()] }), 'not_now')
  assert.deepEqual(world.eventsSaid, [{ kind: 'update', type: 'dispute' }])
})

test('what changed since it was read is not written over: the gateway is to be asked again', async () => {
  for (const said of [{ refunds: [refundThere(4_000n)] }, { disputes: [disputeThere()] }]) {
    const world = worldOf(successful)
    world.meanwhile = () => world.change({ status: 'Partially Refunded', refundedMinor: 9_000n })
    assert.equal(await world.hear(said), 'stale')
    assert.deepEqual(world.commits, [])
  }
})
