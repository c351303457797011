import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeWorld } from '../../test/support/fake-world.ts'
import { charge, gatewayId, merchantId, noon } from '../../test/support/sale-samples.ts'
import type { Gateway, GatewayEntry } from './gateway.ts'
import { lookAgainAt } from './look-again.ts'
import type { Difference, OurOperation } from './reconcile-entry.ts'

const ours: OurOperation = {
  ...{ kind: 'charge', operationId: charge.id, transactionId: charge.transactionId, gatewayRef: 'pi_here' },
  ...{ amountMinor: 10_000n, currency: charge.currency, createdAt: noon, outcome: 'succeeded', underWay: false },
  ...{
    waitsForCustomer: false,
    authorizationOnly: false,
    followUp: null,
    settledAt: null,
    changedAt: noon,
    forPerson: null,
    moreForPerson: [],
  },
}
const theirs: GatewayEntry = {
  ...{ kind: 'charge', gatewayRef: 'pi_there', operationId: charge.id, state: 'succeeded' },
  ...{ amountMinor: 10_000n, currency: charge.currency, at: noon },
}

/** The payments that the gateway was asked about. */
async function askedOf(differences: readonly Difference[], silent: readonly string[] = []) {
  const world = new FakeWorld()
  const asked: string[] = []
  const notices: Gateway['notices'] = {
    read: () => assert.fail(),
    async payment(chargeRef) {
      asked.push(chargeRef)
      return silent.includes(chargeRef) ? { kind: 'unknown', cause: 'no answer' } : null
    },
  }
  const ports = {
    ...world.ports,
    claimOperation: () => assert.fail(),
    findCharge: async () => null,
    hasCard: () => assert.fail(),
    renewCard: () => assert.fail(),
  }
  const looked = await lookAgainAt(ports, { merchantId, gatewayId }, { ...world.gateway, notices }, differences)
  return { asked, looked }
}

test('a payment is looked at by the name that the gateway has for it, else by ours, and a refund by what it gives back', async () => {
  const refund = { ...theirs, kind: 'refund', gatewayRef: 're_1', chargeRef: 'pi_refunded' } as const
  const { asked } = await askedOf([
    { what: 'settles_doubt', ours: { ...ours, gatewayRef: null, outcome: 'unknown' }, theirs },
    { what: 'only_here', ours, theirs: null },
    { what: 'only_there', ours: null, theirs: refund },
    { what: 'only_here', ours: { ...ours, kind: 'refund', gatewayRef: 're_2' }, theirs: null },
  ])
  assert.deepEqual(asked, ['pi_there', 'pi_here', 'pi_refunded'])
})

test('each payment once, however much of it differs, and it is said which could not be followed up', async () => {
  const refund = { ...theirs, kind: 'refund', gatewayRef: 're_1', chargeRef: 'pi_there' } as const
  const differences: Difference[] = [
    { what: 'state_differs', ours, theirs },
    { what: 'only_there', ours: null, theirs: refund },
    { what: 'only_here', ours, theirs: null },
  ]
  const { looked } = await askedOf(differences, ['pi_there'])
  assert.deepEqual(looked, [
    { chargeRef: 'pi_there', heard: 'not_now' },
    { chargeRef: 'pi_here', heard: 'done' },
  ])
})
