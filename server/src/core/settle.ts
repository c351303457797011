// From proof to commit. An operation's answer becomes one change of its transaction, with the event it owes and the
// answer that repetitions get; the change is decided anew when the transaction moved meanwhile.

import { chargeAnswer, followUpAnswer } from './answer.ts'
import { concluded } from './ask.ts'
import { AwayError } from './away.ts'
import { retryAt } from './doubt.ts'
import { ofSecond, withReplaced, withSentence } from './for-person.ts'
import { declineCodes, type LookupOutcome, type OperationKind } from './gateway.ts'
import { type Asked, type DetailsOf, type DetailsType, type EventKind, hookDetails, type News } from './hook-details.ts'
import { answerText } from './json.ts'
import type { MailKind } from './letter.ts'
import { withUnitsTaken } from './offer.ts'
import {
  endsHold,
  type HeldOperation,
  isOfAnotherAmount,
  isOpen,
  leftToPerson,
  type Operation,
  provenBy,
} from './operation.ts'
import type { Ask, Change, FixedAnswer, OwedEvent, Ports } from './ports.ts'
import { type Sale, withOperation } from './sale.ts'
import { serialiseDetails } from './serialise-details.ts'
import {
  captureSucceeded,
  chargeFailed,
  chargeSucceeded,
  customerMustAct,
  type Failure,
  type FailureCode,
  failureCodes,
  refundReleased,
  refundSucceeded,
  type Transaction,
  voidSucceeded,
} from './transaction.ts'

export const threeDSecureForMs = 30 * 60_000

/** What was learned, beyond the operation's own new state. */
export interface Learned {
  readonly operation: Operation
  readonly feeMinor: bigint | null
  readonly customerMustAct: boolean
  /** The gateway says that it happened, if not as it was asked. */
  readonly reportsSuccess: boolean
  /** The failure to record if a charge turns out not to have been made. */
  readonly ifNotMade: FailureCode
  /** The ask that it was learned by; none: it answers the first sending. */
  readonly ask?: Ask
}

/** Committed all the same: it ends the lease. */
export function nothingLearned(operation: Operation): Learned {
  return {
    operation,
    feeMinor: null,
    customerMustAct: false,
    reportsSuccess: false,
    ifNotMade: 'gateway_no_answer',
  }
}

/** Commits what was learned and returns the sale as it then stands, whoever settled it. */
export async function settle(ports: Ports, sale: Sale, held: HeldOperation, learned: Learned): Promise<Sale> {
  try {
    return await settled(ports, sale, held, learned)
  } catch (error) {
    await giveBack(ports, held, learned, error)
    throw error
  }
}

async function settled(ports: Ports, sale: Sale, held: HeldOperation, heard: Learned): Promise<Sale> {
  let current = sale
  let learned = heard
  for (;;) {
    const { change, after } = changeBy(ports, current, held, learned)
    const committed = await ports.store.commit(change)
    if (committed === 'committed') return after
    current = await reload(ports, current)
    if (committed === 'stale' && isStillOpen(current, held)) continue
    if (committed === 'repeated' && learned === heard) {
      learned = underAnothersName(ports, held, heard)
      continue
    }
    await reportIfLate(ports, current, learned.operation, learned.reportsSuccess)
    return current
  }
}

/** The gateway calls this refund as it calls another: whether it made one or two, only a person can see there. */
function underAnothersName(ports: Ports, held: HeldOperation, heard: Learned): Learned {
  const { gatewayRef } = heard.operation
  const sentence = `The gateway's reference for this ${held.kind}, ${gatewayRef}, is that of another one.`
  ports.alert(sentence, { transaction: held.transactionId, operation: held.id })
  return {
    ...heard,
    operation: leftToPerson({ ...heard.operation, gatewayRef: held.gatewayRef, settledAt: null }, sentence),
  }
}

const notWritten = 'What the gateway said could not be written down. It is asked again; the log says what failed.'

/**
 * A failure of ours must not hide what the gateway did: somebody is told at once, the operation is asked about again on its
 * schedule, and nobody holds it until then, so that a person can settle it. After two minutes it is listed as in doubt.
 */
async function giveBack(ports: Ports, held: HeldOperation, learned: Learned, error: unknown): Promise<void> {
  // The database is away, which is told elsewhere, and nothing could be written now: the lease ends by itself.
  if (error instanceof AwayError) return
  const { transactionId: transaction, id: operation } = held
  ports.alert(notWritten, { transaction, operation, outcome: learned.operation.outcome, err: error })
  const next = { nextAskAt: retryAt(held, ports.now()), cause: notWritten }
  // Where this fails too, its lease ends by itself.
  await ports.store.releaseOperation(held, next).catch(() => {})
}

/** What was learned as a change of the sale, and the sale as it then stands. */
export function changeBy(ports: Ports, sale: Sale, held: HeldOperation, learned: Learned) {
  const transaction = transactionAfter(ports, sale.transaction, learned)
  const asked = askedInTime(learned.operation, transaction, ports.now())
  const operation = listedWith(held, recheckedIfWaited(held, asked, ports.now()))
  const after = withOperation({ ...sale, transaction }, operation)
  const { ask } = learned
  const change = {
    ...changeTo(ports, sale, after, held, operation),
    ...(ask !== undefined && { ask: concluded(ask, asked) }),
  }
  return { change, after }
}

/** Whoever settled it meanwhile has said how it ended. */
export function isStillOpen({ operations }: Sale, { id }: Operation): boolean {
  const now = operations.find(operation => operation.id === id)
  return now !== undefined && isOpen(now)
}

export async function reload(ports: Ports, { transaction }: Sale): Promise<Sale> {
  const sale = await ports.store.load(transaction.merchantId, transaction.id)
  if (sale === null) throw new Error(`transaction ${transaction.id} is gone`)
  return sale
}

/** One that waits for its customer is asked on the growing schedule, and for sure when the customer's time is over. */
function askedInTime(operation: Operation, { actionExpiresAt }: Transaction, now: Date): Operation {
  if (operation.nextAskAt === null || actionExpiresAt === null) return operation
  const overshoots = actionExpiresAt > now && operation.nextAskAt > actionExpiresAt
  return overshoots ? { ...operation, nextAskAt: actionExpiresAt } : operation
}

/**
 * While it waited for a person, the gateway's notices about the payment were not written down: it is asked for them again. Also where a
 * capture or void was not made: the authorisation may have ended otherwise meanwhile.
 */
function recheckedIfWaited({ forPerson }: Operation, operation: Operation, now: Date): Operation {
  const isEnded = operation.outcome === 'succeeded' || (endsHold(operation) && !isOpen(operation))
  return isEnded && forPerson !== null ? { ...operation, nextAskAt: now } : operation
}

/** With what a person had to look into before, where that is not answered by what was learned. */
function listedWith(held: Operation, operation: Operation): Operation {
  if (operation.outcome === 'succeeded' && isOfAnotherAmount(held)) {
    return { ...operation, ...withReplaced(operation, operation, held.gatewayRef) }
  }
  if (!isOpen(operation) || held.forPerson === null || operation.forPerson === null) return operation
  const { forPerson, moreForPerson } = withSentence(held, held.kind, operation.forPerson) ?? held
  return { ...operation, forPerson, moreForPerson }
}

function transactionAfter(ports: Ports, transaction: Transaction, learned: Learned): Transaction {
  const { kind, outcome, amountMinor } = learned.operation
  if (outcome === 'unknown') return transaction
  if (outcome === 'pending') {
    if (!learned.customerMustAct || transaction.status === 'Further Action Required') return transaction
    return customerMustAct(transaction, new Date(ports.now().getTime() + threeDSecureForMs))
  }
  const done = outcome === 'succeeded'
  switch (kind) {
    case 'charge':
      return done ? chargeSucceeded(transaction, learned.feeMinor) : chargeFailed(transaction, failureOf(learned))
    case 'capture':
      return done ? captureSucceeded(transaction, amountMinor, learned.feeMinor) : transaction
    case 'void':
      return done ? voidSucceeded(transaction) : transaction
    case 'refund':
      return done ? refundSucceeded(transaction, amountMinor) : refundReleased(transaction, amountMinor)
  }
}

function failureOf({ operation, ifNotMade }: Learned): Failure {
  // A challenge that we called off because its time was over: the gateway's word for it is ours to translate.
  if (operation.declineCode !== null && ifNotMade !== 'action_expired') {
    return { code: operation.declineCode, sentence: declineCodes[operation.declineCode] }
  }
  const sentence = { ...declineCodes, ...failureCodes }[ifNotMade]
  return { code: ifNotMade, sentence }
}

function changeTo(ports: Ports, before: Sale, after: Sale, held: HeldOperation, operation: Operation) {
  const moved = before.transaction.status !== after.transaction.status
  const event = eventFor(ports, after, operation, moved)
  const answer = answerFor(ports, before, after, operation)
  const { status, quantity } = after.transaction
  return {
    before: before.transaction,
    after: after.transaction,
    settles: { held, operation },
    ...(event !== null && { event }),
    ...(answer !== null && { answer }),
    ...(moved && (status === 'Failed' || status === 'Voided') && { givesBackUnits: quantity }),
  } satisfies Change
}

export function eventFor(ports: Ports, after: Sale, operation: Operation, moved: boolean): OwedEvent | null {
  if (operation.kind === 'refund') {
    return operation.outcome === 'succeeded'
      ? owedEvent(ports, after, 'update', 'refund', 'refund', { refund: operation })
      : null
  }
  if (!moved) return null
  switch (after.transaction.status) {
    case 'Successful':
    case 'Authorized':
      return owedEvent(ports, after, 'transaction', 'success', operation.kind)
    case 'Failed':
      return owedEvent(ports, after, 'error', 'error', operation.kind)
    case 'Further Action Required':
      return owedEvent(ports, after, 'far', 'far', operation.kind)
    case 'Voided':
      return owedEvent(ports, after, 'update', 'void', 'void')
    default:
      throw new Error(`an operation cannot lead to ${after.transaction.status}`)
  }
}

const untold: readonly string[] = ['action_expired', 'asked_again']

/** What its customer is told by mail: who asked by mail gets the answer by mail. Null: nothing. */
export function mailOwed({ source, failure, cardToken }: Transaction, kind: EventKind): MailKind | null {
  if (source !== 'Email Transaction') return null
  switch (kind) {
    case 'transaction':
      return 'receipt'
    case 'far':
      return 'further_action'
    case 'error':
      // Who never went on with it has been told once, and knows; and what another took the place of is told of that one.
      return cardToken === null && untold.includes(failure?.code ?? '') ? null : 'error'
    case 'update':
      return null
  }
}

export function owedEvent(
  ports: Ports,
  sale: Sale,
  kind: EventKind,
  type: DetailsType,
  asked: Asked,
  news?: News,
): OwedEvent {
  const at = ports.now()
  return {
    id: ports.newEventId(),
    kind,
    type,
    at,
    mail: mailOwed(sale.transaction, kind),
    details: detailsText(ports, asCommitted(sale), { type, asked, at, ...(news !== undefined && { news }) }),
  }
}

/** Never refused for its size: whatever is said about it, the outcome is written. */
export function detailsText(ports: Pick<Ports, 'service' | 'alert'>, sale: Sale, of: DetailsOf): string {
  const answered = Object.keys(sale.transaction.entered?.answers ?? {})
  const { text, isTooLarge } = serialiseDetails(hookDetails(sale, ports.service, of), answered)
  if (isTooLarge) {
    const { id, merchantId } = sale.transaction
    const sentence = 'The details of a notification are larger than 64 KiB after all texts were cut.'
    ports.alert(sentence, { merchant: merchantId, transaction: id, type: of.type, chars: text.length })
  }
  return text
}

/** The commit that ends a sale without money gives its units back: the hook says what is left then. */
function asCommitted(sale: Sale): Sale {
  const { status, quantity } = sale.transaction
  if (status !== 'Failed' && status !== 'Voided') return sale
  return { ...sale, offer: withUnitsTaken(sale.offer, -quantity) }
}

function answerFor(ports: Ports, before: Sale, after: Sale, operation: Operation): FixedAnswer | null {
  if (operation.kind !== 'charge') {
    if (isOpen(operation)) return null
    const { status, body } = followUpAnswer(after, operation, ports.service)
    return { of: operation.id, status, text: answerText(body) }
  }
  // Fixed when the charge leaves Processing: a customer who then completes 3-D Secure does not change what was answered.
  if (before.transaction.status !== 'Processing' || after.transaction.status === 'Processing') return null
  const { status, body } = chargeAnswer(after, ports.service)
  return { of: after.transaction.id, status, text: answerText(body) }
}

/** Also a success of another amount, and one for an operation that waits for a person and is asked about no more. */
export async function reportIfLate(
  ports: Ports,
  sale: Sale,
  operation: Operation,
  reportsSuccess = true,
): Promise<void> {
  const now = sale.operations.find(({ id }) => id === operation.id)
  if (now === undefined) return
  if (!reportsSuccess) return reportIfContrary(ports, now, operation)
  if (isMadeTwice(now, operation.gatewayRef)) return keepSecond(ports, now, operation.gatewayRef)
  if (now.outcome === 'succeeded') return
  if (isOpen(now) && now.forPerson === null) return // whoever holds it now asks again, and hears the same
  const misfit = isOpen(operation) ? operation.forPerson : null
  if (misfit === null && bookedEnd(sale, now) !== null) return
  const state = isOpen(now) ? 'left to a person' : `settled as ${now.outcome}`
  const said = `The gateway reports a success for a ${operation.kind} that was ${state}.`
  const sentence = misfit === null ? said : `${said} ${misfit}`
  const reported = { ...now, gatewayRef: now.gatewayRef ?? operation.gatewayRef }
  const isNews = await ports.store.keepLateSuccess(reported, sentence)
  if (isNews) ports.alert(sentence, { transaction: operation.transactionId, operation: operation.id })
}

/**
 * The operation as which the same end of an authorisation is written down already: it ends once, so that a success of the same
 * kind and amount is that one. Null: it is not.
 */
export function bookedEnd({ operations }: Sale, { id, kind, amountMinor }: Operation): Operation | null {
  if (kind !== 'capture' && kind !== 'void') return null
  const isIt = (each: Operation) =>
    each.id !== id && each.kind === kind && each.outcome === 'succeeded' && each.amountMinor === amountMinor
  return operations.find(isIt) ?? null
}

/**
 * Whether the gateway has this operation under another reference than the one that it gave before. What is done to an
 * authorisation mostly has no reference of its own.
 */
export function isMadeTwice(now: Operation, gatewayRef: string | null): gatewayRef is string {
  if (now.kind === 'capture' || now.kind === 'void' || isOpen(now)) return false
  return now.gatewayRef !== null && gatewayRef !== null && now.gatewayRef !== gatewayRef
}

/** Nothing of a second one is written down: listed and told, once. */
export async function keepSecond(ports: Ports, now: Operation, gatewayRef: string): Promise<void> {
  const { kind, transactionId: transaction, id: operation } = now
  const sentence = ofSecond(kind, gatewayRef, now.gatewayRef)
  const isNews = await ports.store[isOpen(now) ? 'keepLateSuccess' : 'keepForPerson'](now, sentence)
  if (isNews) ports.alert(sentence, { transaction, operation })
}

/** Word that it was not made, for what a person had settled as succeeded. Among gateways' own words there is no such thing. */
async function reportIfContrary(ports: Ports, now: Operation, { outcome }: Operation): Promise<void> {
  const isProof = outcome === 'declined' || outcome === 'not_sent'
  if (isProof && now.outcome === 'succeeded') await keepContrary(ports, now, contraries.declined(now.kind))
}

const contraries = {
  declined: (kind: OperationKind) =>
    `The gateway reports as not made a ${kind} that a person had settled as succeeded.`,
  absent: (kind: OperationKind) => `The gateway does not know of a ${kind} that a person had settled as succeeded.`,
  further_action: (kind: OperationKind) =>
    `The gateway still waits for its customer to confirm a ${kind} that a person had settled as succeeded.`,
}

/** What a gateway says against a success that is written down here, as one sentence. Null: it agrees, or does not tell. */
export function contraryIn(now: Operation, said: LookupOutcome): string | null {
  if (said.kind === 'unknown') return null
  if (said.kind !== 'succeeded') return contraries[said.kind](now.kind)
  const proven = provenBy(now, said, now.settledAt ?? now.createdAt)
  if (proven.outcome === 'succeeded') return null
  return `The gateway says otherwise of a ${now.kind} that a person had settled as succeeded. ${proven.forPerson}`
}

/** Only for what a person had settled as succeeded: listed and told, once. */
export async function keepContrary(ports: Ports, now: Operation, sentence: string): Promise<void> {
  const isNews = await ports.store.keepContrary(now, sentence)
  if (isNews) ports.alert(sentence, { transaction: now.transactionId, operation: now.id })
}
