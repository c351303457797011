// Limits how much of the event loop one network may use before it has proven who it is: with pages, files, pictures, searches, health,
// and with requests that are refused. Payments share that event loop, and places alone limit only how many requests wait in it.
// What turns out to come from a merchant, a person or a gateway is not counted. Merchants and people who were known before have limits
// of their own, and those are asked before anything else, too: whatever a request comes to, it is counted.

import { hash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { networkOf } from '../core/tries.ts'
import { disconnectedError, isDisconnected } from './client-disconnected.ts'
import { ApiError } from './errors.ts'
import { leavePlace } from './hold-places.ts'
import { createPauses } from './pauses.ts'
import { createThrottle, type Throttle } from './throttle.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a request of this route costs, in points of about a millisecond of the event loop; 1 by default. */
    readonly points?: number
  }
  interface FastifyInstance {
    readonly strangers: Strangers
  }
  interface FastifyRequest {
    /** Taken from its network, and not given back. */
    strangersPoints: number
    /** It was counted for who showed the same credentials before. */
    isCounted: boolean
  }
}

export interface Strangers {
  /** Takes points of the request's network, or refuses it. */
  take(request: FastifyRequest, points: number): Promise<void>
  /** It has proven whose it is. */
  giveBack(request: FastifyRequest): void
  /** Counts it for who has proven whose it is, once, or refuses it. */
  count(request: FastifyRequest, known: Known): Promise<void>
  /** Whoever shows the same cookies again is known, for a while. */
  rememberCookies(request: FastifyRequest, known: Known): void
  forgetCookies(request: FastifyRequest): void
}

/** A merchant or a person, and the limit that all their requests count against. */
export interface Known {
  readonly name: string
  readonly throttle: Throttle
}

/**
 * A page with its form, style and scripts takes six at first, and three when the browser has the files. What goes beyond a burst waits, so
 * that it is done evenly and payments find the event loop free in between.
 */
export const strangersPoints = { perS: 200, burst: 100, waitingMax: 300 }
export const pagePoints = 3
/** A search, or a picture of an address of 2,048 characters. */
export const costlyPoints = 12
/** A large page costs more: so many bytes are in its points, and each further point pays for as many as this. */
const bytesOfPage = 24 * 1_024
const bytesOfPoint = 8 * 1_024

/** A session is used again within minutes, or its first request is counted anew. */
const rememberedMs = 300_000
const rememberedMax = 10_000

const tooMany = 'Too many requests came from your network. Try again in a moment.'
/** A refusal is cheap, but not free: who asks again at once on the same connection is made to wait for each. */
export const refusedAfterMs = 1_000
/** Those of one network, which may have thousands of connections, are not answered together. Those who would wait longer lose their connection. */
export const refusals = { perS: 100, burst: 20, waitingMax: 2_000 }
/** To merchants and people, of whom nobody loses a connection. By network: one may have the keys of many. */
const refusalsOfKnown = { perS: 500, burst: 20, waitingMax: Number.POSITIVE_INFINITY }

/** On the whole server, before any other hook. `knownBy`: who showed the credentials of the request before, and was right. */
export function limitStrangers(app: FastifyInstance, knownBy: (request: FastifyRequest) => Known | null): void {
  const throttle = createThrottle(strangersPoints)
  const refused = createThrottle(refusals)
  const refusedKnown = createThrottle(refusalsOfKnown)
  const pauses = createPauses()
  /** By the hash of what was shown. */
  const remembered = new Map<string, Known & { readonly untilMs: number }>()
  const strangers: Strangers = {
    async take(request, points) {
      const network = networkOf(request.ip)
      const taken = throttle.take(network, points)
      if (taken.ok) {
        request.strangersPoints += points
        if (taken.afterMs > 0) await pauses.pause(taken.afterMs)
        return
      }
      const turn = refused.take(network)
      if (!turn.ok) request.raw.socket.destroy()
      else await pauses.pause(refusedAfterMs + turn.afterMs)
      throw ApiError.tooMany(tooMany, taken.retryAfterS)
    },
    giveBack(request) {
      throttle.giveBack(networkOf(request.ip), request.strangersPoints)
      request.strangersPoints = 0
    },
    async count(request, known) {
      if (request.isCounted) return
      request.isCounted = true
      const taken = known.throttle.take(known.name)
      if (taken.ok) return
      leavePlace(request)
      const turn = refusedKnown.take(networkOf(request.ip))
      await pauses.pause(refusedAfterMs + (turn.ok ? turn.afterMs : 0))
      throw ApiError.tooMany('Too many requests.', taken.retryAfterS)
    },
    rememberCookies(request, known) {
      const shown = shownCookies(request)
      if (shown === null) return
      if (remembered.size >= rememberedMax) remembered.clear()
      remembered.set(shown, { ...known, untilMs: performance.now() + rememberedMs })
    },
    forgetCookies(request) {
      const shown = shownCookies(request)
      if (shown !== null) remembered.delete(shown)
    },
  }
  const rememberedBy = (request: FastifyRequest): Known | null => {
    const shown = isRoute(request, '/console') ? shownCookies(request) : null
    const known = shown === null ? undefined : remembered.get(shown)
    return known !== undefined && known.untilMs > performance.now() ? known : null
  }
  app.decorate('strangers', strangers)
  app.decorateRequest('strangersPoints', 0)
  app.decorateRequest('isCounted', false)
  // Who waits for a refusal does not hold up the end.
  app.addHook('preClose', async () => pauses.end())
  app.addHook('onRequest', async request => {
    if (isDisconnected(request)) throw disconnectedError()
    const known = knownBy(request) ?? rememberedBy(request)
    if (known !== null) return strangers.count(request, known)
    const { points = request.is404 ? pagePoints : 1 } = request.routeOptions.config
    if (points > 0) await strangers.take(request, points)
  })
  app.addHook('onSend', async (request, reply, payload) => {
    const points = pointsOfSize(reply, payload)
    if (request.strangersPoints > 0 && points > 0) throttle.charge(networkOf(request.ip), points)
  })
}

/** Whoever has proven something to one part of the service is a stranger to the others: nobody looks at it there. */
export function isRoute({ routeOptions }: FastifyRequest, prefix: string): boolean {
  return routeOptions.url?.startsWith(`${prefix}/`) ?? false
}

/** Not the secret itself, which would stay in memory. */
function shownCookies({ headers: { cookie } }: FastifyRequest): string | null {
  return cookie === undefined ? null : hash('sha256', cookie, 'base64')
}

function pointsOfSize(reply: FastifyReply, payload: unknown): number {
  if (typeof payload !== 'string' || !String(reply.getHeader('content-type')).startsWith('text/html')) return 0
  return Math.max(0, Math.ceil((payload.length - bytesOfPage) / bytesOfPoint))
}

/** For scopes whose routes are pages. */
export function countAsPages(scope: FastifyInstance): void {
  scope.addHook('onRoute', route => {
    route.config = { points: pagePoints, ...route.config }
  })
}
