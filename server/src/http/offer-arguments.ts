// The arguments that make an offer, for whoever makes one or only wants to see how it would look.

import type { Static } from 'typebox'
import { maskCardNumbers } from '../core/card-number.ts'
import { lowerCaseEmail } from '../core/email.ts'
import type { GatewayId, OfferId } from '../core/ids.ts'
import { type Currency, parseAmount, parseCurrency } from '../core/money.ts'
import { defaultTitle, type Json, type Offer, offerDetailsBytes, offerDetailsBytesMax } from '../core/offer.ts'
import {
  cardNumbersIn,
  customFieldCharsMax,
  customFieldsFrom,
  customFieldsMax,
  customFieldsSays,
  fulfillmentMax,
  offerAddresses,
  offerCharsMax,
  stockMax,
  wrongCustomData,
} from '../core/offer-terms.ts'
import type { Merchant } from '../core/people.ts'
import { jsonBytes } from '../core/serialise-details.ts'
import { ApiError } from './errors.ts'
import {
  amountField,
  emailField,
  flagField,
  flagFrom,
  jsonField,
  membersField,
  oneOfField,
  textField,
  timeField,
  timeFrom,
  urlField,
  wholeNumberField,
} from './fields.ts'
import { Type } from './schema.ts'

const customFieldSchema = Type.Object({
  name: Type.String({ minLength: 1, maxLength: customFieldCharsMax }),
  required: Type.Optional(Type.Boolean()),
})
const label = () => Type.Optional(textField(offerCharsMax.label, 'Comes back in the record.'))

export const offerBody = Type.Object({
  amount: amountField('What one unit costs.'),
  title: Type.Optional(textField(offerCharsMax.title, 'What is sold; "Payment of $100.00." by default.')),
  details: Type.Optional(textField(offerCharsMax.details, 'More about it.')),
  ref_id: Type.Optional(textField(offerCharsMax.refId, "The merchant's own id.")),
  campaign: label(),
  tag: label(),
  form: label(),
  currency: Type.Optional(textField(3, "ISO 4217; the merchant's own by default.")),
  stock: Type.Optional(wholeNumberField(0, stockMax, 'Units there are; without end by default.')),
  expires_at: Type.Optional(timeField('When it can no longer be bought.')),
  gateway: Type.Optional(textField(64, 'The only gateway to charge it at.')),
  page_url: Type.Optional(urlField("A page of the merchant's own instead of ours.")),
  custom_fields: Type.Optional(
    jsonField(
      Type.Array(customFieldSchema, { maxItems: customFieldsMax }),
      customFieldsSays,
      'What else to ask the customer.',
    ),
  ),
  address: Type.Optional(oneOfField(offerAddresses, 'The address to ask for, or both.')),
  custom_user_data: Type.Optional(textField(offerCharsMax.customUserData, 'Comes back in every hook.')),
  fulfillment: Type.Optional(wholeNumberField(0, fulfillmentMax, 'Comes back in every hook.')),
  email: Type.Optional(emailField('Only this customer may use it.')),
  authorization_only: Type.Optional(flagField('Authorise when bought, capture later.')),
  custom_data: Type.Optional(
    membersField(
      'custom_data',
      'Comes back in every hook. In a form each member is an argument: `custom_data[key]=value`.',
    ),
  ),
})
export type OfferBody = Static<typeof offerBody>

export type NewOffer = Omit<Offer, 'tokenContent'>

export interface KnownOfOffer {
  readonly merchant: Merchant
  /** The one that `gateway` names; null: it names none. */
  readonly gatewayId: GatewayId | null
  readonly id: OfferId
  readonly now: Date
}

/** What is wrong is thrown, a sentence for each field. */
export function readOffer(body: OfferBody, { merchant, gatewayId, id, now }: KnownOfOffer): NewOffer {
  const errors: { [field: string]: string } = {}
  const currency = body.currency === undefined ? merchant.currency : parseCurrency(body.currency)
  if (currency === null) errors.currency = 'currency must be an ISO 4217 code such as "USD".'
  const amountMinor = amountFrom(body.amount, currency ?? merchant.currency, errors)
  const { custom_data: customData = {}, ...others } = body
  Object.assign(errors, wrongCustomData(customData), cardNumbersIn(others))
  const customFields = customFieldsFrom((body.custom_fields ?? []) as Json, customData)
  if (customFields === null) errors.custom_fields = `custom_fields ${customFieldsSays}`
  const offer = {
    merchantId: merchant.id,
    id,
    createdAt: now,
    title: body.title || defaultTitle(amountMinor, currency ?? merchant.currency),
    details: body.details ?? null,
    amountMinor,
    amountGiven: body.amount,
    currency: currency ?? merchant.currency,
    refId: body.ref_id ?? null,
    campaign: body.campaign ?? null,
    tag: body.tag ?? null,
    form: body.form ?? null,
    stockLeft: body.stock === undefined ? null : Number(body.stock),
    expiresAt: body.expires_at === undefined ? null : timeFrom(body.expires_at),
    gatewayId,
    pageUrl: body.page_url ?? null,
    customFields: customFields ?? [],
    address: body.address ?? null,
    customUserData: body.custom_user_data ?? null,
    fulfillment: body.fulfillment === undefined ? null : Number(body.fulfillment),
    email: body.email === undefined ? null : lowerCaseEmail(body.email),
    authorizationOnly: flagFrom(body.authorization_only) ?? false,
    customData: { ...customData },
    active: true,
  }
  if (offerDetailsBytes(offer) > offerDetailsBytesMax) {
    const field = maskCardNumbers(largestOf(body))
    errors[field] ??=
      `${field} makes the offer too large to come back in a hook: all arguments together may have ${offerDetailsBytesMax} bytes as JSON text.`
  }
  if (Object.keys(errors).length > 0) throw new ApiError(422, errors)
  return offer
}

type Found = { [field: string]: string }

/** Where shortening helps most. */
function largestOf(body: OfferBody): string {
  const sizes = Object.entries(body).map(([name, value]) => [name, jsonBytes(JSON.stringify(value))] as const)
  return sizes.reduce((largest, each) => (each[1] > largest[1] ? each : largest))[0]
}

function amountFrom(text: string, currency: Currency, errors: Found): bigint {
  const parsed = parseAmount(text, currency)
  if ('amountMinor' in parsed) return parsed.amountMinor
  errors.amount = `amount ${parsed.wrong}`
  return 0n
}
