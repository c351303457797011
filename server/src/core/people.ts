// merchant: who sells. customer: who buys from one merchant, known by an email address. card: a customer's card in a
// gateway's vault, known here by a token and a mask.

import type { CardType } from './gateway.ts'
import type { CardToken, CustomerId, GatewayId, MerchantId, PartnerUuid } from './ids.ts'
import type { Currency } from './money.ts'

export interface Merchant {
  readonly id: MerchantId
  readonly partner: PartnerUuid
  readonly partnerId: number
  readonly name: string
  readonly email: string
  readonly currency: Currency
}

/** Parts that were not given are left out. */
export interface Address {
  readonly street?: string
  readonly street2?: string
  readonly city?: string
  readonly state?: string
  readonly zip?: string
  readonly country?: string
  readonly phone?: string
}

/** Null where unknown, and everywhere once the customer is erased. */
export interface Customer {
  readonly id: CustomerId
  readonly email: string | null
  readonly firstName: string | null
  readonly lastName: string | null
  readonly smsNumber: string | null
  readonly billing: Address | null
  readonly shipping: Address | null
}

/**
 * What a customer entered on a page for one payment. It stays with that payment: whoever types an address of a customer has
 * not proven to be that customer, and must not change what other payments of theirs say.
 */
export interface Entered {
  readonly firstName: string | null
  readonly lastName: string | null
  readonly billing: Address | null
  readonly shipping: Address | null
  /** To the offer's custom fields, by name; those left empty are left out. As JSON at most `answersBytesMax`. */
  readonly answers: { readonly [name: string]: string }
}

/** What is left for them in a hook's details, beside the largest offer. */
export const answersBytesMax = 6_144

export interface Card {
  readonly token: CardToken
  readonly customerId: CustomerId
  readonly gatewayId: GatewayId
  readonly cardRef: string
  readonly mask: string
  readonly type: CardType
  readonly expiryMonth: number
  readonly expiryYear: number
  readonly removedAt: Date | null
  readonly createdAt: Date
  /** When its customer agreed on a page of ours that it is kept; null: the merchant brought it. */
  readonly consentedAt: Date | null
  /**
   * When the browser that entered it had proven its customer's address, or it was entered on a link of the merchant's; null: whose
   * it is, only the merchant may know.
   */
  readonly confirmedAt: Date | null
  /**
   * When it is to be taken out of its vault; null: it is kept. A card that is entered to pay has this until a payment with it
   * succeeds, and one whose customer did not agree that it is kept has it for good.
   */
  readonly removeAt: Date | null
}

/** A place where a card is stored, and its name there. */
export interface CardVault {
  readonly gatewayId: GatewayId
  readonly cardRef: string
}

export interface CardOfCustomer {
  readonly card: Card
  readonly customer: Customer
  /** Its own gateway first, then where it was copied to. */
  readonly vaults: readonly CardVault[]
}

/** Which cards are listed. */
export interface CardFilter {
  /** Of this customer; null: of all. */
  readonly email: string | null
  readonly isUnconfirmedToo: boolean
}

/** A card is good to the end of its month, wherever on earth its bank is: the last place leaves the month twelve hours after UTC. */
export function cardHasExpired({ expiryMonth, expiryYear }: CardExpiry, now: Date): boolean {
  const oldest = oldestGoodExpiry(now)
  return expiryYear < oldest.expiryYear || (expiryYear === oldest.expiryYear && expiryMonth < oldest.expiryMonth)
}

type CardExpiry = Pick<Card, 'expiryMonth' | 'expiryYear'>

/** Cards with an earlier expiry have expired. */
export function oldestGoodExpiry(now: Date): CardExpiry {
  const there = new Date(now.getTime() - 12 * 3_600_000)
  return { expiryMonth: there.getUTCMonth() + 1, expiryYear: there.getUTCFullYear() }
}

/**
 * Whether somebody who has proven the customer's address, by a mailed link or by a signed email, may pay with this card. Anybody
 * can enter a card on a page under anybody's address, so such a card is usable only after the browser that entered it has
 * proven the same address. For a card that the merchant brought, the merchant answers. REST calls do not ask this.
 */
export function canCustomerUse(card: Card, now: Date): boolean {
  const isKept = card.removedAt === null && card.removeAt === null && !cardHasExpired(card, now)
  return isKept && isConfirmed(card)
}

/** Whether the card is known to be its customer's: the merchant said so, or the customer confirmed it. */
export function isConfirmed({ consentedAt, confirmedAt }: Pick<Card, 'consentedAt' | 'confirmedAt'>): boolean {
  return consentedAt === null || confirmedAt !== null
}

/** The first day of the expiry month, as the interface writes it. */
export function expirationDate(card: Card): string {
  return `${card.expiryYear}-${String(card.expiryMonth).padStart(2, '0')}-01`
}

/** `<street>, <city> <state>, <zip>`; empty when there is none. */
export function billingAddressLine(address: Address | null): string {
  if (address === null) return ''
  const cityAndState = [address.city, address.state].filter(Boolean).join(' ')
  return [address.street, cityAndState, address.zip].filter(Boolean).join(', ')
}

export function fullName(customer: Pick<Customer, 'firstName' | 'lastName'>): string | null {
  return [customer.firstName, customer.lastName].filter(Boolean).join(' ') || null
}
