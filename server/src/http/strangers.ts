// Limits how much of the event loop one network may use with what anybody may ask for: pages, their files, pictures and
// searches. Payments share that event loop, and places alone limit only how many requests wait in it.

import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { networkOf } from '../core/tries.ts'
import { ApiError } from './errors.ts'
import { createThrottle } from './throttle.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a request of this route costs, in points of about a millisecond of the event loop. */
    readonly points?: number
  }
}

/** A page with its form, style and scripts takes six at first, and three when the browser has the files. */
export const strangersPoints = { perS: 200, burst: 400 }
const pagePoints = 3
export const filePoints = 1
/** A search, or a picture of an address of 2,048 characters. */
export const costlyPoints = 12

const tooMany = 'Too many requests came from your network. Try again in a moment.'

/** A refusal is cheap, but not free: who asks again at once on the same connection is made to wait for each. */
const refusedAfterMs = 1_000

export type StrangersLimit = (request: FastifyRequest) => Promise<void>

/** Asked before a request takes a place. */
export function createStrangersLimit(): StrangersLimit {
  const throttle = createThrottle(strangersPoints)
  return async request => {
    const taken = throttle.take(networkOf(request.ip), request.routeOptions.config.points ?? pagePoints)
    if (taken.ok) return
    await delay(refusedAfterMs)
    throw ApiError.tooMany(tooMany, taken.retryAfterS)
  }
}

export function limitStrangers(scope: FastifyInstance, limit: StrangersLimit): void {
  scope.addHook('onRequest', limit)
}
