// The customer's own step: to the page of the card's bank, and back. An off-session charge that the bank wants confirmed
// is confirmed once more, with the customer there. That is done under a key of its own: a second tab, or a request that
// comes late, gets the first answer again and begins nothing new.

import type Stripe from 'stripe'
import type { ChargeRequest, CustomerStep } from '../../core/gateway.ts'
import { parsedUrl } from '../../core/web-address.ts'
import { isOnThisMachine } from '../type.ts'
import { type Asking, ask, retrieveIntent } from './account.ts'
import { parseCardRef } from './card-ref.ts'
import type { Called } from './client.ts'
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
  return stepFrom(found.intent, options) ?? confirmWithCustomer(asking, charge, found.intent, options)
}

/**
 * Stripe keeps a failure of its own under the key, too, and would repeat it for a day. Where it does, and the intent is as
 * it was, that confirmation is over and did nothing: the next one has a key of its own.
 */
async function confirmWithCustomer(
  asking: Asking,
  charge: ChargeRequest,
  { id, status }: Intent,
  options: StepOptions,
): Promise<CustomerStep> {
  for (let number = 1; number <= confirmationsMax; number++) {
    const called = await ask(asking, stripe =>
      stripe.paymentIntents.confirm(id, confirmation(charge, options), {
        idempotencyKey: `${charge.id}-step-${number}`,
      }),
    )
    // Whatever was answered, perhaps for the second time: how it stands now decides.
    const now = await retrieveIntent(asking, id)
    if (now.kind === 'unknown') return now
    const next = now.kind === 'intent' ? stepFrom(now.intent, options) : null
    if (next !== null) return next
    const isUnchanged = now.kind === 'intent' && now.intent.status === status
    if (!isUnchanged || !isKeptFailure(called)) break
  }
  return unknown("Stripe names no page of the card's bank.")
}

/** Who failed so often will hardly succeed before the customer's time is over. */
const confirmationsMax = 5

function confirmation({ cardRef }: ChargeRequest, { returnUrl }: StepOptions): Stripe.PaymentIntentConfirmParams {
  return {
    payment_method: parseCardRef(cardRef)?.method ?? '',
    return_url: returnUrl,
    off_session: false,
    payment_method_options: { card: { request_three_d_secure: 'challenge' } },
  }
}

function isKeptFailure(called: Called): boolean {
  return called.kind === 'refused' && called.status >= 500 && called.isReplay
}

/** Null: it waits for the customer, and has no page for it yet. */
function stepFrom(intent: Intent, { allowsThisMachine }: StepOptions): CustomerStep | null {
  const outcome = chargeOutcome(intent)
  if (outcome.kind === 'unknown') return outcome
  if (outcome.kind !== 'further_action') return { kind: 'settled' }
  if (intent.status !== 'requires_action' || intent.redirectUrl === null) return null
  const url = parsedUrl(intent.redirectUrl)
  const isSafe = url?.protocol === 'https:' || (allowsThisMachine && url?.protocol === 'http:' && isOnThisMachine(url))
  return url !== null && isSafe
    ? { kind: 'redirect', url: url.href }
    : unknown('Stripe names a page that is not https.')
}
