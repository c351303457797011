import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { allPromises, challenge, FakeWorld, hourMs, silence, success } from '../../test/support/fake-world.ts'
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
import { beginAsk } from './ask.ts'
import type { GatewayPromises, LookupOutcome } from './gateway.ts'
import type { OperationId } from './ids.ts'
import type { Operation } from './operation.ts'
import { askAgain, endInterrupted } from './recover.ts'
import type { Transaction } from './transaction.ts'

const minute = 60_000
const inDoubt: Operation = { ...charge, outcome: 'unknown' }
const refund: Operation = { ...inDoubt, id: 'refund' as OperationId, kind: 'refund', amountMinor: 6_000n }
const refunding: Transaction = { ...successful, refundReservedMinor: 6_000n }
const waiting: Transaction = {
  ...processing,
  status: 'Further Action Required',
  actionExpiresAt: after(noon, 30 * minute),
}

interface Situation {
  readonly ageMs: number
  readonly transaction?: Transaction
  readonly operations?: readonly Operation[]
  readonly promises?: Partial<GatewayPromises>
  readonly prepare?: (world: FakeWorld) => void
}

async function askedAgain({ ageMs, transaction = processing, operations = [inDoubt], promises, prepare }: Situation) {
  const world = new FakeWorld()
  world.put({ ...sale, transaction, operations })
  world.now = after(noon, ageMs)
  world.promises = { ...allPromises, ...promises }
  const held = world.claim()
  prepare?.(world)
  await askAgain(world.ports, world.sale, held)
  const operation = world.sale.operations.at(-1) ?? assert.fail()
  return { world, operation, status: world.sale.transaction.status, did: world.calls.map(call => call.do) }
}

describe('a transaction whose process died before it wrote an operation', () => {
  test('fails with 502: nothing was sent', async () => {
    const world = new FakeWorld()
    await endInterrupted(world.ports, world.put({ ...sale, transaction: processing }))
    const [change] = world.commits
    assert.deepEqual([world.sale.transaction.failure?.code, change?.answer?.status], ['interrupted', 502])
    assert.deepEqual([change?.givesBackUnits, world.eventsSaid], [1, [{ kind: 'error', type: 'error' }]])
  })

  test('fails with 424 when Pre-Sale was recorded as sent, and Pre-Sale is not asked again', async () => {
    const world = new FakeWorld()
    await endInterrupted(world.ports, world.put({ ...sale, transaction: { ...processing, preSale: 'asked' } }))
    const { failure, preSale } = world.sale.transaction
    assert.deepEqual([failure?.code, preSale, world.commits[0]?.answer?.status], ['pre_sale_error', 'error', 424])
    assert.deepEqual([world.eventsSaid, world.askedPreSale], [[{ kind: 'error', type: 'error' }], []])
  })

  test('is left alone when its process woke up first', async () => {
    const world = new FakeWorld()
    const found = world.put({ ...sale, transaction: processing })
    world.change({})
    await endInterrupted(world.ports, found)
    assert.deepEqual([world.refusedCommits, world.sale.transaction.status], [['stale'], 'Processing'])
  })

  test('is left alone when another has ended it: its units were given back, and its merchant told', async () => {
    const world = new FakeWorld()
    await endInterrupted(world.ports, world.put({ ...sale, transaction: failed }))
    assert.deepEqual([world.commits, world.eventsSaid], [[], []])
  })
})

describe('rolling forward', () => {
  test('sends the same operation again under the same id, counted before it leaves', async () => {
    const { world, operation, status } = await askedAgain({
      ageMs: minute,
      prepare: each => {
        each.sending = () => assert.equal(each.sale.operations[0]?.sendings, 2)
      },
    })
    assert.deepEqual(
      world.calls.map(call => [call.do, call.request.id]),
      [['send', charge.id]],
    )
    assert.deepEqual([operation.outcome, operation.asks, status], ['succeeded', 1, 'Successful'])
  })

  test('sends nothing when the lease was lost', async () => {
    const { did } = await askedAgain({ ageMs: minute, prepare: world => world.takeOver() })
    assert.deepEqual(did, [])
  })

  test('does not believe not sent, for an earlier sending may have arrived', async () => {
    const { operation, status } = await askedAgain({
      ageMs: minute,
      prepare: world => {
        world.sends = [{ kind: 'not_sent', code: 'gateway_not_reached', cause: 'refused' }]
      },
    })
    assert.deepEqual([operation.outcome, operation.settledAt, status], ['unknown', null, 'Processing'])
    assert.deepEqual(operation.nextAskAt, after(noon, minute + 30_000), 'and asks again on the growing schedule')
  })

  test('believes a decline that the gateway keeps under this id', async () => {
    const { status } = await askedAgain({
      ageMs: minute,
      prepare: world => {
        world.sends = [{ kind: 'declined', code: 'lost_card' }]
      },
    })
    assert.equal(status, 'Failed')
  })

  test('goes on for a refund as long as the gateway keeps keys', async () => {
    const world = await askedAgain({
      ageMs: 24 * hourMs - 10 * minute - 1,
      transaction: refunding,
      operations: [madeCharge, refund],
      prepare: each => {
        each.sends = [success({ amountMinor: 6_000n })]
      },
    })
    assert.deepEqual([world.did, world.status], [['lookup', 'send'], 'Partially Refunded'])
  })

  test('the growing schedule counts each ask', async () => {
    const gaps = [30_000, 2 * minute, 10 * minute, hourMs, hourMs]
    for (const [asks, gap] of gaps.entries()) {
      const { operation } = await askedAgain({
        ageMs: hourMs,
        transaction: refunding,
        operations: [madeCharge, { ...refund, asks }],
        prepare: world => {
          world.sends = [silence]
        },
      })
      assert.deepEqual([operation.asks, operation.nextAskAt], [asks + 1, after(noon, hourMs + gap)])
    }
  })
})

describe('from the fourth ask on', () => {
  const asking = (found: LookupOutcome, more: Partial<Situation> = {}) =>
    askedAgain({
      ageMs: hourMs,
      transaction: refunding,
      operations: [madeCharge, { ...refund, asks: 3 }],
      ...more,
      prepare: world => {
        world.lookups = [found]
        world.sends = [success({ amountMinor: 6_000n })]
        more.prepare?.(world)
      },
    })
  const askOf = ({ commits }: FakeWorld) => commits[0]?.ask

  test('what the gateway does not have is sent, and counted before it leaves', async () => {
    const { world, did, status, operation } = await asking({ kind: 'absent' })
    assert.deepEqual([did, status, operation.sendings], [['lookup', 'send'], 'Partially Refunded', 2])
    const heard = ['lookup -> absent', 'send -> succeeded', '= It succeeded.']
    assert.deepEqual([askOf(world)?.step, askOf(world)?.number, askOf(world)?.heard], ['send_again', 4, heard])
  })

  test('what it has made already is not sent: it may have forgotten the id', async () => {
    const { world, did, status, operation } = await asking(success({ amountMinor: 6_000n }))
    assert.deepEqual([did, status, operation.sendings], [['lookup'], 'Partially Refunded', 1])
    assert.deepEqual([askOf(world)?.step, askOf(world)?.heard], ['look_up', ['lookup -> succeeded', '= It succeeded.']])
  })

  test('nor what it has declined', async () => {
    const { did, operation } = await asking({ kind: 'declined', code: 'processing_error' })
    assert.deepEqual([did, operation.outcome], [['lookup'], 'declined'])
  })

  test('nor what it cannot tell of, or has not carried out yet: it is asked again', async () => {
    const { did, operation } = await asking(silence)
    assert.deepEqual([did, operation.outcome, operation.sendings], [['lookup'], 'unknown', 1])
    assert.deepEqual(operation.nextAskAt, after(noon, 2 * hourMs))
  })

  test('what it has in another amount goes to a person', async () => {
    const { did, operation } = await asking(success({ amountMinor: 1n }))
    assert.deepEqual([did, operation.forPerson !== null], [['lookup'], true])
  })

  test('nothing is sent when the lease was lost meanwhile', async () => {
    const { did } = await asking({ kind: 'absent' }, { prepare: world => world.takeOver() })
    assert.deepEqual(did, ['lookup'])
  })

  test('both have one deadline: a lookup that takes it all leaves none for a sending', async t => {
    const deadline = new AbortController()
    t.mock.method(AbortSignal, 'timeout', () => deadline.signal)
    const { did, operation } = await asking(
      { kind: 'absent' },
      {
        prepare: world => {
          const { gateway } = world
          const lookup: typeof gateway.lookup = (...args) => {
            deadline.abort()
            return gateway.lookup(...args)
          }
          Object.defineProperty(world, 'gateway', { value: { ...gateway, lookup } })
        },
      },
    )
    assert.deepEqual([did, operation.outcome], [['lookup'], 'unknown'])
  })

  test('a charge is ended, also where the clock says that it is young', async () => {
    const { did, status } = await askedAgain({ ageMs: minute, operations: [{ ...inDoubt, asks: 3 }] })
    assert.deepEqual([did, status], [['fence', 'lookup'], 'Failed'])
  })
})

describe('created when the clock was ahead', () => {
  test('a charge is not carried out: it is ended at once', async () => {
    const { did, status } = await askedAgain({ ageMs: -2 * hourMs })
    assert.deepEqual([did, status], [['fence', 'lookup'], 'Failed'])
  })

  test('a refund that the gateway has is found, and not sent', async () => {
    const { did, status } = await askedAgain({
      ageMs: -2 * hourMs,
      transaction: refunding,
      operations: [madeCharge, refund],
      prepare: world => {
        world.lookups = [success({ amountMinor: 6_000n })]
      },
    })
    assert.deepEqual([did, status], [['fence', 'lookup'], 'Partially Refunded'])
  })
})

describe('after that, behind a fence', () => {
  const fenced = (found: LookupOutcome, fences = true) =>
    askedAgain({
      ageMs: 5 * minute,
      prepare: world => {
        world.fences = fences
        world.lookups = [found]
      },
    })

  test('absence is proof: the charge has failed, with 502, and is never sent again', async () => {
    const { world, operation, status, did } = await fenced({ kind: 'absent' })
    assert.deepEqual(did, ['fence', 'lookup'])
    assert.deepEqual([operation.outcome, status], ['not_sent', 'Failed'])
    assert.equal(world.sale.transaction.failure?.code, 'gateway_no_answer')
    assert.deepEqual([world.commits[0]?.answer?.status, world.commits[0]?.givesBackUnits], [502, 1])
    assert.deepEqual(world.eventsSaid, [{ kind: 'error', type: 'error' }])
  })

  test('a charge that had been made is found', async () => {
    const { status } = await fenced(success())
    assert.equal(status, 'Successful')
  })

  test('a decline says why', async () => {
    const { world } = await fenced({ kind: 'declined', code: 'lost_card' })
    assert.equal(world.sale.transaction.failure?.code, 'lost_card')
  })

  test('that does not stand, absence proves nothing', async () => {
    const { operation, status } = await fenced({ kind: 'absent' }, false)
    assert.deepEqual([operation.outcome, operation.settledAt, status], ['unknown', null, 'Processing'])
    assert.deepEqual(operation.nextAskAt, after(noon, 5 * minute + 30_000))
  })

  test('silence proves nothing', async () => {
    const { operation, status } = await fenced(silence)
    assert.deepEqual([operation.outcome, status], ['unknown', 'Processing'])
  })

  test('another amount goes to a person, and the charge is not failed', async () => {
    const { world, operation, status } = await fenced(success({ amountMinor: 1n }))
    assert.equal(status, 'Processing')
    assert.match(operation.forPerson ?? '', /reports \$0\.01 where \$100\.00 was asked/)
    assert.deepEqual([operation.nextAskAt, world.alerts.length], [null, 1])
  })

  test('an absent refund gives its money back to be refunded; the sale stays', async () => {
    const { world, status } = await askedAgain({
      ageMs: 24 * hourMs,
      transaction: refunding,
      operations: [madeCharge, refund],
    })
    assert.deepEqual([status, world.sale.transaction.refundReservedMinor], ['Successful', 0n])
    assert.deepEqual(world.eventsSaid, [])
  })

  test('an absent capture or void leaves the authorisation as it was', async () => {
    for (const kind of ['capture', 'void'] as const) {
      const operations = [{ ...madeCharge }, { ...refund, kind, amountMinor: 10_000n }]
      const { world, status } = await askedAgain({ ageMs: 24 * hourMs, transaction: authorized, operations })
      assert.deepEqual([status, world.sale.transaction.heldMinor], ['Authorized', 10_000n])
    }
  })
})

describe('a gateway that lacks promises', () => {
  test('no fence: it is only looked up, and absence stays doubt', async () => {
    for (const ageMs of [5 * minute, 24 * hourMs, 71 * hourMs]) {
      const { did, operation, status } = await askedAgain({ ageMs, promises: { fence: false } })
      assert.deepEqual([did, operation.outcome, status], [['lookup'], 'unknown', 'Processing'])
      assert.deepEqual([operation.nextAskAt === null, operation.forPerson], [false, null])
    }
  })

  test('no fence: after three days it is left to a person, with what was last heard, and nothing is failed', async () => {
    for (const ageMs of [72 * hourMs, 999 * hourMs]) {
      const { world, did, operation, status } = await askedAgain({ ageMs, promises: { fence: false } })
      assert.deepEqual([did, operation.outcome, status], [['lookup'], 'unknown', 'Processing'])
      const sentence = 'The gateway was asked for three days and proved nothing; it is not asked again by itself.'
      assert.deepEqual([operation.forPerson, operation.nextAskAt, world.alerts], [sentence, null, [sentence]])
      assert.equal(operation.cause, 'Nothing was found there, which is no proof: it may still arrive.')
    }
  })

  test('absence behind a fence is proof after three days as well, and alerts nobody', async () => {
    const { world, operation, status } = await askedAgain({ ageMs: 999 * hourMs })
    assert.deepEqual([operation.outcome, operation.forPerson, status], ['not_sent', null, 'Failed'])
    assert.deepEqual(world.alerts, [])
  })

  test('no fence: a success that is found settles', async () => {
    const found = (world: FakeWorld) => {
      world.lookups = [success()]
    }
    const { status } = await askedAgain({ ageMs: hourMs, promises: { fence: false }, prepare: found })
    assert.equal(status, 'Successful')
  })

  test('no idempotency: nothing is ever sent a second time', async () => {
    const { did } = await askedAgain({ ageMs: 5_000, promises: { idempotentForMs: 0 } })
    assert.deepEqual(did, ['fence', 'lookup'])
  })

  test('none at all: it alerts, is left to a person, and stays Processing', async () => {
    const promises = { idempotentForMs: 0, lookup: false, fence: false }
    const { world, operation, status, did } = await askedAgain({ ageMs: 5_000, promises })
    const sentence = 'The gateway can neither be asked again safely nor looked up.'
    assert.deepEqual([did, status, operation.outcome], [[], 'Processing', 'unknown'])
    assert.deepEqual([operation.forPerson, operation.nextAskAt, world.alerts], [sentence, null, [sentence]])
    assert.deepEqual(world.eventsSaid, [])
  })
})

describe('while the customer may still confirm', () => {
  const asked = (ageMs: number, found: LookupOutcome, more: Partial<Situation> = {}) =>
    askedAgain({
      ageMs,
      transaction: waiting,
      operations: [{ ...charge, gatewayRef: 'gateway_1' }],
      ...more,
      prepare: world => {
        world.lookups = [found]
      },
    })

  test('the gateway is only looked at: nothing is sent and nothing fenced', async () => {
    const { did, status } = await asked(minute, challenge)
    assert.deepEqual([did, status], [['lookup'], 'Further Action Required'])
  })

  test('a confirmation is found', async () => {
    const { status, world } = await asked(minute, success())
    assert.equal(status, 'Successful')
    assert.deepEqual(world.eventsSaid, [{ kind: 'transaction', type: 'success' }])
  })

  test('and the time is over, it is fenced first, and has expired', async () => {
    const { did, status, world } = await asked(30 * minute, { kind: 'absent' })
    assert.deepEqual([did, status], [['fence', 'lookup'], 'Failed'])
    assert.equal(world.sale.transaction.failure?.code, 'action_expired')
  })

  test('a millisecond earlier it is not fenced', async () => {
    const { did } = await asked(30 * minute - 1, challenge)
    assert.deepEqual(did, ['lookup'])
  })

  test('a confirmation that was faster than the fence counts', async () => {
    const { status } = await asked(30 * minute, success())
    assert.equal(status, 'Successful')
  })

  test('without a fence the time does not end it: a late confirmation could still charge', async () => {
    const { did, status } = await asked(hourMs, challenge, { promises: { fence: false } })
    assert.deepEqual([did, status], [['lookup'], 'Further Action Required'])
  })
})

test('a customer’s time that is over at a gateway without lookup is left to a person', async () => {
  const promises = { lookup: false, fence: true }
  const { world, did, status, operation } = await askedAgain({ ageMs: 30 * minute, transaction: waiting, promises })
  assert.deepEqual([did, status, world.alerts.length], [[], 'Further Action Required', 1])
  assert.notEqual(operation.forPerson, null)
})

describe('a gateway that cannot be opened', () => {
  const shut = async (ageMs: number) => {
    const world = new FakeWorld()
    world.put({ ...sale, transaction: processing, operations: [charge] })
    world.now = after(noon, ageMs)
    const ports = { ...world.ports, openGateway: () => Promise.reject(new Error('sealed with another key')) }
    await askAgain(ports, world.sale, world.claim())
    return { world, operation: world.sale.operations[0] ?? assert.fail() }
  }

  test('leaves its operation in doubt, asked again on the schedule and free for a person, and alerts', async () => {
    const { world, operation } = await shut(minute)
    const sentence = 'The gateway cannot be opened, so that it cannot be asked.'
    assert.deepEqual([operation.outcome, operation.cause, operation.asks], ['unknown', sentence, 1])
    assert.deepEqual(operation.nextAskAt, after(noon, minute + 30_000))
    assert.deepEqual([world.alerts, world.sale.transaction.status], [[sentence], 'Processing'])
    assert.deepEqual(world.commits[0]?.ask?.heard, [sentence, `= Still in doubt. ${sentence}`])
  })

  test('is left to a person after three days', async () => {
    const { operation } = await shut(72 * hourMs)
    assert.deepEqual([operation.nextAskAt, operation.forPerson !== null], [null, true])
  })
})

test('a follow-up without a charge is a bug, and said so', async () => {
  const asking = askedAgain({ ageMs: minute, transaction: refunding, operations: [refund] })
  await assert.rejects(asking, /has no charge to refund/)
})

test('a success that arrives after others fenced the charge and failed it is kept, and alerts', async () => {
  const { world, status } = await askedAgain({
    ageMs: minute,
    prepare: each => {
      each.sending = () => each.takeOver({ outcome: 'not_sent', settledAt: noon, nextAskAt: null }, failed)
    },
  })
  assert.equal(status, 'Failed')
  const sentence = 'The gateway reports a success for a charge that was settled as not_sent.'
  assert.deepEqual([world.alerts, world.kept.map(kept => kept.sentence)], [[sentence], [sentence]])
})

test('what was settled after it was claimed is not asked about', async () => {
  const made = { outcome: 'succeeded', settledAt: noon, gatewayRef: 'gateway_1' } as const
  const { did, world } = await askedAgain({ ageMs: hourMs, prepare: each => each.takeOver(made, successful) })
  assert.deepEqual([did, world.commits], [[], []])
})

describe('every ask is kept with what it leads to', () => {
  const nothingToAsk = 'The gateway can neither be asked again safely nor looked up.'
  const kept = async (situation: Situation) => (await askedAgain(situation)).world.commits.map(({ ask }) => ask)
  const at = (ageMs: number) => ({ operationId: charge.id, at: after(noon, ageMs) })

  test('the step, its number and each exchange', async () => {
    const operations = [{ ...inDoubt, asks: 2 }]
    const heard = {
      send_again: ['send -> succeeded', '= It succeeded.'],
      fence_and_look_up: [
        ...['fence -> true', 'lookup -> absent'],
        '= It was not made. Fenced at the gateway, and absent there.',
      ],
    }
    assert.deepEqual(await kept({ ageMs: minute, operations }), [
      { ...at(minute), number: 3, step: 'send_again', heard: heard.send_again },
    ])
    assert.deepEqual(await kept({ ageMs: hourMs, operations }), [
      { ...at(hourMs), number: 3, step: 'fence_and_look_up', heard: heard.fence_and_look_up },
    ])
  })

  test('also where nothing was learned', async () => {
    const prepare = (world: FakeWorld) => {
      world.lookups = [silence]
    }
    assert.deepEqual(await kept({ ageMs: hourMs, promises: { fence: false }, prepare }), [
      { ...at(hourMs), number: 1, step: 'look_up', heard: ['lookup -> unknown', '= Still in doubt. no answer'] },
    ])
  })

  test('also where there was nothing to ask', async () => {
    const promises = { idempotentForMs: 0, lookup: false, fence: false }
    assert.deepEqual(await kept({ ageMs: 5_000, promises }), [
      { ...at(5_000), number: 1, step: 'leave_to_a_person', heard: [`= Left to a person. ${nothingToAsk}`] },
    ])
  })

  test('the first with what the first sending heard, which is overwritten from then on', async () => {
    const prepare = (world: FakeWorld) => {
      world.lookups = [{ kind: 'absent' }]
    }
    const heardBy = async (asks: number) => {
      const operations = [{ ...inDoubt, asks, cause: 'no answer in 30 s' }]
      return (await kept({ ageMs: hourMs, promises: { fence: false }, operations, prepare }))[0]?.heard
    }
    const absent = [
      'lookup -> absent',
      '= Still in doubt. Nothing was found there, which is no proof: it may still arrive.',
    ]
    assert.deepEqual(await heardBy(0), ['before that -> no answer in 30 s', ...absent])
    assert.deepEqual(await heardBy(1), absent)
  })

  test('one that waits for its customer, and one that was declined, are told from doubt', async () => {
    const last = async (found: LookupOutcome) => {
      const prepare = (world: FakeWorld) => {
        world.lookups = [found]
      }
      return (await kept({ ageMs: hourMs, promises: { fence: false }, prepare }))[0]?.heard.at(-1)
    }
    assert.equal(await last(challenge), '= It still waits for its customer.')
    assert.equal(await last({ kind: 'declined', code: 'lost_card' }), '= It was declined: lost_card.')
  })

  test('once, however often the transaction moved meanwhile', async () => {
    const { world } = await askedAgain({
      ageMs: minute,
      prepare: each => {
        each.meanwhile = () => each.change({})
      },
    })
    assert.deepEqual([world.refusedCommits, world.commits.map(({ ask }) => ask?.number)], [['stale'], [1]])
  })

  test('not where the lease was lost: whoever has it asks, and keeps that', async () => {
    const prepare = (world: FakeWorld) => {
      world.sends = [silence]
      world.sending = () => world.takeOver()
    }
    assert.deepEqual(await kept({ ageMs: minute, prepare }), [])
  })

  test('twenty lines at most, without card numbers and each of one line', () => {
    const asking = beginAsk({ ...inDoubt, asks: 1 }, 'look_up', noon)
    for (let line = 0; line < 30; line++) asking.note(`${line}: 4111111111111111\n${'x'.repeat(600)}`)
    const { heard } = asking.record()
    assert.deepEqual([heard.length, ...heard.map(({ length }) => length)], [20, ...Array(20).fill(500)])
    assert.match(heard[0] ?? '', /^0: \*{12}1111 x+…$/)
  })
})
