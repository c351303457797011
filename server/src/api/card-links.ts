// Links on which a customer enters a card without paying.

import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { cardLinkLifeMs } from '../core/card-link.ts'
import type { GatewayId, MerchantId } from '../core/ids.ts'
import { isoTime, type ServiceFacts } from '../core/sale.ts'
import { callerOf, keyedAnswer, keyOf, notOther, sendReply } from '../http/answering.ts'
import { whyNotReturnUrl } from '../http/browser-urls.ts'
import { ApiError } from '../http/errors.ts'
import { textField, urlField } from '../http/fields.ts'
import { Type } from '../http/schema.ts'
import { answersWith, cardLinkAnswer } from './answers.ts'
import { customerFields, customerFrom, notStored } from './credit-cards.ts'
import { namedGateway } from './gateways.ts'
import type { ApiPorts } from './ports.ts'

const linkBody = Type.Object({
  ...customerFields,
  gateway: Type.Optional(textField(64, 'Where the card is stored; the default gateway by default.')),
  return_url: Type.Optional(urlField('Where the customer may go on afterwards.')),
})

export function cardLinkRoutes(app: FastifyInstance, ports: ApiPorts): void {
  const { store, core } = ports
  app.post<{ Body: Static<typeof linkBody> }>(
    '/credit_cards/links',
    {
      config: { about: 'card_link' },
      schema: {
        summary: 'Make a link on which a customer enters a card',
        tags: ['credit cards'],
        body: linkBody,
        ...answersWith('card_link', cardLinkAnswer),
      },
    },
    async (request, reply) => {
      const { body } = request
      const { merchantId } = callerOf(request)
      const customer = customerFrom(body)
      const returnUrl = returnUrlFrom(body.return_url, core.service)
      const key = keyOf(request, 'credit_cards links', { ...body, email: customer.email })
      // A gateway that takes no cards now does not change what was answered before.
      const earlier = await store.earlierAnswer(merchantId, key)
      if (earlier !== null) return sendReply(reply, notOther(earlier))
      const gatewayId = await chosenGateway(ports, merchantId, body.gateway)
      const answer = await store.doOnce(merchantId, key, async writes => {
        const createdAt = core.now()
        const expiresAt = new Date(createdAt.getTime() + cardLinkLifeMs)
        const name = await writes.insertCardLink({
          merchantId,
          ...customer,
          gatewayId,
          returnUrl,
          createdAt,
          expiresAt,
        })
        const link = { url: `${core.service.baseUrl}/cards/${name}`, expires_at: isoTime(expiresAt) }
        return { ...keyedAnswer({ card_link: link }, { email: customer.email }), showsSecret: true }
      })
      return sendReply(reply, notOther(answer))
    },
  )
}

async function chosenGateway(ports: ApiPorts, merchantId: MerchantId, text: string | undefined): Promise<GatewayId> {
  const { store } = ports
  const named = await namedGateway(ports, merchantId, text)
  const chosen = await (named === null ? store.findDefaultGateway(merchantId) : store.findGateway(merchantId, named))
  if (chosen === null) throw notStored({ kind: 'no gateway' }, 'reference')
  if (chosen.status !== 'active') throw notStored({ kind: 'gateway inactive' }, 'reference')
  return chosen.id
}

function returnUrlFrom(given: string | undefined, service: ServiceFacts): string | null {
  if (given === undefined) return null
  const why = whyNotReturnUrl(given, service)
  if (why !== null) throw new ApiError(422, { return_url: `return_url ${why}` })
  return new URL(given).href
}
