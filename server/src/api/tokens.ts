// Tokens that merchants made offline: registered by whoever has one, revoked and inspected by their merchant.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { answerText } from '../core/json.ts'
import { ourPageUrl } from '../core/offer.ts'
import { isoTime } from '../core/sale.ts'
import { inspectionView } from '../core/shown-token.ts'
import { tokenCharsMax } from '../core/token.ts'
import { networkOf } from '../core/tries.ts'
import { answerOnce, callerOf, keyedAnswer, sendReply } from '../http/answering.ts'
import { ApiError } from '../http/errors.ts'
import { requiredTextField } from '../http/fields.ts'
import { Type } from '../http/schema.ts'
import { createThrottle } from '../http/throttle.ts'
import { answersWith, inspectionAnswer, registrationAnswers, revocationAnswer } from './answers.ts'
import type { ApiPorts } from './ports.ts'

const tokenBody = Type.Object({ token: requiredTextField(tokenCharsMax, 'As it stands in a mail, with both @.') })
type TokenBody = Static<typeof tokenBody>

/** Of one address on the network. Each is tried with the merchant's keys, which costs more than to ask. */
export const registrationsOfAddress = { perS: 10, burst: 50 }

/** One sentence, whatever is wrong. */
function notGood(): ApiError {
  return new ApiError(422, { token: 'token does not open, has expired, was used up or was revoked.' })
}

/** Without credentials: a token proves by itself whose it is. */
export function registrationRoutes(app: FastifyInstance, { tokens, core }: ApiPorts): void {
  const throttle = createThrottle(registrationsOfAddress)
  const schema = {
    summary: 'Register a token that was made offline',
    tags: ['tokens'],
    security: [],
    body: tokenBody,
    ...registrationAnswers,
  }
  // Before the body is read: to read one costs as well.
  const onRequest = async ({ ip }: FastifyRequest) => {
    const taken = throttle.take(networkOf(ip))
    if (!taken.ok) throw ApiError.tooMany('Too many registrations.', taken.retryAfterS)
  }
  app.post<{ Body: TokenBody }>('/token/registrations', { schema, onRequest }, async (request, reply) => {
    const id = await tokens.register(request.body.token)
    if (id === null) throw notGood()
    return reply.send(answerText({ id, url: ourPageUrl(id, core.service.baseUrl) }))
  })
}

export function tokenRoutes(app: FastifyInstance, { tokens, store }: ApiPorts): void {
  const schema = {
    summary: 'Revoke a token, and end the offer that was made from it',
    tags: ['tokens'],
    body: tokenBody,
    ...answersWith('token', revocationAnswer, 'When it was revoked, and the offer that it stood for.'),
  }
  app.post<{ Body: TokenBody }>(
    '/tokens/revocations',
    { config: { about: 'token' }, schema },
    async (request, reply) => {
      const { token } = request.body
      const answer = await answerOnce(request, store, 'tokens revocations', token, async () => {
        const revoked = await tokens.revoke(callerOf(request).merchantId, token)
        if (revoked === null) throw notGood()
        const shown = { revoked_at: isoTime(revoked.revokedAt), offer: revoked.offerId }
        return keyedAnswer({ token: shown }, null)
      })
      return sendReply(reply, answer)
    },
  )

  app.post<{ Body: TokenBody }>(
    '/tokens/inspections',
    { config: { about: 'token' }, schema: inspectionSchema },
    async (request, reply) => {
      const { merchantId } = callerOf(request)
      const merchant = await store.findMerchant(merchantId)
      if (merchant === null) throw new Error(`merchant ${merchantId} is gone`)
      const inspected = await tokens.inspect(merchant, request.body.token)
      return reply.send(answerText({ token: inspectionView(inspected) }))
    },
  )
}

const inspectionSchema = {
  summary: 'Show what a token of yours says, or why it does not open',
  description:
    'Changes nothing: no offer is made of it. Of a token of another merchant it says only that it is not yours.',
  tags: ['tokens'],
  body: tokenBody,
  ...answersWith('token', inspectionAnswer, 'What it says, and whether somebody can pay with it.'),
}
