// The `details` of a hook notification (seed 2.2 to 2.5), in the shape that the sdk's schemas say. Every kind carries every
// field, so a receiver never meets a missing key; `further_action` alone stands only where the customer can act, and in an
// update the refund or dispute that it tells of.
// Serialised once, when the event is committed: every attempt posts those same bytes.

import type { HookDetails, HookKind, HookType } from '@tillbell/sdk'
import { actionSays, anotherWay, furtherAction } from './further-action.ts'
import type { ReportedDispute } from './gateway.ts'
import { amountAsNumber, formatAmount } from './money.ts'
import { asksForShipping, canStillBeUsed, type Offer, pageUrlOf } from './offer.ts'
import type { Operation } from './operation.ts'
import { type Address, fullName } from './people.ts'
import { disputePart, refundPart } from './record.ts'
import { buyerOf, customDataOf, type Sale, type ServiceFacts } from './sale.ts'
import { balanceMinor, type Transaction } from './transaction.ts'

/** What an event is told as. Pre-Sale is a question, not an event, and `generic` endpoints get copies of the others. */
export type EventKind = Exclude<HookKind, 'pre_sale' | 'generic'>
export type DetailsType = HookType

/** What the gateway is, or was, asked to do; nothing, where somebody else did something. */
export type Asked = 'charge' | 'capture' | 'void' | 'refund' | 'nothing'

export interface DetailsOf {
  readonly type: DetailsType
  readonly asked: Asked
  readonly at: Date
  readonly news?: News
}

/** What an update tells of, where the Transaction alone does not say which it is. */
export type News = { readonly refund: Operation } | { readonly dispute: ReportedDispute }

export function hookDetails(sale: Sale, service: ServiceFacts, of: DetailsOf): HookDetails {
  const said = saidOfAny(sale, service, of)
  if (of.type === 'far') return { type: of.type, ...said, further_action: furtherAction(sale, service) }
  const way = of.type === 'error' ? anotherWay(sale, service, of.at) : null
  if (way !== null) return { type: of.type, ...said, further_action: way }
  return { type: of.type, ...said, ...(of.news !== undefined && newsPart(of.news)) }
}

function newsPart(news: News) {
  if ('dispute' in news) return { dispute: disputePart(news.dispute) }
  const status = news.refund.outcome === 'succeeded' ? ('succeeded' as const) : ('failed' as const)
  return { refund: { status, ...refundPart(news.refund) } }
}

type SaidOfAny = Omit<HookDetails, 'type' | 'further_action' | 'refund' | 'dispute'>

function saidOfAny(sale: Sale, service: ServiceFacts, of: DetailsOf): SaidOfAny {
  const { transaction, merchant, card } = sale
  const buyer = buyerOf(sale)
  const wrong = of.type === 'far' ? actionSays(transaction) : (transaction.failure?.sentence ?? null)
  const money = (amountMinor: bigint) => formatAmount(amountMinor, transaction.currency)
  return {
    transaction: transaction.id,
    partner: merchant.partner,
    partner_id: merchant.partnerId,
    amount: money(transaction.amountMinor),
    balance: money(['pre_sale', 'far', 'error'].includes(of.type) ? 0n : balanceMinor(transaction)),
    unit_price: money(transaction.unitPriceMinor),
    quantity: transaction.quantity,
    date: Math.floor(of.at.getTime() / 1_000),
    payment_method: card?.token ?? null,
    payment_method_mask: card?.mask ?? null,
    card: card?.token ?? null,
    name: fullName(buyer),
    email: buyer.email,
    ...gatewayIsAskedTo(of.asked, transaction),
    referrer_context: transaction.referrerContext,
    error: wrong,
    errors: wrong === null ? {} : { general: wrong },
    token: tokenPart(sale, service, of.at),
    user_data: userData(sale, service),
  }
}

function gatewayIsAskedTo(asked: Asked, transaction: Transaction): { authorization: boolean; capture: boolean } {
  if (asked === 'capture') return { authorization: false, capture: true }
  if (asked === 'charge') return { authorization: true, capture: !transaction.authorizationOnly }
  return { authorization: false, capture: false }
}

function tokenPart({ offer, transaction, customer }: Sale, service: ServiceFacts, at: Date): SaidOfAny['token'] {
  return {
    amount: amountAsNumber(offer.amountMinor, offer.currency),
    site: transaction.source !== 'Email Transaction',
    url: pageUrlOf(offer, service.baseUrl),
    active: canStillBeUsed(offer, at),
    // The token of an offer for one customer holds their address: it is told of nobody else's payment, and goes with theirs.
    content: offer.email === null || offer.email === customer.email ? offer.tokenContent : '',
    user_data: offerUserData(offer, service),
  }
}

function offerUserData(offer: Offer, service: ServiceFacts): SaidOfAny['token']['user_data'] {
  return {
    item_name: offer.title,
    item_details: offer.details ?? '',
    details: offer.details,
    ref_id: offer.refId ?? '',
    signup_url: pageUrlOf(offer, service.baseUrl),
    custom_fields: offer.customFields.map(({ name, required }) => ({ name, required })),
    custom_data: { ...offer.customData },
    ...(offer.customUserData !== null && { custom_user_data: offer.customUserData }),
    ...(offer.address !== null && { address: offer.address }),
    ...(offer.fulfillment !== null && { fulfillment: offer.fulfillment }),
  }
}

function userData(sale: Sale, service: ServiceFacts): SaidOfAny['user_data'] {
  const { offer, transaction } = sale
  const buyer = buyerOf(sale)
  const billing = addressPart(buyer.billing)
  const shipping = asksForShipping(offer) ? addressPart(buyer.shipping) : null
  return {
    ...offerUserData(offer, service),
    custom_data: customDataOf(sale),
    quantity: String(transaction.quantity),
    ...(billing !== null && { billing: { ...billing, country: billing.country ?? '' } }),
    ...(shipping !== null && { shipping }),
  }
}

function addressPart(address: Address | null) {
  if (address === null) return null
  const { street = '', city = '', state = '', zip = '', street2, country, phone } = address
  const given = { ...(street2 && { street2 }), ...(country && { country }), ...(phone && { phone }) }
  return { street, city, state, zip, ...given }
}
