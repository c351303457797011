// What became of an operation. A charge or a refund is searched by its order id, a capture or a void is seen at the
// transaction itself. What is found is proof; what is not may still be on its way, and Braintree cannot be made to refuse it.

import type {
  ChargeRequest,
  FollowUpRequest,
  LookupOutcome,
  OperationRequest,
  ReferenceOwner,
  Succeeded,
  Unknown,
} from '../../core/gateway.ts'
import { asUnknown, unknown } from './failures.ts'
import type { Line } from './line.ts'
import { findByOrderId } from './search.ts'
import { chargeOutcome, findCharge, refundOutcome, voidOutcome, voidRef } from './send.ts'
import {
  type BraintreeTransaction,
  declined,
  inState,
  isCollected,
  isDuplicate,
  isSettled,
  notUnderstood,
  orderIdOf,
  readTransaction,
  succeeded,
} from './transaction.ts'

const absent: LookupOutcome = { kind: 'absent' }

export async function lookUpOperation(request: OperationRequest, line: Line): Promise<LookupOutcome> {
  switch (request.kind) {
    case 'charge':
      return lookUpCharge(request, line)
    case 'refund':
      return lookUpRefund(request, line)
    case 'capture':
      return withCharge(request, line, captureSeen)
    case 'void':
      return withCharge(request, line, voidSeen)
  }
}

/** All that was carried out under an operation's order id. A capture or a void is no record of its own. */
export async function listUnderId(request: OperationRequest, line: Line): Promise<readonly Succeeded[] | Unknown> {
  if (request.kind !== 'charge' && request.kind !== 'refund') return []
  const found = await findByOrderId(line, orderIdOf(request))
  if ('kind' in found) return found
  const outcomes = found.map(each =>
    request.kind === 'charge' ? chargeOutcome(request, each) : refundOutcome(request, each),
  )
  return outcomes.filter(({ kind }) => kind === 'succeeded') as Succeeded[]
}

/** By the order id. A refund that was done as a void has none of its own: that one is looked up. */
export async function checkReference(
  request: OperationRequest,
  gatewayRef: string,
  line: Line,
): Promise<ReferenceOwner> {
  if (request.kind === 'refund' && gatewayRef === voidRef(request.chargeRef)) {
    const found = await lookUpRefund(request, line)
    if (found.kind === 'unknown') return found
    return { kind: found.kind === 'succeeded' && found.gatewayRef === gatewayRef ? 'ours' : 'not_ours' }
  }
  // What is no name of theirs cannot be asked for.
  if (!/^\w{1,64}$/.test(gatewayRef)) return { kind: 'not_ours' }
  const asked = await line.ask(sdk => sdk.transaction.find(gatewayRef))
  if (asked.kind === 'not_found') return { kind: 'not_ours' }
  if (asked.kind !== 'answered') return asUnknown(asked)
  const told = readTransaction(asked.answer)
  if (told?.id !== gatewayRef) return notUnderstood()
  const isOfKind = told.type === (request.kind === 'refund' ? 'credit' : 'sale')
  return { kind: isOfKind && told.orderId === orderIdOf(request) ? 'ours' : 'not_ours' }
}

async function lookUpCharge(request: ChargeRequest, line: Line): Promise<LookupOutcome> {
  const found = await theOne(request, line)
  return 'type' in found ? chargeOutcome(request, found) : found
}

async function lookUpRefund(request: FollowUpRequest, line: Line): Promise<LookupOutcome> {
  const found = await theOne(request, line)
  if ('type' in found) return refundOutcome(request, found)
  if (found.kind !== 'absent') return found
  // Of what was not settled, all was given back by a void.
  return withCharge(request, line, charged => {
    const isVoided = charged.status === 'voided' && charged.amountMinor === request.amountMinor
    return isVoided ? voidOutcome(request, charged) : absent
  })
}

/** Sent once, it is there once; a rejected duplicate says only that there is another. */
async function theOne(request: OperationRequest, line: Line): Promise<BraintreeTransaction | LookupOutcome> {
  const found = await findByOrderId(line, orderIdOf(request))
  if ('kind' in found) return found
  const [first, ...others] = found.filter(each => !isDuplicate(each))
  if (others.length > 0) return unknown('Braintree has several transactions with this order id.')
  if (first !== undefined) return first
  return found.length === 0 ? absent : unknown('Braintree took it for a duplicate of one that it does not show.')
}

async function withCharge(
  request: FollowUpRequest,
  line: Line,
  tells: (charged: BraintreeTransaction) => LookupOutcome,
): Promise<LookupOutcome> {
  const read = await findCharge(request, line)
  return 'kind' in read ? asUnknown(read) : tells(read)
}

function captureSeen(charged: BraintreeTransaction): LookupOutcome {
  const { status, wasSubmitted } = charged
  if (isCollected(status)) return succeeded(charged)
  if (status === 'authorized') return absent
  // Let go of without having been collected: a capture that comes now is refused.
  const isGone = status === 'authorization_expired' || status === 'voided'
  return isGone && !wasSubmitted ? declined('wrong_state') : inState(charged)
}

function voidSeen(charged: BraintreeTransaction): LookupOutcome {
  const { status } = charged
  if (status === 'voided') return succeeded(charged)
  return isSettled(status) || status === 'authorization_expired' ? declined('wrong_state') : absent
}
