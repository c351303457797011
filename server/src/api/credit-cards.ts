// Stored cards: masks only. A card is removed at the gateway first, then here.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import Type, { type Static } from 'typebox'
import { parseCardToken } from '../core/ids.ts'
import { answerText } from '../core/json.ts'
import type { Json } from '../core/offer.ts'
import { billingAddressLine, type CardOfCustomer, expirationDate } from '../core/people.ts'
import { isoTime } from '../core/sale.ts'
import { answerOnce, callerOf, pageFields, pageFrom, sendPage, sendReply } from './answering.ts'
import { answersWith, answersWithList, cardAnswer } from './answers.ts'
import { ApiError, notRemoved } from './errors.ts'
import { emailField } from './fields.ts'
import type { ApiPorts, KeyedAnswer } from './ports.ts'

const listQuery = Type.Object({ ...pageFields, email: Type.Optional(emailField('Only those of this customer.')) })
const pathToken = Type.Object({ service_token: Type.String() })
type PathToken = Static<typeof pathToken>
const about = { about: 'card' } as const

export function creditCardRoutes(app: FastifyInstance, ports: ApiPorts): void {
  const { store, core } = ports
  const schema = (summary: string, more: object) => ({ summary, tags: ['credit cards'], ...more })

  app.get<{ Querystring: Static<typeof listQuery> }>(
    '/credit_cards',
    {
      config: about,
      schema: schema('List stored cards', { querystring: listQuery, ...answersWithList('card', cardAnswer) }),
    },
    async (request, reply) => {
      const page = pageFrom(request.query, parseCardToken)
      const email = request.query.email?.toLowerCase() ?? null
      const rows = await store.listCards(callerOf(request).merchantId, { ...page, email })
      const idOf = ({ card }: CardOfCustomer) => card.token
      return sendPage(request, reply, core.service.baseUrl, { rows, limit: page.limit, idOf, render: cardView })
    },
  )

  app.get<{ Params: PathToken }>(
    '/credit_cards/:service_token',
    { config: about, schema: schema('Show a stored card', { params: pathToken, ...answersWith('card', cardAnswer) }) },
    async (request, reply) => {
      const found = await findCard(ports, callerOf(request).merchantId, request.params.service_token)
      return reply.send(answerText({ card: cardView(found) }))
    },
  )

  app.delete<{ Params: PathToken }>(
    '/credit_cards/:service_token',
    {
      config: about,
      schema: schema('Remove a stored card', { params: pathToken, ...answersWith('card', cardAnswer) }),
    },
    async (request, reply) => {
      const { service_token: token } = request.params
      const removed = answerOnce(request, store, 'credit_cards delete', token, () => remove(ports, request, token))
      return sendReply(reply, await removed)
    },
  )
}

async function remove(ports: ApiPorts, request: FastifyRequest, token: string): Promise<KeyedAnswer> {
  const { merchantId } = callerOf(request)
  const found = await findCard(ports, merchantId, token)
  if ((await ports.removeCard(merchantId, found)) === 'unknown') {
    throw new ApiError(502, { general: notRemoved })
  }
  return { status: 200, text: answerText({ card: cardView(found) }) }
}

async function findCard(ports: ApiPorts, merchantId: Parameters<ApiPorts['removeCard']>[0], text: string) {
  const token = parseCardToken(text)
  const found = token === null ? null : await ports.store.findCard(merchantId, token)
  if (found === null) throw ApiError.notKnown('service_token')
  return found
}

export function cardView({ card, customer }: CardOfCustomer): { [name: string]: Json } {
  return {
    service_token: card.token,
    card_mask: card.mask,
    card_type: card.type,
    expiration_date: expirationDate(card),
    gateway: card.gatewayId,
    first_name: customer.firstName ?? '',
    last_name: customer.lastName ?? '',
    email: customer.email ?? '',
    billing_address: billingAddressLine(customer.billing),
    created_at: isoTime(card.createdAt),
  }
}
