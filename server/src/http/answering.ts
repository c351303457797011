// The parts that routes share: whose request it is, how a repetition is recognised, and answers.

import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Actor } from '../core/actor.ts'
import { isWhollyCardNumber } from '../core/card-number.ts'
import type { MerchantId } from '../core/ids.ts'
import { answerText } from '../core/json.ts'
import type { Json } from '../core/offer.ts'
import type { Repetition, Reply } from '../core/ports.ts'
import {
  type AnswerSubject,
  erasedSentence,
  erasedStatus,
  keyHeader,
  stillProcessingForMs,
  stillProcessingSentence,
} from '../core/repetition.ts'
import { ApiError, retryAfter } from './errors.ts'

/** On whose behalf, and who asks. */
export type Caller = Actor

export interface GivenAnswer {
  readonly status: number
  readonly text: string
}

/** As a request with a key gets it for the first time, and it is kept for repetitions. */
export interface KeyedAnswer extends GivenAnswer {
  /** Null: it contains nothing of a customer. */
  readonly subject: AnswerSubject | null
  /** It shows a secret, and is kept for its repetition only sealed. */
  readonly showsSecret?: boolean
}

export function keyedAnswer(body: { readonly [member: string]: Json }, subject: AnswerSubject | null): KeyedAnswer {
  return { status: 200, text: answerText(body), subject }
}

/** For work that reaches beyond one commit: its key is taken before it begins. `running`: by another request. */
export type DoAlone = (
  merchantId: MerchantId,
  key: Repetition,
  work: () => Promise<KeyedAnswer>,
) => Promise<(GivenAnswer & { replayed: boolean }) | 'otherArguments' | 'running'>

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null
    /** It had not arrived when the caller was asked for credentials. */
    isBodyLate: boolean
  }
}
declare module 'node:http' {
  interface IncomingMessage {
    /** A GET with a body that asks to create: it goes on as a POST, and this remembers what it was. */
    wasGet?: boolean
  }
}

export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null) throw new Error('a route without authentication asked for its caller')
  return request.caller
}

/** The client's key with the hash of what it asks, which does not depend on the order or encoding of the arguments. */
export function keyOf(request: FastifyRequest, operation: string, asked: Json): Repetition | null {
  const key = request.headers['idempotency-key']
  if (key === undefined) return null
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw new ApiError(422, { [keyHeader]: `${keyHeader} must be 1 to 255 visible characters.` })
  }
  if (isWhollyCardNumber(key)) {
    throw new ApiError(422, { [keyHeader]: `${keyHeader} must not be a card number.` })
  }
  return { operation, key, argumentsHash: hashOf(asText(asked)) }
}

/** Long enough for every client that repeats a GET because its connection broke. */
const equalGetsReplayedForMs = 60_000

/** For what moves money: a GET without a key is recognised by its credentials and arguments. */
export function repetitionOf(request: FastifyRequest, operation: string, asked: Json): Repetition | null {
  const key = keyOf(request, operation, asked)
  if (key !== null || request.raw.wasGet !== true) return key
  const hash = hashOf([operation, callerOf(request).name, asText(asked)])
  // An operation of its own: no client's key can equal the hash.
  return { operation: `GET ${operation}`, key: hash, argumentsHash: hash, replayedForMs: equalGetsReplayedForMs }
}

/** A number or a flag as JSON is the same argument as its text in a form. What is inside of an object keeps its type: it comes back. */
function asText(asked: Json): Json {
  if (asked === null || typeof asked !== 'object' || Array.isArray(asked)) return asked
  const isScalar = (value: Json) => typeof value === 'number' || typeof value === 'boolean'
  return Object.fromEntries(Object.entries(asked).map(([name, value]) => [name, isScalar(value) ? `${value}` : value]))
}

function hashOf(value: Json): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(value)))
    .digest('base64url')
}

function sorted(value: Json): Json {
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map(sorted)
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, inner]) => [name, sorted(inner)])
}

const replayedHeader = { 'Idempotent-Replayed': 'true' }

export function sendReply(reply: FastifyReply, { status, text, replayed, retryAfterMs }: Reply): FastifyReply {
  if (replayed) reply.headers(replayedHeader)
  return reply.code(status).headers(retryAfter(retryAfterMs)).send(text)
}

/** Arguments that create belong in the body: a URL is logged, cached and prefetched. */
export function refuseInQuery(request: FastifyRequest, names: readonly string[]): void {
  const query = request.query as { [name: string]: unknown }
  const found = names.filter(name => name in query)
  if (found.length === 0) return
  throw new ApiError(400, Object.fromEntries(found.map(name => [name, `${name} belongs in the body, not in the URL.`])))
}

/** A key that was used for something else is refused, and one whose answer was emptied does nothing again. */
export function notOther<Answer extends GivenAnswer>(answer: Answer | 'otherArguments'): Answer {
  if (answer !== 'otherArguments') {
    if (answer.text !== '') return answer
    throw new ApiError(erasedStatus, { general: erasedSentence }, replayedHeader)
  }
  throw new ApiError(422, { general: `${keyHeader} was already used with other arguments.` })
}

/** For what reaches beyond one commit: a second request under the same key does not begin while the first is being done. */
export async function answerOnce(
  request: FastifyRequest,
  store: { readonly doAlone: DoAlone },
  operation: string,
  asked: Json,
  work: () => Promise<KeyedAnswer>,
): Promise<Reply> {
  const key = keyOf(request, operation, asked)
  if (key === null) {
    const { status, text } = await work()
    return { status, text, replayed: false }
  }
  const answer = await store.doAlone(callerOf(request).merchantId, key, work)
  if (answer === 'running') {
    throw new ApiError(409, { general: stillProcessingSentence }, retryAfter(stillProcessingForMs))
  }
  return notOther(answer)
}
