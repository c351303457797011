// A PaymentIntent as Stripe answers it, read with care, and what its state says about the operations that made it.

import type { Declined, FurtherAction, Succeeded, Unknown } from '../../core/gateway.ts'
import type { OperationId, TransactionId } from '../../core/ids.ts'
import type { Currency } from '../../core/money.ts'
import { declineCodeOf, type StripeDecline, wantsAuthentication } from './decline-codes.ts'
import { isMembers, unknown } from './exchange.ts'
import { gatewayIn, idIn } from './metadata.ts'
import { fromStripeAmount } from './money.ts'

export const withCharge = { expand: ['latest_charge.balance_transaction'] }

export interface Intent {
  readonly id: string
  readonly status: string
  readonly createdAt: Date
  readonly currency: Currency
  readonly askedMinor: bigint
  readonly receivedMinor: bigint
  readonly capturableMinor: bigint
  readonly isCapturedLater: boolean
  readonly gatewayId: string | null
  readonly operationId: OperationId | null
  readonly transactionId: TransactionId | null
  readonly captureId: OperationId | null
  readonly lastError: StripeDecline | null
  readonly redirectUrl: string | null
  /** Null: there is none, or only its name was asked for. */
  readonly charge: IntentCharge | null
}
interface IntentCharge {
  readonly isAuthorized: boolean
  readonly amountMinor: bigint
  readonly capturedMinor: bigint
  readonly refundedMinor: bigint
  readonly feeMinor: bigint | null
}

/** Null: it is no payment intent that we understand in full. */
export function readIntent(value: unknown): Intent | null {
  if (!isMembers(value) || value.object !== 'payment_intent') return null
  const { id, status, created, currency } = value
  const asked = fromStripeAmount(value.amount, currency)
  const received = fromStripeAmount(value.amount_received, currency)
  const capturable = fromStripeAmount(value.amount_capturable, currency)
  const charge = readCharge(value.latest_charge, currency)
  if (asked === null || received === null || capturable === null || charge === undefined) return null
  if (typeof id !== 'string' || !/^pi_\w+$/.test(id)) return null
  if (typeof status !== 'string' || typeof created !== 'number') return null
  return {
    id,
    status,
    createdAt: new Date(created * 1_000),
    currency: asked.currency,
    askedMinor: asked.amountMinor,
    receivedMinor: received.amountMinor,
    capturableMinor: capturable.amountMinor,
    isCapturedLater: value.capture_method === 'manual',
    gatewayId: gatewayIn(value.metadata),
    operationId: idIn(value.metadata, 'operation'),
    transactionId: idIn(value.metadata, 'transaction'),
    captureId: idIn(value.metadata, 'capture'),
    lastError: readError(value.last_payment_error),
    redirectUrl: readRedirect(value.next_action),
    charge,
  }
}

/** Undefined: there is one, and it is not understood. */
function readCharge(value: unknown, currency: unknown): IntentCharge | null | undefined {
  if (!isMembers(value)) return null
  const amount = fromStripeAmount(value.amount, currency)
  const captured = fromStripeAmount(value.amount_captured, currency)
  const refunded = fromStripeAmount(value.amount_refunded, currency)
  if (amount === null || captured === null || refunded === null) return undefined
  return {
    isAuthorized: value.status === 'succeeded',
    amountMinor: amount.amountMinor,
    capturedMinor: captured.amountMinor,
    refundedMinor: refunded.amountMinor,
    feeMinor: readFee(value.balance_transaction, currency),
  }
}

/** A fee in another currency, of an account that settles in it, is none that could be taken off the amount. */
function readFee(value: unknown, currency: unknown): bigint | null {
  if (!isMembers(value) || value.currency !== currency) return null
  return fromStripeAmount(value.fee, currency)?.amountMinor ?? null
}

function readError(value: unknown): StripeDecline | null {
  if (!isMembers(value)) return null
  return { code: textOr(value.code), declineCode: textOr(value.decline_code) }
}

function readRedirect(value: unknown): string | null {
  if (!isMembers(value) || !isMembers(value.redirect_to_url)) return null
  return textOr(value.redirect_to_url.url)
}

function textOr(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

/** What became of the charge that made it. */
export function chargeOutcome(intent: Intent): Succeeded | FurtherAction | Declined | Unknown {
  const { id: gatewayRef, lastError } = intent
  switch (intent.status) {
    case 'succeeded':
      // Of an authorisation that was captured since, what it held: what was taken is the capture's to say.
      return taken(intent, intent.isCapturedLater ? heldMinor(intent) : intent.receivedMinor)
    case 'requires_capture':
      return taken(intent, intent.capturableMinor)
    case 'requires_action':
      return { kind: 'further_action', gatewayRef, action: 'three_d_secure' }
    case 'requires_payment_method':
      if (lastError === null) break
      if (wantsAuthentication(lastError)) return { kind: 'further_action', gatewayRef, action: 'three_d_secure' }
      return { kind: 'declined', code: declineCodeOf(lastError) }
    case 'canceled':
      return { kind: 'declined', code: lastError === null ? 'processing_error' : declineCodeOf(lastError) }
  }
  return unknown(`Stripe holds the payment in a state that settles nothing (${stateWord(intent)}).`)
}

export function taken(intent: Intent, amountMinor: bigint): Succeeded {
  const { id: gatewayRef, currency, charge } = intent
  return { kind: 'succeeded', gatewayRef, amountMinor, currency, feeMinor: charge?.feeMinor ?? null }
}

/** What an authorisation held, also after it was captured or released. */
export function heldMinor({ charge, askedMinor }: Intent): bigint {
  return charge?.amountMinor ?? askedMinor
}

/** An authorisation that was made, and let go of before it was captured. */
export function isReleased({ status, charge }: Intent): boolean {
  return status === 'canceled' && charge?.isAuthorized === true
}

function stateWord({ status }: Intent): string {
  return /^[a-z_]{1,40}$/.test(status) ? status : 'an unknown one'
}
