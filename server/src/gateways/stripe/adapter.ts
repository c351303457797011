// The gateway port on Stripe.

import type { Gateway, Note } from '../../core/gateway.ts'
import type { GatewayId } from '../../core/ids.ts'
import type { Asking } from './account.ts'
import { cardFields } from './card-fields.ts'
import { describeCard, removeCard, removeOwnCard, storeCard, type Vault } from './cards.ts'
import { sendCharge } from './charge.ts'
import { createCaller } from './client.ts'
import { beginCustomerStep } from './customer-step.ts'
import { fence } from './fence.ts'
import { sendFollowUp } from './follow-up.ts'
import { listEntries } from './listing.ts'
import { checkReference, listUnderId, lookUp } from './lookup.ts'
import { readNotice } from './notices.ts'
import { reportPayment } from './report.ts'
import { prepare } from './wire.ts'

export interface StripeOptions {
  readonly id: GatewayId
  readonly secretKey: string
  readonly publishableKey: string
  /** Null: not given yet. Stripe shows it only when it knows where to send events. */
  readonly webhookSecret: string | null
  /** Where a stand-in for Stripe is; null: Stripe itself. */
  readonly apiBase: URL | null
  readonly fingerprintKey: Buffer
}

/** Stripe keeps idempotency keys for at least this long. */
const keysKeptMs = 24 * 3_600_000

export function openStripe(options: StripeOptions): Gateway {
  const { id, secretKey, publishableKey, webhookSecret, apiBase, fingerprintKey } = options
  const caller = createCaller({ secretKey, apiBase })
  const vault: Vault = { gatewayId: id, fingerprintKey }
  const asking = (signal: AbortSignal, note?: Note): Asking => ({ gatewayId: id, caller, signal, note })
  return {
    promises: { idempotentForMs: keysKeptMs, lookup: true, fence: true },
    prepare: request => prepare(request, id),
    send: (request, signal, note) =>
      request.kind === 'charge'
        ? sendCharge(asking(signal, note), request)
        : sendFollowUp(asking(signal, note), request),
    lookup: (request, signal, note) => lookUp(asking(signal, note), request),
    listUnderId: (request, signal, note) => listUnderId(asking(signal, note), request),
    checkReference: (request, gatewayRef, signal, note) => checkReference(asking(signal, note), request, gatewayRef),
    fence: (request, signal, note) => fence(asking(signal, note), request),
    cardFields: cardFields(publishableKey, apiBase),
    storeCard: (card, signal) => storeCard(asking(signal), vault, card),
    describeCard: (cardRef, signal) => describeCard(asking(signal), vault, cardRef),
    removeCard: (cardRef, signal) => removeCard(asking(signal), cardRef),
    removeOwnCard: (cardRef, signal) => removeOwnCard(asking(signal), vault, cardRef),
    customerStep: (charge, returnUrl, signal) =>
      beginCustomerStep(asking(signal), charge, { returnUrl, allowsThisMachine: apiBase !== null }),
    notices: {
      read: (body, headers) => readNotice(body, headers, webhookSecret),
      payment: (chargeRef, signal, ours = null) => reportPayment(asking(signal), chargeRef, ours),
    },
    list: (span, signal) => listEntries(asking(signal), span),
    close: caller.close,
  }
}
