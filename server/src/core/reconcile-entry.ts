// One entry of a gateway's list and our row of it: what each says, and whether they can both be true.

import type { GatewayEntry } from './gateway.ts'
import type { OperationId, TransactionId } from './ids.ts'
import type { Currency } from './money.ts'
import type { OperationOutcome } from './operation.ts'

/** A charge or a refund of ours, with what became of it. */
export interface OurOperation {
  readonly kind: 'charge' | 'refund'
  readonly operationId: OperationId
  readonly transactionId: TransactionId
  readonly gatewayRef: string | null
  readonly amountMinor: bigint
  readonly currency: Currency
  readonly createdAt: Date
  readonly outcome: OperationOutcome
  /** Somebody is asking the gateway just now. */
  readonly underWay: boolean
  readonly waitsForCustomer: boolean
  /** A charge that took the money at once needs no capture. */
  readonly authorizationOnly: boolean
  /** What became of an authorisation; null: it stands. */
  readonly followUp: {
    readonly kind: 'capture' | 'void'
    readonly outcome: OperationOutcome
    readonly amountMinor: bigint
  } | null
  /** When its own outcome was settled, whatever became of an authorisation since. */
  readonly settledAt: Date | null
  /** When its state here was last settled. */
  readonly changedAt: Date | null
  readonly forPerson: string | null
  readonly moreForPerson: readonly string[]
}

export const ourStates = {
  succeeded: 'succeeded',
  authorized: 'authorised',
  voided: 'voided',
  declined: 'declined',
  not_made: 'not made',
  waiting: 'waits for its customer',
  in_doubt: 'in doubt',
  capture_in_doubt: 'authorised, its capture in doubt',
  void_in_doubt: 'authorised, its void in doubt',
  under_way: 'under way',
} as const
export type OurState = keyof typeof ourStates

type TheirState = GatewayEntry['state']

/** What the gateway may say of each. Where no money moved, it may as well have called the payment off. */
const fitting: { readonly [state in OurState]: readonly TheirState[] } = {
  succeeded: ['succeeded'],
  authorized: ['authorized'],
  voided: ['voided'],
  declined: ['failed', 'voided'],
  not_made: ['failed', 'voided'],
  waiting: ['open'],
  in_doubt: ['open'],
  capture_in_doubt: ['authorized'],
  void_in_doubt: ['authorized'],
  under_way: ['succeeded', 'authorized', 'voided', 'failed', 'open'],
}

const openStates: readonly OurState[] = ['waiting', 'in_doubt', 'capture_in_doubt', 'void_in_doubt', 'under_way']

export const differenceKinds = {
  only_there: 'there and not here',
  only_here: 'here and not there',
  twice_there: 'there a second time',
  settles_doubt: 'open here and settled there',
  state_differs: 'the states differ',
  amount_differs: 'the amounts differ',
} as const

export interface Difference {
  readonly what: keyof typeof differenceKinds
  readonly ours: OurOperation | null
  readonly theirs: GatewayEntry | null
}

export function ourState(ours: OurOperation): OurState {
  if (ours.underWay) return 'under_way'
  switch (ours.outcome) {
    case 'declined':
      return 'declined'
    case 'not_sent':
      return 'not_made'
    case 'unknown':
      return 'in_doubt'
    case 'pending':
      return ours.waitsForCustomer ? 'waiting' : 'in_doubt'
    case 'succeeded':
      return ours.kind === 'charge' && ours.authorizationOnly ? stateOfAuthorisation(ours) : 'succeeded'
  }
}

function stateOfAuthorisation({ followUp }: OurOperation): OurState {
  if (followUp === null) return 'authorized'
  const done = followUp.outcome === 'succeeded'
  if (followUp.kind === 'void') return done ? 'voided' : 'void_in_doubt'
  return done ? 'succeeded' : 'capture_in_doubt'
}

/** What was taken, held or given back; of an authorisation that was captured, what was captured. */
export function ourAmountMinor({ amountMinor, followUp }: OurOperation): bigint {
  return followUp?.kind === 'capture' && followUp.outcome === 'succeeded' ? followUp.amountMinor : amountMinor
}

/** Null: both can be true. */
export function differenceOf(ours: OurOperation, theirs: GatewayEntry): Difference | null {
  const differs = (what: Difference['what']) => ({ what, ours, theirs })
  if (ours.gatewayRef !== null && ours.gatewayRef !== theirs.gatewayRef) {
    // Another record under the same operation: of no account where nothing moved.
    return theirs.state === 'failed' || theirs.state === 'voided' ? null : differs('twice_there')
  }
  const state = ourState(ours)
  if (!fitting[state].includes(theirs.state)) {
    return differs(openStates.includes(state) ? 'settles_doubt' : 'state_differs')
  }
  const moved = state === 'succeeded' || state === 'authorized'
  const same = ourAmountMinor(ours) === theirs.amountMinor && ours.currency === theirs.currency
  return moved && !same ? differs('amount_differs') : null
}

export function isStillOpen(ours: OurOperation, theirs: GatewayEntry): boolean {
  const state = ourState(ours)
  return openStates.includes(state) && fitting[state].includes(theirs.state)
}
