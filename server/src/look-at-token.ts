// Looks at a token: whose it is, which key opens it, what it says and what is known of it.

import type { MerchantId, OfferId } from './core/ids.ts'
import type { Offer } from './core/offer.ts'
import { isUnsignedAuthorization, type OpenedToken, onlyCardOf, tokenHasExpired } from './core/token.ts'
import type { ClosedToken, OpenBox, OpenedBox } from './keys/open-token.ts'
import type { KnownToken, TokenForm, TokenKey, TokenMerchant, TokenOfOffer } from './store/tokens.ts'

export interface RevokedToken {
  readonly revokedAt: Date
  /** What it stood for; null: nobody had shown it. */
  readonly offerId: OfferId | null
}

export interface TokenPorts {
  readonly openBox: OpenBox
  /** Remembers nothing of the keys. */
  readonly openBoxOnce: OpenBox
  readonly now: () => Date
  readonly newOfferId: () => OfferId
  /** Whether the mode of the service lets a token authorise without saying so inside its box. */
  readonly opensUnsignedAuthorizations: boolean
  findMerchant(partnerId: bigint): Promise<TokenMerchant | null>
  findCompromisedKeys(merchantId: MerchantId): Promise<readonly TokenKey[]>
  find(merchantId: MerchantId, token: TokenForm, card: string): Promise<KnownToken>
  /** `known`: another request has written this token meanwhile. */
  insert(offer: Offer, token: TokenOfOffer): Promise<'written' | 'known'>
  /** Of a token whose box has an offer by its other version. */
  insertOtherVersion(offer: Offer, boxSha256: Buffer): Promise<'written' | 'known'>
  revoke(merchantId: MerchantId, token: TokenForm, now: Date): Promise<RevokedToken>
}

/** A token that was looked at: what is null was not there. */
export interface Seen {
  readonly closed: ClosedToken
  readonly merchant: TokenMerchant | null
  /** The key that opened it. */
  readonly key: TokenKey | null
  readonly opened: OpenedBox['token'] | null
  readonly known: KnownToken
}

const nobody = '' as MerchantId

/** The same work, whatever is found. */
export async function look(ports: TokenPorts, closed: ClosedToken): Promise<Seen> {
  const merchant = await ports.findMerchant(closed.partnerId)
  const keys = merchant?.keys ?? []
  const box = ports.openBox(
    closed,
    keys.map(({ publicKey }) => publicKey),
  )
  const opened = box?.token ?? null
  const card = opened === null || 'why' in opened ? '' : (onlyCardOf(opened) ?? '')
  const known = await ports.find(merchant?.merchantId ?? nobody, closed, card)
  return { closed, merchant, key: keys.find(({ publicKey }) => publicKey === box?.publicKey) ?? null, opened, known }
}

/** Null: it does not open. */
export function openedIn(ports: TokenPorts, { merchant, opened }: Seen): OpenedToken | null {
  if (merchant === null || opened === null || 'why' in opened) return null
  return isUnsignedAuthorization(opened) && !opensUnsigned(ports, merchant) ? null : opened
}

export function opensUnsigned(
  { opensUnsignedAuthorizations }: Pick<TokenPorts, 'opensUnsignedAuthorizations'>,
  { unsignedAuthorizations }: TokenMerchant,
): boolean {
  return unsignedAuthorizations ?? opensUnsignedAuthorizations
}

/** Where each customer may pay once, whether this one has is not known before the sender is: the commit of a payment sees to it. */
export function canPay(opened: OpenedToken, known: KnownToken): boolean {
  const hasCard = opened.target.kind !== 'card' || known.cardEmail !== null
  return !known.isUsedUp && hasCard
}

/** For good: one that was used up can pay again where its payment came to nothing. */
export function hasEnded(opened: OpenedToken, known: KnownToken, now: Date): boolean {
  return known.revokedAt !== null || tokenHasExpired(opened, now)
}
