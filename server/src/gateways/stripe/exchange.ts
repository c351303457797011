// One HTTP exchange with Stripe that says what is known about it afterwards: answered in Stripe's words, never left, or
// in doubt. Nothing is retried here. fetch() is no way to do this: it hides whether there ever was a connection.

import {
  type ClientRequest,
  Agent as HttpAgent,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request as startHttp,
} from 'node:http'
import { Agent as HttpsAgent, request as startHttps } from 'node:https'
import type { NotSent, Unknown } from '../../core/gateway.ts'
import { closeIdle } from '../idle-connections.ts'

export interface Ask {
  readonly protocol: 'http' | 'https'
  readonly host: string
  readonly port: string
  readonly method: string
  readonly path: string
  readonly headers: OutgoingHttpHeaders
  readonly body: string
}
export interface Members {
  readonly [name: string]: unknown
}
/** An object of Stripe's API with 200, or an error in Stripe's shape with a status that fits it. */
export interface Answered {
  readonly kind: 'answered'
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  readonly body: Members
}
export type Exchanged = Answered | NotSent | Unknown

export interface Exchanger {
  exchange(ask: Ask, signal: AbortSignal): Promise<Exchanged>
  /** Closes the connections that wait to be used again. */
  close(): void
}

const answerBytesMax = 1024 * 1024
/** Stripe closes idle connections too. One that it is just closing turns a charge into doubt: we close ours first. */
const idleMaxMs = 20_000
/** What is told of an answer's head. The rest is left out: the SDK prints notices that it finds there. */
const headersOfUse = ['request-id', 'retry-after', 'idempotent-replayed']

export function createExchanger(): Exchanger {
  const options = { keepAlive: true, maxFreeSockets: 16, timeout: idleMaxMs }
  const agents = { http: new HttpAgent(options), https: new HttpsAgent(options) }
  return {
    async exchange(ask, signal) {
      if (signal.aborted) return unknown('The time was up before Stripe was asked.')
      const { protocol, host, port, method, path, headers } = ask
      const start = protocol === 'https' ? startHttps : startHttp
      const request = start({ agent: agents[protocol], signal, host, port, method, path, headers })
      const result = await exchanged(request, ask)
      if (result.kind === 'answered') return result
      // Whatever the connection has still to say is no answer to the next request.
      request.destroy()
      return signal.aborted ? unknown('Stripe did not answer in time.') : result
    },
    close() {
      closeIdle(agents.http)
      closeIdle(agents.https)
    },
  }
}

function exchanged(request: ClientRequest, ask: Ask): Promise<Exchanged> {
  const { promise, resolve } = Promise.withResolvers<Exchanged>()
  // The one proof that nothing left is that there never was a connection, handshake included. An error code is none: a
  // reset can come before or after the request was read, and on a connection used before it says nothing about this one.
  let isConnected = false
  request.once('socket', socket => {
    const connected = ask.protocol === 'https' ? 'secureConnect' : 'connect'
    if (socket.connecting) socket.once(connected, () => (isConnected = true))
    else isConnected = request.reusedSocket || !socket.destroyed
  })
  request.on('error', error => {
    const cause = `The connection to Stripe failed (${errorCode(error)}).`
    resolve(isConnected ? unknown(cause) : { kind: 'not_sent', code: 'gateway_not_reached', cause })
  })
  let isAnswered = false
  request.once('close', () => isAnswered || resolve(unknown('The connection to Stripe was closed.')))
  request.once('response', response => {
    isAnswered = true
    readAnswer(response, ask).then(resolve, error =>
      resolve(unknown(`Stripe's answer broke off (${errorCode(error)}).`)),
    )
  })
  request.end(ask.body === '' ? undefined : ask.body)
  return promise
}

async function readAnswer(response: IncomingMessage, ask: Ask): Promise<Exchanged> {
  const status = response.statusCode ?? 0
  // Stripe repeats the key of the request. Another one here is the answer to an earlier request on this connection.
  const repeated = response.headers['idempotency-key']
  if (repeated !== undefined && repeated !== ask.headers['Idempotency-Key']) {
    return unknown("Stripe's answer is not to this request.")
  }
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response) {
    bytes += chunk.length
    if (bytes > answerBytesMax) return unknown("Stripe's answer is too large.")
    chunks.push(chunk)
  }
  const body = parsed(Buffer.concat(chunks).toString())
  if (body === null) return unknown(`Stripe's answer (HTTP ${status}) is not a JSON object.`)
  if (status === 200 && body.error !== undefined) return unknown('Stripe answered HTTP 200 with an error inside.')
  const isError = status >= 400 && isMembers(body.error) && typeof body.error.type === 'string'
  if (status !== 200 && !isError) return unknown(`Stripe's answer (HTTP ${status}) was not understood.`)
  return { kind: 'answered', status, body, headers: headersOf(response) }
}

function headersOf({ headers }: IncomingMessage): Answered['headers'] {
  return Object.fromEntries(
    headersOfUse.flatMap(name => {
      const value = headers[name]
      return typeof value === 'string' ? [[name, value]] : []
    }),
  )
}

function parsed(text: string): Members | null {
  try {
    const value: unknown = JSON.parse(text)
    return isMembers(value) ? value : null
  } catch {
    return null
  }
}

export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The code, not the message: messages quote addresses and worse. */
function errorCode(error: unknown): string {
  if (!(error instanceof Error)) return 'not an error'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}

export function unknown(cause: string): Unknown {
  return { kind: 'unknown', cause }
}
