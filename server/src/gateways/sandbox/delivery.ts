// How the sandbox's server puts an answer on the socket, or does not.

import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Travel } from './engine.ts'
import { toJson } from './wire.ts'

export interface Reply {
  readonly status: number
  /** Null: nothing was decided, and the request is held for ever. */
  readonly body: object | null
  readonly headers?: Readonly<Record<string, string>>
  readonly travel?: Travel
}

export function deliver(response: ServerResponse, reply: Reply): void {
  const { socket } = response
  const travel = reply.travel ?? { kind: 'prompt' }
  if (socket === null || reply.body === null) return
  const body = toJson(reply.body)
  switch (travel.kind) {
    case 'prompt':
      write(response, reply, body)
      return
    case 'lost':
      // Held: the client has to give up. Nothing is kept for it but its connection.
      return
    case 'slow': {
      const timer = setTimeout(() => write(response, reply, body), travel.afterMs)
      response.once('close', () => clearTimeout(timer))
      return
    }
    case 'reset':
      socket.resetAndDestroy()
      return
    case 'twice':
      // The second one goes out when the first is complete, as bytes that nobody asked for.
      response.once('finish', () => writeAgain(socket, response, body))
      write(response, reply, body)
      return
  }
}

function write(response: ServerResponse, reply: Reply, body: string): void {
  const ours = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  response.writeHead(reply.status, { ...ours, ...reply.headers })
  response.end(body)
}

function writeAgain(socket: Socket, response: ServerResponse, body: string): void {
  if (socket.destroyed) return
  const headers = [
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    `request-id: ${response.getHeader('request-id') ?? ''}`,
  ]
  socket.write(`HTTP/1.1 ${response.statusCode} OK\r\n${headers.join('\r\n')}\r\n\r\n${body}`)
}
