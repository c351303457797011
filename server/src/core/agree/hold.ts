// What became of an authorisation: captured or released at the gateway itself, expired there, or by what we asked.

import type { ReportedPayment } from '../gateway.ts'
import { displayAmount } from '../money.ts'
import { isOpen, type Operation, settled } from '../operation.ts'
import type { Ports } from '../ports.ts'
import type { Sale } from '../sale.ts'
import { keepContrary } from '../settle.ts'
import { captureSucceeded, voidSucceeded } from '../transaction.ts'
import { whileNotMade } from './charge.ts'
import { beyondMinor } from './excess.ts'
import { agreeOnOurs } from './ours.ts'
import { reportedOperation, type Step, writeReported } from './step.ts'

/** How an authorisation ended, in the words of an operation. */
interface End {
  readonly kind: 'capture' | 'void'
  readonly amountMinor: bigint
  readonly gatewayRef: string
  readonly feeMinor: bigint | null
}

export async function agreeOnHold(
  ports: Ports,
  sale: Sale,
  charge: Operation,
  reported: ReportedPayment,
): Promise<Step> {
  const { transaction } = sale
  const end = endIn(sale, charge, reported)
  if (!transaction.authorizationOnly || end === null) return sale
  const notMade = whileNotMade(sale, charge, reported)
  if (notMade !== null) return notMade
  if (beyondMinor(sale, reported) > 0n) return sale // what is beyond is kept for a person, after refunds of it
  if (transaction.status !== 'Authorized') return agreeOnEnded(ports, sale, end)
  const open = sale.operations.find(each => each.kind !== 'charge' && isOpen(each))
  return open === undefined ? writeEnd(ports, sale, charge, withinHeld(sale, end)) : agreeOnOpen(ports, sale, open, end)
}

/** More can be captured there than was authorised here: no more than that is written. */
function withinHeld({ transaction }: Sale, end: End): End {
  const { heldMinor } = transaction
  return end.amountMinor > heldMinor ? { ...end, amountMinor: heldMinor } : end
}

function endIn({ transaction }: Sale, charge: Operation, { captured, released }: ReportedPayment): End | null {
  if (captured !== null) return { kind: 'capture', ...captured }
  // A release has no name of its own there: it is the charge that says so.
  const gatewayRef = charge.gatewayRef ?? charge.id
  return released ? { kind: 'void', amountMinor: transaction.heldMinor, gatewayRef, feeMinor: null } : null
}

/**
 * An authorisation ends once: if it ended just as we asked, our asking is settled. Else ours will be declined, and comes first. Where that waits for a
 * person, the gateway is asked for the whole payment after their decision (recheck.ts).
 */
async function agreeOnOpen(ports: Ports, sale: Sale, open: Operation, end: End): Promise<Step> {
  const isAsAsked = open.kind === end.kind && open.amountMinor === end.amountMinor
  if (!isAsAsked) return open.forPerson === null ? 'not_now' : sale
  const { kind: _, ...did } = end
  return agreeOnOurs(ports, sale, open, { kind: 'succeeded', ...did, currency: open.currency })
}

async function writeEnd(ports: Ports, sale: Sale, charge: Operation, end: End): Promise<Step> {
  const { transaction } = sale
  const { kind, amountMinor, gatewayRef, feeMinor } = end
  if (amountMinor <= 0n) {
    alertOf(ports, sale, `The gateway reports a capture of ${said(sale, end)}, which takes nothing.`)
    return sale
  }
  const after = kind === 'capture' ? captureSucceeded(transaction, amountMinor, feeMinor) : voidSucceeded(transaction)
  const ours = sale.operations.find(each => isMadeAfterAll(each, end))
  if (ours === undefined) {
    return writeReported(ports, sale, after, reportedOperation(ports, charge, { kind, amountMinor, gatewayRef }))
  }
  const cause = 'Reported by the gateway after it was settled as not made.'
  const operation = settled(ours, 'succeeded', ports.now(), { gatewayRef, notSentCode: null, cause })
  return writeReported(ports, sale, after, operation, ours)
}

/**
 * A person said that ours was not made, and the gateway has not proven that: then it is ours that was carried out. As a second
 * operation the next recheck would report the same money as a late success.
 */
function isMadeAfterAll(ours: Operation, { kind, amountMinor, gatewayRef }: End): boolean {
  const isNotProven = ours.outcome === 'not_sent' && (ours.nextAskAt !== null || ours.forPerson !== null)
  const isNamedSo = ours.gatewayRef === null || ours.gatewayRef === gatewayRef
  return isNotProven && isNamedSo && ours.kind === kind && ours.amountMinor === amountMinor
}

/** It has ended here, too. If it ended otherwise, only a person can say what is true. */
async function agreeOnEnded(ports: Ports, sale: Sale, end: End): Promise<Sale> {
  const { status, capturedMinor } = sale.transaction
  const isSame = end.kind === 'void' ? status === 'Voided' : end.amountMinor === capturedMinor
  if (isSame) return sale
  const sentence = `The gateway reports a ${end.kind} of ${said(sale, end)} for what is ${status}.`
  alertOf(ports, sale, sentence)
  const ours = sale.operations.find(
    ({ kind, outcome }) => (kind === 'capture' || kind === 'void') && outcome === 'succeeded',
  )
  if (ours !== undefined) await keepContrary(ports, ours, sentence)
  return sale
}

function said({ transaction }: Sale, { kind, amountMinor }: End): string {
  return displayAmount(kind === 'void' ? transaction.amountMinor : amountMinor, transaction.currency)
}

function alertOf(ports: Ports, { transaction }: Sale, sentence: string): void {
  ports.alert(sentence, { transaction: transaction.id })
}
