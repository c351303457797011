// A Refund as Stripe answers it, and what its state says.

import type { Declined, ReportedRefund, Succeeded, Unknown } from '../../core/gateway.ts'
import type { OperationId } from '../../core/ids.ts'
import { isMembers, unknown } from './exchange.ts'
import type { Intent } from './intent.ts'
import { gatewayIn, idIn } from './metadata.ts'
import { fromStripeAmount, type Money } from './money.ts'

export interface Refund extends Money {
  readonly id: string
  readonly intentId: string | null
  readonly gatewayId: string | null
  readonly operationId: OperationId | null
  readonly status: string
  readonly reason: string | null
  readonly createdAt: Date
  /**
   * It moved no balance, and is none of ours. Where the payment was to be captured later, that is what was held and let go of, by a
   * capture in part, a cancellation or in time. Our version of the API has no refund for that any more; where another version was
   * used on the account there is one. Of any other payment it is a refund.
   */
  readonly movedNoBalance: boolean
}

/** Null: it is no refund that we understand in full. */
export function readRefund(value: unknown): Refund | null {
  if (!isMembers(value) || value.object !== 'refund') return null
  const { id, status, created, reason } = value
  const money = fromStripeAmount(value.amount, value.currency)
  if (money === null || typeof id !== 'string' || typeof status !== 'string' || typeof created !== 'number') return null
  const operationId = idIn<OperationId>(value.metadata, 'operation')
  return {
    ...money,
    id,
    status,
    movedNoBalance: status === 'succeeded' && value.balance_transaction === null && operationId === null,
    intentId: nameOf(value.payment_intent),
    gatewayId: gatewayIn(value.metadata),
    operationId,
    reason: typeof reason === 'string' ? reason : null,
    createdAt: new Date(created * 1_000),
  }
}

/** Let go of, not given back. */
export function isRelease({ movedNoBalance }: Refund, { isCapturedLater }: Pick<Intent, 'isCapturedLater'>): boolean {
  return movedNoBalance && isCapturedLater
}

/** Stripe writes a reference as the other's id, or as the other itself. */
export function nameOf(reference: unknown): string | null {
  const name = isMembers(reference) ? reference.id : reference
  return typeof name === 'string' ? name : null
}

/**
 * Only `succeeded` is a success. A pending refund is accepted, but Stripe may still hold it back for want of balance and
 * let it fail: it stays in doubt, its amount reserved, until Stripe says which.
 */
export function refundOutcome(refund: Refund): Succeeded | Declined | Unknown {
  const { id: gatewayRef, amountMinor, currency } = refund
  switch (stateOf(refund)) {
    case 'succeeded':
      return { kind: 'succeeded', gatewayRef, amountMinor, currency, feeMinor: null }
    case 'failed':
      return { kind: 'declined', code: 'processing_error' }
    case 'pending':
      return unknown('Stripe has accepted the refund and not yet carried it out.')
  }
}

export function stateOf({ status }: Refund): ReportedRefund['state'] {
  if (status === 'succeeded') return 'succeeded'
  return status === 'failed' || status === 'canceled' ? 'failed' : 'pending'
}
