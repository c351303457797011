// What a gateway says, made fit to be written down. A gateway writes texts, numbers, codes and times of its own; none of them
// may keep an outcome from being committed. This is the one place where they pass, on their way from an adapter to a commit.
//
//   what is written                       what could refuse it                      what keeps it from that
//   event.details                         a check of its size                       cut (serialise-details.ts); no check
//   event.details, a key's answer,        NUL, half a character                     JSON.stringify escapes both; the
//     pre_sale_request.details                                                      columns are text, not jsonb
//   operation.cause, for_person;          NUL, half a character, length, jsonb      keptLine (kept-text.ts), twenty lines
//     ask.heard (jsonb); reasons
//   operation.more_for_person             the same, and their number                the same, twenty (for-person.ts)
//   operation.gateway_ref                 NUL, half a character, an index entry     storableRef: 1 to 255 visible characters
//                                         of more than 2,704 bytes, emptiness
//   operation_one_refund_each (unique)    two refunds under one name                left to a person without the name
//                                                                                   (settle.ts)
//   operation.decline_code                a code that is none of ours               processing_error
//   transaction.net_amount_minor          a fee beyond bigint, or below nothing     not known (null); a fee of more than the
//                                                                                   amount stays, and the net is below nothing
//   amount, currency of an answer         never written: compared with what was asked, and told in a sentence
//   operation of a reported refund        an amount of nothing, below it, or        nothing: not written. Beyond bigint:
//                                         beyond bigint; more than is left          alerted. More than is left: kept for a
//                                                                                   person (agree/refund.ts)
//   dispute (its key: gateway_ref)        as gateway_ref; an amount of nothing      storableRef; allowed; below nothing or
//                                         or beyond bigint; a time out of range;    beyond bigint: alerted; now; open
//                                         a status that is none of ours
//   operation.next_ask_at                 a Retry-After of years, or no number      an hour at most (doubt.ts); left out
//   transaction's arrows and money        moved only by core/transaction.ts, which holds the same rules

import {
  type DeclineCode,
  declineCodes,
  disputeStatuses,
  type GatewayOutcome,
  type LookupOutcome,
  type ReportedDispute,
  type ReportedPayment,
  type ReportedRefund,
} from './gateway.ts'
import type { OperationId } from './ids.ts'
import { keptLine } from './kept-text.ts'
import { parseCurrency } from './money.ts'

const refCharsMax = 255

/** A bigint of the database. */
const largestMinor = 2n ** 63n - 1n

/** `ownId` stands in for a name that is none: unique, and it says whose it is. */
export function storableRef(ref: unknown, ownId: string): string {
  const text = typeof ref === 'string' ? keptLine(ref, refCharsMax) : ''
  return text === '' ? `operation:${ownId}` : text
}

function storableFee(feeMinor: unknown): bigint | null {
  return typeof feeMinor === 'bigint' && feeMinor >= 0n && feeMinor <= largestMinor / 2n ? feeMinor : null
}

function storableCode(code: string): DeclineCode {
  return Object.hasOwn(declineCodes, code) ? (code as DeclineCode) : 'processing_error'
}

export function storableAnswer<Answer extends GatewayOutcome | LookupOutcome>(answer: Answer, id: OperationId): Answer {
  switch (answer.kind) {
    case 'succeeded':
      return { ...answer, gatewayRef: storableRef(answer.gatewayRef, id), feeMinor: storableFee(answer.feeMinor) }
    case 'further_action':
      return { ...answer, gatewayRef: storableRef(answer.gatewayRef, id) }
    case 'declined':
      return { ...answer, code: storableCode(answer.code) }
    case 'not_sent':
    case 'unknown':
      return { ...answer, retryAfterMs: storableWait(answer.retryAfterMs) }
    default:
      return answer
  }
}

function storableWait(ms: number | undefined): number | undefined {
  return ms !== undefined && ms >= 0 && Number.isFinite(ms) ? ms : undefined
}

/** With what cannot be written told as a sentence each. */
export interface StorablePayment {
  readonly payment: ReportedPayment
  readonly unstorable: readonly string[]
}

export function storablePayment(said: ReportedPayment, now: Date): StorablePayment {
  const { charge, captured, operationId: id } = said
  const refunds = said.refunds.filter(isStorable).map(refund => ({ ...refund, gatewayRef: refOf(refund) }))
  const disputes = said.disputes.filter(isStorable).map(dispute => storableDispute(dispute, now))
  const unstorable = [
    ...said.refunds.filter(each => !isStorable(each)).map(each => sentenceOf('refund', each)),
    ...said.disputes.filter(each => !isStorable(each)).map(each => sentenceOf('dispute', each)),
  ]
  const part =
    captured === null
      ? null
      : { ...captured, gatewayRef: storableRef(captured.gatewayRef, id), feeMinor: storableFee(captured.feeMinor) }
  const gatewayRef = storableRef(said.gatewayRef, id)
  const payment = { ...said, gatewayRef, charge: storableAnswer(charge, id), captured: part, refunds, disputes }
  return { payment, unstorable }
}

function isStorable({ amountMinor, currency }: ReportedRefund | ReportedDispute): boolean {
  return amountMinor >= 0n && amountMinor <= largestMinor && parseCurrency(currency) === currency
}

function sentenceOf(what: string, { gatewayRef }: ReportedRefund | ReportedDispute): string {
  const name = keptLine(String(gatewayRef), refCharsMax)
  return `The gateway reports a ${what} (${name}) whose amount or currency cannot be kept.`
}

function refOf({ gatewayRef, operationId }: ReportedRefund): string {
  return storableRef(gatewayRef, operationId ?? 'refund')
}

function storableDispute(dispute: ReportedDispute, now: Date): ReportedDispute {
  const { gatewayRef, status, openedAt } = dispute
  const atMs = openedAt.getTime()
  const isInTime = atMs >= 0 && atMs < Date.UTC(10_000, 0)
  return {
    ...dispute,
    gatewayRef: storableRef(gatewayRef, 'dispute'),
    status: disputeStatuses.includes(status) ? status : 'open',
    openedAt: isInTime ? openedAt : now,
  }
}
