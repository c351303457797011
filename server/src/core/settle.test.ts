import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { FakeWorld } from '../../test/support/fake-world.ts'
import {
  after,
  authorized,
  charge,
  failed,
  madeCharge,
  noon,
  processing,
  sale,
  successful,
} from '../../test/support/sale-samples.ts'
import type { HeldOperation, Operation } from './operation.ts'
import { type Learned, settle, threeDSecureForMs } from './settle.ts'
import { failureCodes, type Transaction } from './transaction.ts'

const refund: Operation = { ...charge, kind: 'refund', amountMinor: 6_000n }
const refunding: Transaction = { ...successful, refundReservedMinor: 6_000n }

function learned(operation: Operation, some: Partial<Operation> & { outcome: Operation['outcome'] }): Learned {
  const isSettled = some.outcome !== 'pending' && some.outcome !== 'unknown'
  const settledAt = isSettled ? noon : null
  const gatewayRef = some.outcome === 'succeeded' ? 'gateway_1' : null
  const facts = { settledAt, gatewayRef, nextAskAt: isSettled ? null : after(noon, 5_000) }
  return {
    operation: { ...operation, ...facts, ...some },
    feeMinor: null,
    customerMustAct: false,
    reportsSuccess: gatewayRef !== null,
    ifNotMade: 'gateway_not_reached',
  }
}

/** A transaction with this one operation under way, and what is learned about it. */
async function settled(
  transaction: Transaction,
  operation: Operation,
  what: Learned,
  meanwhile?: (world: FakeWorld) => void,
) {
  const world = new FakeWorld()
  const begun = world.put({ ...sale, transaction, operations: [operation] })
  if (meanwhile !== undefined) world.meanwhile = () => meanwhile(world)
  const held: HeldOperation = { ...operation, leaseNo: 1 }
  const result = await settle(world.ports, begun, held, what)
  return { world, result, change: world.commits.at(-1) }
}

describe('a charge that is settled', () => {
  test('as succeeded owes a Transaction hook, and its answer is fixed with it', async () => {
    const what = { ...learned(charge, { outcome: 'succeeded' }), feeMinor: 320n }
    const { world, result, change } = await settled(processing, charge, what)
    assert.deepEqual([result.transaction.status, result.transaction.netAmountMinor], ['Successful', 9_680n])
    assert.deepEqual(world.eventsSaid, [{ kind: 'transaction', type: 'success' }])
    assert.deepEqual([change?.answer?.of, change?.answer?.status], [processing.id, 200])
    assert.equal(change?.givesBackUnits, undefined)
  })

  test('as succeeded, after another payment of it was reported in another amount: that one stays for a person', async () => {
    const forPerson = 'The gateway reports $99.99 where $100.00 was asked.'
    const waiting: Operation = { ...charge, outcome: 'unknown', gatewayRef: 'gateway_0', forPerson }
    const what = learned(waiting, { outcome: 'succeeded', forPerson: null })
    const { result } = await settled(processing, waiting, what)
    assert.equal(result.transaction.status, 'Successful')
    assert.match(String(result.operations[0]?.forPerson), /second payment .*: gateway_0, beside gateway_1\./)
    const same = await settled(processing, { ...waiting, gatewayRef: 'gateway_1' }, what)
    assert.equal(same.result.operations[0]?.forPerson, null)
  })

  test('left to a person once more, it has both reasons', async () => {
    const waiting: Operation = { ...charge, outcome: 'unknown', forPerson: 'It was asked for three days.' }
    const what = learned(waiting, { outcome: 'unknown', forPerson: 'It is of another amount.' })
    const { forPerson, moreForPerson } =
      (await settled(processing, waiting, what)).result.operations[0] ?? assert.fail()
    assert.deepEqual([forPerson, moreForPerson], ['It was asked for three days.', ['It is of another amount.']])
  })

  test('as declined owes an Error hook, and gives its units back', async () => {
    const what = learned(charge, { outcome: 'declined', declineCode: 'insufficient_funds' })
    const three = { ...processing, quantity: 3, unitPriceMinor: 10_000n, amountMinor: 30_000n }
    const { world, result, change } = await settled(three, charge, what)
    assert.deepEqual([result.transaction.status, result.transaction.failure?.code], ['Failed', 'insufficient_funds'])
    assert.deepEqual(world.eventsSaid, [{ kind: 'error', type: 'error' }])
    assert.deepEqual([change?.answer?.status, change?.givesBackUnits], [402, 3])
  })

  test('as not made fails for the reason that is known', async () => {
    for (const ifNotMade of ['gateway_not_reached', 'gateway_no_answer', 'action_expired'] as const) {
      const { result } = await settled(processing, charge, { ...learned(charge, { outcome: 'not_sent' }), ifNotMade })
      assert.deepEqual(result.transaction.failure, { code: ifNotMade, sentence: failureCodes[ifNotMade] })
    }
  })

  test('as called off because the customer’s time was over has expired, whatever the gateway calls that', async () => {
    const declined = learned(charge, { outcome: 'declined', declineCode: 'authentication_failed' })
    const { result } = await settled(processing, charge, { ...declined, ifNotMade: 'action_expired' })
    assert.equal(result.transaction.failure?.code, 'action_expired')
  })

  test('as authorised only owes the same hook as a sale', async () => {
    const what = learned(charge, { outcome: 'succeeded' })
    const { world, result } = await settled({ ...processing, authorizationOnly: true }, charge, what)
    assert.equal(result.transaction.status, 'Authorized')
    assert.deepEqual(world.eventsSaid, [{ kind: 'transaction', type: 'success' }])
  })
})

describe('a charge in doubt', () => {
  test('stays Processing, owes nothing, and nothing is fixed', async () => {
    const { world, result, change } = await settled(processing, charge, learned(charge, { outcome: 'unknown' }))
    assert.equal(result.transaction.status, 'Processing')
    assert.deepEqual([world.eventsSaid, change?.answer, change?.givesBackUnits], [[], undefined, undefined])
    assert.deepEqual(change?.settles?.operation.nextAskAt, after(noon, 5_000))
  })

  test('whose customer must act owes FAR, has 30 minutes, and its answer is fixed at 202', async () => {
    const what = { ...learned(charge, { outcome: 'pending' }), customerMustAct: true }
    const { world, result, change } = await settled(processing, charge, what)
    assert.equal(result.transaction.status, 'Further Action Required')
    assert.equal(threeDSecureForMs, 30 * 60_000)
    assert.deepEqual(result.transaction.actionExpiresAt, after(noon, threeDSecureForMs))
    assert.deepEqual(world.eventsSaid, [{ kind: 'far', type: 'far' }])
    assert.deepEqual([change?.answer?.status, change?.givesBackUnits], [202, undefined])
  })

  test('whose customer still has to act owes no second FAR, and gets no more time', async () => {
    const waiting = { ...processing, status: 'Further Action Required' as const, actionExpiresAt: after(noon, 60_000) }
    const what = { ...learned(charge, { outcome: 'pending' }), customerMustAct: true }
    const { world, result } = await settled(waiting, charge, what)
    assert.deepEqual(result.transaction.actionExpiresAt, after(noon, 60_000))
    assert.deepEqual(world.eventsSaid, [])
  })

  test('is asked for sure when the customer’s time is over', async () => {
    const waiting = { ...processing, status: 'Further Action Required' as const, actionExpiresAt: after(noon, 60_000) }
    const askAt = async (nextAskAt: Date) => {
      const what = learned(charge, { outcome: 'pending', nextAskAt })
      return (await settled(waiting, charge, what)).change?.settles?.operation.nextAskAt
    }
    assert.deepEqual(await askAt(after(noon, 600_000)), after(noon, 60_000))
    assert.deepEqual(await askAt(after(noon, 5_000)), after(noon, 5_000))
  })

  test('that the customer then completes changes nothing about what was answered', async () => {
    const waiting = { ...processing, status: 'Further Action Required' as const, actionExpiresAt: after(noon, 60_000) }
    const { world, change } = await settled(waiting, charge, learned(charge, { outcome: 'succeeded' }))
    assert.deepEqual(world.eventsSaid, [{ kind: 'transaction', type: 'success' }])
    assert.equal(change?.answer, undefined)
  })
})

describe('a follow-up that is settled', () => {
  test('as captured owes a Transaction hook; as voided an update, and units come back', async () => {
    const capture: Operation = { ...charge, kind: 'capture', amountMinor: 6_000n }
    const captured = await settled(authorized, capture, learned(capture, { outcome: 'succeeded' }))
    assert.deepEqual(captured.world.eventsSaid, [{ kind: 'transaction', type: 'success' }])
    const { authorization, capture: captures, balance } = captured.world.lastDetails
    assert.deepEqual([authorization, captures, balance], [false, true, '60.00'])
    assert.equal(captured.change?.givesBackUnits, undefined)

    const release: Operation = { ...charge, kind: 'void' }
    const voided = await settled(authorized, release, learned(release, { outcome: 'succeeded' }))
    assert.deepEqual(voided.world.eventsSaid, [{ kind: 'update', type: 'void' }])
    assert.equal(voided.change?.givesBackUnits, 1)
  })

  test('as refunded owes an update each time, and gives no units back', async () => {
    const { world, result, change } = await settled(refunding, refund, learned(refund, { outcome: 'succeeded' }))
    assert.equal(result.transaction.status, 'Partially Refunded')
    assert.deepEqual(world.eventsSaid, [{ kind: 'update', type: 'refund' }])
    assert.deepEqual([change?.answer?.of, change?.answer?.status], [refund.id, 200])
    assert.equal(change?.givesBackUnits, undefined)
    const again = { ...result.transaction, refundReservedMinor: 1_000n }
    const second: Operation = { ...refund, amountMinor: 1_000n }
    const more = await settled(again, second, learned(second, { outcome: 'succeeded' }))
    assert.deepEqual(more.world.eventsSaid, [{ kind: 'update', type: 'refund' }], 'though the state stays')
  })

  test('as declined or not sent gives its reservation back and owes nothing', async () => {
    for (const some of [{ outcome: 'declined', declineCode: 'wrong_state' }, { outcome: 'not_sent' }] as const) {
      const { world, result, change } = await settled(refunding, refund, learned(refund, some))
      assert.deepEqual({ ...result.transaction }, successful)
      assert.deepEqual([world.eventsSaid, change?.answer?.status], [[], some.outcome === 'declined' ? 402 : 502])
    }
  })

  test('in doubt keeps its reservation, and its answer is not fixed', async () => {
    const { result, change } = await settled(refunding, refund, learned(refund, { outcome: 'unknown' }))
    assert.equal(result.transaction.refundReservedMinor, 6_000n)
    assert.equal(change?.answer, undefined)
  })
})

describe('a change that is stale', () => {
  test('is decided anew on what the transaction has become', async () => {
    const { world, result } = await settled(refunding, refund, learned(refund, { outcome: 'succeeded' }), other => {
      // Meanwhile another refund has succeeded.
      other.change({ status: 'Partially Refunded', refundedMinor: 4_000n })
    })
    assert.deepEqual(world.refusedCommits, ['stale'])
    assert.deepEqual([result.transaction.status, result.transaction.refundedMinor], ['Refunded', 10_000n])
    assert.equal(world.sale.transaction.status, 'Refunded')
    assert.equal(world.commits.length, 1)
    assert.equal(world.lastDetails.balance, '0.00', 'its hook says what is true by then')
  })
})

describe('a success whose lease is lost', () => {
  const succeeded = learned(charge, { outcome: 'succeeded' })

  test('on a charge settled as not sent is kept for a person, and alerts', async () => {
    const { world, result } = await settled(processing, charge, succeeded, other => {
      const failure = { code: 'gateway_no_answer' as const, sentence: failureCodes.gateway_no_answer }
      other.takeOver({ outcome: 'not_sent', settledAt: noon, nextAskAt: null }, { status: 'Failed', failure })
    })
    const sentence = 'The gateway reports a success for a charge that was settled as not_sent.'
    assert.deepEqual(world.refusedCommits, ['lease_lost'])
    assert.deepEqual(world.alerts, [sentence])
    assert.deepEqual(
      world.kept.map(({ operation, sentence }) => [operation.id, sentence]),
      [[charge.id, sentence]],
    )
    assert.equal(result.transaction.status, 'Failed', 'a person decides, not we')
    assert.deepEqual(world.commits, [])
  })

  test('on one settled as declined is kept as well', async () => {
    const { world } = await settled(processing, charge, succeeded, other => {
      other.takeOver({ outcome: 'declined', declineCode: 'card_declined', settledAt: noon }, failed)
    })
    assert.match(world.kept[0]?.sentence ?? '', /settled as declined/)
  })

  test('of another amount is kept too, with both amounts', async () => {
    const forPerson = 'The gateway reports $99.99 where $100.00 was asked.'
    const doubt = learned(charge, { outcome: 'unknown', gatewayRef: 'gateway_1', forPerson, nextAskAt: null })
    const what = { ...doubt, reportsSuccess: true }
    const { world } = await settled(processing, charge, what, other => {
      other.takeOver({ outcome: 'not_sent', settledAt: noon }, failed)
    })
    const sentence = `The gateway reports a success for a charge that was settled as not_sent. ${forPerson}`
    assert.deepEqual(
      world.kept.map(kept => kept.sentence),
      [sentence],
    )
    assert.deepEqual(world.alerts, [sentence])
  })

  test('on one that was left to a person settles it: it is proof', async () => {
    const { world, result } = await settled(processing, charge, succeeded, other => {
      other.takeOver({ outcome: 'unknown', forPerson: 'It cannot be looked up.', nextAskAt: null })
    })
    assert.deepEqual([world.alerts, world.kept], [[], []])
    assert.equal(result.transaction.status, 'Successful')
  })

  test('of another amount, on one that was left to a person, is told to that person', async () => {
    const forPerson = 'The gateway reports $99.99 where $100.00 was asked.'
    const doubt = learned(charge, { outcome: 'unknown', gatewayRef: 'gateway_1', forPerson, nextAskAt: null })
    const { world, result } = await settled(processing, charge, { ...doubt, reportsSuccess: true }, other => {
      other.takeOver({ outcome: 'unknown', forPerson: 'It cannot be looked up.', nextAskAt: null })
    })
    assert.match(world.kept[0]?.sentence ?? '', /a charge that was left to a person/)
    assert.equal(result.transaction.status, 'Processing')
  })

  test('on one that somebody else settled the same way is no news', async () => {
    const { world, result } = await settled(processing, charge, succeeded, other => {
      other.takeOver({ ...madeCharge }, { ...successful })
    })
    assert.deepEqual([world.alerts, world.kept], [[], []])
    assert.equal(result.transaction.status, 'Successful')
  })

  test('on one that somebody else still asks about settles it: it is proof, whoever brings it', async () => {
    const { world, result } = await settled(processing, charge, succeeded, other => other.takeOver())
    assert.deepEqual([world.refusedCommits, world.alerts, world.kept], [['stale'], [], []])
    assert.equal(result.transaction.status, 'Successful')
  })
})

test('giving up on an operation that somebody else settled meanwhile is no success, and reports none', async () => {
  const waiting: Operation = { ...charge, gatewayRef: 'gateway_1' }
  const givingUp = { gatewayRef: 'gateway_1', forPerson: 'It cannot be looked up.', nextAskAt: null }
  const { world } = await settled(processing, waiting, learned(waiting, { outcome: 'unknown', ...givingUp }), other => {
    other.takeOver({ outcome: 'not_sent', settledAt: noon }, failed)
  })
  assert.deepEqual([world.alerts, world.kept], [[], []])
})

test('no success, decline or doubt that lost its lease is written over what others settled', async () => {
  for (const outcome of ['declined', 'not_sent', 'unknown'] as const) {
    const declineCode = outcome === 'declined' ? ('card_declined' as const) : null
    const { world, result } = await settled(processing, charge, learned(charge, { outcome, declineCode }), other => {
      other.takeOver({ ...madeCharge }, { ...successful })
    })
    assert.deepEqual([world.commits, world.alerts, world.kept], [[], [], []])
    assert.equal(result.transaction.status, 'Successful')
  }
})

describe('the hook’s token', () => {
  const lastUnit = { ...sale.offer, stockLeft: 0 }
  const isActiveAfter = async (transaction: Transaction, operation: Operation, what: Learned) => {
    const world = new FakeWorld()
    const begun = world.put({ ...sale, offer: lastUnit, transaction, operations: [operation] })
    await settle(world.ports, begun, { ...operation, leaseNo: 1 }, what)
    return (world.lastDetails.token as { active: boolean }).active
  }

  test('is not active after the last unit was sold', async () => {
    assert.equal(await isActiveAfter(processing, charge, learned(charge, { outcome: 'succeeded' })), false)
  })

  test('is active again when the sale of the last unit failed or was voided', async () => {
    assert.equal(await isActiveAfter(processing, charge, learned(charge, { outcome: 'not_sent' })), true)
    const release: Operation = { ...charge, kind: 'void' }
    assert.equal(await isActiveAfter(authorized, release, learned(release, { outcome: 'succeeded' })), true)
  })
})

test('a transaction that vanished is a bug, and said so', async () => {
  const world = new FakeWorld()
  const begun = world.put({ ...sale, transaction: processing, operations: [charge] })
  const { ports } = world
  const gone = { ...ports, store: { ...ports.store, commit: async () => 'stale' as const, load: async () => null } }
  await assert.rejects(
    settle(gone, begun, { ...charge, leaseNo: 1 }, learned(charge, { outcome: 'succeeded' })),
    /is gone/,
  )
})
