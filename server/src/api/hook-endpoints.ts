// Where a merchant's hooks go. A Standard Webhooks secret is shown by the answer that made it, and never again.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import {
  defaultTimeoutS,
  endpointStatuses,
  endpointsMax,
  type HookEndpoint,
  hookKinds,
  preSaleEndpointsMax,
  standardWebhooksOf,
  withStandardWebhooks,
} from '../core/hook-endpoint.ts'
import { type EndpointId, parseUuid } from '../core/ids.ts'
import { answerText } from '../core/json.ts'
import type { Json } from '../core/offer.ts'
import { isoTime } from '../core/sale.ts'
import { callerOf, type KeyedAnswer, keyedAnswer, keyOf, notOther, sendReply } from '../http/answering.ts'
import { ApiError } from '../http/errors.ts'
import { flagOrField, flagOrFrom, oneOfField, requiredTextField, wholeNumberField } from '../http/fields.ts'
import { pageFields, pageFrom, sendPage } from '../http/list-pages.ts'
import { Type } from '../http/schema.ts'
import { answersWith, answersWithList, hookEndpointAnswer } from './answers.ts'
import type { ApiPorts, EndpointTurn } from './ports.ts'

const url = requiredTextField(2048, 'Where to: http or https, without credentials.')
const optional = {
  status: Type.Optional(oneOfField(endpointStatuses, 'What a paused endpoint is owed waits until it is resumed.')),
  timeout_s: Type.Optional(
    wholeNumberField(1, 30, 'How long an attempt may take in all; 10 by default for Pre-Sale, else 15.'),
  ),
  standard_webhooks: Type.Optional(
    flagOrField(
      'json',
      'true: send the Standard Webhooks headers too, with a secret of its own. json: send them with a JSON body {type, timestamp, data} instead of the form.',
    ),
  ),
}
const createBody = Type.Object({ kind: oneOfField(hookKinds, 'What it is told.'), url, ...optional })
const changeable = { url: Type.Optional(url), ...optional }
const changeBody = Type.Object(changeable, { notTaken: { kind: 'cannot be changed: make another endpoint.' } })
const pathId = Type.Object({ id: Type.String() })
type PathId = Static<typeof pathId>
const listQuery = Type.Object(pageFields)
const about = { about: 'hook_endpoint' } as const
const oneEndpoint = answersWith('hook_endpoint', hookEndpointAnswer)

const nothingNamed = `Name at least one of ${Object.keys(changeable).join(', ')}.`
const tooMany = `A merchant has at most ${endpointsMax} endpoints. Delete one first.`
const tooManyPreSale = `kind can be pre_sale for at most ${preSaleEndpointsMax} endpoints of a merchant, paused ones included. Delete one first.`
const tooManySecrets = 'Too many secrets were replaced within a day. Try again when the oldest has run out.'
const noSecret = 'standard_webhooks is not on for this endpoint, so it has no secret.'

export function hookEndpointRoutes(app: FastifyInstance, ports: ApiPorts): void {
  const { store, core } = ports
  const schema = (summary: string, more: object = {}) => ({ summary, tags: ['hooks'], ...more })

  app.get<{ Querystring: Static<typeof listQuery> }>(
    '/hook_endpoints',
    {
      config: about,
      schema: schema('List hook endpoints', {
        querystring: listQuery,
        ...answersWithList('hook_endpoint', hookEndpointAnswer),
      }),
    },
    async (request, reply) => {
      const page = pageFrom(request.query, parseUuid<EndpointId>)
      const { merchantId } = callerOf(request)
      const read = (part: typeof page) => store.listEndpoints(merchantId, part)
      return sendPage(request, reply, core.service.baseUrl, { page, read, idOf: ({ id }) => id, render: endpointView })
    },
  )

  app.post<{ Body: Static<typeof createBody> }>(
    '/hook_endpoints',
    { config: about, schema: schema('Add a hook endpoint', { body: createBody, ...oneEndpoint }) },
    async (request, reply) => sendReply(reply, await create(ports, request, request.body)),
  )

  app.get<{ Params: PathId }>(
    '/hook_endpoints/:id',
    { config: about, schema: schema('Show a hook endpoint', { params: pathId, ...oneEndpoint }) },
    async (request, reply) => {
      const endpoint = await store.findEndpoint(callerOf(request).merchantId, endpointIdIn(request.params))
      if (endpoint === null) throw notKnown()
      return reply.send(answerText({ hook_endpoint: endpointView(endpoint) }))
    },
  )

  app.patch<{ Params: PathId; Body: Static<typeof changeBody> }>(
    '/hook_endpoints/:id',
    {
      config: about,
      schema: schema('Change, pause or resume a hook endpoint', { params: pathId, body: changeBody, ...oneEndpoint }),
    },
    async (request, reply) =>
      sendReply(reply, await ports.finish(change(ports, request, endpointIdIn(request.params), request.body))),
  )

  app.delete<{ Params: PathId }>(
    '/hook_endpoints/:id',
    { config: about, schema: schema('Delete a hook endpoint', { params: pathId, ...oneEndpoint }) },
    async (request, reply) =>
      sendReply(reply, await ports.finish(remove(ports, request, endpointIdIn(request.params)))),
  )

  app.post<{ Params: PathId }>(
    '/hook_endpoints/:id/rotate_secret',
    {
      config: about,
      schema: schema('Replace the Standard Webhooks secret; the old one signs beside it for 24 hours', {
        params: pathId,
        ...oneEndpoint,
      }),
    },
    async (request, reply) => sendReply(reply, await rotate(ports, request, endpointIdIn(request.params))),
  )
}

function notKnown(): ApiError {
  return ApiError.notKnown('hook_endpoint')
}

export function endpointIdIn({ id }: PathId): EndpointId {
  const parsed = parseUuid<EndpointId>(id)
  if (parsed === null) throw notKnown()
  return parsed
}

async function create(ports: ApiPorts, request: FastifyRequest, body: Static<typeof createBody>) {
  const { kind, url } = body
  const { merchantId } = callerOf(request)
  refuseUrl(ports, url)
  const status = body.status ?? 'enabled'
  const endpoint: HookEndpoint = {
    merchantId,
    id: ports.hooks.newEndpointId(),
    kind,
    url,
    status,
    timeoutS: Number(body.timeout_s ?? defaultTimeoutS(kind)),
    ...withStandardWebhooks(flagOrFrom('json', body.standard_webhooks) ?? false),
    createdAt: ports.core.now(),
    pausedBecause: status === 'paused' ? 'asked' : null,
  }
  const { timeoutS } = endpoint
  const asked = { kind, url, status, timeoutS, standardWebhooks: standardWebhooksOf(endpoint) }
  const key = keyOf(request, 'hook_endpoints', asked)
  const answer = await ports.store.changeSettings(callerOf(request), key, async writes => {
    const written = await writes.insertEndpoint(endpoint)
    if (written === 'too many') throw new ApiError(422, { general: tooMany })
    if (written === 'too many Pre-Sale') throw new ApiError(422, { kind: tooManyPreSale })
    return answerFor(endpoint, written.secret)
  })
  return notOther(answer)
}

async function change(ports: ApiPorts, request: FastifyRequest, id: EndpointId, body: Static<typeof changeBody>) {
  const { merchantId } = callerOf(request)
  refuseChange(body)
  if (body.url !== undefined) refuseUrl(ports, body.url)
  const standardWebhooks = flagOrFrom('json', body.standard_webhooks)
  const asked = {
    ...(body.url !== undefined && { url: body.url }),
    ...(body.timeout_s !== undefined && { timeoutS: Number(body.timeout_s) }),
    ...(body.status !== undefined && { status: body.status }),
  }
  let turned: { readonly endpoint: HookEndpoint; readonly turn: EndpointTurn } | null = null
  const named = { id, ...asked, ...(standardWebhooks !== null && { standardWebhooks }) }
  const key = keyOf(request, 'hook_endpoints change', named)
  const answer = await ports.store.changeSettings(callerOf(request), key, async writes => {
    const sending = standardWebhooks === null ? {} : withStandardWebhooks(standardWebhooks)
    const changed = await writes.changeEndpoint(merchantId, id, { ...asked, ...sending })
    if (changed === null) throw notKnown()
    const { before, after, secret } = changed
    const turn = after.status === 'paused' ? 'paused' : 'resumed'
    turned = after.status === before.status ? null : { endpoint: after, turn }
    return answerFor(after, secret)
  })
  await follow(ports, turned)
  return notOther(answer)
}

async function remove(ports: ApiPorts, request: FastifyRequest, id: EndpointId) {
  const { merchantId } = callerOf(request)
  let turned: { readonly endpoint: HookEndpoint; readonly turn: EndpointTurn } | null = null
  const key = keyOf(request, 'hook_endpoints delete', id)
  const answer = await ports.store.changeSettings(callerOf(request), key, async writes => {
    const endpoint = await writes.deleteEndpoint(merchantId, id)
    if (endpoint === null) throw notKnown()
    turned = { endpoint, turn: 'deleted' }
    return answerFor(endpoint, null)
  })
  await follow(ports, turned)
  return notOther(answer)
}

/** After the commit: what an endpoint is owed may be a million rows. */
async function follow(
  { hooks }: ApiPorts,
  turned: { readonly endpoint: HookEndpoint; readonly turn: EndpointTurn } | null,
): Promise<void> {
  if (turned !== null) await hooks.followTurn(turned.endpoint, turned.turn)
}

async function rotate(ports: ApiPorts, request: FastifyRequest, id: EndpointId) {
  const { merchantId } = callerOf(request)
  const key = keyOf(request, 'hook_endpoints rotate', id)
  const answer = await ports.store.changeSettings(callerOf(request), key, async writes => {
    const rotated = await writes.rotateSecret(merchantId, id)
    if (rotated === 'not known') throw notKnown()
    if (rotated === 'has none') throw new ApiError(409, { general: noSecret })
    if (rotated === 'too many') throw new ApiError(409, { general: tooManySecrets })
    return answerFor(rotated.endpoint, rotated.secret)
  })
  return notOther(answer)
}

/** What would change nothing is a mistake, and better said than passed over. */
function refuseChange(body: Static<typeof changeBody>): void {
  if (!Object.keys(changeable).some(name => name in body)) throw new ApiError(422, { general: nothingNamed })
}

function refuseUrl({ hooks }: ApiPorts, url: string): void {
  const why = hooks.whyNotUrl(url)
  if (why !== null) throw new ApiError(422, { url: `url ${why}.` })
}

function answerFor(endpoint: HookEndpoint, secret: string | null): KeyedAnswer {
  const view = { ...endpointView(endpoint), ...(secret !== null && { secret }) }
  return { ...keyedAnswer({ hook_endpoint: view }, null), showsSecret: secret !== null }
}

function endpointView(endpoint: HookEndpoint): { [name: string]: Json } {
  const { id, kind, url, status, timeoutS, createdAt, pausedBecause } = endpoint
  return {
    id,
    kind,
    url,
    status,
    timeout_s: timeoutS,
    standard_webhooks: standardWebhooksOf(endpoint),
    created_at: isoTime(createdAt),
    paused_because: pausedBecause,
  }
}
