// Which columns make each aggregate, and how a row becomes one. Names are the same but for case, so a row mostly is
// the thing; what differs is spelled out.

import type { ReportedDispute } from '../core/gateway.ts'
import type { Offer } from '../core/offer.ts'
import type { Operation } from '../core/operation.ts'
import type { Card, Customer, Merchant } from '../core/people.ts'
import type { FailureCode, Transaction } from '../core/transaction.ts'
import type { Scope } from './database.ts'

type Row = Record<string, unknown>

export const merchantColumns = ['merchant_id', 'partner', 'partner_id', 'name', 'email', 'currency'] as const
export const customerColumns = ['id', 'email', 'first_name', 'last_name', 'sms_number', 'billing', 'shipping'] as const
export const cardColumns = [
  ...['token', 'customer_id', 'gateway_id', 'card_ref', 'mask', 'type', 'expiry_month', 'expiry_year', 'removed_at'],
  ...['created_at', 'consented_at', 'confirmed_at', 'remove_at'],
] as const
export const offerColumns = [
  ...['merchant_id', 'id', 'created_at', 'title', 'details', 'amount_minor', 'amount_given', 'currency', 'ref_id'],
  ...['campaign', 'tag', 'form', 'stock_left', 'expires_at', 'gateway_id', 'page_url', 'custom_fields', 'address'],
  ...['custom_user_data', 'fulfillment', 'email', 'authorization_only', 'custom_data', 'token_content', 'active'],
] as const
export const transactionColumns = [
  ...['merchant_id', 'id', 'created_at', 'status', 'source', 'offer_id', 'customer_id', 'card_token', 'gateway_id'],
  ...['token_sha256', 'action_wants', 'action_mail_to'],
  ...['currency', 'unit_price_minor', 'quantity', 'amount_minor', 'net_amount_minor', 'authorization_only'],
  ...['referrer_context', 'entered', 'pre_sale', 'failure_code', 'failure_sentence', 'held_minor', 'captured_minor'],
  ...['refund_reserved_minor', 'refunded_minor', 'action_expires_at', 'version'],
] as const
export const operationColumns = [
  ...[
    'merchant_id',
    'id',
    'transaction_id',
    'kind',
    'gateway_id',
    'card_ref',
    'amount_minor',
    'currency',
    'created_at',
  ],
  ...['outcome', 'sendings', 'asks', 'next_ask_at', 'gateway_ref', 'decline_code', 'not_sent_code', 'cause'],
  ...['settled_at', 'for_person', 'more_for_person', 'refunded_by', 'refunded_reason', 'request'],
] as const

/**
 * Still pending two minutes after the lease that was taken first, on the clock of leases: in doubt. For `where`: found by the
 * index of what is to be asked, which all that is pending is in. `of`: the table's name or alias.
 */
export function overdue(sql: Scope, of = 'operation') {
  const [outcome, nextAskAt, overdueAt] = ['outcome', 'next_ask_at', 'overdue_at'].map(name => sql(`${of}.${name}`))
  return sql`${outcome} = 'pending' and ${nextAskAt} is not null and ${overdueAt} <= now()`
}

/** The same as a value. */
export function isOverdue(sql: Scope, of = 'operation') {
  return sql`coalesce(${overdue(sql, of)}, false)`
}

/** All of an operation, for `select` and `returning`. */
export function wholeOperation(sql: Scope, of = 'operation') {
  return sql`${sql(operationColumns.map(name => `${of}.${name}`))}, ${isOverdue(sql, of)} as is_overdue`
}

export function merchantFrom({ merchantId, partnerId, ...rest }: Row): Merchant {
  return { ...rest, id: merchantId, partnerId: Number(partnerId) } as Merchant
}

export function customerFrom(row: Row): Customer {
  return row as unknown as Customer
}

export function cardFrom(row: Row): Card {
  return row as unknown as Card
}

export function offerFrom(row: Row): Offer {
  return row as unknown as Offer
}

export function transactionFrom({ failureCode, failureSentence, tokenSha256, ...rest }: Row): Transaction {
  const failure = failureCode === null ? null : { code: failureCode as FailureCode, sentence: failureSentence }
  return { ...rest, tokenSha256: (tokenSha256 as Buffer | null)?.toString('hex') ?? null, failure } as Transaction
}

/** Operations come as JSON inside their transaction's row, so that both are of one snapshot: amounts and times come as text. */
export function operationFromJson(json: Row): Operation {
  const time = (value: unknown) => (value === null ? null : new Date(String(value)))
  return {
    merchantId: json.merchant_id,
    transactionId: json.transaction_id,
    id: json.id,
    kind: json.kind,
    gatewayId: json.gateway_id,
    cardRef: json.card_ref,
    amountMinor: BigInt(String(json.amount_minor)),
    currency: json.currency,
    createdAt: time(json.created_at),
    outcome: json.outcome,
    sendings: json.sendings,
    asks: json.asks,
    nextAskAt: time(json.next_ask_at),
    gatewayRef: json.gateway_ref,
    declineCode: json.decline_code,
    notSentCode: json.not_sent_code,
    cause: json.cause,
    settledAt: time(json.settled_at),
    forPerson: json.for_person,
    moreForPerson: json.more_for_person,
    refundedBy: json.refunded_by,
    refundedReason: json.refunded_reason,
    request: json.request,
    isOverdue: json.is_overdue,
  } as Operation
}

export function disputeFromJson(json: Row): ReportedDispute {
  return {
    gatewayRef: json.gateway_ref,
    amountMinor: BigInt(String(json.amount_minor)),
    currency: json.currency,
    status: json.status,
    reason: json.reason,
    openedAt: new Date(String(json.opened_at)),
  } as ReportedDispute
}
