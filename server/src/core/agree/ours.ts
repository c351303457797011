// An operation of ours that the gateway has word of.

import { gatewayDeadline, learnedFrom, operationLeaseMs } from '../call-gateway.ts'
import type { Declined, FurtherAction, Gateway, Succeeded } from '../gateway.ts'
import { isOfAnotherAmount, isOpen, type Operation, provenBy } from '../operation.ts'
import type { Ports } from '../ports.ts'
import type { Sale } from '../sale.ts'
import { isStillOpen, keepSecond, nothingLearned, reload, reportIfLate, settle } from '../settle.ts'
import { provenWhileWaiting } from '../while-waiting.ts'
import type { Step } from './step.ts'

type Said = Succeeded | FurtherAction | Declined

export async function agreeOnOurs(ports: Ports, sale: Sale, operation: Operation, said: Said): Promise<Step> {
  const proven = provenBy(operation, said, ports.now())
  if (isOpen(operation)) {
    if (said.kind === 'declined' && isOfAnotherAmount(operation)) alertOfContradiction(ports, operation)
    if (isNews(sale, operation, said, proven)) return settleOurs(ports, sale, operation, said, proven)
    // The person knows of one, and settles that one.
    if (isBesideAnother(operation, said)) await keepSecond(ports, operation, said.gatewayRef)
    return sale
  }
  if (said.kind === 'succeeded') await reportIfLate(ports, sale, proven)
  return sale
}

/** Two successes under one id, neither of just what was asked. */
function isBesideAnother(operation: Operation, said: Said): said is Succeeded {
  const { gatewayRef } = operation
  return (
    said.kind === 'succeeded' && isOfAnotherAmount(operation) && gatewayRef !== null && gatewayRef !== said.gatewayRef
  )
}

function alertOfContradiction(ports: Ports, { kind, transactionId, id }: Operation): void {
  const sentence = `The gateway reports as declined a ${kind} of which it had reported another amount.`
  ports.alert(sentence, { transaction: transactionId, operation: id })
}

function isNews({ transaction }: Sale, operation: Operation, said: Said, proven: Operation): boolean {
  switch (said.kind) {
    case 'declined': // it had reported that it took another amount: nothing may become Failed by itself then
      return !isOfAnotherAmount(operation)
    case 'succeeded': // of another amount, it is a person's matter already
      return proven.outcome === 'succeeded' || operation.forPerson === null
    case 'further_action':
      return transaction.status !== 'Further Action Required' || operation.gatewayRef !== said.gatewayRef
  }
}

/** No lease has this number: a success is proof whoever brings it, and settles also what somebody else holds. */
const noLease = 0

async function settleOurs(
  ports: Ports,
  sale: Sale,
  operation: Operation,
  said: Said,
  proven: Operation,
): Promise<Step> {
  const gateway = await ports.openGateway(operation.merchantId, operation.gatewayId)
  if (proven.outcome !== 'succeeded') return settleAlone(ports, gateway, sale, operation, said)
  const anybody = { ...operation, leaseNo: noLease }
  await settle(ports, sale, anybody, learnedFrom(ports, gateway, anybody, said))
  return reload(ports, sale)
}

/** Anything but a success is for the one who holds the operation: another sending of it may be on its way. */
async function settleAlone(
  ports: Ports,
  gateway: Gateway,
  sale: Sale,
  operation: Operation,
  said: Said,
): Promise<Step> {
  const held = await ports.store.claimOperation(operation, operationLeaseMs)
  // Read again under the lease: it may wait for its customer by now.
  const current = await reload(ports, sale)
  // Whoever holds it may have asked before it came to what the gateway says now.
  if (held === null) return isStillOpen(current, operation) ? 'not_now' : 'stale'
  const found = await provenWhileWaiting(gateway, current, held, said, gatewayDeadline())
  const isProof = found.kind !== 'unknown'
  await settle(ports, current, held, isProof ? learnedFrom(ports, gateway, held, found) : nothingLearned(held))
  return isProof || held.forPerson !== null ? reload(ports, current) : 'not_now'
}
