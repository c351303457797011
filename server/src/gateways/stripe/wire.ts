// What is sent to Stripe for an operation, as JSON: made when the operation's row is written, stored with it, and sent from
// there. Stripe refuses a key that comes again with other parameters, so a repetition must be the same also when this
// release has other constants, or another version of Stripe's API, than the one that began it.

import Stripe from 'stripe'
import type { ChargeRequest, FollowUpRequest, OperationRequest } from '../../core/gateway.ts'
import type { GatewayId } from '../../core/ids.ts'
import type { Json } from '../../core/offer.ts'
import { parseCardRef } from './card-ref.ts'
import { withCharge } from './intent.ts'
import { metadataNames } from './metadata.ts'
import { toStripeAmount, toStripeCurrency } from './money.ts'

export interface Wire {
  readonly apiVersion: string
  /** Of the one call that the operation's kind makes. */
  readonly parameters: Parameters
}
type Parameters =
  | Stripe.PaymentIntentCreateParams
  | Stripe.PaymentIntentCaptureParams
  | Stripe.PaymentIntentCancelParams
  | Stripe.RefundCreateParams

/** Why nothing can be sent. */
export interface NotSendable {
  readonly cause: string
}

/** Null: nothing can be sent for it, and `wireOf` says why. */
export function prepare(request: OperationRequest, gatewayId: GatewayId): Json | null {
  const made = wireNow(request, gatewayId)
  return 'cause' in made ? null : (made as unknown as Json)
}

/** As it was stored; of a row from before that, as this release makes it. */
export function wireOf(request: OperationRequest, gatewayId: GatewayId): Wire | NotSendable {
  return request.wire === undefined ? wireNow(request, gatewayId) : (request.wire as unknown as Wire)
}

function wireNow(request: OperationRequest, gatewayId: GatewayId): Wire | NotSendable {
  const amount = toStripeAmount(request)
  if (amount === null) return { cause: 'Stripe takes no such amount in this currency.' }
  const parameters =
    request.kind === 'charge' ? ofCharge(request, amount, gatewayId) : ofFollowUp(request, amount, gatewayId)
  if (parameters === null) return { cause: 'The card is not one of this Stripe account.' }
  return { apiVersion: Stripe.API_VERSION, parameters }
}

function ofCharge(
  charge: ChargeRequest,
  amount: number,
  gatewayId: GatewayId,
): Stripe.PaymentIntentCreateParams | null {
  const card = parseCardRef(charge.cardRef)
  if (card === null) return null
  return {
    amount,
    currency: toStripeCurrency(charge.currency),
    customer: card.customer,
    payment_method: card.method,
    allowed_payment_method_types: ['card'],
    capture_method: charge.capture ? 'automatic' : 'manual',
    confirm: true,
    off_session: true,
    metadata: idsOf(charge, gatewayId),
    ...withCharge,
  }
}

function ofFollowUp(request: FollowUpRequest, amount: number, gatewayId: GatewayId): Parameters {
  switch (request.kind) {
    case 'capture':
      return { amount_to_capture: amount, metadata: { [metadataNames.capture]: request.id }, ...withCharge }
    case 'void':
      return { ...withCharge }
    case 'refund':
      return { payment_intent: request.chargeRef, amount, metadata: idsOf(request, gatewayId) }
  }
}

function idsOf({ id, transactionId }: OperationRequest, gatewayId: GatewayId) {
  return {
    [metadataNames.gateway]: gatewayId,
    [metadataNames.operation]: id,
    [metadataNames.transaction]: transactionId,
  }
}
