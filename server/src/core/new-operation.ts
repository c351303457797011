// An operation as it begins: a row that is committed before it leaves.

import { requestFor } from './call-gateway.ts'
import type { Gateway } from './gateway.ts'
import type { HeldOperation, Operation } from './operation.ts'
import type { Ports } from './ports.ts'
import type { Sale } from './sale.ts'
import type { Transaction } from './transaction.ts'

const firstLeaseNo = 1

type OperationFacts = Pick<
  Operation,
  'merchantId' | 'transactionId' | 'gatewayId' | 'cardRef' | 'amountMinor' | 'currency' | 'kind'
> &
  Partial<Pick<Operation, 'refundedBy' | 'refundedReason'>>

/** Born with its first sending counted: it is sent right after the commit that writes it. */
export function newOperation(ports: Pick<Ports, 'now' | 'newOperationId'>, facts: OperationFacts): Operation {
  const createdAt = ports.now()
  return {
    refundedBy: null,
    refundedReason: null,
    ...facts,
    id: ports.newOperationId(),
    createdAt,
    outcome: 'pending',
    sendings: 1,
    asks: 0,
    nextAskAt: createdAt,
    gatewayRef: null,
    declineCode: null,
    notSentCode: null,
    cause: null,
    settledAt: null,
    forPerson: null,
    moreForPerson: [],
    request: null,
    isOverdue: false,
  }
}

/** Of all that the transaction is to collect, at its gateway. */
export function newCharge(
  ports: Pick<Ports, 'now' | 'newOperationId'>,
  { merchantId, id, gatewayId, amountMinor, currency }: Transaction,
  cardRef: string | null,
): Operation {
  return newOperation(ports, {
    merchantId,
    transactionId: id,
    gatewayId,
    cardRef,
    amountMinor,
    currency,
    kind: 'charge',
  })
}

/** With all that will be sent for it, which is committed with the row. */
export function prepared(gateway: Pick<Gateway, 'prepare'>, sale: Sale, operation: Operation): Operation {
  const request = requestFor(sale, operation)
  const wire = gateway.prepare(request)
  const said =
    request.kind === 'charge'
      ? { cardRef: request.cardRef, capture: request.capture }
      : { chargeId: request.chargeId, chargeRef: request.chargeRef }
  return { ...operation, request: { ...said, ...(wire !== null && { wire }) } }
}

export function held(operation: Operation): HeldOperation {
  return { ...operation, leaseNo: firstLeaseNo }
}
