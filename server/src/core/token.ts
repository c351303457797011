// token: stands for an offer in a mail. One that was made offline becomes an offer when somebody first shows it, by the
// same rules as one that a merchant makes by REST: what is refused there does not open here.

import { parseEmail } from './email.ts'
import { type CardToken, type MerchantId, type OfferId, parseCardToken } from './ids.ts'
import { memberNameCharsMax, whyNotKept } from './kept-json.ts'
import { type Currency, currencyDecimals, formatAmount } from './money.ts'
import { defaultTitle, type Json, type Offer, offerDetailsBytes, offerDetailsBytesMax } from './offer.ts'
import {
  cardNumbersIn,
  customFieldsFrom,
  fulfillmentMax,
  offerAddresses,
  offerCharsMax,
  wrongCustomData,
} from './offer-terms.ts'
import { isWebAddress, webAddressCharsMax } from './web-address.ts'

/** No offer whose token is longer has room in a hook. */
export const tokenCharsMax = 2 * offerDetailsBytesMax

/** What the box says. */
export interface OpenedToken {
  readonly target: { readonly kind: 'email' | 'card' | 'url'; readonly value: string }
  readonly group: string
  readonly amount: number
  /** Null: never. */
  readonly expiresAt: Date | null
  readonly authorizationOnly: boolean
  readonly userData: { readonly [name: string]: Json }
}

export function tokenHasExpired({ expiresAt }: OpenedToken, now: Date): boolean {
  return expiresAt !== null && expiresAt.getTime() <= now.getTime()
}

export interface TokenFacts {
  readonly merchantId: MerchantId
  readonly currency: Currency
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

/** Null: no offer can say that. */
export function offerOfToken(token: OpenedToken, facts: TokenFacts): Offer | null {
  const { merchantId, currency, id, now, content } = facts
  const amountMinor = tokenAmountMinor(token.amount, currency)
  const payer = payerOf(token, facts.cardEmail)
  const said = termsFrom(token.userData)
  if (amountMinor === null || payer === null || said === null) return null
  const offer: Offer = {
    merchantId,
    id,
    createdAt: now,
    ...said,
    ...payer,
    title: said.title ?? defaultTitle(amountMinor, currency),
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
  return offerDetailsBytes(offer) + content.length / 2 > offerDetailsBytesMax ? null : offer
}

/** A float holds no cents exactly: it is rounded to them. What the currency cannot say then is no amount of it. */
export function tokenAmountMinor(amount: number, currency: Currency): bigint | null {
  const cents = BigInt(Math.round(amount * 100))
  const decimals = currencyDecimals(currency)
  if (cents <= 0n || cents >= 10_000_000n) return null
  if (decimals >= 2) return cents * 10n ** BigInt(decimals - 2)
  const centsInUnit = 10n ** BigInt(2 - decimals)
  return cents % centsInUnit === 0n ? cents / centsInUnit : null
}

type Payer = Pick<Offer, 'email' | 'pageUrl' | 'stockLeft'>

/** A token for one customer pays once, whatever way it is paid. */
function payerOf({ target: { kind, value } }: OpenedToken, cardEmail: string | null): Payer | null {
  if (kind === 'url') {
    const isAddress = value.length <= webAddressCharsMax && isWebAddress(value)
    return isAddress ? { email: null, pageUrl: value, stockLeft: null } : null
  }
  const email = kind === 'email' ? parseEmail(value) : cardEmail
  return email === null ? null : { email, pageUrl: null, stockLeft: 1 }
}

type Terms = Pick<
  Offer,
  'details' | 'refId' | 'customFields' | 'address' | 'customUserData' | 'fulfillment' | 'customData'
>

function termsFrom(userData: OpenedToken['userData']): (Terms & { readonly title: string | null }) | null {
  const { custom_data: data, custom_fields: fields, item_details, details, address, fulfillment } = userData
  const customData = isNothing(data) ? {} : data
  if (typeof customData !== 'object' || customData === null || Array.isArray(customData)) return null
  const texts = {
    title: textFrom(userData.item_name, offerCharsMax.title),
    details: textFrom(isNothing(item_details) ? details : item_details, offerCharsMax.details),
    refId: textFrom(userData.ref_id, offerCharsMax.refId),
    customUserData: textFrom(userData.custom_user_data, offerCharsMax.customUserData),
  }
  const customFields = isNothing(fields) ? [] : customFieldsFrom(fields, customData)
  const units = isNothing(fulfillment) ? null : wholeNumberFrom(fulfillment)
  const place = isNothing(address) ? null : offerAddresses.find(known => known === address)
  const { title, details: more, refId, customUserData } = texts
  if (title === false || more === false || refId === false || customUserData === false) return null
  if (customFields === null || units === undefined || place === undefined) return null
  if (!canBeKept(userData)) return null
  if (hasAny(wrongCustomData(customData)) || hasAny(cardNumbersIn(texts))) return null
  return { title, details: more, refId, customUserData, customFields, customData, address: place, fulfillment: units }
}

const hasAny = (errors: object) => Object.keys(errors).length > 0

/** The interface's own samples leave a member empty where there is nothing to say. */
function isNothing(value: Json | undefined): value is undefined | null | '' {
  return value === undefined || value === null || value === ''
}

/** False: it is no text, or too long. */
function textFrom(value: Json | undefined, charsMax: number): string | null | false {
  if (isNothing(value)) return null
  return typeof value === 'string' && [...value].length <= charsMax ? value : false
}

function wholeNumberFrom(value: Json): number | undefined {
  const isWhole = typeof value === 'number' ? Number.isInteger(value) : /^(0|[1-9][0-9]{0,9})$/.test(String(value))
  const number = Number(value)
  return isWhole && number >= 0 && number <= fulfillmentMax ? number : undefined
}

function canBeKept(members: { readonly [name: string]: Json }): boolean {
  return Object.entries(members).every(
    ([name, value]) => name.length <= memberNameCharsMax && whyNotKept(name, value) === null,
  )
}
