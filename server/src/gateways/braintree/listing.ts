// Braintree's own list of payments and refunds, for reconciliation.

import type { GatewayEntry } from '../../core/gateway.ts'
import type { Line } from './line.ts'
import { listByTime } from './search.ts'
import { voidRef } from './send.ts'
import { type BraintreeTransaction, declineOf, isCollected, isDuplicate, operationIn } from './transaction.ts'

export async function* listEntries(
  line: Line,
  { from, to }: { readonly from: Date; readonly to: Date },
): AsyncGenerator<GatewayEntry> {
  for await (const transaction of listByTime(line, 'createdAt', from, to)) yield entryOf(transaction)
  for await (const transaction of listByTime(line, 'voidedAt', from, to)) yield* givenBackBy(transaction)
}

function entryOf(transaction: BraintreeTransaction): GatewayEntry {
  const { id, type, amountMinor, currency, createdAt: at, refundedId } = transaction
  const operationId = operationIn(transaction.orderId)
  const common = { gatewayRef: id, operationId, amountMinor, currency, at }
  if (type === 'sale')
    return { kind: 'charge', ...common, state: isGivenBack(transaction) ? 'succeeded' : stateOf(transaction) }
  const of = refundedId === null ? {} : { chargeRef: refundedId }
  return { kind: 'refund', ...common, ...of, state: stateOf(transaction) }
}

/** What was voided after it was to be collected was taken and given back, as a refund of ours does it: maybe on another day. */
function isGivenBack({ type, status, wasSubmitted }: BraintreeTransaction): boolean {
  return type === 'sale' && status === 'voided' && wasSubmitted
}

function givenBackBy(transaction: BraintreeTransaction): readonly GatewayEntry[] {
  const { id, amountMinor, currency, voidedAt: at } = transaction
  if (at === null || !isGivenBack(transaction)) return []
  const refund = { gatewayRef: voidRef(id), operationId: null, chargeRef: id, amountMinor, currency, at }
  return [{ kind: 'refund', ...refund, state: 'succeeded' }]
}

function stateOf(transaction: BraintreeTransaction): GatewayEntry['state'] {
  const { status } = transaction
  if (isCollected(status)) return 'succeeded'
  if (status === 'authorized') return 'authorized'
  if (status === 'voided' || status === 'authorization_expired') return 'voided'
  return declineOf(transaction) !== null || isDuplicate(transaction) ? 'failed' : 'open'
}
