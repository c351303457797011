// Refunds: ours by their operation id, those made at the gateway itself by its own name for them.

import { stillToAnswer } from '../for-person.ts'
import type { ReportedPayment, ReportedRefund } from '../gateway.ts'
import type { GatewayId } from '../ids.ts'
import { keptLine } from '../kept-text.ts'
import { displayAmount } from '../money.ts'
import { isOpen, type Operation } from '../operation.ts'
import type { Ports } from '../ports.ts'
import { type Sale, withOperation } from '../sale.ts'
import { isMadeTwice, owedEvent } from '../settle.ts'
import { refundableMinor, refundFailedLater, refundReserved, refundSucceeded } from '../transaction.ts'
import { whileNotMade } from './charge.ts'
import { excessMinor, outsideBooks } from './excess.ts'
import { agreeOnOurs } from './ours.ts'
import { reportedOperation, type Step, write, writeReported } from './step.ts'

export async function agreeOnRefund(
  ports: Ports,
  sale: Sale,
  charge: Operation,
  reported: ReportedPayment,
  refund: ReportedRefund,
): Promise<Step> {
  const known = refundIn(sale, charge, refund)
  if (refund.state === 'pending') return sale // it is told again when it has ended
  if (refund.amountMinor === 0n) return sale // it gives nothing back
  if (known !== undefined && isWithPerson(known)) return writeKept(ports, sale, charge, reported, refund, known)
  if (known === undefined) {
    return refund.state === 'succeeded' ? writeRefund(ports, sale, charge, reported, refund) : sale
  }
  if (known.outcome === 'succeeded') return refund.state === 'failed' ? failLater(ports, sale, known) : sale
  const { gatewayRef, amountMinor, currency } = refund
  return agreeOnOurs(
    ports,
    sale,
    known,
    refund.state === 'succeeded'
      ? { kind: 'succeeded', gatewayRef, amountMinor, currency, feeMinor: null }
      : { kind: 'declined', code: 'processing_error' },
  )
}

/**
 * Those that may change something here. A payment may have thousands of refunds, and with each notice all of them are
 * reported: those that are written down already must not cost a search each.
 */
export function refundsToAgreeOn(
  { operations }: Sale,
  gatewayId: GatewayId,
  reported: readonly ReportedRefund[],
): ReportedRefund[] {
  const made = new Set<string | null>()
  for (const each of operations) {
    if (each.kind === 'refund' && each.gatewayId === gatewayId && each.outcome === 'succeeded')
      made.add(each.gatewayRef)
  }
  return reported.filter(({ gatewayRef, state }) => state !== 'succeeded' || !made.has(gatewayRef))
}

function refundIn(sale: Sale, charge: Operation, refund: ReportedRefund): Operation | undefined {
  const ours = operationOf(sale, refund)
  if (ours !== undefined && !isMadeTwice(ours, refund.gatewayRef)) return ours
  return sale.operations.find(
    ({ kind, gatewayId, gatewayRef }) =>
      kind === 'refund' && gatewayId === charge.gatewayId && gatewayRef === refund.gatewayRef,
  )
}

function operationOf({ operations }: Sale, { operationId }: ReportedRefund): Operation | undefined {
  return operations.find(({ kind, id }) => kind === 'refund' && id === operationId)
}

/** It bears the id of one of ours that has another reference. */
function isSecond(sale: Sale, refund: ReportedRefund): boolean {
  const ours = operationOf(sale, refund)
  return ours !== undefined && isMadeTwice(ours, refund.gatewayRef)
}

const reasonCharsMax = 255

async function writeRefund(
  ports: Ports,
  sale: Sale,
  charge: Operation,
  reported: ReportedPayment,
  refund: ReportedRefund,
): Promise<Step> {
  const notMade = whileNotMade(sale, charge, reported)
  if (notMade !== null) return notMade
  const { gatewayRef, reason } = refund
  const operation = reportedOperation(ports, charge, {
    kind: 'refund',
    amountMinor: refund.amountMinor,
    gatewayRef,
    refundedBy: 'gateway',
    refundedReason: reason === null ? null : keptLine(reason, reasonCharsMax),
  })
  const amountMinor = refund.amountMinor - outsideMinor(sale, charge, reported, refund)
  if (amountMinor === 0n) return writeOutside(ports, sale, operation)
  const fits = howItFits(sale, { ...refund, amountMinor })
  if (fits === 'not_now') return 'not_now'
  if (fits !== 'now') return keepForPerson(ports, sale, refund, operation, fits)
  const after = refundSucceeded(refundReserved(sale.transaction, amountMinor), amountMinor)
  return writeReported(ports, sale, after, { ...operation, amountMinor })
}

/** What of it gives back money that is not written here. */
function outsideMinor(sale: Sale, charge: Operation, reported: ReportedPayment, refund: ReportedRefund): bigint {
  if (refund.currency !== sale.transaction.currency || isSecond(sale, refund)) return 0n
  const minor = excessMinor(sale, charge, reported)
  return minor < refund.amountMinor ? minor : refund.amountMinor
}

/** A row that moves no money here, so that it is known the next time. */
async function writeOutside(ports: Ports, sale: Sale, reported: Operation): Promise<Step> {
  const operation: Operation = { ...reported, outcome: 'not_sent', cause: outsideBooks }
  const { transaction } = sale
  const change = { before: transaction, after: transaction, reported: [operation] }
  return write(ports, withOperation(sale, operation), change)
}

/**
 * A row all the same, so that the refund is missing nowhere: as a success that came too late, which moves no money here until a
 * person accepts it, and is listed until then.
 */
async function keepForPerson(
  ports: Ports,
  sale: Sale,
  { amountMinor, currency, gatewayRef }: ReportedRefund,
  reported: Operation,
  misfit: keyof typeof misfits,
): Promise<Step> {
  const forPerson = misfits[misfit](displayAmount(amountMinor, currency))
  const operation: Operation = { ...reported, currency, outcome: 'not_sent', forPerson }
  const { transaction } = sale
  ports.alert(forPerson, { transaction: transaction.id, refund: gatewayRef })
  return write(ports, withOperation(sale, operation), {
    before: transaction,
    after: transaction,
    reported: [operation],
  })
}

/** What stood in its way may be gone by now, and nobody has dismissed it: then it is a refund like any other. */
async function writeKept(
  ports: Ports,
  sale: Sale,
  charge: Operation,
  reported: ReportedPayment,
  refund: ReportedRefund,
  before: Operation,
): Promise<Step> {
  if (before.forPerson === null) return sale
  if (refund.state === 'failed') return forget(ports, sale, before)
  const amountMinor = before.amountMinor - outsideMinor(sale, charge, reported, refund)
  if (amountMinor === 0n) return forget(ports, sale, before, outsideBooks)
  const fits = whileNotMade(sale, charge, reported) === null && howItFits(sale, { ...refund, amountMinor }) === 'now'
  if (!fits) return sale
  const settled = { amountMinor, outcome: 'succeeded', settledAt: ports.now() } as const
  const operation: Operation = { ...before, ...stillToAnswer(before), ...settled }
  const transaction = refundSucceeded(refundReserved(sale.transaction, amountMinor), amountMinor)
  const after = withOperation({ ...sale, transaction }, operation)
  return write(ports, after, {
    before: sale.transaction,
    after: transaction,
    revises: { before, operation },
    event: owedEvent(ports, after, 'update', 'refund', 'refund', { refund: operation }),
  })
}

/** It failed there before anybody accepted it, or gives back nothing of ours: no money has moved, and nobody has to see to it. */
async function forget(ports: Ports, sale: Sale, before: Operation, cause = before.cause): Promise<Step> {
  const operation: Operation = { ...before, ...stillToAnswer(before), cause }
  const { transaction } = sale
  const change = { before: transaction, after: transaction, revises: { before, operation } }
  return write(ports, withOperation(sale, operation), change)
}

/** Written by `keepForPerson`, whatever the person has decided since: it was never sent by us. */
function isWithPerson({ outcome, sendings }: Operation): boolean {
  return outcome === 'not_sent' && sendings === 0
}

const misfits = {
  never: (amount: string) => `The gateway reports a refund of ${amount}, which is more than is left of the payment.`,
  second: (amount: string) =>
    `The gateway reports a second refund of ${amount} under the id of one of ours. If the customer got both, accept it; else put it right there and dismiss it.`,
  after_a_person: (amount: string) =>
    `The gateway reports a refund of ${amount}, which cannot be written before a person has settled what is in its way.`,
} as const

function howItFits(sale: Sale, refund: ReportedRefund): 'now' | 'not_now' | keyof typeof misfits {
  const { amountMinor, currency } = refund
  const { transaction } = sale
  if (isSecond(sale, refund)) return 'second'
  if (transaction.status === 'Authorized') return onceFree(sale) // a capture of ours is still open
  const { capturedMinor, refundedMinor } = transaction
  if (currency !== transaction.currency || amountMinor > capturedMinor - refundedMinor) return 'never'
  return amountMinor <= refundableMinor(transaction) ? 'now' : onceFree(sale)
}

/**
 * Where only something of ours is in the way, ours will end by itself: captured, or declined, which gives its money back. What
 * a person has to end may take days, and a gateway that is put off for days stops telling anything.
 */
function onceFree({ operations }: Sale): 'not_now' | 'after_a_person' {
  const endsByItself = (each: Operation) => each.kind !== 'charge' && isOpen(each) && each.forPerson === null
  return operations.some(endsByItself) ? 'not_now' : 'after_a_person'
}

/** The bank did not take the money: it is here again. */
async function failLater(ports: Ports, sale: Sale, before: Operation): Promise<Step> {
  const operation: Operation = {
    ...before,
    ...stillToAnswer(before),
    outcome: 'declined',
    declineCode: 'processing_error',
    cause: 'The gateway reports that it failed after it had succeeded.',
    settledAt: ports.now(),
  }
  const transaction = refundFailedLater(sale.transaction, operation.amountMinor)
  const after = withOperation({ ...sale, transaction }, operation)
  return write(ports, after, {
    before: sale.transaction,
    after: transaction,
    revises: { before, operation },
    event: owedEvent(ports, after, 'update', 'refund', 'refund', { refund: operation }),
  })
}
