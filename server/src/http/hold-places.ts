// Who is let in: asked before anything is begun, again when a body came late or it turns out whom the work is for, and given back with
// the answer. What is turned away has written nothing and may be asked again as it was.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { MerchantId } from '../core/ids.ts'
import type { WorksFor } from '../core/works-for.ts'
import { disconnectedError, isDisconnected } from './client-disconnected.ts'
import type { Door, Place, Whose } from './door.ts'
import { ApiError } from './errors.ts'
import { createTurnsToBegin, type TurnsToBegin } from './turns-to-begin.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** It waits for something to happen, or a request that holds a place waits for it. */
    readonly holdsNoPlace?: true
  }
  interface FastifyInstance {
    readonly takePlace: (request: FastifyRequest) => Promise<void>
    readonly turnsToBegin: TurnsToBegin
  }
  interface FastifyRequest {
    place: Place | null
    /** Null: not known yet. */
    worksFor: { merchantId: MerchantId | null }
    turnedAway: boolean
    isBegun: boolean
  }
}

/** The line has moved on by then; who comes again and again waits longer by its own schedule. */
const retryAfterS = 1

/** Made once: to turn somebody away is to cost next to nothing. */
const tooBusy = new ApiError(
  503,
  { general: 'The service has too much to do at the moment, and nothing was done. Try again.' },
  { 'Retry-After': String(retryAfterS) },
)

/** On the whole server, before any other hook, so that every way to an answer comes by. */
export function givePlacesBack(app: FastifyInstance): void {
  app.decorate('turnsToBegin', createTurnsToBegin())
  app.decorateRequest('place', null)
  app.decorateRequest('worksFor')
  app.addHook('onRequest', async request => {
    request.worksFor = { merchantId: null }
  })
  app.decorateRequest('turnedAway', false)
  app.decorateRequest('isBegun', false)
  // With the answer, and not when it was taken: a slow reader would keep others out.
  app.addHook('onSend', async request => leave(request))
}

/** Whatever is done for a request works for its merchant, as soon as that is known. */
export function workForMerchants(app: FastifyInstance, begin: (worksFor: WorksFor, work: () => void) => void): void {
  app.addHook('onRequest', (request, _, done) => begin(request.worksFor, done))
  // A body comes with events of its connection, which know nothing of the request.
  app.addHook('preValidation', (request, _, done) => begin(request.worksFor, done))
}

/** For all routes of a scope. `whose`: in whose name a request has its place; it changes when it is known whom the work is for. */
export function holdPlaces(scope: FastifyInstance, door: Door, whose: (request: FastifyRequest) => Whose): void {
  const enter = async (request: FastifyRequest) => {
    if (request.routeOptions.config.holdsNoPlace === true) return
    const now = whose(request)
    if (request.place !== null && isSame(request.place.whose, now)) return
    leave(request)
    request.place = await door.enter(now)
    refuseIfGone(request) // while it waited
    if (request.place === null) {
      request.turnedAway = true
      throw tooBusy
    }
    if (request.worksFor.merchantId === null) return
    await request.server.turnsToBegin.take(request.worksFor.merchantId)
    refuseIfGone(request)
  }
  scope.decorate('takePlace', enter)
  scope.addHook('onRequest', async (request, reply) => {
    reply.raw.once('close', () => hungUp(request))
    refuseIfGone(request)
    await enter(request)
  })
  // Whose body is still on its way holds no place, but for the moment in which its credentials are looked at.
  scope.addHook('preParsing', async request => {
    if (!request.raw.complete) leave(request)
  })
  scope.addHook('preValidation', async request => {
    if (request.place === null) await enter(request)
  })
  scope.addHook('preHandler', begin)
}

/** Of those who work for nobody but a merchant: for it alone, once that is known. */
export const forItself =
  (nameOf: (request: FastifyRequest) => string) =>
  (request: FastifyRequest): Whose => ({ by: request.worksFor.merchantId ?? nameOf(request), for: null })

/** Of strangers: for their network, and for the merchant whom they ask something of. */
export const forBoth =
  (nameOf: (request: FastifyRequest) => string) =>
  (request: FastifyRequest): Whose => ({ by: nameOf(request), for: request.worksFor.merchantId })

/**
 * From here on it has its place in the name of the merchant whom it works for: requests that wait for a merchant's own application, or its
 * gateway, take none of the others' share, whoever sends them.
 */
export async function takePlaceFor(request: FastifyRequest, merchantId: MerchantId): Promise<void> {
  request.worksFor.merchantId = merchantId
  if (request.place) await request.server.takePlace(request)
}

const isSame = (one: Whose, other: Whose): boolean => one.by === other.by && one.for === other.for

/** While a request waits for something else, its place is for others. What is returned takes one again. */
export function leavePlace(request: FastifyRequest): () => Promise<void> {
  leave(request)
  return () => request.server.takePlace(request)
}

/** Once begun, the work is done to its end, and has its place so long. */
function hungUp(request: FastifyRequest): void {
  if (!request.isBegun) leave(request)
}

async function begin(request: FastifyRequest): Promise<void> {
  refuseIfGone(request)
  request.isBegun = true
}

function refuseIfGone(request: FastifyRequest): void {
  if (!isDisconnected(request)) return
  leave(request)
  throw disconnectedError()
}

function leave(request: FastifyRequest): void {
  request.place?.leave()
  request.place = null
}
