// token: stands for an offer in a mail. One that was made offline becomes an offer when somebody first shows it, by the
// same rules as one that a merchant makes by REST: what is refused there does not open here.

import { parseEmail } from './email.ts'
import { type CardToken, type MerchantId, type OfferId, parseCardToken } from './ids.ts'
import { type Currency, currencyDecimals, formatAmount, parseCurrency } from './money.ts'
import { defaultTitle, type Json, type Offer, offerDetailsBytes, offerDetailsBytesMax } from './offer.ts'
import { isNothing, termsFrom } from './token-terms.ts'
import { isWebAddress, webAddressCharsMax } from './web-address.ts'

/** No offer whose token is longer has room in a hook. */
export const tokenCharsMax = 2 * offerDetailsBytesMax

/** A float32 has 24 bits: it cannot hold an amount of more minor units. */
export const tokenMinorMax = 10_000_000n

/** What the box says, and its version. */
export interface OpenedToken {
  readonly target: { readonly kind: 'email' | 'card' | 'url'; readonly value: string }
  /** Null: older clients write none. */
  readonly group: string | null
  readonly amount: number
  /** Null: never. */
  readonly expiresAt: Date | null
  /** By the version, which stands outside the box. */
  readonly authorizationOnly: boolean
  /** Text that is no JSON object is its `custom_user_data`. */
  readonly userData: { readonly [name: string]: Json }
}

/** `closed`: it does not open. `inactive`: its offer is not active any more. */
export const tokenStates = ['open', 'used', 'expired', 'revoked', 'inactive', 'closed'] as const

/** What its merchant is told of a token. */
export interface InspectedToken {
  readonly state: (typeof tokenStates)[number]
  /** Why nobody can pay with it; null: it is open. */
  readonly reason: string | null
  /** The id of the Private Key that it was made with. */
  readonly keyId: string | null
  /** Null: it cannot be read. */
  readonly says: TokenSays | null
  readonly offerId: OfferId | null
  readonly revokedAt: Date | null
}

export interface TokenSays extends Omit<OpenedToken, 'amount'> {
  /** In its currency's decimals; where that is not known, or a token cannot hold it, the float as it is. */
  readonly amount: string
  readonly currency: string | null
}

/** Why a token does not open, as a sentence for its merchant. Others learn nothing of it. */
export interface NotOpened {
  readonly why: string
}

/** Whoever pays could have changed the version on the way, where the box does not say what it is. */
export function isUnsignedAuthorization({ authorizationOnly, userData }: OpenedToken): boolean {
  return authorizationOnly && !Object.hasOwn(userData, 'authorization_only')
}

export function tokenHasExpired({ expiresAt }: OpenedToken, now: Date): boolean {
  return expiresAt !== null && expiresAt.getTime() <= now.getTime()
}

export interface TokenFacts {
  readonly merchantId: MerchantId
  /** Of the key that it was made with: what it is in where it names none. */
  readonly keyCurrency: Currency
  readonly id: OfferId
  readonly now: Date
  /** Of the card that it is for; null: it is for none, or there is none. */
  readonly cardEmail: string | null
  /** The token itself. */
  readonly content: string
}

/** The one card that it may charge, where it is for one. */
export function onlyCardOf({ target }: OpenedToken): CardToken | null {
  return target.kind === 'card' ? parseCardToken(target.value) : null
}

/** For one customer, or for one card: anybody may know any other token. */
export function isPersonal({ target }: OpenedToken): boolean {
  return target.kind !== 'url'
}

export function currencyOfToken({ userData }: OpenedToken, keyCurrency: Currency): Currency | NotOpened {
  const { currency: named } = userData
  if (isNothing(named)) return keyCurrency
  const known = typeof named === 'string' ? parseCurrency(named) : null
  return known ?? { why: `user_data.currency is ${JSON.stringify(named).slice(0, 40)}, which is not a known currency.` }
}

/** Made by the rules of `POST offers`: what would be refused there does not open. */
export function offerOfToken(token: OpenedToken, facts: TokenFacts): Offer | NotOpened {
  const { merchantId, id, now, content } = facts
  const currency = currencyOfToken(token, facts.keyCurrency)
  if (typeof currency !== 'string') return currency
  const amountMinor = tokenAmountMinor(token.amount, currency)
  if (typeof amountMinor !== 'bigint') return amountMinor
  const { terms, stock, wrong } = termsFrom(token.userData)
  if (wrong.length > 0) return { why: wrong.join(' ') }
  const payer = payerOf(token, facts.cardEmail, stock)
  if ('why' in payer) return payer
  const offer: Offer = {
    merchantId,
    id,
    createdAt: now,
    ...terms,
    ...payer,
    title: terms.title ?? defaultTitle(amountMinor, currency),
    amountMinor,
    amountGiven: formatAmount(amountMinor, currency),
    currency,
    campaign: null,
    tag: null,
    form: null,
    expiresAt: token.expiresAt,
    gatewayId: null,
    authorizationOnly: token.authorizationOnly,
    tokenContent: content,
    active: true,
  }
  // What the offer says is in a hook twice, and the token once: unlike one of ours it holds all of that again.
  const isTooLarge = offerDetailsBytes(offer) + content.length / 2 > offerDetailsBytesMax
  return isTooLarge ? { why: 'user_data is too large to come back in a hook.' } : offer
}

/** A float holds no decimals exactly: it is rounded to those of its currency. */
export function tokenAmountMinor(amount: number, currency: Currency): bigint | NotOpened {
  const minor = Math.round(amount * 10 ** currencyDecimals(currency))
  if (!(minor > 0)) return { why: `The amount (${amount}) is not more than zero.` }
  if (minor >= Number(tokenMinorMax)) {
    const most = formatAmount(tokenMinorMax - 1n, currency)
    return { why: `The amount (${amount} ${currency}) is more than a token can hold, which is ${most} ${currency}.` }
  }
  return BigInt(minor)
}

type Payer = Pick<Offer, 'email' | 'pageUrl' | 'stockLeft'>

/** A token for one customer pays once, whatever way it is paid. */
function payerOf(token: OpenedToken, cardEmail: string | null, stock: number | null): Payer | NotOpened {
  const { kind, value } = token.target
  const isPublic = kind === 'url'
  const page = isPublic ? value : token.userData.url
  if (!isNothing(page) && !isPage(page)) {
    return {
      why: `${isPublic ? 'The target' : 'user_data.url'} is not an http or https URL of at most ${webAddressCharsMax} characters.`,
    }
  }
  const pageUrl = isNothing(page) ? null : page
  if (isPublic) return { email: null, pageUrl, stockLeft: stock }
  const email = kind === 'email' ? parseEmail(value) : cardEmail
  if (email !== null) return { email, pageUrl, stockLeft: Math.min(stock ?? 1, 1) }
  return { why: kind === 'email' ? 'The target is not an email address.' : noSuchCard }
}

const noSuchCard = 'The card that it is for is not stored: it is not known, was removed, or was given for one payment.'

function isPage(value: Json): value is string {
  return typeof value === 'string' && value.length <= webAddressCharsMax && isWebAddress(value)
}
