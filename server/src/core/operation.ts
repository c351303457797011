// operation: one thing asked of a gateway, a row that is committed before the call. Its id is the idempotency key there.

import { sentencesOf, stillToAnswer } from './for-person.ts'
import type {
  ChargeRequest,
  DeclineCode,
  FollowUpRequest,
  GatewayOutcome,
  LookupOutcome,
  NotSentCode,
  OperationKind,
  Succeeded,
} from './gateway.ts'
import type { GatewayId, MerchantId, OperationId, TransactionId } from './ids.ts'
import { type Currency, displayAmount, parseCurrency } from './money.ts'
import type { Json } from './offer.ts'

export const operationOutcomes = ['pending', 'succeeded', 'declined', 'not_sent', 'unknown'] as const
export type OperationOutcome = (typeof operationOutcomes)[number]

export interface Operation {
  readonly merchantId: MerchantId
  readonly transactionId: TransactionId
  readonly id: OperationId
  readonly kind: OperationKind
  readonly gatewayId: GatewayId
  /** The card's name in that gateway's vault; null: as the card itself says, or no charge. */
  readonly cardRef: string | null
  readonly amountMinor: bigint
  readonly currency: Currency
  readonly createdAt: Date
  readonly outcome: OperationOutcome
  /** How often it left for the gateway, counted before it leaves. */
  readonly sendings: number
  /** How often the gateway was asked about it again, in doubt. */
  readonly asks: number
  readonly nextAskAt: Date | null
  readonly gatewayRef: string | null
  readonly declineCode: DeclineCode | null
  readonly notSentCode: NotSentCode | null
  /** The last thing heard that was no proof. */
  readonly cause: string | null
  readonly settledAt: Date | null
  /** Why only a person can settle it, or what they have to look into; null: nothing. Of several sentences the oldest. */
  readonly forPerson: string | null
  /** What else they have to look into (for-person.ts). Empty where `forPerson` is null. */
  readonly moreForPerson: readonly string[]
  readonly refundedBy: string | null
  readonly refundedReason: string | null
  /** Null: written by an older release, or carried out at the gateway itself. */
  readonly request: StoredRequest | null
  /** Still pending two minutes after its lease ended: in doubt, like one that is unknown. */
  readonly isOverdue: boolean
}

/** All that is sent for it, beside its own columns. A repetition sends just this, whatever was changed since. */
export type StoredRequest = (
  | Pick<ChargeRequest, 'cardRef' | 'capture'>
  | Pick<FollowUpRequest, 'chargeId' | 'chargeRef'>
) & { readonly wire?: Json }

/** An operation with the number that says that we, and nobody since, may say how it ended. */
export interface HeldOperation extends Operation {
  readonly leaseNo: number
}

export function isOpen(operation: Operation): boolean {
  return operation.outcome === 'pending' || operation.outcome === 'unknown'
}

/** A capture or a void: an authorisation ends by one of them, once. */
export function endsHold({ kind }: Pick<Operation, 'kind'>): boolean {
  return kind === 'capture' || kind === 'void'
}

/** Nobody knows what became of it: its answer was no proof, or could not be written down. */
export function isInDoubt({ outcome, isOverdue }: Operation): boolean {
  return outcome === 'unknown' || isOverdue
}

/**
 * What an answer proves about an operation. Only proof settles: a success of just what was asked, a decline, or word
 * that nothing was sent when it answers the one and only sending. Everything else leaves it unknown.
 */
export function provenBy(operation: Operation, answer: GatewayOutcome | LookupOutcome, now: Date): Operation {
  switch (answer.kind) {
    case 'succeeded': {
      const { gatewayRef } = answer
      if (answer.amountMinor === operation.amountMinor && answer.currency === operation.currency) {
        return settled(operation, 'succeeded', now, { gatewayRef })
      }
      return { ...leftToPerson(operation, anotherAmount(operation, answer)), gatewayRef }
    }
    case 'declined':
      return settled(operation, 'declined', now, { declineCode: answer.code })
    case 'not_sent':
      if (operation.sendings === 1)
        return settled(operation, 'not_sent', now, { notSentCode: answer.code, cause: answer.cause })
      return inDoubt(operation, answer.cause)
    case 'further_action':
      if (operation.kind !== 'charge') {
        return leftToPerson(operation, `The gateway asks the customer to act on a ${operation.kind}.`)
      }
      return { ...operation, outcome: 'pending', gatewayRef: answer.gatewayRef }
    case 'absent':
      return inDoubt(operation, 'Nothing was found there, which is no proof: it may still arrive.')
    case 'unknown':
      return inDoubt(operation, answer.cause)
  }
}

function anotherAmount(asked: Operation, { amountMinor, currency }: Succeeded): string {
  const wanted = displayAmount(asked.amountMinor, asked.currency)
  // A currency that we do not know has decimals that we do not know.
  const reported = parseCurrency(currency) === currency ? displayAmount(amountMinor, currency) : String(amountMinor)
  return `The gateway reports ${reported} where ${wanted} was asked.`
}

/** Whether it waits for a person for just this reason, also as a late success, whose sentence says more before it. */
export function isOfAnotherAmount(operation: Operation): boolean {
  return anotherAmountIn(operation) !== null
}

/** The sentence that says so; null: none does. */
export function anotherAmountIn(operation: Operation): string | null {
  const says = /The gateway reports \S+( [A-Z]{3})? where \S+( [A-Z]{3})? was asked\.$/
  return sentencesOf(operation).find(sentence => says.test(sentence)) ?? null
}

/** Absent behind a fence: the gateway will refuse this id for ever, so it has not happened and cannot. */
export function provenAbsent(operation: Operation, now: Date): Operation {
  return settled(operation, 'not_sent', now, { cause: 'Fenced at the gateway, and absent there.' })
}

export function settled(
  operation: Operation,
  outcome: OperationOutcome,
  now: Date,
  facts: Partial<Operation>,
): Operation {
  const listed = stillToAnswer(operation)
  return { ...operation, ...facts, ...listed, outcome, settledAt: now, nextAskAt: null, isOverdue: false }
}

/** Nothing that the gateway can be asked would settle it. */
export function leftToPerson(operation: Operation, forPerson: string): Operation {
  return { ...inDoubt(operation, forPerson), forPerson, moreForPerson: [], nextAskAt: null }
}

function inDoubt(operation: Operation, cause: string): Operation {
  return { ...operation, outcome: 'unknown', cause }
}
