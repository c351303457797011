// What the customer still has to do, in the one shape that hooks and records share (seed 2.5). The link opens our page,
// which proves who is there before anything is charged: a link in a hook or an answer can charge no stored card.

import { amountAsNumber } from './money.ts'
import { ourPageUrl } from './offer.ts'
import type { Sale, ServiceFacts } from './sale.ts'

export const actionSentence = 'The customer has to take a further step before the card can be charged.'

export function furtherAction({ transaction, offer, customer }: Sale, service: ServiceFacts) {
  return {
    amount: amountAsNumber(transaction.amountMinor, transaction.currency),
    email: customer.email ?? '',
    signup_url: `${ourPageUrl(offer.id, service.baseUrl)}?transaction=${transaction.id}`,
    mail_to: null,
  }
}
