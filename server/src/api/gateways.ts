// A merchant's gateways. Credentials are write-only: they are checked with the gateway itself, sealed, and never shown.

import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { type GatewayAccount, gatewaysMax } from '../core/gateway.ts'
import { type GatewayId, type MerchantId, parseGatewayId } from '../core/ids.ts'
import { shownName } from '../core/kept-json.ts'
import type { Json } from '../core/offer.ts'
import { isoTime } from '../core/sale.ts'
import { callerOf, keyedAnswer, keyOf, notOther, sendReply } from '../http/answering.ts'
import { pathName } from '../http/arguments.ts'
import { ApiError } from '../http/errors.ts'
import { flagField, flagFrom, jsonField, oneOfField, requiredTextField } from '../http/fields.ts'
import { pageFields, pageFrom, sendPage } from '../http/list-pages.ts'
import { Type } from '../http/schema.ts'
import { answersWith, answersWithList, gatewayAnswer } from './answers.ts'
import type { ApiPorts, Identified, ReopenedAccount, WrongAccount } from './ports.ts'

const fallbackMax = 100
/** Which there are depends on the type of the gateway. */
const anyMembers = Type.Object({}, { additionalProperties: true })
const changeable = {
  credentials: Type.Optional(
    jsonField(anyMembers, 'must be an object.', 'What the gateway gave the merchant; write-only.'),
  ),
  default: Type.Optional(flagField('Store new cards here.')),
  fallback: Type.Optional(
    Type.Unsafe<number | string | null>({
      type: ['integer', 'string', 'null'],
      pattern: '^(0|[1-9][0-9]{0,2})?$',
      minimum: 0,
      maximum: fallbackMax,
      wholeNumberTo: [0, fallbackMax],
      says: `must be a whole number from 1 to ${fallbackMax}, or 0 for none.`,
      description:
        'Its place among those that are tried next, lowest first, where a card is stored at them too and another gateway ' +
        'declined or was not reached; 0 or empty: it is not tried next.',
    }),
  ),
  status: Type.Optional(
    oneOfField(['active', 'inactive'], 'An inactive gateway charges nothing; its refunds still go through.'),
  ),
}
const createBody = Type.Object({ type: requiredTextField(32, 'The kind of gateway.'), ...changeable })
const changeBody = Type.Object(
  {
    ...changeable,
    credentials: Type.Optional(
      jsonField(
        anyMembers,
        'must be an object.',
        'Those that change; write-only. A member that is not given stays as it is, and null removes one that is optional.',
      ),
    ),
  },
  { notTaken: { type: 'of a gateway cannot be changed: connect another one.' } },
)
const pathId = Type.Object({ id: Type.String() })
const listQuery = Type.Object(pageFields)
const about = { about: 'gateway' } as const

const onlyMoves = 'can be taken from a gateway only by giving it to another.'
const otherAccount = 'lead to another account at the gateway. Connect that account as a gateway of its own.'
const tooMany = `A merchant has at most ${gatewaysMax} gateways.`
const connectedAlready = 'lead to an account that is connected already.'
const inactiveDefault = 'must not be given to an inactive gateway: new cards are stored at the default one.'
const changedMeanwhile = 'The credentials were changed by another request at the same time. Try again.'

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
      const { merchantId } = callerOf(request)
      return sendPage(request, reply, core.service.baseUrl, {
        page,
        read: part => store.listGateways(merchantId, part),
        idOf: ({ id }) => id,
        render: row => gatewayView(ports, row),
      })
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
      const gateway: GatewayAccount = {
        merchantId,
        id: ports.newGatewayId(),
        type: body.type,
        isDefault: flagFrom(body.default) ?? false,
        fallback: fallbackFrom(body.fallback) ?? null,
        status: body.status ?? 'active',
        createdAt: core.now(),
      }
      refuseInactiveDefault(gateway)
      const key = keyOf(request, 'gateways', body as Json)
      const earlier = await store.earlierAnswer(merchantId, key)
      if (earlier !== null) return sendReply(reply, notOther(earlier))
      const account = accountIn(await ports.gateways.identify(gateway, credentials))
      const answer = await store.changeSettings(callerOf(request), key, async writes => {
        const written = await writes.insertGateway(gateway, { credentials: JSON.stringify(credentials), account })
        if (written === 'too many') throw new ApiError(422, { general: tooMany })
        if (written === 'connected') throw new ApiError(422, { credentials: `credentials ${connectedAlready}` })
        return keyedAnswer({ gateway: gatewayView(ports, written) }, null)
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
      const key = keyOf(request, 'gateways change', { id, ...body } as Json)
      const earlier = await store.earlierAnswer(merchantId, key)
      if (earlier !== null) return sendReply(reply, notOther(earlier))
      const isDefault = flagFrom(body.default)
      if (current.isDefault && isDefault === false) throw new ApiError(422, { default: `default ${onlyMoves}` })
      if (isDefault !== null) refuseInactiveDefault({ isDefault, status: body.status ?? current.status })
      const fallback = fallbackFrom(body.fallback)
      const change = {
        ...(body.status !== undefined && { status: body.status }),
        ...(isDefault !== null && { isDefault }),
        ...(fallback !== undefined && { fallback }),
        ...(body.credentials !== undefined && { opens: await openedBy(ports, current, body.credentials) }),
      }
      const answer = await store.changeSettings(callerOf(request), key, async writes => {
        const written = await writes.updateGateway(merchantId, id, change)
        if (written === null) throw new ApiError(409, { general: changedMeanwhile })
        return keyedAnswer({ gateway: gatewayView(ports, written) }, null)
      })
      return sendReply(reply, notOther(answer))
    },
  )
}

/** One that is the default already may be deactivated at any time: then new cards wait for another. */
function refuseInactiveDefault({ isDefault, status }: Pick<GatewayAccount, 'isDefault' | 'status'>): void {
  if (isDefault && status === 'inactive') throw new ApiError(422, { default: `default ${inactiveDefault}` })
}

/** By their form alone. */
function checkedCredentials(ports: ApiPorts, type: string, given: unknown): object {
  refuseWrong(ports.gateways.whyNotCredentials(type, given))
  return given as object
}

function refuseWrong(wrong: WrongAccount | null): void {
  if (wrong === null) return
  const field = wrong.member === undefined ? wrong.field : shownName(pathName([wrong.field, wrong.member]))
  throw new ApiError(422, { [field]: `${field} ${wrong.says}` })
}

/** The gateway itself says whose they are; asked outside any commit, because it may take its time. */
function accountIn(identified: Identified): string {
  if (identified.kind === 'account') return identified.account
  if (identified.kind === 'refused') throw new ApiError(422, { credentials: `credentials ${identified.says}` })
  throw new ApiError(502, { general: identified.sentence })
}

async function openedBy(ports: ApiPorts, current: GatewayAccount, given: unknown): Promise<ReopenedAccount> {
  const isObject = typeof given === 'object' && given !== null && !Array.isArray(given)
  if (!isObject) throw new ApiError(422, { credentials: 'credentials must be an object.' })
  // Before what is null is taken away: a misspelt name must not be passed over.
  refuseWrong(ports.gateways.unknownCredential(current.type, given))
  const { whole, over } = await ports.gateways.completed(current, given)
  const credentials = checkedCredentials(ports, current.type, whole)
  const account = accountIn(await ports.gateways.identify(current, credentials))
  const was = await ports.gateways.accountOf(current)
  if (was.kind === 'unknown') throw new ApiError(502, { general: was.sentence })
  if (was.kind === 'refused' || was.account !== account) {
    throw new ApiError(422, { credentials: `credentials ${otherAccount}` })
  }
  return { credentials: JSON.stringify(credentials), account, over }
}

/** Undefined: not given. */
function fallbackFrom(given: number | string | null | undefined): number | null | undefined {
  return given === undefined ? undefined : Number(given) || null
}

/** For other routes that name one: null, none was named. */
export async function namedGateway(
  ports: ApiPorts,
  merchantId: MerchantId,
  text: string | undefined,
): Promise<GatewayId | null> {
  if (text === undefined) return null
  const id = parseGatewayId(text)
  if (id !== null && (await ports.store.findGateway(merchantId, id)) !== null) return id
  throw ApiError.notKnown('gateway')
}

function gatewayView({ core, gateways }: ApiPorts, gateway: GatewayAccount): { [name: string]: Json } {
  const { id, type, isDefault, fallback, status, createdAt } = gateway
  const eventsUrl = gateways.hasNotices(type) ? `${core.service.baseUrl}/gateways/${id}/events` : null
  return { id, type, default: isDefault, fallback, status, events_url: eventsUrl, created_at: isoTime(createdAt) }
}
