// The customer's own step: to the page of the card's bank, and back. An off-session charge that the bank wants confirmed
// is confirmed once more, with the customer there. That is done under a key of its own: a second tab, or a request that
// comes late, gets the first answer again and begins nothing new.

import type { ChargeRequest, CustomerStep } from '../../core/gateway.ts'
import { isOnThisMachine } from '../type.ts'
import { type Asking, ask, retrieveIntent } from './account.ts'
import { parseCardRef } from './card-ref.ts'
import { unknown } from './exchange.ts'
import { chargeOutcome, type Intent } from './intent.ts'
import { findIntent } from './lookup.ts'

export interface StepOptions {
  readonly returnUrl: string
  /** A stand-in for Stripe on this machine has its pages there too. */
  readonly allowsThisMachine: boolean
}

export async function beginCustomerStep(
  asking: Asking,
  charge: ChargeRequest,
  options: StepOptions,
): Promise<CustomerStep> {
  const found = await findIntent(asking, charge)
  if (found.kind === 'absent') return unknown('Stripe does not know the payment.')
  if (found.kind === 'unknown') return found
  const step = stepFrom(found.intent, options)
  if (step !== null) return step
  await ask(asking, stripe =>
    stripe.paymentIntents.confirm(
      found.intent.id,
      {
        payment_method: parseCardRef(charge.cardRef)?.method ?? '',
        return_url: options.returnUrl,
        off_session: false,
        payment_method_options: { card: { request_three_d_secure: 'challenge' } },
      },
      { idempotencyKey: `${charge.id}-step` },
    ),
  )
  // Whatever was answered, perhaps for the second time: how it stands now decides.
  const now = await retrieveIntent(asking, found.intent.id)
  if (now.kind === 'unknown') return now
  const next = now.kind === 'intent' ? stepFrom(now.intent, options) : null
  return next ?? unknown("Stripe names no page of the card's bank.")
}

/** Null: it waits for the customer, and has no page for it yet. */
function stepFrom(intent: Intent, { allowsThisMachine }: StepOptions): CustomerStep | null {
  const outcome = chargeOutcome(intent)
  if (outcome.kind === 'unknown') return outcome
  if (outcome.kind !== 'further_action') return { kind: 'settled' }
  if (intent.status !== 'requires_action' || intent.redirectUrl === null) return null
  const url = URL.parse(intent.redirectUrl)
  const isSafe = url?.protocol === 'https:' || (allowsThisMachine && url?.protocol === 'http:' && isOnThisMachine(url))
  return url !== null && isSafe
    ? { kind: 'redirect', url: url.href }
    : unknown('Stripe names a page that is not https.')
}
