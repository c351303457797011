import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FakeWorld, silence } from '../../test/support/fake-world.ts'
import { charge, sale } from '../../test/support/sale-samples.ts'
import { commitMs, gatewayTimeoutMs, learnedFrom, operationLeaseMs, sendAndSettle } from './call-gateway.ts'

test('a process that wakes up after its deadline sends nothing, and tells how the sale stands', async () => {
  const world = new FakeWorld()
  const begun = world.put({ ...sale, operations: [charge] })
  world.takeOver({}, { referrerContext: 'changed meanwhile' })
  const held = { ...charge, leaseNo: 1 }
  const told = await sendAndSettle(world.ports, world.gateway, begun, held, AbortSignal.abort())
  assert.deepEqual([world.calls, world.commits], [[], []])
  assert.equal(told.sale.transaction.referrerContext, 'changed meanwhile')
})

test('nobody may take an operation over before its call and the commit after it had their time', () => {
  assert.equal(gatewayTimeoutMs, 30_000)
  assert.equal(operationLeaseMs, gatewayTimeoutMs + commitMs)
})

test('a cause that the database would refuse is mended, so that what was learned can be written', () => {
  const world = new FakeWorld()
  const held = { ...charge, leaseNo: 1 }
  const cause = 'It said:\0no to 4111111111111111 \ud800'
  const { operation } = learnedFrom(world.ports, world.gateway, held, { kind: 'unknown', cause })
  assert.equal(operation.cause, 'It said: no to ************1111 \ufffd')
})

test('what a gateway refused to begin is told with its cause, masked, also when it leaves doubt; nothing else is', () => {
  for (const sendings of [1, 2]) {
    const world = new FakeWorld()
    const held = { ...charge, sendings, leaseNo: 1 }
    const refused = { kind: 'not_sent', code: 'gateway_refused', cause: 'No such card: 4111111111111111.' } as const
    learnedFrom(world.ports, world.gateway, held, refused)
    assert.deepEqual(world.notSent, [`${charge.id} gateway_refused: No such card: ************1111.`])
    learnedFrom(world.ports, world.gateway, held, silence)
    learnedFrom(world.ports, world.gateway, held, { kind: 'declined', code: 'card_declined' })
    assert.equal(world.notSent.length, 1)
  }
})
