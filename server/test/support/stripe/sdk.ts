// Stripe's own SDK, turned to the look-alike, and the few things that tests do with it.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import Stripe from 'stripe'
import type { StripeServer } from './server.ts'

export interface Sdk {
  readonly stripe: Stripe
  /** A test card of a customer of its own. */
  storedCard(name?: string): Promise<{ readonly customer: string; readonly payment_method: string }>
  pay(more?: Partial<Stripe.PaymentIntentCreateParams>, key?: string): Promise<Stripe.Response<Stripe.PaymentIntent>>
}

export function sdkFor(server: StripeServer, key = server.credentials.secret_key): Sdk {
  const { hostname, port } = new URL(server.url)
  const far = { host: hostname, port: Number(port), protocol: 'http' } as const
  const stripe = new Stripe(key, { ...far, maxNetworkRetries: 0, telemetry: false })
  return {
    stripe,
    async storedCard(name = 'pm_card_visa') {
      const customer = await stripe.customers.create()
      const method = await stripe.paymentMethods.attach(name, { customer: customer.id })
      return { customer: customer.id, payment_method: method.id }
    },
    pay(more = {}, key = newKey()) {
      const how = { confirm: true, off_session: true, capture_method: 'automatic' } as const
      return stripe.paymentIntents.create({ amount: 2500, currency: 'usd', ...how, ...more }, { idempotencyKey: key })
    },
  }
}

export const newKey = (): string => randomUUID()

/** The error that it is refused with, as far as it matters. */
export async function refusal(work: Promise<unknown>) {
  try {
    await work
  } catch (error) {
    assert.ok(error instanceof Stripe.errors.StripeError, String(error))
    const { statusCode: status, code, decline_code: decline, type, param, payment_intent: intent } = error
    return { status, code, decline, type, param, intent }
  }
  return assert.fail('it was not refused')
}
