// What a call may end with instead of its answer, a class by cause.
//
// A declined charge is thrown, though it is an outcome and no accident. Returned, it would be a Transaction like any other,
// and whoever forgets to look at its status ships goods that nobody paid for; thrown, forgetting it stops the sale. The
// Transaction, `Failed` and with its `error_code`, is in the error. What is neither done nor refused is returned: see `status`.

import type { Transaction } from './api-types.ts'

export interface ErrorFacts {
  /** Of the last answer; null: none came. */
  readonly status: number | null
  /** One sentence by argument, or under `general`. */
  readonly errors: { readonly [field: string]: string }
  /** Under which the service's log has this request. */
  readonly requestId: string | null
  /** The call's own: asked again with it, the service does nothing twice. Null: the call changes nothing. */
  readonly idempotencyKey: string | null
  /** What was asked for may have been done all the same. Ask again with `idempotencyKey`: that gets its answer. */
  readonly mayHaveHappened: boolean
  /** The record, where the service had one to tell of. */
  readonly transaction: Transaction | null
  /** How long the service wants to be left alone. */
  readonly retryAfterMs: number | null
}

/** Any end of a call that is no answer. */
export class TillbellError extends Error implements ErrorFacts {
  readonly status: number | null
  readonly errors: { readonly [field: string]: string }
  readonly requestId: string | null
  readonly idempotencyKey: string | null
  readonly mayHaveHappened: boolean
  readonly transaction: Transaction | null
  readonly retryAfterMs: number | null

  constructor(message: string, facts: ErrorFacts) {
    super(message)
    this.status = facts.status
    this.errors = facts.errors
    this.requestId = facts.requestId
    this.idempotencyKey = facts.idempotencyKey
    this.mayHaveHappened = facts.mayHaveHappened
    this.transaction = facts.transaction
    this.retryAfterMs = facts.retryAfterMs
  }
}

/** 401: the service does not know this API key and secret. */
export class AuthenticationError extends TillbellError {
  declare readonly name: 'AuthenticationError'
}

/** 404: not known, or another merchant's. */
export class NotFoundError extends TillbellError {
  declare readonly name: 'NotFoundError'
}

/** 422 and its like: an argument is missing or wrong, or what it names cannot be used. `errors` says which. */
export class InvalidRequestError extends TillbellError {
  declare readonly name: 'InvalidRequestError'
}

/** 402: the gateway said no to the card, or to a refund, capture or void. `transaction.error_code` is stable. */
export class DeclinedError extends TillbellError {
  declare readonly name: 'DeclinedError'
  declare readonly transaction: Transaction
}

/** 409 or 424: the merchant's own Pre-Sale endpoint stopped the sale, or could not be asked. Nothing was charged. */
export class StoppedByPreSaleError extends TillbellError {
  declare readonly name: 'StoppedByPreSaleError'
  declare readonly transaction: Transaction
}

/** 409: the thing is not in a state that allows this; or the same request was still running when we gave up waiting. */
export class ConflictError extends TillbellError {
  declare readonly name: 'ConflictError'
}

/** 429, and it did not end while we tried again. */
export class RateLimitedError extends TillbellError {
  declare readonly name: 'RateLimitedError'
}

/** 5xx, or an answer that is not the service's: a proxy's page, a redirect. With a `transaction`: it failed, uncharged. */
export class ServiceError extends TillbellError {
  declare readonly name: 'ServiceError'
}

/** No answer came. `mayHaveHappened` says whether the request can have arrived. */
export class ConnectionError extends TillbellError {
  declare readonly name: 'ConnectionError' | 'TimeoutError' | 'AbortError'
}

/** No answer came in time. */
export class TimeoutError extends ConnectionError {
  declare readonly name: 'TimeoutError'
}

/** The caller's own signal ended the call. */
export class AbortError extends ConnectionError {
  declare readonly name: 'AbortError'
}

// On the prototypes, where a stack takes its first word from when it is written. By hand: minifiers change a class's own name.
const classes = {
  TillbellError,
  AuthenticationError,
  NotFoundError,
  InvalidRequestError,
  DeclinedError,
  StoppedByPreSaleError,
  ConflictError,
  RateLimitedError,
  ServiceError,
  ConnectionError,
  TimeoutError,
  AbortError,
}
for (const [name, { prototype }] of Object.entries(classes)) Object.defineProperty(prototype, 'name', { value: name })
