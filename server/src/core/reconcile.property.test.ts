// Random ledgers that agree, with differences put in by hand: exactly those are found, in whatever order the gateway
// lists, wherever the edges of the span lie, and however the clocks differ.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { after, noon } from '../../test/support/sale-samples.ts'
import { ours, span, theirs, worldOf } from '../../test/support/two-ledgers.ts'
import type { GatewayEntry } from './gateway.ts'
import type { Difference, OurOperation } from './reconcile-entry.ts'

const minuteMs = 60_000

/** Pairs that agree. */
const agreeing: readonly (readonly [Partial<OurOperation>, Partial<GatewayEntry>])[] = [
  [{}, {}],
  [{ kind: 'refund' }, { kind: 'refund' }],
  [{ authorizationOnly: true }, { state: 'authorized' }],
  [
    { authorizationOnly: true, followUp: { kind: 'capture', outcome: 'succeeded', amountMinor: 7n } },
    { amountMinor: 7n },
  ],
  [{ outcome: 'declined', gatewayRef: null }, { state: 'failed' }],
  [{ outcome: 'unknown', changedAt: null, gatewayRef: null }, { state: 'open' }],
]

type Damage = 'none' | 'drop ours' | 'drop theirs' | 'amount' | 'state' | 'settled there' | 'twice' | 'foreign'
const damage = fc.constantFrom<Damage>(
  ...([
    'none',
    'none',
    'none',
    'drop ours',
    'drop theirs',
    'amount',
    'state',
    'settled there',
    'twice',
    'foreign',
  ] as const),
)
const pair = fc.record({
  like: fc.nat(agreeing.length - 1),
  atMinute: fc.integer({ min: -120, max: 24 * 60 + 120 }),
  skewMinutes: fc.integer({ min: -55, max: 55 }),
  damage,
})

interface Made {
  readonly ours: OurOperation | null
  readonly theirs: readonly GatewayEntry[]
  readonly expected: Difference['what'] | null
}

/** What the damage makes of the pair, and what must be found. */
function damaged(here: OurOperation, there: GatewayEntry, damage: Damage): Made {
  const whole = { ours: here, theirs: [there], expected: null }
  const moved = here.outcome === 'succeeded'
  switch (damage) {
    case 'drop ours':
      return { ours: null, theirs: [there], expected: 'only_there' }
    case 'drop theirs':
      return { ours: here, theirs: [], expected: moved ? 'only_here' : null }
    case 'amount':
      return { ...whole, theirs: [{ ...there, amountMinor: 3n }], expected: moved ? 'amount_differs' : null }
    case 'state':
      return moved ? { ...whole, theirs: [{ ...there, state: 'failed' }], expected: 'state_differs' } : whole
    case 'settled there':
      return here.outcome === 'unknown'
        ? { ...whole, theirs: [{ ...there, state: 'succeeded' }], expected: 'settles_doubt' }
        : whole
    case 'twice':
      return moved
        ? { ...whole, theirs: [there, { ...there, gatewayRef: `${there.gatewayRef}_again` }], expected: 'twice_there' }
        : whole
    case 'foreign':
      return { ...whole, ours: null, theirs: [{ ...there, operationId: null }] }
    case 'none':
      return whole
  }
}

const isIn = (time: Date) => span.from <= time && time < span.to

test('exactly the differences that were put in are found', async () => {
  const ledgers = fc.array(pair, { maxLength: 450, size: 'max' })
  await fc.assert(
    fc.asyncProperty(ledgers, fc.infiniteStream(fc.nat()), async (pairs, chance) => {
      const made = pairs.map(({ like, atMinute, skewMinutes, damage }, number) => {
        const [here, there] = agreeing[like] ?? assert.fail()
        const createdAt = after(noon, atMinute * minuteMs)
        const at = after(createdAt, skewMinutes * minuteMs)
        const settled = here.changedAt === null ? {} : { changedAt: createdAt }
        return damaged(ours({ createdAt, ...settled, ...here }, number), theirs({ at, ...there }, number), damage)
      })
      const here = made.flatMap(each => (each.ours === null ? [] : [each.ours]))
      const there = made
        .flatMap(each => each.theirs)
        .map(entry => ({ entry, place: chance.next().value as number }))
        .sort((a, b) => a.place - b.place)
        .map(({ entry }) => entry)
      const expected = made.flatMap(each => {
        const at = each.ours?.createdAt ?? each.theirs[0]?.at ?? noon
        const name = each.ours?.operationId ?? each.theirs[0]?.operationId
        return each.expected !== null && isIn(at) ? [`${name} ${each.expected}`] : []
      })
      const { differences, foreign } = await worldOf(here, there).run(span)
      const names = differences.map(({ what, ours, theirs }) => `${ours?.operationId ?? theirs?.operationId} ${what}`)
      assert.deepEqual(names.sort(), expected.sort())
      const strangers = there.filter(({ operationId, at }) => operationId === null && isIn(at))
      assert.equal(foreign.length, strangers.length)
    }),
    { numRuns: 100 },
  )
})
