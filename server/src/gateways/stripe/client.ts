// The official SDK, set up so that each of its calls is one HTTP exchange, bounded by the port's signal, whose end is a
// value. With retries set to 0 the SDK still sends again after ECONNRESET and EPIPE: it never gets to see those codes.

import { AsyncLocalStorage } from 'node:async_hooks'
import Stripe from 'stripe'
import type { Note, NotSent, Unknown } from '../../core/gateway.ts'
import { type Answered, createExchanger, type Exchanged, type Exchanger } from './exchange.ts'

/** Stripe's refusal, in its own words. Its message is left out: it quotes what it was sent. */
export interface Refused {
  readonly kind: 'refused'
  readonly status: number
  readonly type: string
  readonly code: string | null
  readonly declineCode: string | null
  readonly param: string | null
  readonly requestId: string | null
  /** The intent that a card error is about. */
  readonly intent: unknown
  readonly retryAfterMs: number | null
  /** Stripe had answered this very request before, and repeats it: this answer is kept under the key. */
  readonly isReplay: boolean
}
/** What is answered is not yet understood: the SDK's types are a hope, not a check. */
export type Called = Ok | Refused | NotSent | Unknown
export interface Ok {
  readonly kind: 'ok'
  readonly value: unknown
}

export interface Caller {
  /** One call of the SDK, one request. */
  call(work: (stripe: Stripe) => Promise<unknown>, signal: AbortSignal, note?: Note): Promise<Called>
  close(): void
}

export interface CallerOptions {
  readonly secretKey: string
  /** Null: Stripe itself. */
  readonly apiBase: URL | null
}

interface CallUnderWay {
  readonly signal: AbortSignal
  readonly note: Note | undefined
  failure: NotSent | Unknown | null
  isReplay: boolean
}

export function createCaller({ secretKey, apiBase }: CallerOptions): Caller {
  const callsUnderWay = new AsyncLocalStorage<CallUnderWay>()
  const exchanger = createExchanger()
  const stripe = new Stripe(secretKey, {
    httpClient: httpClient(exchanger, callsUnderWay),
    maxNetworkRetries: 0,
    telemetry: false,
    ...(apiBase !== null && {
      protocol: 'http',
      host: apiBase.hostname.replace(/^\[|\]$/g, ''),
      port: apiBase.port === '' ? '80' : apiBase.port,
    }),
  })
  return {
    async call(work, signal, note) {
      const call: CallUnderWay = { signal, note, failure: null, isReplay: false }
      try {
        const value = await callsUnderWay.run(call, () => work(stripe))
        return { kind: 'ok', value }
      } catch (error) {
        if (call.failure !== null) return call.failure
        if (error instanceof Stripe.errors.StripeError) return { ...refusalIn(error), isReplay: call.isReplay }
        throw error
      }
    },
    close: exchanger.close,
  }
}

type HttpClient = NonNullable<Stripe.StripeConfig['httpClient']>

function httpClient(exchanger: Exchanger, callsUnderWay: AsyncLocalStorage<CallUnderWay>): HttpClient {
  return {
    getClientName: () => 'node',
    async makeRequest(host, port, path, method, headers, body, protocol) {
      const call = callsUnderWay.getStore()
      if (call === undefined) throw new Error('Stripe is called through a caller')
      const ask = { protocol: protocol === 'http' ? 'http' : 'https', host, port, path, method, headers, body } as const
      const startedAtMs = performance.now()
      const result = await exchanger.exchange(ask, call.signal)
      call.note?.(noteOf(method, path, result, performance.now() - startedAtMs))
      if (result.kind === 'answered') {
        call.isReplay = result.headers['idempotent-replayed'] === 'true'
        return responseOf(result)
      }
      call.failure = result
      throw new Error(result.cause)
    },
  }
}

function responseOf({ status, headers, body }: Answered): Awaited<ReturnType<HttpClient['makeRequest']>> {
  return {
    getStatusCode: () => status,
    getHeaders: () => headers,
    getRawResponse: () => ({}),
    toStream: () => {
      throw new Error('nothing of Stripe is streamed')
    },
    toJSON: async () => body,
  }
}

function noteOf(method: string, path: string, result: Exchanged, tookMs: number): string {
  const asked = `${method} ${path.split('?')[0]}`
  const took = `${Math.round(tookMs)} ms`
  if (result.kind !== 'answered') return `${asked} -> ${result.cause} (${took})`
  const { type, code, decline_code } = (result.body.error ?? {}) as { [name: string]: unknown }
  const said = [result.status, ...[type, code, decline_code].map(word)].filter(each => each !== null).join(' ')
  const requestId = word(result.headers['request-id'])
  return `${asked} -> ${said} (${requestId === null ? took : `${requestId}, ${took}`})`
}

function refusalIn(error: InstanceType<typeof Stripe.errors.StripeError>): Omit<Refused, 'isReplay'> {
  return {
    kind: 'refused',
    status: error.statusCode ?? 0,
    type: word(error.rawType) ?? 'an error without a type',
    code: word(error.code),
    declineCode: word(error.decline_code),
    param: word(error.param),
    requestId: word(error.requestId),
    intent: error.payment_intent,
    retryAfterMs: retryAfterMs(error.headers?.['retry-after']),
  }
}

/** A word of Stripe's own vocabulary. Whatever else stands in its place is not repeated: it may be a number or a key. */
function word(text: unknown): string | null {
  if (typeof text !== 'string' || text.length > 80 || /^(sk|rk|pk|whsec)_/.test(text)) return null
  return /^[a-z][a-z_[\].]*$|^req_[a-zA-Z0-9]+$/.test(text) ? text : null
}

/** Seconds, or a date. */
function retryAfterMs(header: string | undefined): number | null {
  if (header === undefined) return null
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000
  const atMs = Date.parse(header)
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - Date.now())
}
