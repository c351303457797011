import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type AgreeWorld, paid, worldOf } from '../../test/support/agree-world.ts'
import { allPromises, challenge, silence, success } from '../../test/support/fake-world.ts'
import { after, charge, gatewayId, noon, processing } from '../../test/support/sale-samples.ts'
import { agreeWithGateway } from './agree.ts'
import { lookAfterCustomer } from './customer-step.ts'
import type { LookupOutcome } from './gateway.ts'
import type { Operation } from './operation.ts'
import { askAgain } from './recover.ts'
import { threeDSecureForMs } from './settle.ts'
import type { Transaction } from './transaction.ts'

const expiresAt = after(noon, threeDSecureForMs)
const waiting: Transaction = { ...processing, status: 'Further Action Required', actionExpiresAt: expiresAt }
const operation: Operation = { ...charge, gatewayRef: 'gateway_1', nextAskAt: expiresAt }
const declined = { kind: 'declined', code: 'authentication_failed' } as const
/** What a gateway may say of a payment that it was made to refuse. */
const calledOff = { kind: 'declined', code: 'processing_error' } as const

const waitingWorld = () => worldOf(waiting, operation)

/** Whoever hears of the decline, and what the gateway is asked before it is fenced. */
const ways: readonly [string, (world: AgreeWorld) => Promise<unknown>, readonly string[]][] = [
  ['the sweeper', world => askAgain(world.ports, world.sale, world.claim()), ['lookup']],
  ['the customer’s page', world => lookAfterCustomer(world.ports, world.sale), ['lookup']],
  ['a notice', world => world.hear({ charge: declined }), []],
]

for (const [who, hears, before] of ways) {
  describe(`a decline that ${who} hears of while the customer could still confirm`, () => {
    /** The gateway says that it is declined, and this when it is asked again. */
    async function heard(then: LookupOutcome, prepare: (world: AgreeWorld) => void = () => {}) {
      const world = waitingWorld()
      world.lookups = [...before.map(() => declined), then]
      prepare(world)
      const result = await hears(world)
      const did = world.calls.map(call => call.do)
      return { world, result, did, status: world.sale.transaction.status }
    }

    test('ends it behind a fence, for the reason that was heard first', async () => {
      for (const then of [calledOff, { kind: 'absent' }] as const) {
        const { world, did, status } = await heard(then)
        assert.deepEqual(did, [...before, 'fence', 'lookup'])
        assert.deepEqual([status, world.sale.transaction.failure?.code], ['Failed', 'authentication_failed'])
        assert.deepEqual(world.eventsSaid, [{ kind: 'error', type: 'error' }])
      }
    })

    test('ends nothing where the fence does not stand, and it is asked again', async () => {
      const { world, did, status } = await heard(calledOff, each => {
        each.fences = false
      })
      assert.deepEqual([did, status], [[...before, 'fence'], 'Further Action Required'])
      assert.deepEqual([world.eventsSaid, world.commits.length], [[], 1], 'the lease is given back')
      const [now] = world.sale.operations
      assert.deepEqual([now?.settledAt, now?.forPerson], [null, null])
      assert.ok(now?.nextAskAt != null && now.nextAskAt <= expiresAt)
    })

    test('is no match for a confirmation that was faster than the fence', async () => {
      const { world, status } = await heard(success())
      assert.deepEqual([status, world.eventsSaid], ['Successful', [{ kind: 'transaction', type: 'success' }]])
    })

    test('ends nothing where the gateway does not say it again', async () => {
      for (const then of [silence, challenge]) {
        const { world, status } = await heard(then)
        assert.deepEqual([status, world.eventsSaid], ['Further Action Required', []], then.kind)
      }
    })

    test('ends it at a gateway that has no fence', async () => {
      const { did, status } = await heard(calledOff, world => {
        world.promises = { ...allPromises, fence: false }
      })
      assert.deepEqual([did, status], [before, 'Failed'])
    })
  })
}

test('a gateway whose payment could not be fenced is to tell it again', async () => {
  const world = waitingWorld()
  world.fences = false
  assert.equal(await world.hear({ charge: declined }), 'not_now')
})

test('nobody fences what another process has in hand', async () => {
  for (const [who, hears] of ways.slice(1)) {
    const world = waitingWorld()
    world.othersAreAtIt = true
    await hears(world)
    assert.deepEqual([world.calls, world.commits], [[], []], who)
  }
})

test('a charge that has begun to wait since it was read is fenced as well', async () => {
  const world = worldOf(processing, charge)
  const read = world.sale
  world.change({ status: 'Further Action Required', actionExpiresAt: expiresAt })
  await agreeWithGateway(world.ports, read, gatewayId, { ...paid, charge: declined })
  assert.deepEqual(
    world.calls.map(call => call.do),
    ['fence', 'lookup'],
  )
})

test('a charge that does not wait is not fenced: nobody could confirm it', async () => {
  const world = worldOf(processing, charge)
  assert.equal(await world.hear({ charge: declined }), 'agreed')
  assert.deepEqual([world.calls, world.sale.transaction.status], [[], 'Failed'])
})

test('when the time is over, it has expired behind the fence, and not without', async () => {
  for (const [fences, status] of [
    [true, 'Failed'],
    [false, 'Further Action Required'],
  ] as const) {
    const world = waitingWorld()
    world.now = expiresAt
    world.lookups = [declined]
    world.fences = fences
    await askAgain(world.ports, world.sale, world.claim())
    assert.equal(world.sale.transaction.status, status)
    assert.equal(world.sale.transaction.failure?.code, fences ? 'action_expired' : undefined)
  }
})
