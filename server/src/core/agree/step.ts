// What the parts of agreeing share: a step brings one difference into one commit.

import { newOperation } from '../new-operation.ts'
import type { Operation } from '../operation.ts'
import type { Change, Ports } from '../ports.ts'
import { type Sale, withOperation } from '../sale.ts'
import { eventFor } from '../settle.ts'
import type { Transaction } from '../transaction.ts'

/**
 * The sale as it then stands. stale: it changed since it was read, and so may have what the gateway says. not_now: what the
 * gateway says does not fit before something of ours is settled.
 */
export type Step = Sale | 'stale' | 'not_now'

type ReportedFacts = Pick<Operation, 'kind' | 'amountMinor'> & { readonly gatewayRef: string } & Partial<
    Pick<Operation, 'refundedBy' | 'refundedReason'>
  >

/** An operation that the gateway carried out without us, as it ended. */
export function reportedOperation(ports: Ports, charge: Operation, facts: ReportedFacts): Operation {
  const { merchantId, transactionId, gatewayId, currency } = charge
  const { gatewayRef, ...asked } = facts
  const operation = newOperation(ports, { merchantId, transactionId, gatewayId, cardRef: null, currency, ...asked })
  return {
    ...operation,
    outcome: 'succeeded',
    sendings: 0,
    nextAskAt: null,
    gatewayRef,
    cause: 'Reported by the gateway.',
    settledAt: operation.createdAt,
  }
}

/** The row, the transaction that it moved, and the event that it owes. `before`: the row is there already, and stood so. */
export async function writeReported(
  ports: Ports,
  sale: Sale,
  transaction: Transaction,
  operation: Operation,
  before?: Operation,
): Promise<Step> {
  const after = withOperation({ ...sale, transaction }, operation)
  const event = eventFor(ports, after, operation, true)
  return write(ports, after, {
    before: sale.transaction,
    after: transaction,
    ...(before === undefined ? { reported: [operation] } : { revises: { before, operation } }),
    ...(event !== null && { event }),
    ...(transaction.status === 'Voided' && { givesBackUnits: transaction.quantity }),
  })
}

/** Commits over the version that it was decided on. Refused for whatever reason, somebody was faster. */
export async function write(ports: Ports, after: Sale, change: Change): Promise<Step> {
  const committed = await ports.store.commit(change)
  if (committed !== 'committed') return 'stale'
  return { ...after, transaction: { ...after.transaction, version: change.before.version + 1 } }
}
