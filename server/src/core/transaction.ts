// transaction: one attempt to collect an offer. Its states are drawn here once; a trigger in the database holds the
// same arrows, and a test compares the two.
//
//   Processing -> Successful | Authorized | Failed | Further Action Required
//   Further Action Required -> Processing | Successful | Authorized | Failed
//   Authorized -> Successful (captured) | Voided
//   Successful | Partially Refunded | Refunded: whichever the sum of succeeded refunds says
//   Failed -> Successful | Authorized (a late success, accepted by a person)

import { type DeclineCode, type NotSentCode, notSentSentence } from './gateway.ts'
import type { CardToken, CustomerId, GatewayId, MerchantId, OfferId, TransactionId } from './ids.ts'
import type { Currency } from './money.ts'
import type { Entered } from './people.ts'

export const arrows = {
  Processing: ['Successful', 'Authorized', 'Failed', 'Further Action Required'],
  'Further Action Required': ['Processing', 'Successful', 'Authorized', 'Failed'],
  Authorized: ['Successful', 'Voided'],
  Successful: ['Partially Refunded', 'Refunded'],
  'Partially Refunded': ['Successful', 'Refunded'],
  Refunded: ['Successful', 'Partially Refunded'],
  Voided: [],
  Failed: ['Successful', 'Authorized'],
} as const satisfies Record<string, readonly string[]>

export type TransactionStatus = keyof typeof arrows
export const transactionStatuses = Object.keys(arrows) as readonly TransactionStatus[]

export const sources = ['Web Transaction', 'Email Transaction'] as const
export type Source = (typeof sources)[number]

/** Why a transaction failed, beyond what a gateway's decline says. Stable: merchants build on these. */
export const failureCodes = {
  gateway_not_reached: notSentSentence('gateway_not_reached', 'charge'),
  gateway_credentials_refused: notSentSentence('gateway_credentials_refused', 'charge'),
  gateway_account_suspended: notSentSentence('gateway_account_suspended', 'charge'),
  gateway_busy: notSentSentence('gateway_busy', 'charge'),
  gateway_refused: notSentSentence('gateway_refused', 'charge'),
  pre_sale_stopped: 'The merchant stopped the sale before the card was charged.',
  pre_sale_error: 'The merchant could not be asked before the sale, so the card was not charged.',
  gateway_no_answer: 'The payment gateway did not carry the charge out in time; the card was not charged.',
  interrupted: 'Processing was interrupted before the card was charged.',
  action_expired: 'The customer did not complete the payment in time; the card was not charged.',
  offer_inactive: 'The offer is not active any more; nothing was charged.',
  offer_expired: 'The offer has expired; nothing was charged.',
  offer_used_up: 'The offer is used up; nothing was charged.',
  offer_for_another: 'The offer is for another customer; nothing was charged.',
  gateway_inactive: 'The payment gateway is not active; nothing was charged.',
  asked_again: 'Another copy of the same mail took its place; nothing was charged.',
} as const satisfies Record<NotSentCode, string> & { readonly [code: string]: string }
export type FailureCode = keyof typeof failureCodes | DeclineCode

/**
 * What a payment by mail wants of its customer before anything can be charged: that they prove to be who wrote, a card, an
 * answer that the offer requires, that they confirm it on a page, or their word for more than they may pay by mail.
 */
export const wants = ['proof', 'card', 'field', 'confirmation', 'limit'] as const
export type Want = (typeof wants)[number]

export interface Failure {
  readonly code: FailureCode
  readonly sentence: string
}

/** Whether the merchant was asked before the sale, and what came of it. */
export type PreSaleResult = 'not_asked' | 'asked' | 'passed' | 'stopped' | 'error'

export interface Transaction {
  readonly merchantId: MerchantId
  readonly id: TransactionId
  readonly createdAt: Date
  readonly status: TransactionStatus
  readonly source: Source
  readonly offerId: OfferId
  readonly customerId: CustomerId
  /** Null: no card is at hand, and nothing was charged. */
  readonly cardToken: CardToken | null
  /** SHA-256 of the box of the token that a mail asked for it with, in hex; null: it was asked for in another way. */
  readonly tokenSha256: string | null
  readonly gatewayId: GatewayId
  readonly currency: Currency
  readonly unitPriceMinor: bigint
  readonly quantity: number
  readonly amountMinor: bigint
  readonly netAmountMinor: bigint | null
  readonly authorizationOnly: boolean
  readonly referrerContext: string | null
  /** Null: it did not come from a page of ours, or its customer was erased. */
  readonly entered: Entered | null
  readonly preSale: PreSaleResult
  readonly failure: Failure | null
  /** Authorised and not yet captured or released. */
  readonly heldMinor: bigint
  readonly capturedMinor: bigint
  /** Refunds that are pending or in doubt: promised, so that no other refund can have the same money. */
  readonly refundReservedMinor: bigint
  readonly refundedMinor: bigint
  readonly actionExpiresAt: Date | null
  /** Null: nothing, or the bank's own step. Until it is given, neither units nor a token are taken. */
  readonly actionWants: Want | null
  /** A mailto link that goes on with it. */
  readonly actionMailTo: string | null
  /** Counts the writes: a change is committed only over the version it was decided on. */
  readonly version: number
}

/** What is held or taken and not given back. */
export function balanceMinor(transaction: Transaction): bigint {
  return transaction.heldMinor + transaction.capturedMinor - transaction.refundedMinor
}

export function refundableMinor(transaction: Transaction): bigint {
  return transaction.capturedMinor - transaction.refundedMinor - transaction.refundReservedMinor
}

function moved(transaction: Transaction, status: TransactionStatus, change: Partial<Transaction>): Transaction {
  const drawn: readonly TransactionStatus[] = arrows[transaction.status]
  if (status !== transaction.status && !drawn.includes(status)) {
    throw new Error(`no arrow from ${transaction.status} to ${status}`)
  }
  return sound({ ...transaction, actionWants: null, actionMailTo: null, ...change, status })
}

/** The database's constraints, held here too: a step that would break them is a bug, and stops before it is written. */
function sound(transaction: Transaction): Transaction {
  const { status, heldMinor, capturedMinor, refundReservedMinor, refundedMinor, failure, actionExpiresAt } = transaction
  const { actionWants, actionMailTo, cardToken } = transaction
  const within = (minor: bigint, max: bigint) => minor >= 0n && minor <= max
  const holds =
    within(heldMinor, transaction.amountMinor) &&
    within(capturedMinor, transaction.amountMinor) &&
    within(refundReservedMinor, capturedMinor) &&
    within(refundedMinor, capturedMinor - refundReservedMinor) &&
    moneyFits(transaction) &&
    (status === 'Failed') === (failure !== null) &&
    (status === 'Further Action Required') === (actionExpiresAt !== null) &&
    (actionWants === null || status === 'Further Action Required') &&
    (actionMailTo === null || actionWants !== null) &&
    (cardToken !== null || withoutCard.includes(status))
  if (!holds) throw new Error(`transaction ${transaction.id}: its money or facts do not fit ${status}`)
  return transaction
}

/** Nothing was charged, or can be before a card is there. */
const withoutCard: readonly TransactionStatus[] = ['Processing', 'Further Action Required', 'Failed']

function moneyFits({ status, amountMinor, heldMinor, capturedMinor, refundedMinor }: Transaction): boolean {
  switch (status) {
    case 'Authorized':
      return heldMinor === amountMinor && capturedMinor === 0n
    case 'Successful':
      return heldMinor === 0n && capturedMinor > 0n && refundedMinor === 0n
    case 'Partially Refunded':
      return heldMinor === 0n && refundedMinor > 0n && refundedMinor < capturedMinor
    case 'Refunded':
      return heldMinor === 0n && capturedMinor > 0n && refundedMinor === capturedMinor
    default:
      return heldMinor === 0n && capturedMinor === 0n
  }
}

export function chargeSucceeded(transaction: Transaction, feeMinor: bigint | null): Transaction {
  const settled = { failure: null, actionExpiresAt: null }
  if (transaction.authorizationOnly) {
    return moved(transaction, 'Authorized', { ...settled, heldMinor: transaction.amountMinor })
  }
  const netAmountMinor = feeMinor === null ? null : transaction.amountMinor - feeMinor
  return moved(transaction, 'Successful', { ...settled, capturedMinor: transaction.amountMinor, netAmountMinor })
}

export function chargeFailed(transaction: Transaction, failure: Failure): Transaction {
  return moved(transaction, 'Failed', { failure, actionExpiresAt: null })
}

export function customerMustAct(transaction: Transaction, actionExpiresAt: Date): Transaction {
  return moved(transaction, 'Further Action Required', { actionExpiresAt })
}

/** Before anything can be charged. */
export function customerMustGive(
  transaction: Transaction,
  wanted: { readonly wants: Want; readonly mailTo: string | null; readonly until: Date },
): Transaction {
  const { wants, mailTo, until } = wanted
  const action = { actionExpiresAt: until, actionWants: wants, actionMailTo: mailTo }
  return moved(transaction, 'Further Action Required', action)
}

/** What it wanted is there: it goes on, with the card that its customer gave. */
export function goesOn(
  transaction: Transaction,
  given: Pick<Transaction, 'customerId' | 'cardToken' | 'gatewayId' | 'entered'>,
): Transaction {
  return moved(transaction, 'Processing', { ...given, actionExpiresAt: null })
}

/** Capturing less than was authorised releases the rest. */
export function captureSucceeded(transaction: Transaction, amountMinor: bigint, feeMinor: bigint | null): Transaction {
  const netAmountMinor = feeMinor === null ? null : amountMinor - feeMinor
  return moved(transaction, 'Successful', { heldMinor: 0n, capturedMinor: amountMinor, netAmountMinor })
}

export function voidSucceeded(transaction: Transaction): Transaction {
  return moved(transaction, 'Voided', { heldMinor: 0n })
}

export function refundReserved(transaction: Transaction, amountMinor: bigint): Transaction {
  if (amountMinor > refundableMinor(transaction)) throw new Error('a refund of more than is left')
  return sound({ ...transaction, refundReservedMinor: transaction.refundReservedMinor + amountMinor })
}

export function refundSucceeded(transaction: Transaction, amountMinor: bigint): Transaction {
  const refundedMinor = transaction.refundedMinor + amountMinor
  const status = refundedMinor === transaction.capturedMinor ? 'Refunded' : 'Partially Refunded'
  return moved(refundReleased(transaction, amountMinor), status, { refundedMinor })
}

/** A bank may send a refund back, long after it had succeeded. */
export function refundFailedLater(transaction: Transaction, amountMinor: bigint): Transaction {
  const refundedMinor = transaction.refundedMinor - amountMinor
  return moved(transaction, refundedMinor === 0n ? 'Successful' : 'Partially Refunded', { refundedMinor })
}

export function refundReleased(transaction: Transaction, amountMinor: bigint): Transaction {
  return sound({ ...transaction, refundReservedMinor: transaction.refundReservedMinor - amountMinor })
}
