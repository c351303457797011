// Braintree's own list of payments and refunds, for reconciliation.

import type { GatewayEntry } from '../../core/gateway.ts'
import type { Line } from './line.ts'
import { listCreated } from './search.ts'
import { voidRef } from './send.ts'
import { type BraintreeTransaction, declineOf, isCollected, isDuplicate, operationIn } from './transaction.ts'

export async function* listEntries(
  line: Line,
  { from, to }: { readonly from: Date; readonly to: Date },
): AsyncGenerator<GatewayEntry> {
  for await (const transaction of listCreated(line, from, to)) yield* entriesOf(transaction)
}

/** What was voided after it was to be collected was taken and given back, as a refund of ours does it. */
function entriesOf(transaction: BraintreeTransaction): readonly GatewayEntry[] {
  const { id, type, status, amountMinor, currency, createdAt: at, refundedId } = transaction
  const operationId = operationIn(transaction.orderId)
  const common = { gatewayRef: id, operationId, amountMinor, currency, at }
  if (type === 'credit') {
    const of = refundedId === null ? {} : { chargeRef: refundedId }
    return [{ kind: 'refund', ...common, ...of, state: stateOf(transaction) }]
  }
  if (status !== 'voided' || !transaction.wasSubmitted) {
    return [{ kind: 'charge', ...common, state: stateOf(transaction) }]
  }
  const givenBack = { ...common, gatewayRef: voidRef(id), operationId: null, chargeRef: id }
  return [
    { kind: 'charge', ...common, state: 'succeeded' },
    { kind: 'refund', ...givenBack, state: 'succeeded' },
  ]
}

function stateOf(transaction: BraintreeTransaction): GatewayEntry['state'] {
  const { status } = transaction
  if (isCollected(status)) return 'succeeded'
  if (status === 'authorized') return 'authorized'
  if (status === 'voided' || status === 'authorization_expired') return 'voided'
  return declineOf(transaction) !== null || isDuplicate(transaction) ? 'failed' : 'open'
}
