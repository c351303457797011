// What a process that died, or a gateway that did not answer, left behind. Found by row, not by event, and settled by
// proof alone.

import { chargeAnswer } from './answer.ts'
import { gatewayDeadline, learnedFrom, requestFor, sendAndSettle } from './call-gateway.ts'
import { nextStep } from './doubt.ts'
import type { Gateway } from './gateway.ts'
import { answerText } from './json.ts'
import { type HeldOperation, leftToPerson, provenAbsent } from './operation.ts'
import type { Ports } from './ports.ts'
import { preSaleFailure } from './pre-sale.ts'
import type { Sale } from './sale.ts'
import { type Learned, owedEvent, settle } from './settle.ts'
import { chargeFailed, type Failure, failureCodes } from './transaction.ts'

/**
 * A transaction in Processing whose process died before it wrote an operation: nothing was sent to the gateway. If
 * Pre-Sale was recorded as sent, its answer is lost and counts as none: it is not asked again.
 */
export async function endInterrupted(ports: Ports, sale: Sale): Promise<void> {
  const before = sale.transaction
  const asked = before.preSale === 'asked'
  const failure: Failure = asked ? preSaleFailure('error') : { code: 'interrupted', sentence: failureCodes.interrupted }
  const transaction = { ...chargeFailed(before, failure), ...(asked && { preSale: 'error' as const }) }
  const failed = { ...sale, transaction }
  const { status, body } = chargeAnswer(failed, ports.service)
  await ports.store.commit({
    before,
    after: transaction,
    event: owedEvent(ports, failed, 'error', 'error', 'charge'),
    answer: { of: before.id, status, text: answerText(body) },
    givesBackUnits: before.quantity,
  })
}

/** Asks once more about an operation that is pending or in doubt, in the way that its age and its gateway allow. */
export async function askAgain(ports: Ports, sale: Sale, held: HeldOperation): Promise<void> {
  const gateway = await ports.openGateway(held.merchantId, held.gatewayId)
  const asked = { ...held, asks: held.asks + 1 }
  if (sale.transaction.status === 'Further Action Required') return askAboutCustomer(ports, gateway, sale, asked)
  switch (nextStep(held, gateway.promises, ports.now())) {
    case 'send_again':
      return sendAgain(ports, gateway, sale, asked)
    case 'fence_and_look_up':
      return fenceAndLookUp(ports, gateway, sale, asked, 'gateway_no_answer')
    case 'look_up':
      return lookUp(ports, gateway, sale, asked)
    case 'leave_to_a_person':
      return leaveToPerson(ports, sale, asked)
  }
}

async function sendAgain(ports: Ports, gateway: Gateway, sale: Sale, asked: HeldOperation): Promise<void> {
  const counted = { ...asked, sendings: asked.sendings + 1 }
  const deadline = gatewayDeadline()
  if (await ports.store.countSending(counted)) await sendAndSettle(ports, gateway, sale, counted, deadline)
}

async function lookUp(ports: Ports, gateway: Gateway, sale: Sale, asked: HeldOperation): Promise<void> {
  const found = await gateway.lookup(requestFor(sale, asked), gatewayDeadline())
  await settle(ports, sale, asked, learnedFrom(ports, gateway, asked, found))
}

/** Behind a fence, absence is proof: the gateway refuses this id for ever, so nothing can still be on its way. */
async function fenceAndLookUp(
  ports: Ports,
  gateway: Gateway,
  sale: Sale,
  asked: HeldOperation,
  ifNotMade: Learned['ifNotMade'],
): Promise<void> {
  const request = requestFor(sale, asked)
  const signal = gatewayDeadline()
  const fenced = await gateway.fence(request, signal)
  const found = await gateway.lookup(request, signal)
  const learned = learnedFrom(ports, gateway, asked, found)
  if (!fenced || found.kind !== 'absent') return void (await settle(ports, sale, asked, { ...learned, ifNotMade }))
  const operation = provenAbsent(asked, ports.now())
  await settle(ports, sale, asked, { ...learned, operation, ifNotMade })
}

/** While the customer may still confirm, only look; when the time is over, fence first, so that a late confirmation cannot charge. */
async function askAboutCustomer(ports: Ports, gateway: Gateway, sale: Sale, asked: HeldOperation): Promise<void> {
  const expiresAt = sale.transaction.actionExpiresAt
  const expired = expiresAt !== null && expiresAt.getTime() <= ports.now().getTime()
  if (expired && !gateway.promises.lookup) return leaveToPerson(ports, sale, asked)
  if (expired && gateway.promises.fence) return fenceAndLookUp(ports, gateway, sale, asked, 'action_expired')
  return lookUp(ports, gateway, sale, asked)
}

async function leaveToPerson(ports: Ports, sale: Sale, asked: HeldOperation): Promise<void> {
  const sentence = 'The gateway can neither be asked again safely nor looked up.'
  ports.alert(sentence, { transaction: asked.transactionId, operation: asked.id })
  const operation = leftToPerson(asked, sentence)
  await settle(ports, sale, asked, {
    operation,
    feeMinor: null,
    customerMustAct: false,
    reportsSuccess: false,
    ifNotMade: 'gateway_no_answer',
  })
}
