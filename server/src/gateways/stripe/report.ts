// All that Stripe has to say about one payment: its intent, what was given back, what is disputed.

import type { PaymentIds, ReportedDispute, ReportedPayment, ReportedRefund, Unknown } from '../../core/gateway.ts'
import type { GatewayId } from '../../core/ids.ts'
import { type Asking, collect, type Item, retrieveIntent } from './account.ts'
import { unknown } from './exchange.ts'
import { chargeOutcome, heldMinor, type Intent, isReleased, taken } from './intent.ts'
import { ownOperation } from './metadata.ts'
import { fromStripeAmount } from './money.ts'
import { isRelease, type Refund, readRefund, stateOf } from './refund.ts'

export async function reportPayment(
  asking: Asking,
  chargeRef: string,
  ours: PaymentIds | null,
): Promise<ReportedPayment | Unknown | null> {
  const retrieved = await retrieveIntent(asking, chargeRef)
  if (retrieved.kind === 'missing') return null
  if (retrieved.kind === 'unknown') return retrieved
  const { intent } = retrieved
  const ids = idsOf(intent, asking.gatewayId, ours)
  if (ids === null) return null
  const payment_intent = intent.id
  const refunds = await collect(asking, (stripe, page) => stripe.refunds.list({ payment_intent, ...page }))
  if (refunds.kind === 'unknown') return refunds
  const disputes = await collect(asking, (stripe, page) => stripe.disputes.list({ payment_intent, ...page }))
  if (disputes.kind === 'unknown') return disputes
  const givenBack: readonly (Refund | null)[] = refunds.items.map(readRefund)
  const disputed: readonly (ReportedDispute | null)[] = disputes.items.map(disputeIn)
  if (!allRead(givenBack) || !allRead(disputed)) return unknown('Stripe listed something that is not understood.')
  return {
    kind: 'payment',
    ...ids,
    gatewayRef: intent.id,
    ...whatBecameOf(intent),
    refunds: givenBack
      .filter(refund => !isRelease(refund, intent))
      .map(refund => reportedRefund(refund, asking.gatewayId)),
    disputes: disputed,
  }
}

/** Anybody with access to the account can remove metadata. What it says of another payment or gateway counts all the same. */
function idsOf(intent: Intent, own: GatewayId, ours: PaymentIds | null): PaymentIds | null {
  const { gatewayId } = intent
  if (gatewayId !== null && gatewayId !== own) return null
  const operationId = intent.operationId ?? ours?.operationId ?? null
  const transactionId = intent.transactionId ?? ours?.transactionId ?? null
  if (operationId === null || transactionId === null) return null
  const isWhole = intent.operationId !== null && intent.transactionId !== null
  const isOurs = operationId === ours?.operationId && transactionId === ours.transactionId
  return isWhole || isOurs ? { transactionId, operationId } : null
}

function whatBecameOf(intent: Intent): Pick<ReportedPayment, 'charge' | 'captured' | 'released'> {
  if (isReleased(intent)) return { charge: taken(intent, heldMinor(intent)), captured: null, released: true }
  const { id: gatewayRef, receivedMinor: amountMinor, charge } = intent
  const isCaptured = intent.isCapturedLater && intent.status === 'succeeded'
  return {
    charge: chargeOutcome(intent),
    captured: isCaptured ? { gatewayRef, amountMinor, feeMinor: charge?.feeMinor ?? null } : null,
    released: false,
  }
}

function reportedRefund(refund: Refund, own: GatewayId): ReportedRefund {
  const { id: gatewayRef, amountMinor, currency, reason } = refund
  const operationId = ownOperation(refund, own)
  return { gatewayRef, operationId, amountMinor, currency, state: stateOf(refund), reason }
}

function disputeIn(item: Item): ReportedDispute | null {
  const { id: gatewayRef, object, status, created, reason } = item
  const money = fromStripeAmount(item.amount, item.currency)
  if (object !== 'dispute' || money === null || typeof status !== 'string' || typeof created !== 'number') return null
  return {
    gatewayRef,
    ...money,
    status: Object.hasOwn(disputeStatus, status) ? (disputeStatus[status] ?? 'open') : 'open',
    reason: typeof reason === 'string' ? reason : null,
    openedAt: new Date(created * 1_000),
  }
}

/** A warning that was closed, or a dispute that was prevented, took no money: won, as far as the merchant goes. */
const disputeStatus: { readonly [status: string]: 'won' | 'lost' } = {
  won: 'won',
  warning_closed: 'won',
  prevented: 'won',
  lost: 'lost',
}

function allRead<T>(items: readonly T[]): items is readonly NonNullable<T>[] {
  return items.every(item => item !== null)
}
