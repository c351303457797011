// What is in doubt or waits for a person, as people and programs see it: what is known of an operation, what was asked about
// it, what was decided.

import { formatAmount } from './money.ts'
import { isInDoubt, isOpen, type Operation } from './operation.ts'
import type { Ask, Resolution } from './ports.ts'
import { isoTime } from './sale.ts'
import type { TransactionStatus } from './transaction.ts'

export interface Doubt extends Operation {
  readonly transactionStatus: TransactionStatus
}

export interface WholeDoubt {
  readonly operation: Doubt
  readonly asked: readonly Ask[]
  readonly resolutions: readonly Resolution[]
}

const timeOrNull = (time: Date | null) => (time === null ? null : isoTime(time))

export function doubtView(doubt: Doubt) {
  return {
    operation: doubt.id,
    merchant: doubt.merchantId,
    transaction: doubt.transactionId,
    transaction_status: doubt.transactionStatus,
    kind: doubt.kind,
    amount: formatAmount(doubt.amountMinor, doubt.currency),
    currency: doubt.currency,
    gateway: doubt.gatewayId,
    gateway_ref: doubt.gatewayRef,
    since: isoTime(doubt.createdAt),
    outcome: doubt.outcome,
    sendings: doubt.sendings,
    asks: doubt.asks,
    next_ask_at: timeOrNull(doubt.nextAskAt),
    code: doubt.notSentCode ?? doubt.declineCode,
    last_heard: doubt.cause,
    for_person: doubt.forPerson,
    more_for_person: [...doubt.moreForPerson],
    settled_at: timeOrNull(doubt.settledAt),
  }
}

export function wholeDoubtView({ operation, asked, resolutions }: WholeDoubt) {
  return {
    ...doubtView(operation),
    asked: asked.map(({ number, at, step, heard }) => ({ number, at: isoTime(at), step, heard })),
    resolutions: resolutions.map(({ at, verdict, by, note, answers }) => ({
      ...{ at: isoTime(at), verdict, by, note, answers },
    })),
  }
}

/** What a person may decide about it now; empty: it is settled. */
export function verdictsFor(operation: Operation): Resolution['verdict'][] {
  const { outcome, forPerson } = operation
  if (isOpen(operation)) return isInDoubt(operation) ? ['succeeded', 'not_made'] : []
  if (forPerson === null) return []
  return outcome === 'succeeded' ? ['dismissed'] : ['succeeded', 'dismissed']
}

/** What is done to an authorisation mostly has no name of its own. */
export function needsGatewayRef({ kind, gatewayRef }: Operation): boolean {
  return gatewayRef === null && (kind === 'charge' || kind === 'refund')
}
