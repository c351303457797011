// The mailto links of offers. An offer for one customer carries its personal token: it pays at once, from that customer's
// mailbox alone. Every other offer has a public address, where a payment is confirmed by a link.

import { confirmationSentence, mailWith, type PaymentMailFacts, paymentSentence } from '@tillbell/sdk/payment-mail'
import { formatAmount } from '../core/money.ts'
import type { Offer } from '../core/offer.ts'
import type { Merchant } from '../core/people.ts'

type Seller = Pick<Merchant, 'name'>

function factsOf({ amountMinor, currency, title }: Offer, { name }: Seller): PaymentMailFacts {
  return { merchant: name, amount: formatAmount(amountMinor, currency), currency, title }
}

export function mailToOffer(offer: Offer, merchant: Seller, mailDomain: string): string {
  const { email, tokenContent } = offer
  const isPersonal = email !== null && tokenContent !== ''
  return isPersonal ? mailToPay(offer, merchant, mailDomain, tokenContent) : mailToPublic(offer, merchant, mailDomain)
}

/** To the address of the offer that anybody may know. */
export function mailToPublic(offer: Offer, merchant: Seller, mailDomain: string): string {
  const facts = factsOf(offer, merchant)
  return mailWith(facts, paymentSentence(facts), null, `payment-id-${offer.id}@${mailDomain}`).mailTo
}

/** With a token that is personal to one customer. */
export function mailToPay(offer: Offer, merchant: Seller, mailDomain: string, token: string): string {
  const facts = factsOf(offer, merchant)
  return mailWith(facts, paymentSentence(facts), token, `transaction@${mailDomain}`).mailTo
}

/** With a token by which its sender allows a payment that is over their limits. */
export function mailToConfirm(offer: Offer, merchant: Seller, mailDomain: string, token: string): string {
  const facts = factsOf(offer, merchant)
  return mailWith(facts, confirmationSentence(facts), token, `transaction@${mailDomain}`).mailTo
}

/** What an email that pays this offer at once says, in the merchant's present name. */
export function expectedSentence(offer: Offer, merchant: Seller, isConfirmation: boolean): string {
  const facts = factsOf(offer, merchant)
  return isConfirmation ? confirmationSentence(facts) : paymentSentence(facts)
}
