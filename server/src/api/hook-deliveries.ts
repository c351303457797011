// What was sent, its newest attempts, and sending it again. A test of an endpoint is answered as the delivery that it is.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { hookKinds } from '../core/hook-endpoint.ts'
import { type DeliveryId, type EndpointId, type MerchantId, parseUuid, type TransactionId } from '../core/ids.ts'
import { answerText } from '../core/json.ts'
import type { Json } from '../core/offer.ts'
import { deliveryStates } from '../core/retry-schedule.ts'
import { isoTime } from '../core/sale.ts'
import {
  type DeliveryFilter,
  notResentSays,
  type ResendRange,
  type ShownAttempt,
  type ShownDelivery,
  type WholeDelivery,
} from '../core/shown-delivery.ts'
import { nilUuid } from '../core/test-details.ts'
import { answerOnce, callerOf, type KeyedAnswer, keyedAnswer, keyOf, notOther, sendReply } from '../http/answering.ts'
import { ApiError } from '../http/errors.ts'
import { oneOfField, requiredTextField, textField, timeField, timeFrom } from '../http/fields.ts'
import { inListTurn } from '../http/list-limiter.ts'
import { pageFields, pageFrom, sendPage } from '../http/list-pages.ts'
import { Type } from '../http/schema.ts'
import { answersWith, answersWithList, hookDeliveryAnswer, wholeDeliveryAnswer } from './answers.ts'
import { endpointIdIn } from './hook-endpoints.ts'
import type { ApiPorts } from './ports.ts'

const listQuery = Type.Object({
  ...pageFields,
  state: Type.Optional(oneOfField(deliveryStates, 'Only those in this state.')),
  kind: Type.Optional(oneOfField(hookKinds, 'Only those of this kind; generic: those that went to such an endpoint.')),
  endpoint: Type.Optional(textField(64, 'Only those to this endpoint.')),
  transaction: Type.Optional(textField(64, 'Only those about this Transaction; the UUID of zeros alone: tests.')),
  created_after: Type.Optional(timeField('Only those created after this time.')),
  created_before: Type.Optional(timeField('Only those created before this time.')),
})
const rangeBody = Type.Object({
  endpoint: requiredTextField(64, 'Whose deliveries.'),
  created_after: timeField('Only those created after this time.'),
  created_before: Type.Optional(timeField('Only those created before this time.')),
  state: Type.Optional(oneOfField(['pending', 'delivered', 'dropped'], 'Only those in this state; all by default.')),
})
const pathId = Type.Object({ id: Type.String() })
type PathId = Static<typeof pathId>
const about = { about: 'hook_delivery' } as const
const wholeDelivery = answersWith('hook_delivery', wholeDeliveryAnswer)

const endsBefore = 'created_before must be later than created_after.'

const rangeUnderWay = 'Another range of deliveries is being sent again. Try again when that request has been answered.'
const testsUnderWay = 'Too many tests are being sent. Try again when some of them have been answered.'
const retryAfterS = 5

export function hookDeliveryRoutes(app: FastifyInstance, ports: ApiPorts): void {
  const { store, core } = ports
  const schema = (summary: string, more: object = {}) => ({ summary, tags: ['hooks'], ...more })

  app.get<{ Querystring: Static<typeof listQuery> }>(
    '/hook_deliveries',
    {
      config: about,
      schema: schema('List hook deliveries', {
        querystring: listQuery,
        ...answersWithList('hook_delivery', hookDeliveryAnswer),
      }),
    },
    async (request, reply) => {
      const filter = filterFrom(request.query)
      const { merchantId } = callerOf(request)
      return sendPage(request, reply, core.service.baseUrl, {
        page: filter,
        read: part => store.listDeliveries(merchantId, { ...filter, ...part }),
        idOf: ({ id }) => id,
        render: deliveryView,
      })
    },
  )

  app.get<{ Params: PathId }>(
    '/hook_deliveries/:id',
    { config: about, schema: schema('Show a hook delivery', { params: pathId, ...wholeDelivery }) },
    async (request, reply) => {
      const { merchantId } = callerOf(request)
      const id = deliveryIdIn(request.params)
      const delivery = await inListTurn(request, () => store.findDelivery(merchantId, id), lengthOf)
      if (delivery === null) throw ApiError.notKnown('hook_delivery')
      return reply.send(answerText({ hook_delivery: await wholeView(ports, merchantId, delivery) }))
    },
  )

  app.post<{ Params: PathId }>(
    '/hook_deliveries/:id/resend',
    {
      config: about,
      schema: schema('Send a hook again: one attempt outside the schedule', {
        params: pathId,
        ...answersWith('hook_delivery', hookDeliveryAnswer),
      }),
    },
    async (request, reply) => sendReply(reply, await resend(ports, request, deliveryIdIn(request.params))),
  )

  app.post<{ Body: Static<typeof rangeBody> }>(
    '/hook_deliveries/resend',
    {
      config: { about: 'resent' },
      schema: schema("Send an endpoint's hooks of a time range again", {
        body: rangeBody,
        ...answersWith('resent', Type.Integer(), 'How many are sent again.'),
      }),
    },
    async (request, reply) => sendReply(reply, await ports.finish(resendRange(ports, request, request.body))),
  )

  app.post<{ Params: PathId }>(
    '/hook_endpoints/:id/test',
    {
      config: about,
      schema: schema('Send a test to a hook endpoint, and show its first attempt', {
        params: pathId,
        ...wholeDelivery,
      }),
    },
    async (request, reply) =>
      sendReply(reply, await ports.finish(sendTest(ports, request, endpointIdIn(request.params)))),
  )
}

/** Each attempt may have an answer of 16 KiB. */
function lengthOf(delivery: WholeDelivery | null): number {
  const answers = delivery?.made ?? []
  return answers.reduce((sum, { response }) => sum + (response?.length ?? 0), delivery?.details?.length ?? 0)
}

function deliveryIdIn({ id }: PathId): DeliveryId {
  const parsed = parseUuid<DeliveryId>(id)
  if (parsed === null) throw ApiError.notKnown('hook_delivery')
  return parsed
}

function filterFrom(query: Static<typeof listQuery>): DeliveryFilter {
  const endpoint = query.endpoint === undefined ? null : parseUuid<EndpointId>(query.endpoint)
  const transaction = query.transaction === undefined ? null : parseUuid<TransactionId>(query.transaction)
  const errors = {
    ...(query.endpoint !== undefined && endpoint === null && { endpoint: "endpoint must be an endpoint's id." }),
    ...(query.transaction !== undefined &&
      transaction === null && { transaction: "transaction must be a Transaction's id." }),
  }
  if (Object.keys(errors).length > 0) throw new ApiError(422, errors)
  const { state = null, kind = null } = query
  const [createdAfter, createdBefore] = [timeOrNull(query.created_after), timeOrNull(query.created_before)]
  return { ...pageFrom(query, parseUuid<DeliveryId>), state, kind, endpoint, transaction, createdAfter, createdBefore }
}

function timeOrNull(text: string | undefined): Date | null {
  return text === undefined ? null : timeFrom(text)
}

/** Answers without the details: what is kept for a repetition names no customer, so that erasure need not look for it. */
async function resend(ports: ApiPorts, request: FastifyRequest, id: DeliveryId) {
  const { merchantId } = callerOf(request)
  const answer = await ports.store.doOnce(merchantId, keyOf(request, 'hook_deliveries resend', id), async writes => {
    const delivery = await writes.askResend(merchantId, id)
    if (delivery === 'not known') throw ApiError.notKnown('hook_delivery')
    if (typeof delivery === 'string') {
      throw new ApiError(delivery === 'emptied' ? 410 : 409, { general: notResentSays[delivery] })
    }
    return keyedAnswer({ hook_delivery: deliveryView(delivery) }, null)
  })
  await ports.hooks.wakeWorkers()
  return notOther(answer)
}

async function resendRange(ports: ApiPorts, request: FastifyRequest, body: Static<typeof rangeBody>) {
  const { merchantId } = callerOf(request)
  const endpointId = parseUuid<EndpointId>(body.endpoint)
  const range = rangeFrom(body)
  const asked = {
    endpoint: endpointId ?? body.endpoint,
    afterMs: range.createdAfter.getTime(),
    beforeMs: range.createdBefore?.getTime() ?? null,
    state: range.state,
  }
  return answerOnce(request, ports.store, 'hook_deliveries resend range', asked, async (): Promise<KeyedAnswer> => {
    const endpoint = endpointId === null ? null : await ports.store.findEndpoint(merchantId, endpointId)
    if (endpoint === null) throw ApiError.notKnown('endpoint')
    const closed = endpoint.kind === 'pre_sale' ? 'pre_sale' : endpoint.status === 'paused' ? 'paused' : null
    if (closed !== null) throw new ApiError(409, { general: notResentSays[closed] })
    const resent = await ports.hooks.resendRange(merchantId, { ...range, endpointId: endpoint.id })
    if (resent === 'busy') throw ApiError.tooMany(rangeUnderWay, retryAfterS)
    return keyedAnswer({ resent }, null)
  })
}

function rangeFrom(body: Static<typeof rangeBody>): Omit<ResendRange, 'endpointId'> {
  const [createdAfter, createdBefore] = [timeFrom(body.created_after), timeOrNull(body.created_before)]
  if (createdBefore !== null && createdBefore <= createdAfter) throw new ApiError(422, { created_before: endsBefore })
  return { createdAfter, createdBefore, state: body.state ?? null }
}

async function sendTest(ports: ApiPorts, request: FastifyRequest, id: EndpointId) {
  const { merchantId } = callerOf(request)
  return answerOnce(request, ports.store, 'hook_endpoints test', id, async (): Promise<KeyedAnswer> => {
    const endpoint = await ports.store.findEndpoint(merchantId, id)
    if (endpoint === null) throw ApiError.notKnown('hook_endpoint')
    const delivery = endpoint.status === 'paused' ? null : await ports.hooks.sendTest(endpoint)
    if (delivery === null) throw new ApiError(409, { general: notResentSays.paused })
    if (delivery === 'busy') throw ApiError.tooMany(testsUnderWay, retryAfterS)
    return keyedAnswer({ hook_delivery: await wholeView(ports, merchantId, delivery) }, null)
  })
}

export function deliveryView(delivery: ShownDelivery): { [name: string]: Json } {
  const { id, kind, endpointId, url, transactionId, state, attempts, nextAttemptAt, createdAt } = delivery
  return {
    id,
    kind,
    endpoint: endpointId,
    url,
    transaction: transactionId ?? nilUuid,
    state,
    attempts,
    next_attempt_at: nextAttemptAt === null ? null : isoTime(nextAttemptAt),
    created_at: isoTime(createdAt),
  }
}

export async function wholeView(
  { hooks }: { readonly hooks: Pick<ApiPorts['hooks'], 'signatureOf'> },
  merchantId: MerchantId,
  delivery: WholeDelivery,
): Promise<{ [name: string]: Json }> {
  const { details, made } = delivery
  const signature = details === null ? null : await hooks.signatureOf(merchantId, details)
  return { ...deliveryView(delivery), details, signature, attempts: made.map(attemptView) }
}

function attemptView(made: ShownAttempt): { [name: string]: Json } {
  const { number, at, status, durationMs, reason, response, url, resend } = made
  return { number, at: isoTime(at), status, duration_ms: durationMs, reason, response, url, resend }
}
