// How endpoints do, and what they are sent: beside the resource of REST, which adds, changes and deletes them.

import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { type HookEndpoint, hookKinds } from '../core/hook-endpoint.ts'
import { type EndpointId, type MerchantId, parseUuid } from '../core/ids.ts'
import { answerText } from '../core/json.ts'
import { isoTime } from '../core/sale.ts'
import { whyNotAccepted } from '../core/shown-delivery.ts'
import { callerOf } from '../http/answering.ts'
import { ApiError } from '../http/errors.ts'
import { oneOfField, textField } from '../http/fields.ts'
import { Type } from '../http/schema.ts'
import type { EndpointHealth, SampleRecord } from './contract/api-settings.ts'
import { snippetsFor } from './snippets.ts'

export interface Health {
  readonly id: EndpointId
  readonly failingSince: Date | null
  /** Null: none was made, as far as is looked back. */
  readonly lastDelivery: string | null
  readonly lastAt: Date | null
  readonly lastStatus: number | null
  readonly lastReason: string | null
  readonly delivered: number
  readonly failed: number
  readonly waiting: number
  readonly dropped: number
}

export interface EndpointPorts {
  readonly endpoints: {
    health(merchantId: MerchantId): Promise<readonly Health[]>
    readonly countedMax: number
    /** All of them; the newest first. */
    list(merchantId: MerchantId): Promise<readonly HookEndpoint[]>
    /** A test of this kind, signed with the key that is current. */
    sample(
      merchantId: MerchantId,
      kind: HookEndpoint['kind'],
    ): Promise<{ readonly details: string; readonly signature: string; readonly partnerId: number }>
  }
}

const sampleQuery = Type.Object({
  kind: oneOfField(hookKinds, 'Of which kind.'),
  endpoint: Type.Optional(textField(64, 'Where it is posted to; the newest of that kind by default.')),
})

export function endpointRoutes(app: FastifyInstance, { endpoints }: EndpointPorts): void {
  app.get('/endpoints', { config: { needs: 'viewer' } }, async (request, reply) => {
    const all = await endpoints.health(callerOf(request).merchantId)
    return reply.send(answerText(all.map(health => view(health, endpoints.countedMax))))
  })

  app.get<{ Querystring: Static<typeof sampleQuery> }>(
    '/snippets',
    { config: { needs: 'viewer' }, schema: { querystring: sampleQuery } },
    async (request, reply) => {
      const { merchantId } = callerOf(request)
      const { kind } = request.query
      const url = urlFor(await endpoints.list(merchantId), request.query)
      const { partnerId, ...signed } = await endpoints.sample(merchantId, kind)
      const snippets = snippetsFor({ url, partnerId, ...signed })
      const sample: SampleRecord = { kind, url, ...signed, partner_id: partnerId, snippets }
      return reply.send(answerText({ sample }))
    },
  )
}

function urlFor(all: readonly HookEndpoint[], { kind, endpoint }: Static<typeof sampleQuery>): string {
  if (endpoint !== undefined) {
    const named = all.find(({ id }) => id === parseUuid(endpoint))
    if (named === undefined) throw ApiError.notKnown('endpoint')
    return named.url
  }
  return all.find(each => each.kind === kind)?.url ?? `https://shop.example/hooks/${kind}`
}

function view(health: Health, countedMax: number): EndpointHealth {
  const { id, failingSince, lastDelivery, lastAt, lastStatus: status, delivered, failed, waiting, dropped } = health
  const reason = whyNotAccepted({ status, reason: health.lastReason })
  return {
    id,
    failing_since: failingSince === null ? null : isoTime(failingSince),
    last_attempt:
      lastDelivery === null || lastAt === null ? null : { delivery: lastDelivery, at: isoTime(lastAt), status, reason },
    delivered,
    failed,
    waiting,
    dropped,
    counted_max: countedMax,
  }
}
