// What became of an operation, by reading alone. Stripe's search by metadata lags, and absence there is worth nothing;
// its lists show at once what was written, so a charge is looked for among its customer's intents and a refund among its
// payment's. Times are no filter: in a sandbox our clock may have been moved.

import type {
  ChargeRequest,
  FollowUpRequest,
  LookupOutcome,
  OperationRequest,
  ReferenceOwner,
  Succeeded,
  Unknown,
} from '../../core/gateway.ts'
import { type Asking, ask, collect, type Item, retrieveIntent } from './account.ts'
import { parseCardRef } from './card-ref.ts'
import { isOf } from './charge.ts'
import { unknown } from './exchange.ts'
import { followedUp } from './follow-up.ts'
import { chargeOutcome, type Intent, readIntent } from './intent.ts'
import { idIn, ownOperation } from './metadata.ts'
import { isMissing, noAnswer } from './outcomes.ts'
import { readRefund, refundOutcome } from './refund.ts'

export async function lookUp(asking: Asking, request: OperationRequest): Promise<LookupOutcome> {
  switch (request.kind) {
    case 'charge': {
      const found = await findIntent(asking, request)
      return found.kind === 'intent' ? chargeOutcome(found.intent) : found
    }
    case 'refund':
      return lookUpRefund(asking, request)
    default:
      return lookUpChange(asking, request)
  }
}

export type FoundIntent = { readonly kind: 'intent'; readonly intent: Intent } | { readonly kind: 'absent' } | Unknown

/** The intent of a charge, as it stands now. */
export async function findIntent(asking: Asking, charge: ChargeRequest): Promise<FoundIntent> {
  const isOurs = ({ metadata }: Item): boolean => idIn(metadata, 'operation') === charge.id
  const list = await listIntents(asking, charge, isOurs)
  if (list.kind === 'unknown') return list
  const found = list.items.find(isOurs)
  if (found === undefined) return { kind: 'absent' }
  const retrieved = await retrieveIntent(asking, found.id)
  if (retrieved.kind === 'unknown') return retrieved
  const isIt = retrieved.kind === 'intent' && isOf(charge, retrieved.intent)
  return isIt ? retrieved : unknown('Stripe does not know the payment that it has just listed.')
}

/** All that was carried out under an operation's id, oldest first. A capture or a void is no record of its own. */
export async function listUnderId(asking: Asking, request: OperationRequest): Promise<readonly Succeeded[] | Unknown> {
  if (request.kind !== 'charge' && request.kind !== 'refund') return []
  const list = await (request.kind === 'charge' ? listIntents(asking, request) : listRefunds(asking, request))
  if (list.kind === 'unknown') return list
  const made: Succeeded[] = []
  for (const item of list.items.toReversed()) {
    if (idIn(item.metadata, 'operation') !== request.id) continue
    const outcome = outcomeOf(request, item)
    if (outcome === null) return unknown(`Stripe listed something under the operation's id that is no ${request.kind}.`)
    if (outcome.kind === 'succeeded') made.push(outcome)
  }
  return made
}

/** Null: it is not understood. */
function outcomeOf({ kind }: OperationRequest, item: Item): LookupOutcome | null {
  if (kind === 'charge') {
    const intent = readIntent(item)
    return intent === null ? null : chargeOutcome(intent)
  }
  const refund = readRefund(item)
  return refund === null ? null : refundOutcome(refund)
}

type Listed = ReturnType<typeof collect>
type IsLookedFor = (item: Item) => boolean

async function listIntents(asking: Asking, { cardRef }: ChargeRequest, isLookedFor?: IsLookedFor): Listed {
  const card = parseCardRef(cardRef)
  if (card === null) return { kind: 'items', items: [] } // such a charge is refused before it is sent
  const { customer } = card
  return collect(asking, (stripe, page) => stripe.paymentIntents.list({ customer, ...page }), isLookedFor)
}

function listRefunds(asking: Asking, { chargeRef }: FollowUpRequest, isLookedFor?: IsLookedFor): Listed {
  return collect(asking, (stripe, page) => stripe.refunds.list({ payment_intent: chargeRef, ...page }), isLookedFor)
}

/** By our metadata. A name of anything else at Stripe is none of a payment or a refund. */
export async function checkReference(
  asking: Asking,
  request: OperationRequest,
  gatewayRef: string,
): Promise<ReferenceOwner> {
  if (request.kind === 'refund') {
    if (!/^\w{1,255}$/.test(gatewayRef)) return notOurs
    const called = await ask(asking, stripe => stripe.refunds.retrieve(gatewayRef))
    if (called.kind !== 'ok') return isMissing(called) ? notOurs : noAnswer(called)
    const refund = readRefund(called.value)
    if (refund === null) return unknown('Stripe answered with something that is no refund.')
    return ownOperation(refund, asking.gatewayId) === request.id && refund.intentId === request.chargeRef
      ? ours
      : notOurs
  }
  if (!/^pi_\w{1,252}$/.test(gatewayRef)) return notOurs
  const retrieved = await retrieveIntent(asking, gatewayRef)
  if (retrieved.kind === 'unknown') return retrieved
  const isOurs = retrieved.kind === 'intent' && ownOperation(retrieved.intent, asking.gatewayId) === request.id
  return isOurs ? ours : notOurs
}

const ours: ReferenceOwner = { kind: 'ours' }
const notOurs: ReferenceOwner = { kind: 'not_ours' }

async function lookUpRefund(asking: Asking, request: FollowUpRequest): Promise<LookupOutcome> {
  const isOurs = ({ metadata }: Item): boolean => idIn(metadata, 'operation') === request.id
  const list = await listRefunds(asking, request, isOurs)
  if (list.kind === 'unknown') return list
  const found = list.items.find(isOurs)
  if (found === undefined) return { kind: 'absent' }
  const refund = readRefund(found)
  return refund === null ? unknown('Stripe listed something that is no refund.') : refundOutcome(refund)
}

/** A capture or a void: the intent itself shows it, or shows that something else happened, or that nothing did. */
async function lookUpChange(asking: Asking, request: FollowUpRequest): Promise<LookupOutcome> {
  const retrieved = await retrieveIntent(asking, request.chargeRef)
  if (retrieved.kind === 'missing') return unknown('Stripe does not know the payment.')
  if (retrieved.kind === 'unknown') return retrieved
  const { intent } = retrieved
  const done = followedUp(request, intent)
  if (done !== null) return done
  if (intent.status === 'requires_capture') return { kind: 'absent' }
  const isOver = intent.status === 'succeeded' || intent.status === 'canceled'
  return isOver ? { kind: 'declined', code: 'wrong_state' } : unknown('The payment at Stripe is in no state to tell.')
}
