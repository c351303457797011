// What the audit holds a transaction's money against: the operations that moved it. Each fault is one sentence.

import type { OperationKind } from '../gateway.ts'
import { type Currency, displayAmount } from '../money.ts'
import type { OperationOutcome } from '../operation.ts'
import type { PreSaleResult, TransactionStatus } from '../transaction.ts'

export interface BookedOperation {
  readonly id: string
  readonly kind: OperationKind
  readonly gatewayId: string
  readonly outcome: OperationOutcome
  readonly amountMinor: bigint
  /** Somebody asks about it again, or a person was told that nobody can. */
  readonly followed: boolean
  /** Still pending two minutes after its lease ended. */
  readonly isOverdue: boolean
}

export interface BookedTransaction {
  readonly status: TransactionStatus
  readonly gatewayId: string
  readonly currency: Currency
  readonly authorizationOnly: boolean
  readonly capturedMinor: bigint
  readonly refundedMinor: bigint
  readonly refundReservedMinor: bigint
  readonly preSale: PreSaleResult
  /** Its process may still be at work on it, or the sweeper had no time yet. */
  readonly inHand: boolean
  /** Oldest first. */
  readonly operations: readonly BookedOperation[]
  /** What it names and the merchant does not have: "offer", "card". */
  readonly absent: readonly string[]
}

export function faultsOfBooks(transaction: BookedTransaction): string[] {
  const faults = [absentFaults, sumFaults, stateFaults, gatewayFaults, openFaults]
  return faults.flatMap(faultsOf => faultsOf(transaction))
}

/** No key of the database holds these: every charge would lock the same few rows. */
function absentFaults({ absent }: BookedTransaction): string[] {
  return absent.map(what => `names ${what === 'offer' ? 'an' : 'a'} ${what} that is not there.`)
}

const isOpen = ({ outcome }: BookedOperation) => outcome === 'pending' || outcome === 'unknown'
const hasSucceeded = ({ outcome }: BookedOperation) => outcome === 'succeeded'

function sumFaults(transaction: BookedTransaction): string[] {
  const { currency, authorizationOnly, operations } = transaction
  const sum = (which: (operation: BookedOperation) => boolean) =>
    operations.filter(which).reduce((total, { amountMinor }) => total + amountMinor, 0n)
  const takes = ({ kind }: BookedOperation) => kind === 'capture' || (kind === 'charge' && !authorizationOnly)
  const isRefund = ({ kind }: BookedOperation) => kind === 'refund'
  const sums: readonly [string, bigint, bigint][] = [
    ['captured', transaction.capturedMinor, sum(each => hasSucceeded(each) && takes(each))],
    ['refunded', transaction.refundedMinor, sum(each => hasSucceeded(each) && isRefund(each))],
    ['reserved for refunds', transaction.refundReservedMinor, sum(each => isOpen(each) && isRefund(each))],
  ]
  return sums.flatMap(([what, says, follows]) => {
    const [said, followed] = [displayAmount(says, currency), displayAmount(follows, currency)]
    return says === follows ? [] : [`has ${said} ${what}, and its operations come to ${followed}.`]
  })
}

const charged: readonly TransactionStatus[] = ['Successful', 'Authorized', 'Voided', 'Partially Refunded', 'Refunded']

function stateFaults({ status, preSale, operations }: BookedTransaction): string[] {
  const charges = operations.filter(each => each.kind === 'charge' && hasSucceeded(each)).length
  const owed = charged.includes(status) ? 1 : 0
  const isVoided = operations.some(each => each.kind === 'void' && hasSucceeded(each))
  const wasRefused = preSale === 'stopped' || preSale === 'error'
  return [
    ...(charges === owed ? [] : [`is ${status}, and has ${charges} charges that succeeded.`]),
    ...(isVoided && status !== 'Voided' ? [`is ${status}, and a void of it succeeded.`] : []),
    ...(wasRefused && operations.length > 0 ? ['was not let through by Pre-Sale, and the gateway was called.'] : []),
  ]
}

/**
 * A sale may have been tried at one gateway after the other. What follows goes where the money is: to the one whose charge
 * was made, or else was tried last.
 */
function gatewayFaults({ gatewayId, operations }: BookedTransaction): string[] {
  const charges = operations.filter(({ kind }) => kind === 'charge')
  const charge = charges.find(hasSucceeded) ?? charges.at(-1)
  if (charge === undefined || charge.gatewayId === gatewayId) return []
  return [`is at gateway ${gatewayId}, and its charge ${charge.id} is at ${charge.gatewayId}.`]
}

/** Nothing that is open may be nobody's. */
function openFaults({ status, inHand, operations }: BookedTransaction): string[] {
  const open = operations.filter(isOpen)
  const isNobodys = status === 'Processing' && open.length === 0 && !inHand
  return [
    ...(isNobodys ? ['is Processing, and neither a process nor an operation has it.'] : []),
    ...open
      .filter(({ followed }) => !followed)
      .map(({ id, kind }) => `has the open ${kind} ${id}, which nobody asks about.`),
    // It was sent, and nothing was written down since: what the gateway did may be missing here.
    ...open
      .filter(({ isOverdue }) => isOverdue)
      .map(
        ({ id, kind }) => `has the ${kind} ${id} still pending after its lease ended: what became of it is in doubt.`,
      ),
  ]
}
