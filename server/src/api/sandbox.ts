// Only in sandbox mode: the clock, and storing a test card without a page.

import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import type { CardDetails } from '../core/gateway.ts'
import { isoTime } from '../core/sale.ts'
import { answerOnce, callerOf, keyedAnswer, sendReply } from '../http/answering.ts'
import { ApiError } from '../http/errors.ts'
import { requiredTextField, textField, wholeNumberField } from '../http/fields.ts'
import { Type } from '../http/schema.ts'
import { answersWith, cardAnswer, clockAnswer } from './answers.ts'
import { cardAnswerOf, customerFields, customerFrom, notStored } from './credit-cards.ts'
import { namedGateway } from './gateways.ts'
import type { ApiPorts } from './ports.ts'

const clockBody = Type.Object({
  advance_s: wholeNumberField(1, 31_536_000, 'How far to move the clock forward, in seconds.'),
})
const cardBody = Type.Object({
  number: requiredTextField(40, 'One of the test cards.'),
  expiry_month: wholeNumberField(1, 12, 'Month of expiry.'),
  expiry_year: wholeNumberField(2000, 2099, 'Year of expiry.'),
  cvc: Type.Optional(textField(4, 'Security code.')),
  ...customerFields,
  gateway: Type.Optional(textField(64, 'Where to store it; the default gateway by default.')),
})

export function sandboxRoutes(app: FastifyInstance, ports: ApiPorts, sandbox: NonNullable<ApiPorts['sandbox']>): void {
  app.post<{ Body: Static<typeof clockBody> }>(
    '/sandbox/clock',
    {
      config: { about: 'clock' },
      schema: {
        summary: 'Move the sandbox clock forward',
        tags: ['sandbox'],
        body: clockBody,
        ...answersWith('clock', clockAnswer),
      },
    },
    async (request, reply) => {
      if (!(await sandbox.isDemo(callerOf(request).merchantId))) {
        throw new ApiError(403, { general: 'Only the demo merchant moves the clock: it is shared by all.' })
      }
      const byS = Number(request.body.advance_s)
      const answer = await answerOnce(request, ports.store, 'sandbox clock', byS, async () => {
        const now = await sandbox.advanceClock(byS * 1_000)
        return keyedAnswer({ clock: { now: isoTime(now) } }, null)
      })
      return sendReply(reply, answer)
    },
  )

  app.post<{ Body: Static<typeof cardBody> }>(
    '/sandbox/cards',
    {
      config: { about: 'card' },
      schema: { summary: 'Store a test card', tags: ['sandbox'], body: cardBody, ...answersWith('card', cardAnswer) },
    },
    async (request, reply) => {
      const { merchantId } = callerOf(request)
      const gatewayId = await namedGateway(ports, merchantId, request.body.gateway)
      const customer = customerFrom(request.body)
      const card = cardFrom(request.body)
      // Without number and security code: not even a hash of them may be kept.
      const { number, expiryMonth: month, expiryYear: year } = card
      const named = gatewayId === null ? {} : { gateway: gatewayId }
      const known = { email: customer.email, ending: number.slice(-4), month, year, ...named }
      const answer = await answerOnce(request, ports.store, 'sandbox cards', known, async () => {
        const result = await ports.storeCard(merchantId, { ...customer, gatewayId, card })
        if (!('stored' in result)) throw notStored(result, 'number')
        return cardAnswerOf(result.stored)
      })
      return sendReply(reply, answer)
    },
  )
}

function cardFrom(body: Static<typeof cardBody>): CardDetails {
  return {
    number: body.number.replace(/[ -]/g, ''),
    cvc: body.cvc ?? null,
    expiryMonth: Number(body.expiry_month),
    expiryYear: Number(body.expiry_year),
  }
}
