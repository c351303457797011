// What a call that brought no object proves. Stripe refuses in three places: at its door (key, permission, rate limit),
// when it reads the parameters, and when it carries out. The first two happen before anything is done and before the
// idempotency key is looked at, as its pages on errors and on idempotent requests say; the third is kept under the key.

import type { Declined, NotSent, NotSentCode, Unknown } from '../../core/gateway.ts'
import type { Called, Refused } from './client.ts'
import { declineCodeOf } from './decline-codes.ts'
import { unknown } from './exchange.ts'

export type Failed = Exclude<Called, { kind: 'ok' }>

/** Codes with which Stripe says that the account itself may not take payments. */
const suspendedCodes: readonly string[] = [
  'account_invalid',
  'capability_not_active',
  'platform_account_required',
  'progressive_onboarding_limit_exceeded',
  'testmode_charges_only',
]

/** What it proves about the operation that was sent. */
export function provenBy(failed: Failed): Declined | NotSent | Unknown {
  if (failed.kind !== 'refused') return failed
  const { status, type, code } = failed
  if (status === 401) return notSent(failed, 'gateway_credentials_refused', 'Stripe does not accept the secret key')
  if (isRefusalOfRequest(failed) || status === 403) {
    if (code !== null && suspendedCodes.includes(code)) {
      return notSent(failed, 'gateway_account_suspended', 'Stripe lets the account take no payments')
    }
    if (status === 403)
      return notSent(failed, 'gateway_credentials_refused', 'The secret key may not do this at Stripe')
    return notSent(failed, 'gateway_refused', 'Stripe refused the request')
  }
  if (isRateLimit(failed)) return notSent(failed, 'gateway_busy', 'Stripe takes no more requests at the moment')
  if (status === 402 && type === 'card_error') return { kind: 'declined', code: declineCodeOf(failed) }
  return inDoubt(failed)
}

/** For whoever asked a question: whatever came instead of an answer, it tells nothing. */
export function noAnswer(failed: Failed): Unknown {
  return failed.kind === 'refused' ? inDoubt(failed) : unknown(failed.cause)
}

/** An idempotency error is no such refusal: it says that this key was used for something else, which may have happened. */
export function isRefusalOfRequest({ status, type, code }: Refused): boolean {
  if (type !== 'invalid_request_error' || code === 'idempotency_key_in_use' || code === 'rate_limit') return false
  return status === 400 || status === 404
}

export function isMissing(called: Called): boolean {
  return called.kind === 'refused' && isRefusalOfRequest(called) && called.code === 'resource_missing'
}

/** Same key, other endpoint or parameters: the key has been used. */
export function isKeyUsed(called: Called): boolean {
  return called.kind === 'refused' && called.status === 400 && called.type === 'idempotency_error'
}

/** Not `lock_timeout`, also a 429: that one may come while Stripe is already at work. */
function isRateLimit({ status, code }: Refused): boolean {
  return (status === 429 && (code === null || code === 'rate_limit')) || (status === 400 && code === 'rate_limit')
}

function notSent(refused: Refused, code: NotSentCode, what: string): NotSent {
  return { kind: 'not_sent', code, cause: `${what} (${words(refused)}).`, ...leftAlone(refused) }
}

function inDoubt(refused: Refused): Unknown {
  return { kind: 'unknown', cause: `${sentenceOf(refused)} (${words(refused)}).`, ...leftAlone(refused) }
}

function sentenceOf({ status, type }: Refused): string {
  if (type === 'idempotency_error') return 'Stripe knows this operation with other parameters'
  if (status === 409) return 'Stripe is still at work on this operation'
  if (status >= 500) return 'Stripe failed'
  return 'Stripe answered with an error that settles nothing'
}

function words({ status, type, code, param, requestId }: Refused): string {
  return [`HTTP ${status}`, type, code, param, requestId].filter(each => each !== null).join(', ')
}

function leftAlone({ retryAfterMs }: Refused): { retryAfterMs?: number } {
  return retryAfterMs === null ? {} : { retryAfterMs }
}
