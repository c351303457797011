// Before and while a range of deliveries is sent again, which REST does.

import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import type { HookEndpoint } from '../core/hook-endpoint.ts'
import { type EndpointId, type MerchantId, parseUuid } from '../core/ids.ts'
import { answerText } from '../core/json.ts'
import type { ResendRange } from '../core/shown-delivery.ts'
import { callerOf } from '../http/answering.ts'
import { ApiError } from '../http/errors.ts'
import { oneOfField, requiredTextField, timeField, timeFrom } from '../http/fields.ts'
import { inListTurn } from '../http/list-limiter.ts'
import { Type } from '../http/schema.ts'
import type { ResendCount, ResendProgress } from './contract/resends.ts'

export interface ResendPorts {
  readonly resends: {
    findEndpoint(merchantId: MerchantId, id: EndpointId): Promise<HookEndpoint | null>
    /** Neither looks further than `max`. */
    count(
      merchantId: MerchantId,
      range: ResendRange,
      max: number,
    ): Promise<{ readonly count: number; readonly isMore: boolean }>
    left(merchantId: MerchantId, range: Omit<ResendRange, 'state'>, max: number): Promise<number>
  }
}

const range = {
  endpoint: requiredTextField(64, 'Whose deliveries.'),
  created_after: timeField('Only those created after this time.'),
  created_before: Type.Optional(timeField('Only those created before this time.')),
}
const progressQuery = Type.Object(range)
const countQuery = Type.Object({
  ...range,
  state: Type.Optional(oneOfField(['pending', 'delivered', 'dropped'], 'Only those in this state; all by default.')),
})
const countMax = 100_000

export function resendRoutes(app: FastifyInstance, { resends }: ResendPorts): void {
  app.get<{ Querystring: Static<typeof countQuery> }>(
    '/resends/count',
    { config: { needs: 'viewer' }, schema: { querystring: countQuery } },
    async (request, reply) => {
      const { merchantId } = callerOf(request)
      const { id } = await endpointOf(merchantId, request.query)
      const asked = { endpointId: id, ...timesOf(request.query), state: request.query.state ?? null }
      const { count, isMore } = await inListTurn(request, () => resends.count(merchantId, asked, countMax))
      const answer: ResendCount = { count, is_more: isMore }
      return reply.send(answerText({ resends: answer }))
    },
  )

  app.get<{ Querystring: Static<typeof progressQuery> }>(
    '/resends/progress',
    { config: { needs: 'viewer' }, schema: { querystring: progressQuery } },
    async (request, reply) => {
      const { merchantId } = callerOf(request)
      const { id, status } = await endpointOf(merchantId, request.query)
      const asked = { endpointId: id, ...timesOf(request.query) }
      const left = await inListTurn(request, () => resends.left(merchantId, asked, countMax + 1))
      const answer: ResendProgress = {
        left: Math.min(left, countMax),
        is_more: left > countMax,
        is_paused: status === 'paused',
      }
      return reply.send(answerText({ resends: answer }))
    },
  )

  async function endpointOf(merchantId: MerchantId, { endpoint }: Static<typeof progressQuery>): Promise<HookEndpoint> {
    const id = parseUuid<EndpointId>(endpoint)
    const found = id === null ? null : await resends.findEndpoint(merchantId, id)
    if (found === null) throw ApiError.notKnown('endpoint')
    return found
  }
}

function timesOf(query: Static<typeof progressQuery>) {
  const createdBefore = query.created_before === undefined ? null : timeFrom(query.created_before)
  return { createdAfter: timeFrom(query.created_after), createdBefore }
}
