import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { FakeWorld, silence, success } from '../../test/support/fake-world.ts'
import {
  authorized,
  charge,
  madeCharge,
  merchantId,
  oneOfEachStatus,
  sale,
  successful,
  transactionId,
} from '../../test/support/sale-samples.ts'
import { type FollowUpCommand, followUp, possibleMinor } from './follow-up.ts'
import type { GatewayOutcome } from './gateway.ts'
import type { OperationId } from './ids.ts'
import type { Operation } from './operation.ts'
import type { Transaction } from './transaction.ts'

const command: FollowUpCommand = {
  merchantId,
  transactionId,
  kind: 'refund',
  amount: null,
  refundedBy: null,
  refundedReason: null,
  repetition: null,
}

function worldWith(transaction: Transaction, operations: readonly Operation[] = [madeCharge]): FakeWorld {
  const world = new FakeWorld()
  world.put({ ...sale, transaction, operations })
  return world
}

const refunds = (count: number, outcome: Operation['outcome']): Operation[] =>
  Array.from({ length: count }, (_, index) => ({
    ...madeCharge,
    id: `${outcome} ${index}` as OperationId,
    kind: 'refund',
    outcome,
  }))

async function asked(world: FakeWorld, some: Partial<FollowUpCommand>, says?: GatewayOutcome) {
  const { amount } = { ...command, ...some }
  const amountMinor = amount === null ? undefined : BigInt(Math.round(Number(amount) * 100))
  world.sends = [says ?? success(amountMinor === undefined ? {} : { amountMinor })]
  const reply = await followUp(world.ports, { ...command, ...some })
  return { status: reply.status, body: JSON.parse(reply.text) }
}

describe('a refund', () => {
  test('reserves its money in the commit before it leaves', async () => {
    const world = worldWith(successful)
    world.sending = () => {
      assert.equal(world.sale.transaction.refundReservedMinor, 6_000n)
      assert.equal(world.sale.operations.at(-1)?.kind, 'refund')
    }
    const { status, body } = await asked(world, { amount: '60.00' })
    assert.deepEqual([status, body.transaction.status], [200, 'Partially Refunded'])
    const { refundReservedMinor, refundedMinor } = world.sale.transaction
    assert.deepEqual([refundReservedMinor, refundedMinor], [0n, 6_000n])
    const [call] = world.calls
    assert.ok(call?.request.kind === 'refund')
    assert.deepEqual([call.request.chargeId, call.request.chargeRef], [madeCharge.id, 'gateway_1'])
  })

  test('that is the 100th or later must be of all that is left; those that came to nothing do not count', async () => {
    const some = { ...successful, status: 'Partially Refunded', refundedMinor: 4_000n } as const
    const few = [madeCharge, ...refunds(50, 'succeeded'), ...refunds(48, 'unknown'), ...refunds(99, 'declined')]
    assert.equal((await asked(worldWith(some, few), { amount: '1.00' })).status, 200)
    for (const succeeded of [51, 300]) {
      const many = [madeCharge, ...refunds(succeeded, 'succeeded'), ...refunds(48, 'unknown')]
      const refused = await asked(worldWith(some, many), { amount: '59.99' })
      const says = `amount must be all that is left (60.00): the transaction already has ${succeeded + 48} refunds.`
      assert.deepEqual([refused.status, refused.body.errors], [422, { amount: says }])
      const all = success({ amountMinor: 6_000n })
      assert.equal((await asked(worldWith(some, many), { amount: '60.00' }, all)).status, 200)
      assert.equal((await asked(worldWith(some, many), { amount: null }, all)).status, 200)
    }
  })

  test('after 1,000 that were declined or not sent is 422, whatever its amount, and nothing is sent', async () => {
    const says =
      'The payment already has 1000 refunds that were declined or not sent. Make this refund at the gateway itself.'
    for (const notSent of [400, 2_400]) {
      const failed = [madeCharge, ...refunds(600, 'declined'), ...refunds(notSent, 'not_sent')]
      for (const amount of ['1.00', '100.00', null]) {
        const world = worldWith(successful, failed)
        const refused = await asked(world, { amount })
        assert.deepEqual([refused.status, refused.body.errors], [422, { general: says }])
        assert.deepEqual([world.commits, world.calls], [[], []])
      }
    }
  })

  test('after 999 that were declined or not sent is made; those reported by the gateway do not count', async () => {
    const reported = refunds(3_000, 'not_sent').map(each => ({ ...each, sendings: 0 }))
    const failed = [madeCharge, ...refunds(600, 'declined'), ...refunds(399, 'not_sent'), ...reported]
    assert.equal((await asked(worldWith(successful, failed), { amount: '1.00' })).status, 200)
  })

  test('without an amount gives back all that is left', async () => {
    const world = worldWith({ ...successful, status: 'Partially Refunded', refundedMinor: 2_500n })
    const { status, body } = await asked(world, {}, success({ amountMinor: 7_500n }))
    assert.deepEqual([status, body.transaction.status], [200, 'Refunded'])
  })

  test('says who and why', async () => {
    const world = worldWith(successful)
    const { body } = await asked(world, { refundedBy: 'Grace', refundedReason: 'Broken' })
    assert.deepEqual(
      [body.transaction.refund.refunded_by, body.transaction.refund.refunded_reason],
      ['Grace', 'Broken'],
    )
  })

  test('of more than is left, counting what is under way, is 422', async () => {
    const world = worldWith({ ...successful, refundReservedMinor: 6_000n })
    const { status, body } = await asked(world, { amount: '40.01' })
    assert.equal(status, 422)
    assert.deepEqual(body.errors, { amount: 'amount is more than what can still be refunded (40.00).' })
    assert.deepEqual(world.calls, [])
  })

  test('when all of it is under way already is 409', async () => {
    const { status, body } = await asked(worldWith({ ...successful, refundReservedMinor: 10_000n }), {})
    assert.equal(status, 409)
    assert.match(body.errors.transaction, /nothing left to refund/)
  })

  test('of a bad amount is 422', async () => {
    for (const amount of ['0', '-1', '1.234', 'x', '']) {
      const world = worldWith(successful)
      const reply = await followUp(world.ports, { ...command, amount })
      assert.deepEqual([reply.status, world.calls], [422, []], amount)
    }
  })

  test('in doubt is 202, and its money stays reserved', async () => {
    const world = worldWith(successful)
    const { status } = await asked(world, { amount: '60.00' }, silence)
    assert.deepEqual([status, world.sale.transaction.refundReservedMinor], [202, 6_000n])
  })

  test('declined is 402 and not sent 502, and its money is free again', async () => {
    for (const [says, expected] of [
      [{ kind: 'declined', code: 'amount_too_large' }, 402],
      [{ kind: 'not_sent', code: 'gateway_not_reached', cause: 'refused' }, 502],
    ] as const) {
      const world = worldWith(successful)
      const { status } = await asked(world, { amount: '60.00' }, says)
      assert.deepEqual([status, world.sale.transaction.refundReservedMinor], [expected, 0n])
      assert.equal(world.sale.transaction.status, 'Successful')
    }
  })

  test('of which the gateway reports another amount alerts, and its money stays reserved', async () => {
    const world = worldWith(successful)
    const { status } = await asked(world, { amount: '60.00' }, success({ amountMinor: 5_999n }))
    assert.deepEqual([status, world.sale.transaction.refundReservedMinor], [202, 6_000n])
    assert.deepEqual(world.alerts, ['The gateway reports $59.99 where $60.00 was asked.'])
  })

  test('that another refund overtook is decided anew, and never exceeds', async () => {
    const world = worldWith(successful)
    world.meanwhile = () => world.change({ status: 'Partially Refunded', refundedMinor: 5_000n })
    const { status, body } = await asked(world, { amount: '60.00' })
    assert.equal(status, 422)
    assert.deepEqual(body.errors, { amount: 'amount is more than what can still be refunded (50.00).' })
    assert.deepEqual([world.refusedCommits, world.calls], [['stale'], []])
  })
})

test('what others change again and again is refused in the end, and not carried out', async () => {
  const world = worldWith(successful)
  const changes = () => {
    world.change({ refundedMinor: world.sale.transaction.refundedMinor })
    world.meanwhile = changes
  }
  world.meanwhile = changes
  const { status, body } = await asked(world, { amount: '60.00' })
  const errors = { transaction: 'transaction is being changed by others. Nothing was done: ask again.' }
  assert.deepEqual([status, body.errors, world.calls], [409, errors, []])
})

test('of those that come at once for one payment, one at a time loads it and commits', async () => {
  const world = worldWith(successful)
  const { store, ...others } = world.ports
  let deciding = 0
  const atOnce: number[] = []
  const load: typeof store.load = async (...which) => {
    atOnce.push(++deciding)
    return store.load(...which)
  }
  const commit: typeof store.commit = async change => {
    if (change.begins !== undefined) deciding -= 1
    return store.commit(change)
  }
  const ports = { ...others, store: { ...store, load, commit } }
  // Nobody settles meanwhile, which would have the next one decide anew.
  const gateway = Promise.withResolvers<void>()
  const openGateway: typeof ports.openGateway = async (...which) => {
    const opened = await ports.openGateway(...which)
    return {
      ...opened,
      prepare: opened.prepare.bind(opened),
      send: async (...call) => {
        await gateway.promise
        return opened.send(...call)
      },
    }
  }
  world.sends = [success({ amountMinor: 100n })]
  const replies = Array.from({ length: 20 }, () => followUp({ ...ports, openGateway }, { ...command, amount: '1.00' }))
  while (world.commits.length < 20) await new Promise(setImmediate)
  assert.deepEqual(atOnce, Array(20).fill(1))
  assert.deepEqual(world.refusedCommits, [])
  gateway.resolve()
  assert.deepEqual(
    (await Promise.all(replies)).map(({ status }) => status),
    Array(20).fill(200),
  )
})

describe('a capture', () => {
  test('of less than was authorised takes that and releases the rest', async () => {
    const { status, body } = await asked(worldWith(authorized), { kind: 'capture', amount: '60.00' })
    assert.deepEqual([status, body.transaction.status], [200, 'Successful'])
  })

  test('without an amount takes all', async () => {
    const world = worldWith(authorized)
    await asked(world, { kind: 'capture' })
    assert.equal(world.sale.transaction.capturedMinor, 10_000n)
  })

  test('of more than was authorised is 422', async () => {
    const { status, body } = await asked(worldWith(authorized), { kind: 'capture', amount: '100.01' })
    assert.deepEqual([status, body.errors], [422, { amount: 'amount is more than what is authorised (100.00).' }])
  })

  test('or void is 409 while another one is open', async () => {
    const open: Operation = { ...charge, id: 'open' as OperationId, kind: 'capture' }
    for (const kind of ['capture', 'void'] as const) {
      const world = worldWith(authorized, [madeCharge, open])
      const { status, body } = await asked(world, { kind })
      assert.equal(status, 409)
      assert.deepEqual(body.errors, { transaction: 'transaction has a capture or void under way.' })
      assert.deepEqual(world.calls, [])
    }
  })
})

test('a void releases what was authorised', async () => {
  const world = worldWith(authorized)
  const { status, body } = await asked(world, { kind: 'void' })
  assert.deepEqual([status, body.transaction.status, world.commits.at(-1)?.givesBackUnits], [200, 'Voided', 1])
})

describe('in a state that does not allow it', () => {
  const allowed = { refund: ['Successful', 'Partially Refunded'], capture: ['Authorized'], void: ['Authorized'] }
  for (const kind of ['refund', 'capture', 'void'] as const) {
    test(`a ${kind} is 409, and nothing is sent`, async () => {
      for (const transaction of oneOfEachStatus) {
        if (allowed[kind].includes(transaction.status)) continue
        const world = worldWith(transaction)
        const { status, body } = await asked(world, { kind })
        const done = { refund: 'refunded', capture: 'captured', void: 'voided' }[kind]
        const says = `transaction is ${transaction.status}, so it cannot be ${done}.`
        assert.deepEqual([status, body.errors, world.calls], [409, { transaction: says }, []])
      }
    })
  }
})

test('an unknown transaction is 404, also one that is no id at all', async () => {
  for (const id of [null, transactionId]) {
    const { status, body } = await asked(new FakeWorld(), { transactionId: id })
    assert.deepEqual([status, body.errors], [404, { transaction: 'transaction is not known.' }])
  }
})

test('what is said to be possible is what would be done', async () => {
  const open = (kind: 'capture' | 'void'): Operation => ({
    ...charge,
    id: `open ${kind}` as OperationId,
    kind,
    outcome: 'unknown',
  })
  const reserved = { ...successful, refundReservedMinor: 10_000n }
  const sales = [
    ...[...oneOfEachStatus, reserved].map(transaction => ({ ...sale, transaction, operations: [madeCharge] })),
    ...(['capture', 'void'] as const).map(kind => ({
      ...sale,
      transaction: authorized,
      operations: [madeCharge, open(kind)],
    })),
  ]
  const afterFailed = { ...sale, transaction: successful, operations: [madeCharge, ...refunds(1_000, 'declined')] }
  assert.equal(possibleMinor(afterFailed).refund, 0n)
  for (const each of sales) {
    for (const kind of ['refund', 'capture', 'void'] as const) {
      const possible = possibleMinor(each)[kind]
      const world = worldWith(each.transaction, each.operations)
      const { status } = await asked(world, { kind }, success({ amountMinor: possible }))
      assert.equal(status, possible > 0n ? 200 : 409, `${kind} of ${each.transaction.status}`)
    }
  }
})
