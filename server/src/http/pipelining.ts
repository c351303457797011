// Requests that come on one connection before those ahead of them are answered. They are handled one after the other, and a client
// that sends more than a few ahead is disconnected: Node would begin every request of a chunk that it has read, and 64 KiB hold
// thousands.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export type RequestListener = (request: IncomingMessage, response: ServerResponse) => void

/** Clients that pipeline at all send a few ahead. */
export const pipelinedMax = 8

const lastResponse = Symbol('last response')
const waitingCount = Symbol('waiting requests')

interface Connection extends Socket {
  [lastResponse]?: ServerResponse
  [waitingCount]?: number
}

/** Idle connections and those with a part of a request's header have none. */
export function hasRequestUnderWay(socket: Socket): boolean {
  const last = (socket as Connection)[lastResponse]
  return last !== undefined && !last.closed
}

/** Its header is here, and its body is not yet. */
export function isRequestArriving(socket: Socket): boolean {
  return hasRequestUnderWay(socket) && (socket as Connection)[lastResponse]?.req.complete === false
}

/** `handle` gets a request once those before it on its connection are answered. */
export function oneRequestAtATime(handle: RequestListener, onDisconnect: () => void): RequestListener {
  return (request, response) => {
    const connection: Connection = request.socket
    if (!connection.writable) return
    const before = connection[lastResponse]
    connection[lastResponse] = response
    if (before === undefined || before.closed) return handle(request, response)
    const waiting = (connection[waitingCount] ?? 0) + 1
    if (waiting > pipelinedMax) {
      connection.destroy()
      return onDisconnect()
    }
    connection[waitingCount] = waiting
    before.once('close', () => {
      connection[waitingCount] = (connection[waitingCount] ?? 1) - 1
      if (connection.writable) handle(request, response)
    })
  }
}
