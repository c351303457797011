// The sandbox's rules: the entries of one root and a request in, an answer and new entries out. Pure, so that a book
// can be kept anywhere and any sequence of requests can be tried in a test.

import type {
  Absent,
  DeclineCode,
  Declined,
  FollowUpRequest,
  FurtherAction,
  OperationRequest,
  Succeeded,
} from '../../core/gateway.ts'
import type { OperationId } from '../../core/ids.ts'
import type { Draft, Entry, FirstStep, LaterStep } from './books.ts'
import { type Behaviour, type BehaviourName, behaviourOfAmount, behaviours } from './test-cards.ts'

/** The request makes no sense to the gateway. Nothing was carried out, and nothing is kept under its id. */
export interface Refused {
  readonly kind: 'refused'
  readonly cause: string
}
/**
 * The id came before with other arguments. Neither a decline nor `not_sent`: something may well have happened under
 * this id, only not this.
 */
export interface Conflict {
  readonly kind: 'conflict'
  readonly cause: string
}
export type Answer = Succeeded | FurtherAction | Declined | Refused | Conflict

/** How the answer travels. */
export type Travel =
  | { readonly kind: 'prompt' | 'lost' | 'reset' | 'twice' }
  | { readonly kind: 'slow'; readonly afterMs: number }

/** No answer: the request was lost on its way in, and nothing was decided. */
export interface Sent {
  readonly answer: Answer | null
  readonly travel: Travel
}
export type Found = Succeeded | FurtherAction | Declined | Absent
export type ChallengeResult = 'pass' | 'fail'

const prompt: Travel = { kind: 'prompt' }

export const takenConflict: Conflict = {
  kind: 'conflict',
  cause: 'The operation id was used for another charge.',
}

export function rootOf(request: OperationRequest): OperationId {
  return request.kind === 'charge' ? request.id : request.chargeId
}

/** `card` is what the vault says the card does; null where it has no such card, and for everything but charges. */
export function send(entries: readonly Entry[], request: OperationRequest, card: BehaviourName | null): Draft<Sent> {
  const last = lastOf(entries, request.id)
  if (last !== null) return { append: [], result: { answer: answerAgain(last, request), travel: prompt } }
  const behaviour = behaviourFor(entries, request, card)
  if (behaviour.kind === 'time_out_before') return { append: [], result: { answer: null, travel: { kind: 'lost' } } }
  const nonsense = nonsenseIn(entries, request)
  if (nonsense !== null) return { append: [], result: { answer: nonsense, travel: prompt } }
  const code = request.kind === 'charge' ? null : ruleAgainst(entries, request)
  const entry = firstEntry(entries, request, code === null ? behaviour : { kind: 'decline', code })
  return { append: [entry], result: { answer: answerOf(entry), travel: travelOf(behaviour) } }
}

export function lookup(entries: readonly Entry[], operationId: OperationId): Found {
  const last = lastOf(entries, operationId)
  return last === null || last.step === 'fenced' ? { kind: 'absent' } : answerOf(last)
}

/**
 * Leaves a tombstone where the operation has not happened, and calls off a 3-D Secure challenge that is still open.
 * What succeeded or was declined stays as it is. Whichever it was, nothing can happen under the id any more.
 */
export function fence(entries: readonly Entry[], request: OperationRequest): Draft<null> {
  const last = lastOf(entries, request.id)
  if (last === null) return { append: [entryOf(request, 'fenced', request.amountMinor, null)], result: null }
  return { append: last.step === 'waiting' ? [nextEntry(last, 'cancelled')] : [], result: null }
}

/** False: the charge does not wait for a challenge, or was already challenged with another result. */
export function challenge(
  entries: readonly Entry[],
  operationId: OperationId,
  result: ChallengeResult,
): Draft<boolean> {
  const step = result === 'pass' ? 'passed' : 'failed'
  const last = lastOf(entries, operationId)
  if (last?.step === 'waiting') return { append: [nextEntry(last, step)], result: true }
  return { append: [], result: last?.step === step }
}

/** 2.9 % rounded half up, and 30 minor units; never more than the amount itself. */
export function feeMinorOf(amountMinor: bigint): bigint {
  const feeMinor = (amountMinor * 29n + 500n) / 1_000n + 30n
  return feeMinor < amountMinor ? feeMinor : amountMinor
}

/** Money moved, or an authorisation stands. */
export function hasSucceeded(entry: Entry): boolean {
  return entry.step === 'succeeded' || entry.step === 'passed'
}

export function lastOf(entries: readonly Entry[], operationId: OperationId): Entry | null {
  return entries.findLast(entry => entry.operationId === operationId) ?? null
}

function answerAgain(last: Entry, request: OperationRequest): Answer {
  // A tombstone is written where a booking would have been, under the same lock, so whoever meets one knows that
  // nothing was booked before it and that nothing will be: this decline is kept for ever, and is proof.
  if (last.step === 'fenced') return { kind: 'declined', code: 'wrong_state' }
  if (isSame(last, request)) return answerOf(last)
  return { kind: 'conflict', cause: 'The operation id was used before, with other arguments.' }
}

function isSame(entry: Entry, request: OperationRequest): boolean {
  const isSameCharge =
    request.kind !== 'charge' || (entry.capture === request.capture && entry.cardRef === request.cardRef)
  return (
    isSameCharge &&
    entry.kind === request.kind &&
    entry.askedMinor === request.amountMinor &&
    entry.currency === request.currency &&
    entry.transactionId === request.transactionId
  )
}

function behaviourFor(entries: readonly Entry[], request: OperationRequest, card: BehaviourName | null): Behaviour {
  if (request.kind === 'charge') {
    if (card === null) return { kind: 'decline', code: 'processing_error' }
    return card === 'success' ? behaviourOfAmount(request.amountMinor) : behaviours[card].behaviour
  }
  const charged = request.kind === 'void' ? lastOf(entries, request.chargeId) : null
  const behaviour = behaviourOfAmount(charged?.askedMinor ?? request.amountMinor)
  return behaviour.kind === 'three_d_secure' ? behaviours.success.behaviour : behaviour
}

function nonsenseIn(entries: readonly Entry[], request: OperationRequest): Refused | null {
  if (request.amountMinor <= 0n) return { kind: 'refused', cause: 'The amount must be more than zero.' }
  if (request.kind === 'charge') return null
  const charge = lastOf(entries, request.chargeId)
  if (charge === null || !hasSucceeded(charge)) return null
  if (charge.currency !== request.currency) return { kind: 'refused', cause: 'The charge has another currency.' }
  if (gatewayRefOf(charge) !== request.chargeRef) return { kind: 'refused', cause: 'The charge has another reference.' }
  return null
}

/** Why what was asked cannot follow what has happened; null: it can. */
function ruleAgainst(entries: readonly Entry[], request: FollowUpRequest): DeclineCode | null {
  const charge = lastOf(entries, request.chargeId)
  if (charge === null || charge.kind !== 'charge' || !hasSucceeded(charge)) return 'wrong_state'
  const capture = entries.find(entry => entry.kind === 'capture' && hasSucceeded(entry))
  const isVoided = entries.some(entry => entry.kind === 'void' && hasSucceeded(entry))
  const isOpen = !charge.capture && capture === undefined && !isVoided
  if (request.kind === 'void') return isOpen ? null : 'wrong_state'
  if (request.kind === 'capture') {
    if (!isOpen) return 'wrong_state'
    return request.amountMinor > charge.bookedMinor ? 'amount_too_large' : null
  }
  const capturedMinor = charge.capture ? charge.bookedMinor : capture?.bookedMinor
  if (capturedMinor === undefined) return 'wrong_state'
  return request.amountMinor > capturedMinor - refundedMinorIn(entries) ? 'amount_too_large' : null
}

function refundedMinorIn(entries: readonly Entry[]): bigint {
  return entries
    .filter(entry => entry.kind === 'refund' && hasSucceeded(entry))
    .reduce((sumMinor, entry) => sumMinor + entry.bookedMinor, 0n)
}

function firstEntry(entries: readonly Entry[], request: OperationRequest, behaviour: Behaviour): Entry {
  const amountMinor = movedMinor(entries, request)
  switch (behaviour.kind) {
    case 'decline':
      return entryOf(request, 'declined', request.amountMinor, behaviour.code)
    case 'three_d_secure':
      return entryOf(request, 'waiting', amountMinor, null)
    case 'wrong_amount':
      // Less rather than more, so that a wrong capture or refund still keeps to what there is.
      return entryOf(request, 'succeeded', amountMinor > 1n ? amountMinor - 1n : amountMinor + 1n, null)
    default:
      return entryOf(request, 'succeeded', amountMinor, null)
  }
}

/** A void releases what was authorised, whatever the request thinks that was. */
function movedMinor(entries: readonly Entry[], request: OperationRequest): bigint {
  if (request.kind !== 'void') return request.amountMinor
  return lastOf(entries, request.chargeId)?.bookedMinor ?? request.amountMinor
}

function entryOf(request: OperationRequest, step: FirstStep, bookedMinor: bigint, code: DeclineCode | null): Entry {
  return {
    rootId: rootOf(request),
    operationId: request.id,
    seq: 0,
    step,
    transactionId: request.transactionId,
    kind: request.kind,
    capture: request.kind === 'charge' && request.capture,
    cardRef: request.kind === 'charge' ? request.cardRef : null,
    askedMinor: request.amountMinor,
    bookedMinor,
    currency: request.currency,
    code,
  }
}

function nextEntry(last: Entry, step: LaterStep): Entry {
  return { ...last, seq: last.seq + 1, step }
}

export function gatewayRefOf(entry: Pick<Entry, 'kind' | 'operationId'>): string {
  return `sandbox_${entry.kind}_${entry.operationId}`
}

function answerOf(entry: Entry): Succeeded | FurtherAction | Declined {
  switch (entry.step) {
    case 'succeeded':
    case 'passed': {
      const takesMoney = entry.capture || entry.kind === 'capture'
      return {
        kind: 'succeeded',
        gatewayRef: gatewayRefOf(entry),
        amountMinor: entry.bookedMinor,
        currency: entry.currency,
        feeMinor: takesMoney ? feeMinorOf(entry.bookedMinor) : null,
      }
    }
    case 'waiting':
      return { kind: 'further_action', gatewayRef: gatewayRefOf(entry), action: 'three_d_secure' }
    case 'failed':
    case 'cancelled':
      return { kind: 'declined', code: 'authentication_failed' }
    case 'declined':
    case 'fenced':
      return { kind: 'declined', code: entry.code ?? 'wrong_state' }
  }
}

/** Only the sending that carried it out fares badly: one sent again finds the operation in the book and is answered. */
function travelOf(behaviour: Behaviour): Travel {
  switch (behaviour.kind) {
    case 'slow':
      return { kind: 'slow', afterMs: behaviour.answerAfterMs }
    case 'time_out_after':
      return { kind: 'lost' }
    case 'reset_after':
      return { kind: 'reset' }
    case 'answer_twice':
      return { kind: 'twice' }
    default:
      return prompt
  }
}
