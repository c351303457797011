// Stored cards: masks only. A card comes in by the name that its gateway gave it, and no number passes through us; it is
// removed at its gateways first, then here.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { maskCardNumbers, mayBeCardNumber } from '../core/card-number.ts'
import { lowerCaseEmail } from '../core/email.ts'
import { cardNotSentSentence } from '../core/gateway.ts'
import { type GatewayId, type MerchantId, parseCardToken } from '../core/ids.ts'
import { answerText } from '../core/json.ts'
import type { Json } from '../core/offer.ts'
import { billingAddressLine, type CardOfCustomer, expirationDate, isConfirmed } from '../core/people.ts'
import { isoTime } from '../core/sale.ts'
import { answerOnce, callerOf, type KeyedAnswer, keyedAnswer, sendReply } from '../http/answering.ts'
import { ApiError, notRemoved, perhapsStored, retryAfter } from '../http/errors.ts'
import { emailField, flagField, flagFrom, knownEmailField, requiredTextField, textField } from '../http/fields.ts'
import { pageFields, pageFrom, sendPage } from '../http/list-pages.ts'
import { Type } from '../http/schema.ts'
import { answersWith, answersWithList, cardAnswer } from './answers.ts'
import { namedGateway } from './gateways.ts'
import type { ApiPorts, CopyRefusal, NewCustomerCard, NotStored } from './ports.ts'

const listQuery = Type.Object({
  ...pageFields,
  email: Type.Optional(knownEmailField('Only those of this customer, and of these only confirmed ones.')),
  include_unconfirmed: Type.Optional(
    flagField('With email: also those that were entered under it by somebody who has not proven it.'),
  ),
})
export const customerFields = {
  email: emailField("The customer's address."),
  first_name: Type.Optional(textField(100, "The customer's first name.")),
  last_name: Type.Optional(textField(100, "The customer's last name.")),
}
const storeBody = Type.Object({
  ...customerFields,
  reference: requiredTextField(255, "The card's name at the gateway: never its number."),
  gateway: Type.Optional(textField(64, 'Where it is stored; the default gateway by default.')),
  card: Type.Optional(
    textField(64, 'The service_token of the same card, stored at another gateway: this is its copy.'),
  ),
})
type StoreBody = Static<typeof storeBody>
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
      const email = request.query.email === undefined ? null : lowerCaseEmail(request.query.email)
      const { merchantId } = callerOf(request)
      const isUnconfirmedToo = email === null || flagFrom(request.query.include_unconfirmed) === true
      const read = (part: typeof page) => store.listCards(merchantId, { ...part, email, isUnconfirmedToo })
      const idOf = ({ card }: CardOfCustomer) => card.token
      return sendPage(request, reply, core.service.baseUrl, { page, read, idOf, render: cardView })
    },
  )

  app.post<{ Body: StoreBody }>(
    '/credit_cards',
    {
      config: about,
      schema: schema('Store a card by its reference', { body: storeBody, ...answersWith('card', cardAnswer) }),
    },
    async (request, reply) => {
      const { merchantId } = callerOf(request)
      const { body } = request
      if (mayBeCardNumber(body.reference)) {
        throw new ApiError(422, { reference: 'reference must not be a card number.' })
      }
      const gatewayId = await namedGateway(ports, merchantId, body.gateway)
      const stored = answerOnce(request, store, 'credit_cards', { ...body, email: lowerCaseEmail(body.email) }, () =>
        storeByReference(ports, merchantId, body, gatewayId),
      )
      return sendReply(reply, await stored)
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

async function storeByReference(
  ports: ApiPorts,
  merchantId: MerchantId,
  body: StoreBody,
  gatewayId: GatewayId | null,
): Promise<KeyedAnswer> {
  const { reference } = body
  const customer = customerFrom(body)
  const result =
    body.card === undefined
      ? await ports.storeCard(merchantId, { ...customer, gatewayId, card: { reference } })
      : await ports.copyCard(merchantId, await cardOf(ports, merchantId, body.card, customer.email), {
          reference,
          gatewayId,
        })
  if (!('stored' in result)) throw notStored(result, 'reference')
  return cardAnswerOf(result.stored)
}

/** The one that is to be copied, which must be this customer's. */
async function cardOf(ports: ApiPorts, merchantId: MerchantId, text: string, email: string) {
  const found = await findCard(ports, merchantId, text, 'card')
  if (found.customer.email !== email) throw new ApiError(422, { email: "email is not that of the card's customer." })
  return found
}

export function customerFrom(
  body: Pick<StoreBody, 'email' | 'first_name' | 'last_name'>,
): Pick<NewCustomerCard, 'email' | 'firstName' | 'lastName'> {
  return {
    email: lowerCaseEmail(body.email),
    firstName: body.first_name === undefined ? null : maskCardNumbers(body.first_name),
    lastName: body.last_name === undefined ? null : maskCardNumbers(body.last_name),
  }
}

type Refusal = CopyRefusal | 'no gateway' | 'gateway inactive' | 'of another customer'
const refusals: { readonly [kind in Refusal]: readonly [field: string, sentence: string] } = {
  'no gateway': ['gateway', 'gateway is required: there is no default one.'],
  'gateway inactive': ['gateway', 'gateway is inactive: activate it, or name another one.'],
  'of another customer': ['reference', 'reference names a card that is stored for another customer.'],
  'there already': ['gateway', 'gateway has this card already, under another reference.'],
  'another card': ['reference', 'reference names another card: its last digits or its expiry differ.'],
  'a card of its own': ['reference', 'reference names a card that is stored under a service_token of its own.'],
  gone: ['card', 'card was removed meanwhile.'],
}

/** What the gateway says about the card is about what was given to it. What else went wrong is not the card's fault. */
export function notStored(result: NotStored | { readonly kind: Refusal }, given: 'reference' | 'number'): ApiError {
  switch (result.kind) {
    case 'refused':
      return new ApiError(422, { [given]: result.sentence })
    case 'not_sent':
      return new ApiError(502, { general: cardNotSentSentence(result.code) }, retryAfter(result.retryAfterMs))
    case 'unknown':
      return new ApiError(502, { general: perhapsStored })
    default: {
      const [field, sentence] = refusals[result.kind]
      return new ApiError(422, { [field]: sentence })
    }
  }
}

async function remove(ports: ApiPorts, request: FastifyRequest, token: string): Promise<KeyedAnswer> {
  const { merchantId } = callerOf(request)
  const found = await findCard(ports, merchantId, token)
  if ((await ports.removeCard(merchantId, found)) === 'unknown') {
    throw new ApiError(502, { general: notRemoved })
  }
  return cardAnswerOf(found)
}

async function findCard(ports: ApiPorts, merchantId: MerchantId, text: string, field = 'service_token') {
  const token = parseCardToken(text)
  const found = token === null ? null : await ports.store.findCard(merchantId, token)
  if (found === null) throw ApiError.notKnown(field)
  return found
}

export function cardAnswerOf(found: CardOfCustomer): KeyedAnswer {
  return keyedAnswer({ card: cardView(found) }, { customerId: found.customer.id })
}

export function cardView({ card, customer, vaults }: CardOfCustomer): { [name: string]: Json } {
  return {
    service_token: card.token,
    card_mask: card.mask,
    card_type: card.type,
    expiration_date: expirationDate(card),
    gateway: card.gatewayId,
    gateways: vaults.map(({ gatewayId }) => gatewayId),
    first_name: customer.firstName ?? '',
    last_name: customer.lastName ?? '',
    email: customer.email ?? '',
    billing_address: billingAddressLine(customer.billing),
    confirmed: isConfirmed(card),
    created_at: isoTime(card.createdAt),
  }
}
