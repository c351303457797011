import assert from 'node:assert/strict'
import { test } from 'node:test'
import { challenge, FakeWorld, silence, success } from '../../test/support/fake-world.ts'
import { after, noon, processing, sale } from '../../test/support/sale-samples.ts'
import { continueWithCustomer, lookAfterCustomer, waitingCharge } from './customer-step.ts'
import type { CustomerStep, Gateway, LookupOutcome } from './gateway.ts'
import { newOperation } from './new-operation.ts'
import type { Ports } from './ports.ts'
import { threeDSecureForMs } from './settle.ts'

const expiresAt = after(noon, threeDSecureForMs)
const returnUrl = 'https://pay.example/offers/x?transaction=y&returned=1'

/** A world with one charge that waits for its customer, and a gateway whose page is at the bank. */
function waitingWorld(step: CustomerStep | null = { kind: 'redirect', url: 'https://bank.example/page' }) {
  const world = new FakeWorld()
  const { merchantId, id: transactionId, gatewayId, amountMinor, currency } = processing
  const facts = { merchantId, transactionId, gatewayId, cardRef: 'copy_7', amountMinor, currency }
  const operation = { ...newOperation(world.ports, { ...facts, kind: 'charge' }), gatewayRef: 'gateway_1', asks: 3 }
  const transaction = { ...processing, status: 'Further Action Required' as const, actionExpiresAt: expiresAt }
  world.put({ ...sale, transaction, operations: [operation] })
  const begun: Parameters<NonNullable<Gateway['customerStep']>>[] = []
  const customerStep: Gateway['customerStep'] = async (...given) => {
    begun.push(given)
    return step ?? assert.fail()
  }
  const ports: Ports = {
    ...world.ports,
    now: () => world.now,
    openGateway: async () => ({ ...world.gateway, customerStep: step === null ? null : customerStep }),
  }
  return {
    world,
    ports,
    begun,
    operation,
    goOn: () => continueWithCustomer(ports, merchantId, transactionId, returnUrl),
  }
}

test('the customer is sent to the bank with the very charge that waits, and nothing is written', async () => {
  const { world, begun, goOn, operation } = waitingWorld()
  assert.deepEqual(await goOn(), { kind: 'redirect', url: 'https://bank.example/page' })
  const [[request, back] = assert.fail()] = begun
  assert.deepEqual([request.id, request.cardRef, request.capture, back], [operation.id, 'copy_7', true, returnUrl])
  assert.deepEqual(world.commits, [])
})

test('what is over, expired or not there is not begun', async () => {
  const { world, begun, goOn, ports } = waitingWorld()
  world.now = expiresAt
  assert.deepEqual(await goOn(), { kind: 'over' })
  world.now = noon
  world.change({ status: 'Processing', actionExpiresAt: null })
  assert.deepEqual(await goOn(), { kind: 'over' })
  const nobody = continueWithCustomer(ports, processing.merchantId, 'none' as never, returnUrl)
  assert.deepEqual(await nobody, { kind: 'over' })
  assert.deepEqual(begun, [])
})

test('a gateway that is silent, has settled it, or has no such step says so', async () => {
  assert.deepEqual(await waitingWorld({ kind: 'settled' }).goOn(), { kind: 'over' })
  assert.deepEqual(await waitingWorld(silence).goOn(), { kind: 'not_now', cause: silence.cause })
  assert.equal((await waitingWorld(null).goOn()).kind, 'not_now')
})

for (const [said, status] of [
  [success(), 'Successful'],
  [{ kind: 'declined', code: 'authentication_failed' }, 'Failed'],
] as const satisfies readonly (readonly [LookupOutcome, string])[]) {
  test(`back from the bank, ${said.kind} makes it ${status}, with its event`, async () => {
    const { world, ports } = waitingWorld()
    world.lookups = [said]
    const after = await lookAfterCustomer(ports, world.sale)
    assert.equal(after?.transaction.status, status)
    assert.equal(world.eventsSaid.length, 1)
  })
}

test('what is no proof changes nothing, not even the schedule', async () => {
  for (const said of [challenge, silence, { kind: 'absent' }] as const satisfies readonly LookupOutcome[]) {
    const { world, ports, operation } = waitingWorld()
    world.lookups = [said]
    const after = await lookAfterCustomer(ports, world.sale)
    assert.equal(after?.transaction.status, 'Further Action Required', said.kind)
    const { leaseNo: _, ...now } = { leaseNo: 0, ...after?.operations[0] }
    assert.deepEqual(now, operation, said.kind)
    assert.deepEqual([world.eventsSaid, world.kept, world.commits.length], [[], [], 1], 'the lease is given back')
  }
})

test('a success of another amount is left to a person', async () => {
  const { world, ports } = waitingWorld()
  world.lookups = [success({ amountMinor: 1n })]
  const after = await lookAfterCustomer(ports, world.sale)
  assert.equal(after?.transaction.status, 'Further Action Required')
  assert.match(after?.operations[0]?.forPerson ?? '', /reports \$0\.01/)
})

test('while somebody else asks, nothing is asked; when the time is over, it is left to the sweeper', async () => {
  const { world, ports } = waitingWorld()
  world.now = expiresAt
  assert.equal(await lookAfterCustomer(ports, world.sale), world.sale)
  world.now = noon
  world.othersAreAtIt = true
  assert.equal(await lookAfterCustomer(ports, world.sale), null)
  assert.deepEqual(world.calls, [])
})

test('only a charge that is open waits', () => {
  const { world, operation } = waitingWorld()
  assert.equal(waitingCharge(world.sale, noon)?.id, operation.id)
  const declined = { ...operation, outcome: 'declined' as const }
  assert.equal(waitingCharge({ ...world.sale, operations: [declined] }, noon), null)
  const forPerson = { ...operation, forPerson: 'It is strange.' }
  assert.equal(waitingCharge({ ...world.sale, operations: [forPerson] }, noon), null)
})
