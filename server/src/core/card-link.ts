// A link on which a customer enters a card for a merchant, once, without paying.

import type { CardToken, GatewayId, MerchantId } from './ids.ts'

export interface NewCardLink {
  readonly merchantId: MerchantId
  readonly email: string
  readonly firstName: string | null
  readonly lastName: string | null
  readonly gatewayId: GatewayId
  /** Where the customer may go on afterwards. */
  readonly returnUrl: string | null
  readonly createdAt: Date
  readonly expiresAt: Date
}

export interface CardLink extends NewCardLink {
  /** The secret itself is in the address alone. */
  readonly secretSha256: Buffer
  readonly usedAt: Date | null
  /** What it was used for. */
  readonly cardToken: CardToken | null
}

export const cardLinkLifeMs = 24 * 3_600_000

export function cardLinkState({ usedAt, expiresAt }: CardLink, now: Date): 'open' | 'used' | 'expired' {
  if (usedAt !== null) return 'used'
  return now < expiresAt ? 'open' : 'expired'
}

/** What stands in the address: it says whose it is, so that nothing else needs to. */
export function cardLinkName(merchantId: MerchantId, secret: string): string {
  return `${merchantId}.${secret}`
}

/** Null: no such name. */
export function parseCardLink(name: string): { readonly merchantId: MerchantId; readonly secret: string } | null {
  const [, merchantId, secret] = /^(m_[A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{43})$/.exec(name) ?? []
  return merchantId === undefined || secret === undefined ? null : { merchantId: merchantId as MerchantId, secret }
}
