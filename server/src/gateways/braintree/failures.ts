// What a call that brought no answer proves, by what Braintree documents of each status.

import type { IncomingMessage } from 'node:http'
import type { NotSent, NotSentCode, Unknown } from '../../core/gateway.ts'

/** There is no such thing there. Whether that is proof depends on what was asked. */
export interface NotFound {
  readonly kind: 'not_found'
}
export type Failed = NotSent | Unknown | NotFound

export function unknown(cause: string): Unknown {
  return { kind: 'unknown', cause }
}

export function notSent(code: NotSentCode, cause: string): NotSent {
  return { kind: 'not_sent', code, cause }
}

export function notReached(errorCode: string): NotSent {
  return notSent('gateway_not_reached', `There was no connection to Braintree (${errorCode}).`)
}

/** A question that did not come through tells nothing, whether or not it left. */
export function asUnknown(failed: Failed): Unknown {
  if (failed.kind === 'not_found') return unknown('Braintree does not know what it was asked about (HTTP 404).')
  const { cause, retryAfterMs } = failed
  return { ...unknown(cause), ...(retryAfterMs !== undefined && { retryAfterMs }) }
}

/** Each is said before the request is carried out, except for those that leave it open. */
export function failureByStatus({ statusCode, headers }: Pick<IncomingMessage, 'statusCode' | 'headers'>): Failed {
  switch (statusCode) {
    case 401:
      return notSent('gateway_credentials_refused', 'Braintree does not accept the API keys (HTTP 401).')
    case 403:
      // The role of the keys' user does not allow this. An account that is suspended is told by a validation error.
      return notSent('gateway_credentials_refused', 'Braintree does not allow this to the API keys (HTTP 403).')
    case 404:
      return { kind: 'not_found' }
    case 426:
      return notSent('gateway_refused', 'Braintree no longer speaks to this version of its library (HTTP 426).')
    case 429:
      return { ...notSent('gateway_busy', 'Braintree is asked too often (HTTP 429).'), ...leftAlone(headers) }
    case 503:
      return { ...unknown('Braintree is not available (HTTP 503).'), ...leftAlone(headers) }
    default:
      return unknown(`The answer of Braintree (HTTP ${statusCode}) was not understood.`)
  }
}

function leftAlone(headers: IncomingMessage['headers']): { retryAfterMs?: number } {
  const seconds = headers['retry-after'] ?? ''
  return /^[0-9]{1,6}$/.test(seconds) ? { retryAfterMs: Number(seconds) * 1_000 } : {}
}
