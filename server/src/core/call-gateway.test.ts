import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commitMs, gatewayTimeoutMs, learnedFrom, operationLeaseMs, sendAndSettle } from './call-gateway.ts'
import { FakeWorld } from './fake-world.test.ts'
import { charge, sale } from './samples.test.ts'

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
