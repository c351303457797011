// Offers as their merchant sees them: how each sells, and the token that stands for it in mails.

import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { type MerchantId, type OfferId, parseUuid } from '../core/ids.ts'
import { answerText } from '../core/json.ts'
import { formatAmount } from '../core/money.ts'
import { hasExpired, type Offer } from '../core/offer.ts'
import { isoTime } from '../core/sale.ts'
import type { OfferFilter, SoldInDetail, SoldOffer } from '../core/selling.ts'
import { callerOf } from '../http/answering.ts'
import { ApiError } from '../http/errors.ts'
import { flagField, flagFrom, textField } from '../http/fields.ts'
import { inListTurn } from '../http/list-limiter.ts'
import { pageFields, pageFrom, sendPage } from '../http/list-pages.ts'
import { Type } from '../http/schema.ts'
import type { OfferRow, OfferSales, OfferState, OfferToken } from './contract/selling.ts'
import type { ConsolePorts } from './ports.ts'

export interface SellingPorts {
  readonly selling: {
    list(merchantId: MerchantId, filter: OfferFilter): Promise<SoldOffer[]>
    findOffer(merchantId: MerchantId, id: OfferId): Promise<Offer | null>
    salesOf(offer: Offer): Promise<SoldInDetail>
    now(): Date
    /** Where mails with tokens go; null: no mail comes here, or the merchant takes no payments by mail. */
    tokenAddress(merchantId: MerchantId): Promise<string | null>
  }
}

const listQuery = Type.Object({
  ...pageFields,
  search: Type.Optional(textField(255, 'An id, a ref_id, or how a title begins.')),
  active: Type.Optional(flagField('Only those that were not deactivated, or only those that were.')),
})
const pathId = Type.Object({ id: Type.String() })
const looks = { needs: 'viewer' } as const
const looksAtOne = { config: looks, schema: { params: pathId } }

export function sellingRoutes(app: FastifyInstance, { selling, service }: SellingPorts & ConsolePorts): void {
  const offerNamed = async (merchantId: MerchantId, text: string): Promise<Offer> => {
    const id = parseUuid<OfferId>(text)
    const offer = id === null ? null : await selling.findOffer(merchantId, id)
    if (offer === null) throw ApiError.notKnown('offer')
    return offer
  }

  app.get<{ Querystring: Static<typeof listQuery> }>(
    '/offers',
    { config: looks, schema: { querystring: listQuery } },
    async (request, reply) => {
      const { query } = request
      const page = pageFrom(query, parseUuid<OfferId>)
      const filter = { ...page, search: query.search?.trim() || null, active: flagFrom(query.active) }
      const { merchantId } = callerOf(request)
      const now = selling.now()
      return sendPage(request, reply, service.baseUrl, {
        page,
        read: part => selling.list(merchantId, { ...filter, ...part }),
        idOf: ({ offer }) => offer.id,
        render: row => rowView(row, now),
      })
    },
  )

  app.get<{ Params: Static<typeof pathId> }>('/offers/:id/sales', looksAtOne, async (request, reply) => {
    const offer = await offerNamed(callerOf(request).merchantId, request.params.id)
    const sales = salesView(offer, await inListTurn(request, () => selling.salesOf(offer)), selling.now())
    return reply.send(answerText({ sales: { ...sales } }))
  })

  app.get<{ Params: Static<typeof pathId> }>('/offers/:id/token', looksAtOne, async (request, reply) => {
    const { merchantId, tokenContent } = await offerNamed(callerOf(request).merchantId, request.params.id)
    const token: OfferToken = { content: tokenContent || null, address: await selling.tokenAddress(merchantId) }
    return reply.send(answerText({ token: { ...token } }))
  })
}

function stateOf(offer: Offer, now: Date): OfferState {
  if (!offer.active) return 'inactive'
  if (hasExpired(offer, now)) return 'expired'
  return offer.stockLeft !== null && offer.stockLeft <= 0 ? 'used_up' : 'active'
}

function rowView({ offer, sold, capturedMinor, isMore }: SoldOffer, now: Date) {
  const { id, title, amountMinor, currency, refId, stockLeft, createdAt } = offer
  return {
    offer_id: id,
    title,
    amount: formatAmount(amountMinor, currency),
    currency,
    ref_id: refId,
    state: stateOf(offer, now),
    stock: stockLeft,
    created_at: isoTime(createdAt),
    sold: { count: sold, amount: formatAmount(capturedMinor, currency), at_least: isMore },
  } satisfies OfferRow
}

function salesView(offer: Offer, sales: SoldInDetail, now: Date): OfferSales {
  const { currency } = offer
  return {
    state: stateOf(offer, now),
    currency,
    sold: sales.sold,
    units: sales.units,
    amount: formatAmount(sales.capturedMinor, currency),
    refunded: formatAmount(sales.refundedMinor, currency),
    reserved: formatAmount(sales.heldMinor, currency),
    failed: sales.failed,
    last_sale_at: sales.lastAt === null ? null : isoTime(sales.lastAt),
    stock: offer.stockLeft,
    at_least: sales.isMore,
  }
}
