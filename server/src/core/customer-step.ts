// The customer's own step of a charge that waits for it: to the page of the card's bank, and back. Whoever has the link may
// begin it: we ask the bank for a challenge, and whether there is one is for the bank to decide (SECURITY.md). What the bank then
// said is asked of the gateway, never read from the address that the customer comes back with.

import { gatewayDeadline, learnedFrom, operationLeaseMs, requestFor } from './call-gateway.ts'
import type { MerchantId, TransactionId } from './ids.ts'
import { isOpen, type Operation } from './operation.ts'
import type { Ports } from './ports.ts'
import type { Sale } from './sale.ts'
import { nothingLearned, settle } from './settle.ts'
import { provenWhileWaiting } from './while-waiting.ts'

export type StepOutcome =
  | { readonly kind: 'redirect'; readonly url: string }
  /** It does not wait for its customer, or no longer: its page says how it stands. */
  | { readonly kind: 'over' }
  | { readonly kind: 'not_now'; readonly cause: string }

/** The charge that waits for its customer; null: there is none, or its time is over. */
export function waitingCharge({ transaction, operations }: Sale, now: Date): Operation | null {
  const { status, actionExpiresAt } = transaction
  if (status !== 'Further Action Required' || actionExpiresAt === null || actionExpiresAt <= now) return null
  const waits = (operation: Operation) => isOpen(operation) && operation.forPerson === null
  return operations.find(operation => operation.kind === 'charge' && waits(operation)) ?? null
}

export async function continueWithCustomer(
  ports: Ports,
  merchantId: MerchantId,
  transactionId: TransactionId,
  returnUrl: string,
): Promise<StepOutcome> {
  const sale = await ports.store.loadForCustomer(merchantId, transactionId)
  const charge = sale === null ? null : waitingCharge(sale, ports.now())
  if (sale === null || charge === null) return { kind: 'over' }
  const gateway = await ports.openGateway(merchantId, charge.gatewayId)
  const request = requestFor(sale, charge)
  if (gateway.customerStep === null || request.kind !== 'charge') {
    return { kind: 'not_now', cause: 'The gateway has no step for the customer.' }
  }
  const step = await gateway.customerStep(request, returnUrl, gatewayDeadline())
  switch (step.kind) {
    case 'redirect':
      return step
    case 'settled':
      return { kind: 'over' }
    case 'unknown':
      return { kind: 'not_now', cause: step.cause }
  }
}

/**
 * Asks the gateway once how a charge stands whose customer is here and waits to hear it. Null: somebody else is asking just
 * now. What is no proof changes nothing: a customer's visits are no asks on the schedule, and put none of them off.
 */
export async function lookAfterCustomer(ports: Ports, sale: Sale): Promise<Sale | null> {
  const charge = waitingCharge(sale, ports.now())
  if (charge === null) return sale
  const held = await ports.store.claimOperation(charge, operationLeaseMs)
  if (held === null) return null
  const gateway = await ports.openGateway(held.merchantId, held.gatewayId)
  const signal = gatewayDeadline()
  const said = await gateway.lookup(requestFor(sale, held), signal)
  const found = await provenWhileWaiting(gateway, sale, held, said, signal)
  const proves = found.kind === 'succeeded' || found.kind === 'declined'
  return settle(ports, sale, held, proves ? learnedFrom(ports, gateway, held, found) : nothingLearned(held))
}
