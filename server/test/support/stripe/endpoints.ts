// The endpoints, each with the parameters that Stripe's reference documents for API version 2026-10-28.endive: those
// that a service like ours may send, and their neighbours. Whatever else is sent is an unknown parameter.

import type { Form } from './form.ts'
import {
  created,
  expand,
  flag,
  integer,
  listOf,
  metadata,
  objectOf,
  oneOf,
  type Parameters,
  paging,
  text,
  url,
} from './parameters.ts'
import { invalid, type Reply } from './reply.ts'

export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** {id} stands for the id of an object. */
  readonly path: string
  readonly parameters: Parameters
  readonly required?: readonly string[]
}

const amount = integer(1, 99_999_999)
const captureMethod = oneOf('automatic', 'automatic_async', 'manual')
const cardOptions = objectOf({
  card: objectOf({
    capture_method: oneOf('manual'),
    request_three_d_secure: oneOf('any', 'automatic', 'challenge'),
    setup_future_usage: oneOf('none', 'off_session', 'on_session'),
    cvc_token: text,
    moto: flag,
  }),
})
const person = { email: text, name: text, phone: text, description: text }
const confirming = {
  capture_method: captureMethod,
  confirmation_token: text,
  error_on_requires_action: flag,
  mandate: text,
  off_session: flag,
  payment_method: text,
  payment_method_options: cardOptions,
  receipt_email: text,
  return_url: url,
  setup_future_usage: oneOf('off_session', 'on_session'),
  allowed_payment_method_types: listOf(text),
  excluded_payment_method_types: listOf(text),
  use_stripe_sdk: flag,
}

export const endpoints = {
  account: { method: 'GET', path: '/v1/account', parameters: expand },
  createCustomer: {
    method: 'POST',
    path: '/v1/customers',
    parameters: { ...person, payment_method: text, metadata, ...expand },
  },
  retrieveCustomer: { method: 'GET', path: '/v1/customers/{id}', parameters: expand },
  deleteCustomer: { method: 'DELETE', path: '/v1/customers/{id}', parameters: {} },
  listMethodsOfCustomer: {
    method: 'GET',
    path: '/v1/customers/{id}/payment_methods',
    parameters: { type: text, allow_redisplay: text, ...paging },
  },
  listMethods: {
    method: 'GET',
    path: '/v1/payment_methods',
    parameters: { customer: text, type: text, allow_redisplay: text, ...paging },
  },
  retrieveMethod: { method: 'GET', path: '/v1/payment_methods/{id}', parameters: expand },
  attachMethod: {
    method: 'POST',
    path: '/v1/payment_methods/{id}/attach',
    parameters: { customer: text, ...expand },
    required: ['customer'],
  },
  detachMethod: { method: 'POST', path: '/v1/payment_methods/{id}/detach', parameters: expand },
  createIntent: {
    method: 'POST',
    path: '/v1/payment_intents',
    parameters: {
      ...confirming,
      amount,
      currency: text,
      automatic_payment_methods: objectOf({ enabled: flag, allow_redirects: oneOf('always', 'never') }),
      confirm: flag,
      confirmation_method: oneOf('automatic', 'manual'),
      customer: text,
      description: text,
      metadata,
      payment_method_configuration: text,
      statement_descriptor: text,
      statement_descriptor_suffix: text,
      transfer_group: text,
      ...expand,
    },
    required: ['amount', 'currency'],
  },
  listIntents: { method: 'GET', path: '/v1/payment_intents', parameters: { customer: text, created, ...paging } },
  retrieveIntent: {
    method: 'GET',
    path: '/v1/payment_intents/{id}',
    parameters: { client_secret: text, ...expand },
  },
  confirmIntent: {
    method: 'POST',
    path: '/v1/payment_intents/{id}/confirm',
    parameters: { ...confirming, amount_to_confirm: amount, ...expand },
  },
  captureIntent: {
    method: 'POST',
    path: '/v1/payment_intents/{id}/capture',
    parameters: {
      amount_to_capture: amount,
      final_capture: flag,
      metadata,
      statement_descriptor: text,
      statement_descriptor_suffix: text,
      ...expand,
    },
  },
  cancelIntent: {
    method: 'POST',
    path: '/v1/payment_intents/{id}/cancel',
    parameters: {
      cancellation_reason: oneOf('abandoned', 'duplicate', 'fraudulent', 'requested_by_customer'),
      ...expand,
    },
  },
  createRefund: {
    method: 'POST',
    path: '/v1/refunds',
    parameters: {
      amount,
      charge: text,
      payment_intent: text,
      metadata,
      reason: oneOf('duplicate', 'fraudulent', 'requested_by_customer'),
      instructions_email: text,
      ...expand,
    },
  },
  listRefunds: {
    method: 'GET',
    path: '/v1/refunds',
    parameters: { charge: text, payment_intent: text, created, ...paging },
  },
  retrieveRefund: { method: 'GET', path: '/v1/refunds/{id}', parameters: expand },
  listDisputes: {
    method: 'GET',
    path: '/v1/disputes',
    parameters: { charge: text, payment_intent: text, created, ...paging },
  },
  retrieveDispute: { method: 'GET', path: '/v1/disputes/{id}', parameters: expand },
  retrieveCharge: { method: 'GET', path: '/v1/charges/{id}', parameters: expand },
  retrieveBalanceTransaction: { method: 'GET', path: '/v1/balance_transactions/{id}', parameters: expand },
} as const satisfies { readonly [name: string]: Endpoint }

export type EndpointName = keyof typeof endpoints

/** What the reference says of parameters beside each other. */
export function clash(name: EndpointName, form: Form): Reply | null {
  if (form.payment_method_types !== undefined && (name === 'createIntent' || name === 'confirmIntent')) {
    return invalid('payment_method_types can no longer be written.', {
      code: 'payment_method_types_no_longer_supported',
      param: 'payment_method_types',
    })
  }
  const ways = ['allowed_payment_method_types', 'excluded_payment_method_types', 'automatic_payment_methods']
  const given = ways.filter(way => form[way] !== undefined)
  if (given.length > 1)
    return invalid(`Only one of ${given.join(' and ')} may be given.`, { code: 'parameters_exclusive' })
  if (name === 'createIntent' && form.confirm !== 'true') {
    const early = ['off_session', 'return_url', 'error_on_requires_action', 'mandate'].find(
      each => form[each] !== undefined,
    )
    if (early !== undefined) return invalid(`${early} can only be given with confirm=true.`, { param: early })
  }
  return null
}
