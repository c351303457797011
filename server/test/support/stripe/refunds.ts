// Refunds. Since API version 2025-03-31.basil letting go of money that was only held makes none any more; in accounts whose
// own version is older it still does, and that one has no entry in the balance.

import { refundsStayPending } from './cards.ts'
import { integerIn, metadataIn, textIn } from './form.ts'
import { page } from './listing.ts'
import type { Charge, Metadata, Refund } from './objects.ts'
import { bookEntry } from './paying.ts'
import type { Call } from './payment-intents.ts'
import { invalid, missing, ok, type Reply } from './reply.ts'
import type { State } from './state.ts'

export function createRefund({ state, form }: Call): Reply {
  const intentId = textIn(form, 'payment_intent')
  const chargeId = textIn(form, 'charge')
  if (intentId === null && chargeId === null) {
    return invalid('One of charge or payment_intent must be given.', { code: 'parameter_missing' })
  }
  const intent = state.find('payment_intent', intentId)
  if (intentId !== null && intent === null) return missing('payment_intent', intentId, 'payment_intent')
  const charge = state.find('charge', intent === null ? chargeId : intent.latest_charge)
  if (intent === null && charge === null) return missing('charge', chargeId ?? '', 'charge')
  return refund(state, charge, {
    amount: integerIn(form, 'amount'),
    metadata: metadataIn(form),
    reason: textIn(form, 'reason'),
  })
}

interface Asked {
  /** Null: all that is left. */
  readonly amount: number | null
  readonly metadata: Metadata
  readonly reason: string | null
}

/** Reports of Stripe's answers show no code with a refund that is too large, or of nothing taken: only the sentence. */
export function refund(state: State, charge: Charge | null, { amount: asked, metadata, reason }: Asked): Reply {
  if (charge === null || !charge.paid || !charge.captured) {
    return invalid('This PaymentIntent does not have a successful charge to refund.')
  }
  const left = charge.amount_captured - givenBack(state, charge)
  if (left === 0) {
    return invalid(`Charge ${charge.id} has already been refunded.`, { code: 'charge_already_refunded' })
  }
  const amount = asked ?? left
  if (amount > left) {
    const sentence = `Refund amount (${amount}) is greater than unrefunded amount on charge (${left})`
    return invalid(sentence, { param: 'amount' })
  }
  const method = state.find('payment_method', charge.payment_method)
  const isPending = method !== null && refundsStayPending(method)
  const { currency } = charge
  const made = newRefund(state, charge, {
    amount,
    metadata,
    reason,
    status: isPending ? 'pending' : 'succeeded',
    balance_transaction: bookEntry(state, charge.id, { type: 'refund', amount: -amount, fee: 0, currency }),
  })
  return ok(structuredClone(made))
}

/** What was taken and is not any more. */
export function givenBack(state: State, charge: Charge): number {
  return state
    .all('refund')
    .filter(({ charge: of, balance_transaction }) => of === charge.id && balance_transaction !== null)
    .filter(({ status }) => status === 'succeeded' || status === 'pending')
    .reduce((sum, { amount }) => sum + amount, 0)
}

export function release(
  state: State,
  charge: Charge,
  { amount, reason }: { amount: number; reason: string | null },
): void {
  if (!state.releasesAreRefunds) return
  newRefund(state, charge, { amount, metadata: {}, reason, status: 'succeeded', balance_transaction: null })
}

type Facts = Pick<Refund, 'amount' | 'metadata' | 'reason' | 'status' | 'balance_transaction'>

function newRefund(state: State, charge: Charge, facts: Facts): Refund {
  const made = state.add<'refund'>({
    id: state.newId('re'),
    object: 'refund',
    charge: charge.id,
    created: state.nowS(),
    currency: charge.currency,
    livemode: false,
    payment_intent: charge.payment_intent,
    ...facts,
  })
  charge.amount_refunded += facts.amount
  charge.refunded = givenBack(state, charge) === charge.amount_captured
  state.tell('refund.created', made)
  state.tell('charge.refunded', charge)
  return made
}

/** The bank sends it back: the money is the merchant's again. */
export function failRefund(state: State, made: Refund): void {
  const charge = state.find('charge', made.charge)
  if (charge === null || (made.status !== 'succeeded' && made.status !== 'pending')) return
  made.status = 'failed'
  made.failure_reason = 'lost_or_stolen_card'
  charge.amount_refunded -= made.amount
  charge.refunded = false
  state.tell('refund.failed', made)
  state.tell('charge.refund.updated', made)
}

export function retrieveRefund({ state, id }: Call): Reply {
  const found = state.find('refund', id)
  return found === null ? missing('refund', id) : ok(structuredClone(found))
}

export function listRefunds({ state, form }: Call): Reply {
  return page(aboutPayment(state.listed('refund'), form), form, '/v1/refunds')
}

/** Those of the payment that a list asks for. */
export function aboutPayment<Each extends { readonly payment_intent: string; readonly charge: string }>(
  all: readonly Each[],
  form: Call['form'],
): readonly Each[] {
  const intent = textIn(form, 'payment_intent')
  const charge = textIn(form, 'charge')
  return all.filter(
    each => (intent ?? each.payment_intent) === each.payment_intent && (charge ?? each.charge) === each.charge,
  )
}
