import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeWorld } from '../../test/support/fake-world.ts'
import { charge, noon, sale, usd } from '../../test/support/sale-samples.ts'
import { whyNotAsAsked } from './another-amount.ts'
import type { LookupOutcome } from './gateway.ts'
import { type Operation, provenBy, settled } from './operation.ts'

const success = (amountMinor: bigint) =>
  ({ kind: 'succeeded', gatewayRef: 'gateway_1', amountMinor, currency: usd, feeMinor: null }) as const
const less = provenBy(charge, success(charge.amountMinor - 1n), noon)

async function asked(operation: Operation, ...answers: readonly LookupOutcome[]) {
  const left = [...answers]
  const world = new FakeWorld()
  const lookup = async () => left.shift() ?? assert.fail('nobody should have asked')
  const openGateway = async () => ({ ...world.gateway, lookup, close() {} })
  const said = await whyNotAsAsked({ ...world.ports, openGateway }, sale, operation)
  assert.deepEqual(left, [])
  return said
}

test('what was reported in another amount succeeded only if the gateway now reports the amount asked', async () => {
  assert.equal(await asked(less, success(charge.amountMinor)), null)
  assert.match(
    (await asked(less, success(charge.amountMinor - 2n))) ?? '',
    /^The gateway reports \$99\.98 where \$100\.00/,
  )
  for (const kind of ['absent', 'unknown'] as const) {
    assert.match((await asked(less, { kind, cause: 'away' })) ?? '', /^The gateway reports \$99\.99 where \$100\.00/)
  }
})

test('what to do is said: of a late success something else than of one in doubt', async () => {
  const late = { ...settled(less, 'not_sent', noon, {}), forPerson: `It reports a success. ${less.forPerson}` }
  assert.match((await asked(less, { kind: 'absent' })) ?? '', /settle it as not-made\.$/)
  assert.match((await asked(late, { kind: 'absent' })) ?? '', /settle it as dismissed\.$/)
})

test('of anything else the gateway is not asked', async () => {
  assert.equal(await asked(charge), null)
  assert.equal(await asked({ ...less, forPerson: 'It was asked for three days.' }), null)
})

test('where the gateway cannot be opened, what it said stands', async () => {
  const openGateway = () => Promise.reject(new Error('sealed with another key'))
  const said = await whyNotAsAsked({ ...new FakeWorld().ports, openGateway }, sale, less)
  assert.match(said ?? '', /^The gateway reports \$99\.99 where \$100\.00 was asked\./)
  assert.equal(await whyNotAsAsked({ ...new FakeWorld().ports, openGateway }, sale, charge), null)
})
