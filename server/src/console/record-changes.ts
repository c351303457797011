// The audit log: who changed what, when, from where. A row is there before the change is begun, and how it ended is written
// before the answer goes out. What is refused for its form alone (a missing field) is no change, and not in it.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { maskCardNumbers } from '../core/card-number.ts'
import type { Json } from '../core/offer.ts'
import { fromOf } from './guard.ts'
import type { ChangeBegun, ConsolePorts } from './ports.ts'
import { restAlone, restNeeds } from './rest-needs.ts'

declare module 'fastify' {
  interface FastifyRequest {
    change: ChangeBegun | null
  }
}

type Members = { readonly [name: string]: Json }

type Changes = ConsolePorts['changes']

interface Change {
  readonly by: Parameters<Changes['begin']>[0]
  readonly action: string
  /** Fields of the body that the log may keep. */
  readonly keeps: readonly string[]
}

/** What somebody does at the dashboard. */
export function recordChanges(app: FastifyInstance, { changes }: ConsolePorts): void {
  record(app, changes, request => {
    const { action, keeps = [], names } = request.routeOptions.config
    if (request.login === null || action === undefined) return null
    if (names !== undefined) Object.assign(request.body as object, { [names]: request.login.email })
    return { by: request.login, action, keeps }
  })
}

/** What an application sets is in the log too. What it sells is not: that is in the story of each payment, and as much as there is trade. */
const settings =
  /^\/(gateways|payment_page|mail_settings|hook_endpoints|hook_listeners|hook_deliveries\/resend|customers)\b/

/** What is done with an API key: `rest` has the resources of REST. */
export function recordRestChanges(rest: FastifyInstance, changes: Changes): void {
  record(rest, changes, ({ caller, routeOptions }) => {
    const path = (routeOptions.url ?? '').slice(rest.prefix.length)
    const route = `${String(routeOptions.method)} ${path}`
    const { action, keeps = [] } = restNeeds[route] ?? restAlone[route] ?? {}
    if (caller === null || action === undefined || !settings.test(path)) return null
    return { by: { merchantId: caller.merchantId, email: caller.name, role: null }, action, keeps }
  })
}

function record(app: FastifyInstance, changes: Changes, changeOf: (request: FastifyRequest) => Change | null): void {
  app.decorateRequest('change', null)
  app.addHook('preHandler', async request => {
    const change = changeOf(request)
    if (change === null) return
    const { by, action, keeps } = change
    const body = request.body as Members
    const detail = Object.fromEntries(keeps.filter(name => name in body).map(name => [name, kept(body[name] ?? null)]))
    request.change = await changes.begin(by, { action, about: aboutIn(request), detail }, fromOf(request))
  })
  app.addHook('onSend', async (request, reply, payload) => {
    if (request.change !== null) {
      const ended = { status: reply.statusCode, about: aboutAnswer(payload) }
      await changes.end(request.change, ended).catch(error => request.log.error({ err: error }, 'a change has no end'))
    }
    return payload
  })
}

/** What does not belong in a log: credentials in a URL, or a token in its query; the number of a card. */
function kept(value: Json): Json {
  if (typeof value !== 'string') return value
  const isUrl = /^\s*https?:/i.test(value)
  const bare = value.replace(/\/\/[^/?#]*@/, '//')
  return maskCardNumbers(isUrl ? bare.replace(/[?#].*$/s, '') : bare)
}

/** What it is done to, as its address or its arguments name it. An address may hold NUL, which the database does not. */
function aboutIn({ params, body }: FastifyRequest): string | null {
  const { id, service_token: token } = params as Members
  const { transaction } = body as Members
  const named = id ?? token ?? transaction
  return typeof named === 'string' ? named.replaceAll('\0', '').slice(0, 255) : null
}

/** What was made is named by the answer alone. */
function aboutAnswer(payload: unknown): string | null {
  if (typeof payload !== 'string' || !payload.startsWith('{')) return null
  const [thing] = Object.values(JSON.parse(payload) as { readonly [name: string]: Members | null })
  const { id, offer_id: offer, service_token: token } = thing ?? {}
  const named = id ?? offer ?? token
  return typeof named === 'string' ? named : null
}
