import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { FakeWorld, hourMs, silence, success } from '../../test/support/fake-world.ts'
import {
  after,
  authorized,
  charge,
  failed,
  madeCharge,
  merchantId,
  noon,
  offer,
  processing,
  sale,
  successful,
  transactionId,
} from '../../test/support/sale-samples.ts'
import { learnedFrom } from './call-gateway.ts'
import type { GatewayId, OperationId } from './ids.ts'
import type { Operation } from './operation.ts'
import type { Decision, Resolved, ResolvePorts } from './resolution.ts'
import { resolveDoubt } from './resolve.ts'
import { settle } from './settle.ts'
import { verdictsFor } from './shown-doubt.ts'
import type { Transaction } from './transaction.ts'

const inDoubt: Operation = { ...charge, outcome: 'unknown', nextAskAt: after(noon, hourMs) }
const followUp = (kind: 'refund' | 'capture' | 'void', amountMinor = 10_000n): Operation => ({
  ...inDoubt,
  id: '0192aaaa-0000-7000-8000-00000000000f' as OperationId,
  kind,
  amountMinor,
})
const late = (operation: Operation, outcome: 'not_sent' | 'declined' = 'not_sent'): Operation => ({
  ...operation,
  outcome,
  settledAt: noon,
  nextAskAt: null,
  ...(outcome === 'declined' && { declineCode: 'card_declined' }),
  forPerson: 'The gateway reports a success for it.',
})
const refunding: Transaction = { ...successful, refundReservedMinor: 6_000n }
const waiting: Transaction = { ...processing, status: 'Further Action Required', actionExpiresAt: noon }

interface Situation {
  readonly transaction: Transaction
  /** The last one is settled. */
  readonly operations: readonly Operation[]
  readonly decision?: Partial<Decision>
  readonly prepare?: (world: FakeWorld) => void
  readonly ports?: (world: FakeWorld) => Partial<ResolvePorts>
}

function portsOf(world: FakeWorld): ResolvePorts {
  return { ...world.ports, findNamesake: async () => null, findTokenUser: async () => null }
}

const hasOwnReference = (kind?: string) => kind === 'charge' || kind === 'refund'

async function resolved({ transaction, operations, decision, prepare, ports }: Situation) {
  const world = new FakeWorld()
  world.put({ ...sale, offer: { ...offer, stockLeft: 1 }, transaction, operations })
  world.now = after(noon, hourMs)
  // The gateway proves nothing by itself, and confirms the reference that it is asked about.
  world.fences = false
  world.lookups = [silence]
  world.owner = { kind: 'ours' }
  prepare?.(world)
  const operationId = operations.at(-1)?.id ?? assert.fail()
  const said = await resolveDoubt(
    { ...portsOf(world), ...ports?.(world) },
    { merchantId, transactionId, operationId },
    {
      ...{ verdict: 'succeeded', by: 'Ada', note: 'Seen in the dashboard.' },
      gatewayRef: hasOwnReference(operations.at(-1)?.kind) ? 'found_1' : null,
      // A dismissal answers what is said of it.
      answers: decision?.verdict === 'dismissed' ? (operations.at(-1)?.forPerson ?? '') : null,
      ...decision,
    },
  )
  return { world, said, operation: world.sale.operations.at(-1) ?? assert.fail(), change: world.commits.at(-1) }
}

function atIt(world: FakeWorld): void {
  world.othersAreAtIt = true
}

function sentenceOf(said: Resolved): string {
  return said.kind === 'refused' ? said.sentence : assert.fail('it was resolved')
}

describe('what is in doubt ends as if the gateway had said so', () => {
  const none: readonly string[] = []
  const rows: readonly {
    readonly what: string
    readonly transaction: Transaction
    readonly operations: readonly Operation[]
    readonly succeeded: readonly [status: string, events: readonly string[], answer: number | undefined]
    readonly notMade: readonly [status: string, events: readonly string[], answer: number | undefined, units?: number]
  }[] = [
    {
      what: 'a charge',
      transaction: processing,
      operations: [inDoubt],
      succeeded: ['Successful', ['transaction'], 200],
      notMade: ['Failed', ['error'], 502, 1],
    },
    {
      what: 'an authorisation',
      transaction: { ...processing, authorizationOnly: true },
      operations: [{ ...inDoubt, forPerson: 'Nobody knows.' }],
      succeeded: ['Authorized', ['transaction'], 200],
      notMade: ['Failed', ['error'], 502, 1],
    },
    {
      what: 'a charge that its customer should confirm',
      transaction: waiting,
      operations: [inDoubt],
      succeeded: ['Successful', ['transaction'], undefined],
      notMade: ['Failed', ['error'], undefined, 1],
    },
    {
      what: 'a refund',
      transaction: refunding,
      operations: [madeCharge, followUp('refund', 6_000n)],
      succeeded: ['Partially Refunded', ['update'], 200],
      notMade: ['Successful', none, 502],
    },
    {
      what: 'a capture',
      transaction: authorized,
      operations: [madeCharge, followUp('capture')],
      succeeded: ['Successful', ['transaction'], 200],
      notMade: ['Authorized', none, 502],
    },
    {
      what: 'a void',
      transaction: authorized,
      operations: [madeCharge, followUp('void')],
      succeeded: ['Voided', ['update'], 200],
      notMade: ['Authorized', none, 502],
    },
  ]
  for (const { what, transaction, operations, succeeded, notMade } of rows) {
    test(`${what} that succeeded`, async () => {
      const { world, said, operation, change } = await resolved({ transaction, operations })
      assert.equal(said.kind, 'resolved')
      const { outcome, gatewayRef, settledAt, nextAskAt, forPerson } = operation
      const named = hasOwnReference(operation.kind) ? 'found_1' : 'gateway_1'
      assert.deepEqual([outcome, gatewayRef, settledAt], ['succeeded', named, world.now])
      assert.deepEqual([nextAskAt, forPerson], [world.now, null], 'the whole payment is asked for once more')
      const events = world.eventsSaid.map(({ kind }) => kind)
      assert.deepEqual([world.sale.transaction.status, events, change?.answer?.status], succeeded)
      const by = { verdict: 'succeeded', by: 'Ada', note: 'Seen in the dashboard.', answers: null }
      assert.deepEqual(change?.resolution, { operationId: operation.id, at: world.now, ...by })
    })

    test(`${what} that was not made`, async () => {
      const { world, operation, change } = await resolved({
        transaction,
        operations,
        decision: { verdict: 'not_made' },
      })
      assert.deepEqual([operation.outcome, operation.forPerson], ['not_sent', null])
      assert.equal(operation.cause, 'Settled by Ada: it was not made.')
      const events = world.eventsSaid.map(({ kind }) => kind)
      const [status, owed, answer, units] = notMade
      assert.deepEqual([world.sale.transaction.status, events, change?.answer?.status], [status, owed, answer])
      assert.deepEqual([change?.givesBackUnits, change?.resolution?.verdict], [units, 'not_made'])
      assert.equal(world.sale.transaction.refundReservedMinor, 0n)
    })
  }

  test('a customer who was to confirm has not, and a charge in doubt was not carried out', async () => {
    for (const [transaction, code] of [
      [waiting, 'action_expired'],
      [processing, 'gateway_no_answer'],
    ] as const) {
      const { world } = await resolved({ transaction, operations: [inDoubt], decision: { verdict: 'not_made' } })
      assert.equal(world.sale.transaction.failure?.code, code)
    }
  })
})

describe('a success that came too late', () => {
  test('is accepted: the charge is made, told, and its units are taken, below zero if need be', async () => {
    for (const outcome of ['not_sent', 'declined'] as const) {
      const { world, operation, change } = await resolved({ transaction: failed, operations: [late(inDoubt, outcome)] })
      const { status, failure, capturedMinor } = world.sale.transaction
      assert.deepEqual([status, failure, capturedMinor], ['Successful', null, 10_000n])
      const { outcome: now, declineCode, forPerson, gatewayRef, cause } = operation
      assert.deepEqual([now, declineCode, forPerson, gatewayRef], ['succeeded', null, null, 'found_1'])
      assert.equal(cause, `Accepted by Ada after it was settled as ${outcome}.`)
      assert.deepEqual([change?.givesBackUnits, change?.answer], [-1, undefined])
      assert.deepEqual(world.eventsSaid, [{ kind: 'transaction', type: 'success' }])
      assert.equal((world.lastDetails.token as { active: boolean }).active, false, 'and nothing is left to sell')
      assert.equal(change?.resolution?.verdict, 'succeeded')
    }
  })

  test('an authorisation is held, a capture taken, a void released, a refund given back', async () => {
    const heldOnly = { ...failed, authorizationOnly: true }
    const rows: readonly [Transaction, readonly Operation[], string, string[], number | undefined][] = [
      [heldOnly, [late(inDoubt)], 'Authorized', ['success'], -1],
      [authorized, [madeCharge, late(followUp('capture'))], 'Successful', ['success'], undefined],
      [authorized, [madeCharge, late(followUp('void'))], 'Voided', ['void'], 1],
      [successful, [madeCharge, late(followUp('refund', 4_000n))], 'Partially Refunded', ['refund'], undefined],
      [successful, [madeCharge, late(followUp('refund'), 'declined')], 'Refunded', ['refund'], undefined],
    ]
    for (const [transaction, operations, status, types, units] of rows) {
      const { world, change } = await resolved({ transaction, operations })
      assert.deepEqual([world.sale.transaction.status, world.eventsSaid.map(({ type }) => type)], [status, types])
      assert.deepEqual([change?.givesBackUnits, world.sale.transaction.refundReservedMinor], [units, 0n])
    }
  })

  test('of a gateway that was tried first makes it the gateway of the transaction', async () => {
    const first = 'gw_first' as GatewayId
    const { world } = await resolved({ transaction: failed, operations: [{ ...late(inDoubt), gatewayId: first }] })
    assert.equal(world.sale.transaction.gatewayId, first)
  })

  test('is dismissed: only the person’s word stays, and how it was settled; the gateway is asked once more', async () => {
    const before = late(inDoubt, 'declined')
    const decision = { verdict: 'dismissed', gatewayRef: null } as const
    const { world, operation, change } = await resolved({ transaction: failed, operations: [before], decision })
    assert.deepEqual(operation, { ...before, forPerson: null, nextAskAt: world.now })
    assert.deepEqual({ ...world.sale.transaction, version: 1 }, failed)
    assert.deepEqual(
      [change?.event, change?.givesBackUnits, change?.resolution?.verdict],
      [...[undefined, undefined, 'dismissed']],
    )
  })

  test('that the transaction has no room for is refused, with what to do', async () => {
    const other = { ...madeCharge, id: '0192aaaa-0000-7000-8000-000000000001' as OperationId }
    const booked: Operation = { ...other, kind: 'capture' }
    const rows: readonly [Transaction, readonly Operation[], RegExp][] = [
      [successful, [other, late(inDoubt)], /^The transaction is Successful without this charge\. Put it right/],
      [successful, [madeCharge, late(followUp('capture'))], /is Successful, so this capture cannot count/],
      [successful, [madeCharge, late(followUp('void'))], /is Successful, so this void cannot count/],
      [
        successful,
        [madeCharge, booked, late(followUp('capture'))],
        /^This capture is written down already, as operation \S+\. Dismiss it\.$/,
      ],
      [refunding, [madeCharge, late(followUp('refund', 4_001n))], /is of \$40\.01, and only \$40\.00 is left/],
    ]
    for (const [transaction, operations, sentence] of rows) {
      const { world, said } = await resolved({ transaction, operations })
      assert.match(sentenceOf(said), sentence)
      assert.deepEqual(world.commits, [])
    }
  })

  test('of a capture is refused while another is under way', async () => {
    const { said } = await resolved({
      transaction: authorized,
      operations: [madeCharge, late(followUp('capture'))],
      ports: world => ({ store: { ...world.ports.store, commit: async () => 'operation_open' } }),
    })
    assert.match(sentenceOf(said), /Another capture or void of it is under way/)
  })
})

describe('refused, and nothing is written', () => {
  const rows: readonly [string, Situation, RegExp][] = [
    [
      'under way',
      { transaction: processing, operations: [charge], prepare: atIt },
      /under way or being asked about just now/,
    ],
    ['waiting for its customer', { transaction: waiting, operations: [charge] }, /waits for its customer/],
    ['made', { transaction: successful, operations: [madeCharge] }, /is settled already: it succeeded/],
    [
      'not made, and nobody says otherwise',
      { transaction: failed, operations: [{ ...late(inDoubt), forPerson: null }] },
      /is settled already: it was not made/,
    ],
    [
      'declined, and nobody says otherwise',
      { transaction: failed, operations: [{ ...late(inDoubt, 'declined'), forPerson: null }] },
      /is settled already: it was declined/,
    ],
    [
      'a doubt that cannot be dismissed',
      { transaction: processing, operations: [inDoubt], decision: { verdict: 'dismissed' } },
      /is still in doubt: it either succeeded or was not made/,
    ],
    [
      'a late success that is said to be not made once more',
      { transaction: failed, operations: [late(inDoubt)], decision: { verdict: 'not_made' } },
      /can be accepted, or dismissed when the money was given back/,
    ],
    [
      'a charge without the gateway’s name for it',
      { transaction: processing, operations: [inDoubt], decision: { gatewayRef: null } },
      /^A charge that succeeded needs the gateway's own reference/,
    ],
    [
      'a refund without the gateway’s name for it',
      { transaction: refunding, operations: [madeCharge, followUp('refund', 6_000n)], decision: { gatewayRef: null } },
      /^A refund that succeeded needs the gateway's own reference/,
    ],
    [
      'a name with a blank',
      { transaction: processing, operations: [inDoubt], decision: { gatewayRef: 'pi 1' } },
      /visible characters/,
    ],
    ['nobody’s word', { transaction: processing, operations: [inDoubt], decision: { by: ' \n' } }, /needs a name/],
    ['no reason', { transaction: processing, operations: [inDoubt], decision: { note: '' } }, /needs a note/],
    [
      'a name that another has',
      {
        transaction: processing,
        operations: [inDoubt],
        ports: () => ({ findNamesake: async ({ id }) => ({ id, transactionId }) }),
      },
      /^The gateway's reference found_1 is that of a charge of transaction \S+ already/,
    ],
    [
      'what is just being asked about',
      { transaction: processing, operations: [inDoubt], prepare: atIt },
      /being asked about just now; try again/,
    ],
  ]
  for (const [what, situation, sentence] of rows) {
    test(what, async () => {
      const { world, said } = await resolved(situation)
      assert.match(sentenceOf(said), sentence)
      assert.match(sentenceOf(said), /\.$/)
      assert.deepEqual([world.commits, world.refusedCommits], [[], []])
    })
  }
})

describe('what was sent, and whose process died before it heard anything', () => {
  for (const [verdict, status] of [
    ['succeeded', 'Successful'],
    ['not_made', 'Failed'],
  ] as const) {
    test(`is settled by a person’s ${verdict}`, async () => {
      const decision = { verdict, gatewayRef: verdict === 'succeeded' ? 'found_1' : null }
      const { world, said } = await resolved({ transaction: processing, operations: [charge], decision })
      assert.deepEqual([said.kind, world.sale.transaction.status, world.eventsSaid.length], ['resolved', status, 1])
    })
  }

  test('is not dismissed: it either succeeded or was not made', async () => {
    const decision = { verdict: 'dismissed' } as const
    const { said } = await resolved({ transaction: processing, operations: [charge], decision })
    assert.match(sentenceOf(said), /is still in doubt/)
  })

  test('is its customer’s when it began to wait at the last moment', async () => {
    const { world, said } = await resolved({
      transaction: processing,
      operations: [charge],
      decision: { verdict: 'not_made' },
      ports: each => ({
        store: {
          ...each.ports.store,
          claimOperation: async () => {
            each.change({ status: 'Further Action Required', actionExpiresAt: after(noon, 2 * hourMs) })
            return each.claim()
          },
        },
      }),
    })
    assert.match(sentenceOf(said), /waits for its customer/)
    assert.deepEqual([world.commits, world.sale.transaction.status], [[], 'Further Action Required'])
  })
})

describe('who was faster', () => {
  const gatewayWins = (world: FakeWorld) =>
    world.takeOver({ outcome: 'succeeded', gatewayRef: 'gateway_1', settledAt: noon }, successful)
  const doubtOf = (some: Partial<Situation>) =>
    resolved({ transaction: processing, operations: [inDoubt], decision: { verdict: 'not_made' }, ...some })

  for (const [moment, claim] of [
    ['the look and the claim', () => null],
    ['the claim and the next look', (world: FakeWorld) => world.claim()],
  ] as const) {
    test(`a gateway’s success between ${moment} counts`, async () => {
      const { world, said } = await doubtOf({
        ports: each => ({
          store: {
            ...each.ports.store,
            claimOperation: async () => {
              const held = claim(each)
              gatewayWins(each)
              return held
            },
          },
        }),
      })
      assert.match(sentenceOf(said), /settled already: it succeeded/)
      assert.deepEqual([world.sale.transaction.status, world.commits], ['Successful', []])
    })
  }

  test('a gateway’s success between the claim and the commit counts', async () => {
    const { world, said } = await doubtOf({
      prepare: each => {
        each.meanwhile = () => gatewayWins(each)
      },
    })
    assert.match(sentenceOf(said), /settled already: it succeeded/)
    assert.deepEqual([world.sale.transaction.status, world.refusedCommits], ['Successful', ['lease_lost']])
  })

  test('a change of the transaction meanwhile does not stop it', async () => {
    for (const operations of [[inDoubt], [late(inDoubt)]]) {
      const transaction = operations[0]?.outcome === 'unknown' ? processing : failed
      const { world, said } = await resolved({
        transaction,
        operations,
        prepare: each => {
          each.meanwhile = () => each.change({ referrerContext: 'meanwhile' })
        },
      })
      assert.equal(said.kind, 'resolved')
      assert.deepEqual([world.refusedCommits, world.commits.length], [['stale'], 1])
      assert.equal(world.sale.transaction.referrerContext, 'meanwhile')
    }
  })

  test('a second person is refused', async () => {
    const { world } = await resolved({ transaction: failed, operations: [late(inDoubt)] })
    const place = { merchantId, transactionId, operationId: charge.id }
    const again = { verdict: 'dismissed', by: 'Eve', note: 'No.', gatewayRef: null, answers: 'It.' } as const
    assert.match(sentenceOf(await resolveDoubt(portsOf(world), place, again)), /settled already: it succeeded/)
    assert.equal(world.commits.length, 1)
  })

  test('where somebody always is, it ends', async () => {
    const { said } = await resolved({
      transaction: failed,
      operations: [late(inDoubt)],
      ports: world => ({ store: { ...world.ports.store, commit: async () => 'lease_lost' } }),
    })
    assert.match(sentenceOf(said), /try again in a moment/)
  })
})

test('what a person writes is kept without card numbers, in one line', async () => {
  const decision = { by: 'Ada\tL.', note: 'Card 4111 1111 1111 1111\nwas charged.' }
  const { change } = await resolved({ transaction: processing, operations: [inDoubt], decision })
  assert.deepEqual(
    [change?.resolution?.by, change?.resolution?.note],
    ['Ada L.', 'Card **** **** **** 1111 was charged.'],
  )
})

test('a capture or void that succeeded has the name of its charge, where no other is given', async () => {
  for (const kind of ['capture', 'void'] as const) {
    const operations = [madeCharge, followUp(kind)]
    const { operation } = await resolved({ transaction: authorized, operations, decision: { gatewayRef: null } })
    assert.equal(operation.gatewayRef, 'gateway_1')
  }
})

test('what the gateway is known to call it need not be said again', async () => {
  for (const [transaction, known] of [
    [processing, { ...inDoubt, gatewayRef: 'reported_1', forPerson: 'The gateway reports another amount.' }],
    [failed, { ...late(inDoubt), gatewayRef: 'reported_1' }],
  ] as const) {
    const { operation } = await resolved({ transaction, operations: [known], decision: { gatewayRef: null } })
    assert.equal(operation.gatewayRef, 'reported_1')
  }
})

describe('what the gateway reports in another amount', () => {
  const forPerson = 'The gateway reports $99.99 where $100.00 was asked.'
  const differing: Operation = { ...inDoubt, nextAskAt: null, gatewayRef: 'gateway_1', forPerson }
  const ended = async (
    operations: readonly Operation[],
    verdict: Decision['verdict'],
    more: Partial<Situation> = {},
  ) => {
    const transaction = operations.at(-1)?.settledAt == null ? processing : failed
    const { said, world } = await resolved({ transaction, operations, decision: { verdict }, ...more })
    return { says: said.kind === 'refused' ? said.sentence : said.kind, world }
  }
  const reports = (amountMinor: bigint) => ({
    prepare: (world: FakeWorld) => {
      world.lookups = [success({ amountMinor })]
    },
  })

  test('is not booked as asked, unless it now reports just that; in doubt or late', async () => {
    for (const operation of [differing, { ...late(differing), forPerson: `It is late. ${forPerson}` }]) {
      const refusal = await ended([operation], 'succeeded', reports(9_999n))
      assert.match(refusal.says, /would be booked as asked/)
      // What is in doubt was claimed, and is given back by a commit that decides nothing.
      const decided = refusal.world.commits.map(({ resolution, event, after }) => [resolution, event, after.status])
      assert.deepEqual(decided, operation === differing ? [[undefined, undefined, 'Processing']] : [])
      assert.equal((await ended([operation], 'succeeded', reports(10_000n))).says, 'resolved')
    }
  })

  test('can be settled as not made, also while the gateway goes on reporting it', async () => {
    for (const more of [{}, reports(9_999n)]) {
      assert.equal((await ended([differing], 'not_made', more)).says, 'resolved')
    }
  })

  test('and of which nobody knew is left to a person, whatever was decided', async () => {
    for (const verdict of ['succeeded', 'not_made'] as const) {
      const { says, world } = await ended([{ ...inDoubt, gatewayRef: 'gateway_1' }], verdict, reports(9_999n))
      assert.match(says, /\$99\.99 where \$100\.00 was asked/)
      const { transaction, operations } = world.sale
      assert.deepEqual(
        [transaction.status, operations[0]?.outcome, operations[0]?.forPerson],
        ['Processing', 'unknown', forPerson],
      )
    }
  })

  test('since it was weighed, is weighed anew', async () => {
    const ports = ({ ports: { store } }: FakeWorld) => ({
      store: { ...store, claimOperation: async (each: Operation) => ({ ...each, leaseNo: 1, forPerson }) },
    })
    for (const verdict of ['succeeded', 'not_made'] as const) {
      const { says, world } = await ended([{ ...inDoubt, gatewayRef: 'gateway_1' }], verdict, { ports })
      assert.match(says, /try again in a moment/)
      assert.deepEqual(world.commits, [])
    }
  })
})

describe('before a decision is accepted', () => {
  const didTo = (world: FakeWorld) => world.calls.map(call => call.do)

  test('the operation is claimed, then fenced and looked up', async () => {
    const order: string[] = []
    const { said } = await resolved({
      transaction: processing,
      operations: [inDoubt],
      ports: ({ ports: { store }, gateway }) => ({
        store: {
          ...store,
          claimOperation: async (operation, leaseMs) => {
            order.push('claim')
            return store.claimOperation(operation, leaseMs)
          },
          commit: async change => {
            order.push('commit')
            return store.commit(change)
          },
        },
        openGateway: async () => ({
          ...gateway,
          fence: async () => order.push('fence') > 0,
          lookup: async () => (order.push('lookup') > 0 ? silence : assert.fail()),
        }),
      }),
    })
    assert.equal(said.kind, 'resolved')
    assert.deepEqual(order, ['claim', 'fence', 'lookup', 'commit'])
  })

  test('a gateway that can do neither is not asked', async () => {
    const { said, world } = await resolved({
      transaction: processing,
      operations: [inDoubt],
      decision: { verdict: 'not_made', gatewayRef: null },
      prepare: world => {
        world.promises = { idempotentForMs: 0, lookup: false, fence: false }
      },
    })
    assert.deepEqual([said.kind, didTo(world)], ['resolved', []])
  })

  test('a gateway that cannot be opened has nothing to say', async () => {
    const openGateway = () => Promise.reject(new Error('the credentials cannot be read'))
    const decision = { verdict: 'not_made', gatewayRef: null } as const
    const situation = { transaction: processing, operations: [inDoubt], decision }
    const { said } = await resolved({ ...situation, ports: () => ({ openGateway }) })
    assert.equal(said.kind, 'resolved')
  })

  test('a success that the gateway proves counts, not the word that it was not made', async () => {
    const { said, world, operation } = await resolved({
      transaction: processing,
      operations: [inDoubt],
      decision: { verdict: 'not_made', gatewayRef: null },
      prepare: world => {
        world.lookups = [success()]
      },
    })
    assert.match(sentenceOf(said), /The gateway says that the charge succeeded: it is settled so/)
    assert.deepEqual([operation.outcome, world.sale.transaction.status], ['succeeded', 'Successful'])
    assert.deepEqual(
      [world.eventsSaid, world.commits.map(({ resolution }) => resolution)],
      [[{ kind: 'transaction', type: 'success' }], [undefined]],
    )
  })

  for (const [what, prepare] of [
    [
      'absent behind its fence',
      (world: FakeWorld) => Object.assign(world, { fences: true, lookups: [{ kind: 'absent' }] }),
    ],
    [
      'declined',
      (world: FakeWorld) => Object.assign(world, { lookups: [{ kind: 'declined', code: 'card_declined' }] }),
    ],
  ] as const) {
    test(`${what}, it is not made, whoever says that it succeeded`, async () => {
      const { said, world } = await resolved({ transaction: processing, operations: [inDoubt], prepare })
      assert.match(sentenceOf(said), /The gateway says that the charge was not made: it is settled so/)
      assert.deepEqual([world.sale.transaction.status, world.commits.at(-1)?.resolution], ['Failed', undefined])
      assert.equal(world.commits.at(-1)?.givesBackUnits, 1)
    })
  }

  test('absent without a fence is no proof: the person decides', async () => {
    const prepare = (world: FakeWorld) => void Object.assign(world, { lookups: [{ kind: 'absent' }] })
    const { said, operation } = await resolved({ transaction: processing, operations: [inDoubt], prepare })
    assert.deepEqual([said.kind, operation.outcome], ['resolved', 'succeeded'])
  })

  test('where both agree it is on record, under the gateway’s own name for it', async () => {
    const prepare = (world: FakeWorld) => void Object.assign(world, { lookups: [success({ gatewayRef: 'its_own' })] })
    const { said, operation, change } = await resolved({ transaction: processing, operations: [inDoubt], prepare })
    assert.deepEqual(
      [said.kind, operation.gatewayRef, change?.resolution?.verdict],
      ['resolved', 'its_own', 'succeeded'],
    )
  })
})

describe('a reference that a person gives', () => {
  const asked = (world: FakeWorld) => world.calls.filter(({ do: what }) => what === 'checkReference').length
  const saying = (owner: FakeWorld['owner']) => (world: FakeWorld) => void Object.assign(world, { owner })
  const failing = () => Promise.reject(new Error('It fails.'))
  const unasked: { readonly [why: string]: Pick<Situation, 'prepare' | 'ports'> } = {
    'while the gateway is silent': { prepare: saying(silence) },
    'while the gateway cannot be opened': { ports: () => ({ openGateway: failing }) },
    'where the gateway cannot be asked': {
      prepare: world => {
        world.promises = { idempotentForMs: 0, lookup: false, fence: false }
      },
    },
    'after a bug of the adapter': {
      ports: ({ gateway }) => ({ openGateway: async () => ({ ...gateway, checkReference: failing }) }),
    },
  }
  const situations: { readonly [what: string]: Pick<Situation, 'transaction' | 'operations'> } = {
    'a charge in doubt': { transaction: processing, operations: [inDoubt] },
    'a refund in doubt': {
      transaction: { ...refunding, refundReservedMinor: 10_000n },
      operations: [madeCharge, followUp('refund')],
    },
    'a late success': { transaction: failed, operations: [late(inDoubt)] },
  }
  for (const [what, situation] of Object.entries(situations)) {
    test(`is refused for ${what} if the gateway has something else there`, async () => {
      const { said, world } = await resolved({ ...situation, prepare: saying({ kind: 'not_ours' }) })
      assert.match(sentenceOf(said), /^The gateway's reference found_1 is not that of this (charge|refund): /)
      assert.deepEqual([asked(world), world.commits.filter(({ resolution }) => resolution !== undefined)], [1, []])
    })

    test(`of ${what} is written down if the gateway confirms it`, async () => {
      const { operation, world } = await resolved({ ...situation, prepare: saying({ kind: 'ours' }) })
      assert.deepEqual([operation.outcome, operation.gatewayRef, asked(world)], ['succeeded', 'found_1', 1])
    })

    for (const [why, more] of Object.entries(unasked)) {
      test(`of ${what} is refused ${why}, and nothing changes`, async () => {
        const before = situation.operations.at(-1) ?? assert.fail()
        const { said, operation, world } = await resolved({ ...situation, ...more })
        assert.equal(
          sentenceOf(said),
          'The gateway did not answer, so the reference found_1 cannot be checked. Nothing has changed: try again when it answers.',
        )
        assert.deepEqual([world.sale.transaction.status, world.eventsSaid], [situation.transaction.status, []])
        const { outcome, gatewayRef, forPerson } = before
        assert.deepEqual(
          [operation.outcome, operation.gatewayRef, operation.forPerson],
          [outcome, gatewayRef, forPerson],
        )
        assert.ok(world.commits.every(({ resolution }) => resolution === undefined))
      })
    }
  }

  test('is not taken in place of what the gateway confirmed', async () => {
    const { said } = await resolved({ transaction: successful, operations: [madeCharge] })
    assert.match(sentenceOf(said), /settled already: it succeeded/)
  })

  test('is refused for a capture, which is found by its charge', async () => {
    const { said, world } = await resolved({
      transaction: authorized,
      operations: [madeCharge, followUp('capture')],
      decision: { gatewayRef: 'found_1' },
    })
    assert.match(sentenceOf(said), /^A capture is found by the reference of its charge: leave out --gateway-ref\.$/)
    assert.deepEqual(world.commits, [])
  })

  test('does not hide what else the gateway said, whatever an adapter does', async () => {
    const prepare = (world: FakeWorld) => {
      world.lookups = [{ kind: 'declined', code: 'card_declined' }]
    }
    const ports: Situation['ports'] = unasked['after a bug of the adapter']?.ports
    const { said } = await resolved({
      transaction: processing,
      operations: [inDoubt],
      prepare,
      ...(ports && { ports }),
    })
    assert.match(sentenceOf(said), /says that the charge was not made/)
  })
})

describe('word of the gateway that comes after a person’s', () => {
  test('that a charge was not made is kept for a person, and can be dismissed', async () => {
    const { world } = await resolved({ transaction: processing, operations: [inDoubt] })
    const held = { ...inDoubt, leaseNo: 1 }
    const declined = learnedFrom(world.ports, world.gateway, held, { kind: 'declined', code: 'card_declined' })
    await settle(world.ports, { ...sale, operations: [inDoubt] }, held, declined)
    const sentence = 'The gateway reports as not made a charge that a person had settled as succeeded.'
    assert.deepEqual(
      world.kept.map(each => each.sentence),
      [sentence],
    )
    assert.deepEqual([world.sale.transaction.status, world.alerts.includes(sentence)], ['Successful', true])

    const kept: Operation = { ...madeCharge, forPerson: sentence }
    assert.deepEqual(verdictsFor(kept), ['dismissed'])
    const refusal = await resolved({ transaction: successful, operations: [kept], decision: { verdict: 'not_made' } })
    assert.match(
      sentenceOf(refusal.said),
      /settled already: it succeeded\. What the gateway said since can be dismissed/,
    )
    const { said, operation } = await resolved({
      transaction: successful,
      operations: [kept],
      decision: { verdict: 'dismissed', gatewayRef: null },
    })
    assert.deepEqual([said.kind, operation.outcome, operation.forPerson], ['resolved', 'succeeded', null])
  })
})
