// Offers: make, list, show, deactivate.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { type MerchantId, type OfferId, parseUuid } from '../core/ids.ts'
import { answerText } from '../core/json.ts'
import type { Look } from '../core/look.ts'
import { formatAmount } from '../core/money.ts'
import { type Json, type Offer, ourPageUrl, pageUrlOf } from '../core/offer.ts'
import type { Merchant } from '../core/people.ts'
import type { AnswerSubject } from '../core/repetition.ts'
import { isoTime } from '../core/sale.ts'
import { callerOf, keyedAnswer, keyOf, notOther, sendReply } from '../http/answering.ts'
import { ApiError } from '../http/errors.ts'
import { pageFields, pageFrom, sendPage } from '../http/list-pages.ts'
import { type OfferBody, offerBody, readOffer } from '../http/offer-arguments.ts'
import { Type } from '../http/schema.ts'
import { answersWith, answersWithList, offerAnswer } from './answers.ts'
import { namedGateway } from './gateways.ts'
import { mailToOffer } from './mail-to.ts'
import { buttonHtml } from './offer-links.ts'
import type { ApiPorts } from './ports.ts'

const listQuery = Type.Object(pageFields)
const pathId = Type.Object({ id: Type.String() })
const about = { about: 'offer' } as const
const oneOffer = answersWith('offer', offerAnswer)

export function offerRoutes(app: FastifyInstance, ports: ApiPorts): void {
  const { store, core } = ports
  const schema = (summary: string, more: object = {}) => ({ summary, tags: ['offers'], ...more })

  app.post<{ Body: OfferBody }>(
    '/offers',
    { config: about, schema: schema('Make an offer', { body: offerBody, ...oneOffer }) },
    async (request, reply) => {
      const { merchantId } = callerOf(request)
      const seller = await sellerOf(ports, merchantId)
      const { offer, keyId } = await newOffer(ports, seller, request.body)
      const key = keyOf(request, 'offers', request.body as Json)
      const answer = await store.doOnce(merchantId, key, async writes => {
        await writes.insertOffer(offer, keyId)
        return keyedAnswer({ offer: offerView(ports, offer, seller) }, subjectOf(offer))
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
      const seller = await sellerOf(ports, merchantId)
      return sendPage(request, reply, core.service.baseUrl, {
        page,
        read: part => store.listOffers(merchantId, part),
        idOf: ({ id }) => id,
        render: offer => offerView(ports, offer, seller),
      })
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
    return keyedAnswer({ offer: offerView(ports, offer, seller) }, subjectOf(offer))
  })
  return notOther(answer)
}

function subjectOf({ email }: Offer): AnswerSubject | null {
  return email === null ? null : { email }
}

async function newOffer(ports: ApiPorts, { merchant }: Seller, body: OfferBody) {
  const gatewayId = await namedGateway(ports, merchant.id, body.gateway)
  const offer = readOffer(body, { merchant, gatewayId, id: ports.newOfferId(), now: ports.core.now() })
  const { content, keyId } = await ports.offerToken(merchant, offer)
  const whole: Offer = { ...offer, tokenContent: content }
  return { offer: whole, keyId }
}

/** What an offer's links say of who sells it. */
export interface Seller {
  readonly merchant: Merchant
  readonly look: Look
  /** Where mails to its offers go; null: they cannot be paid by mail. */
  readonly mailDomain: string | null
}

export async function sellerOf({ store, mailDomain }: ApiPorts, merchantId: MerchantId): Promise<Seller> {
  const [merchant, look, { payments }] = await Promise.all([
    store.findMerchant(merchantId),
    store.findLook(merchantId),
    store.readMailSettings(merchantId),
  ])
  if (merchant === null) throw new Error(`merchant ${merchantId} is gone`)
  return { merchant, look, mailDomain: payments ? mailDomain : null }
}

function offerView(ports: ApiPorts, offer: Offer, { merchant, look, mailDomain }: Seller): { [name: string]: Json } {
  const { baseUrl } = ports.core.service
  const mailTo = mailDomain === null ? null : mailToOffer(offer, merchant, mailDomain)
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
