// A payment attempt: the bank is asked, and its answer makes a charge of the intent, or none.

import { type Bank, bankOf, type Decline, declineSentence } from './cards.ts'
import type { Charge, ErrorBody, PaymentIntent, PaymentMethod } from './objects.ts'
import { failure, invalid, ok, type Reply } from './reply.ts'
import type { State } from './state.ts'

export interface Attempt {
  readonly offSession: boolean
  readonly returnUrl: string | null
  readonly errorOnRequiresAction: boolean
}

const authenticationRequired: Decline = { code: 'authentication_required', decline_code: 'authentication_required' }

export function attempt(state: State, intent: PaymentIntent, method: PaymentMethod, how: Attempt): Reply {
  const bank = bankOf(state, method)
  intent.payment_method = method.id
  intent.next_action = null
  if (bank.kind !== 'authenticates' || (how.offSession && !bank.evenOffSession)) {
    return bank.kind === 'declines' ? decline(state, intent, method, bank) : take(state, intent, method)
  }
  if (how.offSession || how.errorOnRequiresAction) return decline(state, intent, method, authenticationRequired)
  return challenge(state, intent, how.returnUrl)
}

function challenge(state: State, intent: PaymentIntent, returnUrl: string | null): Reply {
  intent.status = 'requires_action'
  intent.last_payment_error = null
  intent.next_action =
    returnUrl === null
      ? { type: 'use_stripe_sdk', use_stripe_sdk: { type: 'three_d_secure_redirect' } }
      : {
          type: 'redirect_to_url',
          redirect_to_url: { url: `${state.pagesUrl}/challenge/${intent.id}`, return_url: returnUrl },
        }
  state.tell('payment_intent.requires_action', intent)
  return ok(structuredClone(intent))
}

/** The card's holder was asked by the bank, and is who he says, or is not. */
export function answerChallenge(state: State, intent: PaymentIntent, result: 'pass' | 'fail'): boolean {
  const method = state.find('payment_method', intent.payment_method)
  if (intent.status !== 'requires_action' || method === null) return false
  intent.next_action = null
  if (result === 'fail') {
    refuse(state, intent, {
      type: 'card_error',
      code: 'payment_intent_authentication_failure',
      message: 'The provided PaymentMethod has failed authentication.',
      payment_method: structuredClone(method),
    })
    return true
  }
  const bank: Bank = bankOf(state, method)
  const afterwards = bank.kind === 'authenticates' ? bank.afterwards : 'pays'
  if (afterwards === 'pays') take(state, intent, method)
  else decline(state, intent, method, afterwards)
  return true
}

function take(state: State, intent: PaymentIntent, method: PaymentMethod): Reply {
  const isHeld = intent.capture_method === 'manual'
  const charge = newCharge(state, intent, method, null)
  intent.last_payment_error = null
  if (isHeld) {
    intent.status = 'requires_capture'
    intent.amount_capturable = intent.amount
    state.tell('charge.succeeded', charge)
    state.tell('payment_intent.amount_capturable_updated', intent)
    return ok(structuredClone(intent))
  }
  // Asynchronous capture answers before the money is booked: the fee is known a moment later.
  if (intent.capture_method === 'automatic_async') state.later(() => book(state, charge, intent.amount))
  else book(state, charge, intent.amount)
  charge.captured = true
  charge.amount_captured = intent.amount
  intent.status = 'succeeded'
  intent.amount_received = intent.amount
  state.tell('charge.succeeded', charge)
  state.tell('payment_intent.succeeded', intent)
  return ok(structuredClone(intent))
}

function decline(state: State, intent: PaymentIntent, method: PaymentMethod, reason: Decline): Reply {
  const charge = newCharge(state, intent, method, reason)
  const error: ErrorBody = {
    type: 'card_error',
    code: reason.code,
    decline_code: reason.decline_code,
    message: declineSentence(reason),
    charge: charge.id,
    payment_method: structuredClone(method),
  }
  state.tell('charge.failed', charge)
  refuse(state, intent, error)
  return failure(402, { ...error, payment_intent: structuredClone(intent) })
}

function refuse(state: State, intent: PaymentIntent, error: ErrorBody): void {
  intent.status = 'requires_payment_method'
  intent.payment_method = null
  intent.last_payment_error = error
  state.tell('payment_intent.payment_failed', intent)
}

function newCharge(state: State, intent: PaymentIntent, method: PaymentMethod, reason: Decline | null): Charge {
  const charge = state.add<'charge'>({
    id: state.newId('ch'),
    object: 'charge',
    amount: intent.amount,
    amount_captured: 0,
    amount_refunded: 0,
    currency: intent.currency,
    balance_transaction: null,
    captured: false,
    created: state.nowS(),
    customer: intent.customer,
    disputed: false,
    failure_code: reason?.code ?? null,
    failure_message: reason === null ? null : declineSentence(reason),
    livemode: false,
    metadata: intent.metadata,
    paid: reason === null,
    payment_intent: intent.id,
    payment_method: method.id,
    refunded: false,
    status: reason === null ? 'succeeded' : 'failed',
  })
  intent.latest_charge = charge.id
  return charge
}

/** Money that was taken, and what Stripe keeps of it: 2.9 % and 30. */
export function book(state: State, charge: Charge, amount: number): void {
  const fee = Math.round((amount * 29) / 1000) + 30
  charge.balance_transaction = bookEntry(state, charge.id, { type: 'charge', amount, fee, currency: charge.currency })
}

interface Entry {
  readonly type: 'charge' | 'refund'
  readonly amount: number
  readonly fee: number
  readonly currency: string
}

export function bookEntry(state: State, source: string, { currency, ...entry }: Entry): string {
  const settled = state.settlesIn ?? currency
  return state.add<'balance_transaction'>({
    id: state.newId('txn'),
    object: 'balance_transaction',
    ...entry,
    currency: settled,
    net: entry.amount - entry.fee,
    created: state.nowS(),
    livemode: false,
    metadata: {},
    source,
    status: 'pending',
  }).id
}

/** Why a method cannot pay for a customer. Null: it can. */
export function whyNotUsable(state: State, method: PaymentMethod, customer: string | null): Reply | null {
  const code = 'payment_method_unexpected_state'
  if (state.detached.has(method.id)) {
    return invalid('This PaymentMethod was detached from its Customer and may not be used again.', { code })
  }
  if (method.customer !== null && method.customer !== customer) {
    const param = 'payment_method'
    return invalid('The PaymentMethod belongs to a Customer: pay with that Customer.', { code, param })
  }
  return null
}
