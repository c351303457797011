// Makes our rows agree with what a gateway says about one payment. It says how things are, not what happened, so order,
// repetition and lateness of its notices do not matter: what is the same here already is no difference.
//
// Each difference is one commit with the event that it owes, over the version of the sale that was read before the gateway
// was asked. So what is written was true at the gateway after everything that is known here.

import { agreeOnCharge, agreeOnFee, chargeIn } from './agree/charge.ts'
import { agreeOnDispute } from './agree/dispute.ts'
import { keepExcess } from './agree/excess.ts'
import { agreeOnHold } from './agree/hold.ts'
import { agreeOnRefund, refundsToAgreeOn } from './agree/refund.ts'
import type { Step } from './agree/step.ts'
import type { ReportedPayment, ReportedRefund } from './gateway.ts'
import type { GatewayId } from './ids.ts'
import type { Operation } from './operation.ts'
import type { Ports } from './ports.ts'
import type { Sale } from './sale.ts'
import { isMadeTwice, keepSecond } from './settle.ts'
import { storablePayment } from './storable-answer.ts'

/** stale: the sale changed meanwhile, and the gateway should be asked again. not_now: something of ours is to be settled first. */
export type Agreed = 'agreed' | 'not_now' | 'stale'

type Agree = (sale: Sale, charge: Operation) => Promise<Step>

export async function agreeWithGateway(
  ports: Ports,
  sale: Sale,
  gatewayId: GatewayId,
  said: ReportedPayment,
): Promise<Agreed> {
  const { payment: reported, unstorable } = storablePayment(said, ports.now())
  for (const sentence of unstorable) ports.alert(sentence, { transaction: sale.transaction.id, gateway: gatewayId })
  let agreed: Agreed = 'agreed'
  let current = sale
  for (const agree of stepsFor(ports, reported, refundsToAgreeOn(sale, gatewayId, reported.refunds))) {
    const charge = chargeIn(current, gatewayId, reported)
    if (charge === null) return alertOfStranger(ports, sale, gatewayId, reported)
    if (isMadeTwice(charge, reported.gatewayRef)) return keepSecondPayment(ports, charge, reported)
    const step = await agree(current, charge)
    if (step === 'stale') return 'stale'
    if (step === 'not_now') agreed = 'not_now'
    else current = step
  }
  return agreed
}

/** In the order in which one needs the other. */
function stepsFor(ports: Ports, reported: ReportedPayment, refunds: readonly ReportedRefund[]): Agree[] {
  return [
    (sale, charge) => agreeOnCharge(ports, sale, charge, reported),
    (sale, charge) => agreeOnHold(ports, sale, charge, reported),
    (sale, charge) => agreeOnFee(ports, sale, charge, reported),
    ...refunds.map(
      (refund): Agree =>
        (sale, charge) =>
          agreeOnRefund(ports, sale, charge, reported, refund),
    ),
    (sale, charge) => keepExcess(ports, sale, charge, reported),
    ...reported.disputes.map(
      (dispute): Agree =>
        sale =>
          agreeOnDispute(ports, sale, dispute),
    ),
  ]
}

/** Another payment than the one that is written down bears its ids. What became of it is not written to ours. */
async function keepSecondPayment(ports: Ports, charge: Operation, reported: ReportedPayment): Promise<Agreed> {
  if (reported.charge.kind === 'succeeded') await keepSecond(ports, charge, reported.gatewayRef)
  return 'agreed'
}

/** A payment there bears the ids of one of ours that was made elsewhere, or never. Nothing of it is written, so it is to be said again. */
function alertOfStranger(ports: Ports, sale: Sale, gatewayId: GatewayId, reported: ReportedPayment): Agreed {
  const sentence = 'The gateway reports a payment under the id of an operation that is not of this transaction there.'
  const { operationId: operation } = reported
  ports.alert(sentence, { transaction: sale.transaction.id, operation, gateway: gatewayId })
  return 'not_now'
}
