// The table of answers to an operation that moves money: which state gives which status. One place, so that a request,
// its repetition under the same key and a recovery after a crash all say the same.

import { actionSays } from './further-action.ts'
import { declineCodes, notSentSentence } from './gateway.ts'
import type { Json } from './offer.ts'
import { isOpen, type Operation } from './operation.ts'
import { transactionRecord } from './record.ts'
import type { Sale, ServiceFacts } from './sale.ts'
import type { FailureCode } from './transaction.ts'

export interface Errors {
  readonly [field: string]: string
}
export interface AnswerBody {
  readonly transaction: { [key: string]: Json } | null
  readonly errors: Errors | null
}
export interface Answer {
  readonly status: number
  readonly body: AnswerBody
}

/** Refused before a record exists: nothing was written. Each entry is one sentence about one field. */
export function refusal(status: 404 | 409 | 422, errors: Errors): Answer {
  return { status, body: { transaction: null, errors } }
}

/** A failure's status; every other code is the gateway's decline. */
const failureStatus: { readonly [code in FailureCode]?: number } = {
  pre_sale_stopped: 409,
  pre_sale_error: 424,
  gateway_not_reached: 502,
  gateway_credentials_refused: 502,
  gateway_account_suspended: 502,
  gateway_busy: 502,
  gateway_refused: 502,
  gateway_no_answer: 502,
  interrupted: 502,
  offer_inactive: 422,
  offer_expired: 422,
  offer_used_up: 422,
  offer_for_another: 422,
  gateway_inactive: 422,
  asked_again: 422,
}
const declinedStatus = 402

export function chargeAnswer(sale: Sale, service: ServiceFacts): Answer {
  const { status, failure } = sale.transaction
  const transaction = transactionRecord(sale, service)
  if (failure !== null) {
    const body = { transaction, errors: { general: failure.sentence } }
    return { status: failureStatus[failure.code] ?? declinedStatus, body }
  }
  if (status === 'Further Action Required') {
    return { status: 202, body: { transaction, errors: { general: actionSays(sale.transaction) } } }
  }
  return { status: status === 'Processing' ? 202 : 200, body: { transaction, errors: null } }
}

/** A refund, capture or void answers by what became of the operation; the record says where that left the transaction. */
export function followUpAnswer(sale: Sale, operation: Operation, service: ServiceFacts): Answer {
  const transaction = transactionRecord(sale, service)
  if (operation.outcome === 'succeeded') return { status: 200, body: { transaction, errors: null } }
  if (isOpen(operation)) return { status: 202, body: { transaction, errors: null } }
  if (operation.outcome === 'declined') {
    const general = declineCodes[operation.declineCode ?? 'processing_error']
    return { status: declinedStatus, body: { transaction, errors: { general } } }
  }
  const general = notSentSentence(operation.notSentCode ?? 'gateway_not_reached', operation.kind)
  return { status: 502, body: { transaction, errors: { general } } }
}
