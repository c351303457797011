// One HTTP call that says what is known about it afterwards: answered, never left, or in doubt. Nothing is retried here.

import { randomUUID } from 'node:crypto'
import { Agent, type ClientRequest, type IncomingMessage, request as startRequest } from 'node:http'
import type { NotSent, Unknown } from '../../core/gateway.ts'
import { closeIdle } from '../idle-connections.ts'

export interface Call {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  /** JSON text. */
  readonly body: string | null
  readonly answerBytesMax: number
}
export interface Answered {
  readonly kind: 'answered'
  readonly status: number
  /** Parsed JSON. */
  readonly body: unknown
}
export type CallResult = Answered | NotSent | Unknown

export interface Caller {
  call(call: Call, signal: AbortSignal): Promise<CallResult>
  /** Closes the connections that wait to be used again. */
  close(): void
}

export function createCaller(base: URL, user: string): Caller {
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 16 })
  const prefix = base.pathname.replace(/\/$/, '')
  const authorization = `Basic ${Buffer.from(`${user}:`).toString('base64')}`
  return {
    async call(call, signal) {
      if (signal.aborted) return unknown('The time was up before the sandbox was asked.')
      const requestId = randomUUID()
      const request = startRequest({
        agent,
        signal,
        hostname: base.hostname.replace(/^\[|\]$/g, ''),
        port: base.port === '' ? 80 : base.port,
        method: call.method,
        path: prefix + call.path,
        headers: { authorization, 'request-id': requestId, ...bodyHeaders(call.body) },
      })
      const result = await exchange(request, call, requestId)
      if (result.kind === 'answered') return result
      // Whatever the connection has still to say is no answer to the next request.
      request.destroy()
      return signal.aborted ? unknown('The sandbox did not answer in time.') : result
    },
    close: () => closeIdle(agent),
  }
}

function bodyHeaders(body: string | null): Record<string, string | number> {
  if (body === null) return {}
  return { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
}

function exchange(request: ClientRequest, call: Call, requestId: string): Promise<CallResult> {
  const { promise, resolve } = Promise.withResolvers<CallResult>()
  // The one proof that nothing left is that there never was a connection. An error code is none: a reset can come
  // before or after the request was read, and on a connection used before it says nothing about this request.
  let isConnected = false
  request.once('socket', socket => {
    if (socket.connecting) socket.once('connect', () => (isConnected = true))
    else isConnected = request.reusedSocket || !socket.destroyed
  })
  request.on('error', error => {
    const cause = `The connection to the sandbox failed (${codeOf(error)}).`
    resolve(isConnected ? unknown(cause) : { kind: 'not_sent', code: 'gateway_not_reached', cause })
  })
  let isAnswered = false
  request.once('close', () => isAnswered || resolve(unknown('The connection to the sandbox was closed.')))
  request.once('response', response => {
    isAnswered = true
    readAnswer(response, call.answerBytesMax, requestId).then(resolve, error =>
      resolve(unknown(`The sandbox's answer broke off (${codeOf(error)}).`)),
    )
  })
  request.end(call.body ?? undefined)
  return promise
}

async function readAnswer(response: IncomingMessage, bytesMax: number, requestId: string): Promise<CallResult> {
  // A server that answered an earlier request twice has its second answer lying here: not ours to believe.
  if (response.headers['request-id'] !== requestId) return unknown('The answer is not to this request.')
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response) {
    bytes += chunk.length
    if (bytes > bytesMax) return unknown('The answer of the sandbox is too large.')
    chunks.push(chunk)
  }
  try {
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString())
    return { kind: 'answered', status: response.statusCode ?? 0, body }
  } catch {
    return unknown('The answer of the sandbox is not JSON.')
  }
}

/** The code, not the message: messages quote addresses and worse. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'not an error'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}

function unknown(cause: string): Unknown {
  return { kind: 'unknown', cause }
}
