// A sale, and what a gateway says about it: for tests of agreeing.

import { type Agreed, agreeWithGateway } from '../../src/core/agree.ts'
import type { ReportedDispute, ReportedPayment, ReportedRefund } from '../../src/core/gateway.ts'
import type { OperationId } from '../../src/core/ids.ts'
import type { Operation } from '../../src/core/operation.ts'
import type { Transaction } from '../../src/core/transaction.ts'
import { FakeWorld, success } from './fake-world.ts'
import { charge, gatewayId, madeCharge, noon, operationId, sale, transactionId, usd } from './sale-samples.ts'

export class AgreeWorld extends FakeWorld {
  hear(some: Partial<ReportedPayment>, from = gatewayId): Promise<Agreed> {
    return agreeWithGateway(this.ports, this.sale, from, { ...paid, ...some })
  }

  operation(id: OperationId): Operation | undefined {
    return this.sale.operations.find(each => each.id === id)
  }
}

/** A payment that was made, and nothing since. */
export const paid: ReportedPayment = {
  kind: 'payment',
  transactionId,
  operationId,
  gatewayRef: 'gateway_1',
  charge: success(),
  captured: null,
  released: false,
  refunds: [],
  disputes: [],
}

export function worldOf(transaction: Transaction, ...operations: readonly Operation[]): AgreeWorld {
  const world = new AgreeWorld()
  world.put({ ...sale, transaction, operations: operations.length === 0 ? [madeCharge] : operations })
  return world
}

/** An operation of ours that is open. */
export function open(kind: 'capture' | 'void' | 'refund', amountMinor: bigint): Operation {
  return { ...charge, id: '0192aaaa-0000-7000-8000-0000000000ff' as OperationId, kind, amountMinor }
}

export function refundThere(amountMinor: bigint, some: Partial<ReportedRefund> = {}): ReportedRefund {
  return {
    gatewayRef: 'refund_1',
    operationId: null,
    amountMinor,
    currency: usd,
    state: 'succeeded',
    reason: null,
    ...some,
  }
}

export function disputeThere(some: Partial<ReportedDispute> = {}): ReportedDispute {
  return {
    gatewayRef: 'dispute_1',
    amountMinor: 10_000n,
    currency: usd,
    status: 'open',
    reason: 'fraudulent',
    openedAt: noon,
    ...some,
  }
}
