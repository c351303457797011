// Which error the last try of a call makes, and what it says.

import type { Answered, Attempt, Silent } from './attempt.ts'
import { errorsIn, recordIn } from './body.ts'
import {
  AbortError,
  AuthenticationError,
  ConflictError,
  ConnectionError,
  DeclinedError,
  type ErrorFacts,
  InvalidRequestError,
  NotFoundError,
  RateLimitedError,
  ServiceError,
  StoppedByPreSaleError,
  type TillbellError,
  TimeoutError,
} from './errors.ts'
import { retryAfterMs } from './retry.ts'

export interface Failed {
  readonly url: string
  readonly idempotencyKey: string | null
  readonly mayHaveHappened: boolean
}

export function failureOf(last: Attempt, failed: Failed): TillbellError {
  return last.kind === 'silent' ? silence(last, failed) : refusal(last, failed)
}

const doubtSays = ' It may have been done all the same: ask again with the same idempotencyKey.'

function silence({ because, code }: Silent, { url, idempotencyKey, mayHaveHappened }: Failed): ConnectionError {
  const facts = { status: null, errors: {}, requestId: null, transaction: null, retryAfterMs: null }
  const service = new URL(url).origin
  const [Ends, says] = (
    {
      timeout: [TimeoutError, `${service} did not answer in time.`],
      abort: [AbortError, 'The call was aborted.'],
      connection: [ConnectionError, `${service} did not answer${code === null ? '' : ` (${code})`}.`],
    } as const
  )[because]
  return new Ends(says + (mayHaveHappened ? doubtSays : ''), { ...facts, idempotencyKey, mayHaveHappened })
}

function refusal(last: Answered, { url, ...failed }: Failed): TillbellError {
  const { status, headers, text } = last
  const errors = errorsIn(text)
  const requestId = headers.get('x-request-id')
  const facts: ErrorFacts = {
    ...failed,
    status,
    errors: errors ?? {},
    requestId,
    transaction: recordIn(text),
    retryAfterMs: retryAfterMs(headers.get('retry-after')),
  }
  const doubt = failed.mayHaveHappened ? doubtSays : ''
  if (errors === null) return new ServiceError(notTheServiceSays(last, url) + doubt, facts)
  const Refusal = classFor(facts)
  const which = requestId === null ? `${status}` : `${status}, request ${requestId}`
  return new Refusal(`${Object.values(errors).join(' ')}${doubt} (${which})`, facts)
}

function classFor({ status, transaction }: ErrorFacts): typeof TillbellError {
  const wasStopped = transaction?.error_code === 'pre_sale_stopped' || transaction?.error_code === 'pre_sale_error'
  if (wasStopped && (status === 409 || status === 424)) return StoppedByPreSaleError
  if (status === 402) return transaction === null ? ServiceError : DeclinedError
  if (status === 401) return AuthenticationError
  if (status === 404) return NotFoundError
  if (status === 409) return ConflictError
  if (status === 429) return RateLimitedError
  return status !== null && status >= 400 && status <= 499 ? InvalidRequestError : ServiceError
}

function notTheServiceSays({ status, headers }: Answered, url: string): string {
  const location = headers.get('location')
  // In a browser, a redirect that is not followed shows nothing of itself but that it is one.
  if (status === 0 || (status >= 300 && status <= 399 && location !== null)) {
    return `${new URL(url).origin} redirects${location === null ? '' : ` to ${originOf(location, url)}`}, which is not followed. Is baseUrl right?`
  }
  return `${new URL(url).origin} does not answer as Tillbell does (${status}). Is baseUrl right, and what stands before the service?`
}

function originOf(location: string, url: string): string {
  try {
    return new URL(location, url).origin
  } catch {
    return 'somewhere'
  }
}
