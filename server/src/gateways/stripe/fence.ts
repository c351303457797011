// The fence burns the operation's idempotency key: a harmless request takes it, and from then on Stripe answers every
// other request under it with an idempotency error. It rests on what Stripe documents:
// - the layer of keys compares parameters with those of the first request, and refuses if they differ;
// - a key is taken when a request begins to be carried out, by one request alone: a twin meanwhile gets a 409;
// - keys are kept for 24 hours at least. No request can arrive later than that: its connection is closed after 30 s.
// A fence never undoes what happened: an intent that holds or took money is never cancelled here.

import type { ChargeRequest, OperationRequest } from '../../core/gateway.ts'
import type { OperationId } from '../../core/ids.ts'
import { type Asking, ask, intentIn, retrieveIntent } from './account.ts'
import { callCharge } from './charge.ts'
import { callFollowUp } from './follow-up.ts'
import { chargeOutcome, type Intent, metadataNames } from './intent.ts'
import { findIntent, lookUp } from './lookup.ts'
import { toStripeCurrency } from './money.ts'
import { isKeyUsed } from './outcomes.ts'

/** Above the least that Stripe takes in any currency. Nobody pays it: the tombstone has no card and is cancelled at once. */
const tombstoneAmount = 1_000_000

export async function fence(asking: Asking, request: OperationRequest): Promise<boolean> {
  const called = await ask(asking, stripe =>
    stripe.paymentIntents.create(
      {
        amount: tombstoneAmount,
        currency: toStripeCurrency(request.currency),
        allowed_payment_method_types: ['card'],
        description: 'Stands in for an operation that must not happen any more. Not to be paid.',
        metadata: { [metadataNames.fence]: request.id },
      },
      { idempotencyKey: request.id },
    ),
  )
  if (isKeyUsed(called)) return hasEnded(asking, request)
  const read = intentIn(called)
  if (read.kind !== 'intent' || read.intent.fenceId !== request.id) return false
  // Not what the fence stands on: nobody has the means to pay it. It only tidies up, and may fail.
  await ask(asking, stripe => stripe.paymentIntents.cancel(read.intent.id))
  return true
}

/**
 * The operation itself took the key, so it cannot begin once more. It must also have come to its end: Stripe may compare
 * parameters before it looks whether the first request still runs. What it made is proof that it ended, and so is an
 * answer that Stripe marks as a repetition. Without either there is no fence, until the key is forgotten and can be burned.
 */
async function hasEnded(asking: Asking, request: OperationRequest): Promise<boolean> {
  if (request.kind === 'charge') {
    return (await hasChargeEnded(asking, request)) ?? (await isRepeated(asking, request))
  }
  const { kind } = await lookUp(asking, request)
  return kind === 'succeeded' || kind === 'declined' || (await isRepeated(asking, request))
}

/** For this long after an operation was made, its key is kept for certain, clocks that differ allowed for. */
const keyIsKeptForMs = 23 * 3_600_000

/** Only while the key is kept for certain: sent again after it was forgotten, the operation would happen. */
async function isRepeated(asking: Asking, request: OperationRequest): Promise<boolean> {
  const madeAtMs = timeIn(request.id)
  if (madeAtMs === null || Math.abs(Date.now() - madeAtMs) > keyIsKeptForMs) return false
  const called = request.kind === 'charge' ? await callCharge(asking, request) : await callFollowUp(asking, request)
  return 'isReplay' in called && called.isReplay
}

/** Our ids begin with their time. Null: this one does not. */
function timeIn(id: OperationId): number | null {
  return id[14] === '7' ? Number.parseInt(id.replace('-', '').slice(0, 12), 16) : null
}

/** Null: nothing of it is to be found. */
async function hasChargeEnded(asking: Asking, charge: ChargeRequest): Promise<boolean | null> {
  const found = await findIntent(asking, charge)
  if (found.kind !== 'intent') return found.kind === 'absent' ? null : false
  if (isSettled(found.intent)) return true
  // The customer could still confirm it.
  await ask(asking, stripe => stripe.paymentIntents.cancel(found.intent.id))
  const now = await retrieveIntent(asking, found.intent.id)
  return now.kind === 'intent' && isSettled(now.intent)
}

/** A declined one too: nobody but we could confirm it, and we do not. */
function isSettled(intent: Intent): boolean {
  const { kind } = chargeOutcome(intent)
  return kind === 'succeeded' || kind === 'declined'
}
