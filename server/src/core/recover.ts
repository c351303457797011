// What a process that died, or a gateway that did not answer, left behind. Found by row, not by event, and settled by
// proof alone.

import { chargeAnswer } from './answer.ts'
import { type Asking, beginAsk } from './ask.ts'
import { gatewayDeadline, learnedFrom, requestFor } from './call-gateway.ts'
import { type NextStep, nextStep } from './doubt.ts'
import type { Gateway, GatewayPromises, LookupOutcome } from './gateway.ts'
import { answerText } from './json.ts'
import { type HeldOperation, leftToPerson, type Operation, provenAbsent } from './operation.ts'
import type { Ask, Ports } from './ports.ts'
import { preSaleFailure } from './pre-sale.ts'
import type { Sale } from './sale.ts'
import { isStillOpen, owedEvent, settle } from './settle.ts'
import { chargeFailed, type Failure, type FailureCode, failureCodes } from './transaction.ts'
import { provenWhileWaiting } from './while-waiting.ts'

/**
 * A transaction in Processing whose process died before it wrote an operation: nothing was sent to the gateway. If
 * Pre-Sale was recorded as sent, its answer is lost and counts as none: it is not asked again.
 */
export async function endInterrupted(ports: Ports, sale: Sale): Promise<void> {
  const before = sale.transaction
  // Whoever claimed it and was held up for longer than the claim finds what another has made of it since.
  if (before.status !== 'Processing') return
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
  if (!isStillOpen(sale, held)) return // the gateway itself has told since it was claimed
  const asked = { ...held, asks: held.asks + 1 }
  const now = ports.now()
  const gateway = await opened(ports, held)
  if (gateway === null) return putOff(ports, sale, asked, now)
  const step = stepFor(sale, held, gateway.promises, now)
  const round: Round = { ports, gateway, sale, asked, asking: beginAsk(asked, stepAtFirst(step), now) }
  switch (step) {
    case 'send_again':
      return sendAgain(round, gatewayDeadline())
    case 'look_up_then_send':
      return lookUpThenSend(round)
    case 'fence_and_look_up':
      return fenceAndLookUp(round)
    case 'look_up':
      return lookUp(round)
    case 'leave_to_a_person':
      return leaveToPerson(round)
  }
}

const cannotBeOpened = 'The gateway cannot be opened, so that it cannot be asked.'

/** Null: it cannot be opened, because its credentials cannot be read any more. */
async function opened(ports: Ports, { merchantId, gatewayId, transactionId, id }: Operation): Promise<Gateway | null> {
  try {
    return await ports.openGateway(merchantId, gatewayId)
  } catch (error) {
    ports.alert(cannotBeOpened, { transaction: transactionId, operation: id, gateway: gatewayId, err: error })
    return null
  }
}

/** In doubt as with a gateway that is silent: held on to, it would be nobody's to settle, not even a person's. */
async function putOff(ports: Ports, sale: Sale, asked: HeldOperation, now: Date): Promise<void> {
  const asking = beginAsk(asked, 'look_up', now)
  asking.note(cannotBeOpened)
  const promises = { idempotentForMs: 0, lookup: false, fence: false }
  const learned = learnedFrom(ports, { promises }, asked, { kind: 'unknown', cause: cannotBeOpened })
  await settle(ports, sale, asked, { ...learned, ask: asking.record() })
}

/** One ask, with its number counted. */
interface Round {
  readonly ports: Ports
  readonly gateway: Gateway
  readonly sale: Sale
  readonly asked: HeldOperation
  readonly asking: Asking
}

/** While the customer may still confirm, only look; when the time is over, fence first, so that a late confirmation cannot charge. */
function stepFor({ transaction }: Sale, held: HeldOperation, promises: GatewayPromises, now: Date): NextStep {
  if (transaction.status !== 'Further Action Required') return nextStep(held, promises, now)
  const { actionExpiresAt } = transaction
  const expired = actionExpiresAt !== null && actionExpiresAt <= now
  if (!expired) return 'look_up'
  if (!promises.lookup) return 'leave_to_a_person'
  return promises.fence ? 'fence_and_look_up' : 'look_up'
}

/** What is kept of an ask is what was done: a lookup, unless it comes to a sending. */
function stepAtFirst(step: NextStep): Ask['step'] {
  return step === 'look_up_then_send' ? 'look_up' : step
}

async function sendAgain({ ports, gateway, sale, asked, asking }: Round, deadline: AbortSignal): Promise<void> {
  const counted = { ...asked, sendings: asked.sendings + 1 }
  if (!(await ports.store.countSending(counted)) || deadline.aborted) return
  const outcome = await gateway.send(requestFor(sale, counted), deadline, asking.note)
  const ask = { ...asking.record(), step: 'send_again' } as const
  await settle(ports, sale, counted, { ...learnedFrom(ports, gateway, counted, outcome), ask })
}

/** A gateway that has forgotten the id would carry it out once more: it is sent only where nothing is found. One deadline for both. */
async function lookUpThenSend(round: Round): Promise<void> {
  const { gateway, sale, asked, asking } = round
  const deadline = gatewayDeadline()
  const said = await gateway.lookup(requestFor(sale, asked), deadline, asking.note)
  return said.kind === 'absent' ? sendAgain(round, deadline) : settleByLookup(round, said, deadline)
}

async function lookUp(round: Round): Promise<void> {
  const { gateway, sale, asked, asking } = round
  const signal = gatewayDeadline()
  return settleByLookup(round, await gateway.lookup(requestFor(sale, asked), signal, asking.note), signal)
}

async function settleByLookup(
  { ports, gateway, sale, asked, asking }: Round,
  said: LookupOutcome,
  signal: AbortSignal,
): Promise<void> {
  const found = await provenWhileWaiting(gateway, sale, asked, said, signal, asking.note)
  await settle(ports, sale, asked, { ...learnedFrom(ports, gateway, asked, found), ask: asking.record() })
}

/** Behind a fence, absence is proof: the gateway refuses this id for ever, so nothing can still be on its way. */
async function fenceAndLookUp({ ports, gateway, sale, asked, asking }: Round): Promise<void> {
  const request = requestFor(sale, asked)
  const signal = gatewayDeadline()
  const fenced = await gateway.fence(request, signal, asking.note)
  const said = await gateway.lookup(request, signal, asking.note)
  const found = fenced ? said : await provenWhileWaiting(gateway, sale, asked, said, signal, asking.note)
  const isProof = fenced && found.kind === 'absent'
  const learned = isProof
    ? { ...nothingHeard, operation: provenAbsent(asked, ports.now()) }
    : learnedFrom(ports, gateway, asked, found)
  await settle(ports, sale, asked, { ...learned, ifNotMade: ifNotMade(sale), ask: asking.record() })
}

async function leaveToPerson({ ports, sale, asked, asking }: Round): Promise<void> {
  const sentence = 'The gateway can neither be asked again safely nor looked up.'
  ports.alert(sentence, { transaction: asked.transactionId, operation: asked.id })
  const operation = leftToPerson(asked, sentence)
  await settle(ports, sale, asked, { ...nothingHeard, operation, ifNotMade: ifNotMade(sale), ask: asking.record() })
}

const nothingHeard = { feeMinor: null, customerMustAct: false, reportsSuccess: false } as const

/** What a charge failed of that was not made, and whose gateway does not say why. */
export function ifNotMade({ transaction }: Sale): FailureCode {
  return transaction.status === 'Further Action Required' ? 'action_expired' : 'gateway_no_answer'
}
