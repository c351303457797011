// A transaction as Braintree tells of it, read with care, and what it proves about an operation of ours.

import type { DeclineCode, Declined, OperationRequest, Succeeded, Unknown } from '../../core/gateway.ts'
import { type OperationId, parseUuid } from '../../core/ids.ts'
import { type Currency, currencyDecimals, parseCurrency } from '../../core/money.ts'
import { declineByProcessor, declineByRejection } from './declines.ts'
import { unknown } from './failures.ts'
import { isMembers, listIn, type Members, textIn } from './members.ts'

export interface BraintreeTransaction {
  readonly id: string
  readonly type: 'sale' | 'credit'
  readonly status: string
  readonly amountMinor: bigint
  readonly currency: Currency
  readonly orderId: string | null
  readonly refundedId: string | null
  readonly processorCode: string | null
  readonly rejection: string | null
  /** It was to be collected once, whatever became of that. */
  readonly wasSubmitted: boolean
  readonly createdAt: Date
  /** Null: it was not voided. */
  readonly voidedAt: Date | null
}

export function readTransaction(value: unknown): BraintreeTransaction | null {
  if (!isMembers(value)) return null
  const [id, type, status] = [wordIn(value, 'id'), textIn(value, 'type'), wordIn(value, 'status')]
  const currency = parseCurrency(textIn(value, 'currencyIsoCode') ?? '')
  const amountMinor = currency === null ? null : minorOf(textIn(value, 'amount') ?? '', currency)
  const createdAt = new Date(textIn(value, 'createdAt') ?? '')
  if (id === null || status === null || currency === null || amountMinor === null) return null
  if ((type !== 'sale' && type !== 'credit') || Number.isNaN(createdAt.getTime())) return null
  return {
    id,
    type,
    status,
    amountMinor,
    currency,
    orderId: textIn(value, 'orderId'),
    refundedId: textIn(value, 'refundedTransactionId'),
    processorCode: textIn(value, 'processorResponseCode'),
    rejection: textIn(value, 'gatewayRejectionReason'),
    wasSubmitted: isCollected(status) || historyOf(value).some(event => isCollected(event.status)),
    createdAt,
    voidedAt: status === 'voided' ? voidedAtIn(value, createdAt) : null,
  }
}

/** Short enough to be quoted. */
function wordIn(value: Members, name: string): string | null {
  const word = textIn(value, name)
  return word !== null && /^\w{1,64}$/.test(word) ? word : null
}

function historyOf(value: Members): readonly { readonly status: string; readonly timestamp: string | null }[] {
  return listIn(value, 'statusHistory').flatMap(event =>
    isMembers(event) ? [{ status: String(event.status), timestamp: textIn(event, 'timestamp') }] : [],
  )
}

/** Where its history does not say, the time at which it was made is the only one that is known. */
function voidedAtIn(value: Members, createdAt: Date): Date {
  const voided = historyOf(value).find(({ status }) => status === 'voided')
  const at = new Date(voided?.timestamp ?? '')
  return Number.isNaN(at.getTime()) ? createdAt : at
}

/** From decimal text, by its digits. Zeros beyond the currency's decimals say nothing; any other digit there is not read over. */
export function minorOf(text: string, currency: Currency): bigint | null {
  const parts = /^([0-9]{1,15})(?:\.([0-9]{1,6}))?$/.exec(text)
  if (parts === null) return null
  const [, whole = '', fraction = ''] = parts
  const decimals = currencyDecimals(currency)
  if (/[1-9]/.test(fraction.slice(decimals))) return null
  return BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'))
}

// Braintree has one free field that needs no setting up, the order id, and searches by it. It carries both ids of ours.

export function orderIdOf({ transactionId, id }: Pick<OperationRequest, 'transactionId' | 'id'>): string {
  return `${transactionId}/${id}`
}

export function operationIn(orderId: string | null): OperationId | null {
  const [transactionId = '', operationId = '', ...others] = orderId?.split('/') ?? []
  return others.length === 0 && parseUuid(transactionId) !== null ? parseUuid<OperationId>(operationId) : null
}

const collected = ['submitted_for_settlement', 'settling', 'settled', 'settlement_pending', 'settlement_confirmed']

/** It is taken, or on its way: what is submitted Braintree collects by itself. */
export function isCollected(status: string): boolean {
  return collected.includes(status)
}

/** From here on it can be given back, and no longer be voided. */
export function isSettled(status: string): boolean {
  return status === 'settling' || status === 'settled'
}

export function succeeded({ id, amountMinor, currency }: BraintreeTransaction, gatewayRef = id): Succeeded {
  return { kind: 'succeeded', gatewayRef, amountMinor, currency, feeMinor: null }
}

export function declined(code: DeclineCode): Declined {
  return { kind: 'declined', code }
}

/**
 * The gateway kept a record of having refused it: final. A duplicate is no such refusal: order ids are ours and used
 * once, so another with this one was made.
 */
export function declineOf({ status, processorCode, rejection }: BraintreeTransaction): Declined | null {
  if (status === 'processor_declined') return declined(declineByProcessor(processorCode))
  if (status === 'failed' || status === 'settlement_declined') return declined('processing_error')
  if (status === 'gateway_rejected' && rejection !== 'duplicate') return declined(declineByRejection(rejection))
  return null
}

export function isDuplicate({ status, rejection }: BraintreeTransaction): boolean {
  return status === 'gateway_rejected' && rejection === 'duplicate'
}

export function notUnderstood(): Unknown {
  return unknown('The answer of Braintree was not understood.')
}

export function inState({ id, status }: BraintreeTransaction): Unknown {
  return unknown(`Transaction ${id} at Braintree is ${status}.`)
}
