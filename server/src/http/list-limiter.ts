// Limits how many lists of one merchant are read at once. Lists cost more than other requests, and nobody waits for one as
// a customer waits for a charge: so a merchant's lists wait for each other, and nothing else waits for them.

import type { FastifyRequest } from 'fastify'
import { callerOf } from './answering.ts'
import { ApiError } from './errors.ts'
import { leavePlace } from './hold-places.ts'

declare module 'fastify' {
  interface FastifyInstance {
    readonly listLimiter: ListLimiter
  }
}

export interface ListTurn {
  /** Once: a second time does nothing. */
  end(): void
}

export interface ListLimiter {
  /** Null: too many wait already. */
  enter(name: string): ListTurn | Promise<ListTurn> | null
}

interface Queue {
  running: number
  readonly waiting: (() => void)[]
}

/** One is read while the other is sent; more would only take turns in the event loop, and others with them. */
export const listsAtOnce = 2
/** More than the dashboard and a few programs ask for at a time. */
export const listsWaitingMax = 32

export function createListLimiter(): ListLimiter {
  const queues = new Map<string, Queue>()

  function turnIn(name: string, queue: Queue): ListTurn {
    let isOver = false
    return {
      end() {
        if (isOver) return
        isOver = true
        // Whoever waits takes the turn over, so that nobody who comes later is faster.
        const next = queue.waiting.shift()
        if (next !== undefined) return next()
        queue.running -= 1
        if (queue.running === 0) queues.delete(name)
      },
    }
  }

  return {
    enter(name) {
      const queue = queues.get(name) ?? { running: 0, waiting: [] }
      queues.set(name, queue)
      if (queue.running < listsAtOnce) {
        queue.running += 1
        return turnIn(name, queue)
      }
      if (queue.waiting.length >= listsWaitingMax) return null
      return new Promise(begin => queue.waiting.push(() => begin(turnIn(name, queue))))
    },
  }
}

const retryAfterS = 1

/** Does the work of a list request when it is its merchant's turn. */
export async function inListTurn<Value>(request: FastifyRequest, work: () => Promise<Value>): Promise<Value> {
  const entered = request.server.listLimiter.enter(callerOf(request).merchantId)
  if (entered === null) throw ApiError.tooMany('Too many lists are being read at once. Try again.', retryAfterS)
  const takePlaceAgain = entered instanceof Promise ? leavePlace(request) : null
  const turn = await entered
  try {
    await takePlaceAgain?.()
    return await work()
  } finally {
    turn.end()
  }
}
