// Erasing a customer: personal fields go, amounts stay. The address is in the body, because a URL is logged.

import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { lowerCaseEmail } from '../core/email.ts'
import { answerOnce, callerOf, keyedAnswer, sendReply } from '../http/answering.ts'
import { ApiError, notRemoved } from '../http/errors.ts'
import { knownEmailField } from '../http/fields.ts'
import { Type } from '../http/schema.ts'
import { answersWith, erasureAnswer } from './answers.ts'
import type { ApiPorts } from './ports.ts'

const erasureBody = Type.Object({ email: knownEmailField('Whom to erase.') })

export function customerRoutes(app: FastifyInstance, ports: ApiPorts): void {
  app.post<{ Body: Static<typeof erasureBody> }>(
    '/customers/erasures',
    {
      config: { about: 'customer' },
      schema: {
        summary: 'Erase a customer',
        tags: ['customers'],
        body: erasureBody,
        ...answersWith('customer', erasureAnswer),
      },
    },
    async (request, reply) => {
      const email = lowerCaseEmail(request.body.email)
      const answer = await answerOnce(request, ports.store, 'customers erasures', email, async () => {
        const erased = await ports.eraseCustomer(callerOf(request).merchantId, email)
        if (erased === 'not known') throw ApiError.notKnown('email')
        if (erased === 'gateway silent') throw new ApiError(502, { general: notRemoved })
        return keyedAnswer({ customer: { erased: true } }, null)
      })
      return sendReply(reply, answer)
    },
  )
}
