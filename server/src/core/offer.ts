// offer: what a merchant sells. It does not change after it is made, but for its stock and whether it is active, so a
// transaction can point to it for ever.

import type { GatewayId, MerchantId, OfferId } from './ids.ts'
import { type Currency, displayAmount } from './money.ts'

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json }

export interface CustomField {
  readonly name: string
  readonly required: boolean
}

/** Which addresses the page asks for, as hooks say it. */
export type OfferAddress = 'shipping' | 'billing' | 'shipping,billing'
export type AddressKind = 'shipping' | 'billing'

export interface Offer {
  readonly merchantId: MerchantId
  readonly id: OfferId
  readonly createdAt: Date
  readonly title: string
  readonly details: string | null
  readonly amountMinor: bigint
  /** The amount's text as the merchant gave it; it comes back in the record's user_data. */
  readonly amountGiven: string
  readonly currency: Currency
  readonly refId: string | null
  readonly campaign: string | null
  readonly tag: string | null
  readonly form: string | null
  /** Units left; null: as many as anybody wants. Below zero when a person accepted a late success. */
  readonly stockLeft: number | null
  readonly expiresAt: Date | null
  readonly gatewayId: GatewayId | null
  readonly pageUrl: string | null
  readonly customFields: readonly CustomField[]
  readonly address: OfferAddress | null
  readonly customUserData: string | null
  readonly fulfillment: number | null
  readonly email: string | null
  readonly authorizationOnly: boolean
  readonly customData: { readonly [key: string]: Json }
  readonly tokenContent: string
  readonly active: boolean
}

/** In the order in which the page asks for them. */
export function askedAddresses({ address }: Pick<Offer, 'address'>): readonly AddressKind[] {
  return address === null ? [] : (address.split(',') as AddressKind[])
}

export function asksForShipping(offer: Pick<Offer, 'address'>): boolean {
  return askedAddresses(offer).includes('shipping')
}

export function defaultTitle(amountMinor: bigint, currency: Currency): string {
  return `Payment of ${displayAmount(amountMinor, currency)}.`
}

export type NotForSale = 'inactive' | 'expired' | 'used_up' | 'for_another'

/** As sentences about `service_offer`. */
export const notForSaleSays: { readonly [why in NotForSale]: string } = {
  inactive: 'is not active any more.',
  expired: 'has expired.',
  used_up: 'is used up: not enough units are left.',
  for_another: 'is for another customer.',
}

/** Why these units cannot be sold to this customer now; null: they can. */
export function whyNotForSale(
  offer: Offer,
  sale: { quantity: number; email: string | null; now: Date },
): NotForSale | null {
  if (!offer.active) return 'inactive'
  if (hasExpired(offer, sale.now)) return 'expired'
  if (offer.stockLeft !== null && offer.stockLeft < sale.quantity) return 'used_up'
  if (offer.email !== null && offer.email !== sale.email) return 'for_another'
  return null
}

export function hasExpired(offer: Offer, now: Date): boolean {
  return offer.expiresAt !== null && offer.expiresAt.getTime() <= now.getTime()
}

/** Whether anybody could still pay with it: what the hook's `token.active` says. */
export function canStillBeUsed(offer: Offer, now: Date): boolean {
  return offer.active && !hasExpired(offer, now) && (offer.stockLeft === null || offer.stockLeft > 0)
}

/** The offer after these units were taken, or, below zero, given back. */
export function withUnitsTaken(offer: Offer, units: number): Offer {
  return offer.stockLeft === null ? offer : { ...offer, stockLeft: offer.stockLeft - units }
}

export function pageUrlOf(offer: Offer, baseUrl: string): string {
  return offer.pageUrl ?? ourPageUrl(offer.id, baseUrl)
}

export function ourPageUrl(offerId: OfferId, baseUrl: string): string {
  return `${baseUrl}/offers/${offerId}`
}

/**
 * What an offer adds to a hook's details, twice: as its own user_data and as the token's. Details hold at most 64 KiB, and
 * the rest of them as much as `serialise-details.ts` says.
 * The page's address is there twice more, as the token's url and, in base64, inside the token.
 */
export const offerDetailsBytesMax = 19_456

export function offerDetailsBytes(offer: Omit<Offer, 'tokenContent'>): number {
  const { title, details, customUserData, customFields, customData, refId, pageUrl } = offer
  const text = JSON.stringify({
    title,
    details,
    again: details,
    customUserData,
    customFields,
    customData,
    refId,
    pageUrl: [pageUrl, pageUrl, pageUrl],
  })
  return new TextEncoder().encode(text).length
}
