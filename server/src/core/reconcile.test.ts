import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allPromises, hourMs } from '../../test/support/fake-world.ts'
import { after } from '../../test/support/sale-samples.ts'
import { begunAt, ours, span, theirs, worldOf } from '../../test/support/two-ledgers.ts'
import type { GatewayEntry } from './gateway.ts'
import type { Currency } from './money.ts'
import { type OurBooks, reconcile } from './reconcile.ts'
import { differenceOf, type OurOperation } from './reconcile-entry.ts'

async function found(here: readonly OurOperation[], there: readonly GatewayEntry[], of = span): Promise<string[]> {
  return (await worldOf(here, there).run(of)).differences.map(({ what }) => what)
}

test('what agrees is no difference: a sale, an authorisation, its capture in part, its release, a refund, a decline', async () => {
  const authorized = ours({ authorizationOnly: true }, 2)
  const captured = { ...authorized, ...ours({}, 3), authorizationOnly: true }
  const voided = { ...authorized, ...ours({}, 4), authorizationOnly: true }
  const here = [
    ours(),
    authorized,
    { ...captured, followUp: { kind: 'capture' as const, outcome: 'succeeded' as const, amountMinor: 40n } },
    { ...voided, followUp: { kind: 'void' as const, outcome: 'succeeded' as const, amountMinor: 10_000n } },
    ours({ kind: 'refund', amountMinor: 5n }, 5),
    ours({ outcome: 'declined', gatewayRef: null }, 6),
    ours({ outcome: 'not_sent', gatewayRef: null }, 7),
    ours({ outcome: 'not_sent', gatewayRef: null }, 8),
    ours({ outcome: 'declined', gatewayRef: null }, 9),
  ]
  const there = [
    theirs(),
    theirs({ state: 'authorized' }, 2),
    theirs({ amountMinor: 40n }, 3),
    theirs({ state: 'voided' }, 4),
    theirs({ kind: 'refund', amountMinor: 5n }, 5),
    theirs({ state: 'failed' }, 6),
    theirs({ state: 'voided' }, 7),
  ]
  const { run } = worldOf(here, there)
  const { differences, checked, open, foreign } = await run()
  assert.deepEqual([differences, checked, open, foreign], [[], { theirs: 7, ours: 5 }, 0, []])
})

test('both sides of a difference are told', async () => {
  const [here, there] = [ours(), theirs({ amountMinor: 9_999n })]
  const { differences } = await worldOf([here], [there]).run()
  assert.deepEqual(differences, [{ what: 'amount_differs', ours: here, theirs: there }])
})

for (const [what, here, there] of [
  ['only_there', null, theirs()],
  ['only_there', null, theirs({ state: 'failed' })],
  ['only_here', ours(), null],
  ['only_here', ours({ authorizationOnly: true }), null],
  ['only_here', ours({ kind: 'refund' }), null],
  ['amount_differs', ours(), theirs({ amountMinor: 1n })],
  ['amount_differs', ours(), theirs({ currency: 'EUR' as Currency })],
  ['amount_differs', ours({ kind: 'refund' }), theirs({ kind: 'refund', amountMinor: 1n })],
  ['amount_differs', ours({ authorizationOnly: true }), theirs({ state: 'authorized', amountMinor: 1n })],
  ['state_differs', ours(), theirs({ state: 'failed' })],
  ['state_differs', ours(), theirs({ state: 'authorized' })],
  ['state_differs', ours({ kind: 'refund' }), theirs({ kind: 'refund', state: 'failed' })],
  ['state_differs', ours({ authorizationOnly: true }), theirs()],
  ['state_differs', ours({ authorizationOnly: true }), theirs({ state: 'voided' })],
  ['state_differs', ours({ outcome: 'declined', gatewayRef: null }), theirs()],
  ['state_differs', ours({ outcome: 'declined', gatewayRef: null }), theirs({ state: 'open' })],
  ['state_differs', ours({ outcome: 'not_sent', gatewayRef: null }), theirs({ state: 'authorized' })],
  ['settles_doubt', ours({ outcome: 'unknown', changedAt: null, gatewayRef: null }), theirs()],
  ['settles_doubt', ours({ outcome: 'unknown', changedAt: null }), theirs({ state: 'failed' })],
  ['settles_doubt', ours({ outcome: 'pending', changedAt: null, waitsForCustomer: true }), theirs()],
  [
    'settles_doubt',
    ours({ authorizationOnly: true, followUp: { kind: 'capture', outcome: 'unknown', amountMinor: 10_000n } }),
    theirs(),
  ],
  [
    'settles_doubt',
    ours({ authorizationOnly: true, followUp: { kind: 'void', outcome: 'pending', amountMinor: 10_000n } }),
    theirs({ state: 'voided' }),
  ],
] as const) {
  const side = (each: OurOperation | GatewayEntry | null) =>
    each === null ? 'nothing' : [each.kind, 'outcome' in each ? each.outcome : each.state].join(' ')
  test(`${what}: ${side(here)} here, ${side(there)} there`, async () => {
    assert.deepEqual(await found(here === null ? [] : [here], there === null ? [] : [there]), [what])
  })
}

test('what is open on both sides, or under way here, is counted and no difference', async () => {
  const here = [
    ours({ outcome: 'unknown', changedAt: null }, 1),
    ours({ outcome: 'pending', changedAt: null, waitsForCustomer: true }, 2),
    ours({ outcome: 'pending', changedAt: null, underWay: true }, 3),
    ours({ outcome: 'unknown', changedAt: null }, 4), // absent there: it may still be on its way
  ]
  const there = [theirs({ state: 'open' }, 1), theirs({ state: 'open' }, 2), theirs({}, 3)]
  const { differences, open } = await worldOf(here, there).run()
  assert.deepEqual([differences, open], [[], 3])
})

test('what changed here while the list was read is left to the next time', async () => {
  const changedAt = after(begunAt, 1)
  const captured = { kind: 'capture', outcome: 'succeeded', amountMinor: 10_000n } as const
  const here = [ours({ changedAt }, 1), ours({ changedAt, authorizationOnly: true, followUp: captured }, 2)]
  const { differences, open } = await worldOf(here, [theirs({ state: 'authorized' }, 2)]).run()
  assert.deepEqual([differences, open], [[], 2])
})

test('a second payment under one operation is told, unless nothing moved', async () => {
  const second = (state: GatewayEntry['state']) => theirs({ gatewayRef: 'another', state })
  assert.deepEqual(await found([ours()], [theirs(), second('succeeded')]), ['twice_there'])
  assert.deepEqual(await found([ours()], [second('authorized'), theirs()]), ['twice_there'])
  assert.deepEqual(await found([ours()], [theirs(), second('failed'), second('voided')]), [])
  assert.deepEqual(await found([ours()], [second('succeeded')]), ['twice_there', 'only_here'])
})

test('a payment that names no operation of ours is foreign, also under a reference of ours', async () => {
  const { differences, foreign } = await worldOf(
    [ours()],
    [theirs({ operationId: null }), theirs({ operationId: null }, 2)],
  ).run()
  assert.deepEqual(
    differences.map(({ what, ours }) => [what, ours?.gatewayRef]),
    [['only_here', 'ref_1']],
  )
  assert.deepEqual(
    foreign.map(({ gatewayRef }) => gatewayRef),
    ['ref_1', 'ref_2'],
  )
})

test('a payment that names another operation is not taken for the one whose reference it has', async () => {
  const another = theirs({ gatewayRef: 'ref_1' }, 2)
  assert.deepEqual(await found([ours()], [another]), ['only_there', 'only_here'])
  const other = ours({ gatewayRef: 'ref_2' }, 2)
  assert.deepEqual(await found([ours(), other], [another]), ['twice_there', 'only_here', 'only_here'])
})

test('a record under the same operation in which nothing moved does not stand for ours', async () => {
  assert.deepEqual(await found([ours()], [theirs({ gatewayRef: 'another', state: 'failed' })]), ['only_here'])
})

test('a refund that names no operation of ours is matched by its reference only where it gives back the same payment', async () => {
  const refund = ours({ kind: 'refund', gatewayRef: 'void:ref_1' }, 2)
  const unknownHere = theirs({}, 9).operationId
  for (const operationId of [null, unknownHere]) {
    const there = (chargeRef: string) => theirs({ kind: 'refund', gatewayRef: 'void:ref_1', operationId, chargeRef })
    assert.deepEqual(await found([ours(), refund], [theirs(), there('ref_1')]), [])
    const { differences, foreign } = await worldOf([ours(), refund], [theirs(), there('ref_9')]).run()
    const told = differences.map(({ what }) => what)
    assert.deepEqual(
      [told, foreign.length],
      operationId === null ? [['only_here'], 1] : [['only_there', 'only_here'], 0],
    )
  }
})

test('a refund that names another refund of ours is not taken for the one whose reference it has', async () => {
  const [refund, other] = [
    ours({ kind: 'refund', gatewayRef: 're_1' }, 2),
    ours({ kind: 'refund', gatewayRef: 're_2' }, 3),
  ]
  const there = theirs({ kind: 'refund', gatewayRef: 're_1', operationId: other.operationId, chargeRef: 'ref_1' })
  assert.deepEqual(await found([ours(), refund, other], [theirs(), there]), ['twice_there', 'only_here', 'only_here'])
})

test('a refund that was made there and gives back what we took is no stranger', async () => {
  const refund = (some: Partial<GatewayEntry>) =>
    theirs({ kind: 'refund', gatewayRef: 're_1', operationId: null, chargeRef: 'ref_1', ...some })
  assert.deepEqual(await found([ours()], [theirs(), refund({})]), ['only_there'])
  assert.deepEqual(await found([ours()], [theirs(), refund({ state: 'failed' })]), [])
  const { differences, foreign } = await worldOf([ours()], [theirs(), refund({ chargeRef: 'ref_2' })]).run()
  assert.deepEqual([differences.length, foreign.length], [0, 1])
})

test('across the edges of the span partners find each other, and each thing is told by one span alone', async () => {
  const { from, to } = span
  const edge = [
    [ours({ createdAt: after(to, -1_000) }, 1), theirs({ at: after(to, 1_000) }, 1)],
    [ours({ createdAt: after(from, 1_000) }, 2), theirs({ at: after(from, -1_000) }, 2)],
  ] as const
  assert.deepEqual(
    await found(
      edge.map(([here]) => here),
      edge.map(([, there]) => there),
    ),
    [],
  )
  const next = { from: to, to: after(to, 24 * hourMs) }
  const lateHere = [ours({ createdAt: after(to, -1_000), outcome: 'declined', gatewayRef: null })]
  const lateThere = [theirs({ at: after(to, 1_000) })]
  assert.deepEqual(
    [await found(lateHere, lateThere), await found(lateHere, lateThere, next)],
    [['state_differs'], []],
    'a pair is told by the span of our side',
  )
  assert.deepEqual([await found([], lateThere), await found([], lateThere, next)], [[], ['only_there']])
  const first = ours({ createdAt: from })
  assert.deepEqual([await found([first], []), await found([{ ...first, createdAt: to }], [])], [['only_here'], []])
})

test('day by day finds what both days together find: theirs is dated long after ours was settled', async () => {
  const next = { from: span.to, to: after(span.to, 24 * hourMs) }
  const both = { from: span.from, to: next.to }
  const createdAt = after(span.to, -10 * 60_000)
  const changedAt = after(span.to, -4 * 60_000)
  const here = [ours({ createdAt, changedAt, outcome: 'not_sent', gatewayRef: null })]
  for (const at of [after(span.to, 90 * 60_000), after(span.to, 23 * hourMs)]) {
    const there = [theirs({ at })]
    assert.deepEqual(
      [await found(here, there), await found(here, there, next), await found(here, there, both)],
      [[], ['state_differs'], ['state_differs']],
    )
  }
  // Dated long before ours, by a clock that is wrong.
  const early = [theirs({ at: after(span.from, -3 * hourMs) })]
  const before = { from: after(span.from, -24 * hourMs), to: span.from }
  const first = [ours({ createdAt: span.from, outcome: 'declined', gatewayRef: null })]
  assert.deepEqual([await found(first, early), await found(first, early, before)], [[], ['state_differs']])
  // A capture much later does not make the list of our day any longer.
  const followUp = { kind: 'capture', outcome: 'succeeded', amountMinor: 10_000n } as const
  const captured = ours({ createdAt, authorizationOnly: true, followUp, changedAt: after(span.to, 9 * hourMs) })
  const once = [{ ...captured, settledAt: createdAt }]
  assert.deepEqual(await found(once, [theirs({ at: after(span.to, 5 * hourMs), amountMinor: 1n })], next), [
    'amount_differs',
  ])
})

test('the list is read an hour beyond the span, and as far as a refund in doubt may have been sent again', async () => {
  const plain = worldOf([ours()], [theirs()])
  await plain.run()
  assert.deepEqual(plain.listed, [{ from: after(span.from, -hourMs), to: after(span.to, hourMs) }])
  const lateAt = after(span.to, 9 * hourMs)
  const refund = ours({ kind: 'refund', createdAt: after(span.to, -hourMs), changedAt: lateAt })
  assert.deepEqual(await found([refund], [theirs({ kind: 'refund', at: lateAt })]), [])
  const resolved = worldOf([{ ...refund, settledAt: after(lateAt, 1_000 * hourMs) }], [])
  await resolved.run()
  assert.deepEqual(resolved.listed[0]?.to, after(span.to, 24 * hourMs), 'no longer than the gateway keeps keys')
})

test('two ledgers with nothing in common are told a thousand times, and the rest counted', async () => {
  const many = Array.from({ length: 1_200 }, (_, number) => number)
  const here = many.map(number => ours({}, number))
  const there = many.map(number => theirs({}, number + 5_000))
  const { differences, differencesLeftOut, checked } = await worldOf(here, there).run()
  assert.deepEqual([differences.length, differencesLeftOut], [1_000, 1_400])
  assert.deepEqual(checked, { theirs: 1_200, ours: 1_200 })
})

test('a list that breaks off gives no result at all', async () => {
  const broken = {
    promises: allPromises,
    async *list() {
      yield theirs()
      throw new Error('it broke off')
    },
  }
  const books: OurBooks = { find: async () => [], succeeded: async () => [], lastDoneAt: async () => null }
  await assert.rejects(reconcile(books, broken, span, begunAt, AbortSignal.timeout(10_000)), /broke off/)
})

test('an amount that differs is of no account where nothing moved', () => {
  assert.equal(differenceOf(ours({ outcome: 'declined' }), theirs({ state: 'failed', amountMinor: 1n })), null)
})
