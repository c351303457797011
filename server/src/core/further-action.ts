// What the customer still has to do, in the one shape that hooks and records share (seed 2.5). The link opens our page,
// which proves who is there before anything is charged: a link in a hook or an answer can charge no stored card.

import { amountAsNumber } from './money.ts'
import { canStillBeUsed, ourPageUrl } from './offer.ts'
import type { Sale, ServiceFacts } from './sale.ts'
import type { Transaction, Want } from './transaction.ts'

export const bankStepSays = 'The customer has to take a further step before the card can be charged.'
const wantSays: { readonly [want in Want]: string } = {
  proof: 'The mail does not prove who sent it: the customer has to confirm the payment.',
  card: 'The customer has no card that can be charged by mail, and has to give one.',
  field: 'The customer has to answer what the offer asks for.',
  confirmation: 'The customer has to confirm the payment with the link that was sent to them by email.',
  limit: "The payment is over the customer's limits for mail, and has to be confirmed.",
}

export function actionSays({ actionWants }: Transaction): string {
  return actionWants === null ? bankStepSays : wantSays[actionWants]
}

export function furtherAction(sale: Sale, service: ServiceFacts) {
  const { transaction, offer } = sale
  const signup_url = `${ourPageUrl(offer.id, service.baseUrl)}?transaction=${transaction.id}`
  return { ...dueFrom(sale), signup_url, mail_to: transaction.actionMailTo }
}

/**
 * Who asked by mail and failed may still pay for the offer on its page. Null: nobody can; or it was not asked for by mail, and
 * whoever asked knows how to go on.
 */
export function anotherWay(sale: Sale, service: ServiceFacts, now: Date) {
  const { transaction, offer } = sale
  if (transaction.source !== 'Email Transaction' || !canStillBeUsed(offer, now)) return null
  if (offer.email !== null && offer.email !== sale.customer.email) return null
  if (transaction.failure?.code === 'gateway_inactive') return null
  return { ...dueFrom(sale), signup_url: ourPageUrl(offer.id, service.baseUrl), mail_to: null }
}

function dueFrom({ transaction, customer }: Sale) {
  return { amount: amountAsNumber(transaction.amountMinor, transaction.currency), email: customer.email ?? '' }
}
