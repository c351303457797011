// An authorisation of which the gateway captured more than is written here: it can be raised there. Our books keep what was
// authorised, and the rest is a question to a person. What is given back there counts against the rest first, so that what
// is left of the payment is the same here and there.

import type { ReportedPayment, ReportedRefund } from '../gateway.ts'
import { displayAmount } from '../money.ts'
import type { Operation } from '../operation.ts'
import type { Ports } from '../ports.ts'
import type { Sale } from '../sale.ts'
import type { Transaction } from '../transaction.ts'

/** Written for a refund that gives back nothing of what is written here. */
export const outsideBooks = 'It gives back what was captured beyond what is written here.'

/** Captured there beyond what is written here, whatever was given back since. */
export function beyondMinor({ transaction }: Sale, { captured }: ReportedPayment): bigint {
  const { authorizationOnly, capturedMinor } = transaction
  if (!authorizationOnly || captured === null || capturedMinor === 0n) return 0n
  return captured.amountMinor > capturedMinor ? captured.amountMinor - capturedMinor : 0n
}

/** What is left of that after the refunds that are written here with less than they gave back. */
export function excessMinor(sale: Sale, { gatewayId }: Operation, reported: ReportedPayment): bigint {
  const minor = beyondMinor(sale, reported)
  if (minor === 0n) return 0n
  const rows = new Map(refundsAt(sale, gatewayId).map(row => [row.gatewayRef, row]))
  const given = (refund: ReportedRefund) => outsideMinor(sale.transaction, refund, rows.get(refund.gatewayRef))
  const leftMinor = reported.refunds.reduce((left, refund) => left - given(refund), minor)
  return leftMinor > 0n ? leftMinor : 0n
}

function refundsAt({ operations }: Sale, gatewayId: Operation['gatewayId']): Operation[] {
  return operations.filter(each => each.kind === 'refund' && each.gatewayId === gatewayId)
}

function outsideMinor({ currency }: Transaction, refund: ReportedRefund, row: Operation | undefined): bigint {
  if (row === undefined || refund.state !== 'succeeded' || refund.currency !== currency) return 0n
  if (isOutside(row)) return refund.amountMinor
  return row.outcome === 'succeeded' ? refund.amountMinor - row.amountMinor : 0n
}

/** It moved no money here, and waits for nobody: so it was written, or a person has dismissed it. */
function isOutside({ outcome, sendings, forPerson }: Operation): boolean {
  return outcome === 'not_sent' && sendings === 0 && forPerson === null
}

/** Listed and told, once. */
export async function keepExcess(
  ports: Ports,
  sale: Sale,
  charge: Operation,
  reported: ReportedPayment,
): Promise<Sale> {
  const minor = excessMinor(sale, charge, reported)
  const capture = sale.operations.find(({ kind, outcome }) => kind === 'capture' && outcome === 'succeeded')
  if (minor === 0n || capture === undefined) return sale
  const sentence = excessSentence(sale, charge, reported, minor)
  const isNews = await ports.store.keepForPerson(capture, sentence)
  if (isNews) ports.alert(sentence, { transaction: capture.transactionId, operation: capture.id })
  return sale
}

function excessSentence(sale: Sale, { gatewayId }: Operation, reported: ReportedPayment, minor: bigint): string {
  const { capturedMinor, currency } = sale.transaction
  const shown = (amountMinor: bigint) => displayAmount(amountMinor, currency)
  const [all, ours, rest] = [shown(capturedMinor + beyondMinor(sale, reported)), shown(capturedMinor), shown(minor)]
  const rows = refundsAt(sale, gatewayId).filter(isOutside)
  const failed = reported.refunds.find(
    ({ state, gatewayRef }) => state === 'failed' && rows.some(row => row.gatewayRef === gatewayRef),
  )
  // It may have been dismissed when the difference was given back: that it came back to the merchant is news.
  return failed === undefined
    ? `The gateway captured ${all}, and ${ours} of it is written here. Give the difference of ${rest} back there, or keep it outside these books; then dismiss this.`
    : `The gateway captured ${all}, and ${ours} of it is written here. The refund ${failed.gatewayRef} of the difference failed there, and ${rest} of it is left. Give that back there, or keep it outside these books; then dismiss this.`
}
