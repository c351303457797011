// What follows a charge: its capture, its release, money given back. The operation's id is the idempotency key of each.

import type Stripe from 'stripe'
import type { DeclineCode, FollowUpRequest, GatewayOutcome, Unknown } from '../../core/gateway.ts'
import { type Asking, ask, intentIn, retrieveIntent } from './account.ts'
import { refusedHere } from './charge.ts'
import type { Called, Refused } from './client.ts'
import { unknown } from './exchange.ts'
import { heldMinor, type Intent, taken } from './intent.ts'
import { type Failed, isRefusalOfRequest, noAnswer, provenBy } from './outcomes.ts'
import { type Refund, readRefund, refundOutcome, stateOf } from './refund.ts'
import { type Wire, wireOf } from './wire.ts'

export async function sendFollowUp(asking: Asking, request: FollowUpRequest): Promise<GatewayOutcome> {
  const called = await callFollowUp(asking, request)
  return request.kind === 'refund' ? refunded(asking, request, called) : changed(asking, request, called)
}

async function callFollowUp(asking: Asking, request: FollowUpRequest): Promise<Called> {
  const wire = wireOf(request, asking.gatewayId)
  if ('cause' in wire) return refusedHere(wire.cause)
  return ask(asking, stripe => sendTo(stripe, request, wire))
}

function sendTo(stripe: Stripe, request: FollowUpRequest, { parameters, apiVersion }: Wire): Promise<unknown> {
  const { kind, id, chargeRef } = request
  const options = { idempotencyKey: id, apiVersion }
  switch (kind) {
    case 'capture':
      return stripe.paymentIntents.capture(chargeRef, parameters as Stripe.PaymentIntentCaptureParams, options)
    case 'void':
      return stripe.paymentIntents.cancel(chargeRef, parameters as Stripe.PaymentIntentCancelParams, options)
    case 'refund':
      return stripe.refunds.create(parameters as Stripe.RefundCreateParams, options)
  }
}

async function refunded(asking: Asking, request: FollowUpRequest, called: Called): Promise<GatewayOutcome> {
  if (called.kind !== 'ok') return failed(asking, request, called)
  const refund = ownRefund(request, called.value)
  if (refund.kind === 'unknown') return refund
  return stateOf(refund) === 'pending' ? asItStands(asking, request, refund.id) : refundOutcome(refund)
}

/** A request under a used key is answered with the first answer again, while Stripe may have finished since. */
async function asItStands(asking: Asking, request: FollowUpRequest, refundId: string): Promise<GatewayOutcome> {
  const called = await ask(asking, stripe => stripe.refunds.retrieve(refundId))
  if (called.kind !== 'ok') return noAnswer(called)
  const refund = ownRefund(request, called.value)
  return refund.kind === 'unknown' ? refund : refundOutcome(refund)
}

function ownRefund(request: FollowUpRequest, value: unknown): (Refund & { readonly kind: 'refund' }) | Unknown {
  const refund = readRefund(value)
  if (refund === null) return unknown('Stripe answered with something that is no refund.')
  const isOurs = refund.operationId === request.id && refund.intentId === request.chargeRef
  return isOurs ? { kind: 'refund', ...refund } : unknown("Stripe's answer is about another operation.")
}

async function changed(asking: Asking, request: FollowUpRequest, called: Called): Promise<GatewayOutcome> {
  const read = intentIn(called)
  if (read.kind !== 'intent') return failed(asking, request, read)
  const { intent } = read
  if (intent.id !== request.chargeRef) return unknown("Stripe's answer is about another operation.")
  return (
    followedUp(request, intent) ?? unknown('Stripe answered, and the payment is not in the state that was asked for.')
  )
}

/** The success of a capture or a void, as the intent itself shows it. Null: it does not. */
export function followedUp(
  { kind, id }: FollowUpRequest,
  intent: Intent,
): (GatewayOutcome & { kind: 'succeeded' }) | null {
  if (kind === 'capture') {
    return intent.status === 'succeeded' && intent.captureId === id ? taken(intent, intent.receivedMinor) : null
  }
  return intent.status === 'canceled' ? { ...taken(intent, heldMinor(intent)), feeMinor: null } : null
}

async function failed(asking: Asking, request: FollowUpRequest, called: Failed): Promise<GatewayOutcome> {
  if (called.kind !== 'refused') return called
  const known = called.code !== null && Object.hasOwn(declineCodes, called.code) ? declineCodes[called.code] : undefined
  const code = known ?? (await declineByState(asking, request, called))
  return code === null ? provenBy(called) : { kind: 'declined', code }
}

/** Refusals that depend on the payment's state: Stripe finds them while it carries out, and keeps them under the key. */
const declineCodes: { readonly [theirs: string]: DeclineCode } = {
  charge_already_refunded: 'amount_too_large',
  capture_charge_authorization_expired: 'wrong_state',
  capture_unauthorized_payment: 'wrong_state',
  charge_already_captured: 'wrong_state',
  charge_disputed: 'wrong_state',
  charge_expired_for_capture: 'wrong_state',
  charge_not_refundable: 'wrong_state',
  payment_intent_unexpected_state: 'wrong_state',
  refund_disputed_payment: 'wrong_state',
}

/**
 * Not every such refusal has a code. That it was refused is Stripe's word; why, the payment's state shows. Null: for
 * another reason than these.
 */
async function declineByState(asking: Asking, request: FollowUpRequest, refused: Refused): Promise<DeclineCode | null> {
  if (!isRefusalOfRequest(refused)) return null
  const retrieved = await retrieveIntent(asking, request.chargeRef)
  if (retrieved.kind !== 'intent') return null
  const { status, capturableMinor, charge } = retrieved.intent
  if (request.kind === 'refund') {
    if (status !== 'succeeded' || charge === null) return 'wrong_state'
    return request.amountMinor > charge.capturedMinor - charge.refundedMinor ? 'amount_too_large' : null
  }
  if (status !== 'requires_capture') return 'wrong_state'
  return request.kind === 'capture' && request.amountMinor > capturableMinor ? 'amount_too_large' : null
}
