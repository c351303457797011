// What a request is answered with, and the refusals that Stripe's reference names.

import type { ErrorBody, PaymentIntent } from './objects.ts'

export interface Reply {
  readonly status: number
  readonly body: object
  readonly headers?: { readonly [name: string]: string }
}

export const ok = (body: object): Reply => ({ status: 200, body })

export function failure(status: number, error: ErrorBody): Reply {
  return { status, body: { error } }
}

export function invalid(message: string, more: Omit<Partial<ErrorBody>, 'type' | 'message'> = {}): Reply {
  return failure(400, { type: 'invalid_request_error', message, ...more })
}

/** Named in the path: 404. Named in a parameter: 400 at Stripe, with the same code. */
export function missing(what: string, id: string, param: string | null = null): Reply {
  const error = {
    type: 'invalid_request_error',
    code: 'resource_missing',
    message: `No such ${what}: '${id}'`,
  } as const
  return param === null ? failure(404, { ...error, param: 'id' }) : failure(400, { ...error, param })
}

export function unexpectedState(intent: PaymentIntent, verb: string): Reply {
  return invalid(`This PaymentIntent could not be ${verb} because it has a status of ${intent.status}.`, {
    code: 'payment_intent_unexpected_state',
    payment_intent: structuredClone(intent),
  })
}
