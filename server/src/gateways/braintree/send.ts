// Sends one operation to Braintree, once. What an answer proves is decided here, from what was understood in full.

import type {
  ChargeRequest,
  FollowUpRequest,
  GatewayOutcome,
  NotSent,
  OperationRequest,
  Unknown,
} from '../../core/gateway.ts'
import { type Currency, formatAmount } from '../../core/money.ts'
import type { Json } from '../../core/offer.ts'
import type { BraintreeAccount } from './account.ts'
import { refusals } from './declines.ts'
import { type Failed, notSent, unknown } from './failures.ts'
import type { Asked, Line } from './line.ts'
import { isMembers } from './members.ts'
import type { AccountFor } from './merchant-accounts.ts'
import {
  type BraintreeTransaction,
  declined,
  declineOf,
  inState,
  isCollected,
  isSettled,
  notUnderstood,
  orderIdOf,
  readTransaction,
  succeeded,
} from './transaction.ts'

export async function sendOperation(
  request: OperationRequest,
  line: Line,
  accountFor: AccountFor,
): Promise<GatewayOutcome> {
  switch (request.kind) {
    case 'charge':
      return charge(request, line, accountFor)
    case 'capture':
      return capture(request, line)
    case 'void':
      return release(request, line)
    case 'refund':
      return refund(request, line)
  }
}

/** What a charge says beyond its own columns, stored with it. */
interface Wire {
  /** Null: the default one, whose currency is asked first. */
  readonly merchantAccountId: string | null
  readonly transactionSource: 'unscheduled'
}

/** Nothing is ever sent twice here: it is stored to show what was sent. */
export function preparedFor(request: OperationRequest, { merchantAccounts }: BraintreeAccount): Json | null {
  return request.kind === 'charge' ? wireOf(request.currency, merchantAccounts) : null
}

function wireOf(currency: Currency, merchantAccounts: BraintreeAccount['merchantAccounts']) {
  // Whoever owns the card agreed to it before, and need not be there now.
  return { merchantAccountId: merchantAccounts.get(currency) ?? null, transactionSource: 'unscheduled' } satisfies Wire
}

async function charge(request: ChargeRequest, line: Line, accountFor: AccountFor): Promise<GatewayOutcome> {
  const { merchantAccountId: named, transactionSource } = (request.wire as unknown as Wire | undefined) ?? unstored
  const merchantAccountId = named ?? (await accountFor(request.currency, line))
  if (typeof merchantAccountId !== 'string') return neverSent(merchantAccountId, line)
  const sale = {
    amount: amountText(request),
    orderId: orderIdOf(request),
    merchantAccountId,
    paymentMethodToken: request.cardRef,
    transactionSource,
    options: { submitForSettlement: request.capture },
  }
  const told = toldBy(await line.ask(sdk => sdk.transaction.sale(sale)))
  return 'kind' in told ? told : chargeOutcome(request, told)
}

const unstored: Wire = { merchantAccountId: null, transactionSource: 'unscheduled' }

/** What the gateway's record of a charge proves. One that was to be collected and is only held did not come about. */
export function chargeOutcome(request: ChargeRequest, told: BraintreeTransaction): GatewayOutcome & { kind: Proof } {
  if (told.type !== 'sale' || told.orderId !== orderIdOf(request)) return notUnderstood()
  const isAsAsked = request.capture ? isCollected(told.status) : told.status === 'authorized'
  if (isAsAsked) return succeeded(told)
  return declineOf(told) ?? inState(told)
}
type Proof = 'succeeded' | 'declined' | 'unknown'

async function capture(request: FollowUpRequest, line: Line): Promise<GatewayOutcome> {
  const told = toldBy(
    await line.ask(sdk => sdk.transaction.submitForSettlement(request.chargeRef, amountText(request))),
  )
  if ('kind' in told) return told
  if (told.id !== request.chargeRef) return notUnderstood()
  return isCollected(told.status) ? succeeded(told) : inState(told)
}

/** Braintree would also void what was submitted already. That is no release of an authorisation, so the state is read first. */
async function release(request: FollowUpRequest, line: Line): Promise<GatewayOutcome> {
  const charged = await readCharge(request, line)
  if ('kind' in charged) return charged
  return charged.status === 'authorized' ? voidWhole(request, line) : declined('wrong_state')
}

/**
 * Only what is settled can be given back, and in the hours before that nothing but a void can: of all of it. Of a part
 * there is no way then, and the merchant tries again the next day.
 */
async function refund(request: FollowUpRequest, line: Line): Promise<GatewayOutcome> {
  const charged = await readCharge(request, line)
  if ('kind' in charged) return charged
  if (isSettled(charged.status)) return giveBack(request, line)
  if (!isCollected(charged.status)) return declined('wrong_state')
  if (request.amountMinor > charged.amountMinor) return declined('amount_too_large')
  return request.amountMinor === charged.amountMinor ? voidWhole(request, line) : declined('wrong_state')
}

async function giveBack(request: FollowUpRequest, line: Line): Promise<GatewayOutcome> {
  const credit = { amount: amountText(request), orderId: orderIdOf(request) }
  const told = toldBy(await line.ask(sdk => sdk.transaction.refund(request.chargeRef, credit)))
  return 'kind' in told ? told : refundOutcome(request, told)
}

export function refundOutcome(request: FollowUpRequest, told: BraintreeTransaction): GatewayOutcome & { kind: Proof } {
  const isThis = told.type === 'credit' && told.refundedId === request.chargeRef && told.orderId === orderIdOf(request)
  if (!isThis) return notUnderstood()
  return isCollected(told.status) ? succeeded(told) : (declineOf(told) ?? inState(told))
}

async function voidWhole(request: FollowUpRequest, line: Line): Promise<GatewayOutcome> {
  const told = toldBy(await line.ask(sdk => sdk.transaction.void(request.chargeRef)))
  if ('kind' in told) return told
  return told.id === request.chargeRef ? voidOutcome(request, told) : notUnderstood()
}

/** A refund that was done as a void is named so: it has no transaction of its own at Braintree. */
export function voidOutcome({ kind }: FollowUpRequest, told: BraintreeTransaction): GatewayOutcome & { kind: Proof } {
  if (told.status !== 'voided') return inState(told)
  return succeeded(told, kind === 'refund' ? voidRef(told.id) : told.id)
}

export function voidRef(chargeRef: string): string {
  return `void:${chargeRef}`
}

/** Before anything is sent that changes something. */
async function readCharge(request: FollowUpRequest, line: Line): Promise<BraintreeTransaction | NotSent | Unknown> {
  const read = await findCharge(request, line)
  return 'kind' in read ? neverSent(read, line) : read
}

export async function findCharge({ chargeRef }: FollowUpRequest, line: Line): Promise<BraintreeTransaction | Failed> {
  const asked = await line.ask(sdk => sdk.transaction.find(chargeRef))
  if (asked.kind !== 'answered') return asked
  const told = readTransaction(asked.answer)
  return told?.id === chargeRef && told.type === 'sale' ? told : notUnderstood()
}

/** What was read beforehand did not come through, so the operation itself was not sent: whatever else is in doubt, that is not. */
function neverSent(failed: Failed, { signal }: Line): NotSent | Unknown {
  if (failed.kind === 'not_found') return notSent('gateway_refused', 'Braintree does not know the transaction.')
  if (failed.kind === 'not_sent') return failed
  return signal.aborted ? unknown(failed.cause) : { ...failed, kind: 'not_sent', code: 'gateway_not_reached' }
}

/** The transaction that an answer tells of, also of one that was declined; else what the refusal proves. */
function toldBy(asked: Asked): BraintreeTransaction | GatewayOutcome {
  if (asked.kind === 'not_found')
    return notSent('gateway_refused', 'Braintree does not know what was named (HTTP 404).')
  if (asked.kind !== 'answered') return asked
  if (!isMembers(asked.answer)) return notUnderstood()
  const { transaction, success } = asked.answer
  const codes = success === false ? validationCodes(asked.answer.errors) : []
  if (codes.length > 0) return refusalBy(codes)
  return readTransaction(transaction) ?? notUnderstood()
}

function validationCodes(errors: unknown): readonly string[] {
  if (!isMembers(errors) || typeof errors.deepErrors !== 'function') return []
  const found: readonly unknown[] = errors.deepErrors()
  return found.flatMap(error => (isMembers(error) && typeof error.code === 'string' ? [error.code] : []))
}

function refusalBy(codes: readonly string[]): GatewayOutcome {
  const isOneOf = (known: readonly string[]) => codes.some(code => known.includes(code))
  if (isOneOf(refusals.amount_too_large)) return declined('amount_too_large')
  if (isOneOf(refusals.wrong_state)) return declined('wrong_state')
  const cause = `Braintree refused the request (${codes.slice(0, 5).join(', ')}).`
  return notSent(isOneOf(refusals.suspended) ? 'gateway_account_suspended' : 'gateway_refused', cause)
}

function amountText({ amountMinor, currency }: OperationRequest): string {
  return formatAmount(amountMinor, currency)
}
