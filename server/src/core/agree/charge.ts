// What became of the charge, and what the gateway kept of it.

import type { ReportedPayment } from '../gateway.ts'
import type { GatewayId } from '../ids.ts'
import { isOpen, type Operation } from '../operation.ts'
import type { Ports } from '../ports.ts'
import type { Sale } from '../sale.ts'
import { contraryIn, keepContrary } from '../settle.ts'
import { agreeOnOurs } from './ours.ts'
import { type Step, write } from './step.ts'

/** Ours, if it was charged there. */
export function chargeIn({ operations }: Sale, gatewayId: GatewayId, reported: ReportedPayment): Operation | null {
  const charge = operations.find(({ id }) => id === reported.operationId)
  return charge?.kind === 'charge' && charge.gatewayId === gatewayId ? charge : null
}

export async function agreeOnCharge(
  ports: Ports,
  sale: Sale,
  charge: Operation,
  { charge: said }: ReportedPayment,
): Promise<Step> {
  if (said.kind === 'unknown') return sale // the sweeper asks on
  if (charge.outcome !== 'succeeded') return agreeOnOurs(ports, sale, charge, said)
  if (said.kind === 'declined') {
    const sentence = 'The gateway reports as declined a charge that had succeeded there.'
    ports.alert(sentence, { transaction: charge.transactionId, operation: charge.id })
  }
  const contrary = contraryIn(charge, said)
  if (contrary !== null) await keepContrary(ports, charge, contrary)
  return sale
}

/** What follows a charge cannot be written before it. Null: it is made. */
export function whileNotMade(sale: Sale, charge: Operation, reported: ReportedPayment): Step | null {
  if (charge.outcome === 'succeeded') return null
  const isComing = reported.charge.kind === 'succeeded' && isOpen(charge) && charge.forPerson === null
  return isComing ? 'not_now' : sale // else a person has it, and what follows with it
}

/** Some gateways say only later what they keep. */
export async function agreeOnFee(
  ports: Ports,
  sale: Sale,
  charge: Operation,
  reported: ReportedPayment,
): Promise<Step> {
  if (charge.outcome !== 'succeeded') return sale // what was taken was taken elsewhere
  const before = sale.transaction
  const feeMinor = feeIn(sale, reported)
  if (before.capturedMinor === 0n || before.netAmountMinor !== null || feeMinor === null) return sale
  const after = { ...before, netAmountMinor: before.capturedMinor - feeMinor }
  return write(ports, { ...sale, transaction: after }, { before, after })
}

function feeIn({ transaction }: Sale, { charge, captured }: ReportedPayment): bigint | null {
  if (transaction.authorizationOnly) return captured?.feeMinor ?? null
  return charge.kind === 'succeeded' ? charge.feeMinor : null
}
