// Limits how many lists of one merchant are read at once. Lists cost more than other requests, and nobody waits for one as
// a customer waits for a charge: so a merchant's lists wait for each other, and nothing else waits for them.

import type { FastifyRequest } from 'fastify'
import { createTurns, endAfterRest, type Turns } from '../core/turns.ts'
import { callerOf } from './answering.ts'
import { ApiError } from './errors.ts'
import { leavePlace } from './hold-places.ts'

declare module 'fastify' {
  interface FastifyInstance {
    readonly listLimiter: Turns
  }
}

/** One is read while the other is sent; more would only take turns in the event loop, and others with them. */
export const listsAtOnce = 2
/** More than the dashboard and a few programs ask for at a time. */
export const listsWaitingMax = 32

export function createListLimiter(): Turns {
  return createTurns(listsAtOnce, listsWaitingMax)
}

const retryAfterS = 1

/** Does the work of a list request when it is its merchant's turn. `lengthOf`: how many characters what it read has, where they may be many. */
export async function inListTurn<Value>(
  request: FastifyRequest,
  work: () => Promise<Value>,
  lengthOf: (value: Value) => number = () => 0,
): Promise<Value> {
  const entered = request.server.listLimiter.enter(callerOf(request).merchantId)
  if (entered === null) throw ApiError.tooMany('Too many lists are being read at once. Try again.', retryAfterS)
  const takePlaceAgain = entered instanceof Promise ? leavePlace(request) : null
  const turn = await entered
  let length = 0
  try {
    await takePlaceAgain?.()
    const value = await work()
    length = lengthOf(value)
    return value
  } finally {
    endAfterRest(turn, length)
  }
}
