// The Transaction record of the REST interface (seed 2.6 to 2.9), written the same way wherever it appears.

import { furtherAction } from './further-action.ts'
import type { ReportedDispute } from './gateway.ts'
import { formatAmount } from './money.ts'
import { asksForShipping, type Json, pageUrlOf } from './offer.ts'
import { isInDoubt, type Operation } from './operation.ts'
import { type Address, billingAddressLine, expirationDate } from './people.ts'
import { buyerOf, customDataOf, isoTime, type Sale, type ServiceFacts } from './sale.ts'
import type { Transaction } from './transaction.ts'

type JsonObject = { [key: string]: Json }

export function transactionRecord(sale: Sale, service: ServiceFacts): JsonObject {
  const { transaction } = sale
  const { currency } = transaction
  return {
    id: transaction.id,
    created_at: isoTime(transaction.createdAt),
    status: transaction.status,
    amount: formatAmount(transaction.amountMinor, currency),
    net_amount: transaction.netAmountMinor === null ? null : formatAmount(transaction.netAmountMinor, currency),
    merchant: transaction.merchantId,
    gateway: transaction.gatewayId,
    source: transaction.source,
    offer: offerPart(sale, service),
    customer: customerPart(sale),
    user_data: userDataPart(sale, service),
    ...(transaction.failure !== null && {
      error: transaction.failure.sentence,
      error_code: transaction.failure.code,
    }),
    ...(transaction.status === 'Further Action Required' && { further_action: furtherAction(sale, service) }),
    ...(sale.operations.some(isInDoubt) && { in_doubt: true }),
    ...capturedPart(transaction),
    ...refundParts(sale),
    ...disputeParts(sale),
  }
}

function offerPart({ offer }: Sale, service: ServiceFacts): JsonObject {
  return {
    id: offer.id,
    ref_id: offer.refId,
    details: offer.details,
    item_name: offer.title,
    signup_url: pageUrlOf(offer, service.baseUrl),
    campaign: offer.campaign,
    tag: offer.tag,
    form: offer.form,
  }
}

function customerPart(sale: Sale): JsonObject {
  const { card } = sale
  const buyer = buyerOf(sale)
  return {
    first_name: buyer.firstName ?? '',
    last_name: buyer.lastName ?? '',
    email: buyer.email ?? '',
    sms_number: buyer.smsNumber,
    billing_address: billingAddressLine(buyer.billing),
    card_mask: card?.mask ?? '',
    card_type: card?.type ?? '',
    expiration_date: card === null ? '' : expirationDate(card),
    service_token: card?.token ?? '',
  }
}

function userDataPart(sale: Sale, service: ServiceFacts): JsonObject {
  const { offer, transaction } = sale
  const buyer = buyerOf(sale)
  return {
    billing: addressParts(buyer.billing),
    shipping: asksForShipping(offer) ? addressParts(buyer.shipping) : null,
    custom_data: customDataOf(sale),
    amount: offer.amountGiven,
    demo: service.mode === 'sandbox' ? '1' : '0',
    offer_confined_gateway: transaction.gatewayId,
  }
}

function addressParts(address: Address | null): JsonObject {
  const { state = '', city = '', street = '', street2 = '', zip = '', phone = '', country } = address ?? {}
  return { state, city, street, street2, zip, phone, ...(country && { country }) }
}

/** What was authorised first may be captured in part: then the amount alone does not say what was taken. */
function capturedPart({ authorizationOnly, capturedMinor, currency }: Transaction): JsonObject {
  return authorizationOnly && capturedMinor > 0n ? { captured_amount: formatAmount(capturedMinor, currency) } : {}
}

export function refundPart(refund: Operation) {
  return {
    refunded_at: isoTime(refund.settledAt ?? refund.createdAt),
    refunded_by: refund.refundedBy,
    refunded_reason: refund.refundedReason,
    refunded_token: refund.id,
    refunded_amount: formatAmount(refund.amountMinor, refund.currency),
  }
}

export function disputePart({ status, amountMinor, currency, reason, openedAt }: ReportedDispute) {
  return { status, amount: formatAmount(amountMinor, currency), reason, opened_at: isoTime(openedAt) }
}

function refundParts({ operations }: Sale): JsonObject {
  const succeeded = operations.filter(({ kind, outcome }) => kind === 'refund' && outcome === 'succeeded')
  const all = succeeded.map(refundPart)
  const newest = all.at(-1)
  return newest === undefined ? {} : { refund: newest, refunds: all }
}

function disputeParts({ disputes }: Sale): JsonObject {
  const all = disputes.map(disputePart)
  const newest = all.at(-1)
  return newest === undefined ? {} : { dispute: newest, disputes: all }
}
