// A process that wakes up late neither asks Pre-Sale nor sends, and what it learns after the fact is not lost.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendAndSettle } from './call-gateway.ts'
import type { Gateway } from './gateway.ts'
import type { OperationId, TransactionId } from './ids.ts'
import { defaultCurrency } from './money.ts'
import { type HeldOperation, provenBy } from './operation.ts'
import type { Ports } from './ports.ts'
import type { Sale } from './sale.ts'

const operation = {
  id: 'o' as OperationId,
  transactionId: 't' as TransactionId,
  kind: 'charge',
  amountMinor: 100n,
  currency: defaultCurrency,
  outcome: 'pending',
  sendings: 1,
} as HeldOperation

test('an operation whose deadline is over before it leaves is not sent', async () => {
  const stored = { transaction: { status: 'Processing' } } as Sale
  const ports = { store: { load: async () => stored } } as unknown as Ports
  const gateway = { send: () => assert.fail('it was sent') } as unknown as Gateway
  assert.deepEqual(await sendAndSettle(ports, gateway, stored, operation, AbortSignal.abort()), { sale: stored })
})

test('a gateway that asks the customer to act on anything but a charge leaves it to a person', () => {
  const answer = { kind: 'further_action', gatewayRef: 'r', action: 'three_d_secure' } as const
  for (const kind of ['refund', 'capture', 'void'] as const) {
    const proven = provenBy({ ...operation, kind }, answer, new Date())
    assert.equal(proven.outcome, 'unknown')
    assert.match(proven.forPerson ?? '', new RegExp(`customer to act on a ${kind}`))
  }
  assert.equal(provenBy(operation, answer, new Date()).outcome, 'pending')
})
