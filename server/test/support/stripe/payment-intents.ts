// PaymentIntents: create, confirm, capture, cancel.

import { methodNamed } from './cards.ts'
import type { EndpointName } from './endpoints.ts'
import { type Form, formIn, integerIn, isSet, listIn, metadataIn, textIn } from './form.ts'
import { page } from './listing.ts'
import type { PaymentIntent } from './objects.ts'
import { attempt, book, whyNotUsable } from './paying.ts'
import { release } from './refunds.ts'
import { invalid, missing, ok, type Reply, unexpectedState } from './reply.ts'
import { randomText, type State } from './state.ts'

export interface Call {
  readonly state: State
  /** Of the object in the path. */
  readonly id: string
  readonly form: Form
  readonly endpoint: EndpointName
}

/** Elsewhere, of the currencies that the tests use, the same number. Where money is worth little, it is a large one. */
const smallestAmounts: { readonly [currency: string]: number } = { lbp: 4_475_000 }
const smallestAmount = (currency: string): number => smallestAmounts[currency] ?? 50

export function createIntent({ state, form }: Call): Reply {
  const amount = integerIn(form, 'amount') ?? 0
  const currency = textIn(form, 'currency') ?? ''
  const customer = textIn(form, 'customer')
  if (!/^[a-z]{3}$/.test(currency)) return invalid(`Invalid currency: ${currency}`, { param: 'currency' })
  if (amount < smallestAmount(currency)) {
    return invalid('The amount is below the smallest that can be charged.', {
      code: 'amount_too_small',
      param: 'amount',
    })
  }
  if (customer !== null && state.find('customer', customer) === null) return missing('customer', customer, 'customer')
  const name = textIn(form, 'payment_method')
  const method = name === null ? null : methodNamed(state, name)
  if (name !== null && method === null) return missing('PaymentMethod', name, 'payment_method')
  const unusable = method === null ? null : whyNotUsable(state, method, customer)
  if (unusable !== null) return unusable
  if (isSet(form, 'confirm') && method === null) {
    return invalid('A PaymentIntent cannot be confirmed without a PaymentMethod.', { code: 'parameter_missing' })
  }
  const needsUrl = isSet(form, 'confirm') ? whyReturnUrl(form, listIn(form, 'allowed_payment_method_types')) : null
  if (needsUrl !== null) return needsUrl
  const intent = state.add<'payment_intent'>(newIntent(state, form, method?.id ?? null))
  state.tell('payment_intent.created', intent)
  if (!isSet(form, 'confirm') || method === null) return ok(structuredClone(intent))
  return attempt(state, intent, method, attemptIn(form))
}

function newIntent(state: State, form: Form, method: string | null): PaymentIntent {
  const id = state.newId('pi')
  const types = listIn(form, 'allowed_payment_method_types')
  return {
    id,
    object: 'payment_intent',
    amount: integerIn(form, 'amount') ?? 0,
    amount_capturable: 0,
    amount_received: 0,
    canceled_at: null,
    cancellation_reason: null,
    capture_method: textIn(form, 'capture_method') ?? 'automatic_async',
    client_secret: `${id}_secret_${randomText(24)}`,
    confirmation_method: 'automatic',
    created: state.nowS(),
    currency: textIn(form, 'currency') ?? '',
    customer: textIn(form, 'customer'),
    description: textIn(form, 'description'),
    last_payment_error: null,
    latest_charge: null,
    livemode: false,
    metadata: metadataIn(form),
    next_action: null,
    payment_method: method,
    payment_method_types: types.length === 0 ? ['card', 'link'] : types,
    status: method === null ? 'requires_payment_method' : 'requires_confirmation',
  }
}

const attemptIn = (form: Form) => ({
  offSession: isSet(form, 'off_session'),
  returnUrl: textIn(form, 'return_url'),
  errorOnRequiresAction: isSet(form, 'error_on_requires_action'),
})

/** Some of the methods that an account offers send the customer elsewhere: then there must be a way back. */
function whyReturnUrl(form: Form, types: readonly string[]): Reply | null {
  const mayRedirect =
    types.some(type => type !== 'card') ||
    (types.length === 0 && formIn(form, 'automatic_payment_methods').allow_redirects !== 'never')
  const isFree = isSet(form, 'off_session') || isSet(form, 'use_stripe_sdk') || form.return_url !== undefined
  return mayRedirect && !isFree ? invalid('You must provide a return_url.', { param: 'return_url' }) : null
}

export function confirmIntent({ state, id, form }: Call): Reply {
  const intent = state.find('payment_intent', id)
  if (intent === null) return missing('payment_intent', id)
  const canConfirm = ['requires_payment_method', 'requires_confirmation', 'requires_action'].includes(intent.status)
  if (!canConfirm) return unexpectedState(intent, 'confirmed')
  const name = textIn(form, 'payment_method') ?? intent.payment_method
  if (name === null) return invalid('There is no PaymentMethod to confirm with.', { code: 'parameter_missing' })
  const method = methodNamed(state, name)
  if (method === null) return missing('PaymentMethod', name, 'payment_method')
  const unusable =
    whyNotUsable(state, method, intent.customer) ?? whyReturnUrl(form, typesWith(form, intent.payment_method_types))
  if (unusable !== null) return unusable
  intent.capture_method = textIn(form, 'capture_method') ?? intent.capture_method
  return attempt(state, intent, method, attemptIn(form))
}

function typesWith(form: Form, kept: readonly string[]): readonly string[] {
  const given = listIn(form, 'allowed_payment_method_types')
  return given.length === 0 ? kept : given
}

export function captureIntent({ state, id, form }: Call): Reply {
  const intent = state.find('payment_intent', id)
  if (intent === null) return missing('payment_intent', id)
  return capture(state, intent, integerIn(form, 'amount_to_capture'), metadataIn(form))
}

export function capture(
  state: State,
  intent: PaymentIntent,
  asked: number | null,
  metadata: { readonly [name: string]: string } = {},
): Reply {
  const charge = state.find('charge', intent.latest_charge)
  if (intent.status !== 'requires_capture' || charge === null) return unexpectedState(intent, 'captured')
  const amount = asked ?? intent.amount_capturable
  if (amount > intent.amount_capturable) {
    const message = 'The requested capture amount is greater than the amount that is authorized.'
    return invalid(message, { code: 'amount_too_large', param: 'amount_to_capture' })
  }
  intent.metadata = { ...intent.metadata, ...metadata }
  intent.status = 'succeeded'
  intent.amount_received = amount
  intent.amount_capturable = 0
  charge.captured = true
  charge.amount_captured = amount
  book(state, charge, amount)
  if (amount < charge.amount) release(state, charge, { amount: charge.amount - amount, reason: null })
  state.tell('charge.captured', charge)
  state.tell('payment_intent.succeeded', intent)
  return ok(structuredClone(intent))
}

export function cancelIntent({ state, id, form }: Call): Reply {
  const intent = state.find('payment_intent', id)
  if (intent === null) return missing('payment_intent', id)
  return cancel(state, intent, textIn(form, 'cancellation_reason'))
}

export function cancel(state: State, intent: PaymentIntent, reason: string | null): Reply {
  if (intent.status === 'succeeded' || intent.status === 'canceled') return unexpectedState(intent, 'canceled')
  const charge = state.find('charge', intent.latest_charge)
  if (intent.status === 'requires_capture' && charge !== null) {
    const isExpired = reason === 'expired'
    release(state, charge, { amount: charge.amount, reason: isExpired ? 'expired_uncaptured_charge' : null })
    if (isExpired) state.tell('charge.expired', charge)
  }
  intent.status = 'canceled'
  intent.amount_capturable = 0
  intent.canceled_at = state.nowS()
  intent.cancellation_reason = reason
  intent.next_action = null
  state.tell('payment_intent.canceled', intent)
  return ok(structuredClone(intent))
}

export function retrieveIntent({ state, id }: Call): Reply {
  const intent = state.find('payment_intent', id)
  return intent === null ? missing('payment_intent', id) : ok(structuredClone(intent))
}

export function listIntents({ state, form }: Call): Reply {
  const customer = textIn(form, 'customer')
  const intents = state.listed('payment_intent').filter(intent => customer === null || intent.customer === customer)
  return page(intents, form, '/v1/payment_intents')
}
