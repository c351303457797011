// Offers: make, list, show, deactivate.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { type MerchantId, type OfferId, parseUuid } from '../core/ids.ts'
import { answerText } from '../core/json.ts'
import type { Look } from '../core/look.ts'
import { mailToOffer } from '../core/mail-to.ts'
import { type Currency, formatAmount, parseAmount, parseCurrency } from '../core/money.ts'
import {
  defaultTitle,
  type Json,
  type Offer,
  offerDetailsBytes,
  offerDetailsBytesMax,
  ourPageUrl,
  pageUrlOf,
} from '../core/offer.ts'
import {
  cardNumbersIn,
  customFieldCharsMax,
  customFieldsFrom,
  customFieldsMax,
  customFieldsSays,
  fulfillmentMax,
  offerAddresses,
  offerCharsMax,
  wrongNamesIn,
} from '../core/offer-terms.ts'
import type { Merchant } from '../core/people.ts'
import { isoTime } from '../core/sale.ts'
import { callerOf, keyOf, notOther, pageFields, pageFrom, sendPage, sendReply } from '../http/answering.ts'
import { ApiError } from '../http/errors.ts'
import {
  amountField,
  emailField,
  flagField,
  flagFrom,
  jsonField,
  oneOfField,
  textField,
  timeField,
  timeFrom,
  urlField,
  wholeNumberField,
} from '../http/fields.ts'
import { Type } from '../http/schema.ts'
import { answersWith, answersWithList, offerAnswer } from './answers.ts'
import { namedGateway } from './gateways.ts'
import { buttonHtml } from './offer-links.ts'
import type { ApiPorts } from './ports.ts'

const customFieldSchema = Type.Object({
  name: Type.String({ minLength: 1, maxLength: customFieldCharsMax }),
  required: Type.Optional(Type.Boolean()),
})
const label = () => Type.Optional(textField(offerCharsMax.label, 'Comes back in the record.'))

const given = {
  amount: amountField('What one unit costs.'),
  title: Type.Optional(textField(offerCharsMax.title, 'What is sold; "Payment of $100.00." by default.')),
  details: Type.Optional(textField(offerCharsMax.details, 'More about it.')),
  ref_id: Type.Optional(textField(offerCharsMax.refId, "The merchant's own id.")),
  campaign: label(),
  tag: label(),
  form: label(),
  currency: Type.Optional(textField(3, "ISO 4217; the merchant's own by default.")),
  stock: Type.Optional(wholeNumberField(0, 1_000_000_000, 'Units there are; without end by default.')),
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
  address: Type.Optional(oneOfField(offerAddresses, 'The address to ask for.')),
  custom_user_data: Type.Optional(textField(offerCharsMax.customUserData, 'Comes back in every hook.')),
  fulfillment: Type.Optional(wholeNumberField(0, fulfillmentMax, 'Comes back in every hook.')),
  email: Type.Optional(emailField('Only this customer may use it.')),
  authorization_only: Type.Optional(flagField('Authorise when bought, capture later.')),
}
/** Any other argument is kept in `custom_data` and comes back in every hook. */
const createBody = Type.Object(given, { additionalProperties: true })
type CreateBody = Static<typeof createBody> & { [name: string]: Json }

const listQuery = Type.Object(pageFields)
const pathId = Type.Object({ id: Type.String() })
const about = { about: 'offer' } as const
const oneOffer = answersWith('offer', offerAnswer)

export function offerRoutes(app: FastifyInstance, ports: ApiPorts): void {
  const { store, core } = ports
  const schema = (summary: string, more: object = {}) => ({ summary, tags: ['offers'], ...more })

  app.post<{ Body: CreateBody }>(
    '/offers',
    { config: about, schema: schema('Make an offer', { body: createBody, ...oneOffer }) },
    async (request, reply) => {
      const { merchantId } = callerOf(request)
      const offer = await newOffer(ports, merchantId, request.body)
      const seller = await sellerOf(ports, merchantId)
      const key = keyOf(request, 'offers', request.body)
      const answer = await store.doOnce(merchantId, key, async writes => {
        await writes.insertOffer(offer)
        return { status: 200, text: answerText({ offer: offerView(ports, offer, seller) }) }
      })
      return sendReply(reply, notOther(answer))
    },
  )

  app.get<{ Querystring: Static<typeof listQuery> }>(
    '/offers',
    {
      config: about,
      schema: schema('List offers', { querystring: listQuery, ...answersWithList('offer', offerAnswer) }),
    },
    async (request, reply) => {
      const page = pageFrom(request.query, parseUuid<OfferId>)
      const { merchantId } = callerOf(request)
      const [rows, seller] = await Promise.all([store.listOffers(merchantId, page), sellerOf(ports, merchantId)])
      const render = (offer: Offer) => offerView(ports, offer, seller)
      return sendPage(request, reply, core.service.baseUrl, { rows, limit: page.limit, idOf: ({ id }) => id, render })
    },
  )

  app.get<{ Params: Static<typeof pathId> }>(
    '/offers/:id',
    { config: about, schema: schema('Show an offer', { params: pathId, ...oneOffer }) },
    async (request, reply) => {
      const id = parseUuid<OfferId>(request.params.id)
      const { merchantId } = callerOf(request)
      const offer = id === null ? null : await store.findOffer(merchantId, id)
      if (offer === null) throw ApiError.notKnown('offer')
      return reply.send(answerText({ offer: offerView(ports, offer, await sellerOf(ports, merchantId)) }))
    },
  )

  app.delete<{ Params: Static<typeof pathId> }>(
    '/offers/:id',
    { config: about, schema: schema('Deactivate an offer', { params: pathId, ...oneOffer }) },
    async (request, reply) => sendReply(reply, await deactivate(ports, request, request.params.id)),
  )
}

async function deactivate(ports: ApiPorts, request: FastifyRequest, text: string) {
  const id = parseUuid<OfferId>(text)
  if (id === null) throw ApiError.notKnown('offer')
  const { merchantId } = callerOf(request)
  const seller = await sellerOf(ports, merchantId)
  const answer = await ports.store.doOnce(merchantId, keyOf(request, 'offers delete', id), async writes => {
    const offer = await writes.deactivateOffer(merchantId, id)
    if (offer === null) throw ApiError.notKnown('offer')
    return { status: 200, text: answerText({ offer: offerView(ports, offer, seller) }) }
  })
  return notOther(answer)
}

async function newOffer(ports: ApiPorts, merchantId: MerchantId, body: CreateBody): Promise<Offer> {
  const merchant = await ports.store.findMerchant(merchantId)
  if (merchant === null) throw new Error(`merchant ${merchantId} is gone`)
  const errors: { [field: string]: string } = {}
  const currency = body.currency === undefined ? merchant.currency : parseCurrency(body.currency)
  if (currency === null) errors.currency = 'currency must be an ISO 4217 code such as "USD".'
  const amountMinor = amountFrom(body.amount, currency ?? merchant.currency, errors)
  const gatewayId = await namedGateway(ports, merchantId, body.gateway)
  const customData = customDataFrom(body)
  Object.assign(errors, wrongNamesIn(customData), cardNumbersIn({ ...body, ...customData }))
  const customFields = customFieldsFrom(listFrom(body.custom_fields), customData)
  if (customFields === null) errors.custom_fields = `custom_fields ${customFieldsSays}`
  const offer = {
    merchantId,
    id: ports.newOfferId(),
    createdAt: ports.core.now(),
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
    email: body.email?.toLowerCase() ?? null,
    authorizationOnly: flagFrom(body.authorization_only) ?? false,
    customData,
    active: true,
  }
  if (offerDetailsBytes(offer) > offerDetailsBytesMax)
    errors.general = 'The arguments are too large to come back in a hook.'
  if (Object.keys(errors).length > 0) throw new ApiError(422, errors)
  return { ...offer, tokenContent: await ports.offerToken(merchant, offer) }
}

type Found = { [field: string]: string }

function amountFrom(text: string, currency: Currency, errors: Found): bigint {
  const parsed = parseAmount(text, currency)
  if ('amountMinor' in parsed) return parsed.amountMinor
  errors.amount = `amount ${parsed.wrong}`
  return 0n
}

function customDataFrom(body: CreateBody): { [name: string]: Json } {
  return Object.fromEntries(
    Object.entries(body as { [name: string]: Json }).filter(([name]) => !Object.hasOwn(given, name)),
  )
}

/** In a form it is the JSON text of a list. Null: it is not. */
function listFrom(value: unknown): Json {
  if (typeof value !== 'string') return (value ?? []) as Json
  try {
    return JSON.parse(value)
  } catch {
    return null
  }
}

/** What an offer's links say of who sells it. */
interface Seller {
  readonly merchant: Merchant
  readonly look: Look
}

async function sellerOf({ store }: ApiPorts, merchantId: MerchantId): Promise<Seller> {
  const [merchant, look] = await Promise.all([store.findMerchant(merchantId), store.findLook(merchantId)])
  if (merchant === null) throw new Error(`merchant ${merchantId} is gone`)
  return { merchant, look }
}

function offerView(ports: ApiPorts, offer: Offer, { merchant, look }: Seller): { [name: string]: Json } {
  const { baseUrl } = ports.core.service
  const mailTo = ports.mailDomain === null ? null : mailToOffer(offer, merchant, ports.mailDomain)
  const links = { pageUrl: pageUrlOf(offer, baseUrl), mailTo }
  return {
    offer_id: offer.id,
    title: offer.title,
    amount: formatAmount(offer.amountMinor, offer.currency),
    currency: offer.currency,
    pcp_url: links.pageUrl,
    mail_to: links.mailTo,
    qr_code: `${ourPageUrl(offer.id, baseUrl)}.png`,
    button_html: buttonHtml(offer, links, look),
    merchant: offer.merchantId,
    ref_id: offer.refId,
    details: offer.details,
    campaign: offer.campaign,
    tag: offer.tag,
    form: offer.form,
    stock: offer.stockLeft,
    expires_at: offer.expiresAt === null ? null : isoTime(offer.expiresAt),
    gateway: offer.gatewayId,
    custom_fields: offer.customFields.map(({ name, required }) => ({ name, required })),
    address: offer.address,
    custom_user_data: offer.customUserData,
    fulfillment: offer.fulfillment,
    email: offer.email,
    authorization_only: offer.authorizationOnly,
    custom_data: { ...offer.customData },
    active: offer.active,
    created_at: isoTime(offer.createdAt),
  }
}
