// Only in sandbox mode: the clock, and storing a test card without a page.

import type { FastifyInstance } from 'fastify'
import Type, { type Static } from 'typebox'
import { maskCardNumbers } from '../core/card-number.ts'
import { answerText } from '../core/json.ts'
import { isoTime } from '../core/sale.ts'
import { answerOnce, callerOf, sendReply } from './answering.ts'
import { answersWith, cardAnswer, clockAnswer } from './answers.ts'
import { cardView } from './credit-cards.ts'
import { ApiError } from './errors.ts'
import { emailField, requiredTextField, textField, wholeNumberField } from './fields.ts'
import type { ApiPorts, NewCustomerCard } from './ports.ts'

const clockBody = Type.Object({
  advance_s: wholeNumberField(1, 31_536_000, 'How far to move the clock forward, in seconds.'),
})
const cardBody = Type.Object({
  number: requiredTextField(40, 'One of the test cards.'),
  expiry_month: wholeNumberField(1, 12, 'Month of expiry.'),
  expiry_year: wholeNumberField(2000, 2099, 'Year of expiry.'),
  cvc: Type.Optional(textField(4, 'Security code.')),
  email: emailField("The customer's address."),
  first_name: Type.Optional(textField(100, "The customer's first name.")),
  last_name: Type.Optional(textField(100, "The customer's last name.")),
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
        return { status: 200, text: answerText({ clock: { now: isoTime(now) } }) }
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
      const asked = newCard(request.body)
      // Without number and security code: not even a hash of them may be kept.
      const { email, card } = asked
      const known = { email, ending: card.number.slice(-4), month: card.expiryMonth, year: card.expiryYear }
      const answer = await answerOnce(request, ports.store, 'sandbox cards', known, async () => {
        const result = await ports.storeCard(callerOf(request).merchantId, asked)
        if (!('stored' in result)) throw new ApiError(422, { number: result.sentence })
        return { status: 200, text: answerText({ card: cardView(result.stored) }) }
      })
      return sendReply(reply, answer)
    },
  )
}

function newCard(body: Static<typeof cardBody>): NewCustomerCard {
  return {
    email: body.email.toLowerCase(),
    firstName: body.first_name === undefined ? null : maskCardNumbers(body.first_name),
    lastName: body.last_name === undefined ? null : maskCardNumbers(body.last_name),
    card: {
      number: body.number.replace(/[ -]/g, ''),
      cvc: body.cvc ?? null,
      expiryMonth: Number(body.expiry_month),
      expiryYear: Number(body.expiry_year),
    },
  }
}
