// An operation of ours that the gateway has word of.

import { learnedFrom, operationLeaseMs } from '../call-gateway.ts'
import type { Declined, FurtherAction, Succeeded } from '../gateway.ts'
import { isOpen, type Operation, provenBy } from '../operation.ts'
import type { Ports } from '../ports.ts'
import type { Sale } from '../sale.ts'
import { reload, reportIfLate, settle } from '../settle.ts'

type Said = Succeeded | FurtherAction | Declined

export async function agreeOnOurs(ports: Ports, sale: Sale, operation: Operation, said: Said): Promise<Sale> {
  const proven = provenBy(operation, said, ports.now())
  if (isOpen(operation)) {
    return isNews(sale, operation, said, proven) ? settleOurs(ports, sale, operation, said, proven) : sale
  }
  if (said.kind === 'succeeded') await reportIfLate(ports, sale, proven)
  return sale
}

function isNews({ transaction }: Sale, operation: Operation, said: Said, proven: Operation): boolean {
  switch (said.kind) {
    case 'declined':
      return true
    case 'succeeded': // of another amount, it is a person's matter already
      return proven.outcome === 'succeeded' || operation.forPerson === null
    case 'further_action':
      return transaction.status !== 'Further Action Required' || operation.gatewayRef !== said.gatewayRef
  }
}

/** No lease has this number: a success is proof whoever brings it, and settles also what somebody else holds. */
const noLease = 0

/** Anything but a success is for the one who holds the operation: another sending of it may be on its way. */
async function settleOurs(
  ports: Ports,
  sale: Sale,
  operation: Operation,
  said: Said,
  proven: Operation,
): Promise<Sale> {
  const gateway = await ports.openGateway(operation.merchantId, operation.gatewayId)
  const held =
    proven.outcome === 'succeeded'
      ? { ...operation, leaseNo: noLease }
      : await ports.store.claimOperation(operation, operationLeaseMs)
  if (held === null) return sale // whoever holds it hears the same
  await settle(ports, sale, held, learnedFrom(ports, gateway, held, said))
  return reload(ports, sale)
}
