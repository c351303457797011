// What the audit holds the payment page to: a checkout pays once, and a card that was given for one payment does not stay.
// Each fault is one sentence.

import type { TransactionStatus } from '../transaction.ts'

/** Of one checkout, as far as its tries are remembered. */
export interface TriedCheckout {
  readonly tries: readonly {
    readonly transactionId: string
    readonly status: TransactionStatus
    /** It had failed, and a person accepted a late success: they know. */
    readonly wasAccepted: boolean
  }[]
}

export function faultsOfCheckout({ tries }: TriedCheckout): string[] {
  const paid = tries.filter(({ status, wasAccepted }) => status !== 'Failed' && !wasAccepted)
  if (paid.length <= 1) return []
  return [`has paid ${paid.length} times: transactions ${paid.map(({ transactionId }) => transactionId).join(', ')}.`]
}

/** One that was given for one payment, and is not marked as removed. */
export interface LentCard {
  readonly createdAt: Date
  /** Now; or when it is to be tried again, where a clock was moved. */
  readonly at: Date
  /** Something is open that it pays for. */
  readonly isNeeded: boolean
}

const dayMs = 86_400_000
/** Longer than a gateway is away. */
const lentMaxMs = 3 * dayMs

export function faultsOfLentCard({ createdAt, at, isNeeded }: LentCard): string[] {
  const ageMs = at.getTime() - createdAt.getTime()
  if (isNeeded || ageMs <= lentMaxMs) return []
  return [`was given for one payment only, and after ${Math.floor(ageMs / dayMs)} days may still be at its gateway.`]
}
