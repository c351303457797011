// The audit log: who changed what, when, from where. A row is there before the change is begun, and how it ended is written
// before the answer goes out. What is refused for its form alone (a missing field) is no change, and not in it.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Json } from '../core/offer.ts'
import { fromOf } from './guard.ts'
import type { ChangeBegun, ConsolePorts } from './ports.ts'

declare module 'fastify' {
  interface FastifyRequest {
    change: ChangeBegun | null
  }
}

type Members = { readonly [name: string]: Json }

export function recordChanges(app: FastifyInstance, { changes }: ConsolePorts): void {
  app.addHook('preHandler', async request => {
    const { action, keeps = [], names } = request.routeOptions.config
    if (request.login === null || action === undefined) return
    const body = request.body as { [name: string]: Json }
    if (names !== undefined) body[names] = request.login.email
    const detail = Object.fromEntries(keeps.filter(name => name in body).map(name => [name, body[name] ?? null]))
    request.change = await changes.begin(request.login, { action, about: aboutIn(request), detail }, fromOf(request))
  })
  app.addHook('onSend', async (request, reply, payload) => {
    if (request.change !== null) {
      const ended = { status: reply.statusCode, about: aboutAnswer(payload) }
      await changes.end(request.change, ended).catch(error => request.log.error({ err: error }, 'a change has no end'))
    }
    return payload
  })
}

/** What it is done to, as its address or its arguments name it. */
function aboutIn({ params, body }: FastifyRequest): string | null {
  const { id, service_token: token } = params as Members
  const { transaction } = body as Members
  const named = id ?? token ?? transaction
  return typeof named === 'string' ? named.slice(0, 255) : null
}

/** What was made is named by the answer alone. */
function aboutAnswer(payload: unknown): string | null {
  if (typeof payload !== 'string' || !payload.startsWith('{')) return null
  const [thing] = Object.values(JSON.parse(payload) as { readonly [name: string]: Members | null })
  const { id, offer_id: offer, service_token: token } = thing ?? {}
  const named = id ?? offer ?? token
  return typeof named === 'string' ? named : null
}
