// The fence burns the operation's idempotency key: a harmless request takes it, and from then on Stripe answers every
// other request under it with an idempotency error. It rests on what Stripe documents:
// - a key that comes again at another endpoint, or with other parameters, is an error, and nothing is carried out;
// - a key is taken when a request begins to be carried out, by one request alone: a twin meanwhile gets a 409;
// - keys are kept for 24 hours at least. No request can arrive later than that: its connection is closed after 30 s.
// The operation itself is never sent from here, not even to see its answer again: sendings are counted, and none is ours.
// A fence never undoes what happened: an intent that holds or took money is never cancelled here.

import type { ChargeRequest, FollowUpRequest, OperationRequest } from '../../core/gateway.ts'
import type { OperationId } from '../../core/ids.ts'
import { type Asking, ask, retrieveIntent } from './account.ts'
import { isMembers } from './exchange.ts'
import type { Intent } from './intent.ts'
import { findIntent, lookUp } from './lookup.ts'
import { idIn, metadataNames } from './metadata.ts'
import { isKeyUsed } from './outcomes.ts'
import { nameOf } from './refund.ts'

export async function fence(asking: Asking, request: OperationRequest): Promise<boolean> {
  const key = await burnKey(asking, request.id)
  if (key === 'unknown') return false
  if (request.kind === 'charge') return isChargeOver(asking, request, key)
  return key === 'burned' || isFollowUpOver(asking, request)
}

/** `used`: something else was first, the operation itself. It cannot begin once more, but may not have ended either. */
type Key = 'burned' | 'used' | 'unknown'

/** The tombstone is a customer: it has no amount that could be too small in some currency, and nobody can pay it. */
async function burnKey(asking: Asking, id: OperationId): Promise<Key> {
  const tombstone = {
    description: 'Stands in for an operation that must not happen any more.',
    metadata: { [metadataNames.fence]: id, [metadataNames.gateway]: asking.gatewayId },
  }
  const called = await ask(asking, stripe => stripe.customers.create(tombstone, { idempotencyKey: id }))
  if (isKeyUsed(called)) return 'used'
  const name = called.kind === 'ok' ? tombstoneIn(called.value, id) : null
  if (name === null) return 'unknown'
  // Not what the fence stands on. It only tidies up, and may fail.
  await ask(asking, stripe => stripe.customers.del(name))
  return 'burned'
}

function tombstoneIn(value: unknown, id: OperationId): string | null {
  const isOurs = isMembers(value) && value.object === 'customer' && idIn(value.metadata, 'fence') === id
  return isOurs ? nameOf(value) : null
}

/**
 * What was made proves that the charge ended. It must also be out of the customer's hands. Where nothing was made, or the
 * list does not show it yet, a used key proves nothing: there is no fence until Stripe has forgotten the key and it can be
 * burned. A key that could be burned may also be one that was forgotten: what it once made is looked for all the same.
 */
async function isChargeOver(asking: Asking, charge: ChargeRequest, key: Key): Promise<boolean> {
  const found = await findIntent(asking, charge)
  if (found.kind === 'absent') return key === 'burned'
  return found.kind === 'intent' && (isOver(found.intent) || callOff(asking, found.intent))
}

/** Money is held or was taken; or nobody can pay it any more. */
function isOver({ status }: Intent): boolean {
  return status === 'succeeded' || status === 'requires_capture' || status === 'canceled'
}

/**
 * In these the customer could still pay: whoever came back from the bank's page has the intent's client secret, and with it
 * can confirm what was declined with another card.
 */
const payable = ['requires_payment_method', 'requires_confirmation', 'requires_action']

/**
 * How it stands afterwards decides. If the bank authorised it between our look and our word, Stripe lets go of what was
 * held: nothing was taken, and calling it off stays true.
 */
async function callOff(asking: Asking, { id, status }: Intent): Promise<boolean> {
  if (!payable.includes(status)) return false
  await ask(asking, stripe => stripe.paymentIntents.cancel(id))
  const now = await retrieveIntent(asking, id)
  return now.kind === 'intent' && isOver(now.intent)
}

async function isFollowUpOver(asking: Asking, request: FollowUpRequest): Promise<boolean> {
  const { kind } = await lookUp(asking, request)
  return kind === 'succeeded' || kind === 'declined'
}
