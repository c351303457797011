// A merchant's gateways. Credentials are write-only: they are checked, sealed, and never shown.

import type { FastifyInstance } from 'fastify'
import Type, { type Static } from 'typebox'
import type { GatewayAccount } from '../core/gateway.ts'
import { parseGatewayId } from '../core/ids.ts'
import { answerText } from '../core/json.ts'
import type { Json } from '../core/offer.ts'
import { isoTime } from '../core/sale.ts'
import { callerOf, keyOf, notOther, pageFields, pageFrom, sendPage, sendReply } from './answering.ts'
import { answersWith, answersWithList, gatewayAnswer } from './answers.ts'
import { ApiError } from './errors.ts'
import { flagField, flagFrom, jsonField, oneOfField, requiredTextField } from './fields.ts'
import type { ApiPorts } from './ports.ts'

const changeable = {
  credentials: Type.Optional(
    jsonField(Type.Object({}), 'must be an object.', 'What the gateway gave the merchant; write-only.'),
  ),
  default: Type.Optional(flagField('Store new cards here.')),
  status: Type.Optional(
    oneOfField(['active', 'inactive'], 'An inactive gateway charges nothing; its refunds still go through.'),
  ),
}
const createBody = Type.Object({ type: requiredTextField(32, 'The kind of gateway.'), ...changeable })
const changeBody = Type.Object(changeable)
const pathId = Type.Object({ id: Type.String() })
const listQuery = Type.Object(pageFields)
const about = { about: 'gateway' } as const

const onlyMoves = 'can be taken from a gateway only by giving it to another.'
const otherAccount = 'lead to another account at the gateway. Connect that account as a gateway of its own.'

export function gatewayRoutes(app: FastifyInstance, ports: ApiPorts): void {
  const { store, core } = ports
  const schema = (summary: string, more: object = {}) => ({ summary, tags: ['gateways'], ...more })

  app.get<{ Querystring: Static<typeof listQuery> }>(
    '/gateways',
    {
      config: about,
      schema: schema('List gateways', { querystring: listQuery, ...answersWithList('gateway', gatewayAnswer) }),
    },
    async (request, reply) => {
      const page = pageFrom(request.query, parseGatewayId)
      const rows = await store.listGateways(callerOf(request).merchantId, page)
      const { baseUrl } = core.service
      return sendPage(request, reply, baseUrl, { rows, limit: page.limit, idOf: ({ id }) => id, render: gatewayView })
    },
  )

  app.post<{ Body: Static<typeof createBody> }>(
    '/gateways',
    {
      config: about,
      schema: schema('Connect a gateway', { body: createBody, ...answersWith('gateway', gatewayAnswer) }),
    },
    async (request, reply) => {
      const { body } = request
      const { merchantId } = callerOf(request)
      const credentials = checkedCredentials(ports, body.type, body.credentials ?? {})
      const gateway = {
        merchantId,
        id: ports.newGatewayId(),
        type: body.type,
        isDefault: flagFrom(body.default) ?? false,
        fallback: null,
        status: body.status ?? 'active',
        createdAt: core.now(),
      }
      const key = keyOf(request, 'gateways', body as Json)
      const answer = await store.doOnce(merchantId, key, async writes => {
        const written = await writes.insertGateway(gateway, credentials)
        return { status: 200, text: answerText({ gateway: gatewayView(written) }) }
      })
      return sendReply(reply, notOther(answer))
    },
  )

  app.patch<{ Params: Static<typeof pathId>; Body: Static<typeof changeBody> }>(
    '/gateways/:id',
    {
      config: about,
      schema: schema('Change a gateway', {
        params: pathId,
        body: changeBody,
        ...answersWith('gateway', gatewayAnswer),
      }),
    },
    async (request, reply) => {
      const { body, params } = request
      const { merchantId } = callerOf(request)
      const id = parseGatewayId(params.id)
      const current = id === null ? null : await store.findGateway(merchantId, id)
      if (id === null || current === null) throw ApiError.notKnown('gateway')
      const isDefault = flagFrom(body.default)
      const change = {
        ...(body.status !== undefined && { status: body.status }),
        ...(isDefault !== null && { isDefault }),
        ...(body.credentials !== undefined && {
          credentials: checkedCredentials(ports, current.type, body.credentials),
        }),
      }
      const key = keyOf(request, 'gateways change', { id, ...body } as Json)
      const answer = await store.doOnce(merchantId, key, async writes => {
        if (current.isDefault && isDefault === false) throw new ApiError(422, { default: `default ${onlyMoves}` })
        const written = await writes.updateGateway(merchantId, id, change)
        if (written === 'not known') throw ApiError.notKnown('gateway')
        if (written === 'another account') throw new ApiError(422, { credentials: `credentials ${otherAccount}` })
        return { status: 200, text: answerText({ gateway: gatewayView(written) }) }
      })
      return sendReply(reply, notOther(answer))
    },
  )
}

/** As the JSON text that is sealed. */
function checkedCredentials(ports: ApiPorts, type: string, given: unknown): string {
  const credentials = typeof given === 'string' ? parsed(given) : given
  const wrong = ports.whyNotCredentials(type, credentials)
  if (wrong !== null) throw new ApiError(422, { [wrong.field]: `${wrong.field} ${wrong.says}` })
  return JSON.stringify(credentials)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ApiError(422, { credentials: 'credentials must be an object.' })
  }
}

function gatewayView(gateway: GatewayAccount): { [name: string]: Json } {
  const { id, type, isDefault, status, createdAt } = gateway
  return { id, type, default: isDefault, status, created_at: isoTime(createdAt) }
}
