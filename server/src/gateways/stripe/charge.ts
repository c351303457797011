// A charge is one request: an intent made and confirmed at once, off session. The operation's id is its idempotency key.

import type Stripe from 'stripe'
import type { ChargeRequest, GatewayOutcome, NotSent } from '../../core/gateway.ts'
import { type Asking, ask, intentIn, retrieveIntent } from './account.ts'
import type { Called, Refused } from './client.ts'
import { wantsAuthentication } from './decline-codes.ts'
import { unknown } from './exchange.ts'
import { chargeOutcome, type Intent, readIntent } from './intent.ts'
import { provenBy } from './outcomes.ts'
import { wireOf } from './wire.ts'

export async function sendCharge(asking: Asking, charge: ChargeRequest): Promise<GatewayOutcome> {
  const called = await callCharge(asking, charge)
  if (called.kind === 'refused' && called.type === 'card_error') return cardErrorOutcome(asking, charge, called)
  const read = intentIn(called)
  if (read.kind !== 'intent') return provenBy(read)
  const { intent } = read
  if (!isOf(charge, intent)) return notOurs()
  const isFinal = intent.status === 'succeeded' || intent.status === 'requires_capture'
  return isFinal ? chargeOutcome(intent) : asItStands(asking, charge, intent.id)
}

async function callCharge(asking: Asking, charge: ChargeRequest): Promise<Called> {
  const wire = wireOf(charge, asking.gatewayId)
  if ('cause' in wire) return refusedHere(wire.cause)
  const parameters = wire.parameters as Stripe.PaymentIntentCreateParams
  const options = { idempotencyKey: charge.id, apiVersion: wire.apiVersion }
  return ask(asking, stripe => stripe.paymentIntents.create(parameters, options))
}

async function cardErrorOutcome(asking: Asking, charge: ChargeRequest, refused: Refused): Promise<GatewayOutcome> {
  const intent = readIntent(refused.intent)
  if (intent !== null && !isOf(charge, intent)) return notOurs()
  if (!wantsAuthentication(refused)) return provenBy(refused)
  if (intent === null) return unknown('Stripe asks for the customer, and does not say for which payment.')
  return asItStands(asking, charge, intent.id)
}

/** A request under a used key is answered with the first answer again, while the customer may have acted since. */
async function asItStands(asking: Asking, charge: ChargeRequest, intentId: string): Promise<GatewayOutcome> {
  const retrieved = await retrieveIntent(asking, intentId)
  if (retrieved.kind === 'missing') return unknown('Stripe does not know the payment that it has just named.')
  if (retrieved.kind === 'unknown') return retrieved
  return isOf(charge, retrieved.intent) ? chargeOutcome(retrieved.intent) : notOurs()
}

export function isOf(charge: ChargeRequest, { operationId }: Intent): boolean {
  return operationId === charge.id
}

function notOurs(): GatewayOutcome {
  return unknown("Stripe's answer is about another operation.")
}

export function refusedHere(cause: string): NotSent {
  return { kind: 'not_sent', code: 'gateway_refused', cause }
}
