// A client that disconnected before its request was begun.

import type { FastifyRequest } from 'fastify'
import { ApiError } from './errors.ts'

/**
 * Nobody would hear the answer, and the framework waits for ever for a body of a connection that is gone. One that was reset has no
 * address any more, before it is known to have ended; an address that was read once stays known.
 */
export function isDisconnected(request: FastifyRequest): boolean {
  const address: string | undefined = request.ip
  return request.raw.socket.destroyed || address === undefined
}

export const disconnectedError = () => new ApiError(400, { general: 'The client hung up before anything was done.' })
